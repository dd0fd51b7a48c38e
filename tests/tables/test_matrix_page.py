"""The matrix of the guide is what happens, line by line."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.tables.test_matrix import AGE, COLUMNS, NOISY, read, said_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "tables.md"
LETTERS = 60  # of a note


def line_of(line, tmp_path):
    """A line of the table as the guide has it, from what happens."""
    name, cells, _, _, _ = COLUMNS[line]
    study = read(pd.DataFrame({name: cells, "age": AGE, "outcome": NOISY}), tmp_path)
    kind, role, said = said_of(study, name)
    shown = list(dict.fromkeys(_text(cell) for cell in np.asarray(cells, dtype=object)))[:3]
    used = "not used" if role == "ignored" else role
    note = re.sub(r"\d+(?= (times|cells|words))", "n", said)
    return f"| {line} | `{' · '.join(shown)}` | {kind} | {used} | {_short(note)} |"


def _text(cell):
    if isinstance(cell, pd.Timestamp):
        return str(cell.date())
    return "nothing" if cell is None or cell == "" else str(cell)


def _short(note):
    note = note.replace("|", "/").replace("<", "&lt;")
    return note if len(note) <= LETTERS else note[:LETTERS].rsplit(" ", 1)[0] + " …"


def matrix(tmp_path):
    return [line_of(line, tmp_path) for line in COLUMNS]


def written():
    text = PAGE.read_text(encoding="utf-8")
    table = text.split("|---|---|---|---|---|\n", 1)[1].split("\n\n", 1)[0]
    return {line.split(" | ")[0]: line for line in table.splitlines()}


@pytest.mark.parametrize("line", sorted(COLUMNS))
def test_the_page_says_what_happens(line, tmp_path):
    found = line_of(line, tmp_path)
    assert written()[found.split(" | ")[0]] == found


def test_the_page_has_every_line_and_no_other():
    assert sorted(written()) == sorted(f"| {line}" for line in COLUMNS)
