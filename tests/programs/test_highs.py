import numpy as np
import pytest

from handful.programs import LPStatus, SolverError
from handful.programs.margin_program import MarginProgram, solve_with_highs
from tests.oracles.programs import one_norm_svm, published_hard_mcm, published_mcm, toy


@pytest.mark.parametrize("weight", [0.0, 0.2])
def test_same_optimum_as_the_published_program(weight):
    X, y = toy()
    found = solve_with_highs(MarginProgram(X, y, 1.0, np.full(2, weight), True))
    assert found.value == pytest.approx(published_mcm(X, y, 1.0, weight)[0], abs=1e-8)
    assert found.gap < 1e-8


def test_every_example_has_its_price():
    X, y = toy()
    rows = np.where(y > 0, 0.3, 2.0)
    found = solve_with_highs(MarginProgram(X, y, 1.5, np.full(2, 0.1), True, rows))
    assert found.value == pytest.approx(published_mcm(X, y, 1.5 * rows, 0.1)[0], abs=1e-8)
    assert found.gap < 1e-8


def test_uncapped_and_hard():
    X, y = toy()
    found = solve_with_highs(MarginProgram(X, y, 10.0, np.ones(2), False))
    assert found.value == pytest.approx(one_norm_svm(X, y, 10.0)[0], abs=1e-7)
    X, y = toy(flipped=False)
    found = solve_with_highs(MarginProgram(X, y, np.inf, np.zeros(2), True))
    assert found.h == pytest.approx(published_hard_mcm(X, y), rel=1e-7)


def test_infeasible_and_limits():
    X, y = toy()
    with pytest.raises(SolverError) as caught:
        solve_with_highs(MarginProgram(X, y, np.inf, np.zeros(2), True))
    assert caught.value.status is LPStatus.INFEASIBLE
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30))
    y = np.sign(rng.normal(size=300))
    with pytest.raises(SolverError) as caught:
        solve_with_highs(MarginProgram(X, y, 1.0, np.zeros(30), True), time_limit=1e-6)
    assert caught.value.status is LPStatus.TIME_LIMIT
