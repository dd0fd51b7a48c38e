"""Generators of examples whose law is known: points and labels in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral

import numpy as np

from handful.checks import check_choice, check_count, check_real, check_reals

Drawn = tuple[np.ndarray, np.ndarray]
RandomState = int | np.random.Generator | None

KINDS = ("conjunction", "disjunction")
_NOISE_ADVICE = "Use the fraction of flipped labels; above one half, swap the labels instead."


def make_two_norm(
    n_samples: int = 100, *, n_features: int = 20, random_state: RandomState = None
) -> Drawn:
    """Breiman's twonorm: two unit Gaussians around (a, ..., a) for +1 and its opposite for -1.

    With a = 2 / sqrt(n_features), the Bayes classifier is the sign of the sum of the features
    and its error is Phi(-2), about 2.28 %, in any dimension.

    References
    ----------
    L. Breiman, "Bias, variance and arcing classifiers", Technical Report 460, Statistics
    Department, University of California, Berkeley, 1996.

    Examples
    --------
    >>> X, y = make_two_norm(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 20), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    n_features = check_count("n_features", n_features, low=1)
    y = _labels(n_samples, 0.5, rng)
    X = rng.standard_normal((n_samples, n_features))
    X += (y * (2.0 / np.sqrt(n_features)))[:, None]
    return X, y


def make_ring_norm(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    mean_norm: float = 2.0,
    random_state: RandomState = None,
) -> Drawn:
    """Breiman's ringnorm: a wide Gaussian (+1) around a narrow one (-1).

    Class +1 has mean 0 and covariance 4 I; class -1 has mean (a, ..., a) of length
    ``mean_norm`` and covariance I: 2.0 is the distributed data, with Bayes error 1.24 %; 1.0 is
    another reading of Breiman's report, with 1.50 %.

    Examples
    --------
    >>> X, y = make_ring_norm(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 20), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    n_features = check_count("n_features", n_features, low=1)
    check_real("mean_norm", mean_norm, low=0.0, high=1e3, hint="Use 2.0 for the usual data.")
    y = _labels(n_samples, 0.5, rng)
    X = rng.standard_normal((n_samples, n_features))
    is_wide = (y == 1)[:, None]
    return np.where(is_wide, 2.0 * X, X + mean_norm / np.sqrt(n_features)), y


def make_waveform(n_samples: int = 100, *, random_state: RandomState = None) -> Drawn:
    """Breiman's waveform in two classes: 21 noisy points of a mix of two triangular waves.

    Three waves peak at positions 7, 11 and 15. A point is u times one wave plus (1 - u) times
    another, u uniform, plus unit Gaussian noise. Class +1 (one third) mixes the waves 7 and 11;
    class -1 mixes 7 and 15 or 11 and 15, equally often.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, *Classification and Regression Trees*,
    Wadsworth, 1984, section 2.6.2.

    Examples
    --------
    >>> X, y = make_waveform(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 21), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    pair = rng.integers(3, size=n_samples)
    u = rng.random(n_samples)[:, None]
    position = np.arange(1, 22)
    low, middle, high = (np.maximum(6.0 - np.abs(position - peak), 0.0) for peak in (7, 11, 15))
    first, second = np.array([low, low, middle]), np.array([middle, high, high])
    X = u * first[pair] + (1.0 - u) * second[pair]
    X += rng.standard_normal(X.shape)
    return X, np.where(pair == 0, 1, -1)


def make_banana(
    n_samples: int = 100, *, spread: float = 0.3, random_state: RandomState = None
) -> Drawn:
    """Two interleaved crescents with Gaussian spread, in the plane.

    The centre line of class -1 is the upper unit half-circle around (0, 0), that of class +1 the
    lower unit half-circle around (1, 0.5). It looks like Rätsch's "banana" data, whose generator
    was never published, and is not meant to equal them.

    Examples
    --------
    >>> X, y = make_banana(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 2), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    check_real("spread", spread, low=0.05, high=1e3, hint="Use 0.3 for a moderate overlap.")
    y = _labels(n_samples, 0.5, rng)
    angle = np.pi * rng.random(n_samples)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.where((y == 1)[:, None], np.array([1.0, 0.5]) - upper, upper)
    return X + spread * rng.standard_normal(X.shape), y


def make_axis_rules(
    n_samples: int = 100,
    *,
    thresholds: Sequence[float] = (0.3, 0.3),
    directions: Sequence[int] | None = None,
    kind: str = "conjunction",
    label_noise: float = 0.1,
    n_irrelevant: int = 8,
    random_state: RandomState = None,
) -> Drawn:
    """A conjunction or disjunction of thresholds on uniform features, with flipped labels.

    Points are uniform in [0, 1]^d. Feature j is asked whether it exceeds ``thresholds[j]``
    (direction +1, the default) or does not (-1); the clean label is +1 when all (conjunction) or
    any (disjunction) say yes. ``n_irrelevant`` further features do not matter. Labels are flipped
    with probability ``label_noise``, which is the Bayes error.

    Examples
    --------
    >>> X, y = make_axis_rules(50, thresholds=(0.2,), n_irrelevant=3, random_state=0)
    >>> X.shape, y.shape
    ((50, 4), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    cuts = np.array(check_reals("thresholds", thresholds, "Pass one number per rule."))
    for cut in cuts:
        check_real(
            "thresholds", float(cut), low=0.0, high=1.0, hint="Features are uniform in [0, 1]."
        )
    signs = _directions(directions, len(cuts))
    check_choice("kind", kind, KINDS)
    check_real("label_noise", label_noise, low=0.0, high=0.5, hint=_NOISE_ADVICE)
    n_irrelevant = check_count("n_irrelevant", n_irrelevant, low=0)
    X = rng.random((n_samples, len(cuts) + n_irrelevant))
    says_yes = (X[:, : len(cuts)] > cuts) == (signs > 0)
    is_positive = says_yes.all(axis=1) if kind == "conjunction" else says_yes.any(axis=1)
    return X, _flip(np.where(is_positive, 1, -1), label_noise, rng)


def make_balls(
    n_samples: int = 100,
    *,
    centers: Sequence[Sequence[float]] = ((-1.5, 0.0), (1.5, 0.0)),
    radii: Sequence[float] = (1.0, 1.0),
    label_noise: float = 0.1,
    random_state: RandomState = None,
) -> Drawn:
    """Label +1 inside a union of disjoint balls, with flipped labels; points are standard normal.

    Examples
    --------
    >>> X, y = make_balls(50, random_state=0)
    >>> X.shape, y.shape
    ((50, 2), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    points = [check_reals("centers", center, "Pass one point per ball.") for center in centers]
    sizes = np.array(check_reals("radii", radii, "Pass one positive number per ball."))
    if len({len(point) for point in points}) != 1 or len(points) != len(sizes):
        raise ValueError(
            "`centers` must be points of one dimension, as many as `radii`, got "
            f"{centers!r} and {radii!r}. Pass one point and one radius per ball."
        )
    if sizes.min() <= 0.0:
        raise ValueError(f"`radii` must be positive, got {sizes.min()}. Drop empty balls.")
    _check_disjoint(np.array(points), sizes)
    check_real("label_noise", label_noise, low=0.0, high=0.5, hint=_NOISE_ADVICE)
    X = rng.standard_normal((n_samples, len(points[0])))
    squared = ((X[:, None] - np.array(points)) ** 2).sum(axis=2)
    is_inside = (squared <= sizes**2).any(axis=1)
    return X, _flip(np.where(is_inside, 1, -1), label_noise, rng)


def make_noise(
    n_samples: int = 100,
    *,
    n_features: int = 10,
    positive_probability: float = 0.5,
    random_state: RandomState = None,
) -> Drawn:
    """Draw standard normal points whose labels have nothing to do with them.

    Examples
    --------
    >>> X, y = make_noise(50, n_features=3, random_state=0)
    >>> X.shape, y.shape
    ((50, 3), (50,))
    """
    rng, n_samples = as_generator(random_state), check_count("n_samples", n_samples, low=1)
    n_features = check_count("n_features", n_features, low=1)
    check_real(
        "positive_probability", positive_probability, low=0.0, high=1.0, hint="Use a probability."
    )
    y = _labels(n_samples, positive_probability, rng)
    return rng.standard_normal((n_samples, n_features)), y


GENERATORS: dict[str, Callable[..., Drawn]] = {
    "axis-rules": make_axis_rules,
    "balls": make_balls,
    "banana": make_banana,
    "noise": make_noise,
    "ring-norm": make_ring_norm,
    "two-norm": make_two_norm,
    "waveform": make_waveform,
}
"""Every generator, by the name that the command line knows it by."""


def _labels(n_samples: int, positive_rate: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(n_samples) < positive_rate, 1, -1)


def _flip(clean: np.ndarray, label_noise: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(clean.size) < label_noise, -clean, clean)


def _directions(given: Sequence[int] | None, n_rules: int) -> np.ndarray:
    if given is None:
        return np.ones(n_rules)
    signs = check_reals("directions", given, "Pass -1 or +1 per threshold.")
    if len(signs) != n_rules or not set(signs) <= {-1.0, 1.0}:
        raise ValueError(
            f"`directions` must hold {n_rules} times -1 or +1, got {given!r}. "
            "Pass one per threshold."
        )
    return np.array(signs)


def _check_disjoint(centers: np.ndarray, radii: np.ndarray) -> None:
    """Raise for the first pair of balls that overlap."""
    for i in range(len(radii)):
        for j in range(i):
            distance = float(np.linalg.norm(centers[i] - centers[j]))
            if distance < radii[i] + radii[j]:
                raise ValueError(
                    f"`centers` must be at least the sum of their radii apart, got balls {j} and "
                    f"{i} at distance {distance:g} with radii {radii[j]:g} and {radii[i]:g}. "
                    "Move them apart or shrink them."
                )


def as_generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator: the given one, one seeded by an integer, or a fresh one for None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise TypeError(
            "`rng` or `random_state` must be None, an int or a numpy.random.Generator, got "
            f"{type(random_state).__name__}. Use numpy.random.default_rng(seed)."
        )
    if random_state < 0:
        raise ValueError(
            f"`rng` or `random_state` must be at least 0, got {random_state}. Use 0 or more."
        )
    return np.random.default_rng(int(random_state))
