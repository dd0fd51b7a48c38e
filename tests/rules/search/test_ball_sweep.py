"""The ball engine finds the same balls as the counting engine over a table of all distances."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handful.kernels import Kernel
from handful.rules import Geometry, Sweep, SweepOptions, collapse_rows
from handful.rules.search.ball_sweep import BallSweep
from tests.rules.cases import KINDS, SHAPES, SIGNS, path_of, rows_and_pool, table_of

PENALTIES = (0.4, 1.0, 2.5, math.inf)


def both_paths(rows, pool, sign, options, **how):
    whole = Sweep(table_of("balls", rows, pool, **how), rows, sign, options)
    table, paths = BallSweep(rows, pool, sign, options, Geometry(**how)).paths(PENALTIES)
    named = [tuple(replace(step, t=int(table.first[step.t])) for step in path) for path in paths]
    return named, [path_of(whole, penalty) for penalty in PENALTIES]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stop", [True, False])
def test_same_paths_as_the_table(rng, kind, shape, stop):
    options = SweepOptions(max_rules=4, stop_on_nonpositive=stop, prefer_kept=stop)
    for m in (6, 14, 60, 200):
        rows, pool = rows_and_pool(rng, shape, m=m, n=3)
        found, wanted = both_paths(rows, pool, SIGNS[kind], options)
        assert found == wanted
    assert any(found)


@pytest.mark.parametrize(
    "how",
    [{"metric": "manhattan"}, {"metric": "chebyshev"}, {"ball_kernel": Kernel("rbf", gamma=0.3)}],
    ids=["manhattan", "chebyshev", "rbf"],
)
def test_any_metric(rng, how):
    rows, pool = rows_and_pool(rng, "smooth", m=80, n=3)
    found, wanted = both_paths(rows, pool, 1, SweepOptions(max_rules=3), **how)
    assert found == wanted
    assert found[0]


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e100])
def test_any_scale_and_a_far_origin(rng, scale):
    X = (rng.normal(size=(120, 2)) + 1e3) * scale
    y = np.where(((X / scale - 1e3) ** 2).sum(axis=1) < 1.5, 1, -1)
    rows = collapse_rows(X, y)
    found, wanted = both_paths(rows, np.arange(120)[::-1], 1, SweepOptions(max_rules=3))
    assert found == wanted


def test_threads_do_not_matter(rng, monkeypatch):
    monkeypatch.setattr("handful.rules.table._PARALLEL", 0)
    rows, pool = rows_and_pool(rng, "smooth", m=300, n=4)
    options = [SweepOptions(max_rules=3, n_threads=n) for n in (1, 3)]
    one, two = (BallSweep(rows, pool, 1, o, Geometry()).paths(PENALTIES)[1] for o in options)
    assert one == two


def test_few_centres_are_searched(rng, monkeypatch):
    """The bounds prune: a handful of centres is searched exactly, not all of them."""
    X = rng.normal(size=(1500, 4))
    rows = collapse_rows(X, np.where((X**2).sum(axis=1) + rng.normal(size=1500) < 4, 1, -1))
    searched = []
    best_of = BallSweep._best_of

    def counting(self, state, centers, penalty):
        searched.append(len(centers))
        return best_of(self, state, centers, penalty)

    monkeypatch.setattr(BallSweep, "_best_of", counting)
    BallSweep(rows, np.arange(1500), 1, SweepOptions(max_rules=1), Geometry()).paths([1.0])
    assert sum(searched) < 100
