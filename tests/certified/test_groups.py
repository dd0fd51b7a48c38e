"""Groups: drawn and counted whole, in an order that nobody chose."""

from __future__ import annotations

import numpy as np
import pytest

from handful import CertifiedClassifier
from handful.tables import MemoryRows


def drawn(X, groups, seed=None):
    codes = np.zeros(len(X), dtype=np.int64)
    return MemoryRows(X, codes, np.array([0]), given_groups=groups, random_state=seed)


def test_rows_are_units_without_groups(rng):
    rows = drawn(rng.normal(size=(30, 2)), None)
    assert sorted(rows.order.tolist()) == list(range(30))
    assert rows.groups is None


def test_groups_come_whole(rng):
    X, groups = rng.normal(size=(60, 2)), rng.integers(0, 9, size=60)
    rows = drawn(X, groups)
    assert sorted(rows.order.tolist()) == list(range(60))
    along = groups[rows.order]
    assert np.count_nonzero(np.diff(along)) == len(np.unique(groups)) - 1
    first = rows.first(rows.groups.n_rows(4))
    assert sorted(first.tolist()) == np.flatnonzero(np.isin(groups, groups[first])).tolist()
    assert len(np.unique(groups[first])) == 4


def test_the_order_does_not_depend_on_rows_names_or_seeds(rng):
    X, groups = rng.normal(size=(60, 2)), np.repeat(np.arange(12), 5)
    shuffled = rng.permutation(60)
    first, second = drawn(X, groups).order, drawn(X[shuffled], groups[shuffled] + 100).order
    np.testing.assert_array_equal(X[first], X[shuffled][second])
    assert drawn(X, groups, 1).order.tolist() != first.tolist()


def test_large_groups_are_not_drawn_first(rng):
    """Half of the groups have 20 rows, half have one; they take places alike."""
    places = []
    for _ in range(60):
        sizes = np.where(np.arange(20) < 10, 20, 1)
        groups = np.repeat(np.arange(20), sizes)
        along = groups[drawn(rng.normal(size=(len(groups), 2)), groups).order]
        order = np.array(list(dict.fromkeys(along.tolist())))
        places.append(np.mean(np.argsort(order)[:10]))
    assert abs(np.mean(places) - 9.5) < 1.2


def patients(rng, n_groups, size, spread):
    """Rows of patients; errors within one are mixed where ``spread`` is small."""
    groups = np.repeat(np.arange(n_groups), size)
    X = rng.normal(size=(n_groups * size, 2)) + spread * rng.normal(size=(n_groups, 2))[groups]
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    return X, y, groups


def test_mixed_errors_are_certified_below_one_row_a_patient(rng):
    gain = []
    for _ in range(6):
        X, y, groups = patients(rng, 80, 8, 0.2)
        whole = CertifiedClassifier(["one rule", "linear"]).fit(X, y, groups=groups)
        single = CertifiedClassifier(["one rule", "linear"]).fit(X[::8], y[::8])
        gain.append(single.menu_risks_.min() - whole.menu_risks_.min())
    assert np.mean(gain) > 0.03


def test_groups_of_one_row_cost_next_to_nothing(rng):
    off = []
    for _ in range(6):
        X, y, _ = patients(rng, 150, 1, 0.0)
        plain = CertifiedClassifier(["one rule", "linear"]).fit(X, y)
        alone = CertifiedClassifier(["one rule", "linear"]).fit(X, y, groups=np.arange(150))
        assert len(alone.held_back_) == len(plain.held_back_)
        off.append(alone.menu_risks_.min() - plain.menu_risks_.min())
    assert abs(np.mean(off)) < 0.04  # the pools are drawn apart


@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows, on purpose
def test_groups_are_routed(rng):
    from sklearn import set_config
    from sklearn.model_selection import GroupKFold, cross_validate

    X, y, groups = patients(rng, 30, 4, 1.0)
    set_config(enable_metadata_routing=True)
    try:
        machine = CertifiedClassifier(["one rule"]).set_fit_request(groups=True)
        done = cross_validate(
            machine, X, y, cv=GroupKFold(3), params={"groups": groups}, return_estimator=True
        )
    finally:
        set_config(enable_metadata_routing=False)
    assert all("a random new group" in str(m.certificate_.quantity) for m in done["estimator"])
    assert all(len(m.held_back_) == 4 * 10 for m in done["estimator"])  # 10 of 20 whole groups
