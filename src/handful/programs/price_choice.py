"""The price of slack by cross-validation: one path over a fixed grid of C for each fold.

The grid is fixed before the data. So a certificate that holds for one C holds for all of them if it
pays for their number, and with it for the one that was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from handful.arrays import Floats, Ints
from handful.models import from_scores
from handful.tables import spread_folds

#: Values that "auto" chooses from: half decades.
PRICES = tuple((10.0 ** np.arange(-3.0, 3.25, 0.5)).tolist())
N_FOLDS = 5  # each machine sees four fifths of the examples
#: A fixed seed: the folds are drawn from the sorted examples.
_SEED = 20150125

#: Scores on the examples ``test`` for each price, learned from ``train``; None if unsolved.
FoldScores = Callable[[Ints, Ints], Sequence[Floats | None]]


def choose_price(X: Floats, codes: Ints, weights: Floats | None, scores: FoldScores) -> float:
    """The price with the least errors over the folds and around it; of equal ones, the smallest.

    The folds do not depend on the order of the examples.
    """
    weights = np.ones(len(codes)) if weights is None else weights
    order = np.lexsort(np.column_stack([X, codes]).T)
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = spread_folds(codes[order], N_FOLDS, _SEED)
    losses = np.zeros(len(PRICES))
    for fold in range(N_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if test.size == 0 or np.unique(codes[train]).size < np.unique(codes).size:
            continue
        for k, found in enumerate(scores(train, test)):
            is_wrong = True if found is None else from_scores(found) != codes[test]
            losses[k] += float(weights[test] @ np.broadcast_to(is_wrong, test.size))
    # Neighbours share their losses: single errors of single folds decide less.
    around = np.pad(losses, 1, mode="edge")
    smooth = around[:-2] + 2.0 * around[1:-1] + around[2:]
    return float(PRICES[int(np.argmin(np.round(smooth, 6)))])
