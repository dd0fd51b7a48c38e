"""A table made ready: what every column is, the labels, the pool, and what was assumed.

The pool is drawn from the digest of the whole table as it was read. What columns hold and what
they are for is then decided by the rows of the pool alone, so that every rule of this package
that looks at cells is fixed before anything is counted, as the certificate asks.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.tables.cautions import repeat_cautions, scaling_cautions
from handful.tables.cells import NOT, Sample, is_mark, map_distinct, word_of
from handful.tables.columns import Column, Columns
from handful.tables.digests import RowDigests, row_digests
from handful.tables.draw import make_units
from handful.tables.kinds import kind_of, with_marks, with_odd_cells
from handful.tables.labels import Labels, labelled_rows, read_labels
from handful.tables.roles import with_role, with_sentinels
from handful.tables.sources import MISSING
from handful.tables.table_files import without_marks

if TYPE_CHECKING:
    import pandas as pd

TARGETS = ("label", "class", "target", "outcome", "diagnosis", "y")
POOL_SHARE = 0.4  # of the rows: candidates come from it, errors are counted on the rest
_FEW_ROWS, _FEW_OF_A_CLASS = 20, 5  # below them a note says that little can be certified


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user says about the columns. Everything else is read off the table.

    Attributes
    ----------
    target : str, optional
        The column to predict; else the first of ``TARGETS`` that there is.
    positive : str, optional
        The class that is the case.
    groups, weights : str, optional
        Columns that name the group of a row (a patient) and its weight in training.
    id, exclude, features, ordered, categories : tuple of str
        Identifiers; columns to leave out; the only columns to use (also dates, as days); columns
        of ordered words; columns of categories.
    missing : mapping of str to tuple of str
        Cells that mean missing, by column; "" stands for every column.
    not_missing : mapping of str to tuple of str
        Cells that are answers although they usually mean missing, by column.
    drop_missing_target : bool
        Leave out rows without a label.
    """

    target: str | None = None
    positive: str | None = None
    groups: str | None = None
    weights: str | None = None
    id: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    drop_missing_target: bool = False

    def named(self) -> list[tuple[str, str]]:
        """(option, column) for every column that is named."""
        single = [("--target", self.target), ("--groups", self.groups), ("--weights", self.weights)]
        lists = {
            "--id": self.id,
            "--exclude": self.exclude,
            "--features": self.features,
            "--ordered": self.ordered,
            "--categories": self.categories,
            "--missing": tuple(name for name in self.missing if name),
            "--not-missing": tuple(name for name in self.not_missing if name),
        }
        named = [(option, name) for option, names in lists.items() for name in names]
        return named + [(option, name) for option, name in single if name is not None]

    def marks(self, name: str) -> frozenset[str]:
        """Marks of the user for a column, as `is_mark` takes them."""
        own, answers = (
            {word_of(mark).casefold() for key in ("", name) for mark in given.get(key, ())}
            for given in (self.missing, self.not_missing)
        )
        if both := own & answers:
            raise ValueError(
                f"`--not-missing` must not name what `--missing` names, got {min(both)!r} in both "
                f"for {name!r}. Say one of them."
            )
        if lost := answers & {mark.casefold() for mark in MISSING}:
            raise ValueError(
                f"`--not-missing` cannot name {min(lost)!r}: files write it for an empty cell, and "
                "it is gone when the table is read. Write another word in the table."
            )
        return frozenset(own | {NOT + answer for answer in answers})

    def to_options(self, target: str, case: str | None = None) -> dict[str, Any]:
        """Plain data for a model file; the case by name, also if the user named none.

        Examples
        --------
        >>> options = Choices(not_missing={"pain": ("none",)}).to_options("outcome")
        >>> options["target"], options["missing"]
        ('outcome', {'pain': ['≠none']})
        >>> Choices.from_options(options).not_missing
        {'pain': ('none',)}
        """
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        del plain["not_missing"]
        answers = self.not_missing
        plain["missing"] = {
            name: [*self.missing.get(name, ()), *(NOT + answer for answer in answers.get(name, ()))]
            for name in dict.fromkeys((*self.missing, *answers))
        }
        return {**plain, "target": target, "positive": case or self.positive}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Choices:
        """What `to_options` gave."""
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in options.items()
        }
        for name, is_answer in (("missing", False), ("not_missing", True)):
            fields[name] = {
                column: tuple(m.removeprefix(NOT) for m in marks if m.startswith(NOT) == is_answer)
                for column, marks in options["missing"].items()
            }
        return cls(**fields)


@dataclass(frozen=True)
class Study:
    """Features, labels, groups and weights of the examples, and how they were read.

    Attributes
    ----------
    X : DataFrame
        The columns that are features: numbers as numbers, all other cells as they were read.
    y : ndarray of str
    table : DataFrame
        All columns of these rows, as they were read.
    columns : tuple of Column
        All columns of the table, with kind, role and notes.
    pool : ndarray of int
        Rows of the pool, in blind order.
    pool_share : float
        Share of the rows (or groups) that are in it.
    digests : RowDigests
        Of the whole rows: the ``random_state`` that draws this pool again.
    classes : tuple of str
        Those of the pool, in the order of class positions: the case comes second if its word
        says so. It does not depend on ``Choices.positive``, so that naming the case changes no
        rule. A row with another label counts as an error of every form.
    positive : str or None
    is_positive_said : bool
        Whether the user or the words of the labels say which class is the case.
    groups, weights : ndarray or None
    ids : DataFrame
    notes : tuple of str
        What a reader should know.
    cautions : tuple of str
        What must not be missed: without an answer, the certificates may not hold.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    table: pd.DataFrame
    columns: tuple[Column, ...]
    pool: NDArray[np.int64]
    pool_share: float
    digests: RowDigests
    classes: tuple[str, ...]
    positive: str | None
    is_positive_said: bool
    groups: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    ids: pd.DataFrame
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Name of the target column."""
        return next(column.name for column in self.columns if column.role == "target")

    @property
    def features(self) -> tuple[Column, ...]:
        """The columns that are features."""
        return tuple(column for column in self.columns if column.role == "feature")

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
        names = tuple(column.name for column in self.columns if column.role != "target")
        return replace(
            self,
            X=Columns(self.features).clean(self.X.iloc[rows]),
            y=self.y[rows],
            table=table,
            pool=self.pool[:0],
            digests=RowDigests(self.digests.digests[rows], names, seed),
            groups=None if self.groups is None else self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
            ids=self.ids.iloc[rows].reset_index(drop=True),
        )


def read_study(frame: Any, choices: Choices | None = None, *, set_aside: bool = False) -> Study:
    """Read a table: draw the pool, then decide kinds, roles and labels by its rows.

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
    others = [j for j in range(len(names)) if j != place]
    digests = RowDigests(row_digests(frame.iloc[:, others], frame.iloc[:, place]))
    groups = None if choices.groups is None else _groups(frame.iloc[:, names.index(choices.groups)])
    units = make_units(frame, None, groups, digests)
    pool = units.first(reading_size(len(units))) if set_aside else units.pool(POOL_SHARE)
    labels = read_labels(
        target,
        frame.iloc[:, place].tolist(),
        positive=choices.positive,
        is_class=target in choices.categories,
        pool=pool,
        is_open=set_aside,  # the certificates of such machines take the classes for known
    )
    labels = replace(labels, notes=(*left_out, *labels.notes))
    columns, clean = [], frame.copy(deep=False)
    for j, name in enumerate(names):
        if j == place:
            levels = tuple(sorted(labels.classes))
            columns.append(Column(name, "category", role="target", levels=levels))
            continue
        cells = np.asarray(frame.iloc[:, j])
        column, values = _counted(_column(cells, name, choices, pool, labels.y), cells)
        columns.append(column)
        if values is not None and cells.dtype.kind == "O":
            clean.isetitem(j, values)
    study = _assemble(frame, clean, labels, tuple(columns), pool, digests, groups, choices)
    return replace(study, cautions=(*study.cautions, *units.caution))


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


def check_named(choices: Choices, names: Sequence[str]) -> None:
    """Refuse options that name a column that the table does not have."""
    for option, name in choices.named():
        if name not in names:
            near = difflib.get_close_matches(name, names[:1000], n=3)
            hint = f"Did you mean {', '.join(map(repr, near))}?" if near else "Check the header."
            raise ValueError(f"`{option}` must be a column of the table, got {name!r}. {hint}")


def target_of(target: str | None, names: Sequence[str]) -> str:
    """The column to predict: the one that is named, or one with a usual name."""
    if target is not None:
        return target
    lower = [name.casefold() for name in names]
    for name in TARGETS:
        if name in lower:
            return names[lower.index(name)]
    shown = [name[:40] for name in names[:20]]
    raise ValueError(
        "`--target` must name the column to predict. "
        f"The columns are: {', '.join(shown)}{', …' if len(names) > 20 else ''}."
    )


def _column(
    cells: NDArray[Any],
    name: str,
    choices: Choices,
    pool: NDArray[np.int64],
    y: NDArray[Any],
) -> Column:
    """One column: its kind by the pool, its role by the user's word, else by the pool."""
    marks = choices.marks(name)
    asked = "category" if name in choices.categories else None
    asked = "ordered" if name in choices.ordered else asked
    sample = Sample.of(cells[pool], marks)
    column = kind_of(name, sample, marks=marks, asked=asked)
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
    return with_role(column, sample, y[pool], pool) if asked is None else column


def _counted(column: Column, cells: NDArray[Any]) -> tuple[Column, NDArray[np.float64] | None]:
    """Add what is only counted: missing cells, numbers that may mean missing.

    The second result is the column as numbers, if it holds numbers.
    """
    column = with_marks(column, cells)
    if column.kind != "number":
        gone = ~Sample.of(cells, column.marks).is_known
        return replace(column, n_missing=int(np.count_nonzero(gone))), None
    values = column.read(cells)
    column = replace(column, n_missing=int(np.isnan(values).sum()))
    if column.role != "ignored":
        column = with_odd_cells(column, cells, values)
    return with_sentinels(column, values) if column.role == "feature" else column, values


def _assemble(
    frame: pd.DataFrame,
    clean: pd.DataFrame,
    labels: Labels,
    columns: tuple[Column, ...],
    pool: NDArray[np.int64],
    digests: RowDigests,
    groups: NDArray[Any] | None,
    choices: Choices,
) -> Study:
    features = [j for j, column in enumerate(columns) if column.role == "feature"]
    if not features:
        raise ValueError(
            "no column is left to predict from: "
            + "; ".join(
                f"{c.name[:40]}: {', '.join(c.notes)[:100] or c.role}" for c in columns[:10]
            )
            + ". Name the ones to use in --features."
        )
    X = clean.iloc[:, features].set_axis([columns[j].name for j in features], axis=1)
    X = _finite(X)
    names = [column.name for column in columns]
    weights = None
    if choices.weights is not None:
        weights = _weights(frame.iloc[:, names.index(choices.weights)])
    ids = frame.iloc[:, [j for j, column in enumerate(columns) if column.role == "id"]]
    repeats = repeat_cautions(columns, X, pool) if groups is None else ()
    return Study(
        X=X,
        y=labels.y,
        table=frame,
        columns=columns,
        pool=pool,
        pool_share=POOL_SHARE,
        digests=digests,
        classes=labels.classes,
        positive=labels.positive,
        is_positive_said=labels.is_positive_said,
        groups=groups,
        weights=weights,
        ids=ids,
        notes=(*labels.notes, *_warnings(X, labels)),
        cautions=(*repeats, *scaling_cautions(columns, X)),
    )


def _finite(X: pd.DataFrame) -> pd.DataFrame:
    """Infinite values become missing ones."""
    floats = [j for j, dtype in enumerate(X.dtypes) if isinstance(dtype, np.dtype)]
    floats = [j for j in floats if X.dtypes.iloc[j].kind == "f"]
    is_odd = np.isinf(X.iloc[:, floats].to_numpy(dtype=np.float64)).any(axis=0)
    for j in np.flatnonzero(is_odd):
        X.isetitem(floats[j], X.iloc[:, floats[j]].replace([np.inf, -np.inf], np.nan))
    return X


def _groups(series: pd.Series) -> NDArray[Any]:
    """What group each row belongs to, in the normal form of words."""
    is_unknown = np.array(map_distinct(series.tolist(), is_mark), dtype=bool)
    if is_unknown.any():
        row = int(np.flatnonzero(is_unknown)[0]) + 1
        raise ValueError(
            f"`--groups` must name a column that is filled in, row {row} of {series.name!r} is "
            "not. Say whose row it is, or leave it out."
        )
    return np.array(map_distinct(series.tolist(), word_of), dtype=object)


def _weights(series: pd.Series) -> NDArray[np.float64]:
    import pandas as pd

    values = pd.to_numeric(series, errors="coerce").to_numpy(dtype=np.float64)
    if np.isnan(values).any() or (values < 0).any():
        row = int(np.flatnonzero(np.isnan(values) | (values < 0))[0]) + 1
        raise ValueError(
            f"`--weights` must name a column of numbers of at least 0, row {row} of "
            f"{series.name!r} has none. Weights steer training; every row counts once."
        )
    return values


def _warnings(X: pd.DataFrame, labels: Labels) -> list[str]:
    """Notes on what few rows, rare classes or many columns allow."""
    y, words = labels.y, labels.classes
    counts = np.array([np.count_nonzero(y == word) for word in words])
    notes = []
    if len(y) < _FEW_ROWS:
        notes.append(
            f"{len(y)} rows are very few: expect a certificate near the share of the smaller class."
        )
    if counts.min() < _FEW_OF_A_CLASS:
        rare = words[int(np.argmin(counts))]
        notes.append(
            f"{rare!r} has {counts.min()} rows: nothing can be said about how often it is found."
        )
    if X.shape[1] > len(y):
        notes.append(
            f"{X.shape[1]} columns for {len(y)} rows: expect rules of few columns, and other "
            "columns that would have done as well."
        )
    return notes
