"""Signs that a certificate may not hold: rows of one patient, rows that were scaled together.

Rows that look like several rows of one patient are found by two rules. Both look at up to 400
rows of the pool and at columns of numbers that take many values:

- *shared values*: rows agree with another row in so many rare values that, were columns
  independent, fewer than one pair in twenty tables would; at least 15 % of the rows do;
- *near copies*: rows have another row at less than a quarter of the usual distance to the nearest
  row, which is measured after dealing out the values of every principal component anew; at least
  20 % of the rows do.

Nothing here decides anything: it makes cautions that stand on the first screen.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.tables.columns import Column

if TYPE_CHECKING:
    import pandas as pd

_SAME = 1e-9  # what is left of a mean of zero after scaling and rounding
_FEWEST = 3  # two rows are standardised by chance
_FEWEST_LENGTHS = 5  # fewer kinds of rows have one length by chance


class FittedScalingWarning(UserWarning):
    """Warns that columns look standardised with the very rows that a certificate counts."""


def warn_of_fitted_scaling(X: Any, names: Sequence[str] | None = None) -> None:
    """Warn if a column has mean 0 and deviation 1 over all rows, or all rows have one length.

    Round numbers are left alone: columns of -1 and 1 look so without having been scaled.

    Parameters
    ----------
    X : ndarray of float (n_samples, n_features)
        What the machine sees; NaN for a missing value.
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
    """The sign that `warn_of_fitted_scaling` warns of, in sentences; empty without a sign."""
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


MOST_ROWS, MOST_COLUMNS = 400, 60  # all pairs of rows are compared
FEWEST_ROWS, FEWEST_COLUMNS = 20, 3  # with fewer, rows are near by chance
# Shares of the rows from which it is said: of 46 public tables one reaches them, which is grouped.
SHARING, COPIED = 0.15, 0.20
_RARE = 0.05  # a value that more rows have says little
_UNLIKELY = 3.0  # nats below one pair
_NEAR = 0.25  # of the usual distance


def share_of_repeats(X: Floats) -> tuple[float, float]:
    """Shares of the rows with shared values, and with a near copy.

    Parameters
    ----------
    X : ndarray (n_rows, n_columns)
        Numbers of the pool in blind order, NaN for a missing value.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> share_of_repeats(rng.normal(size=(100, 5)))
    (0.0, 0.0)
    >>> visits = rng.normal(size=(20, 5))[np.repeat(np.arange(20), 5)]
    >>> share_of_repeats(visits)[0]
    1.0
    """
    X = X[:MOST_ROWS]
    X = X[:, _fine(X)]
    X = X[:, :: max(1, X.shape[1] // MOST_COLUMNS)][:, :MOST_COLUMNS]
    if X.shape[0] < FEWEST_ROWS or X.shape[1] < FEWEST_COLUMNS:
        return 0.0, 0.0
    return _sharing(X), _copied(X)


def _fine(X: Floats) -> list[int]:
    """Columns that take many values."""
    least = max(10, 0.1 * len(X))
    return [j for j in range(X.shape[1]) if len(np.unique(X[~np.isnan(X[:, j]), j])) >= least]


def _sharing(X: Floats) -> float:
    """Share of rows that agree with another row beyond chance."""
    m = len(X)
    nats, n_agree = np.zeros((m, m)), np.zeros((m, m), dtype=np.int64)
    for x in X.T:
        place, counts = np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)[1:]
        weight = -np.log(counts / m)[place]
        weight[(counts[place] > max(3.0, _RARE * m)) | np.isnan(x)] = 0.0
        is_same = (place[:, None] == place[None, :]) & (weight[:, None] > 0.0)
        nats += np.where(is_same, weight[:, None], 0.0)
        n_agree += is_same
    is_pair = nats >= np.log(m * m / 2.0) + _UNLIKELY
    is_pair &= n_agree >= max(2.0, 0.25 * X.shape[1])
    np.fill_diagonal(is_pair, False)
    return float(is_pair.any(axis=1).mean())


def _copied(X: Floats) -> float:
    """Share of rows with another row much nearer than rows usually are."""
    from scipy.spatial import cKDTree
    from scipy.stats import rankdata

    Z = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    Z = np.column_stack([rankdata(x) for x in Z.T])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    left, sizes, _ = np.linalg.svd(Z, full_matrices=False)
    scores = left * sizes
    rng = np.random.default_rng(0)
    dealt = np.column_stack([rng.permutation(s) for s in scores.T])
    usual = float(np.median(cKDTree(dealt).query(dealt, k=2)[0][:, 1]))
    nearest = cKDTree(scores).query(scores, k=2)[0][:, 1]
    return float((nearest < _NEAR * usual).mean())


MOST_NUMBERS = 200  # columns in which repeated rows are looked for


def repeat_cautions(
    columns: Sequence[Column], X: pd.DataFrame, pool: NDArray[np.int64]
) -> tuple[str, ...]:
    """A caution if rows look like several rows of one patient and no column names patients."""
    end = "Without it the certificates below do not hold for new ones."
    named = [column.name for column in columns if any("--groups" in n for n in column.notes)]
    if named:
        return (f"Rows are not independent cases: say --groups {named[0]}. {end}",)
    is_number = [c.role == "feature" and c.kind == "number" for c in columns]
    numbers = [column for column, is_one in zip(columns, is_number, strict=True) if is_one]
    if not numbers:
        return ()
    numbers = numbers[:: max(1, len(numbers) // MOST_NUMBERS)]
    rows = X[[column.name for column in numbers]].iloc[pool[:MOST_ROWS]]
    columns_of = [rows.iloc[:, j].to_numpy() for j in range(len(numbers))]
    cells = np.column_stack([c.read(v) for c, v in zip(numbers, columns_of, strict=True)])
    sharing, copied = share_of_repeats(cells)
    what = ""
    if sharing >= SHARING:
        what = f"{100 * sharing:.0f} % of the rows share many exact values with another row"
    elif copied >= COPIED:
        what = f"{100 * copied:.0f} % of the rows are near copies of another row"
    if not what:
        return ()
    return (
        f"{what}, as several rows of one patient do. If they are, name the column that says whose "
        f"they are: --groups COLUMN. {end}",
    )


def scaling_cautions(columns: Sequence[Column], X: pd.DataFrame) -> tuple[str, ...]:
    """A caution if columns look standardised by all rows, counted rows included."""
    numbers = [c for c in columns if c.role == "feature" and c.kind == "number"]
    if not numbers:
        return ()
    cells = np.column_stack([c.read(X[c.name].to_numpy()) for c in numbers])
    sign = sign_of_fitted_scaling(cells, [c.name for c in numbers])
    return (sign,) if sign else ()
