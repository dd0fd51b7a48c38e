"""AdaBoost on chunks is that of memory, bit for bit."""

from __future__ import annotations

import math

import dask
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import AdaBoost, load_dataset
from handful.bounds import finite_class_rademacher, margin_distribution_bound
from handful.distributed import watch_passes
from tests.distributed.conftest import cut, random_sizes

pytestmark = pytest.mark.usefixtures("plain")


def machine(**changes):
    return AdaBoost(**{"n_rounds": 8, "candidates": 60, "random_state": 0, **changes})


def assert_same(here, there, X):
    for name, column in here.path_.items():
        np.testing.assert_array_equal(there.path_[name], column)
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))
    np.testing.assert_array_equal(there.predict_proba(X), here.predict_proba(X))
    assert there.certify() == here.certify()
    assert there.training_bound() == here.training_bound()
    assert there.get_rules().equals(here.get_rules())


@settings(max_examples=6)
@given(st.data())
def test_no_cut_matters(data):
    bupa = load_dataset("bupa")
    X, y = bupa.X, bupa.y
    edges = data.draw(st.sets(st.integers(1, len(y) - 1), max_size=5))
    sizes = np.diff([0, *sorted(edges), len(y)]).tolist()
    seed = data.draw(st.integers(0, 5))
    here = machine(random_state=seed).fit(X, y)
    with dask.config.set({"handful.cache-bytes": data.draw(st.sampled_from([0, 2**30]))}):
        there = machine(random_state=seed).fit(cut(X, sizes), cut(y, sizes))
    assert_same(here, there, X)


def test_more_classes_and_missing_values(rng):
    X = rng.normal(size=(200, 3))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    X[rng.random(X.shape) < 0.1] = np.nan
    sizes = random_sizes(rng, 200)
    assert_same(machine().fit(X, y), machine().fit(cut(X, sizes), cut(y, sizes)), X)


def test_a_round_is_a_pass(rng):
    data = load_dataset("haberman-294")
    with watch_passes() as passes:
        machine(n_rounds=4).fit(cut(data.X, [100, 194]), cut(data.y, [100, 194]))
    assert [p.name for p in passes] == ["look", "order", "take", *["weights"] * 4, "margins"]


def test_a_perfect_stump_stands_alone(rng):
    X = rng.normal(size=(100, 2))
    X[:, 0] += np.where(X[:, 0] > 0, 1, -1)
    y = (X[:, 0] > 0).astype(int)
    there = machine().fit(cut(X, [40, 60]), cut(y, [40, 60]))
    assert there.n_iter_ == 1
    assert_same(machine().fit(X, y), there, X)


def test_no_edge_is_a_constant_with_a_warning():
    X, y = np.zeros((40, 2)), np.tile([0, 1], 20)
    with pytest.warns(UserWarning, match="AdaBoost is constant"):
        there = machine().fit(cut(X, [10, 30]), cut(y, [10, 30]))
    assert there.predict(X).tolist() == [0] * 40


def test_margin_certificates_from_counts():
    data = load_dataset("breastw")
    here = machine().fit(data.X, data.y)
    there = machine().fit(cut(data.X, [100, 583]), cut(data.y, [100, 583]))
    assert here.margin_certificate(margin=0.25) == there.margin_certificate(margin=0.25)
    fixed = there.margin_certificate(bound="margin-distribution", margin=0.1)
    assert fixed == here.margin_certificate(bound="margin-distribution", margin=0.1)
    free = there.certify(bound="margin-distribution")
    complexity = finite_class_rademacher(2 * (data.X.size + 1), len(data.y))
    sums = []
    for margin in np.arange(1, 201) / 200.0:  # what chunks keep of the margins
        share = float(np.mean(here.margins_ < margin + 1e-12))
        best = margin_distribution_bound(
            len(data.y), share, margin, complexity, margin_is_fixed=False
        )
        sums.append(math.fsum(term.nats for term in best.terms))
    assert math.fsum(term.nats for term in free.terms) == pytest.approx(min(sums), rel=1e-12)
    for bound in ("rademacher-margin", "margin-distribution"):
        with pytest.raises(ValueError, match=r"`margin` = 0.3333.* is not among those"):
            there.margin_certificate(bound=bound, margin=1 / 3)


def test_held_out_certificates_are_counted_in_chunks():
    data = load_dataset("breastw")
    fitted = machine().fit(data.X[:400], data.y[:400])
    X, y = data.X[400:], data.y[400:]
    assert fitted.certify(X=cut(X, [100, 183]), y=cut(y, [100, 183])) == fitted.certify(X=X, y=y)


def test_chunks_that_were_trained_on_are_refused():
    data = load_dataset("breastw")
    X, y = data.X[:400], data.y[:400]
    there = machine().fit(cut(X, [100, 300]), cut(y, [100, 300]))
    for fitted in (machine().fit(X, y), there):
        with pytest.raises(ValueError, match="400 of 400 rows"):
            fitted.certify(X=cut(X, [200, 200]), y=cut(y, [200, 200]))


def test_what_cannot_be_cut_is_refused():
    from sklearn.tree import DecisionTreeClassifier

    pair = cut(np.zeros((4, 1)), [4]), cut([0, 1, 0, 1], [4])
    for wrong in (AdaBoost(), AdaBoost(DecisionTreeClassifier(), candidates=9)):
        with pytest.raises(ValueError, match="`candidates` must be a pool size and"):
            wrong.fit(*pair)
    with pytest.raises(ValueError, match="needs examples of at least two classes, got 1 class"):
        machine().fit(pair[0], cut([1, 1, 1, 1], [4]))
