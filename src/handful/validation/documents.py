"""A validation as plain data, as a page, and as files. None of them holds a row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful._version import __version__
from handful.bounds import Certificate
from handful.display import Display
from handful.evidence import ScoreEvidence, decides, evidence_document, evidence_lines, plain
from handful.report.page import render_page
from handful.report.page_pictures import draw_svg
from handful.validation.sentences import pair_line
from handful.writing import write_folder

if TYPE_CHECKING:
    from handful.validation.validated import Validation

FORMAT, VERSION = "handful-validation", 1  # of validation.json
FILES = ("validation.json", "report.html")


def as_document(made: Validation) -> dict[str, Any]:
    """The whole validation as plain data."""
    risks: Sequence[Certificate | None] = made.certificates_ or [None] * len(made.scores)
    return {
        "format": FORMAT,
        "version": VERSION,
        "handful": __version__,
        "n_rows": made.n_rows,
        "n_counted": made.n_counted,
        "classes": list(made.classes),
        "positive": made.positive,
        "delta": made.delta,
        "case_control": not made.certificates_,
        "one_a_patient": made.one_a_patient,
        "together": made.together(),
        "notes": list(made.notes),
        "scores": [
            {
                "name": score.name,
                "fixed": score.facts(),
                "rule": score.rule(),
                "columns": dict(score.place),
                "sha256": score.digest,
                "certificate": None if risk is None else risk.to_dict(),
                "evidence": evidence_document(one),
            }
            for score, risk, one in zip(made.scores, risks, made.evidence_, strict=True)
        ],
        "pairs": [plain(asdict(pair)) for pair in made.pairs_],
    }


def write_validation(
    made: Validation, folder: Any, *, overwrite: bool = False, title: str = "Validation"
) -> list[Path]:
    """validation.json and report.html, both or none."""
    text = json.dumps(as_document(made), indent=1, allow_nan=False) + "\n"
    contents: dict[str, str | bytes] = {
        "validation.json": text, "report.html": render_validation(made, title=title)
    }  # fmt: skip
    return write_folder(folder, contents, overwrite=overwrite, replaced=FILES)


def render_validation(made: Validation, *, title: str = "Validation") -> str:
    """One self-contained page: certificates, what was fixed, evidence and pictures."""
    sections = []
    for k, (score, one) in enumerate(zip(made.scores, made.evidence_, strict=True)):
        pictures = [
            {"title": name, "svg": draw_svg(display, name=f"v{k}p{i}", title=name, size=size)}
            for i, (name, display, size) in enumerate(_displays(made, k, one))
        ]
        risk = made.certificates_[k] if made.certificates_ else None
        sections.append(
            {
                "name": score.name,
                "statement": "" if risk is None else risk.statement(),
                "fixed": score.facts(),
                "digest": score.digest,
                "lines": evidence_lines(one),
                "pictures": pictures,
                "assumptions": [] if risk is None else [str(a) for a in risk.assumptions],
            }
        )
    return render_page(
        "validation.html",
        title=title,
        version=__version__,
        sections=sections,
        pairs=[pair_line(pair) for pair in made.pairs_],
        together=made.together(),
        counted=f"{made.n_counted} of {made.n_rows} rows counted; the case is {made.positive!r}.",
        notes=list(made.notes),
    )


def _displays(
    made: Validation, k: int, one: ScoreEvidence
) -> list[tuple[str, Display, tuple[float, float]]]:
    """Pictures that this score has."""
    name = made.scores[k].name
    found: list[tuple[str, Display, tuple[float, float]]] = [
        (f"ROC curve of {name}, with limits for all thresholds at once", made.roc(k), (5.6, 4.6))
    ]
    if one.calibration is not None:
        found.append((f"Predicted risks of {name} and what happened", made.calibration(k),
                      (5.6, 4.6)))  # fmt: skip
    if decides(one):
        found.append((f"Net benefit of {name}", made.decision(k), (6.4, 4.2)))
    if one.subgroups:
        height = 1.2 + 0.4 * len(one.subgroups)
        found.append((f"Sensitivity of {name} in subgroups named beforehand", made.forest(k),
                      (6.4, height)))  # fmt: skip
    return found
