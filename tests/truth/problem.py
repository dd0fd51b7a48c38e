"""What a problem with known truth is: samples, Bayes error, and true risk of any classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import ismethod
from typing import ClassVar, final

import numpy as np

from handful.checks import check_count, check_real
from handful.datasets.generators import as_generator
from tests.truth.classifiers import Classifier, KnownForm, predict_labels, recognise
from tests.truth.laws import N_BLOCK_CELLS, Law, exact_risk

N_PROBES = 512
"""Points on which a recognised form must agree with the estimator it was read from."""


@final
@dataclass(frozen=True, kw_only=True)
class RiskEstimate:
    """The true risk of a classifier, with its standard error.

    Parameters
    ----------
    value : float
        P(classifier(x) != y).
    standard_error : float
        Of ``value``; 0.0 when it is exact.
    n_samples : int
        Points drawn; 0 when the value comes from a closed form.

    Examples
    --------
    >>> print(RiskEstimate(value=0.25, standard_error=0.0, n_samples=0))
    0.25 (exact)
    """

    value: float
    standard_error: float
    n_samples: int

    @property
    def is_exact(self) -> bool:
        """Whether the value comes from a closed form (exact to rounding)."""
        return self.n_samples == 0

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.value:.6g} (exact)"
        return f"{self.value:.6g} ± {self.standard_error:.2g}"


class AbstractProblem(ABC):
    """A law of (x, y) with y in {-1, +1} about which everything is known.

    Leaves say how points are drawn, what the law is, and the Bayes error; the rest is here.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @property
    @abstractmethod
    def bayes_error(self) -> float:
        """The smallest risk any classifier can have."""

    @property
    @abstractmethod
    def _law(self) -> Law:
        """The joint law of points and labels."""

    @abstractmethod
    def _draw(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw points and labels."""

    @final
    def sample(
        self, n_samples: int, rng: int | np.random.Generator | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw independent examples.

        Parameters
        ----------
        n_samples : int
            How many, at least 1.
        rng : int, Generator or None
            Source of randomness; the same int gives the same examples.

        Returns
        -------
        X : array of shape (n_samples, n_features)
        y : int array of shape (n_samples,), labels in {-1, +1}
        """
        return self._draw(check_count("n_samples", n_samples, low=1), as_generator(rng))

    @property
    @final
    def positive_rate(self) -> float:
        """P(y = +1)."""
        return self._law.positive_rate

    @final
    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(y = +1 | x) for each row of ``X``."""
        return self._law.posterior(check_matrix(X, self.n_features))

    @final
    def bayes_classifier(self, X: np.ndarray) -> np.ndarray:
        """Labels of least risk; +1 where both labels are equally likely."""
        return np.where(self.posterior(X) >= 0.5, 1, -1)

    @final
    def true_risk(
        self,
        classifier: Classifier,
        *,
        n_samples: int = 100_000,
        target_error: float | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> RiskEstimate:
        """P(classifier(x) != y) over fresh examples: exact if possible, else very precise.

        Exact (``standard_error`` 0) are constants on every problem, this problem's own
        `bayes_classifier`, half-spaces on the Gaussian problems, and boxes (stumps,
        conjunctions, disjunctions, decision trees) on the Gaussian and the uniform ones.
        Fitted linear models and trees are recognised; trees round points to single
        precision, which moves their risk by about 1e-7.

        Otherwise points are drawn in blocks and the known posterior replaces the labels:
        the risk is the Bayes error plus the mean of ``|2 P(+1 | x) - 1|`` over the points
        where the classifier disagrees with Bayes. This varies far less than counted errors.

        Parameters
        ----------
        classifier : estimator, callable, LinearClassifier, BoxClassifier, or -1 or +1
            A fitted estimator with ``predict``, or a callable from points to labels.
        n_samples : int, default=100_000
            Points to draw, at most, if there is no closed form.
        target_error : float, optional
            Stop as soon as the standard error is this small.
        rng : int, Generator or None
            Source of randomness.

        Returns
        -------
        RiskEstimate
            The standard error is never reported below 1 / n_samples times the largest
            excess seen, since a region of smaller mass may not have been met at all.
        """
        check_count("n_samples", n_samples, low=2)
        if target_error is not None:
            hint = "Ask for 1e-4, for example."
            check_real("target_error", target_error, low=1e-12, high=1.0, hint=hint)
        if ismethod(classifier) and classifier == self.bayes_classifier:
            return RiskEstimate(value=self.bayes_error, standard_error=0.0, n_samples=0)
        form = recognise(classifier, self.n_features)
        if form is not None and self._is_form_of(form, classifier):
            risk = exact_risk(self._law, form)
            if risk is not None:
                return RiskEstimate(value=risk, standard_error=0.0, n_samples=0)
        return self._simulate(classifier, n_samples, target_error or 0.0, as_generator(rng))

    def _is_form_of(self, form: KnownForm, classifier: Classifier) -> bool:
        """Whether the recognised form predicts as the classifier does, on fixed points."""
        if form is classifier:
            return True
        X, _ = self._draw(N_PROBES, np.random.default_rng(0))
        return bool((form.predict(X) == predict_labels(classifier, X)).all())

    def _simulate(
        self, classifier: Classifier, n_samples: int, target_error: float, rng: np.random.Generator
    ) -> RiskEstimate:
        """Bayes error plus mean excess, in blocks until precise enough or all are drawn."""
        n_block = max(256, min(8192, N_BLOCK_CELLS // self.n_features))
        n_drawn, total, total_squares, largest = 0, 0.0, 0.0, 0.0
        standard_error = np.inf
        while n_drawn < n_samples and standard_error > target_error:
            X, _ = self._draw(min(n_block, n_samples - n_drawn), rng)
            gap = 2.0 * self._law.posterior(X) - 1.0
            excess = np.where(predict_labels(classifier, X) * gap < 0.0, np.abs(gap), 0.0)
            n_drawn += len(X)
            total += float(excess.sum())
            total_squares += float(np.square(excess).sum())
            largest = max(largest, float(np.abs(gap).max()))
            variance = max(total_squares / n_drawn - (total / n_drawn) ** 2, 0.0)
            standard_error = float(np.sqrt(variance / n_drawn + (largest / n_drawn) ** 2))
        value = min(self.bayes_error + total / n_drawn, 1.0)
        return RiskEstimate(value=value, standard_error=standard_error, n_samples=n_drawn)


def draw_labels(n_samples: int, positive_rate: float, rng: np.random.Generator) -> np.ndarray:
    """Draw labels in {-1, +1} that are +1 with probability ``positive_rate``."""
    return np.where(rng.random(n_samples) < positive_rate, 1, -1)


def check_matrix(X: object, n_features: int) -> np.ndarray:
    """Return ``X`` as a float64 matrix with ``n_features`` columns and no missing values."""
    array = np.asarray(X, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != n_features:
        raise ValueError(
            f"`X` must have shape (n_samples, {n_features}), got {array.shape}. "
            "Pass points of this problem, for example those its `sample` returns."
        )
    if np.isnan(array).any():
        raise ValueError("`X` must have no missing values, got NaN. Fill them first.")
    return array
