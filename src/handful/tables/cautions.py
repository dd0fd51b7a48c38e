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
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.tables.columns import Column

_SAME = 1e-9  # what is left of a mean of zero after scaling and rounding
_FEWEST = 3  # two rows are standardised by chance
_BLOCK = 65_536  # rows looked at together, so that little memory is needed
_FEWEST_LENGTHS = 5  # fewer kinds of rows have one length by chance


class TableCaution(UserWarning):
    """Warns of something in a table that must not be missed: certificates may not hold."""


class FittedScalingWarning(TableCaution):
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
    if sign := ScalingSigns.of(X).caution(names):
        warnings.warn(f"{sign} {TOGETHER}", FittedScalingWarning, stacklevel=4)


TOGETHER = (
    "Or give the scaler and its classifier together, to be trained on few rows: as one of the "
    "`candidates` of CertifiedClassifier, or to PickToLearn."
)


@dataclass(frozen=True, eq=False)
class ScalingSigns:
    """Signs that rows were scaled by all of them; those of chunks add up.

    Attributes
    ----------
    n_rows : int
    n_known : ndarray of int
        Known values of each column.
    sums, squares : ndarray of float
    is_round : ndarray of bool
        Columns whose values have three decimals at most: a division leaves more.
    has_missing : bool
    lengths : tuple of (float, float)
        Smallest and largest length of a row.
    rows : frozenset of bytes
        Rows that differ by more than signs, up to ``_FEWEST_LENGTHS``.
    """

    n_rows: int
    n_known: Ints
    sums: Floats
    squares: Floats
    is_round: Mask
    has_missing: bool
    lengths: tuple[float, float]
    rows: frozenset[bytes]

    @classmethod
    def of(cls, X: Floats) -> ScalingSigns:
        """Look at some rows, block by block; NaN for a missing value."""
        out = cls._of_block(X[:_BLOCK])
        for start in range(_BLOCK, len(X), _BLOCK):
            out += cls._of_block(X[start : start + _BLOCK])
        return out

    @classmethod
    def _of_block(cls, X: Floats) -> ScalingSigns:
        known = ~np.isnan(X)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = X * X
            norms = np.sqrt(squares.sum(axis=1))
            thousandths = 1000.0 * X
            is_even = np.abs(thousandths - np.round(thousandths)) <= 1e-6
        rows: set[bytes] = set()
        for row in np.abs(X):
            rows.add((row + 0.0).tobytes())
            if len(rows) == _FEWEST_LENGTHS:
                break
        return cls(
            len(X),
            known.sum(axis=0),
            np.nansum(X, axis=0),
            np.nansum(squares, axis=0),
            np.asarray((is_even | ~known).all(axis=0)),
            not known.all(),
            (float(norms.min(initial=np.inf)), float(norms.max(initial=0.0))),
            frozenset(rows),
        )

    def __add__(self, other: ScalingSigns) -> ScalingSigns:
        return ScalingSigns(
            self.n_rows + other.n_rows,
            self.n_known + other.n_known,
            self.sums + other.sums,
            self.squares + other.squares,
            self.is_round & other.is_round,
            self.has_missing or other.has_missing,
            (min(self.lengths[0], other.lengths[0]), max(self.lengths[1], other.lengths[1])),
            self.rows | other.rows,
        )

    def caution(self, names: Sequence[str] | None = None) -> str:
        """The first sign and what it means, in sentences; empty without a sign."""
        sign = self._scaled_column(names)
        if not sign and self._has_one_length:
            sign = "All rows have the same length"
        return sign and (
            f"{sign}. If that was computed from these rows (StandardScaler, whitening), the "
            "certificate does not hold: the examples it counts have shaped what the machine sees. "
            "Pass the raw columns, or scale by numbers fixed beforehand."
        )

    def _scaled_column(self, names: Sequence[str] | None) -> str:
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            mean = self.sums / self.n_known
            # about the mean; one that is not zero is no sign, whatever is lost here
            squares = self.squares - self.n_known * mean * mean
            is_unit = [np.abs(np.sqrt(squares / (self.n_known - d)) - 1.0) <= _SAME for d in (0, 1)]
        is_scaled = (np.abs(mean) <= _SAME) & (is_unit[0] | is_unit[1])
        is_scaled &= (self.n_known >= _FEWEST) & ~self.is_round
        if not is_scaled.any():
            return ""
        j = int(np.argmax(is_scaled))
        name = f"{j}" if names is None else f"{j} ({names[j]})"
        return f"Column {name} has mean 0 and standard deviation 1 over all rows"

    @property
    def _has_one_length(self) -> bool:
        if self.n_rows < _FEWEST or len(self.sums) < 2 or self.has_missing or self.is_round.all():
            return False
        low, high = self.lengths
        if not 0.0 < low <= high < np.inf or high / low - 1.0 > _SAME:
            return False
        return len(self.rows) >= _FEWEST_LENGTHS  # else few kinds of rows, repeated


MOST_ROWS, MOST_COLUMNS = 400, 60  # all pairs of rows are compared
FEWEST_ROWS, FEWEST_COLUMNS = 20, 3  # with fewer, rows are near by chance
# Shares of the rows from which it is said: of 46 public tables one reaches them, which is grouped.
SHARING, COPIED = 0.15, 0.20
_RARE = 0.05  # a value that more rows have says little
_UNLIKELY = 3.0  # nats below one pair
_NEAR = 0.25  # of the usual distance


def share_of_repeats(X: Floats) -> tuple[float, float]:
    """Shares of the rows with shared values, and with a near copy.

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


def caution_of_repeats(columns: Sequence[Column], numbers: Floats) -> str:
    """A caution if rows look like several rows of one patient; empty if they do not.

    ``numbers`` are the features that are numbers, in the first ``MOST_ROWS`` rows of the pool.
    """
    end = "Without it the certificates do not hold for new ones."
    named = [column.name for column in columns if "groups" in dict(column.questions)]
    if named:
        return f"Rows are not independent cases: say --groups {named[0]}. {end}"
    if not numbers.shape[1]:
        return ""
    sharing, copied = share_of_repeats(numbers[:, :: max(1, numbers.shape[1] // MOST_NUMBERS)])
    what = ""
    if sharing >= SHARING:
        what = f"{100 * sharing:.0f} % of the rows share many exact values with another row"
    elif copied >= COPIED:
        what = f"{100 * copied:.0f} % of the rows are near copies of another row"
    return what and (
        f"{what}, as several rows of one patient do. If they are, name the column that says whose "
        f"they are: --groups COLUMN. {end}"
    )
