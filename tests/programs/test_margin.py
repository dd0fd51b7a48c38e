from dataclasses import replace

import numpy as np
import pytest

from handful.programs.margin_program import MarginProgram, balanced, proved, solve_with_highs
from tests.oracles.programs import one_norm_svm, published_mcm, toy


def _program(C=1.0, weight=0.0, capped=True):
    X, y = toy()
    return MarginProgram(X, y, C, np.full(2, weight), capped)


def test_value_is_the_reduced_form_of_the_published_program():
    program = _program()
    fun, w, b = published_mcm(program.F, program.y_signed, 1.0)
    assert program.value(w, program.margins(w, b)) == pytest.approx(fun, abs=1e-9)
    program = _program(C=10.0, weight=1.0, capped=False)
    fun, w, b = one_norm_svm(program.F, program.y_signed, 10.0)
    assert program.value(w, program.margins(w, b)) == pytest.approx(fun, abs=1e-9)


def test_hard_margin_value_is_infinite_where_it_fails():
    program = _program(C=np.inf)
    w = np.array([1.0, 0.0])
    assert program.value(w, program.margins(w, 0.0)) == np.inf


@pytest.mark.parametrize(("weight", "capped"), [(0.0, True), (0.3, True), (1.0, False)])
def test_the_gap_vanishes_at_the_optimum_and_only_there(weight, capped):
    program = _program(2.0, weight, capped)
    best = solve_with_highs(program)
    assert best.gap < 1e-9
    assert proved(program, replace(best, b=best.b + 0.01)).gap > 1e-4
    assert proved(program, replace(best, a=best.a * 0.99)).gap > 1e-4
    # no dual point may prove more than the truth
    rng = np.random.default_rng(0)
    for _ in range(50):
        wild = replace(best, a=best.a + 0.1 * rng.normal(size=12))
        assert proved(program, wild).gap > 1e-6


def test_balancing_repairs_a_dual_point():
    program = _program(2.0)
    best = solve_with_highs(program)
    inside = (best.a > 1e-6) & (best.a < 2.0 - 1e-6)
    off = proved(program, replace(best, a=best.a + 1e-5 * inside))
    assert off.gap > 1e-7
    assert balanced(program, off).gap < 1e-2 * off.gap
    assert balanced(program, best).gap <= best.gap
