"""Matching pursuit on chunks is that of memory, up to rounding; its counts are the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from handful import (
    KernelMatchingPursuitClassifier,
    KernelMatchingPursuitRegressor,
    load_dataset,
)
from handful.distributed import watch_passes
from tests.distributed.conftest import cut, random_sizes

SMALL = {"n_centers": 8, "candidates": 60}


def _fit_both(machine, X, y, sizes):
    options = machine.get_params()
    here = type(machine)(**options).fit(X, y)
    return here, type(machine)(**options).fit(cut(X, sizes), cut(y, sizes))


def _assert_same(here, there, X):
    np.testing.assert_array_equal(there.centers_idx_, here.centers_idx_)
    np.testing.assert_array_equal(there.compression_set_, here.compression_set_)
    np.testing.assert_array_equal(there.centers_, here.centers_)
    np.testing.assert_allclose(
        there.expansion_.coefficients, here.expansion_.coefficients, rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(
        getattr(there, "decision_function", there.predict)(X),
        getattr(here, "decision_function", here.predict)(X),
        rtol=1e-6,
        atol=1e-8,
    )


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("coefficients", ["pool", "least_squares"])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_classifier_is_that_of_memory(rng, coefficients, seed):
    data = load_dataset("breastw")
    machine = KernelMatchingPursuitClassifier(coefficients=coefficients, random_state=seed, **SMALL)
    here, there = _fit_both(machine, data.X, data.y, random_sizes(rng, len(data.y)))
    _assert_same(here, there, data.X)
    assert there.certify() == here.certify()
    assert there.path_["n_errors"].tolist() == here.path_["n_errors"].tolist()
    assert there.n_training_errors_ == here.n_training_errors_
    assert there.size_ == here.size_
    np.testing.assert_array_equal(there.predict(data.X), here.predict(data.X))
    lazy = there.predict(cut(data.X, [300, 383]))
    np.testing.assert_array_equal(lazy.compute(), here.predict(data.X))


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("options", [{}, {"multi_class": "ovr"}, {"criterion": "cosine"}])
def test_more_classes(rng, options):
    X, y = load_iris(return_X_y=True)
    machine = KernelMatchingPursuitClassifier(gamma=0.5, **SMALL, **options)
    here, there = _fit_both(machine, X, y, random_sizes(rng, 150))
    _assert_same(here, there, X)
    assert there.certify() == here.certify()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("coefficients", ["pool", "least_squares"])
def test_a_regressor_is_that_of_memory(rng, coefficients):
    X = rng.uniform(-2, 2, size=(300, 2))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=300)
    machine = KernelMatchingPursuitRegressor(
        coefficients=coefficients, gamma=[0.2, 0.7], ridge=1e-3, epsilon=0.3, **SMALL
    )
    here, there = _fit_both(machine, X, y, random_sizes(rng, 300))
    _assert_same(here, there, X)
    np.testing.assert_allclose(there.residual_squares_, here.residual_squares_, rtol=1e-6)
    assert there.certify() == here.certify()
    assert there.n_training_errors_ == here.n_training_errors_


@pytest.mark.usefixtures("plain")
def test_all_products_are_one_pass():
    data = load_dataset("haberman-294")
    with watch_passes() as passes:
        KernelMatchingPursuitClassifier(**SMALL).fit(cut(data.X, [94, 200]), cut(data.y, [94, 200]))
    names = [p.name for p in passes]
    assert names.count("products") == 1
    assert names.count("errors") == 1


@pytest.mark.sample(1)
def test_on_a_cluster(cluster):
    import distributed

    data = load_dataset("bupa")
    machine = KernelMatchingPursuitClassifier(**SMALL)
    with distributed.Client(cluster, set_as_default=True):
        here, there = _fit_both(machine, data.X, data.y, [100, 100, 145])
    _assert_same(here, there, data.X)
    assert there.certify() == here.certify()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "`candidates` must be a number for Dask inputs"),
        ({"candidates": 20, "coefficients": "chosen"}, "`coefficients` must be 'pool' or"),
        ({"candidates": 20, "stop": "validation"}, "`stop` must not be 'validation'"),
    ],
)
def test_what_needs_memory_is_refused(options, match):
    data = load_dataset("haberman-294")
    with pytest.raises(ValueError, match=match):
        KernelMatchingPursuitClassifier(**options).fit(cut(data.X, [294]), cut(data.y, [294]))
