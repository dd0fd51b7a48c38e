"""``handful dossier``: the items of a reporting checklist, filled from the files of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from handful.cli.console import console, print_json, print_written
from handful.cli.options import Force, Json, Quiet
from handful.writing import check_folder, write_folder

if TYPE_CHECKING:
    from handful.report.tripod import ChecklistItem

CHECKLISTS = ("tripod-ai",)
FILES = ("tripod-ai.md", "tripod-ai.html")
PARTS = ("model.json", "certificate.json", "evidence.json")


def dossier(
    folder: Path = typer.Argument(..., metavar="DIR", help="Folder that certify --out wrote."),
    checklist: str = typer.Option(..., "--for", help="The checklist: tripod-ai."),
    out: Path | None = typer.Option(
        None, "--out", "-o", help="Folder for tripod-ai.md and tripod-ai.html; DIR by default."
    ),
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fill a reporting checklist from the files of a study; what only people know is asked.

    Each item is filled by numbers from model.json, certificate.json and evidence.json, and names
    their fields; drafted for you to complete; or left with a question. No row is read or written.

    Example: **handful dossier results --for tripod-ai**
    """
    from handful.report import render_tripod
    from handful.report.study_texts import field_of

    if checklist not in CHECKLISTS:
        raise ValueError(f"`--for` must be one of {', '.join(CHECKLISTS)}, got {checklist!r}.")
    place = folder if out is None else out
    documents = read_study_files(folder)
    check_folder(place, FILES, overwrite=force)
    names = (field_of(documents, "M", "data.file"), field_of(documents, "E", "row"))
    title = ": ".join(str(name) for name in names if name)
    items, text, page = render_tripod(documents, title=title)
    contents: dict[str, str | bytes] = dict(zip(FILES, (text, page), strict=True))
    written = write_folder(place, contents, overwrite=force, replaced=FILES)
    if as_json:
        files = [str(path) for path in written]
        print_json({"items": [item.to_dict() for item in items], "files": files})
        return
    _print_items(items)
    print_written(written)


def read_study_files(folder: Path) -> dict[str, Any]:
    """The files of a study by name, if they belong together."""
    from handful.codec import ModelFileError
    from handful.files.document import FORMAT, HASH_FIELD, from_text, read_text_of

    found: dict[str, Any] = {}
    for name in PARTS:
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"there is no {name} in {folder}. Give the folder that `certify --out` wrote."
            )
        found[name] = from_text(read_text_of(folder / name))
        if not isinstance(found[name], dict):
            raise ModelFileError(f"{name} is not a JSON object. Run `certify --out` again.")
    model, certificate, evidence = found.values()
    if model.get("format") != FORMAT:
        raise ModelFileError("model.json is not a model file. Run `certify --out` again.")
    if evidence.get("model") != model.get(HASH_FIELD) or "study" not in evidence:
        raise ModelFileError(
            "evidence.json does not belong to this model.json. Run `certify --out` again."
        )
    if {name: part for name, part in certificate.items() if name != "together"} != model.get(
        "certificate"
    ):
        raise ModelFileError(
            "certificate.json is not that of model.json. Run `certify --out` again."
        )
    return found


def _print_items(items: list[ChecklistItem]) -> None:
    """How many items are filled, drafted and asked, and what is asked."""
    from handful.report.tripod import counts_of

    counts = counts_of(items)
    console.print(
        f"{counts['filled']} items filled from the files, {counts['drafted']} drafted for you to "
        f"complete, {counts['asked']} to answer:",
        highlight=False,
    )
    for item in items:
        if item.status == "asked":
            console.print(f"  {item.item}  {item.question}", highlight=False, markup=False)
