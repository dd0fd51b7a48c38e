"""Problems with a clean concept and labels flipped at a known rate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from handful.checks import check_count, check_real, check_reals
from tests.truth.classifiers import KINDS, BoxClassifier
from tests.truth.laws import BallLaw, UniformBoxLaw
from tests.truth.problem import AbstractProblem

_NOISE_ADVICE = "Use the fraction of flipped labels; above one half, swap the labels instead."


@final
@dataclass(frozen=True, kw_only=True)
class AxisRules(AbstractProblem):
    """A conjunction or disjunction of thresholds on uniform features, with flipped labels.

    Points are uniform in [0, 1]^d. Feature j, for each of the given thresholds, is asked
    whether it exceeds ``thresholds[j]`` (direction +1) or does not (-1); the clean label is
    +1 when all (conjunction) or any (disjunction) say yes. Further features do not matter.

    Parameters
    ----------
    thresholds : tuple of float, default=(0.3, 0.3)
        One per relevant feature, each in [0, 1].
    directions : tuple of {-1, +1}, optional
        One per threshold; all +1 by default.
    kind : {"conjunction", "disjunction"}, default="conjunction"
    label_noise : float, default=0.1
        Probability in [0, 0.5] that a label is flipped: the Bayes error.
    n_irrelevant : int, default=8
        Number of features that say nothing.

    Examples
    --------
    >>> problem = AxisRules(thresholds=(0.5,), label_noise=0.1, n_irrelevant=1)
    >>> problem.bayes_error, round(problem.positive_rate, 12)
    (0.1, 0.5)
    >>> print(problem.true_risk(problem.concept))
    0.1 (exact)
    """

    name: ClassVar[str] = "axis-rules"

    thresholds: tuple[float, ...] = (0.3, 0.3)
    directions: tuple[int, ...] | None = None
    kind: str = "conjunction"
    label_noise: float = 0.1
    n_irrelevant: int = 8

    def __post_init__(self) -> None:
        thresholds = check_reals("thresholds", self.thresholds, "Pass one number per rule.")
        for threshold in thresholds:
            check_real(
                "thresholds", threshold, low=0.0, high=1.0, hint="Features are uniform in [0, 1]."
            )
        given = (1,) * len(thresholds) if self.directions is None else self.directions
        directions = check_reals("directions", given, "Pass -1 or +1 per threshold.")
        if len(directions) != len(thresholds) or not set(directions) <= {-1.0, 1.0}:
            raise ValueError(
                f"`directions` must hold {len(thresholds)} times -1 or +1, got {given!r}. "
                "Pass one per threshold."
            )
        if self.kind not in KINDS:
            raise ValueError(
                f"`kind` must be one of {KINDS}, got {self.kind!r}. Choose one of them."
            )
        check_real("label_noise", self.label_noise, low=0.0, high=0.5, hint=_NOISE_ADVICE)
        check_count("n_irrelevant", self.n_irrelevant, low=0)
        object.__setattr__(self, "thresholds", thresholds)
        object.__setattr__(self, "directions", tuple(int(sign) for sign in directions))

    @property
    def n_features(self) -> int:
        """Relevant and irrelevant ones together."""
        return len(self.thresholds) + self.n_irrelevant

    @property
    def bayes_error(self) -> float:
        """The rate of flipped labels, exact."""
        return float(self.label_noise)

    @cached_property
    def concept(self) -> BoxClassifier:
        """The clean labels as a classifier."""
        return BoxClassifier.from_thresholds(
            self.n_features,
            features=range(len(self.thresholds)),
            thresholds=self.thresholds,
            directions=self.directions or (),
            kind=self.kind,
        )

    @cached_property
    def _law(self) -> UniformBoxLaw:
        return UniformBoxLaw(self.concept, float(self.label_noise))

    def _draw(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.random((n_samples, self.n_features))
        return X, _flip(self.concept.predict(X), self.label_noise, rng)


@final
@dataclass(frozen=True, kw_only=True)
class Balls(AbstractProblem):
    """Label +1 inside a union of disjoint balls, with flipped labels; points are normal.

    Points are standard normal around the origin, so that the mass of a ball is a
    non-central chi-squared probability in any dimension.

    Parameters
    ----------
    centers : tuple of tuples of float, default=((-1.5, 0.0), (1.5, 0.0))
        One per ball; their length is the number of features.
    radii : tuple of float, default=(1.0, 1.0)
        One per ball, positive. Balls must not overlap.
    label_noise : float, default=0.1
        Probability in [0, 0.5] that a label is flipped: the Bayes error.

    Examples
    --------
    >>> problem = Balls(centers=((0.0, 0.0),), radii=(1.0,), label_noise=0.0)
    >>> round(problem.positive_rate, 6)  # 1 - exp(-1/2)
    0.393469
    """

    name: ClassVar[str] = "balls"

    centers: tuple[tuple[float, ...], ...] = ((-1.5, 0.0), (1.5, 0.0))
    radii: tuple[float, ...] = (1.0, 1.0)
    label_noise: float = 0.1

    def __post_init__(self) -> None:
        centers = tuple(
            check_reals("centers", center, "Pass one point per ball.") for center in self.centers
        )
        radii = check_reals("radii", self.radii, "Pass one positive number per ball.")
        if len({len(center) for center in centers}) != 1 or len(centers) != len(radii):
            raise ValueError(
                "`centers` must be points of one dimension, as many as `radii`, got "
                f"{centers!r} and {radii!r}. Pass one point and one radius per ball."
            )
        if min(radii) <= 0.0:
            raise ValueError(f"`radii` must be positive, got {min(radii)}. Drop empty balls.")
        _check_disjoint(np.array(centers), np.array(radii))
        check_real("label_noise", self.label_noise, low=0.0, high=0.5, hint=_NOISE_ADVICE)
        object.__setattr__(self, "centers", centers)
        object.__setattr__(self, "radii", radii)

    @property
    def n_features(self) -> int:
        """The dimension of the centers."""
        return len(self.centers[0])

    @property
    def bayes_error(self) -> float:
        """The rate of flipped labels, exact."""
        return float(self.label_noise)

    @cached_property
    def _law(self) -> BallLaw:
        return BallLaw(np.array(self.centers), np.array(self.radii), float(self.label_noise))

    def _draw(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_normal((n_samples, self.n_features))
        return X, _flip(np.where(self._law.is_inside(X), 1, -1), self.label_noise, rng)


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


def _flip(clean: np.ndarray, label_noise: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(clean.size) < label_noise, -clean, clean)
