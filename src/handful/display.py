"""The base of all displays: the drawn data as a frame, and the axes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd


def axes_or_new(ax: Any, *shape: int, **figure: Any) -> Any:
    """The given axes, or new axes in a figure of this shape and with these options."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(*shape, **figure)[1]


class Display(ABC):
    """A picture and its data. A subclass fills `_columns` and `plot`.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by ``plot``.
    """

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Columns of the frame."""

    def frame(self) -> pd.DataFrame:
        """The plotted data as a data frame."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    @abstractmethod
    def plot(self, ax: Any = None) -> Self:
        """Draw on ``ax``, or on new axes."""

    def _axes(self, ax: Any, **figure: Any) -> Any:
        """The given axes, or new axes; stored as ``ax_`` and ``figure_``."""
        self.ax_ = axes_or_new(ax, **figure)
        self.figure_ = self.ax_.figure
        return self.ax_
