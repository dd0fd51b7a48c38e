"""A table made ready: what every column is, the labels, the pool, and what was assumed.

The pool is drawn from the digest of the whole table as it was read. What columns hold and what
they are for is then decided by the rows of the pool alone, so that every rule of this package
that looks at cells is fixed before anything is counted, as the certificate asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.tables.cautions import MOST_ROWS, ScalingSigns
from handful.tables.cells import is_mark, map_distinct, word_of
from handful.tables.choices import Choices, check_named, target_of
from handful.tables.columns import Column, Columns
from handful.tables.digests import RowDigests, column_names
from handful.tables.draw import check_groups, pool_size
from handful.tables.labels import (
    Classes,
    LabelOptions,
    check_few_classes,
    labelled_rows,
    read_classes,
)
from handful.tables.rows import MemoryRows, RowSource, take_rows
from handful.tables.table_reading import (
    CellJob,
    FeatureReader,
    TableReading,
    as_pandas,
    decide_columns,
    make_reading,
    normal_rows,
    number_cells,
    numbered_names,
    scales_of,
    with_counts,
    without_pairs,
)

POOL_SHARE = 0.5  # of the rows: candidates come from it, errors are counted on the rest


@dataclass(frozen=True, kw_only=True, eq=False)
class Study(TableReading):
    """Rows that were read: features, labels, groups and weights, the pool, and what was assumed.

    Attributes
    ----------
    source : RowSource
        The rows in memory or in chunks. Each row holds the features alone: numbers as numbers, all
        other cells as they were read. The order of the rows is drawn from the whole table.
    pool : ndarray of int
        Rows of the pool, in blind order.
    n_pool : int
        Rows, or groups, in the pool.
    pool_share : float
        Share of the rows (or groups) that are in it.
    table : DataFrame or ndarray
        In memory, all columns of these rows but the target, as they were read.
    rows : ndarray of int
        In memory, positions of these rows in the table that was given: those that have a label.
    n_read : int or None
        Rows of the table that was given, also those without a label; None if it has no target.
    """

    source: RowSource
    pool: Ints
    n_pool: int
    pool_share: float
    table: Any = None
    rows: Any = None
    n_read: int | None = None

    @property
    def memory(self) -> MemoryRows:
        """The rows, which must be in memory."""
        if not isinstance(self.source, MemoryRows):
            raise TypeError("the rows of this study are in chunks.")
        return self.source

    @property
    def X(self) -> Any:  # noqa: N802
        """The features of rows in memory."""
        return self.memory.X

    @property
    def groups(self) -> NDArray[Any] | None:
        """The group of each row, if rows belong together."""
        return self.memory.given_groups

    @property
    def weights(self) -> Floats | None:
        """The weight of each row in training, if rows have weights."""
        return self.memory.weights

    @cached_property
    def y(self) -> NDArray[Any]:
        """The label of each row in memory, in the spelling of the classes."""
        return self.spelled[self.memory.codes]

    @cached_property
    def spelled(self) -> NDArray[Any]:
        """The word of each label of the source."""
        return np.array([self.labels.spell(label) for label in self.source.classes], dtype=object)

    @property
    def reading(self) -> TableReading:
        """How the table is read, without its rows."""
        return TableReading(
            **{name: getattr(self, name) for name in TableReading.__dataclass_fields__}
        )

    @property
    def digest(self) -> str:
        """Digest of the table with its labels."""
        return self.source.draw.digest

    @property
    def digests(self) -> RowDigests:
        """Digests of the whole rows: the ``random_state`` that draws this pool again."""
        if isinstance(self.memory.random_state, RowDigests):
            return self.memory.random_state
        drawn = self.memory.blind
        return RowDigests(drawn.digests, column_names(self.table), drawn.seed)

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
        left = np.setdiff1d(np.arange(len(self.y)), self.pool)
        table = self.table.iloc[left].reset_index(drop=True)
        source = replace(
            self.memory,
            X=Columns(self.features).clean(self.X.iloc[left]),
            codes=self.memory.codes[left],
            table=table,
            random_state=RowDigests(self.memory.blind.digests[left], column_names(table), seed),
            weights=None if self.weights is None else self.weights[left],
            given_groups=None if self.groups is None else self.groups[left],
        )
        return replace(
            self, source=source, pool=self.pool[:0], n_pool=0, table=table, rows=self.rows[left]
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


def read_study(
    frame: Any,
    choices: Choices | None = None,
    *,
    set_aside: bool = False,
    pool_share: float = POOL_SHARE,
) -> Study:
    """Read a table with its target: draw the pool, then decide kinds, roles and labels by its rows.

    Parameters
    ----------
    frame : data frame of pandas, polars or pyarrow
        As it was read; nothing needs to be cleaned.
    choices : Choices, optional
    set_aside : bool
        Read the columns off a tenth of the rows only, which `Study.rest` then leaves out: for
        machines that count all others. Else off a pool, as the menu does.
    pool_share : float
        Share of the rows (or groups) in that pool.

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
    scales, frame = scales_of(frame), as_pandas(frame)
    names = [str(name) for name in frame.columns]
    check_named(choices, names)
    target = target_of(choices.target, names)
    place = names.index(target)
    rows, left_out = labelled_rows(
        target,
        frame.iloc[:, place].tolist(),
        drop_missing=choices.drop_missing_target,
        marks=choices.marks(target),
    )
    n_read = len(frame)
    frame = frame.iloc[rows].reset_index(drop=True)
    y = frame.iloc[:, place].tolist()
    if target not in choices.categories:
        check_few_classes(target, y)
    X = frame.iloc[:, [j for j in range(len(names)) if j != place]]
    share = None if set_aside else pool_share
    study = read_rows(GivenRows(X, y, target), choices, pool_share=share, scales=scales)
    *others, last = study.columns
    return replace(
        study,
        columns=(*others[:place], last, *others[place:]),
        rows=rows,
        n_read=n_read,
        notes=(*left_out, *study.notes),
    )


def read_rows(
    given: GivenRows,
    choices: Choices | None = None,
    *,
    pool_share: float | None = POOL_SHARE,
    random_state: Any = None,
    classes: Sequence[Any] | None = None,
    scales: Mapping[str, tuple[str, ...]] | None = None,
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
    scales : mapping, optional
        Ordered columns with their words; by default those that are ordered categories.

    Examples
    --------
    >>> import numpy as np
    >>> study = read_rows(GivenRows(np.arange(40.0).reshape(20, 2), [0, 1] * 10))
    >>> [column.name for column in study.features], len(study.pool)
    (['x0', 'x1'], 10)
    """
    choices = choices or Choices()
    table = normal_rows(given.X)
    labels, codes = _coded(list(given.y))
    source = MemoryRows(
        table,
        codes,
        labels,
        names=[str(name) for name in table.columns] if hasattr(table, "columns") else None,
        random_state=random_state,
        weights=_weights(given, choices, table),
        given_groups=_groups(given, choices, table),
        target=given.name,
    )
    study = read_source(
        source,
        choices,
        pool_share=pool_share,
        classes=classes,
        scales=scales_of(given.X) if scales is None else scales,
    )
    beside = (given.groups, given.weights, random_state, classes)
    is_whole = hasattr(table, "columns") and all(one is None for one in beside)
    has_rest = pool_share != 1.0  # rows that are counted
    return replace(study, table=table, rows=np.arange(len(codes)), is_whole=is_whole and has_rest)


def _coded(cells: Sequence[Any]) -> tuple[NDArray[Any], Ints]:
    """Distinct labels of any type, and the code of each cell."""
    found: dict[Any, int] = {}
    codes = [found.setdefault((cell.__class__, cell), len(found)) for cell in cells]
    labels = np.empty(len(found), dtype=object)
    labels[:] = [label for _, label in found]
    return labels, np.array(codes, dtype=np.int64)


def read_source(
    source: RowSource,
    choices: Choices,
    *,
    pool_share: float | None = POOL_SHARE,
    classes: Sequence[Any] | None = None,
    scales: Mapping[str, tuple[str, ...]] | None = None,
) -> Study:
    """Read rows in memory or in chunks: the pool decides, all rows are only counted.

    Parameters
    ----------
    source : RowSource
        Rows as they are given, or as `as_pandas` gives them: all columns but the target.
    choices : Choices
    pool_share, classes
        As in `read_rows`.
    scales : mapping, optional
        Ordered columns with their words, if rows are as `as_pandas` gives them.
    """
    pool, n_pool = _draw(source, pool_share)
    raw, codes = source.hold(pool)
    rows, is_frame = raw, hasattr(raw, "columns")
    if is_frame and scales is None:
        scales, rows, source = scales_of(raw), normal_rows(raw), source.read_by(normal_rows)
    names = [str(name) for name in rows.columns] if is_frame else numbered_names(rows.shape[1])
    check_named(choices, (*names, source.target))
    _check_distinct(names)
    is_open = pool_share is None or pool_share == 1.0
    options = _label_options(choices, source.target, classes, is_open)
    labels, spelled = _labels(source, codes, options)
    if is_frame:
        columns = decide_columns(rows, spelled[codes], pool, choices, scales)
        columns = without_pairs(columns, is_left_out=pool_share is None)
        sums = source.fold(CellJob(columns), "cells")
        columns, signs = with_counts(columns, sums.cells), sums.signs
    else:
        columns = tuple(Column(name) for name in names)
        signs = source.fold(_signs, "cells")
    read = FeatureReader(columns)
    counts: Counter[str] = Counter()
    for word, n in zip(spelled.tolist(), source.class_counts.tolist(), strict=True):
        counts[word] += n
    first = number_cells(columns, read(take_rows(rows, slice(0, MOST_ROWS))))
    reading = make_reading(
        columns,
        labels,
        target=source.target,
        counts=counts,
        first=first if source.groups is None else None,
        signs=signs,
        draw=" ".join(source.caution),
    )
    reading = reading.answered(choices)
    if pool_share == 1.0:  # nothing is counted in these rows, so that no certificate can fail
        reading = replace(reading, repeats=None, scaling=None, draw=None)
    return Study(
        **vars(reading),
        source=source.read_by(read) if is_frame else source,
        pool=pool,
        n_pool=n_pool,
        pool_share=len(pool) / source.n_samples if pool_share is None else pool_share,
    )


def _check_distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name, n in Counter(names).items() if n > 1)
        raise ValueError(f"`X` must have columns with different names, got {twice!r} twice.")


def _signs(rows: Any, codes: Ints) -> ScalingSigns:
    return ScalingSigns.of(np.asarray(rows, dtype=np.float64))


def _draw(source: RowSource, share: float | None) -> tuple[Ints, int]:
    """Positions of the pool's rows, in blind order, and the number of rows or groups in it."""
    groups = source.groups
    n = source.n_samples if groups is None else len(groups)
    n_pool = reading_size(n) if share is None else n
    if share is not None and share < 1.0:
        n_pool = min(pool_size(n, share), max(1, n - 1))
    return source.first(n_pool if groups is None else groups.n_rows(n_pool)), n_pool


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


def _labels(source: RowSource, codes: Ints, options: LabelOptions) -> tuple[Classes, NDArray[Any]]:
    """The classes, and the word of each label of the source in their spelling."""
    found = source.classes.tolist()
    labelled_rows(source.target, found)  # no label may be missing
    words = [word_of(label) for label in found]
    counts: Counter[str] = Counter()
    for word, n in zip(words, source.class_counts.tolist(), strict=True):
        counts[word] += n
    labels = read_classes(source.target, counts, [words[code] for code in codes.tolist()], options)
    return labels, np.array([labels.spell(word) for word in words], dtype=object)


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
