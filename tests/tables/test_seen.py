"""Rows that were trained on are told from new ones, by their digests alone."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from handful import (
    AdaBoost,
    LinearProgrammingMachine,
    LPBoost,
    MinimalComplexityMachine,
    SupportVectorMachine,
    load_dataset,
)
from handful.svm import certify_svm
from handful.tables import SeenRows


def _noise(rng, n=60, discrete=False):
    X = rng.integers(0, 3, size=(n, 4)).astype(float) if discrete else rng.normal(size=(n, 4))
    return X, np.where(rng.random(n) < 0.5, "a", "b")


MACHINES = {
    "AdaBoost": AdaBoost(n_rounds=30),
    "LPBoost": LPBoost(nu=0.3),
    "MinimalComplexityMachine": MinimalComplexityMachine(C=10.0),
    "LinearProgrammingMachine": LinearProgrammingMachine(kernel="rbf", gamma=1.0),
    "SupportVectorMachine": SupportVectorMachine(kernel="rbf", gamma=1.0, C=10.0),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_training_rows_are_refused_everywhere(name, rng):
    X, y = _noise(rng)
    machine = MACHINES[name].fit(X, y)
    for rows in (slice(None), slice(None, None, -1), slice(5), slice(1)):
        with pytest.raises(ValueError, match="had no part in training, got"):
            machine.certify(bound="held-out", X=X[rows], y=y[rows])
    new, labels = _noise(rng)
    with pytest.raises(ValueError, match="20 of 80 rows"):
        machine.certify(bound="held-out", X=np.r_[X[:20], new], y=np.r_[y[:20], labels])
    with pytest.raises(ValueError, match="60 of 60 rows"):
        machine.certify(bound="held-out", X=X.tolist(), y=y.tolist())
    fresh = _noise(rng)
    assert machine.certify(bound="held-out", X=fresh[0], y=fresh[1]).risk > 0.4
    again = pickle.loads(pickle.dumps(machine))
    with pytest.raises(ValueError, match="had no part"):
        again.certify(bound="held-out", X=X, y=y)


def test_names_and_types_of_labels_do_not_hide_rows(rng):
    X, y = _noise(rng)
    codes = np.where(y == "a", 0, 1)
    frame = pd.DataFrame(X, columns=list("dcba"))
    machine = AdaBoost(n_rounds=5).fit(frame, codes)
    with pytest.raises(ValueError, match="60 of 60"):
        machine.certify(X=frame, y=codes.astype(float))


def test_certify_svm_of_our_machine(rng):
    X, y = _noise(rng)
    machine = SupportVectorMachine(kernel="rbf", gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="had no part"):
        certify_svm(machine, X, y, bound="held-out")
    new = _noise(rng)
    assert certify_svm(machine, *new, bound="held-out") == certify_svm(
        SVC(kernel="rbf", gamma=1.0).fit(X, y), *new, bound="held-out"
    )


def test_rows_of_weight_zero_had_no_part(rng):
    X, y = _noise(rng)
    machine = AdaBoost(n_rounds=5).fit(X, y, sample_weight=np.arange(60) < 40)
    assert machine.certify(X=X[40:], y=y[40:]).n_samples == 20


def test_new_rows_of_discrete_data_are_not_refused(rng):
    refused = 0
    for _ in range(300):
        X, y = _noise(rng, 200, discrete=True)
        n = int(rng.integers(20, 150))
        try:
            SeenRows.of(X[:n], y[:n]).refuse(X[n:], y[n:])
        except ValueError:
            refused += 1
    assert refused <= 6  # 0.01 of the honest draws is more than it takes


@pytest.mark.parametrize("name", ["breastw", "haberman-294"])
def test_discrete_tables(name):
    data = load_dataset(name)
    half = len(data.y) // 2
    order = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[order], data.y[order]
    seen = SeenRows.of(X[:half], y[:half])
    assert seen.n_twins > 0
    seen.refuse(X[half:], y[half:])
    for n in (40, half):
        with pytest.raises(ValueError, match=f"{n} of {n} rows"):
            seen.refuse(X[:n], y[:n])


def test_what_is_kept_is_small(rng):
    X, y = _noise(rng, 500)
    seen = SeenRows.of(X, y)
    assert seen.digests.nbytes == 8 * 500
    assert not seen.is_seen(X, np.where(y == "a", "b", "a")).any()
    assert not SeenRows.of(X[:0], y[:0]).is_seen(X, y).any()
