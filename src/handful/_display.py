"""What all displays share: the data that is drawn, as a frame, and the axes to draw on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd


def axes_or_new(ax: Any, *shape: int, **figure: Any) -> Any:
    """The given axes, or new ones in a new figure of this shape and with these options."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(*shape, **figure)[1]


class Display(ABC):
    """A picture that is data first: a family fills `_columns` and `plot`.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by ``plot``.
    """

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Columns of the frame."""

    def frame(self) -> pd.DataFrame:
        """What is plotted, as a data frame."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    @abstractmethod
    def plot(self, ax: Any = None) -> Self:
        """Draw on ``ax``, or on new axes."""

    def _axes(self, ax: Any, **figure: Any) -> Any:
        """The given axes, or new ones, kept as ``ax_`` and ``figure_``."""
        self.ax_ = axes_or_new(ax, **figure)
        self.figure_ = self.ax_.figure
        return self.ax_
