"""The compression set against an oracle, and the theorem behind it on degenerate data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.programs import compression_sets
from handful.programs.solver import MarginSolver
from tests.oracles import programs as oracle


def _grid(rng, m, n=2):
    """Few distinct points, so that ties and non-unique optima are common."""
    X = rng.integers(0, 3, size=(m, n)).astype(float)
    y = np.where(X[:, 0] + (rng.random(m) < 0.2) > 0.5, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y


def _solve(X, y, C, weight, capped):
    return MarginSolver(X, y, weight=weight, capped=capped).solve_touching(C)


@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(4, 14),
    C=st.sampled_from([0.1, 0.5, 1.0]),
    case=st.sampled_from([(0.0, True), (0.1, True), (1.0, False)]),
)
def test_never_fewer_than_the_oracle_finds(seed, m, C, case):
    X, y = _grid(np.random.default_rng(seed), m)
    _, found = _solve(X, y, C, *case)
    expected = oracle.touching(X, y, C, *case)
    assert set(expected) <= set(found)
    assert len(found) <= len(expected) + 1  # tolerances may add, not flood


def test_a_unique_optimum_is_read_off(rng):
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, 1.0, -1.0)
    solution, found = _solve(X, y, 1.0, 0.0, True)
    g = y * (X @ solution.w + solution.b)
    assert solution.is_unique
    np.testing.assert_array_equal(found, np.flatnonzero((g < 1 + 1e-6) | (g > solution.h - 1e-6)))


@pytest.mark.parametrize("case", [(0.0, True), (0.1, True), (1.0, False)])
def test_removing_an_example_that_does_not_touch_changes_nothing(rng, case):
    for _ in range(12):
        X, y = _grid(rng, 24)
        _, found = _solve(X, y, 0.7, *case)
        for i in np.setdiff1d(np.arange(24), found)[:4]:
            keep = np.delete(np.arange(24), i)
            _, again = _solve(X[keep], y[keep], 0.7, *case)
            np.testing.assert_array_equal(keep[again], found)


@pytest.mark.parametrize("case", [(0.0, True), (1.0, False)])
def test_an_example_that_is_misclassified_enters(rng, case):
    for _ in range(12):
        X, y = _grid(rng, 16)
        solution, _ = _solve(X, y, 0.7, *case)
        for point in np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [0.0, 2.0]]):
            label = -1.0 if point @ solution.w + solution.b > 0 else 1.0
            _, grown = _solve(np.vstack([X, point]), np.append(y, label), 0.7, *case)
            assert 16 in grown


def test_the_order_of_examples_does_not_matter(rng):
    X, y = _grid(rng, 20)
    _, found = _solve(X, y, 0.5, 0.0, True)
    order = rng.permutation(20)
    _, shuffled = _solve(X[order], y[order], 0.5, 0.0, True)
    np.testing.assert_array_equal(np.sort(order[shuffled]), found)


def test_exploring_agrees_with_reading_off_and_gives_up_safely(rng, monkeypatch):
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, 1.0, -1.0)
    solver = MarginSolver(X, y)
    program = replace(solver.program, C=1.0)
    solution = solver._solve_scaled(1.0, False)
    read_off = compression_sets.touching_examples(program, solution)
    assert 0 < len(read_off) < 40
    unsure = replace(solution, is_unique=None)
    np.testing.assert_array_equal(compression_sets.touching_examples(program, unsure), read_off)
    monkeypatch.setattr(compression_sets, "_MAX_PROGRAMS", 0)
    assert len(compression_sets.touching_examples(program, unsure)) == 40
