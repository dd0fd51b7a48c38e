"""Groups: drawn and counted whole, in an order that nobody chose."""

from __future__ import annotations

import numpy as np
import pytest

from handful import CertifiedClassifier
from handful.tables import make_units


def test_rows_are_units_without_groups(rng):
    X = rng.normal(size=(30, 2))
    units = make_units(X, np.arange(30) % 2, None, None)
    assert sorted(units.order.tolist()) == list(range(30))
    assert units.rows_of(units.order[:5]).tolist() == units.order[:5].tolist()


def test_groups_come_whole_and_rows_within_them_in_blind_order(rng):
    X, groups = rng.normal(size=(60, 2)), rng.integers(0, 9, size=60)
    units = make_units(X, np.zeros(60), groups, None)
    rows = units.rows_of(units.order[:4])
    assert sorted(rows.tolist()) == np.flatnonzero(np.isin(units.member, units.order[:4])).tolist()
    assert list(dict.fromkeys(units.member[rows].tolist())) == units.order[:4].tolist()
    place = np.argsort(units.row_order)
    for g in units.order[:4]:
        assert (np.diff(place[rows[units.member[rows] == g]]) > 0).all()


def test_the_order_does_not_depend_on_rows_names_or_seeds(rng):
    X, groups = rng.normal(size=(60, 2)), np.repeat(np.arange(12), 5)
    shuffled = rng.permutation(60)
    first = make_units(X, np.zeros(60), groups, None)
    second = make_units(X[shuffled], np.zeros(60), groups[shuffled] + 100, None)
    a = {tuple(map(float, X[i])) for i in first.rows_of(first.order[:4])}
    b = {tuple(map(float, X[shuffled[i]])) for i in second.rows_of(second.order[:4])}
    assert a == b
    assert make_units(X, np.zeros(60), groups, 1).order.tolist() != first.order.tolist()


def test_large_groups_are_not_drawn_first(rng):
    """Half of the groups have 20 rows, half have one; they take places alike."""
    places = []
    for _ in range(60):
        sizes = np.where(np.arange(20) < 10, 20, 1)
        groups = np.repeat(np.arange(20), sizes)
        units = make_units(rng.normal(size=(len(groups), 2)), np.zeros(len(groups)), groups, None)
        places.append(np.mean(np.argsort(units.order)[:10]))
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
    assert all(len(m.held_back_) == 4 * 8 for m in done["estimator"])  # 8 of 20 whole groups
