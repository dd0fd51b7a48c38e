"""The machine in the plane of two features: regions, boundaries of rules, examples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.display import Display, legend_above
from handful.report.telling_features import (
    cover_of,
    encoded_names,
    kept_examples,
    numeric_rows,
    telling_features,
)

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MAX_POINTS = 2000  # more points hide each other and make a page of megabytes
MAX_RINGS = 60  # rings around more kept examples hide the points
MAX_TICKS = 12  # words beside an axis that do not overlap
MAX_VALUES = 10**8  # of all points of the grid together


@dataclass
class RulesDisplay(Display):
    """Which class is predicted where, in the plane of two features.

    The other features are held halfway between the medians of the cases that are predicted
    differently, so that the boundary passes through the picture.

    Attributes
    ----------
    grid_x, grid_y : ndarray (n_grid,)
    margins : ndarray (n_classes, n_grid, n_grid)
        How far each class leads; positive if it is predicted.
    boundaries : ndarray (n_rules, n_grid, n_grid)
        Signed distance to the boundary of each condition (two classes); positive if it is met.
    points : ndarray (n_samples, 2)
        The examples.
    codes : ndarray (n_samples,)
        Position of their label in ``classes``.
    is_kept : ndarray (n_samples,)
        Whether an example is in the compression set.
    names : (str, str)
        The two features.
    classes : tuple of str
    ticks : (tuple, tuple)
        Answers of each feature that is a question; empty for numbers.

    Examples
    --------
    >>> from handful import RulesDisplay, SetCoveringMachine, load_dataset
    >>> data = load_dataset("breastw")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> RulesDisplay.from_estimator(machine, data.X, data.y, features=(0, 1)).margins.shape
    (2, 80, 80)
    """

    grid_x: Floats
    grid_y: Floats
    margins: Floats
    boundaries: Floats
    points: Floats
    codes: Ints
    is_kept: Mask
    names: tuple[str, str]
    classes: tuple[str, ...]
    ticks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @classmethod
    def from_estimator(
        cls,
        machine: Any,
        X: Any,
        y: Any,
        *,
        features: tuple[int, int] | None = None,
        n_grid: int = 80,
    ) -> RulesDisplay:
        """From a fitted classifier.

        Parameters
        ----------
        machine : fitted classifier
        X, y : array-like
            The training data.
        features : (int, int), optional
            The two features; those that tell most by default.
        n_grid : int
            Points along each axis.
        """
        rows, codes = numeric_rows(machine, X, y)
        if getattr(machine, "kernel", None) == "precomputed":
            raise ValueError("`machine` must know features to be drawn, got a kernel matrix.")
        n_grid = min(n_grid, max(16, int((MAX_VALUES / rows.shape[1]) ** 0.5)))
        names = [*encoded_names(machine, rows.shape[1]), "class"]
        held, answers = _held(machine, rows), [*_answers(machine, rows.shape[1])]
        if len(held) == 1:
            rows, (i, j) = np.column_stack([rows, codes]), (0, 1)
            answers.append(tuple(str(label) for label in machine.classes_))
        else:
            i, j = features if features is not None else telling_features(machine, rows, codes)
        grid_x, grid_y = (np.linspace(*_span(rows[:, k]), n_grid) for k in (i, j))
        margins, boundaries = _on_grid(machine, held, (i, j), grid_x, grid_y)
        is_kept = np.zeros(len(rows), dtype=bool)
        is_kept[kept_examples(machine)] = True
        return cls(
            grid_x,
            grid_y,
            margins,
            boundaries,
            rows[:, [i, j]],
            codes,
            is_kept,
            (names[i], names[j]),
            tuple(str(label) for label in machine.classes_),
            (answers[i], answers[j]),
        )

    def _columns(self) -> dict[str, Any]:
        """The examples that are drawn."""
        label = np.array(self.classes, dtype=object)[self.codes]
        places = dict(zip(self.names, self.points.T, strict=True))
        return {**places, "label": label, "is_kept": self.is_kept}

    def plot(self, ax: Any = None) -> RulesDisplay:
        """Regions, boundaries of the rules, examples (area: how many), kept examples ringed."""
        ax = self._axes(ax)
        self._plot_regions(ax)
        self._plot_examples(ax)
        ax.set_xlabel(self.names[0], parse_math=False)
        ax.set_ylabel(self.names[1], parse_math=False)
        for axis, ticks in zip((ax.xaxis, ax.yaxis), self.ticks, strict=True):
            if 0 < len(ticks) <= MAX_TICKS:
                axis.set_ticks(range(len(ticks)), ticks, parse_math=False)
        return self

    def _plot_regions(self, ax: Any) -> None:
        for k, margin in enumerate(self.margins):
            if (margin > 0).any():
                smooth = _smooth(margin)
                levels = [0.0, 1.0]
                ax.contourf(self.grid_x, self.grid_y, smooth, levels, colors=f"C{k}", alpha=0.16)
        for boundary in self.boundaries:
            if (boundary > 0).any() and (boundary < 0).any():
                smooth = _smooth(boundary)
                style = {"linewidths": 1.2, "linestyles": "dashed"}
                ax.contour(self.grid_x, self.grid_y, smooth, [0.0], colors="0.5", **style)

    def _plot_examples(self, ax: Any) -> None:
        import matplotlib as mpl

        shown = _thin(len(self.points), self.is_kept)
        for k, name in enumerate(self.classes):
            points = self.points[shown & (self.codes == k)]
            points = points[~np.isnan(points).any(axis=1)]
            places, counts = np.unique(points, axis=0, return_counts=True)
            ax.scatter(
                places[:, 0],
                places[:, 1],
                s=14.0 * np.minimum(counts, 40) ** 0.75,
                marker=MARKERS[k % len(MARKERS)],
                facecolor=f"C{k}",
                alpha=0.55,
                linewidth=0.0,
            )
            # an entry of the legend whose size does not depend on the data
            marker = MARKERS[k % len(MARKERS)]
            shown_name = f" {name}" if name.startswith("_") else name  # "_x" would be left out
            ax.plot([], [], marker, color=f"C{k}", label=shown_name)
        if 0 < self.is_kept.sum() <= MAX_RINGS:
            kept = self.points[self.is_kept]
            ink = mpl.rcParams["text.color"]
            ax.plot(kept[:, 0], kept[:, 1], "o", mfc="none", mec=ink, ms=11, mew=1.5, label="kept")
        legend_above(ax)


def class_margins(machine: Any, rows: Floats) -> Floats:
    """For each row and class, by how much the class leads; positive if it is predicted."""
    cover = cover_of(machine)
    if cover is not None:
        scores = cover.fitted.machine.scores(rows)
        scores = scores[:, None] if scores.ndim == 1 else scores
    elif hasattr(machine, "decision_function"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "X does not have valid feature names"
            scores = np.asarray(machine.decision_function(rows), dtype=np.float64)
        scores = scores[:, None] if scores.ndim == 1 else scores
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predicted = machine.predict(rows)
        scores = (np.asarray(predicted)[:, None] == machine.classes_[None, :]).astype(float)
    if scores.shape[1] == 1:
        return np.column_stack([-scores[:, 0], scores[:, 0]])
    leads = []
    for k in range(scores.shape[1]):
        others = np.delete(scores, k, axis=1).max(axis=1)
        with np.errstate(over="ignore"):
            leads.append(scores[:, k] - others)
    return np.column_stack(leads)


def _on_grid(
    machine: Any, held: Floats, features: tuple[int, int], grid_x: Floats, grid_y: Floats
) -> tuple[Floats, Floats]:
    """Margins of classes and distances to rules, one line of the grid at a time."""
    margins, boundaries = [], []
    for y in grid_y:
        line = np.tile(held, (len(grid_x), 1))
        line[:, features[0]] = grid_x
        if features[1] < len(held):
            line[:, features[1]] = y
        # A line at a time: the whole grid of a wide table would not fit.
        margins.append(class_margins(machine, line))
        boundaries.append(_boundaries(machine, line))
    return np.stack(margins, axis=1).transpose(2, 1, 0), np.stack(boundaries, axis=1)


def _boundaries(machine: Any, rows: Floats) -> Floats:
    cover = cover_of(machine)
    if cover is None or len(cover.rules) != 1 or len(cover.rules[0]) < 2:
        return np.empty((0, len(rows)))
    return np.array([condition.score(rows) for condition in cover.rules[0]])


def _held(machine: Any, rows: Floats) -> Floats:
    """Halfway between the medians of the cases that are predicted differently."""
    some = rows[:: max(1, len(rows) // MAX_POINTS)]
    predicted = np.argmax(class_margins(machine, some), axis=1)
    groups = [some[predicted == k] for k in np.unique(predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column without any value
        held = np.mean([np.nanmedian(group, axis=0) for group in groups], axis=0)
        held = np.where(np.isnan(held), np.nan_to_num(np.nanmedian(some, axis=0)), held)
    for j, answers in enumerate(_answers(machine, rows.shape[1])):
        if answers:
            known = some[~np.isnan(some[:, j]), j]
            # Halfway between yes and no means nothing: a question is held at its commonest answer.
            values, counts = np.unique(known, return_counts=True)
            held[j] = values[np.argmax(counts)] if len(values) else 0.0
    return np.asarray(held)


def _answers(machine: Any, n_features: int) -> list[tuple[str, ...]]:
    """For each feature "no" and "yes" if it is a question, nothing if it is a number."""
    cover = cover_of(machine)
    if cover is None:
        return [()] * n_features
    return [("no", "yes") if f.is_flag else () for f in cover.fitted.columns.features]


def _smooth(values: Floats) -> Floats:
    """The same signs, within (-1, 1), nearly linear about zero."""
    # Contours are drawn at 0 only, so any increasing function of the values will do.
    finite = np.clip(values, -1e300, 1e300)
    size = float(np.median(np.abs(finite))) or 1.0
    return np.tanh(finite / size) * 0.999


def _span(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if known.size == 0:
        return -1.0, 1.0
    low, high = float(known.min()), float(known.max())
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _thin(n_points: int, is_kept: Mask) -> Mask:
    """At most about `MAX_POINTS` examples, evenly, and a handful of kept ones."""
    shown = np.zeros(n_points, dtype=bool)
    shown[:: max(1, -(-n_points // MAX_POINTS))] = True
    return shown | is_kept if is_kept.sum() <= MAX_RINGS else shown
