"""Where the legend of a display stands."""

from __future__ import annotations

from typing import Any

MAX_LEGEND_COLUMNS = 4  # more are too narrow for class names
MIN_NAME = 8  # characters of a name in a legend


def legend_above(ax: Any) -> Any:
    """A legend above the axes, where it hides nothing, as wide as the figure allows."""
    n_entries = max(1, len(ax.get_legend_handles_labels()[1]))
    for n_columns in range(min(MAX_LEGEND_COLUMNS, n_entries), 0, -1):
        legend = ax.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=n_columns, frameon=False
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        if _excess(ax, legend) <= 0:
            return legend
    _shorten(ax, legend)
    return legend


def _excess(ax: Any, legend: Any) -> float:
    """By how many pixels a legend is wider than the figure to the right of the axes' edge."""
    figure = ax.figure
    legend.set_in_layout(False)  # a layout would shrink the axes to nothing for its sake
    figure.draw_without_rendering()  # a layout may move the axes
    legend.set_in_layout(True)
    return float(legend.get_window_extent().x1 - figure.bbox.x1)


def _shorten(ax: Any, legend: Any) -> None:
    """Cut names, the longest first, until a legend of one column fits."""
    texts = legend.get_texts()
    longest = max(len(text.get_text()) for text in texts)
    while longest > MIN_NAME and _excess(ax, legend) > 0:
        longest = max(MIN_NAME, longest * 3 // 4)
        for text in texts:
            if len(text.get_text()) > longest:
                text.set_text(text.get_text()[: longest - 1] + "…")
