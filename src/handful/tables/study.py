"""A table made ready: what every column is, the labels, the pool, and what was assumed.

The pool is drawn from the digest of the whole table as it was read. What columns hold and what
they are for is then decided by the rows of the pool alone, so that every rule of this package
that looks at cells is fixed before anything is counted, as the certificate asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.tables.cautions import MOST_ROWS, ScalingSigns
from handful.tables.cells import is_mark, map_distinct, word_of
from handful.tables.choices import Choices, check_named, target_of
from handful.tables.columns import Column, Columns
from handful.tables.digests import RowDigests, column_names
from handful.tables.draw import Units, check_groups, make_units
from handful.tables.labels import (
    Classes,
    LabelOptions,
    check_few_classes,
    labelled_rows,
    read_classes,
)
from handful.tables.table_reading import (
    TableReading,
    as_pandas,
    count_cells,
    decide_columns,
    feature_table,
    make_reading,
    number_cells,
    numbered_names,
    scales_of,
    with_counts,
)

if TYPE_CHECKING:
    pass

POOL_SHARE = 0.4  # of the rows: candidates come from it, errors are counted on the rest


@dataclass(frozen=True, kw_only=True, eq=False)
class Study(TableReading):
    """Features, labels, groups and weights of the examples, and how they were read.

    Attributes
    ----------
    X : DataFrame or ndarray
        The columns that are features: numbers as numbers, all other cells as they were read.
    y : ndarray of str
    table : DataFrame or ndarray
        All columns of these rows but the target, as they were read.
    rows : ndarray of int
        Positions of these rows in the table that was given: those that have a label.
    units : Units
        The rows, or groups of rows, in blind order.
    pool : ndarray of int
        Rows of the pool, in blind order.
    pool_share : float
        Share of the rows (or groups) that are in it.
    groups, weights : ndarray or None
    """

    X: Any
    y: NDArray[Any]
    table: Any
    rows: Ints
    units: Units
    pool: Ints
    pool_share: float
    groups: NDArray[Any] | None = None
    weights: Floats | None = None

    @property
    def reading(self) -> TableReading:
        """How the table is read, without its rows."""
        return TableReading(
            **{name: getattr(self, name) for name in TableReading.__dataclass_fields__}
        )

    @property
    def digests(self) -> RowDigests:
        """Digests of the whole rows: the ``random_state`` that draws this pool again."""
        return RowDigests(self.units.digests, column_names(self.table), self.units.seed)

    def rest(self, *, seed: int | None = None) -> Study:
        """The rows outside the pool, clean: floats, ordered categories, words in one spelling.

        It is for machines that have no pool of their own to read a table by.

        Parameters
        ----------
        seed : int, optional
            A whole number in place of the digest, for the ``random_state`` of the machine.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> rng = np.random.default_rng(0)
        >>> crp = rng.gamma(2.0, 3.0, 80).round(1)
        >>> table = pd.DataFrame({
        ...     "crp": ["<1" if c < 1 else str(c) for c in crp],
        ...     "smoker": rng.choice(["YES", "Yes", "no "], 80),
        ...     "outcome": np.where(crp + rng.normal(0, 2, 80) > 5, "ill", "well"),
        ... })
        >>> clean = read_study(table, set_aside=True).rest()
        >>> len(clean.X), clean.X["crp"].dtype.kind, sorted(set(clean.X["smoker"]))
        (60, 'f', ['YES', 'no'])
        """
        rows = np.setdiff1d(np.arange(len(self.y)), self.pool)
        table = self.table.iloc[rows].reset_index(drop=True)
        digests = RowDigests(self.units.digests[rows], column_names(table), seed)
        return replace(
            self,
            X=Columns(self.features).clean(self.X.iloc[rows]),
            y=self.y[rows],
            table=table,
            rows=self.rows[rows],
            pool=self.pool[:0],
            units=make_units(table, None, None, digests),
            groups=None if self.groups is None else self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
        )


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Examples as they are given: a table, labels beside it, groups and weights.

    Attributes
    ----------
    X : array of numbers, or data frame of pandas, polars or pyarrow
        All columns but the target; nothing needs to be cleaned.
    y : sequence
        The label of each row; none may be missing.
    name : str
        Of the target, for notes.
    groups, weights : array, optional
        The group of each row, and its weight in training.
    """

    X: Any
    y: Any
    name: str = "y"
    groups: Any = None
    weights: Any = None


def read_study(frame: Any, choices: Choices | None = None, *, set_aside: bool = False) -> Study:
    """Read a table with its target: draw the pool, then decide kinds, roles and labels by its rows.

    Parameters
    ----------
    frame : data frame of pandas, polars or pyarrow
        As it was read; nothing needs to be cleaned.
    choices : Choices, optional
    set_aside : bool
        Read the columns off a tenth of the rows only, which `Study.rest` then leaves out: for
        machines that count all others. Else off a pool of 40 %, as the menu does.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> age = rng.integers(30, 70, 60)
    >>> table = pd.DataFrame({
    ...     "patient_id": range(1001, 1061), "age": age, "site": rng.integers(1, 4, 60),
    ...     "outcome": np.where(age + rng.normal(0, 8, 60) > 50, "Died", "alive"),
    ... })
    >>> study = read_study(table)
    >>> [(column.name, column.kind, column.role) for column in study.columns]
    [('patient_id', 'number', 'id'), ('age', 'number', 'feature'), ('site', 'category', 'feature'), ('outcome', 'category', 'target')]
    >>> study.positive
    'Died'
    """  # noqa: E501
    choices = choices or Choices()
    frame = as_pandas(frame)
    names = [str(name) for name in frame.columns]
    check_named(choices, names)
    target = target_of(choices.target, names)
    place = names.index(target)
    rows, left_out = labelled_rows(
        target, frame.iloc[:, place].tolist(), drop_missing=choices.drop_missing_target
    )
    frame = frame.iloc[rows].reset_index(drop=True)
    y = frame.iloc[:, place].tolist()
    if target not in choices.categories:
        check_few_classes(target, y)
    X = frame.iloc[:, [j for j in range(len(names)) if j != place]]
    share = None if set_aside else POOL_SHARE
    study = read_rows(GivenRows(X, y, target), choices, pool_share=share)
    *others, last = study.columns
    return replace(
        study,
        columns=(*others[:place], last, *others[place:]),
        rows=rows,
        notes=(*left_out, *study.notes),
    )


def read_rows(
    given: GivenRows,
    choices: Choices | None = None,
    *,
    pool_share: float | None = POOL_SHARE,
    random_state: Any = None,
    classes: Sequence[Any] | None = None,
) -> Study:
    """Read a table whose labels stand beside it; `read_study` is this for a table with its target.

    An array of numbers is a table whose columns are numbers: all of them are features.

    Parameters
    ----------
    given : GivenRows
    choices : Choices, optional
    pool_share : float or None
        Share of the rows (or groups) in the pool; 1 takes all of them. None reads the columns off
        a tenth of the rows, which are set aside.
    random_state : None, int, RowDigests or generator
        None draws the pool from the digest of the table.
    classes : sequence, optional
        The classes in their order, if they were named before the data were seen.

    Examples
    --------
    >>> import numpy as np
    >>> study = read_rows(GivenRows(np.arange(40.0).reshape(20, 2), [0, 1] * 10))
    >>> [column.name for column in study.features], len(study.pool)
    (['x0', 'x1'], 8)
    """
    choices = choices or Choices()
    is_frame = hasattr(given.X, "columns")
    table = as_pandas(given.X) if is_frame else given.X
    names = [str(n) for n in table.columns] if is_frame else numbered_names(table.shape[1])
    check_named(choices, (*names, given.name))
    groups, weights = _groups(given, choices, table), _weights(given, choices, table)
    units = make_units(table, given.y, groups, random_state, weights)
    pool = _pool(units, pool_share)
    is_open = pool_share is None or pool_share == 1.0
    labels, y = _labels(given, pool, _label_options(choices, given.name, classes, is_open))
    if is_frame:
        columns = decide_columns(table.iloc[pool], y[pool], pool, choices, scales_of(given.X))
        columns = with_counts(columns, count_cells(columns, table))
        X = feature_table(columns, table)
    else:
        columns, X = tuple(Column(name) for name in names), table
    first = X.iloc[pool[:MOST_ROWS]] if is_frame else X[pool[:MOST_ROWS]]
    reading = make_reading(
        columns,
        labels,
        target=given.name,
        counts=Counter(y.tolist()),
        first=number_cells(columns, first) if groups is None else None,
        signs=ScalingSigns.of(number_cells(columns, X)),
        draw=" ".join(units.caution),
    )
    if pool_share == 1.0:  # nothing is counted in these rows, so that no certificate can fail
        reading = replace(reading, repeats="", scaling="", draw="")
    return Study(
        **vars(reading),
        X=X,
        y=y,
        table=table,
        rows=np.arange(len(y)),
        units=units,
        pool=pool,
        pool_share=len(pool) / len(y) if pool_share is None else pool_share,
        groups=groups,
        weights=weights,
    )


def read_pool(
    given: GivenRows,
    places: Ints,
    counts: Mapping[Any, int],
    choices: Choices,
    classes: Sequence[Any] | None = None,
    caution: tuple[str, ...] = (),
) -> TableReading:
    """Read a table in chunks by its pool, which is in memory.

    Parameters
    ----------
    given : GivenRows
        The rows of the pool, in blind order.
    places : ndarray of int
        Their positions in the table.
    counts : mapping of label to int
        Rows of each label of the table.
    choices : Choices
    classes : sequence, optional
        The classes in their order, if they were named before the data were seen.
    caution : tuple of str
        What must be said of the draw.
    """
    if choices.groups is not None or choices.weights is not None:
        raise ValueError("`columns` must name no groups and no weights for rows in chunks.")
    words: Counter[str] = Counter()
    for label, n in counts.items():
        words[word_of(label)] += n
    pool = map_distinct(list(given.y), word_of)
    labels = read_classes(
        given.name, words, pool, _label_options(choices, given.name, classes, False)
    )
    X = given.X
    if hasattr(X, "columns"):
        table = as_pandas(X)
        check_named(choices, [*map(str, table.columns), given.name])
        y = np.array(map_distinct(pool, labels.spell), dtype=object)
        columns = decide_columns(table, y, places, choices, scales_of(X))
        X = feature_table(columns, table)
    else:
        columns = tuple(Column(name) for name in numbered_names(X.shape[1]))
    numbers = number_cells(columns, X)
    rows: Counter[str] = Counter()
    for word, n in words.items():
        rows[labels.spell(word)] += n
    return make_reading(
        columns,
        labels,
        target=given.name,
        counts=rows,
        first=numbers[:MOST_ROWS],
        signs=ScalingSigns.of(numbers),
        draw=" ".join(caution),
    )


def _pool(units: Units, share: float | None) -> Ints:
    if share is None:
        return units.first(reading_size(len(units)))
    return units.first(len(units)) if share == 1.0 else units.pool(share)


def reading_size(n: int) -> int:
    """Rows (or groups) by which columns are read if they are set aside; depends on n alone.

    Examples
    --------
    >>> [reading_size(n) for n in (2, 40, 150, 683, 10**6)]
    [1, 10, 20, 68, 1000]
    """
    return max(1, min(max(20, round(0.1 * n)), n // 4, 1000))


def _label_options(
    choices: Choices, name: str, classes: Sequence[Any] | None, is_open: bool
) -> LabelOptions:
    """What is known of the labels; certificates without a pool take the classes for known."""
    named = None if classes is None else tuple(word_of(label) for label in classes)
    return LabelOptions(choices.positive, named, name in choices.categories, is_open)


def _labels(given: GivenRows, pool: Ints, options: LabelOptions) -> tuple[Classes, NDArray[Any]]:
    """The classes, and the label of each row in their spelling."""
    words = map_distinct(list(given.y), word_of)
    chosen = [words[i] for i in pool.tolist()]
    found = read_classes(given.name, Counter(words), chosen, options)
    return found, np.array(map_distinct(words, found.spell), dtype=object)


def _groups(given: GivenRows, choices: Choices, table: Any) -> NDArray[Any] | None:
    """The group of each row: as given, or the words of a column."""
    if choices.groups is None:
        return None if given.groups is None else check_groups(given.groups, len(table))
    if given.groups is not None:
        raise ValueError("`groups` must be given once: beside the table, or as one of its columns.")
    cells = _cells(table, choices.groups)
    is_unknown = np.array(map_distinct(cells, is_mark), dtype=bool)
    if is_unknown.any():
        row = int(np.flatnonzero(is_unknown)[0]) + 1
        raise ValueError(
            f"`--groups` must name a column that is filled in, row {row} of {choices.groups!r} is "
            "not. Say whose row it is, or leave it out."
        )
    return np.array(map_distinct(cells, word_of), dtype=object)


def _weights(given: GivenRows, choices: Choices, table: Any) -> Floats | None:
    """The weight of each row in training: as given, or the numbers of a column."""
    import pandas as pd

    if choices.weights is None:
        return None if given.weights is None else np.asarray(given.weights, dtype=np.float64)
    if given.weights is not None:
        raise ValueError("weights must be given once: beside the table, or as one of its columns.")
    cells = pd.Series(_cells(table, choices.weights))
    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
    if np.isnan(values).any() or (values < 0).any():
        row = int(np.flatnonzero(np.isnan(values) | (values < 0))[0]) + 1
        raise ValueError(
            f"`--weights` must name a column of numbers of at least 0, row {row} of "
            f"{choices.weights!r} has none. Weights steer training; every row counts once."
        )
    return values


def _cells(table: Any, name: str) -> list[Any]:
    """The cells of a named column."""
    if not hasattr(table, "columns"):
        return list(table[:, numbered_names(table.shape[1]).index(name)])
    place = [str(column) for column in table.columns].index(name)
    return list(table.iloc[:, place])
