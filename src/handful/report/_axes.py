"""Where displays draw."""

from __future__ import annotations

from typing import Any


def axes_or_new(ax: Any) -> Any:
    """The given axes, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]
