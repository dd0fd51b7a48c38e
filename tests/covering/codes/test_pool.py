"""Pool priors: ranks, prices and paths against a slow twin."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.covering.codes import pool_candidates
from handful.covering.codes.pool import pool_price, size_nats
from handful.rules import PoolSweep, collapse_rows, make_projections, signs_of
from handful.rules.search.pool_sweep import level_nats, place_masses
from tests.oracles import covering as oracle
from tests.rules.cases import KINDS, SHAPES, SIDES, SIGNS, messy, path_of


def pooled(rng, shape, families=("stumps",), m=30, size=12):
    X, y = messy(rng, shape, m=m)
    rows = collapse_rows(X, y)
    pool = rng.permutation(m)[:size]
    return X, y, rows, make_projections(rows, pool, families)


def sweep_of(projections, rows, kind, max_rules):
    counter = rows.counter([projections.table], without=projections.pool)
    return PoolSweep(projections, kind, max_rules, counter)


def directions(projections, values):
    """Directions of the slow twin, from the values of the candidates."""
    sides = {}
    for t, side in projections.sides.tolist():
        sides.setdefault(t, []).append(SIDES[side])
    table = projections.table
    return [
        {
            "values": values[t].tolist(),
            "tol": float(projections.tolerances[t]),
            "cuts": table.thresholds[t, : table.n_thresholds[t]].tolist(),
            "sides": sides[t],
        }
        for t in range(table.n_directions)
    ]


def slow_values(projections, X):
    """Values of every direction, from the rules themselves."""
    return np.array(
        [projections.make_rule(t, 0, 0).value.of(X) for t in range(projections.table.n_directions)]
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("families", [("stumps",), ("stumps", "half-spaces"), ("balls",)])
def test_paths_agree_with_the_slow_twin(families, kind, shape, rng):
    _, _, rows, projections = pooled(rng, shape, families, m=22, size=9)
    X_pool = rows.X[rows.row_of[projections.pool]]
    fast = sweep_of(projections, rows, kind, 3)
    for penalty in (0.7, 1.5, math.inf):
        for exchange in (0.5, 5.0):
            ours = path_of(fast, penalty, exchange)
            theirs = oracle.pool_cover(
                directions(projections, slow_values(projections, rows.X)),
                directions(projections, slow_values(projections, X_pool)),
                rows.y.tolist(), rows.searched(projections.pool).tolist(),
                projections.pool_y.tolist(), SIGNS[kind], penalty, exchange, 3,
            )  # fmt: skip
            assert len(ours) == len(theirs)
            for step, (t, cut, side, nats) in zip(ours, theirs, strict=True):
                found = (step.t, projections.table.thresholds[step.t, step.j])
                assert (*found, SIDES[step.side]) == (t, cut, side)
                assert step.nats == pytest.approx(nats, abs=1e-9)


@pytest.mark.parametrize("counts", [[1], [5], [0, 3, 0, 2, 1], [1000, 0, 1], list(range(50))])
def test_ranks_are_a_probability(counts):
    counts = np.array(counts)
    nats = level_nats(counts)
    weight = math.fsum(n * math.exp(-v) for n, v in zip(counts, nats, strict=True) if n)
    assert weight == pytest.approx(1.0, abs=1e-9)
    present = nats[counts > 0]
    assert (np.diff(present) <= 1e-12).all()  # higher levels are cheaper
    usefulness = np.repeat(np.arange(len(counts)), counts).tolist()
    np.testing.assert_allclose(np.repeat(nats, counts), oracle.rank_nats(usefulness), rtol=1e-8)


def test_rank_masses_end_at_one():
    assert place_masses(1).tolist() == [0.0, 1.0]
    assert place_masses(1000)[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("n_kinds", [1, 2])
def test_sizes_and_kinds_weigh_at_most_one(n_kinds):
    total = 0.0
    for r in range(1, 60):
        steps = [type("Step", (), {"nats": 0.0})()] * r
        price = math.fsum(term.nats for term in pool_price(steps, n_kinds))
        n_allowed = 1 if r == 1 else n_kinds  # one rule and its negation are both candidates
        total += n_allowed * math.exp(-price)
    assert total == pytest.approx(1.0)
    assert size_nats(3) == pytest.approx(3 * math.log(2))


def test_candidates_count_outside_the_pool_alone(rng):
    for shape in SHAPES:
        X, y, rows, projections = pooled(rng, shape, ("stumps", "linear", "half-spaces", "balls"))
        found = list(
            pool_candidates(rows, projections, kinds=KINDS, penalties=(1.0, 2.0), max_rules=3)
        )
        assert found
        outside = np.ones(len(y), bool)
        outside[projections.pool] = False
        for c in found:
            wrong = signs_of(c.build(), X) != y
            assert set(c.kept) == set(projections.pool.tolist())
            assert c.counts.n_errors_all == wrong.sum()
            assert c.n_false_positives == (wrong & outside & (y < 0)).sum()
            assert c.n_false_negatives == (wrong & outside & (y > 0)).sum()
            assert (c.kind, c.n_rules) != ("disjunction", 1)  # it would need mass of its own


def test_one_kind_keeps_its_single_rules(rng):
    _, _, rows, projections = pooled(rng, "smooth")
    found = pool_candidates(
        rows, projections, kinds=("disjunction",), penalties=(1.0,), max_rules=1
    )
    assert [c.n_rules for c in found]


def test_labels_outside_the_pool_do_not_move_its_prices(rng):
    """Prices are read off the pool: flipping the other labels changes no candidate's nats."""
    X, y, rows, projections = pooled(rng, "smooth", ("stumps", "half-spaces"))
    flipped = y.copy()
    outside = np.setdiff1d(np.arange(len(y)), projections.pool)
    flipped[outside] *= -1
    other_rows = collapse_rows(X, flipped)
    here = make_projections(rows, projections.pool, ("stumps", "half-spaces"))
    there = make_projections(other_rows, projections.pool, ("stumps", "half-spaces"))
    np.testing.assert_array_equal(here.weights, there.weights)
    np.testing.assert_array_equal(here.table.thresholds, there.table.thresholds)
    np.testing.assert_array_equal(here.pool_table.codes, there.pool_table.codes)
    price = [
        {(s.t, s.j, s.side): s.nats for s in path_of(sweep_of(p, r, "conjunction", 1), 1.0, 0.0)}
        for p, r in ((here, rows), (there, other_rows))
    ]
    ranks = [level_nats_of(p, r) for p, r in ((here, rows), (there, other_rows))]
    np.testing.assert_array_equal(ranks[0], ranks[1])
    assert all(price)


def level_nats_of(projections, rows):
    from handful.rules.search import table_loops

    sweep = sweep_of(projections, rows, "conjunction", 1)
    n = len(projections.pool)
    return table_loops.count_usefulness(
        sweep.pool_same, sweep.pool_other, projections.table.n_thresholds, projections.sides,
        n, 2 * n + 1,
    )  # fmt: skip


def test_a_pool_of_equal_rows_offers_nothing(rng):
    X = np.vstack([np.zeros((6, 2)), rng.normal(size=(6, 2))])
    y = np.tile([1, -1], 6)
    rows = collapse_rows(X, y)
    projections = make_projections(rows, np.arange(6), ("stumps",))
    assert path_of(sweep_of(projections, rows, "conjunction", 3), 1.0, 1.0) == ()
