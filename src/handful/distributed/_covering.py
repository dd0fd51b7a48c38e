"""Covering machines on chunks: the same search and the same certificates as in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.covering.training import Judge
from handful.distributed._rows import ChunkedRows
from handful.distributed.chunk_rows import ChunkRows as Chunks
from handful.rules import Rows
from handful.tables import Columns, Draw, SeenRows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ChunkedTraining:
    """Examples in chunks, as a fit sees them; ``given`` is the order of the classes, if any."""

    chunks: Chunks
    given: Any = None

    @property
    def _codes(self) -> Ints:
        """Position in the given order of each class of the chunks."""
        known = self.chunks.classes
        if self.given is None:
            return np.arange(len(known))
        return np.argsort(np.asarray(self.given, dtype=known.dtype))

    @property
    def classes(self) -> NDArray[Any]:
        """The labels."""
        return self.chunks.classes[np.argsort(self._codes)]

    @property
    def groups(self) -> None:
        """Rows in chunks are independent."""
        return None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.chunks.n_features

    @property
    def names(self) -> list[str] | None:
        """Names of the columns."""
        return self.chunks.names

    @property
    def columns(self) -> Columns | None:
        """How words are read."""
        return self.chunks.columns

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return self.chunks.has_missing

    @property
    def draw(self) -> Draw:
        """What decides the order."""
        return self.chunks.draw

    @property
    def n_samples(self) -> int:
        """Number of examples."""
        return self.chunks.n_samples

    @property
    def order(self) -> Ints:
        """The first examples of the blind order, as far as it was needed."""
        return self.chunks.order

    def rows(self, positive: int) -> Rows:
        """None held yet; what concerns all of them is counted over the chunks."""
        return ChunkedRows.of(self.chunks, int(np.argsort(self._codes)[positive]))

    def total(self, count: Judge, name: str) -> Ints:
        """One pass over the chunks."""
        return np.asarray(self.chunks.fold(_Coded(count, self._codes), name))

    def hold(self, examples: Ints) -> tuple[Floats, Ints]:
        """Features and label codes of some examples."""
        X, codes = self.chunks.hold(examples)
        return X, self._codes[codes]

    def digests_of(self, examples: Ints) -> NDArray[np.uint8]:
        """Digests of some examples."""
        return self.chunks.digests_of(examples)

    def seen(self) -> SeenRows:
        """Some of them, evenly spaced: enough to tell a table that was trained on."""
        X, codes = self.chunks.hold(self.chunks.shown)
        rows = X if self.columns is None else _in_words(X, self.columns)
        return SeenRows.of(rows, self.chunks.classes[codes])


def _in_words(X: Floats, columns: Columns) -> pd.DataFrame:
    """Encoded rows as the table that they were read from."""
    import pandas as pd

    cells: dict[str, Any] = {}
    for values, column in zip(X.T, columns.columns, strict=True):
        words = column.levels
        cells[column.name] = values
        if words:
            cells[column.name] = [None if np.isnan(v) else words[int(v)] for v in values]
    return pd.DataFrame(cells)


@dataclass(frozen=True)
class _Coded:
    """Counts with labels in the given order of the classes."""

    count: Judge
    codes: Ints

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        return self.count(X, self.codes[codes])
