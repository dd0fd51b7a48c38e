import numpy as np
import pytest

from handful.programs import SolverError
from handful.programs import solver as module
from handful.programs.solver import MarginSolver
from tests.oracles.programs import published_mcm, toy


def _data(rng, m=60, n=4):
    X = rng.normal(size=(m, n))
    return X, np.where(X[:, 0] + rng.normal(size=m) > 0, 1.0, -1.0)


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_shifts_and_scales_do_not_change_the_optimum(rng, weight):
    X, y = _data(rng)
    plain = MarginSolver(X, y, weight=weight).solve(1.0)
    moved = MarginSolver(X + 1e4, y, weight=weight).solve(1.0)
    np.testing.assert_allclose(moved.w, plain.w, atol=1e-6)
    assert moved.value == pytest.approx(plain.value, rel=1e-8)
    scale = np.array([1e-6, 1.0, 1e3, 1e6])
    scaled = MarginSolver(X * scale, y, weight=0.0).solve(1.0)
    free = MarginSolver(X, y, weight=0.0).solve(1.0)
    assert scaled.value == pytest.approx(free.value, rel=1e-8)
    np.testing.assert_allclose(scaled.w * scale, free.w, atol=1e-6)


def test_constant_and_dependent_columns(rng):
    X, y = _data(rng)
    plain = MarginSolver(X, y).solve(1.0)
    wide = np.column_stack([X, np.full(60, 7.0), X[:, 0] + X[:, 1]])
    found = MarginSolver(wide, y).solve(1.0)
    assert found.value == pytest.approx(plain.value, rel=1e-9)
    assert found.w[4] == 0.0
    np.testing.assert_allclose(wide @ found.w + found.b, X @ plain.w + plain.b, atol=1e-7)


def test_flipped_labels_flip_the_machine(rng):
    X, y = _data(rng)
    one, other = MarginSolver(X, y).solve(1.0), MarginSolver(X, -y).solve(1.0)
    np.testing.assert_allclose(one.w, -other.w, atol=1e-8)
    assert one.b == pytest.approx(-other.b, abs=1e-8)


def test_highs_steps_in_where_the_interior_point_fails(rng, monkeypatch):
    X, y = _data(rng)
    fast = MarginSolver(X, y).solve(1.0)
    original = module.solve_interior
    monkeypatch.setattr(module, "solve_interior", lambda p, **_: original(p, max_iter=2))
    slow = MarginSolver(X, y).solve(1.0)
    assert (fast.solver, slow.solver) == ("interior", "highs")
    assert slow.value == pytest.approx(fast.value, rel=1e-8)
    with pytest.raises(SolverError):
        MarginSolver(X, y, time_limit=1e-9).solve(1.0)


def test_one_constant_feature_leaves_the_bias():
    X, y = toy()
    found = MarginSolver(np.ones((12, 1)), y).solve(1.0)
    assert found.value == pytest.approx(published_mcm(np.ones((12, 1)), y, 1.0)[0], rel=1e-9)
    assert X.shape == (12, 2)


def test_huge_and_tiny_costs(rng):
    X, y = _data(rng)
    for C in (1e-6, 1e6):
        found = MarginSolver(X, y).solve(C)
        assert found.value == pytest.approx(published_mcm(X, y, C)[0], rel=1e-6)
