"""What a pool offers: models, scales and thresholds, all from the pool alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from handful.rules import collapse_rows
from handful.rules.pooled import (
    MAX_CENTERS,
    MAX_PAIRS,
    MAX_THRESHOLDS,
    ball_metrics,
    fit_logistic,
    is_comparable,
    make_projections,
    pool_scales,
)
from handful.rules.table import covered_rows
from handful.verify.code_prices import PoolCode
from handful.verify.pool_candidates import make_lines

ALL = ("stumps", "linear", "half-spaces", "balls")


def data(rng, m=60, n=3):
    X = rng.normal(size=(m, n)) * np.array([1.0, 30.0, 0.01])[:n] + 5.0
    y = np.where(X[:, 0] + rng.normal(size=m) > 5.0, 1, -1)
    return X, y


@pytest.mark.parametrize("ridge", [0.5, 1.0, 10.0])
def test_logistic_regression_agrees_with_scikit_learn(ridge, rng):
    X, y = data(rng, m=80)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = fit_logistic(Z, y, ridge)
    theirs = LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=1000).fit(Z, y)
    np.testing.assert_allclose(ours[:-1], theirs.coef_[0], atol=1e-4)
    assert ours[-1] == pytest.approx(theirs.intercept_[0], abs=1e-3)


def test_logistic_regression_on_separable_data_stays_finite():
    Z = np.array([[-1.0], [1.0]]) * 1e3
    assert np.isfinite(fit_logistic(Z, np.array([-1, 1]), 1e-3)).all()


def test_candidates_are_what_their_rules_say(rng):
    X, y = data(rng)
    rows = collapse_rows(X, y)
    projections = make_projections(rows, rng.permutation(60)[:25], ALL)
    table = projections.table
    types = set()
    for t in range(table.n_directions):
        for j in range(0, int(table.n_thresholds[t]), 5):
            for side in (0, 1):
                rule = projections.make_rule(t, j, side)
                types.add(rule.value.tag)
                np.testing.assert_array_equal(covered_rows(table, t, j, side), rule.is_met(rows.X))
    assert types == {"feature", "sum", "distance"}


def test_nothing_outside_the_pool_enters(rng):
    X, y = data(rng)
    pool = np.arange(25)
    moved = X.copy()
    moved[25:] = rng.normal(size=(35, 3)) * 1e6
    parts = []
    for points, labels in ((X, y), (moved, np.concatenate([y[:25], -y[25:]]))):
        rows = collapse_rows(points, labels)
        p = make_projections(rows, pool, ALL)
        parts.append((p.weights, p.centers, p.metrics, p.table.thresholds, p.pool_table.codes))
    for here, there in zip(*parts, strict=True):
        np.testing.assert_array_equal(here, there)


def test_missing_values_outside_the_pool_do_not_change_its_candidates(rng):
    X, y = data(rng)
    holes = X.copy()
    holes[40, 1] = math.nan
    found = [make_projections(collapse_rows(Z, y), np.arange(25), ALL) for Z in (X, holes)]
    np.testing.assert_array_equal(found[0].weights, found[1].weights)
    assert found[0].family == found[1].family == "+".join(ALL)
    assert not found[1].make_rule(3, 0, 0).is_met(holes[[40]])[0]


def test_a_pool_with_missing_values_offers_stumps_only(rng):
    X, y = data(rng)
    X[3, 1] = math.nan
    projections = make_projections(collapse_rows(X, y), np.arange(25), ALL)
    assert projections.family == "stumps"
    assert len(projections.weights) == len(projections.centers) == 0


def test_what_can_be_compared():
    assert is_comparable(np.array([[1.0, 1e100]]))
    assert not is_comparable(np.array([[1.0, 1e200]]))
    assert not is_comparable(np.array([[1.0, math.nan]]))


@pytest.mark.parametrize("size", [1e-200, 1e-20, 1.0, 1e20, 1e200])
def test_scales_at_every_size(size, rng):
    X = rng.normal(size=(40, 2)) * size
    mean, spread = pool_scales(X)
    np.testing.assert_allclose(mean / size, (X / size).mean(axis=0))
    np.testing.assert_allclose(spread / size, (X / size).std(axis=0))


def test_scales_of_constant_and_missing_columns():
    X = np.array([[3.0, math.nan, 1.0], [3.0, math.nan, math.nan], [3.0, math.nan, 5.0]])
    mean, spread = pool_scales(X)
    assert mean.tolist() == [3.0, 0.0, 3.0]
    assert spread.tolist() == [1.0, 1.0, 2.0]


def test_one_class_in_the_pool_leaves_stumps_and_balls(rng):
    X, y = data(rng)
    pool = np.flatnonzero(y > 0)[:15]
    projections = make_projections(collapse_rows(X, y), pool, ALL)
    assert len(projections.weights) == 0
    assert len(projections.centers) == 15


def test_metrics_of_balls_from_the_pool_and_from_the_auditor_agree(rng):
    X, y = data(rng)
    X[:, 1] *= 1000.0
    pool, y_pool = np.arange(40), y[:40]
    projections = make_projections(collapse_rows(X, y), pool, ("balls",))
    code = PoolCode(40, ["balls"], 0.3)
    _, audited = make_lines(X, y, np.arange(len(y)), code, np.zeros(3, dtype=bool))
    assert len(audited) == projections.table.n_directions == 80
    for t, direction in enumerate(audited):
        scale = projections.metrics[t // 40]
        np.testing.assert_allclose(scale, direction.value["scale"], rtol=1e-10)
        np.testing.assert_allclose(projections.values[t], direction.values, rtol=1e-9)
    weight = np.abs(fit_logistic((X[:40] - X[:40].mean(0)) / X[:40].std(0), y_pool, 1.0)[:-1])
    expected = X[:40].std(axis=0) / np.maximum(weight / weight.max(), 0.01)
    np.testing.assert_allclose(projections.metrics[1], expected)


def test_where_nothing_tells_the_classes_apart_there_is_one_metric(rng):
    X = np.tile(rng.normal(size=(10, 2)), (2, 1))
    y = np.repeat([-1, 1], 10)  # every row once with either label
    assert ball_metrics(X, y).shape == (1, 2)
    assert ball_metrics(X, np.ones(20, dtype=int)).shape == (1, 2)


def test_candidates_are_limited(rng):
    X, y = data(rng, m=400)
    rows = collapse_rows(X, y)
    projections = make_projections(rows, np.arange(300), ALL)
    assert len(projections.weights) == 2 + MAX_PAIRS
    assert len(projections.centers) == MAX_CENTERS
    assert projections.table.n_thresholds.max() == MAX_THRESHOLDS


def test_categories_are_compared_by_equality(rng):
    X = np.column_stack([rng.integers(0, 3, 40), rng.normal(size=40)]).astype(float)
    y = np.where(rng.random(40) < 0.5, 1, -1)
    rows = collapse_rows(X, y, np.array([True, False]))
    projections = make_projections(rows, np.arange(20), ("stumps",))
    sides = {projections.make_rule(t, 0, s).op for t, s in projections.sides.tolist() if t == 0}
    assert sides == {"=", "≠"}
    assert projections.table.thresholds[0, :3].tolist() == [0.0, 1.0, 2.0]
