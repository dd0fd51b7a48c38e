"""Digests of rows and of whole tables, the same for every order of the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Mask
from handful.tables.cells import LONGEST, WRITTEN, is_missing, word_of, written_numbers

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_SIZE = 32  # of a SHA-256 digest
_DOUBT = 1e-2  # that the share of twins is larger than it is taken to be
_CHANCE = 1e-3  # below this, new rows would hardly equal so many training rows
# a column of truth values is one of these numbers
_TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class RowDigests:
    """Digests of whole rows, given as ``random_state`` if X holds only some of their columns.

    Parameters
    ----------
    digests : ndarray of uint8 (n_samples, 32)
        What `row_digests` gave for the table as it was read, left-out columns included. For rows
        in chunks, what `handful.distributed.chunk_digests` gave.
    columns : tuple of str, optional
        Names of the columns that went in, for the model file.
    seed : int, optional
        A whole number in place of the digest of the table.
    """

    digests: Any
    columns: tuple[str, ...] | None = None
    seed: int | None = None

    @classmethod
    def of(cls, X: Any, y: Any = None, *, seed: int | None = None) -> RowDigests:
        """Digests of all columns of a table, and the labels.

        Examples
        --------
        >>> import pandas as pd
        >>> RowDigests.of(pd.DataFrame({"a": [1, 2], "id": ["u", "v"]}), [0, 1]).columns
        ('a', 'id')
        """
        return cls(row_digests(X, y), column_names(X), seed)

    def __repr__(self) -> str:
        return f"RowDigests({len(self.digests)} parts)"


def column_names(X: Any) -> tuple[str, ...] | None:
    """Names of the columns in the order in which they enter a digest; None for an array."""
    return tuple(sorted(str(name) for name in X.columns)) if hasattr(X, "columns") else None


def row_digests(X: Any, y: Any = None) -> Bytes:
    """SHA-256 of every row: its features and, if given, its label.

    Parameters
    ----------
    X : array or data frame (n_samples, n_features)
        Numbers count by value (``-0.0`` is ``0.0``), all missing values are one, anything else
        counts by its normal form as a word. Columns of a data frame are taken in the order of
        their names, so that their order in the table does not matter.
    y : array-like (n_samples,), optional
        Labels, compared as words; a number and a truth value count by value here, too. They come
        last, so that it does not matter what the target is called and where it stands.

    Returns
    -------
    ndarray of uint8 (n_samples, 32)

    Examples
    --------
    >>> import numpy as np
    >>> first = row_digests(np.array([[1.0, -0.0], [2.0, 3.0]]), ["a", "b"])
    >>> second = row_digests(np.array([[2.0, 3.0], [1.0, 0.0]]), ["b", "a"])
    >>> bool((first == second[::-1]).all())
    True
    """
    columns = list(_columns(X))
    if y is not None:
        columns.append(_word_codes([_label(value) for value in np.asarray(y, dtype=object)]))
    if not columns:
        raise ValueError("`X` must have at least one column, got none.")
    rows = np.ascontiguousarray(np.column_stack(columns))
    width = rows.shape[1] * rows.itemsize
    # One copy for all rows: slicing an array row by row costs more than the hash.
    flat = memoryview(rows.tobytes())
    parts = (hashlib.sha256(flat[i * width : (i + 1) * width]).digest() for i in range(len(rows)))
    return np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(len(rows), _SIZE)


def digest_sum(digests: Bytes) -> Words:
    """Number of rows and the sum of their digests; the sums of chunks add up.

    Examples
    --------
    >>> import numpy as np
    >>> rows = row_digests(np.arange(6.0).reshape(3, 2))
    >>> bool((digest_sum(rows) == digest_sum(rows[:1]) + digest_sum(rows[1:])).all())
    True
    """
    # A sum, not an exclusive or: two equal rows would cancel in that.
    lanes = np.ascontiguousarray(digests).view(np.uint64).reshape(len(digests), 4)
    total = lanes.sum(axis=0, dtype=np.uint64)  # modulo 2^64 in every lane
    return np.concatenate([np.array([len(digests)], dtype=np.uint64), total])


def table_digest(digests: Bytes) -> str:
    """One digest of all rows, in any order.

    Examples
    --------
    >>> import numpy as np
    >>> rows = row_digests(np.arange(6.0).reshape(3, 2))
    >>> table_digest(rows) == table_digest(rows[::-1])
    True
    """
    return digest_of_sum(digest_sum(digests))


def digest_of_sum(total: Words) -> str:
    """The digest of a table from the sum of its chunks."""
    return hashlib.sha256(total.astype("<u8").tobytes()).hexdigest()


def _columns(X: Any) -> Iterator[Words]:
    """Every column as 64-bit codes."""
    if hasattr(X, "columns"):
        # By name, and by place if a name occurs twice: still one order for one table.
        labels = [str(name) for name in X.columns]
        names = sorted(range(len(labels)), key=lambda i: (labels[i], i))
        numbers, place = _numbers(X)
        for i in names:
            if i in place:
                yield _codes(numbers[:, place[i]])
                continue
            column = X.iloc[:, i] if hasattr(X, "iloc") else X[X.columns[i]]
            yield _codes(np.asarray(column))
        return
    values = np.asarray(X)
    if values.ndim == 1:
        values = values[:, None]
    for j in range(values.shape[1]):
        yield _codes(values[:, j])


def _numbers(X: Any) -> tuple[NDArray[np.float64], dict[int, int]]:
    """The columns of numbers of a pandas frame as one array, and their places in it."""
    if not hasattr(X, "iloc"):
        return np.empty((len(X), 0)), {}
    plain = [i for i, d in enumerate(X.dtypes) if isinstance(d, np.dtype) and d.kind in "biuf"]
    numbers = X.iloc[:, plain].to_numpy(dtype=np.float64) if plain else np.empty((len(X), 0))
    return numbers, {i: k for k, i in enumerate(plain)}


def _codes(column: NDArray[Any]) -> Words:
    """Numbers by value, whatever the column's type and also as text; other cells as words."""
    if column.dtype.kind in "biuf":
        numbers = column.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        # NaN has many bit patterns; a missing value has one code.
        numbers[np.isnan(numbers)] = np.nan
        return numbers.view(np.uint64)
    cells = column.astype(object).tolist()
    plain = written_numbers(cells)
    if plain is not None:
        return (plain + 0.0).view(np.uint64)
    values = [_as_number(value) for value in cells]
    is_missing_cell = np.array([is_missing(value) for value in values], dtype=bool)
    is_number = np.array([_is_number(value) for value in values], dtype=bool)
    numbers = np.full(len(values), np.nan)
    is_number &= ~is_missing_cell
    numbers[is_number] = [float(values[i]) for i in np.flatnonzero(is_number)]
    codes = (numbers + 0.0).view(np.uint64)
    is_word = ~is_number & ~is_missing_cell
    codes[is_word] = _word_codes([values[i] for i in np.flatnonzero(is_word)])
    return codes


@lru_cache(maxsize=65536)
def _number_of(text: str) -> float | str:
    """The number that a text writes, or the text; 03 is a code, and stays a word.

    Truth counts as in a column of truth values, which other formats have.
    """
    if text in _TRUTH:
        return _TRUTH[text]
    is_number = len(text) <= LONGEST and WRITTEN.fullmatch(text)
    return float(text) if is_number else text


@lru_cache(maxsize=4096, typed=True)
def _label_of(text: str) -> str:
    """A label as a word: "1.50" is 1.5, and TRUE is True, as they are in typed tables."""
    if text in _TRUTH:
        return str(bool(_TRUTH[text]))
    number = _number_of(text)
    return text if isinstance(number, str) else word_of(number)


def _label(value: Any) -> Any:
    return _label_of(value.strip()) if isinstance(value, str) else value


def _as_number(value: Any) -> Any:
    return _number_of(value.strip()) if isinstance(value, str) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (Number, np.bool_)) and not isinstance(value, complex)


def _word_codes(values: Sequence[Any]) -> Words:
    try:
        codes = [_word_code(value) for value in values]
    except TypeError:  # a value that cannot be looked up, such as a list
        codes = [_word_code.__wrapped__(value) for value in values]
    return np.array(codes, dtype=np.uint64)


@lru_cache(maxsize=4096, typed=True)  # labels and categories repeat; True is another word than 1
def _word_code(value: Any) -> int:
    # Eight bytes beside the eight of a number; a clash of both has a chance of 2^-64 a cell.
    return int.from_bytes(hashlib.sha256(word_of(value).encode()).digest()[:8], "little")


@dataclass(frozen=True, eq=False)
class SeenRows:
    """The training rows as digests, eight bytes each, sorted: to refuse rows that were seen.

    New rows of discrete data may equal training rows by chance, about as often as these equal
    each other. More equal rows than that were trained on.

    Parameters
    ----------
    digests : ndarray of uint64 (n_rows,), sorted

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(20.0)[:, None], np.zeros(20)
    >>> seen = SeenRows.of(X[:15], y[:15])
    >>> seen.refuse(X[15:], y[15:])
    >>> seen.refuse(X[10:], y[10:])
    Traceback (most recent call last):
    ...
    ValueError: `X` must hold examples that had no part in training, got 5 of 10 rows that \
the machine was trained on. Pass other examples.
    """

    digests: Words

    @classmethod
    def of(cls, X: Any, y: Any) -> SeenRows:
        """Remember rows and labels."""
        return cls(np.sort(_short(X, y)))

    @classmethod
    def of_digests(cls, digests: Bytes) -> SeenRows:
        """Remember rows by what `row_digests` gave for them."""
        return cls(np.sort(_first_lane(digests)))

    @property
    def n_twins(self) -> int:
        """How many of the rows equal another of them."""
        same = self.digests[1:] == self.digests[:-1]
        return int((np.append(same, False) | np.insert(same, 0, False)).sum())

    def is_seen(self, X: Any, y: Any) -> Mask:
        """Which rows equal a training row, label included."""
        if len(self.digests) == 0:
            return np.zeros(len(X), dtype=bool)
        wanted = _short(X, y)
        at = np.minimum(np.searchsorted(self.digests, wanted), len(self.digests) - 1)
        return np.asarray(self.digests[at] == wanted)

    def refuse(self, X: Any, y: Any) -> None:
        """Raise if these rows were trained on."""
        self.judge(len(X), int(self.is_seen(X, y).sum()))

    def judge(self, n_rows: int, n_seen: int) -> None:
        """Raise if so many of ``n_rows`` rows equal training rows that they were trained on."""
        if n_seen == 0 or not self._is_suspect(n_rows, n_seen):
            return
        raise ValueError(
            "`X` must hold examples that had no part in training, got "
            f"{n_seen} of {n_rows} rows that the machine was trained on. Pass other examples."
        )

    def _is_suspect(self, n_rows: int, n_seen: int) -> bool:
        from scipy.stats import beta, binom  # slow to import, and seldom needed

        n, twins = len(self.digests), self.n_twins
        if twins == 0:  # no two training rows are equal: neither should new ones be
            return True
        # twins come in pairs, so that the rows tell half as much as their number says
        share = float(beta.ppf(1.0 - _DOUBT, twins / 2 + 1.0, max((n - twins) / 2, 0.5)))
        return bool(binom.sf(n_seen - 1, n_rows, share) < _CHANCE)


def _short(X: Any, y: Any) -> Words:
    """Eight bytes of the digest of each row."""
    if len(X) == 0:
        return np.zeros(0, dtype=np.uint64)
    return _first_lane(row_digests(X, y))


def _first_lane(digests: Bytes) -> Words:
    whole = np.ascontiguousarray(digests)
    return whole.view(np.uint64).reshape(len(whole), -1)[:, 0].copy()
