"""Fitted machines on Dask inputs: lazy, equal, and errors that name the chunk."""

from __future__ import annotations

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from handful import AdaBoost, DecisionListMachine, SetCoveringMachine, load_dataset
from handful.distributed import count_wrong, map_rows
from tests.distributed.conftest import cut

pytestmark = pytest.mark.usefixtures("plain")

DATA = load_dataset("breastw")
WORDS = np.where(DATA.y > 0, "bad", "good")
NAMES = [f"c{j}" for j in range(DATA.X.shape[1])]
FRAME = pd.DataFrame(DATA.X, columns=NAMES)
SETTINGS = [
    (SetCoveringMachine("stumps", candidates=40, random_state=0), "predict"),
    (SetCoveringMachine("stumps", candidates=40, random_state=0), "decision_function"),
    (DecisionListMachine(candidates=40, random_state=0), "reasons"),
    (AdaBoost(n_rounds=5), "predict"),
    (AdaBoost(n_rounds=5), "decision_function"),
    (AdaBoost(n_rounds=5), "predict_proba"),
]


@pytest.mark.parametrize(("machine", "method"), SETTINGS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_arrays_and_frames_are_mapped_lazily(machine, method, n_classes):
    y = WORDS if n_classes == 2 else np.where(DATA.X[:, 0] > 8, "worse", WORDS)
    machine = pickle.loads(pickle.dumps(machine)).fit(FRAME, y)
    expected = getattr(machine, method)(FRAME)
    frames = getattr(machine, method)(dd.from_pandas(FRAME, npartitions=3))
    np.testing.assert_array_equal(np.asarray(frames.compute()), expected)
    machine.fit(DATA.X, y)
    expected = getattr(machine, method)(DATA.X)
    lazy = getattr(machine, method)(cut(DATA.X, [83, 600]))
    assert isinstance(lazy, da.Array)
    assert lazy.shape == expected.shape
    assert lazy.dtype == expected.dtype
    np.testing.assert_array_equal(lazy.compute(), expected)


def test_empty_chunks_and_cut_columns():
    machine = SetCoveringMachine("stumps", candidates=40, random_state=0).fit(DATA.X, WORDS)
    X = cut(DATA.X, [0, 83, 600]).rechunk({1: 3})
    np.testing.assert_array_equal(machine.predict(X).compute(), machine.predict(DATA.X))
    machine.fit(FRAME, WORDS)
    few = dd.from_pandas(FRAME, npartitions=4)
    few = few[few["c0"] > 9]
    np.testing.assert_array_equal(
        machine.predict(few).compute(), machine.predict(FRAME[FRAME["c0"] > 9])
    )


def test_no_training_data_travels():
    X = np.tile(DATA.X, (20, 1))
    machine = SetCoveringMachine("stumps", candidates=40, random_state=0)
    machine.fit(X, np.tile(DATA.y, 20))
    assert len(pickle.dumps(machine.without_data())) < 20_000 < X.nbytes
    boosted = AdaBoost(n_rounds=3).fit(X, np.tile(DATA.y, 20))
    assert len(pickle.dumps(boosted.without_data())) < 20_000
    assert len(machine.path_) > 1  # the machine itself is as it was


def test_errors_are_counted_where_the_rows_are():
    machine = AdaBoost(n_rounds=5).fit(DATA.X[:300], WORDS[:300])
    X, y = DATA.X[300:], WORDS[300:].astype(object)
    y[5] = "a label never seen"
    wrong = int((machine.predict(X) != y).sum())
    assert count_wrong(machine, cut(X, [83, 300]), cut(y, [83, 300])) == (383, wrong)
    assert count_wrong(machine, cut(X, [0, 383]), cut(y, [0, 383])) == (383, wrong)


def test_bad_chunks_are_named():
    machine = SetCoveringMachine("balls", candidates=40, random_state=0).fit(DATA.X, DATA.y)
    X = DATA.X.copy()
    X[500, 2] = np.nan
    with pytest.raises(ValueError, match=r"chunk 1: Input X contains NaN"):
        machine.predict(cut(X, [400, 283])).compute()
    with pytest.raises(ValueError, match=r"chunk 1: Input X contains NaN"):
        count_wrong(machine, cut(X, [400, 283]), cut(DATA.y, [400, 283]))
    with pytest.raises(ValueError, match="X has 2 features, but SetCoveringMachine is expecting 9"):
        map_rows(machine, "predict", cut(X[:, :2], [683]))
    with pytest.raises(ValueError, match="X has 2 features, but SetCoveringMachine is expecting 9"):
        count_wrong(machine, cut(X[:, :2], [683]), cut(DATA.y, [683]))
    lies = da.from_delayed(dask.delayed(DATA.y[:50]), (83,), int)
    labels = da.concatenate([lies, cut(DATA.y[83:], [600])])
    with pytest.raises(ValueError, match="chunk 0 has 83 rows and 50 labels"):
        count_wrong(machine, cut(DATA.X, [83, 600]), labels)


def test_held_out_rows_of_words_are_counted_as_in_memory(rng):
    frame = pd.DataFrame(
        {"age": rng.normal(50, 9, 200).round(2), "colour": rng.choice(["red", "blue"], 200)}
    )
    y = pd.Series(np.where((frame["colour"] == "red") ^ (frame["age"] > 55), "sick", "well"))
    machine = SetCoveringMachine("stumps", random_state=0).fit(frame[:120], y[:120])
    new = frame[120:], y[120:]
    there = machine.certify(
        X=dd.from_pandas(new[0], npartitions=2), y=dd.from_pandas(new[1], npartitions=2)
    )
    assert there == machine.certify(X=new[0], y=new[1])
    with pytest.raises(ValueError, match="rows that the machine was trained on"):
        machine.certify(X=dd.from_pandas(frame, npartitions=2), y=dd.from_pandas(y, npartitions=2))
