"""Files of tables: which there are, what is too large, and how errors are said."""

from __future__ import annotations

import math
from collections.abc import Sequence

TEXT = (".csv", ".tsv", ".txt", ".data", ".arff")
LINES = (".jsonl", ".ndjson")
WHOLE = (".parquet", ".feather", ".arrow", ".xlsx", ".dta")
PACKED = (".gz", ".bz2", ".xz", ".zip")
KNOWN = (*TEXT, *LINES, *WHOLE)
MAX_COLUMNS = 100_000  # a line of more cells is a damaged file or the wrong delimiter
MAX_CELL = 100_000  # characters
MAX_LINE = 16 * 2**20  # characters
MAX_BYTES = 4 * 2**30  # after decompression
MAX_GROWTH = 200  # times the size of the file, for what takes more than a gibibyte
BYTES_A_CELL = 8  # of a number in memory
MISSING = (
    *("?", "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
    *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
"""Cells of text that hold nothing, in every format."""


class UnreadableTableError(ValueError):
    """A file that is no table, or too large a one."""


class ColumnsMissingError(ValueError):
    """A table lacks columns that are needed."""


def ending_of(name: str) -> tuple[str, str]:
    """What a file is by the ending of its name, and how it is packed; the error lists both.

    Examples
    --------
    >>> ending_of("DATA.csv.gz"), ending_of("a.parquet"), ending_of("a.zip")
    (('.csv', '.gz'), ('.parquet', ''), ('', '.zip'))
    """
    lower = name.lower()
    packed = next((end for end in PACKED if lower.endswith(end)), "")
    inner = lower.removesuffix(packed)
    kind = next((end for end in sorted(KNOWN, key=len, reverse=True) if inner.endswith(end)), "")
    if not kind and packed != ".zip":  # what a zip archive holds says its own name
        raise ValueError(
            f"`DATA` must end with one of {', '.join(KNOWN)} (packed as {', '.join(PACKED)} or "
            f"not), got {name!r}."
        )
    return kind, packed


def unreadable(name: object, reason: str) -> UnreadableTableError:
    """The error for files that are no tables."""
    return UnreadableTableError(f"{name} is not a readable table: {reason}.")


def needs(package: str, what: str) -> ValueError:
    """The error for formats whose reader is not installed."""
    return ValueError(
        f'reading {what} needs {package}: python -m pip install "handful[tables]" (or {package}).'
    )


def check_columns(needed: Sequence[str], names: Sequence[str]) -> None:
    """Raise where a file lacks columns."""
    present = set(names)
    absent = [name for name in needed if name not in present]
    if absent:
        raise ColumnsMissingError(
            f"the data must have the columns {[name[:80] for name in absent[:10]]}, which are "
            f"needed. They have: {[name[:80] for name in names[:10]]}."
        )


def check_names(name: object, columns: Sequence[str]) -> None:
    """Raise where two columns have one name."""
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            shown = repr(column[:80]) if column else "without a name"
            raise unreadable(name, f"the column {shown} occurs twice")
        seen.add(column)


def in_words(n_bytes: float) -> str:
    """A number of bytes for a person.

    Examples
    --------
    >>> in_words(9e9)
    '8.4 GiB'
    """
    units = ("bytes", "KiB", "MiB", "GiB", "TiB")
    k = min(int(math.log2(max(1, n_bytes)) // 10), len(units) - 1)
    return f"{n_bytes / 1024**k:.{min(k, 1)}f} {units[k]}"


def check_growth(name: object, stored: int, n_bytes: int) -> None:
    """Refuse small files that become huge: they were made to exhaust the memory."""
    if n_bytes > 2**30 and n_bytes > MAX_GROWTH * stored:
        raise unreadable(
            name,
            f"its {in_words(stored)} expand to {in_words(n_bytes)}, more than {MAX_GROWTH} times "
            "as much",
        )
