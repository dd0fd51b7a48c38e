"""Complexity of a class of functions, measured by fitting random signs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from handful._checks import check_count, check_delta
from handful._types import Floats
from handful.boosting._columns import Column, ColumnFamily
from handful.boosting._kernel_columns import KernelColumns
from handful.boosting._kernel_specs import make_kernels
from handful.boosting._learners import LearnerColumns
from handful.boosting._stumps import StumpColumns


@dataclass(frozen=True)
class RademacherEstimate:
    """Monte-Carlo estimate of the empirical Rademacher complexity of a class.

    Attributes
    ----------
    value : float
        Mean over the draws of sup_h (2/m) sum_i sigma_i h(x_i).
    standard_error : float
        Of that mean, from the spread of the draws.
    n_draws, n_samples : int
    is_exact : bool
        Whether every supremum was exact and |h| <= 1 is known. Only then does `upper` hold.
    """

    value: float
    standard_error: float
    n_draws: int
    n_samples: int
    is_exact: bool

    def upper(self, delta: float) -> float:
        """With probability 1 - delta over the signs, the complexity is at most this.

        The mean over B draws depends on m B independent signs, and each moves it by at most
        4 / (m B) for |h| <= 1; the bounded-differences inequality gives
        ``value + 4 sqrt(ln(1/delta) / (2 m B))``.

        Examples
        --------
        >>> estimate = RademacherEstimate(0.2, 0.01, 100, 400, True)
        >>> round(estimate.upper(0.05), 6)
        0.224477
        """
        if not self.is_exact:
            raise ValueError(
                "`upper` needs exact suprema of a class with |h| <= 1, and this estimate has a "
                "learner that is merely good. Use 'stumps' or normalised kernels."
            )
        log_inverse = -math.log(check_delta(delta))
        return self.value + 4.0 * math.sqrt(log_inverse / (2.0 * self.n_samples * self.n_draws))

    def __str__(self) -> str:
        return (
            f"complexity about {self.value:.4g} +- {self.standard_error:.2g} "
            f"({self.n_draws} draws, {self.n_samples} examples; an estimate)"
        )


def empirical_rademacher(
    oracle: Any, X: Any, n_draws: int = 100, random_state: Any = None
) -> RademacherEstimate:
    """Estimate E sup_h (2/m) sum_i sigma_i h(x_i) by fitting random signs.

    Parameters
    ----------
    oracle : "stumps", sequence of kernels, estimator, or callable
        The class: all decision stumps; the union of the unit balls of kernels (normalised to
        k(x, x) = 1, as in `LPBoostMKL`); what a scikit-learn classifier finds; or a function
        ``oracle(X, signs)`` that gives the values h(x_i) of the h it finds.
    X : array-like of shape (n_samples, n_features)
    n_draws : int
    random_state : int, RandomState or None

    Returns
    -------
    RademacherEstimate
        An estimate. For stumps and kernels `RademacherEstimate.upper` turns it into a bound
        that pays for the Monte-Carlo error; for learners it tends to be too small, because
        what a learner finds is not always the best of its class.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(50.0)[:, None]
    >>> estimate = empirical_rademacher("stumps", X, n_draws=20, random_state=0)
    >>> 0.3 < estimate.value < 0.6
    True
    """
    X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    n_draws = check_count("n_draws", n_draws, low=1)
    random = check_random_state(random_state)
    family = _family(oracle, X, random)
    m = X.shape[0]
    draws = np.empty(n_draws)
    for b in range(n_draws):
        signs = 2.0 * random.randint(0, 2, size=m) - 1.0
        draws[b] = 2.0 / m * max(0.0, family.best(signs)[0].edge)
    spread = float(draws.std(ddof=1) / math.sqrt(n_draws)) if n_draws > 1 else math.inf
    return RademacherEstimate(float(draws.mean()), spread, n_draws, m, family.is_exact)


def _family(oracle: Any, X: Floats, random: np.random.RandomState) -> ColumnFamily:
    if isinstance(oracle, str) and oracle == "stumps":
        return StumpColumns(X)
    if isinstance(oracle, Sequence) and not isinstance(oracle, str):
        kernels = make_kernels(oracle, X.shape[1], normalise=True)
        return KernelColumns([kernel(X) for kernel in kernels])
    if hasattr(oracle, "fit"):
        return LearnerColumns(oracle, X, response="labels", random_state=random)
    if callable(oracle):
        return _CallableColumns(oracle, X)
    raise ValueError(
        "`oracle` must be 'stumps', a sequence of kernels, an estimator or a callable, "
        f"got {oracle!r}."
    )


class _CallableColumns:
    """A user's search for the best h."""

    is_exact = False

    def __init__(self, search: Callable[[Floats, Floats], Any], X: Floats) -> None:
        self._search, self._X = search, X

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """What the user's function finds."""
        values = np.asarray(self._search(self._X, scores), dtype=np.float64)
        return [Column(None, values, float(scores @ values))]
