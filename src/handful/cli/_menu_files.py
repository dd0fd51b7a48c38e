"""The files of a menu's chosen row: model, certificate, report; no training rows in any."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful._writing import write_folder
from handful.cli._examples import EMBEDDED
from handful.cli._menu import Made
from handful.cli._origin import read_origin
from handful.cli._output import FILES

if TYPE_CHECKING:
    from handful.certified import CertifiedClassifier
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
    from handful.cli._menu_text import form_in_words, found_rates, rule_lines, uses_in_words
    from handful.report import MenuPage, render_menu

    origin = read_origin(data, made.loaded.digests, out / "model.json", text)
    facts = {**origin["provenance"], "target": made.study.target, **model.provenance.versions}
    facts["table sha256"] = model.data.sha256
    rows = zip(made.machine.candidates_, made.machine.menu_risks_.tolist(), strict=True)
    page = MenuPage(
        made.machine.certificate_,
        labels=made.study.y,
        caution=made.machine.caution(),
        lines=rule_lines(made),
        form=made.machine.chosen_,
        rows=[
            (form_in_words(c), uses_in_words(c), risk, c.name == made.machine.chosen_)
            for c, risk in rows
        ],
        rates=found_rates(made),
        together=made.machine.together(made.band),
        pictures=_pictures(made.machine),
    )
    facts = {**origin, "provenance": facts}
    return render_menu(
        page, title=made.name, data_notes=(*made.study.cautions, *made.study.notes), **facts
    )


def _pictures(machine: CertifiedClassifier) -> list[tuple[str, Any, float]]:
    """The price of readability, and the chosen row if there is a display that draws it."""
    from handful.certified import AdditiveDisplay, MenuDisplay
    from handful.scoring import ScoreCardDisplay

    pictures: list[tuple[str, Any, float]] = []
    with suppress(TypeError):  # the row is no score card
        card = ScoreCardDisplay.from_estimator(machine)
        height = max(2.6, 0.4 * len(card.items()) + 1.4)
        pictures.append(("The score card, and what its totals mean", card, height))
    with suppress(TypeError):  # nor additive
        curves = AdditiveDisplay.from_estimator(machine)
        title = "Points of each column; dotted where the value is missing"
        pictures.append((title, curves, 2.0 * curves.n_rows))
    title = "The price of readability: certificates of all forms, the simplest on the left"
    return [*pictures, (title, MenuDisplay.from_estimator(machine), 4.6)]
