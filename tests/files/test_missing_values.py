"""One meaning of a missing value: the printed sentence, evaluated, is what every road answers."""

import itertools
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from handful import DecisionListMachine, SetCoveringMachine, load_model, save_model
from handful.covering._explain import machine_lines
from handful.export import export_json, export_python, export_sql
from handful.files import StoredModel
from handful.files._rules import machine_to_dict
from handful.kernels import Kernel
from handful.rules import (
    Ball,
    HalfSpace,
    LinearRule,
    RuleList,
    RuleSet,
    Stump,
    TwoPointHalfSpace,
)
from handful.verify import verify_model
from handful.verify._geometry import machine_scores
from tests.files.sentences import label_of

NAMES = ("a", "b", "c")
SQUARE = Kernel("poly", degree=2, coef0=1.0)
A, B = (2.0, 1.0, 0.0), (0.0, 1.0, 2.0)  # the same b: its weight is zero
FAMILIES = {
    "stumps": (Stump(0, 1.0, "above"), Stump(1, 1.0, "below")),
    "linear": (
        LinearRule((1.0, 0.0, -2.0), 0.5, "above"),
        LinearRule((0.0, 3.0, 0.0), 2.0, "below"),
    ),
    "half-spaces": (HalfSpace(A, B, 1.0, "below"), HalfSpace((0.0, 2.0, 1.0), A, 3.0, "above")),
    "two-point": (
        TwoPointHalfSpace(A, B, 1, 1, "below"),
        TwoPointHalfSpace((0.0, 2.0, 1.0), A, 1, 2, "above"),
    ),
    "balls": (Ball(A, 1.5, "above"), Ball(B, 2.5, "below")),
    "manhattan": (
        Ball(A, 2.5, "above", metric="manhattan"),
        Ball(B, 1.5, "below", metric="manhattan"),
    ),
    "chebyshev": (
        Ball(A, 1.5, "above", metric="chebyshev"),
        Ball(B, 0.5, "below", metric="chebyshev"),
    ),
    "poly": (
        HalfSpace((2.0, 0.0, 1.0), (0.0, 0.0, 2.0), 1.0, "below", SQUARE),
        HalfSpace((0.0, 0.0, 2.0), (2.0, 0.0, 1.0), 3.0, "above", SQUARE),
    ),
    "rbf": (
        HalfSpace(A, B, 0.0, "below", Kernel("rbf", gamma=0.3)),
        HalfSpace((0.0, 2.0, 1.0), A, 0.1, "above", Kernel("rbf", gamma=0.3)),
    ),
    "kernel-balls": (
        Ball(A, 1.0, "above", kernel=Kernel("rbf", gamma=0.3)),
        Ball(B, 0.5, "below", kernel=SQUARE),
    ),
}  # fmt: skip
UNPRINTED = ("poly", "rbf", "kernel-balls")  # their sentences name a kernel, not its formula


def explained(machine, words=None):
    return "\n".join(machine_lines([("yes", machine)], np.array(["no", "yes"]), NAMES, words))


def _rows():
    """Every pattern of missing values on a grid of whole numbers."""
    grid = np.array(list(itertools.product((0.0, 1.0, 2.0, 3.0), repeat=3)))
    patterns = list(itertools.product((False, True), repeat=3))
    return np.vstack([np.where(pattern, np.nan, grid) for pattern in patterns])


def _machines(rules):
    yield from (RuleSet(rules, kind) for kind in ("conjunction", "disjunction"))
    yield from (RuleSet(rules[:1], kind) for kind in ("conjunction", "disjunction"))
    for outputs in ((1, -1), (-1, 1), (1, 1)):
        for default in (1, -1):
            yield RuleList(rules, outputs, default)


def _stored(machine, categories=None):
    return StoredModel((machine,), ("no", "yes"), NAMES, categories, 3, (), None, {})


def _dicts(X):
    return [{n: None if np.isnan(v) else v for n, v in zip(NAMES, x, strict=True)} for x in X]


def _python(model, rows):
    space = {}
    exec(export_python(model, include_rows=True), space)
    return [space["predict"](row) for row in rows]


def _sqlite(model, frame):
    connection = sqlite3.connect(":memory:")
    frame.to_sql("t", connection, index=False)
    found = [row[-1] for row in connection.execute(export_sql(model, table="t", include_rows=True))]
    connection.close()
    return found


def _duckdb(model, frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("t", frame)
    found = [
        row[-1]
        for row in connection.execute(export_sql(model, table="t", include_rows=True)).fetchall()
    ]
    connection.close()
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_road_evaluates_the_printed_sentence(family):
    X = _rows()
    frame = pd.DataFrame(X, columns=list(NAMES)).convert_dtypes()  # whole numbers, NULL
    rows = _dicts(X)
    for machine in _machines(FAMILIES[family]):
        model = _stored(machine)
        predicted = model.predict(model.encode(frame)).tolist()
        assert predicted == np.where(machine.predict(X) > 0, "yes", "no").tolist()
        if family not in UNPRINTED:
            sentence = explained(machine)
            assert predicted == [label_of(sentence, row) for row in rows]
        assert _sqlite(model, frame) == predicted
        assert _duckdb(model, frame) == predicted
        assert _python(model, rows) == predicted
        scores = machine_scores(json.loads(json.dumps(machine_to_dict(machine))), X)
        assert np.where(scores > 0, "yes", "no").tolist() == predicted
        assert (np.sign(machine.decision_function(X)) == machine.predict(X)).all()


def test_words_with_every_pattern():
    words = (("blue", "red"), None, ("3", "5"))
    rules = (Stump(0, 1.0, "unequal"), Stump(2, 0.0, "equal"))
    cells = itertools.product(("red", " blue ", "green", None), (1.0, None), (3, 3.0, "3", 4, None))
    frame = pd.DataFrame(list(cells), columns=list(NAMES), dtype=object)
    rows = frame.where(frame.notna(), None).to_dict(orient="records")
    for machine in _machines(rules):
        model = _stored(machine, words)
        predicted = model.predict(model.encode(frame)).tolist()
        sentence = explained(machine, words)
        plain = [
            {**row, "a": row["a"] and row["a"].strip(), "c": row["c"] and f"{float(row['c']):g}"}
            for row in rows
        ]
        assert predicted == [label_of(sentence, row) for row in plain]
        assert _python(model, rows) == predicted
        assert _sqlite(model, frame) == predicted


def test_an_empty_row_does_not_meet_a_conjunction():
    machine = RuleSet((Stump(0, 883.0, "above"), Stump(1, 0.16, "above")), "conjunction")
    model = _stored(machine)
    empty = np.full((1, 3), np.nan)
    assert model.predict(empty).tolist() == ["no"]
    assert model.fired(empty).tolist() == ["a is missing"]
    assert machine.describe(NAMES) == ["a > 883 or missing", "b > 0.16 or missing"]
    [document] = json.loads(export_json(model))["machines"]
    assert [rule["if"] for rule in document["rules"]] == [
        "a > 883 or missing",
        "b > 0.16 or missing",
    ]


def _holes(rng, n=160):
    X = pd.DataFrame(rng.integers(0, 6, size=(n, 3)).astype(float), columns=list(NAMES))
    y = np.where((X["a"] >= 2) & (X["b"] <= 3), "yes", "no")
    y = np.where(rng.random(n) < 0.1, "no", y)
    return X.mask(rng.random(X.shape) < 0.15), y


SETTINGS = {
    "conjunction": SetCoveringMachine("stumps", kind="conjunction", random_state=0),
    "disjunction": SetCoveringMachine("stumps", kind="disjunction", random_state=0),
    "all examples": SetCoveringMachine("stumps", candidates=None, random_state=0),
    "auto": SetCoveringMachine(random_state=0),
    "list": DecisionListMachine(random_state=0),
    "short list": DecisionListMachine("stumps", candidates=40, max_rules=3, random_state=0),
}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_fitted_machines_count_what_they_say(name, rng, tmp_path):
    X, y = _holes(rng)
    machine = SETTINGS[name].fit(X, y)
    sentence = "\n".join(machine.sentences())
    wrong = np.array([label_of(sentence, row) for row in _dicts(X.to_numpy())]) != y
    assert machine.n_training_errors_ == wrong.sum()
    counted = np.delete(wrong, machine.held_back_)
    assert machine.certificate_.n_errors == counted.sum()
    path = tmp_path / "model.json"
    save_model(machine, path)
    verdict = verify_model(path, X, y)
    assert verdict.is_valid, verdict
    model = load_model(path)
    new = _rows()
    wanted = [label_of(sentence, row) for row in _dicts(new)]
    assert machine.predict(pd.DataFrame(new, columns=list(NAMES))).tolist() == wanted
    assert model.predict(new).tolist() == wanted
    frame = pd.DataFrame(new, columns=list(NAMES))
    assert _sqlite(model, frame) == wanted
    assert _python(model, _dicts(new)) == wanted


def test_three_classes_in_python_with_holes(rng):
    X, _ = _holes(rng)
    y = np.where(X["a"] >= 3, "high", np.where(X["b"] >= 3, "mid", "low"))
    machine = SetCoveringMachine("stumps", candidates=60, random_state=0).fit(X, y)
    new = _rows()
    wanted = machine.predict(pd.DataFrame(new, columns=list(NAMES))).tolist()
    assert _python(machine, _dicts(new)) == wanted
