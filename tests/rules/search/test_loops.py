"""The compiled loops: counts by hand, and the same results without compilation."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from handful.rules.search import table_loops
from handful.rules.search.table_loops import ABOVE, BELOW, EQUAL, UNEQUAL

ROOT = Path(__file__).resolve().parents[3]


def plain(loop):
    """The Python function behind a loop that only other loops call."""
    return getattr(loop, "py_func", loop)


def codes_of(values, cuts, tol=0.0):
    values = np.array([values], dtype=float)
    cuts = np.array([cuts], dtype=float)
    codes = np.empty(values.shape, np.uint16)
    zero = np.zeros(1, np.int64)
    n = np.array([cuts.shape[1]])
    table_loops.encode(values, zero, zero - 1, cuts, n, np.array([tol]), 0, 1, codes)
    return codes[0].tolist()


def test_codes_by_hand():
    assert codes_of([0, 1, 1.5, 2, 3, math.nan], [1, 2]) == [0, 1, 2, 3, 4, 5]
    assert codes_of([0.95, 1.05, 1.2], [1, 2], tol=0.1) == [1, 1, 2]


def test_codes_of_differences():
    values = np.array([[1.0, 5.0], [1.0, 2.0]])
    codes = np.empty((1, 2), np.uint16)
    one = np.array([0]), np.array([1])
    cuts, n, tol = np.array([[0.0, 3.0]]), np.array([2]), np.zeros(1)
    table_loops.encode(values, *one, cuts, n, tol, 0, 1, codes)
    assert codes.tolist() == [[1, 3]]


@pytest.mark.parametrize(("side", "expected"), [(BELOW, 3), (ABOVE, 2), (EQUAL, 1), (UNEQUAL, 5)])
def test_one_side_counts(side, expected):
    histogram = np.array([3, 1, 2, 9])  # below, at, above the only threshold; missing
    assert plain(table_loops._side_count)(np.cumsum(histogram), histogram, 0, side, 4) == expected


def best_free(same, other, penalty, costs=None):
    """One direction with two thresholds, both sides."""
    same, other = np.array([same]), np.array([other])
    sides = np.array([[0, BELOW], [0, ABOVE]])
    costs = np.zeros((1, 2), np.int64) if costs is None else np.array([costs])
    n, is_open = np.array([2]), np.ones(1, bool)
    return table_loops.best_free_rule(same, other, n, sides, is_open, costs, penalty, 0, 2)


def test_best_free_rule_by_hand():
    same, other = [0, 0, 1, 0, 4, 0], [2, 0, 3, 0, 0, 0]
    assert best_free(same, other, 0.5)[:6] == (4.5, 5, 1, 0, 1, BELOW)
    assert best_free(same, other, 10.0)[:6] == (2.0, 2, 0, 0, 0, BELOW)
    assert best_free(same, other, math.inf)[:6] == (2.0, 2, 0, 0, 0, BELOW)
    assert best_free([5, 0, 5, 0, 5, 0], [0] * 6, 1.0)[3] == table_loops.NO_RULE
    assert best_free([9, 0, 9, 0, 9, 0], [1, 0, 1, 0, 1, 0], math.inf)[3] == table_loops.NO_RULE


def test_ties_go_to_cheaper_then_larger_then_first():
    same, other = [0, 0, 1, 0, 0, 0], [2, 0, 1, 0, 0, 0]  # thresholds 0 and 1 are both worth 2
    assert best_free(same, other, 1.0)[1] == 3  # the larger cover
    assert best_free(same, other, 1.0, costs=[0, 1])[1] == 2  # the cheaper one
    even = best_free([0] * 6, [2, 0, 0, 0, 2, 0], 1.0)
    assert even[4:6] == (0, BELOW)  # the first


def test_a_pool_honours_an_infinite_penalty():
    same, other = np.array([[0, 0, 1, 0]]), np.array([[3, 0, 1, 0]])
    sides, n = np.array([[0, BELOW], [0, ABOVE]]), np.array([1])
    nats = np.zeros(11)
    found = table_loops.best_coded_rule(same, other, same, other, n, sides, nats, 5, math.inf, 1.0)
    assert found == (3.0, 3.0, 0.0, 0, 0, BELOW)


def test_usefulness_levels_count_every_candidate():
    same, other = np.array([[0, 0, 1, 0]]), np.array([[3, 0, 1, 0]])
    sides, n = np.array([[0, BELOW], [0, ABOVE]]), np.array([1])
    levels = table_loops.count_usefulness(same, other, n, sides, 5, 11)
    assert levels.tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]


def test_limits_keep_examples_uncovered():
    codes = np.array([[0, 1, 3, 4]], np.uint16)
    none = np.array([], np.int64)
    assert plain(table_loops._limits)(codes, 0, BELOW, np.array([2]), -1) == (0, 1)
    assert plain(table_loops._limits)(codes, 0, BELOW, none, 0) == (
        0,
        -1,
    )  # none keeps row 0
    assert plain(table_loops._limits)(codes, 0, ABOVE, np.array([1]), 3) == (2, 1 << 60)


@pytest.mark.thorough
def test_loops_give_the_same_without_compilation():
    """All tests of this folder's loops and sweeps, run by plain Python on tiny data."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    command = [
        *(sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider"),
        "tests/rules/search/test_loops.py",
        "tests/rules/search/test_list_sweep.py",
        "tests/rules/search/test_greedy.py",
        *("-k", "not without_compilation and (test_loops or grid or toy or families0 or removed)"),
    ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
