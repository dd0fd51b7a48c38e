"""Columns of a table: what they hold, how cells become numbers, which features they give.

There is one `Column`, for all machines. It gives one number (its value, its place on a scale, or
the code of its word), or, if it has ``words``, one flag a word. Encoded rows hold NaN wherever a
value is missing, so that a missing value has one meaning: a condition on it is not met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from handful.arrays import Floats, Mask
from handful.codec import fail
from handful.tables.cells import (
    blank_marks,
    days_of,
    is_mark,
    is_missing,
    map_distinct,
    numbers_of,
    word_of,
)
from handful.tables.disease_codes import chapter_of
from handful.tables.notes import Note
from handful.tables.number_styles import CHAPTERS, PLAIN, PLAIN_STYLES, NumberStyle, pair_of

MAX_WORDS = 30  # rarer words get no flag of their own: they are too few to learn from
VALUES = ("number", "date")  # kinds that become floats
RAW_WORDS = ("yes/no", "category", "text")  # capitals, blanks and marks make no word
AS_THEY_ARE = ("", "words")  # cells are numbers, or words in one spelling, already
PAIR = "two numbers"  # a cell such as a blood pressure, 155/93
KINDS = (*VALUES, PAIR, "ordered", *RAW_WORDS, "constant", "empty", *AS_THEY_ARE)
_NOT_IN_FILES = {"file": False}


@dataclass(frozen=True)
class Feature:
    """One encoded feature: what it asks of its column.

    Attributes
    ----------
    name : str
        Of the feature; a sentence if the answer is yes or no.
    kind : {"value", "word", "missing"}
        Its number, whether it is a word, or whether it is missing.
    column, word : str
        The column that is asked, and the word that is asked for.

    Examples
    --------
    >>> Feature.of_word("colour", "red").name
    'colour = red'
    >>> Feature.of_word("colour", "red").negated, Feature.of_missing("age").negated
    ('colour ≠ red', 'age is known')
    """

    name: str
    kind: str = "value"
    column: str = ""
    word: str = ""

    @classmethod
    def of_word(cls, column: str, word: str) -> Feature:
        """Whether a column is a word."""
        return cls(f"{column} = {word}", "word", column, word)

    @classmethod
    def of_missing(cls, column: str) -> Feature:
        """Whether the value of a column is missing."""
        return cls(f"{column} is missing", "missing", column)

    @property
    def is_flag(self) -> bool:
        """Whether the feature is 0 or 1 and its name a sentence."""
        return self.kind != "value"

    @property
    def negated(self) -> str:
        """The sentence of a flag that is 0."""
        if self.kind == "word":
            return f"{self.column} ≠ {self.word}"
        return f"{self.column} is known"


@dataclass(frozen=True)
class Column:
    """One column of a table: what it holds, what it is for, and what is asked of it.

    Attributes
    ----------
    name : str
    kind : str
        One of ``KINDS``. "" and "words" are columns whose cells are taken as they are.
    words : tuple of str or None
        The words that become flags; None for a column that gives one number.
    has_missing : bool
        Adds the flag whether the value is missing.
    style : str
        How numbers are written.
    marks : tuple of str
        Cells that the user calls missing.
    levels : tuple of str
        Words of a category, in their order if the kind is "ordered"; the word for *no* and the one
        for *yes* if it is "yes/no".
    role : str
        "feature", "target", "group", "id", "weight" or "ignored".
    notes : tuple of Note
        What was assumed, in sentences.
    questions : tuple of (str, str)
        Notes that must be answered if a certificate is to hold, by the option that answers them.
    n_missing : int
        Cells of the whole table in which nothing is known; shown, and never used.

    Examples
    --------
    >>> Column("stage", "ordered", levels=("i", "ii")).read(["II", "NA", "i", "v"])
    array([ 1., nan,  0., nan])
    >>> Column("x", "category", levels=("Red", "blue")).read(["RED", "?", "Green"])
    array([ 0., nan, -1.])
    """

    name: str
    words: tuple[str, ...] | None = field(default=None, kw_only=True)
    has_missing: bool = field(default=False, kw_only=True)
    kind: str = "number"
    style: str = field(default=PLAIN, kw_only=True)
    marks: tuple[str, ...] = field(default=(), kw_only=True)
    levels: tuple[str, ...] = field(default=(), kw_only=True)
    role: str = field(default="feature", kw_only=True, metadata=_NOT_IN_FILES)
    notes: tuple[Note, ...] = field(default=(), kw_only=True, metadata=_NOT_IN_FILES)
    questions: tuple[tuple[str, Note], ...] = field(
        default=(), kw_only=True, metadata=_NOT_IN_FILES
    )
    n_missing: int = field(default=0, kw_only=True, metadata=_NOT_IN_FILES)

    def with_note(self, code: str, note: str, *, asks: str = "", **changes: Any) -> Column:
        """The same column with one more note, of a code of ``CODES``, and the given changes.

        ``asks`` is the option by which a user answers, if the note is a question that matters.
        """
        said = Note(code, note)
        questions = (*self.questions, (asks, said)) if asks else self.questions
        return replace(self, notes=(*self.notes, said), questions=questions, **changes)

    def answered(self, reasons: Any) -> Column:
        """The same column; notes have the user's reasons why they do not matter."""
        asked = tuple((option, note.answered(reasons)) for option, note in self.questions)
        return replace(self, notes=tuple(n.answered(reasons) for n in self.notes), questions=asked)

    @property
    def features(self) -> list[Feature]:
        """The encoded features that it gives."""
        if self.kind == PAIR:
            asked = [
                Feature(f"{self.name} ({k} number)", column=self.name) for k in ("first", "second")
            ]
        elif self.words is None:
            name = f"{self.name} (days since 1970)" if self.kind == "date" else self.name
            asked = [Feature(name, column=self.name)]
        else:
            asked = [Feature.of_word(self.name, word) for word in self.words]
        return [*asked, Feature.of_missing(self.name)] if self.has_missing else asked

    @property
    def is_categorical(self) -> bool:
        """Whether its one number is the code of a word, which only stands for equality."""
        return self.words is None and self.kind in (*RAW_WORDS, "words")

    @property
    def is_exact(self) -> bool:
        """Whether its cells are numbers, or words in one spelling, and are taken as they are."""
        return self.kind in AS_THEY_ARE

    @property
    def is_plain(self) -> bool:
        """Whether it gives the numbers of its cells and nothing else."""
        is_value = self.kind in ("", "number") and self.words is None
        return is_value and not self.marks and not self.has_missing

    @property
    def is_common(self) -> bool:
        """Whether databases and a few lines of Python can read its cells as this package does."""
        return self.kind not in ("date", PAIR) and self.style in PLAIN_STYLES

    def word(self, cell: Any) -> str:
        """The word of a cell; of a code of a disease its chapter, if these are asked for."""
        return chapter_of(word_of(cell)) if self.style == CHAPTERS else word_of(cell)

    def read_pairs(self, cells: Any) -> Floats:
        """The two numbers of each cell; NaN where nothing is known."""
        pairs = map_distinct(
            np.asarray(cells, dtype=object).tolist(),
            lambda cell: (np.nan, np.nan) if is_mark(cell, self.marks) else pair_of(cell),
        )
        return np.array(pairs, dtype=np.float64).reshape(-1, 2)

    def read(self, cells: Any) -> Floats:
        """Numbers, or places among the words: those of ``words``, or of ``levels`` without them.

        A missing value is NaN. A word that is not among them is -1: it is none of these words. On
        an ordered scale it has no place and counts as missing.

        Parameters
        ----------
        cells : array
            Raw cells, of the pool or of any new table.
        """
        if self.kind == "":
            return as_numbers(cells, self.name)
        if self.kind == "number" and getattr(cells, "dtype", np.dtype(object)).kind in "biuf":
            return blank_marks(np.asarray(cells, dtype=np.float64).copy(), self.marks)
        if self.kind == "number":
            return numbers_of(cells, self.style, self.marks)
        if self.kind == "date":
            return days_of(cells, self.marks)
        if self.kind == PAIR:
            return self.read_pairs(cells)[:, 0]
        return self._places(cells)

    def unread(self, cells: Any) -> Counter[str]:
        """Cells that say something which has no number, or no place on the scale."""
        if self.kind not in (*VALUES, PAIR, "ordered"):
            return Counter()
        gone = np.flatnonzero(np.isnan(self.read(cells)))
        found = (cells[int(i)] for i in gone)
        return Counter(word_of(cell) for cell in found if not is_mark(cell, self.marks))

    def _places(self, cells: Any) -> Floats:
        """Places of cells among the words that are known."""
        known = self.levels if self.words is None else self.words
        if self.kind == "words":
            exact = {word: float(k) for k, word in enumerate(known)}
            words = as_words(cells)
            return np.array([np.nan if w is None else exact.get(w, -1.0) for w in words])
        places = {word.casefold(): float(k) for k, word in enumerate(known)}
        other = np.nan if self.kind == "ordered" else -1.0

        def place(cell: Any) -> float:
            if is_mark(cell, self.marks):
                return np.nan
            return places.get(self.word(cell).casefold(), other)

        return np.array(
            map_distinct(np.asarray(cells, dtype=object).tolist(), place), dtype=np.float64
        )

    def spell(self, cells: Any) -> list[str | None]:
        """Words in the spelling of the levels, None for a missing one.

        Another word is spelled without capitals: how it is spelled must not depend on the rows
        that are counted.

        Examples
        --------
        >>> Column("x", "category", levels=("Red", "blue")).spell(["RED", "?", "Green"])
        ['Red', None, 'green']
        """
        known = {level.casefold(): level for level in self.levels}

        def spelled(cell: Any) -> str | None:
            if is_mark(cell, self.marks):
                return None
            word = self.word(cell).casefold()
            return known.get(word, word)

        return map_distinct(np.asarray(cells, dtype=object).tolist(), spelled)

    def clean(self, cells: Any) -> Any:
        """Cells as floats, as ordered categories, or as words in one spelling.

        Examples
        --------
        >>> Column("x", style="decimal comma").clean(["3,5", "NA"])
        array([3.5, nan])
        """
        import pandas as pd

        if self.kind in VALUES:
            return self.read(cells)
        if self.kind == "ordered":
            codes = np.nan_to_num(self.read(cells), nan=-1.0).astype(np.int64)
            return pd.Categorical.from_codes(codes, categories=list(self.levels), ordered=True)
        return np.array(self.spell(cells), dtype=object)

    def asking(self, cells: Any) -> Column:
        """The column with flags for the frequent words of some cells, and for missing values."""
        plain = replace(self, notes=(), questions=(), n_missing=0)
        if self.kind in (*VALUES, PAIR, "ordered", ""):
            return replace(plain, has_missing=bool(np.isnan(self.read(cells)).any()))
        if self.kind == "words":
            found = as_words(cells)
            return replace(plain, words=_frequent(found), has_missing=None in found)
        codes = self.read(cells)
        words = self.levels[1:]  # of yes and no, yes
        if len(self.levels) != 2:
            words = _frequent([self.levels[int(code)] for code in codes if code >= 0.0])
        gone = bool(np.isnan(codes).any())
        return replace(plain, words=words, levels=(), has_missing=gone)

    def check_fields(self, where: str) -> None:
        """Refuse words and levels that do not fit the kind."""
        if self.kind not in KINDS:
            raise fail(f"{where}.kind", f"one of {KINDS}", self.kind)
        if self.style != CHAPTERS or self.kind not in RAW_WORDS:
            NumberStyle.of(self.style)
        if bool(self.levels) != (self.kind == "ordered"):
            rule = "the words of an ordered column, and of no other"
            raise fail(f"{where}.levels", rule, self.levels)
        for name in ("levels", "words"):
            words = getattr(self, name) or ()
            known = words if self.is_exact else [word.casefold() for word in words]
            if len(set(known)) < len(words):
                raise fail(f"{where}.{name}", "different words", words)
        if (self.kind in (*RAW_WORDS, "words")) != (self.words is not None):
            rule = "the words of a column of words, and of no other"
            raise fail(f"{where}.words", rule, self.kind)


def _frequent(words: Sequence[str | None]) -> tuple[str, ...]:
    """The most frequent words; one of them if there are two, since it tells both apart."""
    counts = Counter(word for word in words if word is not None)
    if len(counts) == 2:
        return (max(counts),)
    common = sorted(counts, key=lambda word: (-counts[word], word))[:MAX_WORDS]
    return tuple(sorted(common))


@dataclass(frozen=True)
class Columns:
    """The columns of a table that a machine reads.

    Examples
    --------
    >>> age = Column("age", has_missing=True)
    >>> columns = Columns((age, Column("colour", "category", words=("green", "red"))))
    >>> columns.names
    ('age', 'age is missing', 'colour = green', 'colour = red')
    >>> columns.encode(np.array([[3, "red"], [None, None]], dtype=object))
    array([[ 3.,  0.,  0.,  1.],
           [nan,  1., nan, nan]])
    """

    columns: tuple[Column, ...]

    @classmethod
    def of_numbers(cls, names: Iterable[Any]) -> Columns:
        """Columns of numbers, which are taken as they are."""
        return cls(tuple(Column(str(name), "") for name in names))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The encoded features."""
        return tuple(feature for column in self.columns for feature in column.features)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded features."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """For each encoded feature, the column it comes from."""
        return tuple(i for i, column in enumerate(self.columns) for _ in column.features)

    @cached_property
    def scales(self) -> tuple[tuple[str, ...], ...]:
        """For each encoded feature, the ordered words that its numbers stand for, if any."""
        return tuple(
            column.levels if column.kind == "ordered" and not feature.is_flag else ()
            for column in self.columns
            for feature in column.features
        )

    @cached_property
    def is_categorical(self) -> Mask:
        """For each column, whether its number is the code of a word."""
        return np.array([column.is_categorical for column in self.columns], dtype=bool)

    def encode(self, X: Any) -> Floats:
        """Float matrix with one column an encoded feature, NaN if a value is missing."""
        is_array = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
        if is_array and all(column.is_plain for column in self.columns):
            return np.asarray(X, dtype=np.float64)
        out = np.empty((len(X), len(self.names)))
        starts = np.searchsorted(self.sources, np.arange(len(self.columns) + 1))
        easy = self._easy(X)
        if easy:
            numbers = X.iloc[:, easy].to_numpy(dtype=np.float64)
            is_read = np.array([self.columns[i].kind == "number" for i in easy])
            out[:, starts[easy]] = np.where(is_read & np.isinf(numbers), np.nan, numbers)
        for i in sorted(set(range(len(self.columns))) - set(easy)):
            out[:, starts[i] : starts[i + 1]] = self._encode_one(i, column_of(X, i))
        return out

    def _easy(self, X: Any) -> list[int]:
        """Columns of a frame that are numbers there and are taken as they are."""
        if not hasattr(X, "iloc"):
            return []
        return [
            i
            for i, (column, dtype) in enumerate(zip(self.columns, X.dtypes, strict=True))
            if column.is_plain
            and getattr(dtype, "kind", "O") in "biuf"
            and isinstance(dtype, np.dtype)
        ]

    def _encode_one(self, i: int, cells: Any) -> Floats:
        column = self.columns[i]
        read = column.read(cells)
        parts, gone = [read], np.isnan(read)
        if column.kind == PAIR:
            parts = [column.read_pairs(cells)]
        if column.words is not None:
            parts = [np.where(gone, np.nan, read == k) for k in range(len(column.words))]
        if column.has_missing:
            parts.append(gone.astype(np.float64))
        return np.column_stack(parts) if parts else np.empty((len(cells), 0))

    def is_missing(self, X: Any) -> Mask:
        """For each row and column of a table, whether its value is missing."""
        out = np.zeros((len(X), len(self.columns)), dtype=bool)
        for i, column in enumerate(self.columns):
            out[:, i] = np.isnan(column.read(column_of(X, i)))
        return out

    def clean(self, X: Any) -> Any:
        """A data frame with floats, ordered categories and words in one spelling."""
        import pandas as pd

        cells = {c.name: c.clean(column_of(X, i)) for i, c in enumerate(self.columns)}
        return pd.DataFrame(cells)

    def asking(self, X: Any) -> Columns:
        """The columns with flags for the frequent words and missing values of some rows."""
        return Columns(tuple(c.asking(column_of(X, i)) for i, c in enumerate(self.columns)))

    def keep(self, used: Collection[int]) -> tuple[Columns, dict[int, int]]:
        """The columns and words behind some encoded features, and where these are then.

        A column of numbers keeps its number, also if only its missing values are asked for.
        """
        places: dict[int, int] = {}
        kept, at = [], 0
        for i, column in enumerate(self.columns):
            own = [j for j, source in enumerate(self.sources) if source == i]
            if not set(own).intersection(used):
                continue
            n_numbers = 2 if column.kind == PAIR else 1
            is_number = [column.words is None and k < n_numbers for k in range(len(own))]
            stays = [j for k, j in enumerate(own) if j in used or is_number[k]]
            words = column.words
            if words is not None:
                asked = own[: len(own) - column.has_missing]
                words = tuple(w for w, j in zip(words, asked, strict=True) if j in used)
            has_missing = column.has_missing and own[-1] in used
            kept.append(replace(column, words=words, has_missing=has_missing))
            places |= {j: at + k for k, j in enumerate(stays)}
            at += len(stays)
        return Columns(tuple(kept)), places

    def check_fields(self, where: str) -> None:
        """Refuse columns of the same name."""
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise fail(where, "columns with different names", names)


def column_of(X: Any, i: int) -> Any:
    """Column i of an array or data frame; dates as objects."""
    if hasattr(X, "iloc"):
        series = X.iloc[:, i]
        is_time = getattr(series.dtype, "kind", "O") in "mM"
        return series.astype(object).to_numpy() if is_time else series.to_numpy()
    if hasattr(X, "columns"):
        return X[X.columns[i]].to_numpy()
    return X[:, i]


def as_numbers(cells: Any, name: str) -> Floats:
    """Cells that are numbers as floats, NaN if missing."""
    cells = np.asarray(cells)
    if cells.dtype.kind in "biuf":
        return np.asarray(cells, dtype=np.float64)
    try:
        return np.array([np.nan if is_missing(v) else _number(v) for v in cells.tolist()])
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name!r} must hold numbers, as it did where the machine was fitted: {error}."
        ) from error


def _number(cell: Any) -> float:
    """A number, also if it is written as a text; true and false are 1 and 0."""
    truth = {"true": 1.0, "false": 0.0}
    text = cell.strip().lower() if isinstance(cell, str) else ""
    return truth[text] if text in truth else float(cell)


def as_words(cells: Any) -> list[str | None]:
    """Cells as words in their normal form, None if missing."""
    return [None if is_missing(v) else word_of(v) for v in np.asarray(cells, dtype=object)]


# -- what the types of a table say, before any rule looks at its cells ---------------------------


@dataclass(frozen=True)
class TypePart:
    """What a column, or one chunk of it, says by its type and its words.

    Attributes
    ----------
    kind : {"number", "category", "ordered", "objects"}
        "objects" if the type does not say what the cells are.
    n_numbers : int
        How many of the cells are numbers, if the type does not say.
    words : frozenset of str
    scale : tuple of str
        Ordered categories.
    """

    kind: str
    n_numbers: int = 0
    words: frozenset[str] = frozenset()
    scale: tuple[str, ...] = ()


def type_part(frame: Any, j: int) -> TypePart:
    """What a column of a data frame says."""
    dtype: Any = frame.dtypes.iloc[j] if hasattr(frame, "iloc") else frame.dtypes[j]
    if getattr(dtype, "ordered", False) and hasattr(frame, "iloc"):
        return TypePart("ordered", scale=tuple(word_of(word) for word in dtype.categories))
    kind = _type_of(dtype)
    if kind == "number":
        return TypePart(kind)
    cells = list(frame.iloc[:, j] if hasattr(frame, "iloc") else frame[:, j])
    known = [cell for cell in cells if not is_missing(cell)]
    # True and False are the numbers 1 and 0, also if a missing value is among them
    n_numbers = sum(isinstance(v, (int, float, np.number, np.bool_)) for v in known)
    if kind == "objects" and n_numbers == len(known):
        return TypePart(kind, n_numbers)
    return TypePart(kind, n_numbers, frozenset(word_of(v) for v in known))


def _type_of(dtype: Any) -> str:
    if getattr(dtype, "categories", None) is not None:
        return "category"
    if getattr(dtype, "kind", None) in ("b", "i", "u", "f"):
        return "number"
    is_numeric = getattr(dtype, "is_numeric", None)
    if is_numeric is not None and (is_numeric() or str(dtype) == "Boolean"):
        return "number"
    return "objects"


def typed_column(name: Any, parts: Sequence[TypePart]) -> Column:
    """The column that its parts (chunks of rows) show; all words, so that each has a code."""
    if parts and parts[0].scale:
        return Column(str(name), "ordered", levels=parts[0].scale)
    words = frozenset[str]().union(*(part.words for part in parts))
    is_words = any(part.kind == "category" for part in parts)
    if not is_words and not words:
        return Column(str(name), "")
    if not is_words and any(part.n_numbers > 0 for part in parts):
        # what the column means must not depend on which values happened to be drawn
        raise ValueError(
            f"Column {name!r} mixes numbers and words. "
            "Convert it to numbers, or to words, before fitting."
        )
    return Column(str(name), "words", levels=tuple(sorted(words)))


def typed_columns(frame: Any) -> Columns | None:
    """Columns of a data frame with words or categories, as its types say; None if all are numbers.

    Codes of words only stand for equality, so that reading them off the training data needs no
    message. Ordered categories are known before the data: they are places on the scale.
    """
    if not hasattr(frame, "columns") or not hasattr(frame, "dtypes"):
        return None
    named = enumerate(frame.columns)
    columns = tuple(typed_column(name, [type_part(frame, j)]) for j, name in named)
    return None if all(column.kind == "" for column in columns) else Columns(columns)
