"""Digests of the data and the order of rows that follows from them, computed once more.

A cell is eight bytes: a number (also as text, but for codes such as 03) or a truth its double,
with one zero, and one NaN for all that is missing; a word the first eight bytes of its SHA-256. A
row is the SHA-256 of its cells, columns in the order of their names, and last of its label as a
word, in which numbers and truth values count by value. The name of the target has no part in it.
The table is the SHA-256 of the number of rows and of the sums of the four 64-bit parts of their
digests. Rows enter pools in the order of SHA-256("handful pool", digest of the table or seed,
digest of the row, number of equal rows before it).
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.verify.audit import Document, Ints

_NAN = struct.pack("<Q", 0x7FF8000000000000)
_MASK = 2**64 - 1  # words of 64 bits wrap around
_SHOWN = 5  # row numbers in a sentence
_DECIMAL = re.compile(
    r"[-+]?(?:(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|(?i:inf(?:inity)?))", re.ASCII
)
# truth values are numbers in other formats
_TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: nothing, or what does not equal itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # a mark of missing values that is neither true nor false
        return True


def word_form(value: Any) -> str:
    """A category in its normal form: 3, 3.0, "3" and "3.0" are one word."""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        # From 2^53 on floats are whole by rounding, and their digits are not those that were
        # written.
        is_exact = number.is_integer() and abs(number) < 2.0**53
        return str(int(number)) if is_exact else repr(number)
    text = str(value).strip()
    whole, dot, zeros = text.partition(".")
    digits = whole.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 15
    if dot and zeros and not zeros.strip("0") and is_number and str(int(digits)) == digits:
        return str(int(whole))
    return text


def row_digests_of(columns: Iterable[Any], labels: Iterable[Any] | None) -> list[bytes]:
    """Digest of every row: of its cells, column by column in this order, and of its label."""
    parts = [_cells(np.asarray(column)) for column in columns]
    if labels is not None:
        parts.append([_label(label) for label in np.asarray(labels, dtype=object).tolist()])
    return [hashlib.sha256(b"".join(row)).digest() for row in zip(*parts, strict=True)]


def name_digest(name: str) -> str:
    """How a file names a column: 64 bits of SHA-256."""
    return hashlib.sha256(b"handful column " + name.encode()).hexdigest()[:16]


def _cells(column: NDArray[Any]) -> list[bytes]:
    return [_cell(value) for value in column.astype(object).tolist()]


def _cell(value: Any) -> bytes:
    if is_missing(value):
        return _NAN
    if isinstance(value, (Number, np.bool_)) and not isinstance(value, complex):
        # Adding zero turns -0.0 into 0.0, which is the same number.
        return struct.pack("<d", float(value) + 0.0)  # type: ignore[arg-type]
    number = _number_in(value) if isinstance(value, str) else None
    return _word(value) if number is None else struct.pack("<d", number + 0.0)


def _number_in(text: str) -> float | None:
    """The number that a text writes, such as 3 of "3" and of "3.00", not of the code "03"."""
    text = text.strip()
    if text in _TRUTH:
        return _TRUTH[text]
    return float(text) if len(text) <= 400 and _DECIMAL.fullmatch(text) else None


def _word(value: Any) -> bytes:
    if isinstance(value, (bool, np.bool_)):
        text = str(bool(value))
    elif isinstance(value, Number) and not isinstance(value, complex):
        number = float(value)  # type: ignore[arg-type]
        is_whole = number.is_integer() and abs(number) < 2.0**53
        text = str(int(number)) if is_whole else repr(number)
    else:
        text = word_form(value)
    return hashlib.sha256(text.encode()).digest()[:8]


def _label(value: Any) -> bytes:
    """The code of a label: "1.50" is 1.5, and TRUE is True, as they are in typed tables."""
    if not isinstance(value, str):
        return _word(value)
    number = _number_in(value)
    if number is None:
        return _word(value)
    return _word(bool(number) if value.strip() in _TRUTH else number)


def digest_of_table(rows: Sequence[bytes]) -> str:
    """The digest of all rows, in any order."""
    sums = [0, 0, 0, 0]
    for row in rows:
        sums = [a + b for a, b in zip(sums, struct.unpack("<4Q", row), strict=True)]
    parts = [len(rows), *(value & _MASK for value in sums)]
    return hashlib.sha256(struct.pack("<5Q", *parts)).hexdigest()


def drawn_keys(rows: Sequence[bytes], digest: str, seed: int | None) -> list[bytes]:
    """What decides about the order of the rows."""
    start = b"handful pool" + (digest if seed is None else f"seed {seed}").encode()
    # Equal rows get keys of their own by how many came before, and so fall on either side of a cut
    # independently.
    seen: Counter[bytes] = Counter()
    keys = []
    for row in rows:
        keys.append(hashlib.sha256(start + row + struct.pack("<Q", seen[row])).digest())
        seen[row] += 1
    return keys


def drawn_order(rows: Sequence[bytes], digest: str, seed: int | None) -> Ints:
    """Positions of the rows in the order in which they enter pools."""
    keys = drawn_keys(rows, digest, seed)
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def code_of(row: bytes, digest: str) -> int:
    """32 bits of a row, mixed with the digest of its table."""
    mixed = int.from_bytes(row[:8], "little") ^ int(digest[:16], 16)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & _MASK
    return (mixed ^ (mixed >> 31)) >> 32


def stored_codes(stored: Document) -> list[int]:
    """The codes of the training rows in the order in which the machine numbers them."""
    return np.frombuffer(base64.b64decode(stored["row_codes"]), dtype="<u4").tolist()


def places(rows: Sequence[bytes], stored: Document) -> Ints | None:
    """For each training row, by number, its place in these data; None if it is absent.

    If the file has no codes, the rows must come in the order of the training.
    """
    if stored["row_codes"] is None:
        return np.arange(len(rows))
    waiting: dict[int, deque[int]] = {}
    for i, row in enumerate(rows):
        # Equal rows have equal codes and are interchangeable: first come, first served.
        waiting.setdefault(code_of(row, stored["sha256"]), deque()).append(i)
    found = []
    for code in stored_codes(stored):
        if not waiting.get(code):
            return None
        found.append(waiting[code].popleft())
    return np.array(found, dtype=np.int64) if len(found) == len(rows) else None


def row_difference(rows: Sequence[bytes], stored: Document) -> str:
    """In which way the data differ from those that a model file remembers."""
    if stored["row_codes"] is None:
        return "these are other data, or other columns"
    known, codes = stored_codes(stored), [code_of(row, stored["sha256"]) for row in rows]
    # Rows that stand where they stood are the same; only the others may have moved, and of these
    # the rest is new.
    in_place = [i for i in range(min(len(known), len(codes))) if known[i] == codes[i]]
    left = Counter(known) - Counter(known[i] for i in in_place)
    other = []
    for i in sorted(set(range(len(codes))) - set(in_place)):  # those that may have moved
        code = codes[i]
        if left[code] > 0:
            left[code] -= 1
        else:
            other.append(i + 1)
    return _difference_text(len(rows), other, sum(left.values()))


def _difference_text(n_rows: int, other: Sequence[int], n_absent: int) -> str:
    if len(other) == n_rows:
        return "none of these rows is one of the training data: other data, or other columns"
    if not other and n_absent:
        return f"{_rows(n_absent)} fewer, the others are the same"
    if other and not n_absent:
        return f"{_rows(len(other))} more: {_listed(other)}; the others are the same"
    if len(other) == n_absent:
        changed = "was" if n_absent == 1 else "were"
        return f"the same rows, but {_listed(other)} {changed} changed"
    return f"{_rows(len(other))} of other content ({_listed(other)}), {_rows(n_absent)} absent"


def _rows(n: int) -> str:
    return f"{n} row" if n == 1 else f"{n} rows"


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(i) for i in numbers[:_SHOWN])
    word = "row" if len(numbers) == 1 else "rows"
    return f"{word} {shown}{', …' if len(numbers) > _SHOWN else ''}"


# -- what is drawn and counted as one -------------------------------------------------------------


class Blocks(NamedTuple):
    """Rows of each unit, units and the rows of each in drawn order."""

    rows_of: list[list[int]]
    is_grouped: bool

    @property
    def n(self) -> int:
        """Number of units."""
        return len(self.rows_of)

    def rows(self, n_units: int) -> Ints:
        """All rows of the first units."""
        return np.array([i for rows in self.rows_of[:n_units] for i in rows], dtype=np.int64)

    def names(self, n_units: int) -> list[int]:
        """Rows of the first units that a code may name: the first of each."""
        return [rows[0] for rows in self.rows_of[:n_units]]

    def all_names(self) -> list[int]:
        """All rows, those that a code may name before the others."""
        later = [i for rows in self.rows_of for i in rows[1:]]
        return self.names(self.n) + later

    def whole(self, kept: Iterable[int]) -> list[int]:
        """All rows of the units of some rows."""
        given = set(kept)
        return sorted(i for rows in self.rows_of if given & set(rows) for i in rows)


def contents(groups: Sequence[str], digests: Sequence[bytes]) -> list[str]:
    """Digest of the rows of each group, groups in the order of their names."""
    rows: dict[str, list[bytes]] = {name: [] for name in sorted(set(groups))}
    for name, digest in zip(groups, digests, strict=True):
        rows[name].append(digest)
    return [digest_of_table(part) for part in rows.values()]


def order_of_groups(
    groups: Sequence[str], digests: Sequence[bytes], seed: int | None = None
) -> dict[str, list[int]]:
    """Groups in drawn order, and the rows of each in theirs."""
    rows: dict[str, list[int]] = {name: [] for name in sorted(set(groups))}
    for i, name in enumerate(groups):
        rows[name].append(i)
    # The name of a group has no part in its key: renaming patients must not draw another pool.
    own = np.array([list(bytes.fromhex(content)) for content in contents(groups, digests)])
    cells = row_digests_of(own.T, None)
    keys = drawn_keys(cells, digest_of_table(cells), seed)
    names = list(rows)
    # Rows are drawn group by group, so that it does not matter which group comes first in a file.
    for name, key in zip(names, keys, strict=True):
        own_order = drawn_order([digests[i] for i in rows[name]], f"group {key.hex()}", None)
        rows[name] = [rows[name][k] for k in own_order]
    return {names[k]: rows[names[k]] for k in sorted(range(len(keys)), key=keys.__getitem__)}


def make_blocks(
    order: Ints, groups: Sequence[Any] | None, digests: Sequence[bytes], seed: int | None
) -> Blocks:
    """Units of rows that were drawn in this order, or of groups of them.

    Examples
    --------
    >>> make_blocks(np.array([1, 0, 2]), None, [b"", b"", b""], None).rows_of
    [[1], [0], [2]]
    """
    if groups is None:
        return Blocks([[int(i)] for i in order], False)
    if any(is_missing(group) for group in groups):
        raise ValueError("a row without a group")
    words = [word_form(group) for group in groups]
    return Blocks(list(order_of_groups(words, digests, seed).values()), True)
