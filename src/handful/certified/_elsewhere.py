"""What a menu asks of rows that are not in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from handful._types import Ints
from handful.certified._counting import Counting, Tally


class RowsElsewhere(Protocol):
    """Rows in chunks, of which only the pool is brought here."""

    @property
    def n_samples(self) -> int:
        """Rows of all chunks."""
        ...

    @property
    def label_counts(self) -> Mapping[Any, int]:
        """Rows of each label that occurs."""
        ...

    @property
    def seed(self) -> int | None:
        """The whole number that takes the place of the data's digest, if one does."""
        ...

    @property
    def caution(self) -> tuple[str, ...]:
        """What must be said of the draw; see `handful.tables.caution_of_draw`."""
        ...

    def pool(self, n_rows: int) -> tuple[Any, NDArray[Any], Ints]:
        """The first rows of the blind order as they are, their labels, and their positions."""
        ...

    def tally(self, counting: Counting, classes: Sequence[Any]) -> list[Tally]:
        """Counts of all candidates over the rows outside the pool; classes in the menu's order.

        A row of another class is an error of every candidate.
        """
        ...
