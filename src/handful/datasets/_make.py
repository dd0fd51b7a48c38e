"""The generators as functions: examples and labels in one call, and the registry of problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handful.datasets._concept_problems import AxisRules, Balls
from handful.datasets._curve_problems import Banana, Waveform
from handful.datasets._gaussian_problems import Noise, RingNorm, TwoNorm
from handful.datasets._problem import AbstractProblem

PROBLEMS: dict[str, type[AbstractProblem]] = {
    problem.name: problem
    for problem in (AxisRules, Balls, Banana, Noise, RingNorm, TwoNorm, Waveform)
}
"""Every problem with known truth, by name."""

RandomState = int | np.random.Generator | None


def make_two_norm(
    n_samples: int = 100, *, n_features: int = 20, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `TwoNorm`.

    Examples
    --------
    >>> X, y = make_two_norm(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 20), (50,))
    """
    return TwoNorm(n_features=n_features).sample(n_samples, random_state)


def make_ring_norm(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    mean_norm: float = 2.0,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `RingNorm`.

    Examples
    --------
    >>> X, y = make_ring_norm(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 20), (50,))
    """
    problem = RingNorm(n_features=n_features, mean_norm=mean_norm)
    return problem.sample(n_samples, random_state)


def make_waveform(
    n_samples: int = 100, *, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `Waveform`.

    Examples
    --------
    >>> X, y = make_waveform(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 21), (50,))
    """
    return Waveform().sample(n_samples, random_state)


def make_banana(
    n_samples: int = 100, *, spread: float = 0.3, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `Banana`.

    Examples
    --------
    >>> X, y = make_banana(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 2), (50,))
    """
    return Banana(spread=spread).sample(n_samples, random_state)


def make_axis_rules(
    n_samples: int = 100,
    *,
    thresholds: Sequence[float] = (0.3, 0.3),
    directions: Sequence[int] | None = None,
    kind: str = "conjunction",
    label_noise: float = 0.1,
    n_irrelevant: int = 8,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `AxisRules`.

    Examples
    --------
    >>> X, y = make_axis_rules(50, thresholds=(0.2,), n_irrelevant=3, random_state=0)
    >>> X.shape, y.shape
    ((50, 4), (50,))
    """
    problem = AxisRules(
        thresholds=tuple(thresholds),
        directions=None if directions is None else tuple(directions),
        kind=kind,
        label_noise=label_noise,
        n_irrelevant=n_irrelevant,
    )
    return problem.sample(n_samples, random_state)


def make_balls(
    n_samples: int = 100,
    *,
    centers: Sequence[Sequence[float]] = ((-1.5, 0.0), (1.5, 0.0)),
    radii: Sequence[float] = (1.0, 1.0),
    label_noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `Balls`.

    Examples
    --------
    >>> X, y = make_balls(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 2), (50,))
    """
    problem = Balls(
        centers=tuple(tuple(center) for center in centers),
        radii=tuple(radii),
        label_noise=label_noise,
    )
    return problem.sample(n_samples, random_state)


def make_noise(
    n_samples: int = 100,
    *,
    n_features: int = 10,
    positive_probability: float = 0.5,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw examples of `Noise`.

    Examples
    --------
    >>> X, y = make_noise(50, n_features=3, random_state=0)
    >>> X.shape, y.shape
    ((50, 3), (50,))
    """
    problem = Noise(n_features=n_features, positive_probability=positive_probability)
    return problem.sample(n_samples, random_state)
