"""Menus on Dask inputs: the same menu as in memory, however the rows are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_dataset
from tests.distributed.conftest import cut

pytestmark = pytest.mark.usefixtures("plain")

FORMS = ["constant", "one rule", "rule list", "score card", "linear", "additive", "prototypes"]


def same(there, here):
    columns = ["form", "size", "uses", "n_errors", "certificate", "price", "pool_error"]
    pd.testing.assert_frame_equal(there.menu_[columns], here.menu_[columns])
    assert there.chosen_ == here.chosen_
    assert there.certificate_ == here.certificate_
    assert there.held_back_.tolist() == here.held_back_.tolist()
    assert there.n_training_errors_ == here.n_training_errors_
    assert there.classes_.tolist() == here.classes_.tolist()
    assert there.n_features_in_ == here.n_features_in_
    for a, b in zip(there.candidates_, here.candidates_, strict=True):
        assert a.counts.by_class == b.counts.by_class
        assert (a.thresholds is None) == (b.thresholds is None)
        if a.thresholds is not None:
            np.testing.assert_array_equal(a.thresholds.wrong, b.thresholds.wrong)
            np.testing.assert_array_equal(a.thresholds.answered, b.thresholds.answered)
            np.testing.assert_array_equal(a.thresholds.bins, b.thresholds.bins)


@pytest.mark.sample(1)
@pytest.mark.parametrize("sizes", [[683], [100, 400, 183], [7] * 97 + [4]])
def test_arrays_in_any_chunks(sizes):
    data = load_dataset("breastw")
    here = CertifiedClassifier(FORMS).fit(data.X, data.y)
    there = CertifiedClassifier(FORMS).fit(cut(data.X, sizes), cut(data.y, sizes))
    same(there, here)
    lazy = there.predict(cut(data.X, sizes))
    assert hasattr(lazy, "__dask_graph__")
    assert lazy.compute().tolist() == here.predict(data.X).tolist()
    scores = there.decision_function(cut(data.X, sizes)).compute()
    np.testing.assert_array_equal(scores, here.decision_function(data.X))
    chosen = there.choose("score card")
    assert chosen.points_lines() == here.choose("score card").points_lines()
    assert chosen.reach(sensitivity=0.9).certificate_ == (
        here.choose("score card").reach(sensitivity=0.9).certificate_
    )


def frame_of_words(n=400):
    rng = np.random.default_rng(7)
    colour = rng.choice(["red", "green", "blue"], n).astype(object)
    age = rng.normal(50, 12, n).round()
    signal = (age - 50) / 12 + (colour == "red") + 0.5 * rng.normal(size=n)
    y = pd.Series(np.array(["low", "middle", "high"])[np.digitize(signal, [-0.3, 0.7])])
    colour[rng.random(n) < 0.1] = None
    frame = pd.DataFrame({"age": age, "colour": colour, "noise": rng.normal(size=n)})
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    return frame, y


def test_frames_with_words_and_gaps_and_three_classes():
    import dask.dataframe as dd

    frame, y = frame_of_words()
    forms = ["constant", "one rule", "rule list", "linear", "additive"]
    here = CertifiedClassifier(forms, random_state=3).fit(frame, y)
    there = CertifiedClassifier(forms, random_state=3).fit(
        dd.from_pandas(frame, npartitions=5), dd.from_pandas(y, npartitions=5)
    )
    same(there, here)
    assert there.feature_names_in_.tolist() == ["age", "colour", "noise"]


def test_a_foreign_pipeline_is_counted_there(rng):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    forms = [("mine", make_pipeline(StandardScaler(), LogisticRegression())), "linear"]
    here = CertifiedClassifier(forms).fit(X, y)
    there = CertifiedClassifier(forms).fit(cut(X, [200, 100]), cut(y, [200, 100]))
    same(there, here)


def test_a_candidate_that_breaks_on_a_chunk_is_a_row_with_its_reason(rng):
    from sklearn.linear_model import LogisticRegression

    class Breaks(LogisticRegression):
        def predict(self, X):
            if len(X) > 45:
                raise RuntimeError("too many")
            return super().predict(X)

    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(int)
    pair = cut(X, [100, 100]), cut(y, [100, 100])
    machine = CertifiedClassifier([("odd", Breaks()), "one rule"]).fit(*pair)
    assert machine.menu_.loc["odd", "reason"] == "RuntimeError: too many"
    assert machine.chosen_ == "one rule"


def test_what_chunks_cannot_do_is_refused(rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    pair = cut(X, [30, 30]), cut(y, [30, 30])
    with pytest.raises(ValueError, match="`groups` is not accepted for rows in chunks"):
        CertifiedClassifier(["constant"]).fit(*pair, groups=np.arange(60) // 2)
    with pytest.raises(ValueError, match="`sample_weight` is not accepted for rows in chunks"):
        CertifiedClassifier(["constant"]).fit(*pair, sample_weight=np.ones(60))
    machine = CertifiedClassifier(["constant"]).fit(*pair)
    with pytest.raises(ValueError, match="the machine was trained on"):
        machine.certify(X=X, y=y)
