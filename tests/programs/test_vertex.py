import numpy as np
import pytest

from handful.programs.interior import solve_interior
from handful.programs.margin_program import MarginProgram
from handful.programs.optimal_face import OptimalFace, polish, to_vertex


def _balanced_line():
    """Two overlapping balanced points: w = 0 and every b in [-1, 1] are optimal."""
    X = np.array([[0.0], [0.0]])
    return MarginProgram(X, np.array([1.0, -1.0]), 1.0, np.ones(1), False)


def test_polishing_gives_exact_zeros_and_machine_precision(rng):
    X = rng.normal(size=(80, 6))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 0, 1.0, -1.0)
    program = MarginProgram(X, y, 0.5, np.full(6, 2.0), True)
    point = solve_interior(program)
    solution = polish(program, point, 1e-7)
    assert solution.is_unique
    assert solution.is_vertex
    assert solution.gap < 1e-13
    assert 0 < np.sum(solution.w == 0.0) < 6


def test_an_optimum_that_is_not_unique_is_not_called_so():
    program = _balanced_line()
    solution = polish(program, solve_interior(program), 1e-7)
    assert solution.is_unique is not True
    assert solution.value == pytest.approx(2.0)


def test_the_face_spans_all_optima():
    program = _balanced_line()
    solution = polish(program, solve_interior(program), 1e-7)
    face = OptimalFace(program, solution)
    least, most = (
        face.minimise(np.array([0.0, 1.0, 0.0])),
        face.minimise(np.array([0.0, -1.0, 0.0])),
    )
    assert least[0] == pytest.approx(-1.0, abs=1e-6)
    assert most[0] == pytest.approx(-1.0, abs=1e-6)


def test_the_sparsest_optimum_of_twin_columns(rng):
    column = rng.normal(size=40)
    y = np.where(column + 0.2 * rng.normal(size=40) > 0, 1.0, -1.0)
    program = MarginProgram(np.column_stack([column] * 3), y, 1.0, np.full(3, 0.1), True)
    solution = polish(program, solve_interior(program), 1e-7)
    assert not solution.is_unique
    vertex = to_vertex(program, solution, 1e-7)
    assert np.sum(np.abs(vertex.w) > 1e-9) == 1
    assert vertex.value == pytest.approx(solution.value, rel=1e-7)
    assert vertex.gap <= 1e-7
