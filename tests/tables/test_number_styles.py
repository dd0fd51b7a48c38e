"""Cells with units, marks, times, limits and pairs mean the same on every road."""

from __future__ import annotations

import random
import string

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, load_model, save_model, verify_model
from handful.cli import app
from handful.export import export_python, export_sql
from handful.tables import Choices, load_table, read_study
from handful.tables.disease_codes import chapter_of
from handful.tables.kinds import kind_of
from handful.tables.number_styles import (
    STYLES,
    NumberStyle,
    number_of,
    pair_of,
    style_of,
)
from handful.verify.written_cells import chapter, two_numbers, written_number
from tests.messy import TABLES

UNITS = ("", "y", "g/dl", "mg", "week", "€", "eur", "x10^9/l", "µg/l")
ALL_STYLES = [
    NumberStyle(base, unit, limit).text
    for base in STYLES
    for unit in UNITS
    for limit in (None, 0.5)
]
CELLS = (
    *("67y", "70 Y", "12.9 g/dL", "129 g/L", "€ 12.50", "$1,200", "12.50 EUR", "EUR 12", "5 %"),
    *("1'234", "1\u202f234,5", "12'34", "1:10:00", "14:35", "2:35 pm", "12:05 AM", "14:61"),
    *("not detected", "<0.5", "< 0.5 mg", "N.N.", "5.2 x10^9/L", "5e3 mg", "3 weeks", "67;8"),
    *("1_000", "nan", "1e400", "  7 mg  ", "≤ 3", "", "<", ".5 mg", "12 % g", "1 234 5678"),
)


def same(a, b):
    return a == b or (np.isnan(a) and np.isnan(b))


@pytest.mark.parametrize("style", ALL_STYLES)
def test_the_auditor_reads_every_cell_as_the_library_does(style):
    draw, letters = random.Random(style), "0123456789.,'’ %€$<:/eE+-mgyEUR\xa0pA;°"
    made = ["".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(400)]
    for cell in (*CELLS, *made):
        assert same(number_of(cell, style), written_number(cell, style)), (cell, style)
        ours, theirs = pair_of(cell), two_numbers(cell, False)
        assert all(map(same, ours, theirs)), cell


def test_the_auditor_knows_the_chapters():
    for letter in string.ascii_letters:
        for code in (*(f"{letter}{k:02d}" for k in range(100)), f"{letter}3A.1", f"{letter}1", "x"):
            assert chapter_of(code) == chapter(code), code


@pytest.mark.parametrize(
    ("cells", "style"),
    [
        (["67y", "70 y", "55"], "plain; in y"),
        (["12,9 g/dL", "8,7 g/dL"], "decimal comma; in g/dl"),
        (["€ 1,200", "€ 900"], "thousands comma; in €"),
        (["1'234", "987"], "thousands mark"),
        (["1 234,5", "987"], "thousands mark and decimal comma"),
        (["3 weeks", "1 week"], "plain; in week"),
        (["14:35", "9:05"], "hours"),
        (["<0.5", "not detected", "0.7"], "plain; undetected as 0.5"),
        (["1.5", "2"], "plain"),
    ],
)
def test_styles(cells, style):
    assert style_of(cells) == style


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"{k} mg/dl" if k % 2 else f"{k} mmol/l" for k in range(40)], "text"),  # which number?
        (["40-49", "50-59", "60+", "40-49"], "ordered"),
        (["1:40", "1:80", "1:160"] * 5, "category"),  # titres are no times
        (["Grade 1", "Grade 2", "Grade 1"], "ordered"),
        (["0", "1+", "2+", "3+"], "ordered"),
        ([f"12{letter}" for letter in "ABCDEFG"] * 2, "category"),
        (["E11.9", "I10.0", "J45.0", "I10.0"], "category"),
        (["155/93", "120/80", "140/85"], "two numbers"),
    ],
)
def test_kinds(cells, kind):
    assert kind_of("x", cells).kind == kind


def test_a_column_in_two_units_is_left_out_with_the_reason():
    cells = [f"{k} mg/dl" if k % 2 else f"{k / 18:.1f} mmol/l" for k in range(1, 60)]
    assert (
        "of its cells are numbers in 'mg/dl', others such as" in kind_of("glucose", cells).notes[0]
    )


def test_a_column_that_is_mostly_numbers_says_why_it_is_none():
    cells = [str(k) for k in range(60)] + [f"see letter {k}" for k in range(30)]
    assert "only 67 % of its cells are numbers" in kind_of("x", cells).notes[0]


@pytest.mark.parametrize("text", ["plain; in", "decimal", "hours; undetected as inf", ""])
def test_bad_styles_are_refused(text):
    with pytest.raises(ValueError, match=r"style|limit"):
        NumberStyle.of(text)


ROADS = (
    *("units", "counted-units", "thousands-marks", "times", "blood-pressure", "not-detected"),
    "disease-codes",
)


@pytest.mark.parametrize("name", ROADS)
def test_what_was_learned_is_predicted_checked_and_exported_alike(name, tmp_path):
    frame = TABLES[name]().frame
    frame.to_csv(tmp_path / "t.csv", index=False)
    study = read_study(load_table(tmp_path / "t.csv").frame, Choices(target="outcome"))
    machine = CertifiedClassifier(["linear"]).fit(study)
    wanted = machine.predict(frame.drop(columns="outcome")).tolist()
    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.predict(frame).tolist() == wanted
    words = ["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv"), "-q"]
    result = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "out.csv")])
    assert result.exit_code == 0, result.output
    assert pd.read_csv(tmp_path / "out.csv")["label"].tolist() == wanted
    read = load_table(tmp_path / "t.csv").frame
    X, y = read.drop(columns="outcome"), read["outcome"]
    assert not verify_model(tmp_path / "m.json", X, y).differences
    read = machine.fitted_.reduced().columns.columns
    if all(column.is_common for column in read):
        return
    for export in (export_python, export_sql):
        with pytest.raises(ValueError, match="Use `handful predict`"):
            export(model)


def test_every_style_is_asked_by_some_rule(tmp_path):
    """The linear form reads the columns that the tables above are about."""
    styles = set()
    for name in ROADS:
        study = read_study(TABLES[name]().frame, Choices(target="outcome"))
        styles |= {c.style.split(";")[0] if c.kind == "number" else c.kind for c in study.features}
        styles |= {c.style for c in study.features}
    assert {"hours", "two numbers", "icd-10 chapters", "thousands mark"} <= styles
    assert {"plain; in mg/dl", "plain; undetected as 3.0"} <= styles


def test_numbers_in_a_database_have_no_unit():
    study = read_study(TABLES["units"]().frame, Choices(target="outcome", features=("marker",)))
    machine = CertifiedClassifier(["one rule"]).fit(study)
    assert "LOWER" not in export_sql(machine, is_text=False)
    with pytest.raises(ValueError, match="say --numbers if the database holds numbers"):
        export_sql(machine)


def test_pairs_are_left_out_of_covers_with_the_reason():
    study = read_study(TABLES["blood-pressure"]().frame, set_aside=True)
    pair = next(c for c in study.columns if c.name == "bp")
    assert pair.role == "ignored"
    assert "not by --rules" in pair.notes[-1]
