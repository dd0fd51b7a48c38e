"""Covering machines on chunks are those of memory, bit for bit, however the rows are cut."""

from __future__ import annotations

import pickle

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import DecisionListMachine, SetCoveringMachine, load_dataset
from handful.distributed import chunk_digests, read_chunks, watch_passes
from handful.tables import blind_order
from tests.distributed.conftest import cut, random_sizes

pytestmark = pytest.mark.usefixtures("plain")

MACHINES = {
    "default": SetCoveringMachine(random_state=3),
    "stumps": SetCoveringMachine("stumps", candidates=40, random_state=0),
    "balls": SetCoveringMachine("balls", candidates=30, random_state=1),
    "half-spaces": SetCoveringMachine("half-spaces", candidates=24, random_state=2),
    "rbf": SetCoveringMachine(
        "half-spaces", kernel="rbf", gamma=0.1, candidates=20, random_state=2
    ),
    "poly": SetCoveringMachine("half-spaces", kernel="poly", candidates=16, random_state=2),
    "two-point": SetCoveringMachine("two-point", candidates=20, random_state=2),
    "mixed": SetCoveringMachine(["stumps", "balls"], candidates=20, random_state=2),
    "linear": SetCoveringMachine("linear", random_state=0),
    "paper": SetCoveringMachine(
        "balls", candidates=30, penalty=[1.0, np.inf], stop_on_nonpositive=False, max_rules=3
    ),
    "costs": SetCoveringMachine("stumps", costs=(1.0, 5.0), random_state=0),
    "list": DecisionListMachine(random_state=0),
    "mixed list": DecisionListMachine(["stumps", "half-spaces"], candidates=20, random_state=0),
}


def shifted():
    data = load_dataset("breastw")
    return data.X[:300] / 7.0 + 0.1, data.y[:300]  # values that are no longer whole numbers


def assert_same(here, there, X):
    assert there.certificate_ == here.certificate_
    assert len(here.rules_) > 0
    assert there.rules_ == here.rules_
    pd.testing.assert_frame_equal(there.path_, here.path_, check_exact=True)
    pd.testing.assert_frame_equal(there.get_rules(), here.get_rules())
    np.testing.assert_array_equal(there.compression_set_, here.compression_set_)
    np.testing.assert_array_equal(there.predict(X), here.predict(X))
    assert there.n_training_errors_ == here.n_training_errors_
    assert there.n_errors_ == here.n_errors_
    assert there.n_samples_ == here.n_samples_
    assert there.certify(0.2) == here.certify(0.2)


@pytest.mark.parametrize("name", MACHINES)
def test_chunks_give_the_machine_of_memory(name, rng):
    X, y = shifted()
    machine = MACHINES[name].set_params(random_state=int(rng.integers(100)))
    here = pickle.loads(pickle.dumps(machine)).fit(X, y)
    sizes = random_sizes(rng, len(y))
    there = pickle.loads(pickle.dumps(machine)).fit(cut(X, sizes), cut(y, sizes))
    assert_same(here, there, X)


@settings(max_examples=6)
@given(st.data())
def test_no_cut_matters(data):
    X, y = shifted()
    edges = data.draw(st.sets(st.integers(1, len(y) - 1), max_size=6))
    sizes = np.diff([0, *sorted(edges), len(y)]).tolist()
    name = data.draw(st.sampled_from(["stumps", "half-spaces", "list"]))
    cache = data.draw(st.sampled_from([0, 2**30]))
    here = pickle.loads(pickle.dumps(MACHINES[name])).fit(X, y)
    with dask.config.set({"handful.cache-bytes": cache}):
        there = pickle.loads(pickle.dumps(MACHINES[name])).fit(cut(X, sizes), cut(y, sizes))
    assert_same(here, there, X)


@pytest.mark.parametrize("name", ["default", "half-spaces", "list"])
def test_many_rows_are_drawn_and_counted_alike(name, rng, monkeypatch):
    for module in ("rules.search_rows", "rules.search_rows"):
        monkeypatch.setattr(f"handful.{module}.LARGEST_COLLAPSE", 100)
    X, y = shifted()
    here = pickle.loads(pickle.dumps(MACHINES[name])).fit(X, y)
    sizes = random_sizes(rng, len(y))
    there = pickle.loads(pickle.dumps(MACHINES[name])).fit(cut(X, sizes), cut(y, sizes))
    assert_same(here, there, X)


@pytest.mark.parametrize("random_state", [None, 3])
@pytest.mark.parametrize("bucket_rows", [40, 10**6])
def test_equal_rows_in_many_chunks_give_the_pool_of_memory(
    rng, bucket_rows, random_state, monkeypatch
):
    """Copies are told apart by how many came before, through all chunks and buckets."""
    monkeypatch.setattr("handful.distributed.order._BUCKET_ROWS", bucket_rows)
    X, y = rng.integers(0, 2, (200, 2)).astype(float), rng.integers(0, 2, 200)
    sizes = random_sizes(rng, 200)
    chunks = read_chunks(cut(X, sizes), cut(y, sizes), random_state=random_state)
    blind = blind_order(X, y, random_state=random_state)
    assert chunks.draw.digest == blind.digest
    np.testing.assert_array_equal(chunks.first(50), blind.order[:50])


def test_left_out_columns_decide_over_chunks_too(rng):
    X, y = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    whole = blind_order(X, y).order
    parts = cut(X, [50, 70]), cut(y, [50, 70])
    some = cut(X[:, :2], [50, 70])
    chunks = read_chunks(some, parts[1], random_state=chunk_digests(*parts))
    np.testing.assert_array_equal(chunks.first(30), whole[:30])
    with pytest.raises(ValueError, match="digests of 1 chunks, but X has 2"):
        read_chunks(some, parts[1], random_state=chunk_digests(cut(X, [120]), cut(y, [120])))


def test_more_than_two_classes(rng):
    X = rng.normal(size=(150, 3))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    here = SetCoveringMachine("stumps", candidates=30, random_state=0).fit(X, y)
    sizes = random_sizes(rng, 150)
    there = SetCoveringMachine("stumps", candidates=30, random_state=0)
    there.fit(cut(X, sizes), cut(y, sizes))
    assert_same(here, there, X)


def test_missing_values_and_words(rng):
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(200) < 0.1, np.nan, rng.normal(50, 9, 200)),
            "colour": rng.choice(["red", "blue", "green"], 200),
        }
    )
    y = pd.Series(np.where((frame["colour"] == "red") | (frame["age"] > 58), "sick", "well"))
    here = SetCoveringMachine("stumps", candidates=50, random_state=0).fit(frame, y)
    there = SetCoveringMachine("stumps", candidates=50, random_state=0).fit(
        dd.from_pandas(frame, npartitions=3), dd.from_pandas(y, npartitions=3)
    )
    assert there.certificate_ == here.certificate_
    assert there.explain() == here.explain()
    np.testing.assert_array_equal(there.predict(frame), here.predict(frame))


def test_few_rows_are_learned_in_memory(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    here = SetCoveringMachine(random_state=0).fit(X, y)
    there = SetCoveringMachine(random_state=0).fit(cut(X, [10, 20]), cut(y, [10, 20]))
    assert there.certificate_ == here.certificate_
    assert there.rules_ == here.rules_


def test_a_round_is_one_pass_for_all_penalties_and_kinds():
    X, y = shifted()
    machine = SetCoveringMachine("stumps", candidates=40, max_rules=3, random_state=0)
    with watch_passes() as passes:
        machine.fit(cut(X, [100, 200]), cut(y, [100, 200]))
    names = [p.name for p in passes]
    assert names == ["look", "order", "take", "rule 0", "rule 1", "rule 2", "errors"]
    assert max(p.n_requests for p in passes) > 1


def test_what_needs_all_examples_is_refused():
    X, y = shifted()
    pair = cut(X, [100, 200]), cut(y, [100, 200])
    with pytest.raises(ValueError, match="`candidates` must be 'auto' or a pool size for Dask"):
        SetCoveringMachine(candidates=None).fit(*pair)
    with pytest.raises(ValueError, match="`kernel` = 'precomputed' does not go with Dask"):
        SetCoveringMachine(kernel="precomputed").fit(*pair)
    with pytest.raises(ValueError, match="only one class is present"):
        SetCoveringMachine().fit(pair[0], cut(np.ones(300), [100, 200]))


def test_a_machine_carries_no_training_data():
    X, y = np.tile(shifted()[0], (20, 1)), np.tile(shifted()[1], 20)
    sizes = [1000, 2000, 3000]
    machine = SetCoveringMachine("stumps", candidates=40, random_state=0)
    machine.fit(cut(X, sizes), cut(y, sizes))
    assert len(pickle.dumps(machine)) < 60_000 < X.nbytes
    assert machine.n_samples_ == 6000


def test_chunks_give_the_same_record_as_memory():
    X, y = shifted()
    here = SetCoveringMachine(random_state=0).fit(X, y)
    there = SetCoveringMachine(random_state=0).fit(cut(X, [100, 200]), cut(y, [100, 200]))
    assert vars(there).keys() == vars(here).keys()
    for name in ("classes", "digests", "made_of", "named", "held_back"):
        np.testing.assert_array_equal(getattr(there.cover_, name), getattr(here.cover_, name))
    pd.testing.assert_frame_equal(there.get_rules(), here.get_rules())
    pd.testing.assert_frame_equal(there.path_, here.path_)
    assert there.explain() == here.explain()
    with pytest.raises(ValueError, match="rows that the machine was trained on"):
        there.certify(X=X, y=y)


def test_the_order_of_the_classes_may_be_given():
    X, y = shifted()
    pair = cut(X, [100, 200]), cut(y, [100, 200])
    first, second = np.unique(y).tolist()
    for classes in ([first, second], [second, first]):
        here = SetCoveringMachine("stumps", classes=classes, random_state=0).fit(X, y)
        there = SetCoveringMachine("stumps", classes=classes, random_state=0).fit(*pair)
        assert there.classes_.tolist() == classes
        assert there.explain() == here.explain()
