"""One table gives one menu: from text and binary files, frames of all libraries, and commands."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import (
    BoundSearch,
    CertifiedClassifier,
    SetCoveringMachine,
    load_model,
    save_model,
    verify_model,
)
from handful.cli import app
from handful.tables import Choices, GivenRows, TableCaution, load_table, read_rows, read_study
from tests.messy import TABLES

FORMS = ["constant", "one rule", "rule list", "score card", "linear"]
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as careful hands would keep it in memory: numbers, truth and days by type."""
    out = {}
    for name in frame.columns:
        cells = frame[name]
        known = cells[~cells.isin(["", "NA", "NaN", "?"])]
        gone = cells.where(cells.isin(known), None)
        if known.isin(["True", "False"]).all() and len(known) == len(cells):
            out[name] = cells == "True"
        elif len(known) and known.map(lambda cell: bool(_NUMBER.fullmatch(cell))).all():
            is_whole = len(known) == len(cells) and not known.str.contains(".", regex=False).any()
            out[name] = cells.astype(int) if is_whole else pd.to_numeric(gone)
        elif known.str.fullmatch(r"\d{4}-\d\d-\d\d").all() and len(known):
            out[name] = pd.to_datetime(gone)
        else:
            out[name] = gone
    return pd.DataFrame(out)


def roads(messy, folder):
    """The same table by every road: a name, features, labels."""
    path = folder / "table.csv"
    messy.frame.to_csv(path, index=False)
    frame = typed(messy.frame)
    frame.to_parquet(folder / "table.parquet")
    yield "csv", load_table(path).frame
    yield "parquet", load_table(folder / "table.parquet").frame
    yield "text", messy.frame
    yield "pandas", frame
    words = [name for name in frame.columns if frame[name].dtype.kind == "O"]
    yield "categories", frame.astype(dict.fromkeys(words, "category"))
    pl = pytest.importorskip("polars", reason="polars is not installed")
    yield "polars", pl.from_pandas(frame)
    yield "other order", frame[frame.columns[::-1]]


def said(columns):
    """What is said of each column, by its name."""
    return sorted(
        (c.name, c.kind, c.role, c.levels, c.style, c.marks, c.notes, c.questions, c.n_missing)
        for c in columns
    )


def menu_of(machine):
    """Every row of a menu, to the bit."""
    return [
        (c.name, c.counts.n_errors, c.nats.hex(), float(risk).hex(), tuple(c.fitted.sentences()))
        for c, risk in zip(machine.candidates_, machine.menu_risks_, strict=True)
    ]


def fitted(X, y, choices):
    """A menu in Python, and the cautions that it warns of."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        machine = CertifiedClassifier(FORMS, columns=choices).fit(X, y)
    return machine, [str(w.message) for w in heard if issubclass(w.category, TableCaution)]


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", TABLES)
def test_every_road_gives_the_same_menu(name, tmp_path):
    messy = TABLES[name]()
    choices = Choices(target=messy.target, **messy.choices)
    wanted = read_study(messy.frame, choices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        menu = CertifiedClassifier(FORMS).fit(wanted)
    for road, frame in roads(messy, tmp_path):
        study = read_study(frame, choices)
        assert study.digest == wanted.digest, road
        assert study.pool.tolist() == wanted.pool.tolist(), road
        assert said(study.columns) == said(wanted.columns), road
        assert (study.notes, study.cautions) == (wanted.notes, wanted.cautions), road
        if road == "other order":  # equal columns are taken in the order of the table
            continue
        columns = frame.drop(messy.target) if road == "polars" else frame.drop(columns=messy.target)
        machine, heard = fitted(columns, frame[messy.target], messy.choices)
        assert machine.held_back_.tolist() == sorted(wanted.pool.tolist()), road
        assert said(machine.columns_) == said(wanted.columns), road
        assert sorted(machine.notes_) == sorted(wanted.all_notes), road
        assert machine.fitted_.classes == wanted.classes, road
        assert menu_of(machine) == menu_of(menu), road
        assert machine.chosen_ == menu.chosen_, road
        asked = (*wanted.cautions, *wanted.questions)
        assert len(heard) == len(asked), road
        assert all(any(text in line for line in heard) for text in asked), road


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", TABLES)
def test_rows_in_chunks_give_the_same_menu(name):
    dd = pytest.importorskip("dask.dataframe", reason="the extra handful[dask] is not installed")
    messy = TABLES[name]()
    frame = typed(messy.frame)
    here, said_here = fitted(frame.drop(columns=messy.target), frame[messy.target], messy.choices)
    for n_parts in (1, 4):
        rows = dd.from_pandas(frame, npartitions=n_parts)
        given = (rows.drop(columns=messy.target), rows[messy.target], messy.choices)
        if {"groups", "weights"} & set(messy.choices):
            with pytest.raises(ValueError, match="for rows in chunks"):
                fitted(*given)
            return
        there, said_there = fitted(*given)
        assert there.held_back_.tolist() == here.held_back_.tolist()
        assert there.classes_.tolist() == here.classes_.tolist()
        assert said(there.columns_) == said(here.columns_)
        assert there.notes_ == here.notes_
        assert said_there == said_here
        assert menu_of(there) == menu_of(here)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", TABLES)
def test_the_command_line_says_what_python_says(name, tmp_path):
    messy = TABLES[name]()
    path = tmp_path / "table.csv"
    messy.frame.to_csv(path, index=False)
    frame = typed(messy.frame)
    machine, _ = fitted(frame.drop(columns=messy.target), frame[messy.target], messy.choices)
    words = ["certify", str(path), "-t", messy.target, *messy.options, "--json"]
    result = CliRunner().invoke(app, [*words, "--candidates", ",".join(FORMS)])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    rows = [(row["name"], row["n_errors"], row["nats"], row["certificate"]) for row in told["menu"]]
    mine = zip(machine.candidates_, machine.menu_risks_, strict=True)
    assert rows == [(c.name, c.counts.n_errors, c.nats, risk) for c, risk in mine]
    assert told["classes"] == list(machine.fitted_.classes)
    own = {column.name: column for column in machine.columns_}
    for column in told["columns"]:
        found = own[column["name"]]
        assert (column["kind"], column["role"]) == (found.kind, found.role)
        assert column["notes"] == list(found.notes)
        assert column["n_missing"] == found.n_missing
    lines = [*told["cautions"], *told["notes"]]
    assert set(lines) <= set(machine.notes_)


def test_a_search_reads_frames_by_the_same_road():
    messy = TABLES["patient-ids"]()
    frame = typed(messy.frame)
    X, y = frame.drop(columns=messy.target), frame[messy.target]
    machine, _ = fitted(X, y, messy.choices)
    grid = {"tolerance": [0.0, 0.01]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableCaution)
        search = BoundSearch(CertifiedClassifier(FORMS, columns=messy.choices), grid).fit(X, y)
    assert search.best_estimator_.draw_ == machine.draw_
    assert search.best_estimator_.columns_ == machine.columns_
    assert search.best_estimator_.notes_ == machine.notes_
    assert menu_of(search.best_estimator_) == menu_of(machine)


def test_rules_of_a_command_are_those_of_python(tmp_path):
    messy = TABLES["spellings"]()
    path = tmp_path / "table.csv"
    messy.frame.to_csv(path, index=False)
    words = ["certify", str(path), "-t", messy.target, *messy.options, "--rules", "stumps"]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    choices = Choices(target=messy.target, **messy.choices)
    clean = read_study(typed(messy.frame), choices, set_aside=True).rest()
    machine = SetCoveringMachine("stumps", classes=clean.classes, random_state=clean.digests)
    machine.fit(clean.X, clean.y)
    assert told["certificate"] == machine.certificate_.to_dict()
    assert told["rule"] == machine.fitted_.sentences()


def test_a_certify_draws_its_pool_once(monkeypatch):
    """Reading and learning share one order of the rows."""
    from handful.tables import rows

    draw, drawn = rows.blind_order, []

    def counted(*args, **options):
        drawn.append(len(args[0]))
        return draw(*args, **options)

    monkeypatch.setattr(rows, "blind_order", counted)
    result = CliRunner().invoke(app, ["certify", "--candidates", "one rule", "--json"])
    assert result.exit_code == 0, result.output
    assert drawn == [683]


def test_there_are_enough_tables():
    assert len(TABLES) >= 25


def test_an_array_is_a_table_of_numbers(rng):
    X = rng.normal(size=(90, 3)).round(2)
    X[:, 2] = np.arange(90)  # a frame would leave it out: it counts the rows
    y = np.where(X[:, 0] + rng.normal(0, 0.5, 90) > 0, "ill", "well")
    study = read_rows(GivenRows(X, y))
    assert [(c.name, c.kind, c.role) for c in study.columns[:-1]] == [
        (f"x{j}", "number", "feature") for j in range(3)
    ]
    machine = CertifiedClassifier(FORMS).fit(X, y)
    assert machine.n_features_in_ == 3
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    known = {"features": ["x0", "x1", "x2"]}
    same = CertifiedClassifier(FORMS, columns=known).fit(frame, y)
    assert menu_of(same) == menu_of(machine)
    assert read_rows(GivenRows(frame, y)).digest == study.digest


def test_columns_that_are_left_out_stay_in_the_names(rng):
    n = 120
    age = rng.integers(20, 80, n)
    frame = pd.DataFrame({"mrn": np.arange(n) + 7000, "age": age, "note": ["seen"] * n})
    y = np.where(age + rng.normal(0, 8, n) > 50, "ill", "well")
    machine = CertifiedClassifier(FORMS).fit(frame, y)
    assert machine.n_features_in_ == 3
    assert machine.feature_names_in_.tolist() == ["mrn", "age", "note"]
    assert [c.role for c in machine.columns_] == ["id", "feature", "ignored", "target"]
    assert machine.fitted_.uses in (("age",), ())
    wanted = machine.predict(frame)
    assert machine.predict(frame.assign(mrn=0, note="?")).tolist() == wanted.tolist()
    with pytest.warns(UserWarning, match="valid feature names"):
        assert machine.predict(frame.to_numpy()).tolist() == wanted.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        machine.predict(frame[["age", "mrn", "note"]])


def test_labels_come_back_as_they_were_given(rng, tmp_path):
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120)})
    is_case = X["a"] + rng.normal(0, 0.5, 120) > 0
    for case, control in ((1, 0), (True, False), (2.0, -1.0), ("case", "control"), (3, 20)):
        y = np.where(is_case, case, control)
        machine = CertifiedClassifier(FORMS).fit(X, y)
        assert machine.classes_.tolist() == np.unique(y).tolist()
        assert machine.predict(X).dtype.kind == y.dtype.kind
        assert machine.score(X, y) > 0.7
        signs = machine.decision_function(X) > 0
        assert (machine.classes_[signs.astype(int)] == machine.predict(X)).all()
        save_model(machine, tmp_path / "m.json")
        assert (load_model(tmp_path / "m.json").predict(X) == machine.predict(X)).all()
        assert not verify_model(tmp_path / "m.json", X, y).differences
    assert machine.fitted_.classes == ("3", "20")  # numbers by value


def test_a_case_comes_second_in_the_rule_and_labels_stay_sorted(rng):
    """Scorers of scikit-learn take the last of sorted labels for the positive one."""
    from sklearn.metrics import get_scorer

    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120)})
    y = np.where(X["a"] + rng.normal(0, 0.5, 120) > 0, "case", "control")
    machine = CertifiedClassifier(["linear", "score card"]).fit(X, y)
    assert machine.fitted_.classes == ("control", "case")
    assert machine.classes_.tolist() == ["case", "control"]
    assert get_scorer("roc_auc")(machine, X, y) > 0.8


def test_spellings_of_one_class_are_said(rng):
    X = pd.DataFrame({"a": rng.normal(size=80)})
    y = np.where(X["a"] > 0, rng.choice(["Ill", "ill "], 80), "well")
    with pytest.warns(TableCaution, match="'Ill', 'ill' in y are one class"):
        machine = CertifiedClassifier(["one rule"], columns={"features": "a"}).fit(X, y)
    assert len(machine.classes_) == 2
    assert (machine.n_training_errors_ == 0) or machine.score(X, y) < 1.0


def test_an_ordered_category_is_an_ordered_column(rng):
    stage = rng.choice(["one", "two", "three", "four"], 150)
    order = ["one", "two", "three", "four"]
    X = pd.DataFrame({"stage": pd.Categorical(stage, order, ordered=True)})
    X["noise"] = rng.normal(size=150)
    y = np.isin(stage, ["three", "four"]) ^ (rng.random(150) < 0.1)
    machine = CertifiedClassifier(["one rule", "constant"]).fit(X, y)
    assert machine.columns_[0].levels == tuple(order)
    assert "stage < three" in " ".join(machine.choose("one rule").fitted_.sentences())


def test_what_is_said_of_columns_is_checked(rng):
    X, y = pd.DataFrame({"a": rng.normal(size=60)}), np.arange(60) % 2
    for columns, message in (
        ({"idd": "a"}, "`columns` must be a mapping with some of .* got 'idd'"),
        (["a"], "`columns` must be a mapping .* got list"),
        ({"id": "b"}, "`--id` must be a column of the table, got 'b'"),
        ({"target": "a"}, "`columns` must not speak of the target"),
    ):
        with pytest.raises(ValueError, match=message):
            CertifiedClassifier(["constant"], columns=columns).fit(X, y)
    with pytest.raises(ValueError, match="different names, got 'a' twice"):
        read_rows(GivenRows(pd.concat([X, X], axis=1), y))
    grouped = CertifiedClassifier(["constant"], columns={"groups": "a"})
    with pytest.raises(ValueError, match="`groups` must be given once"):
        grouped.fit(X, y, groups=np.arange(60))
