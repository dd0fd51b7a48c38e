"""MachineGeometry: the published vectors, brute force, and sharing."""

from __future__ import annotations

import numpy as np
import pytest

from handful.kernels import Kernel
from handful.svm import KernelGeometry, MachineGeometry, fit_svm_grid
from tests.oracles import svm as oracle


def test_vectors(machines):
    one, ten = machines
    assert one.norm2 == pytest.approx(8.172087541, abs=1e-8)
    assert ten.norm2 == pytest.approx(19.959135662, abs=1e-8)
    assert one.radius == pytest.approx(0.952911013, abs=1e-9)
    assert (one.n_support, ten.n_support) == (16, 11)
    assert one.rotation_counts() == (4, 2)
    assert ten.rotation_counts() == (0, 2)
    assert one.rotation_counts("slab")[0] == 11
    assert ten.rotation_counts("slab")[0] == 0
    assert one.margin == pytest.approx(1 / np.sqrt(8.172087541))


def test_the_cone_by_turning_the_hyperplane(machines, rng):
    """No code vector within the margin flips a point outside the cone."""
    for g in machines:
        spectrum = g.points.spectrum
        Z = spectrum.vectors * np.sqrt(spectrum.values)
        w = np.linalg.lstsq(Z, g.model.f, rcond=1e-9)[0]
        turned = g.radius * w / np.linalg.norm(w)
        steps = rng.normal(size=(2000, len(w)))
        steps *= g.margin / np.linalg.norm(steps, axis=1, keepdims=True)
        flipped = ((Z @ (turned + steps).T) * (Z @ turned)[:, None] < -1e-9).any(axis=1)
        assert not (flipped & ~g.is_rotatable("cone")).any()
        assert not (g.is_rotatable("cone") & ~g.is_rotatable("slab")).any()


def test_a_bias_is_not_part_of_the_direction(rng):
    """Codes tell a hyperplane through the mean; scores without the bias are centred."""
    X = rng.normal(size=(40, 2)) + 1.0
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0.2, 1.0, -1.0)
    model = fit_svm_grid(X, y, gammas=[0.5], Cs=[1.0], tol=1e-10)[0]
    K = oracle.centred(oracle.gaussian(X, X, 0.5))
    scores = MachineGeometry(model, KernelGeometry(K)).direction_scores
    np.testing.assert_allclose(scores, K @ model.coef, atol=1e-9)


def test_span_includes_duplicates_of_support_vectors(rng):
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X, y = np.r_[X, X[:1] + 50.0, X[:1] + 50.0], np.r_[y, y[:1], y[:1]]
    model = fit_svm_grid(X, y, gammas=[1.0], Cs=[1.0], fit_intercept=False, tol=1e-10)[0]
    points = KernelGeometry(oracle.gaussian(X, X, 1.0))
    span = points.span_spectrum(np.array([30]))
    assert span.members.tolist() == [30, 31]
    np.testing.assert_allclose(span.values, [2.0, 0.0], atol=1e-12)
    assert points.span_spectrum(np.array([30])) is span
    assert MachineGeometry(model, points).span.members.size >= model.support.size


def test_linear_kernels_span_everything(rng):
    X = rng.normal(size=(12, 2))
    points = KernelGeometry(X @ X.T)
    assert points.span_spectrum(np.array([0, 1])).members.size == 12


def test_projection_loss_is_the_distance_to_the_projection(machines):
    g = machines[0]
    span = g.span
    Z = span.vectors * np.sqrt(span.values)
    w = Z.T @ g.model.coef[span.members]
    target = g.radius * w / np.linalg.norm(w)
    for d in (0, 3, 10):
        projected = np.where(np.arange(len(w)) < d, target, 0.0)
        distance = np.linalg.norm(target - projected)
        assert g.projection_loss[d] == pytest.approx(distance / g.margin, rel=1e-8)


def test_trivial_machine():
    X, y = np.ones((4, 1)), np.array([1.0, 1, -1, -1])
    model = fit_svm_grid(
        X, y, kernels=[Kernel("linear")], Cs=[1.0], fit_intercept=False, center=True
    )[0]
    g = MachineGeometry(model, KernelGeometry(np.zeros((4, 4))))
    assert g.is_trivial
    assert g.margin == np.inf
    assert g.is_rotatable().all()


def test_unknown_region(machines):
    with pytest.raises(ValueError, match="`region` must be one of 'cone', 'slab', 'margin'"):
        machines[0].is_rotatable("ball")
