import pickle

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from handful.programs import LinearProgram, LPStatus, SolverError, solve_lp


def _random(rng, m, n):
    """A feasible and bounded program with both kinds of row and column bounds."""
    A = rng.normal(size=(m, n))
    x = rng.normal(size=n)
    activity = A @ x
    row_lower = np.where(rng.random(m) < 0.5, activity - rng.random(m), -np.inf)
    row_upper = np.where(rng.random(m) < 0.7, activity + rng.random(m), np.inf)
    lower = np.where(rng.random(n) < 0.8, x - rng.random(n), -np.inf)
    # costs from a dual feasible point keep it bounded
    duals = np.where(np.isfinite(row_lower), 1.0, 0.0) * rng.random(m)
    reduced = np.where(np.isfinite(lower), rng.random(n), 0.0)
    return A.T @ duals + reduced, A, row_lower, row_upper, lower, np.full(n, np.inf)


def _linprog(cost, A, row_lower, row_upper, lower, upper):
    keep_low, keep_up = np.isfinite(row_lower), np.isfinite(row_upper)
    return linprog(
        cost,
        A_ub=np.vstack([A[keep_up], -A[keep_low]]),
        b_ub=np.concatenate([row_upper[keep_up], -row_lower[keep_low]]),
        bounds=list(zip(lower, upper, strict=True)),
    )


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 25), n=st.integers(1, 15))
def test_agrees_with_linprog_and_proves_it(seed, m, n):
    args = _random(np.random.default_rng(seed), m, n)
    cost, A, row_lower, row_upper, lower, upper = args
    ours, theirs = solve_lp(*args), _linprog(*args)
    assert ours.value == pytest.approx(theirs.fun, rel=1e-7, abs=1e-7)
    assert ours.gap <= 1e-7
    # strong duality with the documented signs
    bound = np.where(ours.duals > 0, row_lower, row_upper)
    column = np.where(ours.reduced_costs > 0, lower, upper)
    with np.errstate(invalid="ignore"):
        dual = np.nansum(np.where(ours.duals != 0, bound * ours.duals, 0.0))
        active = np.abs(ours.reduced_costs) > 1e-8
        dual += np.sum(column[active] * ours.reduced_costs[active])
    assert dual == pytest.approx(ours.value, rel=1e-6, abs=1e-6)
    # complementary slackness
    activity = A @ ours.x
    away = (activity > row_lower + 1e-5) & (activity < row_upper - 1e-5)
    np.testing.assert_allclose(ours.duals[away], 0.0, atol=1e-7)
    np.testing.assert_allclose(ours.reduced_costs, cost - A.T @ ours.duals, atol=1e-10)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_grown_program_equals_a_fresh_one(seed):
    rng = np.random.default_rng(seed)
    cost, A, row_lower, row_upper, lower, _ = _random(rng, 8, 6)
    low, top = np.maximum(lower, -9), np.full(6, 9.0)
    grown = LinearProgram(cost, A[:3], row_lower[:3], row_upper[:3], low, top)
    grown.solve()
    grown.add_rows(A[3:5], row_lower[3:5], row_upper[3:5])
    grown.solve()
    grown.add_rows(A[5:], row_lower[5:], row_upper[5:])
    grown.change_costs([0, 2], [cost[0] + 1.0, cost[2]])
    fresh_cost = cost.copy()
    fresh_cost[0] += 1.0
    fresh = solve_lp(fresh_cost, A, row_lower, row_upper, low, top)
    assert grown.solve().value == pytest.approx(fresh.value, rel=1e-8, abs=1e-8)
    assert (grown.n_rows, grown.n_columns) == (8, 6)


def test_warm_start_is_shorter_than_a_cold_one(rng):
    args = _random(rng, 80, 60)
    program = LinearProgram(*args)
    cold = program.solve().n_iterations
    program.change_costs([0], [args[0][0] + 1e-3])
    assert program.solve().n_iterations < cold / 4


def test_sparse_matrices_are_taken(rng):
    args = _random(rng, 10, 6)
    dense = solve_lp(*args).value
    assert solve_lp(args[0], sparse.csr_array(args[1]), *args[2:]).value == pytest.approx(dense)


def test_infeasible_and_unbounded_say_so():
    with pytest.raises(SolverError, match="No point satisfies all constraints") as caught:
        solve_lp([1.0], [[1.0]], 2.0, np.inf, 0.0, 1.0)
    assert caught.value.status is LPStatus.INFEASIBLE
    with pytest.raises(SolverError, match=r"falls without limit|unbounded"):
        solve_lp([-1.0], [[1.0]], 0.0, np.inf, 0.0, np.inf)


@pytest.mark.parametrize(
    ("limit", "status"),
    [({"time_limit": 1e-6}, LPStatus.TIME_LIMIT), ({"max_iter": 2}, LPStatus.ITERATION_LIMIT)],
)
def test_limits_raise(rng, limit, status):
    cost, A, *bounds = _random(rng, 200, 150)
    with pytest.raises(SolverError) as caught:
        LinearProgram(cost, A, *bounds).solve(**limit)
    assert caught.value.status is status


def test_limits_count_from_the_last_solve(rng, monkeypatch):
    """HiGHS adds up the time of all solves of a model, and compares the sum with the limit."""
    budgets, set_option = [], highspy.Highs.setOptionValue

    def record(model, name, value):
        budgets.extend([value] if name == "time_limit" else [])
        return set_option(model, name, value)

    monkeypatch.setattr(highspy.Highs, "setOptionValue", record)
    monkeypatch.setattr(highspy.Highs, "getRunTime", lambda model: 100.0)
    LinearProgram(*_random(rng, 60, 40)).solve(time_limit=60.0)
    assert budgets == [160.0]


def test_a_gap_that_is_not_proved_raises(rng):
    with pytest.raises(SolverError, match="does not prove it"):
        solve_lp(*_random(rng, 30, 20), tol=0.0)


def test_the_gap_sees_wrong_multipliers_and_points(rng):
    args = _random(rng, 12, 8)
    program = LinearProgram(*args)
    good = program.solve()
    assert program._proved(good.x.copy(), good.duals + 0.1, 0).gap > 1e-3
    assert program._proved(good.x + 0.1, good.duals.copy(), 0).gap > 1e-3


def test_empty_programs_can_grow():
    program = LinearProgram([-1.0], np.zeros((0, 1)), [], [], 0.0, 10.0)
    assert program.solve().value == pytest.approx(-10.0)
    program.add_rows([[1.0], [1.0]], -np.inf, [1.0, 2.0])
    assert program.solve().value == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": [np.nan]}, "`cost` must be finite"),
        ({"A": [[np.inf]]}, "`A` must be finite"),
        ({"row_lower": [1.0, 2.0]}, "`row_lower` must have 1 entries"),
        ({"lower": np.nan}, "`lower` must be a number or infinite"),
    ],
)
def test_bad_input(change, message):
    args = {"cost": [1.0], "A": [[1.0]], "row_lower": 0.0, "row_upper": 1.0}
    args |= {"lower": 0.0, "upper": 1.0} | change
    with pytest.raises(ValueError, match=message):
        solve_lp(**args)


def test_bad_growth():
    program = LinearProgram([1.0], [[1.0]], 0.0, 1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="`rows` must have 1 columns"):
        program.add_rows([[1.0, 2.0]], 0.0, 1.0)
    with pytest.raises(ValueError, match="`indices` must be in"):
        program.change_costs([3], [1.0])


@pytest.mark.parametrize("status", list(LPStatus))
def test_every_status_is_a_sentence(status):
    assert status.sentence.endswith(".")
    assert status is LPStatus.OPTIMAL or len(status.sentence.split(".")) > 2  # what, and what next


def test_error_carries_status_and_detail_through_pickle():
    error = pickle.loads(pickle.dumps(SolverError(LPStatus.TIME_LIMIT, "More.")))
    assert error.status is LPStatus.TIME_LIMIT
    assert str(error).startswith("The time limit passed")
    assert str(error).endswith("More.")
