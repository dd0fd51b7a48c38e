"""Joint laws of (x, y): posterior, and the mass of half-spaces and boxes in each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, final

import numpy as np
from scipy.special import ndtr

from tests.truth.classifiers import BoxClassifier, KnownForm, LinearClassifier

N_BLOCK_CELLS = 2**20
"""Cells of the largest temporary array: 8 MiB of float64."""

Masses: TypeAlias = tuple[np.ndarray, np.ndarray]
"""P(x in region, y = +1) and P(x in region, y = -1), one entry per region."""


class Law(Protocol):
    """What a problem knows about the joint law of its points and labels."""

    @property
    def positive_rate(self) -> float:
        """P(y = +1)."""

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(y = +1 | x) for each row of ``X``."""

    def half_space_masses(self, weights: np.ndarray, bias: float) -> Masses | None:
        """Masses of ``weights @ x + bias > 0``; None where no closed form is known."""

    def box_masses(self, lower: np.ndarray, upper: np.ndarray) -> Masses | None:
        """Masses of the boxes ``lower < x <= upper``; None where no closed form is known."""


def exact_risk(law: Law, form: KnownForm) -> float | None:
    """P(classifier(x) != y) of a classifier of known form, or None if ``law`` cannot say.

    The risk of the constant ``default`` is known; each region with the other label moves
    its two masses from one side to the other.
    """
    if isinstance(form, LinearClassifier):
        default = -1
        masses = law.half_space_masses(np.asarray(form.weights), form.bias)
    else:
        default = form.default
        masses = _deviating_masses(law, form)
    if masses is None:
        return None
    positive, negative = float(np.sum(masses[0])), float(np.sum(masses[1]))
    if default == 1:
        risk = (1.0 - law.positive_rate) - negative + positive
    else:
        risk = law.positive_rate - positive + negative
    return min(max(risk, 0.0), 1.0)


def _deviating_masses(law: Law, form: BoxClassifier) -> Masses | None:
    """Masses of the boxes whose label is not the default one."""
    is_other = form.labels != form.default
    if not is_other.any():
        return np.zeros(1), np.zeros(1)
    return law.box_masses(form.lower[is_other], form.upper[is_other])


@final
@dataclass(frozen=True, eq=False)
class GaussianLaw:
    """A finite mixture of isotropic Gaussians; each carries weight for both labels.

    Parameters
    ----------
    means : array of shape (n_components, n_features)
    scales : array of shape (n_components,)
        Standard deviations.
    positive_weights, negative_weights : arrays of shape (n_components,)
        P(component, y = +1) and P(component, y = -1); together they sum to one.
    """

    means: np.ndarray
    scales: np.ndarray
    positive_weights: np.ndarray
    negative_weights: np.ndarray

    @property
    def positive_rate(self) -> float:
        """P(y = +1)."""
        return float(self.positive_weights.sum())

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(y = +1 | x) for each row of ``X``, in blocks of bounded memory."""
        n_block = max(1, N_BLOCK_CELLS // max(self.means.shape))
        blocks = [
            self._posterior(X[start : start + n_block]) for start in range(0, len(X), n_block)
        ]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def half_space_masses(self, weights: np.ndarray, bias: float) -> Masses:
        """Masses of ``weights @ x + bias > 0``: one-dimensional normal tails."""
        norm = np.linalg.norm(weights)
        return self._by_label(ndtr((self.means @ weights + bias) / (self.scales * norm))[None])

    def box_masses(self, lower: np.ndarray, upper: np.ndarray) -> Masses:
        """Masses of boxes: products of one-dimensional normal probabilities."""
        scales = self.scales[:, None]
        inside = np.empty((len(lower), len(self.means)))
        for index, (low, high) in enumerate(zip(lower, upper, strict=True)):
            inside[index] = _interval((low - self.means) / scales, (high - self.means) / scales)
        return self._by_label(inside)

    def _by_label(self, inside: np.ndarray) -> Masses:
        return inside @ self.positive_weights, inside @ self.negative_weights

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        squares = (X**2).sum(axis=1)[:, None] + (self.means**2).sum(axis=1)
        squares -= 2.0 * (X @ self.means.T)
        log_density = -0.5 * squares / self.scales**2 - X.shape[1] * np.log(self.scales)
        log_density -= log_density.max(axis=1, keepdims=True)
        density = np.exp(log_density, out=log_density)
        positive, negative = self._by_label(density)
        return positive / (positive + negative)


def _interval(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Product over the last axis of P(low < z <= high) for a standard normal z."""
    is_upper = low > 0.0  # measured from the nearer tail, so that far boxes keep their digits
    left = np.where(is_upper, -high, low)
    right = np.where(is_upper, -low, high)
    return np.clip(ndtr(right) - ndtr(left), 0.0, None).prod(axis=-1)


@final
@dataclass(frozen=True, eq=False)
class UniformBoxLaw:
    """Uniform points of [0, 1]^d; a box has one label, the rest the other; labels flip.

    Parameters
    ----------
    concept : BoxClassifier
        The noise-free labels: exactly one box, whose label is not the default one.
    label_noise : float
        Probability that a label is flipped.
    """

    concept: BoxClassifier
    label_noise: float

    @property
    def positive_rate(self) -> float:
        """P(y = +1)."""
        cube = np.zeros((1, self.concept.n_features))
        return float(self.box_masses(cube, cube + 1.0)[0][0])

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(y = +1 | x) for each row of ``X``."""
        return _flipped(self.concept.predict(X) == 1, self.label_noise)

    def half_space_masses(self, weights: np.ndarray, bias: float) -> None:
        """Not known: oblique cuts of a cube have no stable closed form."""

    def box_masses(self, lower: np.ndarray, upper: np.ndarray) -> Masses:
        """Masses of boxes: products of lengths."""
        lower, upper = np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
        volume = _volumes(lower, upper)
        in_box = _volumes(
            np.maximum(lower, self.concept.lower[0]), np.minimum(upper, self.concept.upper[0])
        )
        is_positive_box = self.concept.labels[0] == 1
        clean = in_box if is_positive_box else volume - in_box
        positive = self.label_noise * volume + (1.0 - 2.0 * self.label_noise) * clean
        return positive, volume - positive


def _volumes(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    return np.clip(upper - lower, 0.0, None).prod(axis=1)


@final
@dataclass(frozen=True, eq=False)
class BallLaw:
    """Standard normal points; +1 inside disjoint balls; labels flip.

    Parameters
    ----------
    centers : array of shape (n_balls, n_features)
    radii : array of shape (n_balls,)
    label_noise : float
        Probability that a label is flipped.
    """

    centers: np.ndarray
    radii: np.ndarray
    label_noise: float

    @property
    def positive_rate(self) -> float:
        """P(y = +1), from non-central chi-squared probabilities."""
        inside = sum(
            normal_ball_mass(radius, center, 1.0)
            for center, radius in zip(self.centers, self.radii, strict=True)
        )
        return self.label_noise + (1.0 - 2.0 * self.label_noise) * inside

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(y = +1 | x) for each row of ``X``."""
        return _flipped(self.is_inside(X), self.label_noise)

    def is_inside(self, X: np.ndarray) -> np.ndarray:
        """Which rows of ``X`` lie in one of the balls."""
        is_inside = np.zeros(X.shape[0], dtype=bool)
        for center, radius in zip(self.centers, self.radii, strict=True):
            is_inside |= np.square(X - center).sum(axis=1) <= radius**2
        return is_inside

    def half_space_masses(self, weights: np.ndarray, bias: float) -> None:
        """Not known in closed form."""

    def box_masses(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Not known in closed form."""


def _flipped(is_positive: np.ndarray, label_noise: float) -> np.ndarray:
    return np.where(is_positive, 1.0 - label_noise, label_noise)


def normal_ball_mass(radius: float, center: np.ndarray, scale: float) -> float:
    """P(||x - center|| <= radius) for x normal around 0 with standard deviation ``scale``."""
    from scipy.stats import chi2, ncx2

    squared_radius, shift = (radius / scale) ** 2, float(np.sum((center / scale) ** 2))
    if shift == 0.0:
        return float(chi2.cdf(squared_radius, center.size))
    return float(ncx2.cdf(squared_radius, center.size, shift))
