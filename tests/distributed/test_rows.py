"""Rows that are held only in part."""

from __future__ import annotations

import numpy as np
import pytest

from handful.distributed import read_chunks
from handful.models import Condition
from handful.rules import Rows, collapse_rows, rule_set
from handful.rules.search_rows import HeldIndex, SourceRows
from handful.tables import blind_order
from tests.distributed.conftest import cut

pytestmark = pytest.mark.usefixtures("plain")


def test_the_index_knows_only_what_is_held():
    index = HeldIndex(np.array([2, 5, 9]), np.array([1, 0, 1]), 10**11)
    assert index.shape == (10**11,)
    assert index[9] == 1
    np.testing.assert_array_equal(index[[5, 2]], [0, 1])
    assert index[np.zeros(0, dtype=np.int64)].shape == (0,)
    for absent in (3, 10, [2, 6]):
        with pytest.raises(IndexError, match="not held in memory"):
            index[absent]


@pytest.mark.parametrize("limit", [50_000, 10])
def test_held_rows_are_those_of_memory(rng, limit, monkeypatch):
    monkeypatch.setattr("handful.rules.search_rows.LARGEST_COLLAPSE", limit)
    monkeypatch.setattr("handful.rules.search_rows.LARGEST_COLLAPSE", limit)
    X = rng.integers(0, 3, (50, 2)).astype(float)
    codes = rng.integers(0, 3, 50)
    chunks = read_chunks(cut(X, [17, 33]), cut(codes, [17, 33]))
    order = blind_order(X, codes).order
    X, codes = X[order], codes[order]
    for positive in range(3):
        here = collapse_rows(X, np.where(codes == positive, 1, -1))
        bare = SourceRows.of(chunks, positive)
        assert bare.n_samples == here.n_samples
        assert bare.totals == here.totals
        assert bare.largest == here.largest
        examples = np.arange(20)  # in the blind order
        held = bare.holding(20)
        rows = held.row_of[examples]
        np.testing.assert_array_equal(held.X[rows], X[examples])
        np.testing.assert_array_equal(held.y[rows], here.y[here.row_of[examples]])
        groups = here.row_of[examples]
        np.testing.assert_array_equal(  # the same order and the same groups
            np.unique(rows, return_inverse=True)[1], np.unique(groups, return_inverse=True)[1]
        )
        machine = rule_set([Condition.on(0, ">", 1.0)], "disjunction")
        assert held.judge([machine, machine]) == here.judge([machine, machine])
        assert held.judge([machine])[0].n_covered == ((n := int((X[:, 0] > 1.0).sum())), len(X) - n)


def test_holding_everything_is_being_in_memory(rng):
    X, y = rng.normal(size=(12, 2)), rng.integers(0, 2, 12)
    chunks = read_chunks(cut(X, [5, 7]), cut(y, [5, 7]))
    held = SourceRows.of(chunks, 1).holding(12)
    assert type(held) is Rows
    np.testing.assert_array_equal(held.X[held.row_of], X[blind_order(X, y).order])
