"""Whether rows were trained on: digests of the training rows, kept in place of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom

from handful._types import Mask
from handful.tables._digests import row_digests

Words = NDArray[np.uint64]

_DOUBT = 1e-2  # that the share of twins is larger than it is taken to be
_CHANCE = 1e-3  # below this, new rows would hardly equal so many training rows


@dataclass(frozen=True, eq=False)
class SeenRows:
    """What is remembered of the training rows: eight bytes each, sorted.

    New rows of discrete data may equal training rows by chance, about as often as these equal
    each other. More equal rows than that were trained on.

    Parameters
    ----------
    digests : ndarray of uint64 (n_rows,), sorted

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(20.0)[:, None], np.zeros(20)
    >>> seen = SeenRows.of(X[:15], y[:15])
    >>> seen.refuse(X[15:], y[15:])
    >>> seen.refuse(X[10:], y[10:])
    Traceback (most recent call last):
    ...
    ValueError: `X` must hold examples that had no part in training, got 5 of 10 rows that \
the machine was trained on. Pass other examples.
    """

    digests: Words

    @classmethod
    def of(cls, X: Any, y: Any) -> SeenRows:
        """Remember these rows and labels."""
        return cls(np.sort(_short(X, y)))

    @property
    def n_twins(self) -> int:
        """How many of the rows equal another of them."""
        same = self.digests[1:] == self.digests[:-1]
        return int((np.append(same, False) | np.insert(same, 0, False)).sum())

    def is_seen(self, X: Any, y: Any) -> Mask:
        """Which rows equal a training row, label included."""
        if len(self.digests) == 0:
            return np.zeros(len(X), dtype=bool)
        wanted = _short(X, y)
        at = np.minimum(np.searchsorted(self.digests, wanted), len(self.digests) - 1)
        return np.asarray(self.digests[at] == wanted)

    def refuse(self, X: Any, y: Any) -> None:
        """Raise where these rows were trained on."""
        self.judge(len(X), int(self.is_seen(X, y).sum()))

    def judge(self, n_rows: int, n_seen: int) -> None:
        """Raise where so many of so many rows equal training rows that they were trained on."""
        if n_seen == 0 or not self._is_suspect(n_rows, n_seen):
            return
        raise ValueError(
            "`X` must hold examples that had no part in training, got "
            f"{n_seen} of {n_rows} rows that the machine was trained on. Pass other examples."
        )

    def _is_suspect(self, n_rows: int, n_seen: int) -> bool:
        n, twins = len(self.digests), self.n_twins
        if twins == 0:  # no two training rows are equal: neither should new ones be
            return True
        # twins come in pairs, so that the rows tell half as much as their number says
        share = float(beta.ppf(1.0 - _DOUBT, twins / 2 + 1.0, max((n - twins) / 2, 0.5)))
        return bool(binom.sf(n_seen - 1, n_rows, share) < _CHANCE)


def _short(X: Any, y: Any) -> Words:
    """Eight bytes of the digest of each row."""
    if len(X) == 0:
        return np.zeros(0, dtype=np.uint64)
    whole = np.ascontiguousarray(row_digests(X, y))
    return whole.view(np.uint64).reshape(len(whole), -1)[:, 0].copy()
