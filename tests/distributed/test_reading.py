"""Reading chunks: sizes, labels, words, and errors that name the chunk."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from handful.distributed import read_chunks
from handful.distributed.cluster import compute
from handful.tables import RowNeeds, typed_columns
from tests.distributed.conftest import cut, random_sizes

pytestmark = pytest.mark.usefixtures("plain")


def small(rng, n=60, d=3):
    return rng.normal(size=(n, d)), np.where(rng.random(n) < 0.4, "yes", "no")


def blocks(Xs, ys, width):
    """A Dask pair whose blocks need not be what they claim."""
    X = da.concatenate(
        [
            da.from_delayed(dask.delayed(x, pure=False), (len(y), width), float)
            for x, y in zip(Xs, ys, strict=True)
        ]
    )
    y = da.concatenate(
        [da.from_delayed(dask.delayed(y, pure=False), (len(y),), y.dtype) for y in ys]
    )
    return X, y


@pytest.mark.parametrize("cache", [0, 2**30])
def test_chunks_hold_the_rows_in_order(rng, cache):
    X, y = small(rng)
    sizes = random_sizes(rng, 60)
    with dask.config.set({"handful.cache-bytes": cache}):
        chunks = read_chunks(cut(X, sizes), cut(y, sizes))
    assert chunks.sizes.tolist() == sizes
    assert chunks.classes.tolist() == ["no", "yes"]
    assert chunks.class_counts.tolist() == [(y == "no").sum(), (y == "yes").sum()]
    assert chunks.largest == np.abs(X).max()
    parts = compute(chunks.parts)
    np.testing.assert_array_equal(np.concatenate([p[0] for p in parts]), X)
    np.testing.assert_array_equal(chunks.classes[np.concatenate([p[1] for p in parts])], y)


def test_unknown_sizes_and_other_cuts_are_found_out(rng):
    X, y = small(rng)
    lazy = cut(X, [20, 40])
    unknown = lazy[lazy[:, 0] > -np.inf]
    labels = cut(y, [20, 40])[cut(X, [20, 40])[:, 0] > -np.inf]
    assert np.isnan(unknown.chunks[0][0])
    assert read_chunks(unknown, labels).sizes.tolist() == [20, 40]
    assert read_chunks(lazy, cut(y, [30, 30])).sizes.tolist() == [20, 40]
    wide = lazy.rechunk({1: 1})
    assert read_chunks(wide, labels).n_features == 3


def test_labels_made_of_the_rows_do_not_make_the_rows_twice(rng):
    X, _ = small(rng)
    calls = []

    def slowly(block):
        calls.append(1)
        return block + 0.0

    lazy = cut(X, [20, 40]).map_blocks(slowly, dtype=float, meta=np.zeros((0, 0)))
    labels = lazy.map_blocks(lambda b: b[:, 0] > 0, drop_axis=1, dtype=bool, meta=np.zeros(0, bool))
    with dask.config.set({"handful.cache-bytes": 0}):
        read_chunks(lazy, labels)
    assert len(calls) == 2


def test_frames_keep_names_and_words(rng):
    frame = pd.DataFrame({"a": rng.normal(size=40), "colour": rng.choice(["red", "blue"], 40)})
    y = pd.Series(rng.integers(0, 2, 40))
    chunks = read_chunks(dd.from_pandas(frame, npartitions=4), dd.from_pandas(y, npartitions=4))
    assert chunks.names == ["a", "colour"]
    assert [c.levels for c in chunks.columns.columns] == [(), ("blue", "red")]
    X = np.concatenate([part[0] for part in compute(chunks.parts)])
    np.testing.assert_array_equal(X[:, 1] == 1.0, frame["colour"] == "red")


def test_a_word_column_of_one_chunk_is_a_word_column_of_all():
    frame = pd.DataFrame({"a": np.arange(4.0), "w": [None, None, "x", "y"]}, dtype=object)
    frame["a"] = frame["a"].astype(float)
    y = pd.Series([0, 1, 0, 1])
    chunks = read_chunks(dd.from_pandas(frame, npartitions=2), dd.from_pandas(y, npartitions=2))
    assert [c.levels for c in chunks.columns.columns] == [(), ("x", "y")]


def test_ordered_categories_are_places_on_their_scale_as_in_memory():
    stage = pd.Categorical(["i", "iii", None, "ii"], categories=["i", "ii", "iii"], ordered=True)
    frame = pd.DataFrame({"a": np.arange(4.0), "stage": stage})
    y = pd.Series([0, 1, 0, 1])
    chunks = read_chunks(dd.from_pandas(frame, npartitions=2), dd.from_pandas(y, npartitions=2))
    X = np.concatenate([part[0] for part in compute(chunks.parts)])
    np.testing.assert_array_equal(X[:, 1], [0.0, 2.0, np.nan, 1.0])
    assert chunks.columns == typed_columns(frame)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # inside Dask
def test_frames_read_from_files_stay_aligned(rng, tmp_path):
    frame = pd.DataFrame({f"c{j}": rng.normal(size=90) for j in range(6)})
    frame["label"] = np.where(frame["c0"] > 0, "a", "b")
    for k in range(3):
        frame.iloc[30 * k : 30 * k + 30].to_parquet(tmp_path / f"{k}.parquet", index=False)
    both = dd.read_parquet(tmp_path / "*.parquet")
    chunks = read_chunks(both.drop(columns=["label"]), both["label"])
    assert chunks.sizes.tolist() == [30, 30, 30]
    X, codes = (np.concatenate(side) for side in zip(*compute(chunks.parts), strict=True))
    np.testing.assert_array_equal(X, frame.drop(columns=["label"]))
    np.testing.assert_array_equal(chunks.classes[codes], frame["label"])
    labels = cut((frame["label"] == "a").to_numpy(), [30, 30, 30])
    assert read_chunks(both.drop(columns=["label"]), labels).sizes.tolist() == [30, 30, 30]


def test_oddities_beside_words_are_seen(rng):
    frame = pd.DataFrame({"a": rng.normal(size=8), "w": ["x", "y"] * 4})
    frame.loc[6, "a"] = np.inf
    pair = dd.from_pandas(frame, npartitions=2), dd.from_pandas(frame["w"], npartitions=2)
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 4\): Input X contains infinity"):
        read_chunks(*pair)


def test_a_wrong_width_names_the_chunk(rng):
    X, y = small(rng)
    pair = blocks([X[:20], X[20:40, :2], X[40:]], [y[:20], y[20:40], y[40:]], 3)
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 20\) has 2 columns, and `X` has 3"):
        read_chunks(*pair)


def test_missing_values_name_the_chunk(rng):
    X, y = small(rng)
    X[45, 1] = np.nan
    pair = cut(X, [20, 20, 20]), cut(y, [20, 20, 20])
    assert read_chunks(*pair).has_missing
    with pytest.raises(ValueError, match=r"chunk 2 \(from row 40\): Input X contains NaN"):
        read_chunks(*pair, RowNeeds(may_miss=False))
    X[25, 0] = np.inf
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 20\): Input X contains infinity"):
        read_chunks(cut(X, [20, 20, 20]), pair[1])


def test_a_new_label_names_the_chunk(rng):
    X, y = small(rng)
    y = y.astype(object)
    y[33] = "maybe"
    pair = cut(X, [30, 30]), cut(y, [30, 30])
    assert read_chunks(*pair).classes.tolist() == ["maybe", "no", "yes"]
    message = r"chunk 1 \(from row 30\) has the label 'maybe', which is none of `classes`"
    with pytest.raises(ValueError, match=message):
        read_chunks(*pair, RowNeeds(classes=["no", "yes"]))
    y[33] = None
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 30\) has missing labels"):
        read_chunks(cut(X, [30, 30]), cut(y, [30, 30]))


def test_words_in_an_array_name_the_chunk():
    X = np.array([[1.0], ["x"]], dtype=object)
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 1\) cannot be read as numbers"):
        read_chunks(cut(X, [1, 1]), cut([0, 1], [1, 1]))


def test_rows_and_labels_must_go_together(rng):
    X, y = small(rng)
    with pytest.raises(ValueError, match="got 2 chunks of labels for 3 chunks of rows"):
        read_chunks(cut(X, [20, 20, 20]), cut(y[:50], [25, 25]))
    pair = blocks([X[:20], X[20:]], [y[:20], y[20:50]], 3)
    with pytest.raises(ValueError, match=r"chunk 1 \(from row 20\) has 40 rows and 30 labels"):
        read_chunks(*pair)
    with pytest.raises(TypeError, match="`y` must be a Dask array or series, cut like `X`"):
        read_chunks(cut(X, [60]), y)
    with pytest.raises(ValueError, match="`X` must have two dimensions, got 1"):
        read_chunks(cut(y, [60]), cut(y, [60]))
    with pytest.raises(ValueError, match="`y` must have one dimension, got 2"):
        read_chunks(cut(X, [60]), cut(X, [60]))
    with pytest.raises(ValueError, match="`X` has no rows"):
        read_chunks(cut(X[:0], [0]), cut(y[:0], [0]))


def test_a_chunk_that_changes_is_noticed(rng):
    X, y = small(rng)
    calls = []

    def load():
        calls.append(1)
        return X if len(calls) < 2 else X[:59]

    lazy = da.from_delayed(dask.delayed(load, pure=False)(), (60, 3), float)
    with dask.config.set({"handful.cache-bytes": 0}):
        chunks = read_chunks(lazy, cut(y, [60]))
    with pytest.raises(ValueError, match="chunk 0 changed between two looks at it"):
        compute(chunks.parts)
