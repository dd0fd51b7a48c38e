"""Problems whose classes are Gaussian around a curve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, final

import numpy as np

from handful.checks import check_real
from tests.truth.laws import GaussianLaw
from tests.truth.problem import AbstractProblem, draw_labels
from tests.truth.quadrature import plane_bayes_error, unit_nodes

N_WAVE_NODES = 48


@final
@dataclass(frozen=True, kw_only=True)
class Waveform(AbstractProblem):
    """Breiman's waveform in two classes: 21 noisy points of a mix of two triangular waves.

    Three waves peak at positions 7, 11 and 15. A point is u times one wave plus (1 - u)
    times another, u uniform, plus unit Gaussian noise. Class +1 (one third) mixes the
    waves 7 and 11; class -1 mixes 7 and 15 or 11 and 15, equally often. This is the
    two-class version of Rätsch's benchmark, before its features were scaled to variance 1.

    The Bayes error is a planar integral (all means lie in a plane), accurate to 1e-7.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, *Classification and Regression Trees*,
    Wadsworth, 1984, section 2.6.2.

    Examples
    --------
    >>> problem = Waveform()
    >>> round(problem.positive_rate, 4), problem.n_features
    (0.3333, 21)
    """

    name: ClassVar[str] = "waveform"

    @property
    def n_features(self) -> int:
        """Always 21."""
        return 21

    @property
    def bayes_error(self) -> float:
        """By quadrature, accurate to 1e-7."""
        return _waveform_bayes_error()

    @cached_property
    def _law(self) -> GaussianLaw:
        return _waveform_law()

    def _draw(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        pair = rng.integers(3, size=n_samples)
        u = rng.random(n_samples)[:, None]
        first, second = _wave_ends()
        X = u * first[pair] + (1.0 - u) * second[pair]
        X += rng.standard_normal(X.shape)
        return X, np.where(pair == 0, 1, -1)


def _wave_ends() -> tuple[np.ndarray, np.ndarray]:
    """The two waves that each of the three groups mixes; group 0 is class +1."""
    position = np.arange(1, 22)
    low, middle, high = (np.maximum(6.0 - np.abs(position - peak), 0.0) for peak in (7, 11, 15))
    return np.array([low, low, middle]), np.array([middle, high, high])


@lru_cache(maxsize=1)
def _waveform_law() -> GaussianLaw:
    nodes, weights = unit_nodes(N_WAVE_NODES)
    first, second = _wave_ends()
    means = nodes[:, None] * first[:, None] + (1.0 - nodes[:, None]) * second[:, None]
    is_positive = np.repeat([1.0, 0.0, 0.0], N_WAVE_NODES)
    weights = np.tile(weights, 3) / 3.0
    return GaussianLaw(
        means.reshape(-1, 21),
        np.ones(weights.size),
        weights * is_positive,
        weights * (1.0 - is_positive),
    )


@lru_cache(maxsize=1)
def _waveform_bayes_error() -> float:
    return plane_bayes_error(_waveform_law())


@final
@dataclass(frozen=True, kw_only=True)
class Banana(AbstractProblem):
    """Two interleaved crescents with Gaussian spread, in the plane.

    The centre line of class -1 is the upper unit half-circle around (0, 0), that of
    class +1 the lower unit half-circle around (1, 0.5). It looks like Rätsch's "banana"
    data, whose generator was never published, and is not meant to equal them.

    The Bayes error is a planar integral, accurate to 1e-7.

    Parameters
    ----------
    spread : float, default=0.3
        Standard deviation around the centre line, at least 0.05.

    Examples
    --------
    >>> X, y = Banana(spread=0.2).sample(4, rng=0)
    >>> X.shape
    (4, 2)
    """

    name: ClassVar[str] = "banana"

    spread: float = 0.3

    def __post_init__(self) -> None:
        check_real(
            "spread", self.spread, low=0.05, high=1e3, hint="Use 0.3 for a moderate overlap."
        )

    @property
    def n_features(self) -> int:
        """Always 2."""
        return 2

    @property
    def bayes_error(self) -> float:
        """By quadrature, accurate to 1e-7."""
        return _banana_bayes_error(self.spread)

    @cached_property
    def _law(self) -> GaussianLaw:
        return _banana_law(self.spread)

    def _draw(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = draw_labels(n_samples, 0.5, rng)
        X = _crescents(rng.random(n_samples), y)
        return X + self.spread * rng.standard_normal(X.shape), y


def _crescents(u: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The point at fraction ``u`` of the centre line of class ``y``."""
    angle = np.pi * u
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.where((y == 1)[:, None], np.array([1.0, 0.5]) - upper, upper)


@lru_cache(maxsize=16)
def _banana_law(spread: float) -> GaussianLaw:
    n_nodes = 48 + int(np.ceil(6.0 / spread))
    nodes, weights = unit_nodes(n_nodes)
    y = np.repeat([1, -1], n_nodes)
    weights = np.tile(weights, 2) / 2.0
    return GaussianLaw(
        _crescents(np.tile(nodes, 2), y),
        np.full(2 * n_nodes, spread),
        weights * (y == 1),
        weights * (y == -1),
    )


@lru_cache(maxsize=16)
def _banana_bayes_error(spread: float) -> float:
    return plane_bayes_error(_banana_law(spread))
