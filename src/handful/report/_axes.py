"""Where displays draw, and where their legend stands."""

from __future__ import annotations

from typing import Any


def axes_or_new(ax: Any) -> Any:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def legend_above(ax: Any) -> Any:
    """A legend above the axes, where it hides nothing."""
    n_columns = min(4, max(1, len(ax.get_legend_handles_labels()[1])))
    return ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=n_columns, frameon=False)
