"""Run published tables again and write them into docs/papers.md, between its markers.

    python tools/papers_page.py --data-dir FOLDER [--quick] [--only PAPER/TABLE ...]

Tables are filled one by one, so that a run may be stopped and taken up again with ``--only``. A
table may also come from a file that ``handful reproduce PAPER --table TABLE --json`` wrote:
``--only PAPER/TABLE --json FILE``. Then run ``python tools/paper_verdicts.py``, which judges the
papers' claims by the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "papers.md"
MARKER = re.compile(r"<!-- table (\S+) (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


def cell(value: Any) -> str:
    """A value as it stands in a Markdown table."""
    if value is None or value != value:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def as_markdown(records: list[dict[str, Any]], notes: list[str], title: str) -> str:
    """A table with its notes."""
    if not records:
        return f"*{title}: no rows.*\n"
    names = list(records[0])
    lines = [
        f"**{title}**",
        "",
        "| " + " | ".join(name.replace("_", " ") for name in names) + " |",
        "|" + "---|" * len(names),
        *("| " + " | ".join(cell(row.get(name)) for name in names) + " |" for row in records),
    ]
    return "\n".join([*lines, *(f"\n{note}" for note in notes)]) + "\n"


def fill(page: str, paper: str, table: str, text: str) -> str:
    """The page with one table replaced."""

    def replace(match: re.Match[str]) -> str:
        if match.group(1, 2) != (paper, table):
            return match.group()
        return f"<!-- table {paper} {table} -->\n{text}<!-- end -->"

    if (paper, table) not in wanted(page):
        raise SystemExit(f"docs/papers.md has no marker for {paper} {table}")
    return MARKER.sub(replace, page)


def wanted(page: str) -> list[tuple[str, str]]:
    """The tables that the page has a place for."""
    return [(match.group(1), match.group(2)) for match in MARKER.finditer(page)]


def run(paper: str, table: str, data_dir: Path | None, quick: bool) -> str:
    """Run one table and write it down."""
    from handful.papers import run_table

    frame = run_table(
        paper, table, data_dir=data_dir, quick=quick, random_state=0, progress=_say(paper, table)
    )
    title = f"{paper}, {table}" + (" (a few small data sets only)" if quick else "")
    return as_markdown(frame.to_dict(orient="records"), frame.attrs.get("notes", []), title)


def _say(paper: str, table: str) -> Any:
    return lambda stage: print(f"{paper} {table}: {stage}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", help="PAPER/TABLE")
    parser.add_argument("--json", type=Path, help="take the table from this file")
    options = parser.parse_args(arguments)
    chosen = wanted(PAGE.read_text(encoding="utf-8"))
    if options.only:
        chosen = [tuple(name.split("/", 1)) for name in options.only]  # type: ignore[misc]
    for paper, table in chosen:
        if options.json is not None:
            found = json.loads(options.json.read_text(encoding="utf-8"))
            notes = found.get("notes", {}).get(table, [])
            text = as_markdown(found[table], notes, f"{paper}, {table}")
        else:
            text = run(paper, table, options.data_dir, options.quick)
        PAGE.write_text(
            fill(PAGE.read_text(encoding="utf-8"), paper, table, text), encoding="utf-8"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
