"""What a page tells of a study, from its files: flow of rows, Table 1, columns, texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handful.codec import fail
from handful.report.study_texts import Documents, study_texts

UNSHOWN = "–"


def read_dossier(documents: Documents, template: str) -> dict[str, Any]:
    """Sections of a page from model.json, certificate.json and evidence.json.

    Parameters
    ----------
    documents : mapping of str to mapping
        The content of the three files, by file name.
    template : str
        The text of "study-texts.json".
    """
    study = documents["evidence.json"]["study"]
    try:
        table = study["table_one"]
        return {
            "flow": _flow(study),
            "stability": list(map(str, study.get("stability") or ())),
            "table_one": None if table is None else table_text(table),
            "columns": None if study["columns"] is None else _columns(study["columns"], table),
            "texts": study_texts(documents, template),
            "protocol": study.get("protocol"),
            "why_chosen": study.get("why_chosen"),
        }
    except (AttributeError, TypeError, KeyError, ValueError, IndexError) as error:
        raise fail("evidence.json: study", "as certify writes it", str(error)) from error


def _flow(study: Mapping[str, Any]) -> dict[str, Any]:
    """Boxes of a flow chart: rows read, rows left out and why, rows that taught and that tested."""
    flow, is_cover = study["flow"], study["is_cover"]
    gone = [(flow["n_without_label"], "without a label")]
    gone.append((flow["n_set_aside"], "set aside: the columns were read off them"))
    words = ("make the rule", "chose it and are counted") if is_cover else ("taught", "tested")
    parts = []
    for name, said in zip(("taught", "tested"), words, strict=True):
        part = flow[name]
        lines = list(part["by_class"].items())
        if part.get("n_unknown"):
            lines.append(("with a label that the teaching rows lack", part["n_unknown"]))
        parts.append({"says": said, "n": part["n_rows"], "classes": lines})
    wrong = flow["tested"]["n_errors"]
    return {
        "n_read": flow["n_labelled"] if flow["n_read"] is None else flow["n_read"],
        "n_used": flow["taught"]["n_rows"] + flow["tested"]["n_rows"],
        "out": [(n, why) for n, why in gone if n],
        "n_groups": flow["n_groups"],
        "parts": parts,
        "wrong": wrong,
    }


def table_text(table: Mapping[str, Any]) -> dict[str, Any]:
    """Table 1 as text: heads, and the lines of each column."""
    columns: dict[str, list[tuple[str, list[str]]]] = {}
    for row in table["rows"]:
        lines = columns.setdefault(row["column"], [])
        if row["shows"] == "missing" and not any(cell != 0 for cell in row["cells"]):
            continue  # the table of columns says that nothing is missing
        what = {"quartiles": "median (quartiles)", "missing": "missing"}.get(row["shows"], "")
        cells = zip(row["cells"], table["sizes"], strict=True)
        shown = [cell_text(row["shows"], cell, n) for cell, n in cells]
        lines.append((", ".join(filter(None, (what, row["word"]))), shown))
    heads = list(zip(table["groups"], table["sizes"], strict=True))
    return {"heads": heads, "columns": list(columns.items()), "least": table["least"]}


def cell_text(shows: str, cell: Any, n: int) -> str:
    """A cell of Table 1: a median with its quartiles, or a count with its share of ``n`` rows.

    Examples
    --------
    >>> cell_text("quartiles", [41.0, 50.5, 63.0], 80), cell_text("word", 20, 80)
    ('50.5 (41 to 63)', '20 (25.0 %)')
    """
    if cell is None:
        return UNSHOWN
    if shows == "quartiles":
        low, middle, high = (v if isinstance(v, str) else f"{v:g}" for v in cell)
        return f"{middle} ({low} to {high})"
    return f"{cell} ({100.0 * cell / n:.1f} %)" if cell and n else str(cell)


def _columns(described: Mapping[str, Any], table: Mapping[str, Any] | None) -> dict[str, Any]:
    """Columns with what they hold, what is missing and what was assumed; how many there are."""
    rows = [] if table is None else table["rows"]
    gone = {row["column"]: row["cells"][0] for row in rows if row["shows"] == "missing"}
    n = described["n_features"]
    return {
        "n_features": n,
        "n_more": n - len(described["columns"]),
        "left_out": [(entry["n"], entry["why"]) for entry in described["left_out"]],
        "rows": [
            {
                "name": column["name"],
                "kind": column["kind"] or "number",
                "missing": UNSHOWN if gone.get(column["name"]) is None else gone[column["name"]],
                "notes": [note["text"] for note in column["notes"]],
            }
            for column in described["columns"]
        ],
    }
