"""Damaged tables, one a line: what a file holds, and the kind, role, note or error that follows."""

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier
from handful.tables import Choices, load_table, read_study

N = 200
RNG, CODES = np.random.default_rng(7), np.random.default_rng(8)
AGE = RNG.integers(30, 80, N)
DOSE = RNG.gamma(2.0, 3.0, N).round(2) + 0.5
NOISY = np.where(AGE + RNG.normal(0, 12, N) > 55, "ill", "well")


def _every(cells, word, step):
    out = [str(cell) for cell in cells]
    out[::step] = [word] * len(out[::step])
    return out


def read(frame, tmp_path, *, set_aside=False, **choices):
    """As a user would: a CSV file, then the columns; by few rows, as for --rules, or by a pool."""
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame = load_table(tmp_path / "t.csv").frame
    return read_study(frame, Choices(**choices), set_aside=set_aside)


def said_of(study, name):
    column = next(c for c in study.columns if c.name == name)
    return column.kind, column.role, "; ".join(column.notes)


ROWS_IN_ORDER, SHUFFLED = np.arange(N), RNG.permutation(N)
PATIENTS = np.repeat(np.arange(N // 5), 5)
# name of the column, its cells, kind, role, part of its note (None: no note)
COLUMNS = {
    "row numbers from 0": ("row", ROWS_IN_ORDER, "number", "id", "counts the rows"),
    "row numbers from 1": ("x", ROWS_IN_ORDER + 1, "number", "id", "counts the rows"),
    "row numbers from 1001": ("x", ROWS_IN_ORDER + 1001, "number", "id", "counts the rows"),
    "row numbers backwards": ("x", 5000 - ROWS_IN_ORDER, "number", "id", "counts the rows"),
    "row numbers in steps": ("x", 10 * ROWS_IN_ORDER, "number", "id", "counts the rows"),
    "shuffled row numbers": ("x", SHUFFLED + 17, "number", "id", "chance would repeat some"),
    "row numbers with gaps": ("x", _every(ROWS_IN_ORDER, "", 9), "number", "id", "counts the"),
    "unique large codes": ("mrn", SHUFFLED * 7919 + 10**6, "number", "id", "identifier"),
    "unique words": ("x", [f"p{i * 7919 % 1000:03d}" for i in range(N)], None, "id", "own word"),
    "rarely equal numbers": ("x", RNG.integers(0, 9000, N), "number", "feature", None),
    "one patient, several rows": ("patient_id", PATIENTS, "number", "id", "--groups patient_id"),
    "coded patients": ("code", [f"P{i:03d}" for i in PATIENTS], None, "id", "--groups code"),
    "age of a patient": ("patient_age", AGE, "number", "feature", None),
    "kind of a sample": ("sample_type", RNG.choice(["a", "b"], N), "category", "feature", None),
    "dates": ("visit", pd.date_range("2021-01-01", periods=N), "date", "ignored", "--ordered visi"),
    "german dates": (
        "visit",
        [f"{d % 28 + 1:02d}.{d % 12 + 1:02d}.2021" for d in AGE],
        "date",
        "ignored",
        "dates are left out",
    ),
    "constant word": ("ward", ["A"] * N, "constant", "ignored", "it is 'A' throughout"),
    "constant number": ("ward", [4] * N, "constant", "ignored", "it is '4' throughout"),
    "empty": ("x", [None] * N, "empty", "ignored", "it is empty"),
    "only marks": ("x", ["NA", "."] * (N // 2), "empty", "ignored", "it is empty"),
    "sentinel -999": ("x", _every(DOSE, "-999", 9), "number", "feature", "--missing x=-999"),
    "sentinel 9999": ("x", _every(AGE, "9999", 9), "number", "feature", "--missing x=9999"),
    "sentinel -1": ("x", _every(AGE, "-1", 9), "number", "feature", "--missing x=-1"),
    "decimal commas": (
        "x",
        [str(v).replace(".", ",") for v in DOSE],
        "number",
        "feature",
        "decimal comma",
    ),
    "thousands separators": (
        "x",
        [f"{1000 * v:,.0f}" for v in DOSE],
        "number",
        "feature",
        "thousands comma",
    ),
    "large counts with separators": (
        "platelets",
        [f"{200_000 + 977 * i:,}" for i in SHUFFLED],
        "number",
        "feature",
        "thousands comma",
    ),
    "limits of detection": ("x", _every(DOSE, "<0.5", 9), "number", "feature", "their limit"),
    "numbers with a unit": ("hb", [f"{v} g/dL" for v in DOSE], "number", "feature", "in 'g/dl'"),
    "ages": ("x", [f"{v}y" if v % 2 else f"{v}" for v in AGE], "number", "feature", "in 'y'"),
    "a currency": ("x", [f"€ {v}" for v in DOSE], "number", "feature", "in '€'"),
    "per cent": ("x", [f"{v} %" for v in DOSE], "number", "feature", "'12 %' is read as 12"),
    "thousands marks": (
        "x",
        [f"{1000 * v:,.0f}".replace(",", "'") for v in DOSE],
        "number",
        "feature",
        "thousands mark",
    ),
    "two units": (
        "x",
        [f"{v} mg/dl" if k % 2 else f"{v / 18:.2f} mmol/l" for k, v in enumerate(DOSE)],
        "text",
        "ignored",
        "write one unit",
    ),
    "durations": (
        "x",
        [f"{k % 5}:{a % 60:02d}:00" for k, a in enumerate(AGE)],
        "number",
        "feature",
        "read as hours",
    ),
    "clock times": ("x", [f"{a % 24}:{a % 60:02d}" for a in AGE], "number", "feature", "as hours"),
    "blood pressure": (
        "bp",
        [f"{a + 70}/{a + 20}" for a in AGE],
        "two numbers",
        None,
        "two numbers",
    ),
    "not detected": (
        "x",
        ["not detected" if v < 2.5 else f"{v}" for v in DOSE],
        "number",
        "feature",
        "'not detected' is read as the limit",
    ),
    "codes of diseases": (
        "icd",
        CODES.choice(["E11.9", "I10.0", "J45.0"], N),
        "category",
        "feature",
        "are categories",
    ),
    "many codes of diseases": (
        "icd",
        [f"{'EIJ'[a % 3]}{a}.{k % 9}" for k, a in enumerate(AGE)],
        "category",
        "feature",
        "chapters",
    ),
    "length of stay": ("los", AGE, "number", "feature", "--exclude los"),
    "known for cases alone": (
        "cause",
        np.where(NOISY == "ill", CODES.choice(["a", "b"], N), ""),
        "category",
        "feature",
        "is it filled in before the outcome",
    ),
    "words among numbers": ("x", _every(DOSE, "clotted", 32), "number", "feature", "as missing"),
    "codes of an unknown name": ("x", RNG.integers(3, 7, N), "number", "feature", "--categories x"),
    "site codes": ("site", RNG.integers(1, 4, N), "category", "feature", "read as codes"),
    "a weight": ("weights", DOSE, "number", "feature", "--weights weights"),
    "a body weight": ("weight_kg", DOSE, "number", "feature", None),
    "a survival time": ("survival_days", AGE * 30, "number", "feature", "known only afterwards"),
    "follow-up": ("follow_up", AGE * 30, "number", "feature", "--exclude follow_up"),
    "the target again": (
        "status",
        np.where(NOISY == "ill", 2, 1),
        "number",
        "ignored",
        "target again",
    ),
    "the target by a number": (
        "marker",
        np.where(NOISY == "ill", 10.0, 0.0) + DOSE / 100,
        "number",
        "feature",
        "gives the target in 100 %",
    ),
    "the target by words": (
        "stay",
        np.where(NOISY == "ill", np.where(AGE % 2, "icu", "ward"), "home"),
        "category",
        "feature",
        "--exclude stay",
    ),
    "free text": (
        "note",
        [" ".join(RNG.choice(list("abcdefgh"), 6)) for _ in range(N - 40)] + ["see chart"] * 40,
        "text",
        "ignored",
        "its own words",
    ),
    "yes and no, spelled": (
        "smoker",
        RNG.choice(["YES", "Yes", "no "], N),
        "yes/no",
        "feature",
        "'YES', 'Yes' are one word",
    ),
    "yes and no": ("smoker", RNG.choice(["Yes", "no"], N), "yes/no", "feature", None),
    "ordered words": (
        "stage",
        RNG.choice(["I", "II", "III"], N),
        "ordered",
        "feature",
        "I < II < III",
    ),
    "colours": (
        "colour",
        RNG.choice(["red", "Red ", "blue"], N),
        "category",
        "feature",
        "'Red', 'red' are one word",
    ),
}


# what the few rows that are set aside for --rules cannot show
BY_FEW_ROWS = {
    "shuffled row numbers": ("x", SHUFFLED + 17, "number", "feature", None),
    "many codes of diseases": (
        *COLUMNS["many codes of diseases"][:2],
        "category",
        "id",
        "own word",
    ),
}


@pytest.mark.parametrize("set_aside", [False, True], ids=["menu", "rules"])
@pytest.mark.parametrize("line", sorted(COLUMNS))
def test_columns(line, set_aside, tmp_path):
    name, cells, kind, role, note = {**COLUMNS, **(BY_FEW_ROWS if set_aside else {})}[line]
    frame = pd.DataFrame({name: cells, "age": AGE, "outcome": NOISY})
    study = read(frame, tmp_path, set_aside=set_aside)
    found_kind, found_role, said = said_of(study, name)
    assert kind is None or found_kind == kind
    assert role is None or found_role == role
    assert (said == "") if note is None else (note in said)


MARKS = ("", "?", ".", "-", "NA", "n/a", "N.A.", "NaN", "null", "None", "missing", "not done")


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_of_nothing_leaves_a_number_a_number(mark, tmp_path):
    frame = pd.DataFrame({"x": _every(DOSE, mark, 9), "age": AGE, "outcome": NOISY})
    study = read(frame, tmp_path)
    n = len(range(0, N, 9))
    said = f"missing where it says {mark!r} ({n})"  # unless it is gone when the file is read
    said = "" if mark in ("", "?", "NA", "n/a", "NaN", "null") else said
    if mark in ("-", "None"):  # answers elsewhere
        said = f"{n} words such as {mark!r} among numbers count as missing"
    assert said_of(study, "x") == ("number", "feature", said)
    encoded = CertifiedClassifier(["constant"]).fit(study).fitted_.columns.encode(study.X)
    assert encoded[:, 1].sum() == len(range(0, N, 9))  # "x is missing"


def test_sentinels_are_missing_where_the_user_says_so(tmp_path):
    frame = pd.DataFrame({"x": _every(DOSE, "-999", 9), "age": AGE, "outcome": NOISY})
    study = read(frame, tmp_path, missing={"x": ("-999",)})
    assert said_of(study, "x") == ("number", "feature", "missing where it says '-999' (23)")
    machine = CertifiedClassifier(["linear"]).fit(study)
    assert machine.fitted_.columns.names[:2] == ("x", "x is missing")


def test_dates_in_their_order(tmp_path):
    days = pd.date_range("2021-01-01", periods=N)
    frame = pd.DataFrame({"visit": days, "age": AGE, "outcome": NOISY})
    study = read(frame, tmp_path, ordered=("visit",))
    assert said_of(study, "visit")[:2] == ("date", "feature")
    machine = CertifiedClassifier(["constant"]).fit(study)
    encoded = machine.fitted_.columns.encode(study.X)[:, 0]
    assert (np.diff(encoded) == 1.0).all()


def test_a_constant_column_changes_nothing(tmp_path):
    frame = pd.DataFrame({"age": AGE, "dose": DOSE, "outcome": NOISY})
    first = read(frame, tmp_path)
    second = read(frame.assign(ward="A"), tmp_path)
    assert [c.name for c in first.features] == [c.name for c in second.features]


def test_spellings_of_a_label(tmp_path):
    y = np.array(["malignant", "benign"] * (N // 2), dtype=object)
    y[::10] = "Malignant"
    y[2] = "malignant "
    study = read(pd.DataFrame({"age": AGE, "outcome": y}), tmp_path)
    assert set(study.y.tolist()) == {"malignant", "benign"}
    assert any("are one class" in note for note in study.notes)


def test_rows_without_a_label(tmp_path):
    y = np.array(NOISY, dtype=object)
    y[[3, 50]] = None
    frame = pd.DataFrame({"age": AGE, "outcome": y})
    with pytest.raises(ValueError, match=r"no label in 2 rows \(4, 51\).*--drop-missing-target"):
        read(frame, tmp_path)
    study = read(frame, tmp_path, drop_missing_target=True)
    assert len(study.y) == N - 2
    assert "2 rows without a label were left out." in study.notes


def test_too_many_classes_and_counts(tmp_path):
    with pytest.raises(ValueError, match=r"50 different values.*--categories outcome"):
        read(pd.DataFrame({"age": AGE, "outcome": np.arange(N) % 50}), tmp_path)
    study = read(pd.DataFrame({"age": AGE, "outcome": np.arange(N) % 7}), tmp_path)
    assert any("is it a count or a scale" in note for note in study.notes)
    study = read(pd.DataFrame({"age": AGE, "outcome": np.arange(N) % 2}), tmp_path)
    assert not any("count" in note for note in study.notes)


POSITIVE = {
    ("case", "control"): "case",
    ("abnormal", "normal"): "abnormal",
    ("yes", "no"): "yes",
    ("1", "0"): "1",
    ("dead", "alive"): "dead",
    ("Malignant", "Benign"): "Malignant",
    ("Krank", "gesund"): "Krank",
    ("y", "n"): "y",
}


@pytest.mark.parametrize("words", sorted(POSITIVE))
def test_the_case_by_its_meaning(words, tmp_path):
    y = np.where(NOISY == "ill", *words)
    study = read(pd.DataFrame({"age": AGE, "outcome": y}), tmp_path)
    assert study.positive == POSITIVE[words]
    assert any("by its meaning" in note for note in study.notes)


@pytest.mark.parametrize("words", [("blue", "green"), ("2", "1")])
def test_the_rarer_class_is_the_case_where_words_say_nothing(words, tmp_path):
    y = np.where(AGE > 70, *words)
    study = read(pd.DataFrame({"age": DOSE, "outcome": y}), tmp_path)
    assert study.positive == words[0]
    assert any("the rarer one; choose with --positive" in note for note in study.notes)


@pytest.mark.parametrize("words", [("ill", "well"), ("blue", "green")])
def test_the_other_case_changes_neither_rule_nor_certificate(words, tmp_path):
    frame = pd.DataFrame({"age": AGE, "dose": DOSE, "outcome": np.where(NOISY == "ill", *words)})
    forms = ["one rule", "score card", "sparse linear"]
    menus = [CertifiedClassifier(forms).fit(read(frame, tmp_path, positive=word)) for word in words]
    assert menus[0].fitted_ == menus[1].fitted_
    assert menus[0].menu_risks_.tolist() == menus[1].menu_risks_.tolist()
    assert menus[0].certificate_ == menus[1].certificate_


def test_few_rows_rare_classes_many_columns(tmp_path):
    names, outcome = [f"x{j}" for j in range(20)], ["a"] * 12 + ["b"] * 3
    for seed in range(100):  # about one draw in thirteen leaves all three rows outside the pool
        cells = np.random.default_rng(seed).normal(size=(15, 20))
        study = read(pd.DataFrame(cells, columns=names).assign(outcome=outcome), tmp_path)
        said = " ".join(study.notes)
        is_known = "b" in study.y[study.pool]
        assert ("which the pool does not know" in said) != is_known
        if not is_known:
            break
    assert "15 rows are very few" in said
    assert "3 rows have the label 'b', which the pool does not know" in said
    assert "20 columns for 15 rows" in said
    frame = pd.DataFrame({"x": RNG.normal(size=60), "outcome": ["a"] * 56 + ["b"] * 4})
    assert "'b' has 4 rows" in " ".join(read(frame, tmp_path).notes)


def test_infinity_is_missing_and_said(tmp_path):
    frame = pd.DataFrame({"x": _every(DOSE, "inf", 9), "age": AGE, "outcome": NOISY})
    study = read(frame, tmp_path)
    kind, role, said = said_of(study, "x")
    assert (kind, role) == ("number", "feature")
    assert "infinite" in said
    machine = CertifiedClassifier(["linear", "additive", "balls"]).fit(study)
    assert not machine.failures_
    assert np.isfinite(machine.decision_function(study.table)).all()


VISITS = RNG.normal(size=(40, 8))[np.repeat(np.arange(40), 10)]
GROUPED = {
    "equal values in half of the columns": np.column_stack(
        [VISITS[:, :4].round(2), RNG.normal(size=(400, 4))]
    ),
    "near copies": VISITS + 0.03 * RNG.normal(size=VISITS.shape),
    "copies": VISITS,
}


@pytest.mark.parametrize("line", sorted(GROUPED))
def test_rows_that_look_grouped_are_a_caution(line, tmp_path):
    columns = [f"x{j}" for j in range(8)]
    frame = pd.DataFrame(GROUPED[line], columns=columns)
    frame["outcome"] = RNG.choice(["a", "b"], 40)[np.repeat(np.arange(40), 10)]
    study = read(frame, tmp_path)
    assert len(study.cautions) == 1
    assert "--groups COLUMN" in study.cautions[0]
    frame["patient"] = np.repeat(np.arange(40), 10)
    study = read(frame, tmp_path)
    assert "say --groups patient. Without it" in study.cautions[0]
    assert read(frame, tmp_path, groups="patient").cautions == ()


@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_are_no_caution(seed, tmp_path):
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(300, 6))
    frame = pd.DataFrame(mixed.round(1 + seed % 3), columns=[f"x{j}" for j in range(6)])
    frame["outcome"] = rng.choice(["a", "b"], 300)
    assert read(frame, tmp_path).cautions == ()


def test_embedded_tables_are_no_caution():
    from handful import load_dataset

    for name in ("breastw", "bupa", "glass", "haberman"):
        X, y = load_dataset(name).named()
        assert read_study(X.assign(outcome=y)).cautions == ()


def test_missing_cells_of_all_rows_are_counted(tmp_path):
    frame = pd.DataFrame({"x": _every(DOSE, "NA", 9), "z": _every(NOISY, ".", 4), "outcome": NOISY})
    study = read(frame.assign(age=AGE), tmp_path)
    counts = {column.name: column.n_missing for column in study.columns}
    assert counts == {"x": len(range(0, N, 9)), "z": len(range(0, N, 4)), "outcome": 0, "age": 0}
    study = read(frame.assign(x=_every(DOSE, "-999", 9)), tmp_path, missing={"x": ("-999",)})
    assert study.columns[0].n_missing == len(range(0, N, 9))
