"""Pictures of a menu: the price of readability, and the curves of an additive form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.bounds import held_out_bound
from handful.display import Display, legend_above
from handful.models import Curve, Fitted

SHARE_HELD_OUT = 0.3  # the usual split
MAX_CURVES = 12  # drawn, those with the largest difference of points
N_COLUMNS = 3  # pictures side by side


def hold_out_marks(errors: NDArray[np.float64], n_samples: int, delta: float) -> Any:
    """What a hold-out would certify, were errors as frequent as estimated on the pool.

    Examples
    --------
    >>> hold_out_marks(np.array([0.1]), 100, 0.05).round(3).tolist()
    [0.239]
    """
    n = max(1, round(SHARE_HELD_OUT * n_samples))
    counts = np.minimum(np.ceil(errors * n - 1e-9), n).astype(int)
    return np.array([held_out_bound(n, int(k), delta=delta).risk for k in counts])


@dataclass
class MenuDisplay(Display):
    """Certificates of a menu, simplest form on the left, with estimates from the pool.

    Examples
    --------
    >>> from handful import CertifiedClassifier, MenuDisplay, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = CertifiedClassifier(["constant", "one rule"]).fit(data.X, data.y)
    >>> MenuDisplay.from_estimator(machine).frame()["name"].tolist()
    ['constant', 'one rule']
    """

    names: list[str]
    certificates: NDArray[np.float64]
    estimates: NDArray[np.float64]
    hold_outs: NDArray[np.float64]
    is_readable: NDArray[np.bool_]
    chosen: str

    @classmethod
    def from_estimator(cls, machine: Any) -> MenuDisplay:
        """From a fitted `CertifiedClassifier`."""
        menu = machine.menu_.dropna(subset=["certificate"])
        menu = menu.sort_values(["simplicity", "size"], kind="stable")
        return cls(
            [str(name) for name in menu.index],
            menu["certificate"].to_numpy(dtype=np.float64),
            menu["pool_error"].to_numpy(dtype=np.float64),
            hold_out_marks(
                menu["pool_error"].to_numpy(dtype=np.float64),
                machine.certificate_.n_samples,
                machine.delta,
            ),
            menu["is_readable"].to_numpy(dtype=bool),
            str(machine.chosen_),
        )

    def _columns(self) -> dict[str, Any]:
        return {
            "name": self.names,
            "certificate": self.certificates,
            "estimate": self.estimates,
            "hold_out": self.hold_outs,
            "is_readable": self.is_readable,
            "is_chosen": [name == self.chosen for name in self.names],
        }

    def plot(self, ax: Any = None) -> MenuDisplay:
        """Certificates as points; errors estimated on the pool, and hold-outs, as marks.

        The mark of a hold-out is for orientation: what a 70/30 hold-out of the same form would
        certify if its errors were as frequent as on the folds of the pool.
        """
        ax = self._axes(ax, figsize=(7.0, 4.0), layout="constrained")
        place = np.arange(len(self.names))
        for mask, style, label in (
            (self.is_readable, "o", "certificate, readable form"),
            (~self.is_readable, "D", "certificate, black box"),
        ):
            if mask.any():
                ax.plot(place[mask], self.certificates[mask], style, label=label)
        ax.plot(place, self.estimates, "_", color="0.5", ms=10, label="estimate from the pool")
        label = "70/30 hold-out, an estimate from the pool's folds"
        ax.plot(place, self.hold_outs, "x", color="0.5", ms=5, label=label)
        at = [i for i, name in enumerate(self.names) if name == self.chosen]
        ax.plot(at, self.certificates[at], "o", ms=15, mfc="none", mec="C2", mew=2, label="chosen")
        ax.set_xticks(place, self.names, rotation=40, ha="right", parse_math=False)
        ax.set(ylabel="risk", ylim=(0, None))
        legend_above(ax)
        return self


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
        fitted: Any = getattr(machine, "fitted_", None)
        if not hasattr(getattr(fitted, "machine", None), "curves"):
            raise TypeError(
                "`machine` must be a menu whose chosen row is additive. "
                "Call choose('additive') first."
            )
        return cls(fitted)

    @property
    def curves(self) -> list[Curve]:
        """Largest difference of points first."""
        machine: Any = self.fitted.machine
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
            self._legend(ax.figure)
        return self

    def _legend(self, figure: Any) -> None:
        """Which colour speaks for which class, above the curves if the layout makes room there."""
        lines, names = self.axes_[0].get_legend_handles_labels()
        if figure.get_layout_engine() is None:
            legend = self.axes_[0].legend(fontsize="x-small")
        else:
            n_columns = max(1, min(len(names), 60 // (6 + max(map(len, names)))))
            how = {"loc": "outside upper left", "frameon": False, "fontsize": "small"}
            legend = figure.legend(lines, names, ncols=n_columns, **how)
        for text in legend.get_texts():
            text.set_parse_math(False)

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
        if len(cuts) == 1:  # two steps: numbers on an axis would show a range that nobody chose
            two = ("no", "yes")
            if not words.asked(curve.feature).is_flag:
                value = words.value(curve.feature, float(cuts[0]))
                two = (f"below {value}", f"from {value}")
            ax.set_xticks([float(np.mean(ends[:2])), float(np.mean(ends[-2:]))], two)
        elif words.scales and words.scales[curve.feature]:
            ax.set_xticks(cuts, [words.value(curve.feature, cut) for cut in cuts.tolist()])
        ax.set_xlabel(fill(words.names[curve.feature], 24), parse_math=False, fontsize="small")
        ax.tick_params(labelsize="x-small")
