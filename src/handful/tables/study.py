"""A table made ready: what every column is, the labels, the pool, and what was assumed.

The pool is drawn from the digest of the whole table as it was read. What columns hold and what
they are for is then decided by the rows of the pool alone, so that every rule of this package
that looks at cells is fixed before anything is counted, as the certificate asks.

There is one reading, for files and for frames, in memory and in chunks. `decide_columns` and
`read_classes` look at the pool, `CellCounts` counts in all rows, and `TableReading` holds what is
said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.tables.cautions import MOST_ROWS, ScalingSigns, caution_of_repeats
from handful.tables.cell_counts import CellCounts
from handful.tables.cells import Sample, is_mark, map_distinct, word_of
from handful.tables.choices import Choices, check_named, target_of
from handful.tables.columns import Column, Columns
from handful.tables.digests import RowDigests, column_names
from handful.tables.draw import Units, check_groups, make_units
from handful.tables.kinds import kind_of
from handful.tables.labels import (
    Classes,
    LabelOptions,
    check_few_classes,
    labelled_rows,
    read_classes,
)
from handful.tables.roles import with_role
from handful.tables.table_files import without_marks

if TYPE_CHECKING:
    import pandas as pd

POOL_SHARE = 0.4  # of the rows: candidates come from it, errors are counted on the rest
_FEW_ROWS, _FEW_OF_A_CLASS = 20, 5  # below them a note says that little can be certified


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How a table is read, and what must be said of it; it holds no rows.

    Attributes
    ----------
    columns : tuple of Column
        All columns of the table, with kind, role and notes.
    labels : Classes
        Those of the pool. A row with another label counts as an error of every form. They do not
        depend on ``Choices.positive``, so that naming the case changes no rule.
    notes : tuple of str
        What a reader should know.
    repeats, scaling, draw : str
        Cautions: rows that look like several rows of one patient, rows that were scaled together,
        a digest that cannot draw as chance would. Empty if there is nothing to say.
    """

    columns: tuple[Column, ...]
    labels: Classes
    notes: tuple[str, ...] = ()
    repeats: str = ""
    scaling: str = ""
    draw: str = ""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must not be missed: without an answer, the certificates may not hold."""
        return tuple(text for text in (self.repeats, self.scaling, self.draw) if text)

    @property
    def target(self) -> str:
        """Name of the target column."""
        return next(column.name for column in self.columns if column.role == "target")

    @property
    def features(self) -> tuple[Column, ...]:
        """The columns that are features."""
        return tuple(column for column in self.columns if column.role == "feature")

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes as words, in the order of class positions."""
        return self.labels.words

    @property
    def positive(self) -> str | None:
        """The case, of two classes."""
        return self.labels.positive

    @property
    def is_positive_said(self) -> bool:
        """Whether the user or the words of the labels say which class is the case."""
        return self.labels.is_positive_said

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Cautions, notes, and the notes on each column with its name."""
        own = (f"{column.name}: {note}" for column in self.columns for note in column.notes)
        return (*self.cautions, *self.notes, *own)


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
        columns = decide_columns(table.iloc[pool], y[pool], pool, choices, _scales(given.X))
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
    )
    return Study(
        **vars(replace(reading, draw=" ".join(units.caution))),
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


def numbered_names(n: int) -> list[str]:
    """Names of columns that have none: x0, x1, ..."""
    return [f"x{j}" for j in range(n)]


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


def as_pandas(frame: Any) -> pd.DataFrame:
    """A frame of any library as one of pandas, dates as text."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        import narwhals as nw

        frame = nw.from_native(frame, eager_only=True).to_pandas()
    frame = frame.copy(deep=False)
    for j, dtype in enumerate(frame.dtypes):
        if getattr(dtype, "kind", "O") in "mM":
            text = frame.iloc[:, j].astype("string").str.removesuffix(" 00:00:00")
            frame.isetitem(j, text.astype(object).where(frame.iloc[:, j].notna(), None))
    return without_marks(frame)


def _scales(frame: Any) -> dict[str, tuple[str, ...]]:
    """Ordered categories of a pandas frame: their order is what the user says."""
    if not hasattr(frame, "iloc"):
        return {}
    typed = zip(frame.columns, frame.dtypes, strict=True)
    scales = {
        str(name): tuple(word_of(word) for word in dtype.categories)
        for name, dtype in typed
        if getattr(dtype, "ordered", False)
    }
    return {n: s for n, s in scales.items() if len({w.casefold() for w in s}) == len(s) > 1}


# -- what the pool decides -----------------------------------------------------------------------


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


def decide_columns(
    pool: pd.DataFrame,
    y: NDArray[Any],
    places: Ints,
    choices: Choices,
    scales: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Column, ...]:
    """Kind and role of every column, by the user's word, else by the rows of the pool.

    Parameters
    ----------
    pool : DataFrame
        The rows of the pool, as `as_pandas` gives them.
    y : ndarray
        Their labels.
    places : ndarray of int
        Their positions in the table.
    choices : Choices
    scales : mapping, optional
        Columns of ordered words, with their words in order.
    """
    out = []
    for j, name in enumerate(str(name) for name in pool.columns):
        marks = choices.marks(name)
        sample = Sample.of(np.asarray(pool.iloc[:, j]), marks)
        scale = (scales or {}).get(name, ())
        out.append(_column(name, sample, choices, scale, lambda c, s: with_role(c, s, y, places)))
    return tuple(out)


def _column(
    name: str,
    sample: Sample,
    choices: Choices,
    scale: tuple[str, ...],
    judged: Callable[[Column, Sample], Column],
) -> Column:
    """One column: its kind by the pool, its role by the user's word, else by the pool."""
    marks = choices.marks(name)
    asked = "category" if name in choices.categories else None
    asked = "ordered" if name in choices.ordered or (scale and asked is None) else asked
    column = kind_of(name, sample, marks=marks, asked=asked, scale=scale)
    for role, given in (("group", choices.groups), ("weight", choices.weights)):
        if name == given:
            return replace(column, role=role, notes=())
    if name in choices.id:
        return replace(column, role="id", notes=())
    if name in choices.exclude or (choices.features and name not in choices.features):
        return replace(column, role="ignored", notes=("left out as asked",))
    if name in choices.features and column.kind not in ("constant", "empty"):
        if column.kind in ("text", "date"):
            asked = "category" if column.kind == "text" else "ordered"
            column = kind_of(name, sample, marks=marks, asked=asked)
        return replace(column, role="feature")
    return judged(column, sample) if asked is None else column


# -- what is only said ---------------------------------------------------------------------------


def count_cells(columns: Sequence[Column], table: pd.DataFrame) -> list[CellCounts]:
    """What is only counted in each column, of all rows or of one chunk."""
    out = []
    for j, column in enumerate(columns):
        cells = np.asarray(table.iloc[:, j])
        values = column.read(cells) if column.kind == "number" else None
        out.append(CellCounts.of(column, cells, values))
    return out


def with_counts(columns: Sequence[Column], counts: Sequence[CellCounts]) -> tuple[Column, ...]:
    """The columns with notes on what was counted in all rows."""
    return tuple(one.noted(column) for column, one in zip(columns, counts, strict=True))


def feature_table(columns: Sequence[Column], table: pd.DataFrame) -> pd.DataFrame:
    """The features of a table: numbers as numbers, without infinity, other cells as they are.

    Parameters
    ----------
    columns : sequence of Column
        Those of the table, in its order.
    table : DataFrame
        As `as_pandas` gives it.
    """
    places = [j for j, column in enumerate(columns) if column.role == "feature"]
    X = table.iloc[:, places].set_axis([columns[j].name for j in places], axis=1)
    for k, j in enumerate(places):
        dtype = X.dtypes.iloc[k]
        is_number = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
        if columns[j].kind == "number" and not is_number:
            X.isetitem(k, columns[j].read(np.asarray(X.iloc[:, k])))
    return _finite(X)


def number_cells(columns: Sequence[Column], X: Any) -> Floats:
    """The features that are numbers, as floats."""
    if not hasattr(X, "columns"):
        return np.asarray(X, dtype=np.float64)
    numbers = [c for c in columns if c.role == "feature" and c.kind == "number"]
    if not numbers:
        return np.empty((len(X), 0))
    return np.column_stack([column.read(X[column.name].to_numpy()) for column in numbers])


def make_reading(
    columns: tuple[Column, ...],
    labels: Classes,
    *,
    target: str,
    counts: Mapping[str, int],
    first: Floats | None,
    signs: ScalingSigns,
) -> TableReading:
    """Notes and cautions of a table that was read.

    Parameters
    ----------
    columns : tuple of Column
        All but the target.
    labels : Classes
    target : str
        Name of the target.
    counts : mapping of str to int
        Rows of each label.
    first : ndarray or None
        The numbers in the first rows of the pool; None if groups are known.
    signs : ScalingSigns
        Of the numbers in all rows.
    """
    features = [column for column in columns if column.role == "feature"]
    if not features:
        raise ValueError(
            "no column is left to predict from: "
            + "; ".join(
                f"{c.name[:40]}: {', '.join(c.notes)[:100] or c.role}" for c in columns[:10]
            )
            + ". Name the ones to use in --features."
        )
    last = Column(target, "category", role="target", levels=tuple(sorted(labels.words)))
    numbers = [column.name for column in features if column.kind == "number"]
    return TableReading(
        columns=(*columns, last),
        labels=labels,
        notes=(*labels.notes, *_expected(labels.words, counts, len(features))),
        repeats="" if first is None else caution_of_repeats(columns, first),
        scaling=signs.caution(numbers) if numbers else "",
    )


def _expected(words: Sequence[str], counts: Mapping[str, int], n_features: int) -> list[str]:
    """Notes on what few rows, rare classes or many columns allow."""
    n_rows = sum(counts.values())
    rows = np.array([counts.get(word, 0) for word in words])
    notes = []
    if n_rows < _FEW_ROWS:
        notes.append(
            f"{n_rows} rows are very few: expect a certificate near the share of the smaller class."
        )
    if rows.min() < _FEW_OF_A_CLASS:
        rare = words[int(np.argmin(rows))]
        notes.append(
            f"{rare!r} has {rows.min()} rows: nothing can be said about how often it is found."
        )
    if n_features > n_rows:
        notes.append(
            f"{n_features} columns for {n_rows} rows: expect rules of few columns, and other "
            "columns that would have done as well."
        )
    return notes


def _finite(X: pd.DataFrame) -> pd.DataFrame:
    """Infinite values become missing ones."""
    floats = [j for j, dtype in enumerate(X.dtypes) if isinstance(dtype, np.dtype)]
    floats = [j for j in floats if X.dtypes.iloc[j].kind == "f"]
    is_odd = np.isinf(X.iloc[:, floats].to_numpy(dtype=np.float64)).any(axis=0)
    for j in np.flatnonzero(is_odd):
        X.isetitem(floats[j], X.iloc[:, floats[j]].replace([np.inf, -np.inf], np.nan))
    return X


# -- groups and weights --------------------------------------------------------------------------


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
