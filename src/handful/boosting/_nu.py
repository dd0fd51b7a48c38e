"""The fraction of margin errors: checked, or chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from handful._checks import check_real
from handful._types import Floats

#: Fractions that "auto" chooses from, largest first: columns found for one serve the next.
NUS = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
#: Gap to which the programs of the folds are solved.
ROUGH = 1e-3
_N_FOLDS = 5  # each model sees four fifths of the examples
#: Folds are drawn from the sorted, merged examples: nothing is left to choose.
_SEED = 20110815

Votes = Callable[[np.ndarray, Sequence[float]], Iterable[Callable[[Floats], Floats]]]


def check_nu(nu: Any) -> None:
    """Raise unless ``nu`` is "auto" or a fraction."""
    if isinstance(nu, str):
        if nu != "auto":
            raise ValueError(f"`nu` must be 'auto' or a number in (0, 1], got {nu!r}.")
        return
    hint = "Use the fraction of margin errors, not their number."
    check_real("nu", nu, low=0.0, high=1.0, low_open=True, hint=hint)


def choose_nu(rows: Floats, y_signed: Floats, weights: Floats, votes: Votes) -> float:
    """The fraction that errs least in a cross-validation; of several the largest.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Merged examples (`merge_rows`): equal ones are in one fold, and the folds depend neither
        on the order of the examples nor on whether they are repeated or weighted.
    y_signed, weights : ndarray of shape (n_samples,)
    votes : callable
        ``votes(train, nus)`` fits to the examples ``train`` and gives a score function for each
        of ``nus``.
    """
    errors = np.zeros(len(NUS))
    folds = draw_folds(y_signed)
    for fold in range(_N_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if test.size == 0 or np.unique(y_signed[train]).size < 2:
            continue
        for k, vote in enumerate(votes(train, NUS)):
            predicted = np.where(vote(rows[test]) > 0.0, 1.0, -1.0)
            errors[k] += float(weights[test] @ (predicted != y_signed[test]))
    return NUS[int(np.argmin(errors))]


def draw_folds(y_signed: Floats) -> np.ndarray:
    """Fold of each example; each class is spread evenly.

    Examples
    --------
    >>> import numpy as np
    >>> folds = draw_folds(np.repeat([-1.0, 1.0], 10))
    >>> np.bincount(folds[:10]).tolist(), np.bincount(folds[10:]).tolist()
    ([2, 2, 2, 2, 2], [2, 2, 2, 2, 2])
    """
    rng = np.random.default_rng(_SEED)
    folds = np.empty(y_signed.size, dtype=np.int64)
    for label in (-1.0, 1.0):
        members = np.flatnonzero(y_signed == label)
        folds[members] = rng.permutation(np.arange(members.size) % _N_FOLDS)
    return folds
