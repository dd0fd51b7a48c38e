"""Signs that the rows were scaled by something fitted to all of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from handful._types import Floats

_SAME = 1e-9  # what is left of a mean of zero after scaling and rounding
_FEWEST = 3  # two rows are standardised by chance
_FEWEST_LENGTHS = 5  # fewer kinds of rows have one length by chance


class FittedScalingWarning(UserWarning):
    """Warns that columns look standardised with the very rows that a certificate counts."""


def warn_of_fitted_scaling(X: Any, names: Sequence[str] | None = None) -> None:
    """Warn where a column has mean 0 and deviation 1 over all rows, or all rows have one length.

    Round numbers are left alone: columns of -1 and 1 look so without having been scaled.

    Parameters
    ----------
    X : ndarray of float (n_samples, n_features)
        What the machine sees; NaN where missing.
    names : sequence of str, optional
        Names of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> warn_of_fitted_scaling(np.array([[-1.0], [1.0], [-1.0], [1.0]]))
    """
    if sign := sign_of_fitted_scaling(X, names):
        warnings.warn(
            f"{sign} Or give the scaler and its classifier together, to be trained on few rows: as "
            "one of the `candidates` of CertifiedClassifier, or to PickToLearn.",
            FittedScalingWarning,
            stacklevel=4,
        )


def sign_of_fitted_scaling(X: Floats, names: Sequence[str] | None = None) -> str:
    """What `warn_of_fitted_scaling` saw and what it means, in sentences; empty without a sign."""
    sign = _scaled_column(X, names) or _constant_norm(X)
    return sign and (
        f"{sign}. If that was computed from these rows (StandardScaler, whitening), the "
        "certificate does not hold: the examples it counts have shaped what the machine sees. "
        "Pass the raw columns, or scale by numbers fixed beforehand."
    )


def _scaled_column(X: Floats, names: Sequence[str] | None) -> str:
    n_known = (~np.isnan(X)).sum(axis=0)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        mean = np.nansum(X, axis=0) / n_known
        squares = np.nansum((X - mean) ** 2, axis=0)
        is_unit = [np.abs(np.sqrt(squares / (n_known - d)) - 1.0) <= _SAME for d in (0, 1)]
        is_scaled = (np.abs(mean) <= _SAME) & (is_unit[0] | is_unit[1]) & (n_known >= _FEWEST)
    for j in np.flatnonzero(is_scaled).tolist():
        if not _is_round(X[:, j]):
            name = f"{j}" if names is None else f"{j} ({names[j]})"
            return f"Column {name} has mean 0 and standard deviation 1 over all rows"
    return ""


def _constant_norm(X: Floats) -> str:
    if X.shape[0] < _FEWEST or X.shape[1] < 2 or np.isnan(X).any() or _is_round(X):
        return ""
    with np.errstate(over="ignore"):
        norms = np.sqrt((X * X).sum(axis=1))
    if not 0.0 < norms[0] < np.inf or np.abs(norms / norms[0] - 1.0).max() > _SAME:
        return ""
    if len(np.unique(np.abs(X), axis=0)) < _FEWEST_LENGTHS:  # few kinds of rows, repeated
        return ""
    return "All rows have the same length"


def _is_round(values: Floats) -> bool:
    """Whether all values have three decimals at most: a division leaves more."""
    thousandths = 1000.0 * values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        return bool((np.abs(thousandths - np.round(thousandths)) <= 1e-6).all())
