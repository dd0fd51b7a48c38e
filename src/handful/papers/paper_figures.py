"""Figures of the papers from the frames of their tables."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def svg_text(figure: Figure) -> str:
    """A figure as SVG; the same figure is the same text."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "handful", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _new_figure(n_rows: int, n_columns: int, height: float = 2.4) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.0 * n_columns, height * n_rows + 0.8), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _draw_curves(axes: Any, part: pd.DataFrame, x: str, *, scaled: bool = False) -> None:
    for column in part.columns.drop(x):
        values = part[column].to_numpy(dtype=float)
        values = np.where(np.isfinite(values), values, np.nan)
        if scaled and np.isfinite(values).any():
            low, high = np.nanmin(values), np.nanmax(values)
            values = (values - low) / (high - low) if high > low else values - low
        is_truth = column in ("test error", "best")
        style = {"color": "black", "linewidth": 2} if is_truth else {"linewidth": 1}
        axes.plot(part[x], values, marker=".", label=column, **style)
    axes.set_xscale("log")
    axes.tick_params(labelsize=7)


def _legend(figure: Figure, axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=8)


def curves_figure(
    frame: pd.DataFrame, x: str, y_label: str, *, n_sets: int | None = None
) -> Figure:
    """One panel for each data set, with the columns of the frame as curves."""
    sets = list(dict.fromkeys(frame["data"]))[:n_sets]
    n_columns = min(4, len(sets))
    figure, panels = _new_figure(math.ceil(len(sets) / n_columns), n_columns)
    for axes in panels.flat[len(sets) :]:
        axes.set_visible(False)
    for data, axes in zip(sets, panels.flat, strict=False):
        _draw_curves(axes, frame[frame["data"] == data].drop(columns="data"), x)
        axes.set_title(data, fontsize=9)
    for axes in panels[:, 0]:
        axes.set_ylabel(y_label, fontsize=8)
    for axes in panels[-1]:
        axes.set_xlabel(x, fontsize=8)
    _legend(figure, panels[0, 0])
    return figure


def shapes_figure(frame: pd.DataFrame, n_sets: int = 6) -> Figure:
    """Criteria against the width, each scaled to [0, 1]; one row for a data set, every second C."""
    sets = list(dict.fromkeys(frame["data"]))[:n_sets]
    Cs = sorted(set(frame["C"]))[::2]
    figure, panels = _new_figure(len(sets), len(Cs))
    for row, data in zip(panels, sets, strict=True):
        for axes, C in zip(row, Cs, strict=True):
            part = frame[(frame["data"] == data) & (frame["C"] == C)]
            _draw_curves(axes, part.drop(columns=["data", "C"]), "sigma", scaled=True)
            axes.set_title(f"{data}, C = {C:g}", fontsize=9)
        row[0].set_ylabel("scaled to [0, 1]", fontsize=8)
    for axes in panels[-1]:
        axes.set_xlabel("sigma", fontsize=8)
    _legend(figure, panels[0, 0])
    return figure


def bounds_figure(frame: pd.DataFrame) -> Figure:
    """Bounds on the number of errors against the errors; half-spaces of Table 1."""
    part = frame[frame["rules"] == "half-spaces"]
    figure, panels = _new_figure(1, 1, height=4.0)
    figure.set_size_inches(6.0, 4.8)
    axes = panels[0, 0]
    for column, mark, label in (
        ("bound_paper", "x", "bound, printed (against its errors)"),
        ("criterion", "+", "theorem of the paper (false)"),
        ("certificate", "o", "certificate (valid)"),
    ):
        errors = part["errors_paper" if column == "bound_paper" else "errors"]
        axes.plot(errors, part[column], mark, label=label)
    for row in part.itertuples():
        axes.annotate(row.set, (row.errors, row.certificate), fontsize=7, va="top")
    top = float(part["errors"].max())
    axes.plot([0.0, top], [0.0, top], color="gray", linewidth=0.8, label="equal")
    axes.set(xlabel="errors over ten folds", ylabel="bound times test size, summed", ylim=(0, None))
    axes.legend(fontsize=8)
    return figure


def filtering_figure(frame: pd.DataFrame) -> Figure:
    """Error among the cases up to each published value, for one split of Bupa."""
    figure, panels = _new_figure(1, 1, height=3.6)
    figure.set_size_inches(6.0, 4.2)
    axes = panels[0, 0]
    axes.step(frame["published value"], frame["error"], where="post", marker="o")
    axes.set(xlabel="published value (no guarantee)", ylabel="error among cases at most there")
    axes.set_ylim(bottom=0.0)
    above = axes.secondary_xaxis(
        "top", functions=_shifts(float(frame["published value"][0] - frame["threshold"][0]))
    )
    above.set_xlabel("epsilon_crit")
    return figure


def _shifts(by: float) -> tuple[Any, Any]:
    return (lambda value: value - by), (lambda value: value + by)
