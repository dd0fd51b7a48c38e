"""Training rows: the blind order, sums over rows, groups; memory is the case of one chunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from handful import AdaBoost
from handful.tables import (
    Grouping,
    Joined,
    MemoryRows,
    SeenRows,
    Sums,
    blind_order,
    take_rows,
)


def small(rng, n=40, **options):
    X = rng.normal(size=(n, 3))
    labels, codes = np.unique(rng.choice(["no", "yes"], n), return_inverse=True)
    return MemoryRows(X, codes, labels, **options)


@dataclass(frozen=True)
class Total:
    def __call__(self, X, codes):
        return Sums(X.sum(axis=0), np.array(len(X)), codes.sum())


def test_the_first_rows_are_those_of_the_blind_order(rng):
    rows = small(rng)
    order = blind_order(rows.X, rows.classes[rows.codes]).order
    np.testing.assert_array_equal(rows.first(7), order[:7])
    X, codes = rows.hold(rows.first(7))
    np.testing.assert_array_equal(X, rows.X[order[:7]])
    np.testing.assert_array_equal(codes, rows.codes[order[:7]])
    assert rows.class_counts.sum() == rows.n_samples == 40
    assert rows.groups is None


def test_sums_over_all_rows_some_and_all_but_some(rng):
    rows, some = small(rng), np.array([3, 8, 20])
    whole, part, rest = (
        rows.fold(Total(), "total", **which) for which in ({}, {"only": some}, {"without": some})
    )
    for a, b in zip(whole, part + rest, strict=True):
        np.testing.assert_allclose(a, b)
    sums, n, n_yes = part
    np.testing.assert_allclose(sums, rows.X[some].sum(axis=0))
    assert (n, n_yes) == (3, rows.codes[some].sum())


def test_values_row_by_row_are_joined_in_their_order(rng):
    rows = small(rng)
    found = rows.fold(lambda X, codes: Joined(X[:, 0]), "values")
    np.testing.assert_array_equal(found.values, rows.X[:, 0])
    both = Joined(np.array([1.0])) + Joined(np.array([2.0, 3.0]))
    assert both.values.tolist() == [1.0, 2.0, 3.0]


def test_mapped_rows_are_summed(rng):
    rows = small(rng)
    mapped = rows.mapped(lambda X, codes: (X > 0, codes), 4, without=np.array([0, 1]))
    assert mapped.fold(lambda form: int(form[0].sum()), "positive") == (rows.X[2:] > 0).sum()


def test_groups_stand_together_in_blind_order(rng):
    groups = rng.integers(0, 9, 40)
    rows = small(rng, given_groups=groups)
    assert sorted(rows.first(40).tolist()) == list(range(40))
    found = rows.groups
    assert len(found) == len(np.unique(groups))
    assert (np.diff(found.member) >= 0).all()
    np.testing.assert_array_equal(
        found.sizes[found.member], np.bincount(groups)[groups[rows.order]]
    )
    assert found.n_rows(2) == found.sizes[:2].sum()
    assert len(np.unique(groups[rows.first(found.n_rows(2))])) == 2
    rest = found.after(2)
    assert len(rest) == len(found) - 2
    np.testing.assert_array_equal(rest.sizes, found.sizes[2:])


def test_weights_tell_equal_rows_apart():
    X, codes = np.zeros((6, 1)), np.zeros(6, dtype=int)
    weights = np.array([3.0, 1.0, 2.0, 6.0, 5.0, 4.0])
    rows = [
        MemoryRows(X, codes, np.array(["a"]), weights=w) for w in (weights, weights[::-1].copy())
    ]
    first, second = (r.weights[r.first(3)].tolist() for r in rows)
    assert first == second


def test_rows_are_remembered_by_their_digests(rng):
    rows = small(rng)
    expected = SeenRows.of(rows.X, rows.classes[rows.codes])
    np.testing.assert_array_equal(rows.seen().digests, expected.digests)
    frame = pd.DataFrame(rows.X, columns=list("abc"))
    other = MemoryRows(rows.X, rows.codes, rows.classes, table=frame)
    np.testing.assert_array_equal(other.seen().digests, expected.digests)


def test_means_by_group():
    groups = Grouping.of(np.array([7, 7, 2, 2, 2, 5]))
    is_wrong = np.array([True, False, True, True, False, False])
    np.testing.assert_allclose(groups.means(is_wrong), [0.5, 2 / 3, 0.0])
    assert groups.first.tolist() == [0, 2, 5]


def test_rows_of_frames_and_arrays(rng):
    X = rng.normal(size=(5, 2))
    np.testing.assert_array_equal(take_rows(pd.DataFrame(X), [3, 1]).to_numpy(), X[[3, 1]])
    np.testing.assert_array_equal(take_rows(X, slice(1, 3)), X[1:3])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fit_by_rows_is_the_fit_of_memory(rng, n_classes):
    X = rng.normal(size=(120, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.4, 0.5][: n_classes - 1])]
    here = AdaBoost(n_rounds=6, candidates=30).fit(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    there = AdaBoost(n_rounds=6, candidates=30).fit_rows(MemoryRows(X, codes, classes))
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))
    assert there.certificate_ == here.certificate_
    assert there.n_training_errors_ == here.n_training_errors_
