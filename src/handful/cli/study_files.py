"""The files of a chosen row: model, certificate, report; no training rows unless wanted."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.chunks import is_chunked
from handful.cli.certify_command import FILES
from handful.writing import write_folder

if TYPE_CHECKING:
    from handful.cli.study_result import StudyResult
    from handful.files import Model


def write_study(made: StudyResult, out: Path) -> list[Path]:
    """The model alone, or model, certificate and report in a folder."""
    from handful.cli.study_description import study_document
    from handful.cli.study_result import together_of
    from handful.files import model_of, write_model
    from handful.files.document import HASH_FIELD, to_text

    options, rows = made.options, made.rows
    groups = {"groups": options.groups} if options.is_cover else {}
    how: dict[str, Any] = {
        "source": {"file": rows.file, "target": rows.target} | groups,
        "is_default": made.is_default,
        "include_rows": options.include_rows,
        "study": rows.study,
        "choices": options.choices(),
    }
    fixed = {"protocol": made.protocol, "deviate": made.deviate}
    model, content = model_of(made.machine, band=made.band, **fixed, **how)
    if out.suffix == ".json":
        return write_model(model, content, out, overwrite=options.force)
    document = json.loads(text := to_text(model.to_document([])))
    documents = {
        "model.json": document,
        "certificate.json": document["certificate"] | {"together": together_of(made)},
        "evidence.json": study_document(made, model, document[HASH_FIELD]),
    }
    contents: dict[str, str | bytes] = {
        name: json.dumps(found, indent=1, allow_nan=False) + "\n"
        for name, found in documents.items()
    }
    contents["model.json"] = text
    contents["report.html"] = _report(made, out, text, model, documents)
    if made.protocol is not None:
        contents["protocol.toml"] = made.protocol.text
    if content is not None:
        contents["model.skops"] = content
    if made.refit is not None:
        again, content = model_of(made.refit, **how)
        contents["refit.json"] = to_text(again.to_document([]))
        if content is not None:
            contents["refit.skops"] = content
    return write_folder(out, contents, overwrite=options.force, replaced=FILES)


def _report(
    made: StudyResult, out: Path, text: str, model: Model, documents: dict[str, Any]
) -> str:
    """The page about the menu and its chosen row."""
    from handful.report import render_report
    from handful.tables import plain_notes

    rows = made.rows
    names = [column.name for column in model.fitted.columns.columns]
    noticed = sorted(rows.notes_on(names), key=lambda note: note.code)
    origin = read_origin(made.options.data, rows.digests, out / "model.json", text)
    facts = {**origin["provenance"], "target": rows.target, **model.provenance.versions}
    facts |= {"estimator": model.provenance.estimator, "table sha256": model.data.sha256}
    if model.data.seed is not None:
        facts["random_state"] = model.data.seed
    y = None if is_chunked(rows.X) else rows.y
    # tables of more than two classes, and training rows, are not in the counts of the menu
    needs_rows = len(rows.classes) > 2 or (made.options.is_cover and made.options.include_rows)
    return render_report(
        made.machine,
        X=rows.X if y is not None and needs_rows else None,
        y=y,
        title=rows.name,
        data_notes=[
            *plain_notes(noticed, for_others=True),
            *made.remarks,
            *made.protocol_lines[:-1],  # where it was not followed
        ],
        include_rows=made.options.include_rows,
        case=made.case,
        band=made.band,
        documents=documents,
        **{**origin, "provenance": facts},
    )


def read_origin(
    data: Path | None, read: Iterable[tuple[str, str]], model: Path, model_text: str
) -> dict[str, Any]:
    """What `render_report` is told of files and of the run.

    ``read`` has the data files with the digests of what was read; they may have changed since.
    The model is given as text: its file is written together with the report.
    """
    digests = {str(model): hashlib.sha256(model_text.encode("utf-8")).hexdigest(), **dict(read)}
    facts = {"made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")}
    if command := command_line():
        facts["command"] = command
    return {
        "model_file": str(model),
        "data_file": "" if data is None else str(data),
        "digests": digests,
        "provenance": facts,
    }


def command_line() -> str | None:
    """The command as it was typed; None if the program was called from other code."""
    words = sys.argv[1:]
    return shlex.join(["handful", *words]) if "certify" in words else None
