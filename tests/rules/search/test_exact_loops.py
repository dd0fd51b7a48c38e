"""The histogram engine's loops: bounds hold for every pair, and are not loose."""

from __future__ import annotations

import numpy as np
import pytest

from handful.rules import pair_tolerance
from handful.rules.search.exact_loops import (
    Best,
    Bins,
    Case,
    Live,
    bound_block,
    search_pairs,
    shell_sort,
)
from handful.rules.search.histogram import sketch_of

NOTHING = Best(0.0, 0, 0, -1, 0, 0, -1)


def live_of(X, n_same, penalty, kept=()):
    """A conjunction whose first ``n_same`` rows are of the own class."""
    K = X @ X.T
    diagonal = np.diag(K)
    tols = pair_tolerance(diagonal[:n_same, None], diagonal[n_same:], K[:n_same, n_same:])
    case = Case(np.ones(len(X), np.int64), n_same, np.array(kept, dtype=np.int64), penalty, False)
    return Live(K[:n_same], K[n_same:], tols, case)


def exact_worths(live):
    n_own, n_other = live.tols.shape
    found = [search_pairs(live, np.array([p]), NOTHING).value for p in range(n_own * n_other)]
    return np.array(found).reshape(n_own, n_other)


@pytest.mark.parametrize("penalty", [0.3, 1.0, np.pi, np.inf])
@pytest.mark.parametrize("name", ["smooth", "grid", "heavy", "far"])
def test_bounds_are_never_below_the_worth(name, penalty, rng):
    X = {
        "smooth": rng.normal(size=(50, 3)),
        "grid": rng.integers(0, 3, (50, 2)).astype(float),
        "heavy": np.exp(5 * rng.normal(size=(50, 2))),
        "far": 1e6 + rng.normal(size=(50, 2)),
    }[name]
    live = live_of(X, 20, penalty, kept=(3,))
    sketch, scale = sketch_of(live)
    worths = exact_worths(live)
    bounds = np.empty(worths.shape, np.int32)
    for ceiling in (-1.0, 0.5, np.inf):
        for octaves in (1, 8):
            factor = np.float32(64 / octaves / 2**23)
            bins = Bins(np.float32(ceiling), np.float32(0.3), factor)
            bound_block(sketch, bins, 0, worths.shape[1], bounds)
            assert (bounds >= scale * (worths - 2.0**-24) - 1).all()


def test_bounds_are_close_to_the_worth(rng):
    live = live_of(rng.normal(size=(200, 3)), 80, 1.0)
    sketch, scale = sketch_of(live)
    worths = exact_worths(live)
    bounds = np.empty(worths.shape, np.int32)
    bins = Bins(np.float32(3.0), np.float32(6.0), np.float32(64 / 2**23))
    bound_block(sketch, bins, 0, worths.shape[1], bounds)
    assert np.median(bounds / scale - worths) < 10


def test_a_block_writes_its_columns_only(rng):
    live = live_of(rng.normal(size=(30, 2)), 11, 1.0)
    sketch, _ = sketch_of(live)
    bins = Bins(np.float32(1.0), np.float32(1.0), np.float32(16 / 2**23))
    whole, parts = np.full((2, *live.tols.shape), -1, np.int32)
    bound_block(sketch, bins, 0, 19, whole)
    bound_block(sketch, bins, 3, 8, parts)
    assert (parts[:, 3:8] == whole[:, 3:8]).all()
    assert (np.delete(parts, range(3, 8), axis=1) == -1).all()
    assert (whole >= 0).all()


@pytest.mark.parametrize("n", [0, 1, 2, 33, 200])
def test_shell_sort_breaks_ties_by_index(n, rng):
    values, index = rng.integers(0, 9, n).astype(float), rng.permutation(n)
    expected = sorted(zip(values, index, strict=True))
    sort = getattr(shell_sort, "py_func", shell_sort)
    sort(values, index, n)
    assert list(zip(values, index, strict=True)) == expected


def test_search_keeps_the_earliest_of_equal_pairs(rng):
    live = live_of(np.repeat(rng.normal(size=(2, 2)), 5, axis=0), 5, 1.0)
    forwards, backwards = np.arange(25), np.arange(25)[::-1].copy()
    assert search_pairs(live, forwards, NOTHING) == search_pairs(live, backwards, NOTHING)
    assert search_pairs(live, forwards, NOTHING).rank == 0
