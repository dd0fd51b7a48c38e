"""Regression certificates by groups: whole groups, two ways to count, and they hold."""

import numpy as np
import pytest

from handful import KernelMatchingPursuitRegressor
from handful.bounds import NotCertifiableError, betting_bound, pool_bound
from handful.pursuit.path_points import GroupDeviations
from handful.tables import Grouping


def _patients(rng, n_groups, n_rows=6, spread=0.7, noise=0.3):
    """Every patient has a level of his own: the rows of one are not independent."""
    X = rng.uniform(-2, 2, size=(n_groups * n_rows, 1))
    groups = np.repeat(np.arange(n_groups), n_rows)
    level = spread * rng.normal(size=n_groups)
    return X, np.sin(X[:, 0]) + level[groups] + noise * rng.normal(size=len(X)), groups


def _machine(**options):
    return KernelMatchingPursuitRegressor(6, gamma=0.5, coefficients="pool", epsilon=1.0, **options)


def test_groups_are_held_back_and_counted_whole(rng):
    X, y, groups = _patients(rng, 30)
    machine = _machine().fit(X, y, groups=groups)
    held = np.zeros(len(X), dtype=bool)
    held[machine.held_back_] = True
    shares = [held[groups == g].mean() for g in range(30)]
    assert set(shares) == {0.0, 1.0}
    assert sum(shares) == 12  # 40 % of the groups
    certificate = machine.certify()
    assert certificate.n_samples in (18, 30)
    assert "random row of a random new group" in str(certificate.quantity)


def test_both_ways_to_count(rng):
    deviations = rng.random(60) * 2
    pool = rng.random(40) * 2
    counted, held = (Grouping(np.repeat(np.arange(n), 5)) for n in (12, 8))
    record = GroupDeviations(deviations, counted, pool, held)
    off = deviations.reshape(12, 5) > 0.9
    known = (pool.reshape(8, 5) > 0.9).mean(axis=1)
    betting = record.certificate(0.9, 0.1, 3, "betting")
    expected = betting_bound(
        off.mean(axis=1).tolist(), warm_up=known.tolist(), delta=0.1, n_choices=3
    )
    assert betting.risk == expected.risk
    one = record.certificate(0.9, 0.1, 3, "pool")
    assert one.risk == pool_bound(20, 8, int(off[:, 0].sum()), delta=0.1, n_choices=3).risk
    assert record.certificate(0.9, 0.1, 3, "auto").risk in (betting.risk, one.risk)


def test_the_order_and_the_names_of_groups_do_not_matter(rng):
    X, y, groups = _patients(rng, 20)
    here = _machine().fit(X, y, groups=groups)
    shuffled = rng.permutation(len(X))
    there = _machine().fit(
        X[shuffled], y[shuffled], groups=np.array(list("abcdefghijklmnopqrst"))[groups[shuffled]]
    )
    assert here.certify().risk == there.certify().risk
    np.testing.assert_allclose(here.predict(X), there.predict(X))


def test_what_does_not_go_with_groups(rng):
    X, y, groups = _patients(rng, 20)
    with pytest.raises(ValueError, match="`groups` need coefficients='pool'"):
        KernelMatchingPursuitRegressor(6, epsilon=1.0).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="one a row"):
        _machine().fit(X, y, groups=groups[:-1])
    with pytest.raises(ValueError, match="at least two groups"):
        _machine().fit(X, y, groups=np.zeros(len(X)))
    with pytest.raises(NotCertifiableError, match="is about rows"):
        _machine().fit(X, y, groups=groups).certify(bound="matching-pursuit")
    with pytest.raises(NotCertifiableError, match="is about groups"):
        _machine().fit(X, y).certify(bound="betting")


@pytest.mark.thorough
def test_certificates_of_groups_hold_and_those_of_rows_do_not():
    """The rate over new patients, by a large sample; rows counted as if independent miss."""
    rng = np.random.default_rng(11)
    X_new, y_new, _ = _patients(rng, 4000)
    misses = {"groups": 0, "rows": 0}
    n, total = 60, 0.0
    for _ in range(n):
        X, y, groups = _patients(rng, 40)
        machine = _machine(delta=0.1).fit(X, y, groups=groups)
        truth = np.mean(np.abs(machine.predict(X_new) - y_new) > 1.0)
        risk = machine.certify().risk
        total += risk
        misses["groups"] += truth > risk
        plain = _machine(delta=0.1).fit(X, y)
        misses["rows"] += np.mean(np.abs(plain.predict(X_new) - y_new) > 1.0) > plain.certify().risk
    assert misses["groups"] <= 10  # 6 expected at most; 99 % point of Binomial(60, 0.1) is 12
    assert misses["rows"] > 12
    assert total / n < 0.5  # the truth is about .19: it says something
