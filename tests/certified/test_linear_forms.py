import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

from handful import CertifiedClassifier, load_dataset
from handful.certified.linear_forms import PENALTIES, linear, logistic_path, sparse_linear
from handful.tables import RowDigests
from tests.certified.cases import error, linear_pool, make_pool, three_classes


def test_linear_learns_a_line(rng):
    pool = linear_pool(rng)
    (proposal,) = linear(pool)
    assert error(proposal, pool) < 0.2
    assert np.mean(proposal.guesses != pool.y) < 0.3


def test_weights_are_in_the_features_own_units(rng):
    pool = linear_pool(rng)
    (first,) = linear(pool)
    (second,) = linear(make_pool(pool.X * 1000.0 + 5.0, pool.y))
    ratio = np.array(first.machine.weights) / np.array(second.machine.weights)
    np.testing.assert_allclose(ratio, 1000.0, rtol=1e-3)


def test_sparse_linear_finds_the_two_that_matter(rng):
    pool = linear_pool(rng, n=300, d=8, noise=0.1)
    (proposal,) = sparse_linear(pool)
    assert {0, 1} <= set(proposal.machine.features)
    assert proposal.machine.size <= 5


def test_three_classes(rng):
    pool = three_classes(rng)
    (proposal,) = linear(pool)
    assert error(proposal, pool) < 0.25


def test_weights_steer(rng):
    pool = linear_pool(rng, n=200, noise=3.0)
    heavy = make_pool(pool.X, pool.y, weight=np.where(pool.y == 1, 20.0, 1.0))
    (proposal,) = linear(heavy)
    assert proposal.machine.labels(pool.X).mean() > 0.9


@pytest.mark.parametrize("learn", [linear, sparse_linear])
@pytest.mark.parametrize("shift", [0.0, 2000.0])
def test_few_digits_change_no_label_of_the_pool(rng, learn, shift):
    pool = linear_pool(rng, n=200, noise=1.0)
    pool = make_pool(pool.X * np.array([1.0, 1e-4, 1e4, 3.7]) + shift, pool.y)
    (proposal,) = learn(pool)
    exact = LinearRegressionOfPool(pool, proposal.machine)
    assert (proposal.machine.labels(pool.X) == exact.labels(pool.X)).all()
    digits = [len(repr(w).replace(".", "").lstrip("-0").split("e")[0].rstrip("0"))
              for w in proposal.machine.weights[0] if w]  # fmt: skip
    assert max(digits) <= 6


class LinearRegressionOfPool:
    """The regression without rounding, at the penalty whose rounding the machine is."""

    def __init__(self, pool, machine):
        effects = np.array(machine.weights) * pool.scale
        features = np.flatnonzero(effects[0])
        paths = [
            logistic_path(pool.scaled[:, features], pool.y, pool.weight, PENALTIES[: k + 1], 1)[-1]
            for k in range(len(PENALTIES))
        ]
        near = [np.abs(beta[:-1, 0] - effects[0, features]).max() for beta in paths]
        self.beta, self.features, self.pool = paths[int(np.argmin(near))], features, pool
        assert min(near) < 0.06 * np.abs(effects).max()

    def labels(self, X):
        Z = (X[:, self.features] - self.pool.center[self.features]) / self.pool.scale[self.features]
        return (Z @ self.beta[:-1, 0] + self.beta[-1, 0] > 0.0).astype(int)


def _evaluated(lines, table):
    """Labels of rows by what is printed, read word by word."""
    *terms, last = lines
    total = np.zeros(len(table))
    for term in terms:
        weight, name = re.fullmatch(r"([-+][^·]+)·(.*) \(effect .*\)", term).groups()
        total += float(weight) * table[name].to_numpy()
    limit, yes, no = re.fullmatch(r"Sum > (\S+): (.*); otherwise: (.*)\.", last).groups()
    return np.where(total > float(limit), yes, no)


@pytest.mark.parametrize("form", ["linear", "sparse linear"])
@pytest.mark.parametrize("name", ["breastw", "bupa", "haberman"])
def test_what_is_printed_is_what_is_evaluated(name, form):
    X, y = load_dataset(name).named()
    machine = CertifiedClassifier([form]).fit(X, y)
    assert _evaluated(machine.fitted_.sentences(), X).tolist() == machine.predict(X).tolist()


@pytest.mark.parametrize("units", [1e-3, 10.0])
def test_units_change_no_prediction_of_several_classes(units):
    """Millimetres to metres, in one column and in all: rules, sums and distances follow."""
    data = load_iris()
    scale = np.ones(4)
    for columns in ([0], [0, 1, 2, 3]):
        scale[columns] = units
        forms = ["one rule", "rule list", "linear", "additive", "prototypes"]
        digests = RowDigests.of(data.data, data.target)  # the same pool for both
        first, second = (
            CertifiedClassifier(forms, random_state=digests).fit(X, data.target)
            for X in (data.data, data.data * scale)
        )
        for form in forms:
            here, there = first.choose(form), second.choose(form)
            assert here.predict(data.data).tolist() == there.predict(data.data * scale).tolist()
            assert here.certificate_.risk == there.certificate_.risk
