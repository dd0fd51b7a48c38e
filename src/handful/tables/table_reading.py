"""What is read off a table: columns by the pool, notes by all rows, and what must be said.

`decide_columns` looks at the pool. `CellCounts` counts in all rows, in memory or chunk by chunk,
and decides nothing. `TableReading` holds what is found. It is the one reading, for files and for
frames.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.tables.cautions import ScalingSigns, caution_of_repeats
from handful.tables.cell_counts import CellCounts
from handful.tables.cells import Sample, is_mark, map_distinct, word_of
from handful.tables.choices import Choices
from handful.tables.columns import PAIR, Column, column_of
from handful.tables.kinds import kind_of
from handful.tables.labels import Classes
from handful.tables.notes import Note
from handful.tables.roles import with_role
from handful.tables.table_files import without_marks

if TYPE_CHECKING:
    import pandas as pd

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
    notes : tuple of Note
        What a reader should know.
    repeats, scaling, draw : Note or None
        Cautions: rows that look like several rows of one patient, rows that were scaled together,
        a digest that cannot draw as chance would.
    choices : Choices
        What the user said about the columns.
    is_whole : bool
        Whether the table and ``choices`` alone give this reading and its pool again, as they do
        if nothing stands beside the table but labels.
    """

    columns: tuple[Column, ...]
    labels: Classes
    notes: tuple[Note, ...] = ()
    repeats: Note | None = None
    scaling: Note | None = None
    draw: Note | None = None
    choices: Choices = field(default_factory=Choices)
    is_whole: bool = False

    @property
    def cautions(self) -> tuple[Note, ...]:
        """What must not be missed: without an answer, the certificates may not hold."""
        found = (self.repeats, self.scaling, self.draw)
        return self._answered(note for note in found if note)

    def _answered(self, notes: Iterable[Note]) -> tuple[Note, ...]:
        return tuple(note.answered(self.choices.acknowledged) for note in notes)

    def answered(self, choices: Choices) -> TableReading:
        """The reading with what the user said; notes on columns have the reasons."""
        said = tuple(column.answered(choices.acknowledged) for column in self.columns)
        return replace(self, columns=said, choices=choices)

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
    def said(self) -> Choices:
        """What the user said, with the names of the target and of the case."""
        return replace(self.choices, target=self.target, positive=self.positive)

    @property
    def questions(self) -> tuple[Note, ...]:
        """Notes that should be answered before a certificate is believed."""
        asked = (
            note.of(column.name)
            for column in self.columns
            for option, note in column.questions
            if option != "groups"  # that is a caution about all rows
        )
        return self._answered((*self.labels.asked, *asked))

    def notes_on(self, names: Collection[str]) -> tuple[Note, ...]:
        """Cautions, notes, and the notes on some columns with their names."""
        wanted = frozenset(names)
        own = (n.of(c.name) for c in self.columns if c.name in wanted for n in c.notes)
        return (*self.cautions, *self._answered((*self.notes, *own)))

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """Cautions, notes, and the notes on each column with its name."""
        return self.notes_on([column.name for column in self.columns])


def numbered_names(n: int) -> list[str]:
    """Names of columns that have none: x0, x1, ..."""
    return [f"x{j}" for j in range(n)]


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


def words_of_column(frame: Any, name: str) -> list[str | None]:
    """The words of a column of subgroups or of patients, None where it holds nothing."""
    names = [str(column) for column in frame.columns]
    if name not in names:
        raise ValueError(
            f"the table must have the column {name!r}, which was named. It has: "
            f"{', '.join(names[:10])}."
        )
    cells = column_of(frame, names.index(name))
    return map_distinct(
        np.asarray(cells, dtype=object).tolist(), lambda c: None if is_mark(c) else word_of(c)
    )


def normal_rows(rows: Any) -> Any:
    """Rows of a frame as `as_pandas` gives them; an array is taken as it is."""
    return as_pandas(rows) if hasattr(rows, "columns") else rows


def scales_of(frame: Any) -> dict[str, tuple[str, ...]]:
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


def decide_columns(
    pool: pd.DataFrame,
    y: NDArray[Any],
    places: Ints,
    choices: Choices,
    scales: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Column, ...]:
    """Kind and role of every column, by the user's word, else by the rows of the pool.

    ``y`` are the labels of these rows, ``places`` their positions in the table, ``scales`` the
    words of ordered columns in their order.
    """
    out = []
    for j, name in enumerate(str(name) for name in pool.columns):
        marks = choices.marks(name)
        sample = Sample.of(np.asarray(pool.iloc[:, j]), marks)
        scale = (scales or {}).get(name, ())
        out.append(_column(name, sample, choices, scale, lambda c, s: with_role(c, s, y, places)))
    return tuple(out)


def _asked_kind(name: str, choices: Choices, scale: tuple[str, ...]) -> str | None:
    """The kind that the user says, or an ordered type of the frame; None if the pool decides."""
    if name in choices.ordered:
        return "ordered"
    if name in choices.categories:
        return "category"
    return "ordered" if scale else None


def _column(
    name: str,
    sample: Sample,
    choices: Choices,
    scale: tuple[str, ...],
    judged: Callable[[Column, Sample], Column],
) -> Column:
    """One column: its kind by the pool, its role by the user's word, else by the pool."""
    marks, asked = choices.marks(name), _asked_kind(name, choices, scale)
    column = kind_of(name, sample, marks=marks, asked=asked, scale=scale)
    said = {"group": (choices.groups,), "weight": (choices.weights,), "id": choices.id}
    for role, names in said.items():
        if name in names:
            return replace(column, role=role, notes=())
    if name in choices.exclude or (choices.features and name not in choices.features):
        return replace(column, role="ignored", notes=(Note("H045", "left out as asked"),))
    if name in choices.features and column.kind not in ("constant", "empty"):
        if (used_as := {"text": "category", "date": "ordered"}.get(column.kind)) is not None:
            column = kind_of(name, sample, marks=marks, asked=used_as)
        return replace(column, role="feature")
    return judged(column, sample) if asked is None else column


@dataclass(frozen=True, eq=False)
class CellSums:
    """What is only counted in all rows: cells of every column, and signs of scaling."""

    cells: tuple[CellCounts, ...]
    signs: ScalingSigns

    def __add__(self, other: CellSums) -> CellSums:
        pairs = zip(self.cells, other.cells, strict=True)
        return CellSums(tuple(a + b for a, b in pairs), self.signs + other.signs)


@dataclass(frozen=True)
class CellJob:
    """Counts the cells of some rows, in memory or of one chunk."""

    columns: tuple[Column, ...]

    def __call__(self, rows: Any, codes: Any) -> CellSums:
        """The counts of these rows; their labels do not matter."""
        cells, numbers = [], []
        for j, column in enumerate(self.columns):
            raw = np.asarray(rows.iloc[:, j])
            values = column.read(raw) if column.kind == "number" else None
            cells.append(CellCounts.of(column, raw, values))
            if values is not None and column.role == "feature":
                numbers.append(values)
        matrix = np.column_stack(numbers) if numbers else np.empty((len(rows), 0))
        return CellSums(tuple(cells), ScalingSigns.of(matrix))


def with_counts(columns: Sequence[Column], counts: Sequence[CellCounts]) -> tuple[Column, ...]:
    """The columns with notes on what was counted in all rows."""
    return tuple(one.noted(column) for column, one in zip(columns, counts, strict=True))


def without_pairs(columns: Sequence[Column], *, is_left_out: bool) -> tuple[Column, ...]:
    """The columns for machines; two numbers in a cell are left out if they take one of each."""
    note = "two numbers in a cell are used by forms alone, not by --rules: write two columns"
    return tuple(
        column.with_note("H058", note, role="ignored")
        if is_left_out and column.kind == PAIR and column.role == "feature"
        else column
        for column in columns
    )


def feature_table(columns: Sequence[Column], table: pd.DataFrame) -> pd.DataFrame:
    """The features of a table: numbers as numbers, without infinity, other cells as they are."""
    import pandas as pd

    dtypes, out = list(table.dtypes), {}
    for j, column in enumerate(columns):
        if column.role != "feature":
            continue
        series, dtype = table.iloc[:, j], dtypes[j]
        is_number = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
        if column.kind == "number" and not is_number:
            series = pd.Series(column.read(np.asarray(series)), index=table.index)
        elif is_number and dtype.kind == "f":
            series = _finite(series)
        out[column.name] = series
    return pd.DataFrame(out, index=table.index)


def _finite(series: pd.Series) -> pd.Series:
    """The same numbers; infinite ones become missing."""
    is_infinite = np.isinf(series.to_numpy())
    return series.mask(is_infinite) if is_infinite.any() else series


@dataclass(frozen=True)
class FeatureReader:
    """Reads the features of rows, which are as `as_pandas` gives them."""

    columns: tuple[Column, ...]

    def __call__(self, rows: Any) -> Any:
        """Features of a frame; an array is taken as it is."""
        if not hasattr(rows, "columns"):
            return rows
        others = [column for column in self.columns if column.role != "target"]
        return feature_table(others, rows)


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
    draw: str = "",
) -> TableReading:
    """Notes and cautions of a table that was read.

    ``counts`` are the rows of each label, ``first`` the numbers in the first rows of the pool (None
    if groups are known), ``signs`` those of the numbers in all rows.
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
        repeats=None if first is None else _coded("H012", caution_of_repeats(columns, first)),
        scaling=_coded("H010", signs.caution(numbers)) if numbers else None,
        draw=_coded("H013", draw),
    )


def _coded(code: str, text: str) -> Note | None:
    return Note(code, text) if text else None


def _expected(words: Sequence[str], counts: Mapping[str, int], n_features: int) -> list[Note]:
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
    return [Note("H030", text) for text in notes]
