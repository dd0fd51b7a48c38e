"""What certificates count and pay for along a path."""

import math

import numpy as np
import pytest

from handful.bounds import Term, compression_bound, matching_pursuit_bound, pool_bound
from handful.pursuit import KernelMatchingPursuitClassifier


@pytest.fixture
def data(rng):
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0, 1, 0)
    return X, y


def test_pool_certificate_counts_outside_the_pool(data):
    X, y = data
    machine = KernelMatchingPursuitClassifier(6, gamma=[0.3, 1.0, 3.0]).fit(X, y)
    is_out = np.ones(150, dtype=bool)
    is_out[machine.held_back_] = False
    assert is_out.sum() == 90
    n_errors = int(np.sum(machine.predict(X[is_out]) != y[is_out]))
    expected = pool_bound(150, 60, n_errors, message_nats=math.log(3) + math.log(7))
    assert machine.certify().risk == expected.risk
    assert machine.certify(0.01).risk > expected.risk
    assert machine.certify(n_choices=5).risk > expected.risk
    np.testing.assert_array_equal(machine.compression_set_, np.sort(machine.centers_idx_))
    assert set(machine.centers_idx_) <= set(machine.held_back_)


@pytest.mark.parametrize("kind", ["chosen", "quantised"])
def test_compression_certificate_counts_outside_the_centres(data, kind):
    X, y = data
    machine = KernelMatchingPursuitClassifier(6, gamma=[0.3, 1.0], coefficients=kind).fit(X, y)
    d = len(machine.compression_set_)
    assert d == machine.n_centers_
    is_out = np.ones(150, dtype=bool)
    is_out[machine.compression_set_] = False
    n_errors = int(np.sum(machine.predict(X[is_out]) != y[is_out]))
    certificate = machine.certify()
    expected = compression_bound(
        150, d, n_errors, message_nats=machine.candidate_.code.message, size_nats=0.0
    )
    assert certificate.risk == expected.risk
    assert Term("kernel", "kernel, one of 2", math.log(2)) in certificate.terms
    assert Term("size", "size, one of 7", math.log(7)) in certificate.terms


def _kept_nats(machine):
    (kept,) = [term for term in machine.certify().terms if term.kind == "kept"]
    return kept.nats


def test_drawn_candidates_are_cheaper_to_name(data):
    X, y = data
    options = {"gamma": 1.0, "coefficients": "quantised", "stop": "size"}
    drawn = KernelMatchingPursuitClassifier(4, candidates=20, **options).fit(X, y)
    given = KernelMatchingPursuitClassifier(4, candidates=np.arange(20), **options).fit(X, y)
    assert _kept_nats(drawn) == pytest.approx(math.log(math.comb(20, 4)))
    assert _kept_nats(given) == pytest.approx(math.log(math.comb(150, 4)))


def test_lectures_bound_shares_delta_over_kernels(data):
    X, y = data
    machine = KernelMatchingPursuitClassifier(
        3, gamma=[0.3, 1.0], coefficients="least_squares"
    ).fit(X, y)
    is_out = np.ones(150, dtype=bool)
    is_out[machine.centers_idx_] = False
    n_errors = int(np.sum(machine.predict(X[is_out]) != y[is_out]))
    certificate = machine.certify(0.1)
    assert certificate.terms == matching_pursuit_bound(150, 3, n_errors, delta=0.05).terms
    assert certificate.delta == 0.1
    assert certificate.is_vacuous


@pytest.mark.parametrize(("stop", "n_terms"), [("certificate", 2), ("size", 1), ("validation", 0)])
def test_choices_of_the_pool_are_free(data, stop, n_terms):
    X, y = data
    machine = KernelMatchingPursuitClassifier(4, gamma=[0.3, 1.0], stop=stop).fit(X, y)
    assert len(machine.candidate_.code.terms) == n_terms


def test_path_agrees_with_machines_of_each_size(data):
    X, y = data
    machine = KernelMatchingPursuitClassifier(5, gamma=1.0).fit(X, y)
    path = machine.path_
    assert path["size"].tolist() == [0, 1, 2, 3, 4, 5]
    best = path.loc[path["certificate"].idxmin()]
    assert machine.size_ == best["size"] == path["size"][path["is_chosen"]].item()
    assert machine.certify().risk == pytest.approx(best["certificate"], rel=1e-12)
    for size in (2, 4):
        single = KernelMatchingPursuitClassifier(size, gamma=1.0, stop="size").fit(X, y)
        assert single.candidate_.counts.n_errors == path["n_errors"][size]
