"""What a score can do beside its label: other thresholds, silence in doubt, probabilities.

Thresholds, widths of doubt and bins of the score come from the pool, so that they are fixed before
anything is counted. All statements of one kind hold at once, over all rows of the menu: each pays
the price of its row and the logarithm of their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import binomial_tail_inverse

if TYPE_CHECKING:
    import pandas as pd

N_THRESHOLDS = 12  # each costs ln 12 = 2.5 nats; more are not told apart by a few hundred rows
SHARES = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the pool's rows that are answered
N_BINS = 5  # of a probability table: at least a fifth of the rows in each if scores differ


@dataclass(frozen=True)
class ThresholdGrid:
    """Where a score is cut.

    Attributes
    ----------
    thresholds : tuple of float
        The second class is predicted above; 0, the form's own threshold, is one of them.
    widths : tuple of float
        Nothing is said if the score is at most this far from 0.
    edges : tuple of float
        Borders of the bins, in order; a score that equals one is in the lower bin.
    """

    thresholds: tuple[float, ...]
    widths: tuple[float, ...]
    edges: tuple[float, ...]

    @classmethod
    def of(cls, scores: Floats) -> ThresholdGrid:
        """Cuts at quantiles of the pool's scores.

        Examples
        --------
        >>> ThresholdGrid.of(np.array([-2.0, -1.0, -1.0, 1.0, 3.0])).thresholds
        (0.0, 2.0)
        """
        values = np.unique(scores)
        middles = 0.5 * (values[:-1] + values[1:])
        shares = np.linspace(0.02, 0.98, N_THRESHOLDS - 1)
        places = np.searchsorted(values, np.quantile(scores, shares))
        at = np.unique(np.clip(places, 0, max(0, len(middles) - 1)))
        found = set(middles[at].tolist()) if len(middles) else set()
        # a cut with no pool row between it and 0 says what the form's own threshold says
        is_twin = {t: not np.any((values > min(t, 0.0)) & (values <= max(t, 0.0))) for t in found}
        thresholds = sorted({t for t in found if not is_twin[t]} | {0.0})[: N_THRESHOLDS + 1]
        far = np.abs(scores)
        widths = sorted({float(np.quantile(far, 1.0 - share)) for share in SHARES} - {0.0})
        quantiles = np.quantile(scores, np.arange(1, N_BINS) / N_BINS, method="lower")
        edges = sorted({float(q) for q in quantiles if q < values[-1]})
        return cls(tuple(thresholds), tuple(widths), tuple(edges))

    def count(self, scores: Floats, y: Ints) -> ThresholdCounts:
        """Counts of some rows; a class that the pool does not know is at -1."""
        is_positive, is_negative = y == 1, y == 0
        above = scores[:, None] > np.array(self.thresholds)
        wrong = np.column_stack(
            [
                np.count_nonzero(above & is_negative[:, None], axis=0),
                np.count_nonzero(~above & is_positive[:, None], axis=0),
            ]
        )
        is_wrong = np.where(scores > 0.0, ~is_positive, ~is_negative)
        said = np.abs(scores)[:, None] > np.array(self.widths)
        answered = np.column_stack(
            [np.count_nonzero(said, axis=0), np.count_nonzero(said & is_wrong[:, None], axis=0)]
        )
        place = np.searchsorted(np.array(self.edges), scores, side="left")
        n_bins = len(self.edges) + 1
        rows = np.bincount(place, minlength=n_bins)
        events = np.bincount(place[is_positive], minlength=n_bins)
        counts = np.array([np.count_nonzero(is_negative), np.count_nonzero(is_positive)])
        return ThresholdCounts(
            self,
            n_classes=counts,
            wrong=wrong,
            n_above=np.count_nonzero(above, axis=0),
            answered=answered,
            bins=np.column_stack([rows, events]),
            n_unknown=len(y) - int(counts.sum()),
        )


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """What was counted at each place of a grid; counts of blocks of rows add up.

    Attributes
    ----------
    grid : ThresholdGrid
    n_classes : ndarray of int (2,)
        Rows of each class.
    wrong : ndarray of int (n_thresholds, 2)
        False positives and false negatives.
    n_above : ndarray of int (n_thresholds,)
        Rows that are called the second class.
    answered : ndarray of int (n_widths, 2)
        Rows that are answered, and errors among them.
    bins : ndarray of int (n_bins, 2)
        Rows, and those of the second class.
    n_unknown : int
        Rows of classes that the pool does not know; each is an error.
    """

    grid: ThresholdGrid
    n_classes: Ints
    wrong: Ints
    n_above: Ints
    answered: Ints
    bins: Ints
    n_unknown: int = 0

    def __add__(self, other: ThresholdCounts) -> ThresholdCounts:
        return ThresholdCounts(
            self.grid,
            self.n_classes + other.n_classes,
            self.wrong + other.wrong,
            self.n_above + other.n_above,
            self.answered + other.answered,
            self.bins + other.bins,
            self.n_unknown + other.n_unknown,
        )

    @property
    def n_rows(self) -> int:
        """Rows in all."""
        return int(self.n_classes.sum()) + self.n_unknown

    def by_class(self, place: int) -> tuple[tuple[int, int], ...]:
        """Rows of each class, and errors on them at one of the thresholds."""
        return tuple(zip(self.n_classes.tolist(), self.wrong[place].tolist(), strict=True))

    def n_said(self, place: int) -> tuple[int, int]:
        """Rows that get each label at one of the thresholds."""
        above = int(self.n_above[place])
        return self.n_rows - above, above

    def operating_points(self, nats: float) -> pd.DataFrame:
        """Every threshold with what was counted and the least sensitivity and specificity.

        ``nats`` is the price of the row and of the confidence; thresholds and the pair are added.
        """
        import pandas as pd

        # Thresholds come from the pool. Given the labels, errors within a class are binomial; the
        # union over thresholds and both classes pays.
        paid = nats + math.log(len(self.grid.thresholds)) + math.log(2.0)
        n_negative, n_positive = self.n_classes.tolist()
        false_positives, false_negatives = self.wrong.T
        rows = np.ones(len(self.wrong), dtype=np.int64)
        return pd.DataFrame(
            {
                "threshold": self.grid.thresholds,
                "n_false_positives": false_positives,
                "n_negatives": n_negative,
                "n_false_negatives": false_negatives,
                "n_positives": n_positive,
                "sensitivity_at_least": 1.0 - _upper(false_negatives, n_positive * rows, paid),
                "specificity_at_least": 1.0 - _upper(false_positives, n_negative * rows, paid),
            }
        )

    def abstentions(self, nats: float) -> pd.DataFrame:
        """Every width of doubt: how often there is an answer at least, and how often it errs."""
        import pandas as pd

        # The number of answers is binomial; given that number, so are the errors among them.
        paid = nats + math.log(max(1, len(self.grid.widths))) + math.log(2.0)
        answered, errors = self.answered.T
        silent = _upper(self.n_rows - answered, self.n_rows * np.ones_like(answered), paid)
        return pd.DataFrame(
            {
                "width": self.grid.widths,
                "n_answered": answered,
                "n_errors": errors,
                "answers_at_least": 1.0 - silent,
                "errs_at_most": _upper(errors, answered, paid),
            }
        )

    def probability_table(self, nats: float) -> pd.DataFrame:
        """Every bin of the score: how often its rows are of the second class, from both sides."""
        import pandas as pd

        rows, events = self.bins.T
        # Given the rows in a bin, those of the second class are binomial; two sides for each bin.
        paid = nats + math.log(2.0 * len(rows))
        edges = self.grid.edges
        return pd.DataFrame(
            {
                "above": [-math.inf, *edges],
                "up_to": [*edges, math.inf],
                "n": rows,
                "n_events": events,
                "rate": events / np.maximum(rows, 1),
                "at_least": 1.0 - _upper(rows - events, rows, paid),
                "at_most": _upper(events, rows, paid),
            }
        )


def _upper(n_errors: Any, n: Any, nats: float) -> Floats:
    """Upper limits of probabilities; 1 if nothing was counted."""
    k, n = np.atleast_1d(np.asarray(n_errors)), np.atleast_1d(np.asarray(n))
    out = np.ones(len(k))
    if (n > 0).any():
        out[n > 0] = binomial_tail_inverse(k[n > 0], n[n > 0], -nats)
    return out
