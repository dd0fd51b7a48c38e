"""Each rule: what it covers, how far away its boundary is, and how it reads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from handful.kernels import Kernel
from handful.rules import Ball, HalfSpace, LinearRule, Stump, TwoPointHalfSpace
from handful.rules.ball import ball_distances
from handful.rules.directions import kernel_rows, linear_text, pair_tolerance

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [3.0, -1.0]])
RBF = Kernel("rbf", gamma=0.5)


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        ("below", [True, False, False, False]),
        ("above", [False, False, False, True]),
        ("equal", [False, True, True, False]),
        ("unequal", [True, False, False, True]),
    ],
)
def test_sides_of_a_stump(side, expected):
    rule = Stump(0, 1.0, side)
    assert rule.covers(POINTS).tolist() == expected
    assert not rule.covers(np.array([[np.nan, 0.0]]))[0]


def test_half_spaces_cover_strictly():
    rule = HalfSpace((1.0, 1.0), (0.0, 0.0), threshold=1.0, side="below", indices=(5, 6, 7))
    assert rule.covers(POINTS).tolist() == [True, False, False, False]  # 1 is on the boundary
    assert rule.examples == (5, 6, 7)
    assert rule.unit() == pytest.approx(np.sqrt(2.0))
    assert rule.score(POINTS)[0] == pytest.approx(-1 / np.sqrt(2.0))


def test_values_within_the_tolerance_are_tied():
    rule = HalfSpace((1.0,), (0.0,), threshold=0.5, side="below")
    inside, outside = 0.5 - 0.9e-10, 0.5 - 1.1e-10
    assert rule.covers(np.array([[inside], [outside]])).tolist() == [False, True]
    assert pair_tolerance(4.0, -9.0, 2.0) == pytest.approx(9e-10)


@pytest.mark.parametrize("kernel", [Kernel("linear"), RBF, Kernel("poly", degree=2, coef0=1.0)])
def test_two_points_cut_between_the_examples(kernel):
    a, b = (2.0, 1.0), (0.0, 1.0)
    for level, numerator in [(1, 1), (2, 3), (3, 1)]:
        rule = TwoPointHalfSpace(a, b, numerator, level, "below", kernel=kernel)
        v_a, v_b = rule.values(np.array([a, b]))
        fraction = numerator / 2**level
        assert rule.cut == pytest.approx(v_b + fraction * (v_a - v_b))
        assert rule.covers(np.array([b]))[0]
        assert not rule.covers(np.array([a]))[0]
    if kernel.name == "rbf":  # the midpoint is the perpendicular bisector
        middle = TwoPointHalfSpace(a, b, 1, 1, "below", kernel=kernel)
        assert middle.cut == pytest.approx(0.0)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_balls_use_the_metric(metric):
    center = np.array([0.5, -0.5])
    rule = Ball(tuple(center), 1.0, "above", metric=metric)
    names = {"manhattan": "cityblock"}
    wanted = pairwise_distances([center], POINTS, metric=names.get(metric, metric))[0]
    np.testing.assert_allclose(rule.values(POINTS), wanted)
    np.testing.assert_array_equal(rule.covers(POINTS), wanted > 1.0 + 1e-10)


def test_balls_in_feature_space_and_scaled():
    rule = Ball((0.0, 0.0), 1.0, "above", kernel=RBF)
    squares = 2.0 - 2.0 * np.exp(-0.5 * (POINTS**2).sum(axis=1))
    np.testing.assert_allclose(rule.values(POINTS), np.sqrt(squares))
    scaled = Ball((0.0, 0.0), 1.0, "below", scale=(2.0, 1.0))
    np.testing.assert_allclose(scaled.values(POINTS), np.hypot(POINTS[:, 0] / 2, POINTS[:, 1]))


def test_linear_rules():
    rule = LinearRule((3.0, 4.0), 3.0, "above", tol=0.1)
    assert rule.covers(POINTS).tolist() == [False, False, True, True]
    assert rule.unit() == pytest.approx(5.0)
    assert rule.examples == ()
    assert LinearRule((0.0, 0.0), 0.0, "above").unit() == 0.0


def test_distances_survive_extreme_scales():
    for scale in (1e-200, 1e200):
        rule = LinearRule((scale, scale), 0.0, "above")
        assert rule.unit() == pytest.approx(np.sqrt(2.0) * scale)
    stump = Stump(0, -1e308, "above")
    score = stump.score(np.array([[1e308], [-1e308]]))
    assert np.isfinite(score).all()
    assert np.sign(score).tolist() == [-1.0, 1.0]


def test_a_missing_value_is_on_the_uncovered_side():
    for rule in (Stump(0, 0.0, "above"), LinearRule((1.0, 0.0), 0.0, "above")):
        assert rule.score(np.array([[np.nan, 1.0]]))[0] > 0


def test_precomputed_values_are_columns(rng):
    X = rng.normal(size=(6, 3))
    K = X @ X.T
    given = HalfSpace(
        tuple(K[1]), tuple(K[4]), 0.2, "above", Kernel("precomputed"), indices=(1, 4, 0)
    )
    plain = HalfSpace(tuple(X[1]), tuple(X[4]), 0.2, "above")
    np.testing.assert_allclose(given.values(K), plain.values(X))
    assert given.tolerance == pytest.approx(plain.tolerance)
    assert given.unit() == pytest.approx(plain.unit())


def test_kernel_rows_do_not_cancel(rng):
    X = 1e6 + rng.normal(size=(5, 2))
    exact = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(kernel_rows(RBF, X, X), exact, rtol=1e-9)
    assert (np.diagonal(ball_distances(X, X)) == 0.0).all()


def test_rules_read_in_the_users_words():
    names = ["age", "nodes"]
    assert Stump(1, 2.0, "unequal").describe(names, words=[None, ("", "", "red")]) == "nodes ≠ red"
    assert HalfSpace((1.0, 0.0), (0.0, 2.0), 3.0, "below").describe(names) == (
        "+1·age -2·nodes < 3"
    )
    assert HalfSpace((1.0, 0.0), (0.0, 2.0), 3.0, "below", RBF).describe() == (
        "rbf-similarity to a minus to b < 3"
    )
    two = TwoPointHalfSpace((2.0, 0.0), (0.0, 0.0), 1, 1, "above")
    assert two.describe(names) == "+2·age > 2"
    assert Ball((1.0, 2.0), 3.0, "above").describe(names) == "distance to (age 1, nodes 2) > 3"
    kept = Ball((1.0, 2.0), 3.0, "above", indices=(16, 4))  # an example by its number
    assert kept.describe(names) == "distance to kept example 17 > 3"
    assert Ball((0.0,) * 8, 3.0, "below").describe().endswith("x5 0, …) < 3")
    assert LinearRule((0.0, 1.5), -1.0, "above").describe(names) == "+1.5·nodes > -1"
    assert linear_text(np.arange(1.0, 12.0), None).endswith("+ 3 smaller terms")
    assert "smaller" not in linear_text(np.arange(1.0, 11.0), None)
