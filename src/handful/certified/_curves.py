"""An additive form as a picture: one curve a feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._display import Display
from handful.models import Additive, Curve, Fitted

MAX_CURVES = 12  # drawn, those with the largest difference of points
N_COLUMNS = 3  # pictures side by side


@dataclass
class AdditiveDisplay(Display):
    """Curves of an additive form, those that move the sum most first.

    What is drawn is what is evaluated: steps at cut points, in points; a dotted line is what a
    missing value gives.

    Examples
    --------
    >>> from handful import AdditiveDisplay, CertifiedClassifier, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = CertifiedClassifier(["constant", "additive"]).fit(data.X, data.y)
    >>> display = AdditiveDisplay.from_estimator(machine.choose("additive"))
    >>> display.frame().columns.tolist()
    ['feature', 'label', 'from', 'below', 'points']
    """

    fitted: Fitted

    @classmethod
    def from_estimator(cls, machine: Any) -> AdditiveDisplay:
        """From a menu whose chosen row is additive."""
        fitted = getattr(machine, "fitted_", None)
        if not isinstance(fitted, Fitted) or not isinstance(fitted.machine, Additive):
            raise TypeError(
                "`machine` must be a menu whose chosen row is additive. "
                "Call choose('additive') first."
            )
        return cls(fitted)

    @property
    def curves(self) -> list[Curve]:
        """Largest difference of points first."""
        machine = self.fitted.machine
        assert isinstance(machine, Additive)
        return sorted(machine.curves, key=lambda curve: -float(np.ptp(np.array(curve.values))))

    @property
    def n_rows(self) -> int:
        """How many curves are drawn below each other."""
        return math.ceil(max(1, min(len(self.curves), MAX_CURVES)) / N_COLUMNS)

    def _columns(self) -> dict[str, Any]:
        """One row a step: feature, class the points speak for, where it begins and ends, points."""
        names, labels = self.fitted.words.names, self._spoken_for()
        rows = [
            (names[curve.feature], label, low, high, points)
            for curve in self.curves
            for label, values in zip(labels, curve.values, strict=True)
            for low, high, points in zip(
                (-math.inf, *curve.cuts), (*curve.cuts, math.inf), values, strict=True
            )
        ]
        columns = zip(*rows, strict=True) if rows else [()] * 5
        return dict(zip(("feature", "label", "from", "below", "points"), columns, strict=True))

    def plot(self, ax: Any = None) -> AdditiveDisplay:
        """Draw the curves that move the sum most, at most twelve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Their place is divided among the curves.
        """
        curves = self.curves[:MAX_CURVES]
        n_columns, n_rows = min(N_COLUMNS, max(1, len(curves))), self.n_rows
        ax = self._axes(ax, figsize=(3.0 * n_columns, 2.2 * n_rows), layout="constrained")
        ax.set_axis_off()
        grid = ax.get_subplotspec().subgridspec(n_rows, n_columns)
        self.axes_: list[Any] = []
        for place, curve in enumerate(curves):
            below = ax.figure.add_subplot(grid[place], sharey=self.axes_[0] if place else None)
            self._draw(below, curve)
            self.axes_.append(below)
        if self.axes_ and len(self._spoken_for()) > 1:
            self.axes_[0].legend(fontsize="x-small")
        return self

    def _spoken_for(self) -> tuple[str, ...]:
        """Classes that have a sum of their own; of two, the second."""
        labels = self.fitted.words.labels
        return labels[1:] if len(labels) == 2 else labels

    def _draw(self, ax: Any, curve: Curve) -> None:
        words = self.fitted.words
        cuts = np.array(curve.cuts)
        margin = 0.15 * (cuts[-1] - cuts[0]) if len(cuts) > 1 else 1.0
        ends = np.array([cuts[0] - margin, *cuts, cuts[-1] + margin]) if len(cuts) else [0.0, 1.0]
        for k, (label, values) in enumerate(zip(self._spoken_for(), curve.values, strict=True)):
            ax.stairs(values, ends, baseline=None, color=f"C{k}", lw=1.8, label=label)
            if curve.missing[k]:
                ax.axhline(curve.missing[k], color=f"C{k}", ls=":", lw=1)
        if words.asked(curve.feature).is_flag:
            ax.set_xticks([float(np.mean(ends[:2])), float(np.mean(ends[-2:]))], ["no", "yes"])
        elif words.scales and words.scales[curve.feature]:
            ax.set_xticks(cuts, [words.value(curve.feature, cut) for cut in cuts.tolist()])
        ax.set_xlabel(words.names[curve.feature], parse_math=False, fontsize="small")
        ax.tick_params(labelsize="x-small")
