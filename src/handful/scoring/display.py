"""A score card as a picture: its items, and the probabilities of its totals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

from handful.display import axes_or_new, legend_above
from handful.models import Card, Fitted

if TYPE_CHECKING:
    import pandas as pd

MOST_NAME, MOST_POINTS = 44, 24  # letters of a cell, so that the table stays readable
MOST_WIDE = 42  # letters of a row that fit in the size of print that is usual


@dataclass
class ScoreCardDisplay:
    """Items with their points on the left, probabilities of totals on the right.

    Attributes
    ----------
    fitted : Fitted
        A classifier that is a card.
    table : DataFrame or None
        Certified limits of ranges of totals (``above`` and ``up_to`` in scores), if there are any.

    Examples
    --------
    >>> from handful import ScoreCard, ScoreCardDisplay, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> card = ScoreCard(max_items=2).fit(data.X, data.y)
    >>> len(ScoreCardDisplay.from_estimator(card).items())
    2
    """

    fitted: Fitted
    table: pd.DataFrame | None = None

    @classmethod
    def from_estimator(cls, machine: Any) -> ScoreCardDisplay:
        """The display of a fitted `ScoreCard`, or of a menu whose chosen row is a card."""
        fitted = getattr(machine, "fitted_", None)
        if not isinstance(fitted, Fitted) or fitted.machine.tag != Card.tag:
            raise TypeError(
                "`machine` must be a fitted score card, or a menu with one chosen. "
                "Call choose('score card') first."
            )
        candidate = getattr(machine, "candidate_", None)
        names = ("thresholds", "singles")
        has_table = any(getattr(candidate, name, None) is not None for name in names)
        return cls(fitted, machine.probability_table() if has_table else None)

    @property
    def card(self) -> Card:
        """The card as data."""
        return cast(Card, self.fitted.machine)

    def items(self) -> list[tuple[str, str]]:
        """What is asked and the points for it, as text; one line a range."""
        return [
            (f"{name} {where}".strip(), points)
            for name, ranges in self.card.asked(self.fitted.words)
            for where, points in ranges
        ]

    def plot(self, axes: Any = None) -> ScoreCardDisplay:
        """Draw the card.

        Parameters
        ----------
        axes : pair of matplotlib axes, or one, optional
            One for the items and one for the probabilities. A single one is divided.

        Returns
        -------
        self
        """
        height = max(2.4, 0.4 * len(self.items()) + 1.2)
        axes = axes_or_new(axes, 1, 2, figsize=(9.0, height), layout="constrained")
        if not isinstance(axes, Iterable):
            axes.set_axis_off()
            grid = axes.get_subplotspec().subgridspec(1, 2)
            axes = [axes.figure.add_subplot(part) for part in grid]
        left, right = axes
        self._draw_items(left)
        self._draw_totals(right)
        self.axes_, self.figure_ = (left, right), left.figure
        return self

    def _draw_items(self, ax: Any) -> None:
        first, second = self.fitted.classes
        ax.set_axis_off()
        rows = [*self.items(), (f"from {self.card.threshold} points on", second)]
        rows.append(("otherwise", first))
        rows = [(_cut(name, MOST_NAME), _cut(points, MOST_POINTS)) for name, points in rows]
        one, other = (max(map(len, column)) + 2 for column in zip(*rows, strict=True))
        widths = [one / (one + other), other / (one + other)]
        table = ax.table(cellText=rows, colWidths=widths, cellLoc="left", loc="center")
        table.auto_set_font_size(False)
        table.set_fontsize(min(10.0, 10.0 * MOST_WIDE / (one + other)))
        table.scale(1.0, 1.4)
        for cell in table.get_celld().values():
            cell.PAD = 0.04  # of its width, on the left of the text
            cell.get_text().set_parse_math(False)
            cell.set_facecolor("none")  # white would hide light words on a dark page
            cell.set_edgecolor(ax.spines["bottom"].get_edgecolor())

    def _draw_totals(self, ax: Any) -> None:
        card, base = self.card, self.card.points_offset
        totals = card.totals
        if self.fitted.risk is not None:
            estimate = self.fitted.risk.of(totals - base)
            ax.plot(totals, estimate, "-", color="C0", label="estimate")
        for k, row in enumerate([] if self.table is None else self.table.itertuples()):
            low = totals[0] if math.isinf(row.above) else math.floor(row.above + base) + 1
            high = totals[-1] if math.isinf(row.up_to) else math.floor(row.up_to + base)
            label = "certified limits" if k == 0 else None
            span, style = [low - 0.4, high + 0.4], {"alpha": 0.25, "color": "C2"}
            ax.fill_between(span, row.at_least, row.at_most, label=label, **style)
        ax.axvline(base, color="C3", lw=1)
        ax.set(xlabel="points", ylim=(0, 1))
        ax.set_ylabel(fill(f"probability of {self.fitted.classes[1]}", 28), parse_math=False)
        legend_above(ax)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
