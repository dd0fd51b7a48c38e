"""Taking some rows from chunks, and adding up over all of them."""

from __future__ import annotations

import dask
import numpy as np
import pytest

from handful.distributed import read_chunks, watch_passes
from handful.distributed.chunk_rows import in_chunk
from tests.distributed.conftest import cut, random_sizes

pytestmark = pytest.mark.usefixtures("plain")


def small(rng, n=60, d=3):
    return rng.normal(size=(n, d)), np.where(rng.random(n) < 0.4, "yes", "no")


def test_some_examples_are_taken_from_where_they_are(rng):
    X, y = small(rng)
    sizes = random_sizes(rng, 60)
    chunks = read_chunks(cut(X, sizes), cut(y, sizes))
    for _ in range(10):
        examples = np.sort(rng.choice(60, int(rng.integers(1, 60)), replace=False))
        taken, codes = chunks.take(examples)
        np.testing.assert_array_equal(taken, X[examples])
        np.testing.assert_array_equal(chunks.classes[codes], y[examples])
        at = chunks.within(examples)
        again = np.concatenate(
            [start + part for start, part in zip(chunks.starts, at, strict=True)]
        )
        np.testing.assert_array_equal(again, examples)


def test_held_examples_are_read_once(rng):
    X, y = small(rng)
    chunks = read_chunks(cut(X, [20, 40]), cut(y, [20, 40]))
    with watch_passes() as passes:
        for examples in (np.array([3, 50]), np.array([50]), chunks.shown, np.zeros(0, int)):
            np.testing.assert_array_equal(chunks.hold(examples)[0], X[examples])
    assert [p.name for p in passes] == ["take"]


def _sums(X, codes):
    return np.array([len(X), codes.sum()])


def test_whole_numbers_are_added_up(rng):
    X, y = small(rng)
    sizes = random_sizes(rng, 60)
    chunks = read_chunks(cut(X, sizes), cut(y, sizes))
    assert chunks.fold(_sums, "sums").tolist() == [60, (y == "yes").sum()]


def _signs(X, codes):
    return X > 0, codes


def _n_above(form):
    return int(form[0].sum())


@pytest.mark.parametrize("cache", [0, 2**30])
@pytest.mark.parametrize("block_bytes", [1, 2**25])
def test_mapped_rows_are_summed_whether_they_are_kept_or_not(rng, cache, block_bytes, monkeypatch):
    monkeypatch.setattr("handful.distributed.chunk_rows._BLOCK_BYTES", block_bytes)
    X, y = small(rng, n=900)
    sizes = random_sizes(rng, 900)
    chunks = read_chunks(cut(X, sizes), cut(y, sizes))
    absent = np.array([700, 3, 40])
    with dask.config.set({"handful.cache-bytes": cache}):
        mapped = chunks.mapped(_signs, 4, without=absent)
        found = mapped.fold(_n_above, "above", n_requests=2)
    assert found == (np.delete(X, absent, axis=0) > 0).sum()


def test_some_rows_only_and_all_but_some(rng):
    X, y = small(rng)
    sizes = random_sizes(rng, 60)
    chunks = read_chunks(cut(X, sizes), cut(y, sizes))
    some = np.sort(rng.choice(60, 13, replace=False))
    is_yes = y == "yes"
    assert chunks.fold(_sums, "some", only=some).tolist() == [13, is_yes[some].sum()]
    rest = chunks.fold(_sums, "rest", without=some)
    assert rest.tolist() == [47, np.delete(is_yes, some).sum()]


def test_errors_carry_the_number_of_the_chunk():
    def bad():
        raise ValueError("no good")

    assert in_chunk(3, lambda: 5) == 5
    with pytest.raises(ValueError, match="chunk 3: no good"):
        in_chunk(3, bad)
