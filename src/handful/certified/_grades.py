"""What a score can do beside its label: other thresholds, silence in doubt, probabilities.

Thresholds, widths of doubt and bins of the score come from the pool, so that they are fixed before
anything is counted. All statements of one kind hold at once, over all rows of the menu: each pays
the price of its row and the logarithm of their number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import binomial_tail_inverse
from handful.models import Additive, Card, Form, Kernels, LinearScore

if TYPE_CHECKING:
    import pandas as pd

N_THRESHOLDS = 12  # each costs ln 12 = 2.5 nats; more are not told apart by a few hundred rows
SHARES = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the pool's rows that are answered
N_BINS = 5  # of a probability table: at least a fifth of the rows in each where scores differ
GRADED = (Card, LinearScore, Additive, Kernels)


@dataclass(frozen=True)
class Grid:
    """Where a score is cut.

    Attributes
    ----------
    thresholds : tuple of float
        The second class is said above; 0, the form's own, is one of them.
    widths : tuple of float
        Nothing is said where the score is at most this far from 0.
    edges : tuple of float
        Borders of the bins, in order; a score that equals one is in the lower bin.
    """

    thresholds: tuple[float, ...]
    widths: tuple[float, ...]
    edges: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Grades:
    """What was counted at each place of a grid; counts of blocks of rows add up.

    Attributes
    ----------
    grid : Grid
    n_classes : ndarray of int (2,)
        Counted rows of each class.
    n_unknown : int
        Counted rows of classes that the pool does not know; each is an error.
    wrong : ndarray of int (n_thresholds, 2)
        False positives and false negatives.
    answered : ndarray of int (n_widths, 2)
        Rows that are answered, and errors among them.
    bins : ndarray of int (n_bins, 2)
        Rows, and those of the second class.
    """

    grid: Grid
    n_classes: Ints
    wrong: Ints
    answered: Ints
    bins: Ints
    n_unknown: int = 0

    def __add__(self, other: Grades) -> Grades:
        return Grades(
            self.grid,
            self.n_classes + other.n_classes,
            self.wrong + other.wrong,
            self.answered + other.answered,
            self.bins + other.bins,
            self.n_unknown + other.n_unknown,
        )


def is_graded(machine: Form, n_classes: int) -> bool:
    """Whether a form has a score for two classes that says more than a label."""
    return n_classes == 2 and isinstance(machine, GRADED)


def make_grid(scores: Floats) -> Grid:
    """Cuts at quantiles of the pool's scores.

    Examples
    --------
    >>> grid = make_grid(np.array([-2.0, -1.0, -1.0, 1.0, 3.0]))
    >>> grid.thresholds
    (0.0, 2.0)
    """
    values = np.unique(scores)
    middles = 0.5 * (values[:-1] + values[1:])
    places = np.searchsorted(values, np.quantile(scores, np.linspace(0.02, 0.98, N_THRESHOLDS - 1)))
    at = np.unique(np.clip(places, 0, max(0, len(middles) - 1)))
    found = set(middles[at].tolist()) if len(middles) else set()
    # a cut with no pool row between it and 0 says what the form's own threshold says
    is_twin = {t: not np.any((values > min(t, 0.0)) & (values <= max(t, 0.0))) for t in found}
    thresholds = sorted({t for t in found if not is_twin[t]} | {0.0})[: N_THRESHOLDS + 1]
    far = np.abs(scores)
    widths = sorted({float(np.quantile(far, 1.0 - share)) for share in SHARES} - {0.0})
    quantiles = np.quantile(scores, np.arange(1, N_BINS) / N_BINS, method="lower")
    edges = sorted({float(q) for q in quantiles if q < values[-1]})
    return Grid(tuple(thresholds), tuple(widths), tuple(edges))


def grade(grid: Grid, scores: Floats, y: Ints) -> Grades:
    """Counts of some rows; those of a class that the pool does not know are at -1."""
    is_positive, is_negative = y == 1, y == 0
    above = scores[:, None] > np.array(grid.thresholds)
    wrong = np.column_stack(
        [
            np.count_nonzero(above & is_negative[:, None], axis=0),
            np.count_nonzero(~above & is_positive[:, None], axis=0),
        ]
    )
    is_wrong = np.where(scores > 0.0, ~is_positive, ~is_negative)
    said = np.abs(scores)[:, None] > np.array(grid.widths)
    answered = np.column_stack(
        [np.count_nonzero(said, axis=0), np.count_nonzero(said & is_wrong[:, None], axis=0)]
    )
    place = np.searchsorted(np.array(grid.edges), scores, side="left")
    n_bins = len(grid.edges) + 1
    rows = np.bincount(place, minlength=n_bins)
    events = np.bincount(place[is_positive], minlength=n_bins)
    counts = np.array([np.count_nonzero(is_negative), np.count_nonzero(is_positive)])
    bins = np.column_stack([rows, events])
    return Grades(grid, counts, wrong, answered, bins, len(y) - int(counts.sum()))


def upper(n_errors: Any, n: Any, nats: float) -> Floats:
    """Upper limits of probabilities; 1 where nothing was counted."""
    k, n = np.atleast_1d(np.asarray(n_errors)), np.atleast_1d(np.asarray(n))
    out = np.ones(len(k))
    if (n > 0).any():
        out[n > 0] = binomial_tail_inverse(k[n > 0], n[n > 0], -nats)
    return out


def operating_points(grades: Grades, nats: float) -> pd.DataFrame:
    """Every threshold with what was counted and the least sensitivity and specificity.

    ``nats`` is the price of the row and of the confidence; thresholds and the pair are added.
    """
    import pandas as pd

    paid = nats + math.log(len(grades.grid.thresholds)) + math.log(2.0)
    n_negative, n_positive = grades.n_classes.tolist()
    false_positives, false_negatives = grades.wrong.T
    rows = np.ones(len(grades.wrong), dtype=np.int64)
    return pd.DataFrame(
        {
            "threshold": grades.grid.thresholds,
            "n_false_positives": false_positives,
            "n_negatives": n_negative,
            "n_false_negatives": false_negatives,
            "n_positives": n_positive,
            "sensitivity_at_least": 1.0 - upper(false_negatives, n_positive * rows, paid),
            "specificity_at_least": 1.0 - upper(false_positives, n_negative * rows, paid),
        }
    )


def abstentions(grades: Grades, nats: float) -> pd.DataFrame:
    """Every width of doubt: how often there is an answer at least, and how often it is wrong."""
    import pandas as pd

    n = int(grades.n_classes.sum()) + grades.n_unknown
    paid = nats + math.log(max(1, len(grades.grid.widths))) + math.log(2.0)
    answered, errors = grades.answered.T
    return pd.DataFrame(
        {
            "width": grades.grid.widths,
            "n_answered": answered,
            "n_errors": errors,
            "answers_at_least": 1.0 - upper(n - answered, n * np.ones_like(answered), paid),
            "errs_at_most": upper(errors, answered, paid),
        }
    )


def probability_table(grades: Grades, nats: float) -> pd.DataFrame:
    """Every bin of the score: how often its rows are of the second class, from both sides."""
    import pandas as pd

    rows, events = grades.bins.T
    paid = nats + math.log(2.0 * len(rows))
    edges = grades.grid.edges
    return pd.DataFrame(
        {
            "above": [-math.inf, *edges],
            "up_to": [*edges, math.inf],
            "n": rows,
            "n_events": events,
            "rate": events / np.maximum(rows, 1),
            "at_least": 1.0 - upper(rows - events, rows, paid),
            "at_most": upper(events, rows, paid),
        }
    )


def points_text(card: Card, table: pd.DataFrame, label: str) -> list[str]:
    """The table of a card in points, one line a bin.

    Examples
    --------
    >>> card = Card((), threshold=4, scale=1.0, offset=-3.5)
    >>> frame = probability_table(grade(make_grid(np.array([-1.5, 0.5])), np.array([-1.5, 0.5]),
    ...                                 np.array([0, 1])), 3.0)
    >>> for line in points_text(card, frame, "ill"):
    ...     print(line)
    up to 2 points: 0.0 % to 98.8 % are ill (0 of 1)
    from 3 points: 1.2 % to 100.0 % are ill (1 of 1)
    """
    base = card.threshold - 0.5
    lines = []
    for row in table.itertuples():
        low = None if math.isinf(row.above) else math.floor(row.above + base) + 1
        high = None if math.isinf(row.up_to) else math.floor(row.up_to + base)
        where = points_range(low, high)
        limits = f"{_down(row.at_least)} to {_up(row.at_most)}"
        lines.append(f"{where}: {limits} are {label} ({row.n_events} of {row.n})")
    return lines


def points_range(low: int | None, high: int | None) -> str:
    """A range of points in words."""
    if low is None or high is None:
        last = high if low is None else low
        text = f"up to {high}" if low is None else f"from {low}"
        text = "any number of" if last is None else text
        return f"{text} {'point' if last == 1 else 'points'}"
    return f"{low} points" if low == high else f"{low} to {high} points"


def _down(value: float) -> str:
    return f"{math.floor(value * 1000.0) / 10.0:.1f} %"


def _up(value: float) -> str:
    return f"{math.ceil(value * 1000.0) / 10.0:.1f} %"


def positives_needed(n_errors: int, n: int, limit: float, nats: float) -> int | None:
    """How many rows of a class would do for a rate below ``limit``, if errors stay as frequent.

    None where no number would: errors are as frequent as the limit.

    Examples
    --------
    >>> positives_needed(0, 20, 0.05, 3.0)
    59
    """
    rate = n_errors / max(1, n)
    if rate >= limit:
        return None
    low, high = max(1, n), max(2, 2 * n)
    while float(binomial_tail_inverse(math.ceil(rate * high), high, -nats)) > limit:
        low, high = high, 2 * high
        if high > 10**8:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = binomial_tail_inverse(math.ceil(rate * middle), middle, -nats) <= limit
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def best_point(frames: Sequence[pd.DataFrame], goal: str, value: float) -> tuple[int, int] | None:
    """Row of the menu and threshold that reach a goal and are best by the other limit.

    Parameters
    ----------
    frames : operating points of each row of the menu; empty ones for rows without a score
    goal : {"sensitivity", "specificity"}
    value : what must be certified at least
    """
    other = "specificity" if goal == "sensitivity" else "sensitivity"
    best: tuple[float, int, int] | None = None
    for i, frame in enumerate(frames):
        for j, row in enumerate(frame.to_dict(orient="records")):
            if row[f"{goal}_at_least"] < value:
                continue
            if best is None or row[f"{other}_at_least"] > best[0]:
                best = (row[f"{other}_at_least"], i, j)
    return None if best is None else best[1:]
