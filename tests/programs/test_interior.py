import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.programs.interior import solve_interior
from handful.programs.margin_program import MarginProgram
from tests.oracles.programs import one_norm_svm, published_hard_mcm, published_mcm, toy


def _noisy(rng, m, n):
    X = rng.normal(size=(m, n))
    y = np.where(X[:, 0] + rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(5, 60),
    n=st.integers(1, 6),
    log_c=st.integers(-2, 2),
    weight=st.sampled_from([0.0, 0.05, 1.0]),
)
def test_reaches_the_optimum_of_linprog(seed, m, n, log_c, weight):
    X, y = _noisy(np.random.default_rng(seed), m, n)
    C = 10.0**log_c
    point = solve_interior(MarginProgram(X, y, C, np.full(n, weight), True))
    program = MarginProgram(X, y, C, np.full(n, weight), True)
    value = program.value(point.theta[:n], program.margins(point.theta[:n], point.theta[n]))
    fun = published_mcm(X, y, C, weight)[0]
    assert value == pytest.approx(fun, rel=1e-6, abs=1e-6)
    assert point.gap < 1e-6


def test_uncapped_is_the_one_norm_machine(rng):
    X, y = _noisy(rng, 50, 4)
    program = MarginProgram(X, y, 2.0, np.ones(4), False)
    point = solve_interior(program)
    value = program.value(point.theta[:4], program.margins(point.theta[:4], point.theta[4]))
    assert value == pytest.approx(one_norm_svm(X, y, 2.0)[0], rel=1e-8)


def test_hard_margin():
    X, y = toy(flipped=False)
    point = solve_interior(MarginProgram(X, y, np.inf, np.zeros(2), True))
    assert point.h == pytest.approx(published_hard_mcm(X, y), rel=1e-7)


def test_an_infeasible_program_is_not_proved():
    X, y = toy()
    assert published_hard_mcm(X, y) is None
    assert solve_interior(MarginProgram(X, y, np.inf, np.zeros(2), True)).gap > 1e-3


def test_the_iteration_limit_holds(rng):
    X, y = _noisy(rng, 50, 4)
    point = solve_interior(MarginProgram(X, y, 1.0, np.zeros(4), True), max_iter=3)
    assert point.n_iterations < 3
    assert point.gap > 1e-7
