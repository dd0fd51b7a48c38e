"""The files of a menu's chosen row: model, certificate, report; no training rows in any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from handful._writing import write_folder
from handful.cli._examples import EMBEDDED
from handful.cli._menu import Made
from handful.cli._origin import read_origin
from handful.cli._output import FILES

if TYPE_CHECKING:
    from handful.files import Model


def write_menu(made: Made, data: Path | None, out: Path, *, force: bool) -> list[Path]:
    """The model alone, or model, certificate and report in a folder."""
    from handful.files import model_of, write_model
    from handful.files.document import to_text

    model, content = model_of(
        made.machine,
        source={"file": EMBEDDED if data is None else made.name, "target": made.study.target},
        is_default=made.is_default,
        band=made.band,
        include_rows=made.options.include_rows,
    )
    if out.suffix == ".json":
        return write_model(model, content, out, overwrite=force)
    document = model.to_document([])
    text = to_text(document)
    certificate = document["certificate"] | {"together": made.machine.together(made.band)}
    contents: dict[str, str | bytes] = {
        "model.json": text,
        "certificate.json": json.dumps(certificate, indent=1, allow_nan=False) + "\n",
        "report.html": _report(made, data, out, text, model),
    }
    if content is not None:
        contents["model.skops"] = content
    return write_folder(out, contents, overwrite=force, replaced=FILES)


def _report(made: Made, data: Path | None, out: Path, text: str, model: Model) -> str:
    """The page about the menu and its chosen row."""
    from handful.report import render_report

    origin = read_origin(data, made.loaded.digests, out / "model.json", text)
    facts = {**origin["provenance"], "target": made.study.target, **model.provenance.versions}
    facts["table sha256"] = model.data.sha256
    return render_report(
        made.machine,
        y=made.study.y,
        title=made.name,
        data_notes=(*made.study.cautions, *made.study.notes),
        include_rows=made.options.include_rows,
        case=made.study.positive,
        band=made.band,
        **{**origin, "provenance": facts},
    )
