"""A study as plain data for its readers: flow of rows, Table 1, columns, menu; no row is in it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from handful._version import __version__

if TYPE_CHECKING:
    from handful.cli.study_result import StudyResult
    from handful.files import Model


def study_document(made: StudyResult, model: Model, digest: str) -> dict[str, Any]:
    """evidence.json: what else the counted rows say of the chosen row, and its study.

    ``digest`` is the content hash of the model file that it belongs to.
    """
    from handful.cli.study_result import evidence_of, together_of

    machine = made.machine
    case = getattr(machine, "case_", made.case)
    return {
        "format": "handful-evidence",
        "version": 1,
        "model": digest,
        "row": machine.chosen_,
        "case": case if len(machine.fitted_.classes) == 2 else None,  # none of more than two
        "delta": machine.delta,
        "together": together_of(made),
        "checked": "handful verify recomputes counts, rates and area; the rest is only shown",
        **(evidence_of(made) or {}),
        "study": _study(made, model),
    }


def _study(made: StudyResult, model: Model) -> dict[str, Any]:
    from handful.certified.training_pool import N_FOLDS
    from handful.cli.menu_table import why_chosen
    from handful.cli.study_result import stability_of
    from handful.tables import describe_columns, table_one

    rows, machine, options = made.rows, made.machine, made.options
    study = rows.study
    is_all = options.all_columns or study is None
    read = [column.name for column in model.fitted.columns.columns]
    names = [column.name for column in study.features] if is_all and study is not None else read
    certificate = machine.certificate_
    return {
        "handful": __version__,
        "classes": list(machine.fitted_.classes),
        "statement": certificate.statement(),
        "caution": machine.caution(),
        "assumptions": [str(one) for one in certificate.assumptions],
        "rates": machine.class_rates(made.case),
        "rule": machine.chosen_lines(include_rows=options.include_rows),
        "reads": read,
        "must_be_known": [model.fitted.columns.names[j] for j in model.fitted.machine.required],
        "n_folds": N_FOLDS,
        "is_cover": options.is_cover,
        "drawn_by_digest": not options.is_cover and model.data.seed is None,
        "stability": stability_of(made, for_others=True),
        "flow": _flow(made),
        "columns": None if study is None else describe_columns(study, names),
        "table_one": None if study is None else table_one(study, names),
        "menu": [_for_others(row) for row in menu_as_dicts(machine)],
        "why_chosen": why_chosen(made).replace("→", "The chosen form"),
        "n_failed": len(machine.failures_),
        "protocol": protocol_document(made),
    }


def protocol_document(made: StudyResult) -> dict[str, Any] | None:
    """What was fixed before the data, and where the study deviates from it."""
    followed = made.followed
    if followed is None or made.protocol is None:
        return None
    return {
        **made.protocol.said(),
        "sha256": followed.sha256,
        "deviations": [asdict(one) for one in followed.deviations],
        "reason": followed.reason,
        "says": made.protocol_lines,
    }


def _for_others(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the menu without the names of its columns."""
    names = row.pop("uses")
    return {**row, "n_columns": len(names)}


def _flow(made: StudyResult) -> dict[str, Any]:
    """How many rows were read, left out, taught and tested, with those of each class."""
    study, counts = made.rows.study, made.machine.candidate_.counts
    n_read = None if study is None else study.n_read
    n_labelled = int(made.machine.n_samples_) if study is None else len(study.y)
    classes = made.machine.fitted_.classes
    held = dict(zip(classes, counts.held_by_class, strict=False))
    tested = dict(zip(classes, (n for n, _ in counts.by_class), strict=False))
    wrong = dict(zip(classes, (n_wrong for _, n_wrong in counts.by_class), strict=False))
    return {
        "n_read": n_read,
        "n_without_label": None if n_read is None else n_read - n_labelled,
        "n_labelled": n_labelled,
        "n_set_aside": n_labelled - int(made.machine.n_samples_),
        "n_groups": None if counts.groups is None else counts.n_units,
        "taught": {"n_rows": sum(held.values()), "by_class": held},
        "tested": {
            "n_rows": sum(tested.values()) + counts.n_unknown,
            "by_class": tested,
            "n_unknown": counts.n_unknown,
            "errors_by_class": wrong,
            "n_errors": sum(wrong.values()) + counts.n_unknown,
        },
    }


def menu_as_dicts(machine: Any) -> list[dict[str, Any]]:
    """Every row of a menu as plain data, smallest certificate first."""
    offered = zip(machine.candidates_, machine.menu_risks_, strict=True)
    return [
        {
            "number": row,
            "name": candidate.name,
            "size": int(candidate.fitted.machine.size),
            "uses": list(candidate.fitted.uses),
            "n_errors": candidate.counts.n_errors,
            "n_counted": candidate.counts.n_counted,
            "nats": candidate.nats,
            "share_of_delta": math.exp(-candidate.nats),
            "certificate": float(risk),
            "also": list(candidate.also),
        }
        for row, (candidate, risk) in enumerate(offered)
    ]
