"""Cases at the borders of a rule: every program that it is exported to says what we say."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, ScoreCard, load_model, save_model
from handful.cli import app
from handful.export import (
    export_card,
    export_cases,
    export_excel,
    export_paper_card,
    export_python,
    export_r,
    export_sql,
)
from handful.models import (
    Additive,
    Card,
    Condition,
    Constant,
    Curve,
    Fitted,
    Item,
    LinearScore,
    OneAgainstRest,
    OrderedRules,
    RiskCurve,
    Rule,
    RuleList,
    RuleSet,
    Stumps,
    Thresholded,
    Vote,
    Votes,
    WeightedSum,
)
from handful.tables import Column, Columns
from handful.validation import load_card
from tests.export.replay import in_calc, in_r, read_cases
from tests.export.test_card import Holder, in_node, plain_of
from tests.export.test_form_export import CHOICES, in_duckdb, in_python, in_sqlite, raw_table

CRP, LAB, BLUE, RED, THREE, STAGE, NO_STAGE, AGE = range(8)
TAKEN = 'âge "x"'
COLUMNS = Columns(
    (
        Column("crp, mg/l", style="decimal comma"),
        Column("lab", marks=("-999", "gone")),
        Column("colour", kind="category", words=('it\'s "blue"', "Red", "3")),
        Column("stage", kind="ordered", levels=("I", "II", "III"), has_missing=True),
        Column(TAKEN, ""),
    )
)
BELOW, ABOVE = (math.nextafter(12.55, end) for end in (-math.inf, math.inf))
ON = Condition.on


def _weights(*pairs):
    out = [0.0] * 8
    for j, weight in pairs:
        out[j] = weight
    return tuple(out)


SLOPE = _weights((CRP, 0.1), (LAB, -0.3), (STAGE, 0.7), (BLUE, 0.2), (AGE, 1 / 3))
OTHER = _weights((CRP, -0.1), (LAB, 0.3), (RED, 2.5))
FILL = (3.3, 4.0, 0.0, 1.0, 0.0, 1.0, 0.0, 40.0)
CURVES = (
    Curve(CRP, (5.5, BELOW, 20.0), ((0.1, -0.4, 0.3, 0.2),), (0.3,)),
    Curve(AGE, (40.0, 60.0), ((0.1, 0.2, -0.3),), (-0.2,)),
    Curve(STAGE, (1.0, 2.0), ((-0.3, 0.1, 0.2),), (0.1,)),
    Curve(RED, (), ((0.2,),), (0.7,)),
)
THREE_CURVES = tuple(
    replace(c, values=(c.values[0], c.values[0][::-1], c.values[0]), missing=(0.1, 0.2, 0.1))
    for c in CURVES
)
CARD = Card(
    (
        Item(ON(CRP, ">=", 12.55), 3),
        Item(ON(BLUE, ">=", 0.5), 2),
        Item(ON(RED, "<", 0.5), -2),
        Item(ON(STAGE, ">=", 1.0), 1),
        Item(ON(AGE, "<", 60.0), -1),
    ),
    threshold=3,
)
LISTED = (
    Rule((ON(CRP, ">=", 12.55), ON(RED, "<", 0.5)), 1),
    Rule((ON(STAGE, ">", 1.5),), 2),
    Rule((ON(THREE, "=", 1.0),), 1),
    Rule((ON(NO_STAGE, ">=", 0.5), ON(LAB, "≠", 4.0)), 2),
    Rule((ON(LAB, "<=", ABOVE),), 0),
)
MANY = tuple(Rule((ON(AGE, "<", float(k)),), k % 2) for k in range(60))
SET = RuleSet(
    (Rule((ON(CRP, ">", 5.5), ON(AGE, "<", 60.0)), 1), Rule((ON(BLUE, ">=", 1.0),), 1)), 0
)
LOW = RuleList((Rule((ON(CRP, "<=", 5.5),), 1), Rule((ON(AGE, ">", 60.0),), 0)), 0)
MACHINES = {
    "constant": Constant(1),
    "rules": OrderedRules(LISTED, default=0, n_classes=3),
    "rule set": SET,
    "long list": RuleList(MANY, default=1),
    "half-space": RuleSet((Rule((Condition(WeightedSum(SLOPE, FILL), ">", 2.5),), 1),), 0),
    "card": CARD,
    "linear": LinearScore((SLOPE,), (-1.2,), FILL),
    "complete rows": Thresholded(LinearScore((SLOPE,), (-1.2,), ()), 0.3),
    "linear, three": LinearScore((SLOPE, OTHER, _weights()), (0.0, -0.3, 0.4), FILL),
    "additive": Additive(CURVES, (-0.3,)),
    "additive, three": Additive(THREE_CURVES, (0.0, 0.1, 0.0)),
    "votes": Votes((Stumps((CRP, AGE, CRP), (12.55, 60.0, 5.5), (0.7, -0.4, -0.3), 0.1),)),
    "vote": Vote((CARD, SET, Constant(1))),
    "one against the rest": OneAgainstRest(
        (SET, RuleSet((Rule((ON(LAB, ">", 4.0),), 1),), 0), LOW)
    ),
}
LABELS = {2: ('it\'s\n"so"', "=1+1"), 3: ('it\'s\n"so"', "=1+1", "été")}


def machine_of(form, risk=None):
    n_classes = getattr(form, "n_classes", 2)
    n_classes = max(n_classes, len(getattr(form, "intercepts", ())), len(getattr(form, "x", ())))
    if isinstance(form, OneAgainstRest):
        n_classes = len(form.members)
    return Holder(Fitted("form", COLUMNS, LABELS[max(2, n_classes)], form, risk))


def compare(found, wanted, rows):
    """All labels are equal; the first one that is not is shown with its row."""
    assert len(found) == len(wanted)
    for own, label, row in zip(found, wanted, rows, strict=True):
        assert (own or "") == label, row


def frame_of(names, rows):
    """The cases as a table; a column that is taken as it is holds numbers."""
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(**{name: pd.to_numeric(frame[name]) for name in names if name == TAKEN})


def check_databases(machine, text):
    names, rows, wanted = read_cases(text)
    frame = frame_of(names, rows)
    query = export_sql(machine, table="patients", is_text=True)
    compare(in_sqlite(query, frame), wanted, rows)
    compare(in_duckdb(query, frame), wanted, rows)


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", MACHINES)
def test_python_and_databases_say_the_same(name, tmp_path):
    machine = machine_of(MACHINES[name])
    text = export_cases(machine, 300)
    names, rows, wanted = read_cases(text)
    assert len(set(wanted)) >= 2 or name == "constant"
    if names:
        if name != "one against the rest":  # which needs a language with distances
            check_databases(machine, text)
        compare(in_python(export_python(machine), frame_of(names, rows), tmp_path), wanted, rows)


def test_the_cases_stand_at_the_cuts_and_beside_them():
    _, rows, wanted = read_cases(export_cases(machine_of(MACHINES["votes"]), 400))
    cells = {row[0] for row in rows}
    assert {"12,55", "12,5500000000001", "5,5", "5,49999999999999", "", "NA"} <= cells
    beside = {
        label
        for row, label in zip(rows, wanted, strict=True)
        if row[0] in ("12,55", "12,5500000000001") and row[1] == "0"
    }
    assert len(beside) == 2  # one hundred-trillionth decides
    assert export_cases(machine_of(CARD), 50) == export_cases(machine_of(CARD), 50)


def test_cases_hold_no_value_of_the_table(rng):
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["secret", "open", "x"], 300)})
    y = np.where(X["a"] + 0.5 * rng.normal(size=300) > 0.2, "ill", "well")
    machine = CertifiedClassifier(["one rule"]).fit(X, y)
    names, rows, _ = read_cases(export_cases(machine, 500))
    assert names == ["a"]
    (cut,) = {condition.cut for condition in machine.fitted_.machine.conditions}
    numbers = {float(row[0].lstrip("<")) for row in rows if row[0] not in ("", "NA")}
    near = {0.0, 1.0, cut - 1.0, cut, cut + 1.0}
    assert all(min(abs(n - k) for k in near) < 1e-13 for n in numbers)
    assert len(numbers & set(X["a"])) <= 1  # the cut itself, if it is a value


def test_a_changed_sign_is_seen(tmp_path):
    machine = machine_of(CARD)
    names, rows, wanted = read_cases(export_cases(machine, 300))
    frame = frame_of(names, rows)
    for old, new in ((">= 12.55", "> 12.55"), ("< 60.0", "<= 60.0"), (">= 3", "> 3")):
        changed = export_python(machine).replace(old, new)
        assert changed != export_python(machine)
        with pytest.raises(AssertionError):
            compare(in_python(changed, frame, tmp_path), wanted, rows)


@pytest.mark.parametrize(
    "name", ["rules", pytest.param("linear, three", marks=pytest.mark.thorough)]
)
def test_r_says_the_same(name, tmp_path):
    machine = machine_of(MACHINES[name])
    text = export_cases(machine, 1000)
    _, rows, wanted = read_cases(text)
    compare(_lines(in_r(export_r(machine), text, tmp_path)), wanted, rows)


def _lines(labels):
    """Labels that hold a line feed were written in two lines."""
    return "\n".join(labels).replace('it\'s\n"so"', "QUOTED").replace("\n", "\0").replace(
        "QUOTED", 'it\'s\n"so"'
    ).split("\0")  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in MACHINES if name != "constant"])
def test_r_says_the_same_of_every_form(name, tmp_path):
    test_r_says_the_same(name, tmp_path)


TYPED_IN_R = """
source("rules.R", encoding = "UTF-8")
rows <- read.csv("cases.csv", check.names = FALSE, encoding = "UTF-8", stringsAsFactors = TRUE)
rows[["colour"]] <- factor(ifelse(is.na(rows[["colour"]]), NA, as.character(rows[["colour"]])))
labels <- as.character(predict_handful(rows))
labels[is.na(labels)] <- ""
writeLines(enc2utf8(labels), "labels.txt", useBytes = TRUE)
"""


def test_r_reads_numbers_factors_and_truths(tmp_path):
    columns = (Column("a"), Column("colour", kind="category", words=("3", "True", "Red")))
    form = LinearScore(((1.0, 2.0, 4.0, 8.0),), (-6.0,), (0.0, 0.0, 0.0, 0.0))
    machine = Holder(Fitted("form", Columns(columns), ("well", "ill"), form))
    cells = [[f"{a}", c] for a in (0, 1.5, 3, "") for c in ("3", "3.0", "TRUE", "red", "", "x")]
    frame = pd.DataFrame(cells, columns=["a", "colour"])
    wanted = [machine.fitted_.classes[k] for k in machine.fitted_.labels(frame.replace("", None))]
    frame.to_csv(tmp_path / "c.csv", index=False)
    text = (tmp_path / "c.csv").read_text()
    assert in_r(export_r(machine), text, tmp_path, TYPED_IN_R) == wanted
    assert len(set(wanted)) == 2


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory):
    """A model that says nothing in doubt, from a raw table of words, marks and quotes."""
    from handful.tables import read_study

    frame = raw_table(np.random.default_rng(4))
    machine = CertifiedClassifier(["score card", "linear"]).fit(read_study(frame, CHOICES))
    machine = machine.choose("linear")
    band = next(band for band in machine.bands() if band.width > 0.1)
    path = tmp_path_factory.mktemp("model") / "m.json"
    save_model(machine, path, band=band)
    return load_model(path)


@pytest.mark.thorough
def test_nothing_is_said_in_doubt(doubtful, tmp_path):
    text = export_cases(doubtful, 500)
    names, rows, wanted = read_cases(text)
    assert set(wanted) == {"", "well", "ill's"}
    check_databases(doubtful, text)
    frame = pd.DataFrame(rows, columns=names)
    compare(in_python(export_python(doubtful), frame, tmp_path), wanted, rows)
    pages = in_calc({"doubt": export_excel(doubtful, cases=500)}, tmp_path)["doubt"]
    compare([row[len(names)] for row in pages[0][1:501]], wanted, rows)
    compare(in_r(export_r(doubtful), text, tmp_path), wanted, rows)


@pytest.mark.thorough
def test_workbooks_say_the_same_of_every_form(tmp_path):
    """One start of LibreOffice for all; the workbook's own count of agreements is read, too."""
    books, cases = {}, {}
    for name, form in MACHINES.items():
        key = name.replace(" ", "_").replace(",", "")
        machine = machine_of(form)
        books[key] = export_excel(machine, cases=300)
        cases[key] = read_cases(export_cases(machine, 300))
    for key, (filled, rule) in in_calc(books, tmp_path).items():
        names, rows, wanted = cases[key]
        assert filled[0] == [*names, "prediction", "answer of handful", "agree"]
        compare([row[len(names)] for row in filled[1:301]], wanted, rows)
        assert ["300 of 300 cases agree"] in rule
        empty = filled[301:401] if names else []
        assert all(cell == "" for row in empty for cell in row)


def test_a_workbook_holds_the_rule_and_no_formula_of_the_users(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    (tmp_path / "b.xlsx").write_bytes(export_excel(machine_of(CARD), cases=5))
    book = openpyxl.load_workbook(tmp_path / "b.xlsx")
    assert book.sheetnames == ["cases", "rule", "workings", "words"]
    said = [row[0] for row in book["rule"].iter_rows(max_col=1, values_only=True)]
    assert machine_of(CARD).fitted_.sentences()[0] in said
    words = [cell for (cell,) in book["words"].iter_rows(max_col=1)]
    label = next(cell for cell in words if cell.value == "=1+1")
    assert label.data_type in ("s", "f")
    assert b"<f>1+1</f>" not in _sheet(tmp_path / "b.xlsx", 4)
    assert export_excel(machine_of(CARD), cases=5) == (tmp_path / "b.xlsx").read_bytes()


def _sheet(path, number):
    import zipfile

    with zipfile.ZipFile(path) as book:
        return book.read(f"xl/worksheets/sheet{number}.xml")


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["card", "additive", "complete rows"])
def test_the_page_says_the_same(name):
    machine = machine_of(MACHINES[name])
    names, rows, wanted = read_cases(export_cases(machine, 400))
    page = export_card(machine)
    fields = plain_of(page)["fields"]
    assert [field["name"] for field in fields] == names
    small = machine.fitted_.reduced().columns.columns
    cases = []
    for row in rows:
        cells = []
        for column, cell, field in zip(small, row, fields, strict=True):
            value = math.nan if cell == "" else float(_read(column, cell))
            if field["kind"] == "number":
                cells.append(None if math.isnan(value) else value)
            elif math.isnan(value):
                cells.append(None)
            else:
                cells.append("another" if value < 0 else field["words"][int(value)])
        cases.append(cells)
    labels = [None if k is None else machine.fitted_.classes[k] for k, *_ in in_node(page, cases)]
    compare(labels, wanted, rows)


def _read(column, cell):
    cells = np.array([float(cell)]) if column.kind == "" else np.array([cell], dtype=object)
    return column.read(cells)[0]


# -- the card file --------------------------------------------------------------------------------

PLAIN = Columns(tuple(replace(column, marks=()) for column in COLUMNS.columns))


def _card(tmp_path, machine):
    (tmp_path / "card.toml").write_text(export_paper_card(machine), encoding="utf-8")
    return load_card(tmp_path / "card.toml")


def test_a_card_file_gives_the_same_points_and_risks(tmp_path):
    fitted = Fitted("score card", PLAIN, ("well", "ill"), CARD, RiskCurve(0.8, 0.1)).reduced()
    card = _card(tmp_path, Holder(fitted))
    names, rows, wanted = read_cases(export_cases(Holder(fitted), 500))
    frame = frame_of(names, rows)
    crp = frame["crp, mg/l"].str.replace(",", ".").str.lstrip("<")
    points, gone = card.points(frame.assign(**{"crp, mg/l": crp}))  # numbers as they are
    assert not gone.any()
    labels = np.where(points >= card.threshold, "ill", "well")
    assert labels.tolist() == wanted
    assert len(set(wanted)) == 2
    own = fitted.scores(frame)
    np.testing.assert_array_equal(points, own + CARD.points_offset)
    np.testing.assert_array_equal(card.risks(points), fitted.risk.of(own))
    assert len(card.worked) == 5


def test_a_card_file_counts_for_the_case(tmp_path, rng):
    """If the first class is the case, points change their signs."""
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0] * 20, "b": [0.0, 1.0, 1.0, 0.0] * 20})
    y = np.where(X["a"] + X["b"] + rng.normal(size=80) > 2, "well", "ill")
    machine = ScoreCard(max_items=3).fit(X, y)
    save_model(machine, tmp_path / "m.json", data=(X, y))
    model = load_model(tmp_path / "m.json")
    reading = replace(CHOICES, positive="ill")
    model = replace(model, data=replace(model.data, reading=reading))
    card = _card(tmp_path, model)
    points, _ = card.points(X)
    assert np.where(points >= card.threshold, "ill", "well").tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(card.risks(points), model.risks(X))


def test_what_a_card_file_cannot_say_is_refused():
    for form, said in ((SET, "it has no points"), (MACHINES["linear"], "it has no points")):
        with pytest.raises(ValueError, match=said):
            export_paper_card(Holder(Fitted("form", PLAIN, ("a", "b"), form)))
    with pytest.raises(ValueError, match="without marks of missing values"):
        export_paper_card(
            Holder(
                Fitted("f", COLUMNS, ("a", "b"), replace(CARD, items=(Item(ON(LAB, "<", 1.0), 1),)))
            )
        )
    both = Columns((Column("it's <b>", kind="category", words=("x",)),))
    item = Item(ON(0, ">=", 0.5), 1)
    with pytest.raises(ValueError, match="cannot stand in a comparison"):
        export_paper_card(Holder(Fitted("f", both, ("a", "b"), Card((item,), 1))))


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 80, 90), "height": rng.integers(150, 190, 90)})
    y = np.where(X["age"] + rng.normal(0, 15, 90) > 45, "ill", "well")
    path = tmp_path_factory.mktemp("stored") / "m.json"
    save_model(ScoreCard(max_items=2).fit(X, y), path, data=(X, y))
    return path


@pytest.mark.parametrize("to", ["sql", "python", "r", "excel", "json", "card"])
def test_the_command_writes_cases_beside_every_export(stored, to, tmp_path):
    out = tmp_path / "rule.out"
    words = ["export", str(stored), "--to", to, "--out", str(out), "--cases", "40"]
    assert CliRunner().invoke(app, words).exit_code == 0
    names, rows, _ = read_cases((tmp_path / "rule.cases.csv").read_text(encoding="utf-8"))
    assert set(names) <= {"age", "height"}
    assert len(rows) == 40
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 1
    assert "--force" in again.stderr


def test_the_command_writes_a_card_file_that_validate_reads(stored, tmp_path):
    out = tmp_path / "card.toml"
    done = CliRunner().invoke(app, ["export", str(stored), "--to", "card", "--out", str(out)])
    assert done.exit_code == 0
    assert tomllib.loads(out.read_text(encoding="utf-8"))["card"] == 1
    model = load_model(stored)
    rows = pd.DataFrame({"age": np.arange(20.0, 60.0), "height": np.arange(150.0, 190.0)})
    rows.assign(state=model.predict(rows)).to_csv(tmp_path / "p.csv", index=False)
    words = ["validate", str(tmp_path / "p.csv"), "--target", "state", "--positive", "ill"]
    found = CliRunner().invoke(app, [*words, "--card", str(out), "--json"])
    assert found.exit_code == 0, found.stderr
    (score,) = json.loads(found.stdout)["scores"]
    assert score["certificate"]["n_errors"] == 0, sorted(score["certificate"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "excel"], "say --out rule.xlsx"),
        (["--cases", "5"], "say --out"),
        (["--to", "latin"], "must be sql, python, r, excel, json or card"),
    ],
)
def test_what_the_command_refuses(stored, words, said):
    done = CliRunner().invoke(app, ["export", str(stored), *words])
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
