"""A study as one clean table: numbers as numbers, words in one spelling, rows that may be counted.

Machines that have no pool of their own to read a table by get the rows that were not looked at
(`read_study` with ``set_aside=True``): how their cells are read was fixed by the rows set aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._cells import read_cells
from handful.tables._digests import RowDigests, word_of
from handful.tables._kinds import Column
from handful.tables._numbers import is_mark
from handful.tables._sample import of_each
from handful.tables._study import Study

if TYPE_CHECKING:
    import pandas as pd

VALUES = ("number", "date")  # kinds that become floats


@dataclass(frozen=True, eq=False)
class TidyTable:
    """Rows outside the pool of a study, clean.

    Attributes
    ----------
    X : DataFrame
        Floats, words in one spelling, ordered categories; nothing where a value is missing.
    y : ndarray of str
    columns : tuple of Column
        How the columns of X were read.
    digests : RowDigests
        Of these rows with all columns as they were read: the ``random_state`` of a machine.
    table : DataFrame
        These rows as they were read.
    groups, weights : ndarray or None
    """

    X: pd.DataFrame
    y: NDArray[Any]
    columns: tuple[Column, ...]
    digests: RowDigests
    table: pd.DataFrame
    groups: NDArray[Any] | None
    weights: NDArray[np.float64] | None


def tidy(study: Study, *, seed: int | None = None) -> TidyTable:
    """The rows that a study did not look at, clean.

    Parameters
    ----------
    study : Study
        Of `read_study` with ``set_aside=True``, so that few rows are lost.
    seed : int, optional
        A whole number in place of the digest, for the ``random_state``.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from handful.tables import read_study
    >>> rng = np.random.default_rng(0)
    >>> crp = rng.gamma(2.0, 3.0, 80).round(1)
    >>> table = pd.DataFrame({
    ...     "crp": ["<1" if c < 1 else str(c) for c in crp],
    ...     "smoker": rng.choice(["YES", "Yes", "no "], 80),
    ...     "outcome": np.where(crp + rng.normal(0, 2, 80) > 5, "ill", "well"),
    ... })
    >>> clean = tidy(read_study(table, set_aside=True))
    >>> len(clean.X), clean.X["crp"].dtype.kind, sorted(set(clean.X["smoker"]))
    (60, 'f', ['YES', 'no'])
    """
    import pandas as pd

    is_left = np.ones(len(study.y), dtype=bool)
    is_left[study.pool] = False
    rows = np.flatnonzero(is_left)
    raw = study.X.iloc[rows]
    columns = study.features
    X = pd.DataFrame(
        {c.name: tidy_cells(c, np.asarray(raw.iloc[:, j])) for j, c in enumerate(columns)}
    )
    table = study.table.iloc[rows].reset_index(drop=True)
    names = tuple(str(name) for name in table.columns)
    return TidyTable(
        X=X,
        y=study.y[rows],
        columns=columns,
        digests=RowDigests(study.digests.digests[rows], names, seed),
        table=table,
        groups=None if study.groups is None else study.groups[rows],
        weights=None if study.weights is None else study.weights[rows],
    )


def tidy_cells(column: Column, cells: Any) -> Any:
    """Cells of a column as floats, as ordered categories, or as words in one spelling.

    A word that the column does not know is spelled without capitals: how it is spelled must not
    depend on the rows that are counted.

    Examples
    --------
    >>> tidy_cells(Column("x", "category", levels=("Red", "blue")), ["RED", "?", "Green"]).tolist()
    ['Red', None, 'green']
    >>> tidy_cells(Column("x", style="decimal comma"), ["3,5", "NA"])
    array([3.5, nan])
    """
    import pandas as pd

    if column.kind in VALUES:
        return read_cells(column, cells)
    if column.kind == "ordered":
        codes = np.nan_to_num(read_cells(column, cells), nan=-1.0).astype(np.int64)
        return pd.Categorical.from_codes(codes, categories=list(column.levels), ordered=True)
    return np.array(tidy_words(cells, column.levels, column.marks), dtype=object)


def tidy_words(
    cells: Any, levels: Sequence[str] = (), marks: frozenset[str] = frozenset()
) -> list[str | None]:
    """Words in the spelling of ``levels``, others without capitals; None where one is missing."""
    known = {level.casefold(): level for level in levels}

    def spelled(cell: Any) -> str | None:
        if is_mark(cell, marks):
            return None
        word = word_of(cell).casefold()
        return known.get(word, word)

    return of_each(np.asarray(cells, dtype=object).tolist(), spelled)
