"""One meaning of a missing value: the printed sentence, evaluated, is what every road answers."""

import itertools
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from handful import DecisionListMachine, SetCoveringMachine, load_model, save_model
from handful.export import export_json, export_python, export_sql
from handful.kernels import Kernel
from handful.models import Condition, Rule, RuleList, WeightedSum
from handful.rules import LINEAR, ball_cover, pair_value, rule_set, two_point_cover
from handful.tables import Column, Columns
from handful.verify import verify_model
from handful.verify.evaluate import sums_of
from tests.covers import NAMES, cover_model
from tests.files.sentences import label_of

SQUARE, RBF = Kernel("poly", degree=2, coef0=1.0), Kernel("rbf", gamma=0.3)
A, B, C = (np.array(row) for row in ([2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0]))
D, E = np.array([2.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0])  # A and B have the same b: no weight


def half_space(a, b, cut, op, kernel=LINEAR):
    value, tol = pair_value(a, b, kernel, (0, 1))
    return Condition(value, op, cut, tol)


FAMILIES = {
    "stumps": (Condition.on(0, ">", 1.0), Condition.on(1, "<", 1.0)),
    "linear": (
        Condition(WeightedSum((1.0, 0.0, -2.0)), ">", 0.5),
        Condition(WeightedSum((0.0, 3.0, 0.0)), "<", 2.0),
    ),
    "half-spaces": (half_space(A, B, 1.0, "<"), half_space(C, A, 3.0, ">")),
    "two-point": (
        two_point_cover(A, B, (1, 1), "<", LINEAR, (0, 1)),
        two_point_cover(C, A, (1, 2), ">", LINEAR, (0, 1)),
    ),
    "balls": (ball_cover(A, 1.5, ">"), ball_cover(B, 2.5, "<")),
    "manhattan": (
        ball_cover(A, 2.5, ">", metric="manhattan"),
        ball_cover(B, 1.5, "<", metric="manhattan"),
    ),
    "chebyshev": (
        ball_cover(A, 1.5, ">", metric="chebyshev"),
        ball_cover(B, 0.5, "<", metric="chebyshev"),
    ),
    "poly": (half_space(D, E, 1.0, "<", SQUARE), half_space(E, D, 3.0, ">", SQUARE)),
    "rbf": (half_space(A, B, 0.0, "<", RBF), half_space(C, A, 0.1, ">", RBF)),
    "kernel-balls": (ball_cover(A, 1.0, ">", kernel=RBF), ball_cover(B, 0.5, "<", kernel=SQUARE)),
}
UNPRINTED = ("poly", "rbf", "kernel-balls")  # their sentences name a kernel, not its formula


def _rows():
    """Every pattern of missing values on a grid of whole numbers."""
    grid = np.array(list(itertools.product((0.0, 1.0, 2.0, 3.0), repeat=3)))
    patterns = list(itertools.product((False, True), repeat=3))
    return np.vstack([np.where(pattern, np.nan, grid) for pattern in patterns])


def _machines(covers):
    """Machines of all kinds, with the kind that their code says."""
    for kind in ("conjunction", "disjunction"):
        yield kind, rule_set(covers, kind)
        yield kind, rule_set(covers[:1], kind)
    for labels in ((1, 0), (0, 1), (1, 1)):
        rules = tuple(Rule((cover,), label) for cover, label in zip(covers, labels, strict=True))
        yield from (("list", RuleList(rules, default)) for default in (1, 0))


def explained(model):
    return "\n".join(model.fitted.sentences(include_rows=True))


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
    for kind, machine in _machines(FAMILIES[family]):
        model = cover_model(machine, kind)
        predicted = model.predict(frame).tolist()
        if family not in UNPRINTED:
            sentence = explained(model)
            assert predicted == [label_of(sentence, row) for row in rows]
        assert _sqlite(model, frame) == predicted
        assert _duckdb(model, frame) == predicted
        assert _python(model, rows) == predicted
        again = sums_of(model.to_document()["fitted"]["machine"], X).values[:, 0]
        assert np.where(again > 0, "yes", "no").tolist() == predicted
        np.testing.assert_allclose(again, machine.scores(X), rtol=1e-12)
        assert np.where(machine.scores(X) > 0, "yes", "no").tolist() == predicted


def test_words_with_every_pattern():
    columns = (
        Column("a", "words", words=("blue", "red")),
        Column("b", ""),
        Column("c", "words", words=("3",)),
    )
    covers = (Condition.on(1, "≠", 1.0), Condition.on(3, "=", 1.0))  # a ≠ red, c = 3
    cells = itertools.product(("red", " blue ", "green", None), (1.0, None), (3, 3.0, "3", 4, None))
    frame = pd.DataFrame(list(cells), columns=list(NAMES), dtype=object)
    rows = frame.where(frame.notna(), None).to_dict(orient="records")
    for kind, machine in _machines(covers):
        model = cover_model(machine, kind, Columns(columns))
        predicted = model.predict(frame).tolist()
        sentence = explained(model)
        plain = [
            {**row, "a": row["a"] and row["a"].strip(), "c": row["c"] and f"{float(row['c']):g}"}
            for row in rows
        ]
        assert predicted == [label_of(sentence, row) for row in plain]
        assert _python(model, rows) == predicted
        assert _sqlite(model, frame) == predicted


def test_an_empty_row_does_not_meet_a_conjunction():
    covers = [Condition.on(0, ">", 883.0), Condition.on(1, ">", 0.16)]
    model = cover_model(rule_set(covers, "conjunction"), "conjunction")
    empty = np.full((1, 3), np.nan)
    assert model.predict(empty).tolist() == ["no"]
    assert model.reasons(empty) == ["a is missing"]
    said = json.loads(export_json(model))["sentences"]
    assert said == ["If a ≤ 883 and b ≤ 0.16: yes.", "Otherwise: no."]


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
    sentence = "\n".join(machine.fitted_.sentences())
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
