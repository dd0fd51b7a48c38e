"""The cover of each family: what it covers, how far away its boundary is, and how it reads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from handful.kernels import Kernel
from handful.models import Condition, Vocabulary, WeightedSum, distances
from handful.rules import (
    LINEAR,
    as_list,
    ball_cover,
    is_covered,
    kernel_values,
    pair_tolerance,
    pair_value,
    rule_set,
    signs_of,
    two_point_cover,
)

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [3.0, -1.0]])
RBF = Kernel("rbf", gamma=0.5)
WORDS = Vocabulary(("age", "nodes"), ("no", "yes"))


def half_space(a, b, cut, op, kernel=LINEAR, examples=()):
    value, tol = pair_value(np.array(a), np.array(b), kernel, examples[:2])
    return Condition(value, op, cut, tol, examples)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("<", [True, False, False, False]),
        (">", [False, False, False, True]),
        ("=", [False, True, True, False]),
        ("≠", [True, False, False, True]),
    ],
)
def test_sides_of_a_stump(op, expected):
    cover = Condition.on(0, op, 1.0)
    assert cover.is_met(POINTS).tolist() == expected
    assert not cover.is_met(np.array([[np.nan, 0.0]]))[0]
    assert not cover.opposite.is_met(np.array([[np.nan, 0.0]]))[0]
    assert cover.opposite.is_met(POINTS).tolist() == [not met for met in expected]


def test_half_spaces_cover_strictly():
    cover = half_space((1.0, 1.0), (0.0, 0.0), 1.0, "<", examples=(5, 6, 7))
    assert cover.is_met(POINTS).tolist() == [True, False, False, False]  # 1 is on the boundary
    assert (cover.kind, cover.roles) == ("half-space", ("a", "b", "threshold"))
    assert cover.value.unit == pytest.approx(np.sqrt(2.0))
    assert cover.score(POINTS)[0] == pytest.approx(1 / np.sqrt(2.0))


def test_values_within_the_tolerance_are_tied():
    cover = half_space((1.0,), (0.0,), 0.5, "<")
    inside, outside = 0.5 - 0.9e-10, 0.5 - 1.1e-10
    assert cover.is_met(np.array([[inside], [outside]])).tolist() == [False, True]
    assert pair_tolerance(4.0, -9.0, 2.0) == pytest.approx(9e-10)


@pytest.mark.parametrize("kernel", [LINEAR, RBF, Kernel("poly", degree=2, coef0=1.0)])
def test_two_points_cut_between_the_examples(kernel):
    a, b = np.array([2.0, 1.0]), np.array([0.0, 1.0])
    for level, numerator in [(1, 1), (2, 3), (3, 1)]:
        cover = two_point_cover(a, b, (numerator, level), "<", kernel, (0, 1))
        v_a, v_b = cover.value.of(np.array([a, b]))
        assert cover.cut == pytest.approx(v_b + numerator / 2**level * (v_a - v_b))
        assert cover.is_met(np.array([b]))[0]
        assert not cover.is_met(np.array([a]))[0]
    if kernel.name == "rbf":  # the midpoint is the perpendicular bisector
        middle = two_point_cover(a, b, (1, 1), "<", kernel, (0, 1))
        assert middle.cut == pytest.approx(0.0)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_balls_use_the_metric(metric):
    center = np.array([0.5, -0.5])
    cover = ball_cover(center, 1.0, ">", metric=metric)
    names = {"manhattan": "cityblock"}
    wanted = pairwise_distances([center], POINTS, metric=names.get(metric, metric))[0]
    np.testing.assert_allclose(cover.value.of(POINTS), wanted)
    np.testing.assert_array_equal(cover.is_met(POINTS), wanted > 1.0 + 1e-10)


def test_balls_in_feature_space_and_scaled():
    cover = ball_cover(np.zeros(2), 1.0, ">", kernel=RBF)
    squares = 2.0 - 2.0 * np.exp(-0.5 * (POINTS**2).sum(axis=1))
    np.testing.assert_allclose(cover.value.of(POINTS), np.sqrt(squares))
    scaled = ball_cover(np.zeros(2), 1.0, "<", scale=np.array([2.0, 1.0]))
    np.testing.assert_allclose(scaled.value.of(POINTS), np.hypot(POINTS[:, 0] / 2, POINTS[:, 1]))


def test_weighted_sums():
    cover = Condition(WeightedSum((3.0, 4.0)), ">", 3.0, 0.1)
    assert cover.is_met(POINTS).tolist() == [False, False, True, True]
    assert cover.value.unit == pytest.approx(5.0)
    assert WeightedSum((0.0, 0.0)).unit == 0.0
    unread = Condition(WeightedSum((0.0, 1.0)), ">", 0.0)  # x0 has no weight
    assert unread.is_met(np.array([[np.nan, 1.0], [0.0, np.nan]])).tolist() == [True, False]


def test_distances_survive_extreme_scales():
    for scale in (1e-200, 1e200):
        assert WeightedSum((scale, scale)).unit == pytest.approx(np.sqrt(2.0) * scale)
    score = Condition.on(0, ">", -1e308).score(np.array([[1e308], [-1e308]]))
    assert np.isfinite(score).all()
    assert np.sign(score).tolist() == [1.0, -1.0]


def test_a_missing_value_is_on_neither_side():
    for cover in (Condition.on(0, ">", 0.0), Condition(WeightedSum((1.0, 0.0)), ">", 0.0)):
        for condition in (cover, cover.opposite):
            assert condition.score(np.array([[np.nan, 1.0]]))[0] < 0


def test_precomputed_values_are_columns(rng):
    X = rng.normal(size=(6, 3))
    K = X @ X.T
    given = half_space(K[1], K[4], 0.2, ">", Kernel("precomputed"), (1, 4, 0))
    plain = half_space(X[1], X[4], 0.2, ">")
    np.testing.assert_allclose(given.value.of(K), plain.value.of(X))
    assert given.tol == pytest.approx(plain.tol)
    assert given.value.unit == pytest.approx(plain.value.unit)
    order = np.array([5, 4, 3, 2, 1, 0])
    moved = given.renumbered(order)
    assert moved.examples == (4, 1, 5)
    np.testing.assert_array_equal(moved.value.of(K[:, order]), given.value.of(K))


def test_kernel_values_do_not_cancel(rng):
    X = 1e6 + rng.normal(size=(5, 2))
    exact = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(kernel_values(X, RBF, X), exact, rtol=1e-9)
    assert (np.diagonal(distances(X, X)) == 0.0).all()


@pytest.mark.parametrize(
    ("cover", "text"),
    [
        (half_space((1.0, 0.0), (0.0, 2.0), 3.0, "<"), "+1·age -2·nodes < 3"),
        (
            half_space((1.0, 0.0), (0.0, 2.0), 3.0, "<", RBF),
            "rbf-similarity to a minus to b < 3",
        ),
        (
            two_point_cover(np.array([2.0, 0.0]), np.zeros(2), (1, 1), ">", LINEAR, (0, 1)),
            "+2·age > 2",
        ),
        (ball_cover(np.ones(2), 3.0, ">", examples=(16, 4)), "distance to kept example 17 > 3"),
        (Condition(WeightedSum((0.0, 1.5)), ">", -1.0), "+1.5·nodes > -1"),
    ],
)
def test_covers_read_in_the_users_words(cover, text):
    assert cover.describe(WORDS) == text


LOW, HIGH = Condition.on(0, "<", 1.0, (4,)), Condition.on(1, ">", 0.5, (2,))
HOLES = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [np.nan, 0.0]])


def test_a_conjunction_gives_its_class_to_what_no_rule_covers():
    machine = rule_set([LOW, HIGH], "conjunction")
    assert signs_of(machine, HOLES).tolist() == [-1, 1, -1, -1]
    covered = np.array([is_covered(cover, "conjunction", HOLES) for cover in (LOW, HIGH)])
    np.testing.assert_array_equal(~covered.any(axis=0), machine.labels(HOLES) == 1)
    listed = as_list(machine, "conjunction")  # which takes no missing value
    assert signs_of(listed, HOLES).tolist() == [-1, 1, -1, 1]
    assert machine.examples == listed.examples == (2, 4)


def test_a_disjunction_gives_its_class_to_what_some_rule_covers():
    machine = rule_set([LOW, HIGH], "disjunction")
    assert signs_of(machine, HOLES).tolist() == [1, -1, 1, -1]
    covered = np.array([is_covered(cover, "disjunction", HOLES) for cover in (LOW, HIGH)])
    np.testing.assert_array_equal(covered.any(axis=0), machine.labels(HOLES) == 1)
    assert signs_of(as_list(machine, "disjunction"), HOLES).tolist() == [1, -1, 1, -1]


@pytest.mark.parametrize(("kind", "label"), [("conjunction", 1), ("disjunction", -1)])
def test_no_rule_is_a_constant(kind, label):
    machine = rule_set([], kind)
    assert signs_of(machine, HOLES).tolist() == [label] * 4
    assert signs_of(as_list(machine, kind), HOLES).tolist() == [label] * 4
