"""The base of all displays, a legend that hides nothing, and machines as a notebook shows them."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd


MAX_LEGEND_COLUMNS = 4  # more are too narrow for class names
MIN_NAME = 8  # characters of a name in a legend


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


MOST_LINES = 60  # of a rule in a notebook

# Colours are see-through and inherited, so that light and dark notebooks both work.
_BOX = "max-width:60em;margin:.5em 0"
_RULE = (
    "white-space:pre-wrap;padding:.8em 1em;margin:.5em 0;border-left:4px solid #5c7cfa;"
    "background:rgba(92,124,250,.1);color:inherit"
)
_CELL = "padding:.15em .8em;text-align:left;border-bottom:1px solid rgba(128,128,128,.4)"


class NotebookView:
    """A machine at the end of a notebook's cell: under scikit-learn's diagram what was learned.

    That is the caution, the rule with its risks, the certificate, and the rows of a menu. A family
    fills `_shown_lines` and `_shown_menu`. Everything from the data is escaped.
    """

    def _shown_lines(self) -> Sequence[str]:
        """The rule in sentences; nothing if there is none to read."""
        fitted = getattr(self, "fitted_", None)
        return [] if fitted is None else list(fitted.sentences())

    def _shown_menu(self) -> Sequence[Sequence[str]]:
        """Form, columns and limit of each row of a menu, under their heads."""
        return ()

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._fitted_html()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._fitted_html()
        return bundle

    def _fitted_html(self) -> str:
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        try:
            check_is_fitted(self)
            certificate = getattr(self, "certificate_", None)
        except NotFittedError:
            return ""
        except (TypeError, ValueError):  # it needs rows, or a setting, to certify anything
            certificate = None
        lines = list(self._shown_lines())
        shown = [*lines[:MOST_LINES], *["…"] * (len(lines) > MOST_LINES)]
        parts = [f"<pre style='{_RULE}'>{html.escape(chr(10).join(shown))}</pre>"] * bool(shown)
        parts += [f"<p><b>{html.escape(first)}</b></p>" for first in self._shown_cautions()]
        parts += [] if certificate is None else [certificate._repr_html_()]
        return f"<div style='{_BOX}'>{''.join([*parts, _table(self._shown_menu())])}</div>"

    def _shown_cautions(self) -> list[str]:
        """What must be said before the certificate."""
        caution = getattr(self, "caution", None)
        return [said] if caution is not None and (said := caution()) else []


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A table of texts, the first row its head; empty without rows."""
    if not rows:
        return ""
    cells = [
        "".join(
            f"<{tag} style='{_CELL}'>{html.escape(cell)}</{tag}>"
            for cell in row
            for tag in ["th" if k == 0 else "td"]
        )
        for k, row in enumerate(rows)
    ]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


def legend_above(ax: Any) -> Any:
    """A legend above the axes, where it hides nothing, as wide as the figure allows."""
    if (layout := ax.figure.get_layout_engine()) is not None:
        layout.execute(ax.figure)  # it moves the axes
    room = float(ax.figure.bbox.x1 - ax.get_window_extent().x0)
    n_entries = max(1, len(ax.get_legend_handles_labels()[1]))
    for n_columns in range(min(MAX_LEGEND_COLUMNS, n_entries), 0, -1):
        legend = ax.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=n_columns, frameon=False
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        if _is_within(legend, room):
            return legend
    _shorten(legend, room)
    return legend


def _is_within(legend: Any, room: float) -> bool:
    """Whether a legend is at most so many pixels wide, with the pad that is around it."""
    size = legend.get_window_extent()
    return bool(size.width + legend.borderaxespad * legend.get_texts()[0].get_fontsize() < room)


def _shorten(legend: Any, room: float) -> None:
    """Cut names, the longest first, until a legend of one column fits."""
    texts = legend.get_texts()
    longest = max((len(text.get_text()) for text in texts), default=0)
    while longest > MIN_NAME and not _is_within(legend, room):
        longest = max(MIN_NAME, longest * 3 // 4)
        for text in texts:
            if len(text.get_text()) > longest:
                text.set_text(text.get_text()[: longest - 1] + "…")
