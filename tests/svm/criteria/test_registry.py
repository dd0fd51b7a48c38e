"""Criteria against the published vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.bounds import Criterion
from handful.svm import CRITERIA, KernelGeometry, MachineGeometry, fit_svm_grid, get_criterion
from tests.oracles import svm as oracle

VECTORS = {
    "radius-margin": (1.366317539, 2.079005413),
    "rescaled-radius-margin": (1.114608813, 1.393411431),
    "trace": (1.214062710, 1.841061041),
    "compression-scheme": (2.121425631, 1.336831237),
    "sparse-margin": (4.046642316, 2.222222222),
    "span": (4 / 20, 3 / 20),
    "leave-one-out": (4 / 20, 2 / 20),
    "support-vectors": (16 / 20, 11 / 20),
    "c2": (4.662258934, 4.247151804),
}


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_vectors(machines, name):
    found = [CRITERIA[name](g) for g in machines]
    assert [c.value for c in found] == pytest.approx(VECTORS[name], abs=1e-8)


def test_trace_as_printed_does_not_depend_on_the_penalty(machines):
    found = [CRITERIA["trace-printed"](g).value - g.empirical_risk for g in machines]
    assert found[0] == found[1]
    assert CRITERIA["trace-printed"](machines[0]).value == pytest.approx(2.421478939, abs=1e-8)


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_every_criterion_warns_and_is_not_negative(machines, name):
    criterion = CRITERIA[name](machines[0])
    assert isinstance(criterion, Criterion)
    assert 0.0 <= criterion.value < math.inf
    assert "not a guarantee" in str(criterion)
    assert all([criterion.warning, criterion.reference, CRITERIA[name].summary])


def test_leaving_one_out_errs_on_support_vectors_only(machines):
    for g in machines:
        assert CRITERIA["leave-one-out"](g).value <= CRITERIA["support-vectors"](g).value


def test_infinite_where_every_point_is_a_support_vector(rng):
    X = rng.normal(size=(10, 2))
    y = np.where(np.arange(10) < 5, 1.0, -1.0)
    model = fit_svm_grid(X, y, gammas=[100.0], Cs=[1.0], fit_intercept=False)[0]
    g = MachineGeometry(model, KernelGeometry(oracle.gaussian(X, X, 100.0)))
    assert g.n_support == 10
    assert CRITERIA["compression-scheme"](g).value == np.inf
    assert CRITERIA["sparse-margin"](g).value == np.inf


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"`criterion` must be one of 'c1', .* got 'c9'"):
        get_criterion("c9")
