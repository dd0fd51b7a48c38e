"""Files of tables: what they are, whether they are safe to parse, and their columns.

A text table is looked through once before it is parsed: encoding, NUL bytes, row lengths, cell
sizes and the header. So errors name the line, and hostile files cost little memory.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

DELIMITERS = {".csv": None, ".tsv": "\t", ".txt": None, ".data": None, ".arff": ","}
KNOWN = (".csv", ".tsv", ".txt", ".data", ".arff", ".csv.gz", ".tsv.gz", ".parquet")
MAX_COLUMNS = 100_000  # a line of more cells is a damaged file or the wrong delimiter
MAX_CELL = 100_000  # characters
MAX_LINE = 16 * 2**20  # characters
MAX_BYTES = 4 * 2**30  # after decompression
MAX_GROWTH = 200  # times the size of the file, for what takes more than a gibibyte
BYTES_A_CELL = 8  # of a number in memory
MISSING = ("?",)
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|([^\s{]+))\s*(.*)$""", re.IGNORECASE
)


class UnreadableTableError(ValueError):
    """A file that is no table, or too large a one."""


class ColumnsMissingError(ValueError):
    """A table lacks columns that are needed."""


@dataclass(frozen=True)
class TextTable:
    """How a text table is to be parsed."""

    path: Path
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    n_skipped: int  # lines before the first row of data
    n_rows: int  # of data; 0 where they were not counted

    def parser_options(self) -> dict[str, Any]:
        """Keywords for pandas."""
        quote = "'" if self.path.suffix == ".arff" else '"'
        return {
            "sep": self.delimiter,
            "names": list(self.names),
            "header": None,
            "index_col": False,
            "na_values": list(MISSING),
            "quotechar": quote,
            "skipinitialspace": True,
            "comment": "%" if self.path.suffix == ".arff" else None,
        }

    @contextmanager
    def open_rows(self) -> Iterator[IO[str]]:
        """The text after the header."""
        with (
            open_bytes(self.path) as raw,
            io.TextIOWrapper(raw, self.encoding, newline="") as text,
        ):
            for _ in range(self.n_skipped):
                text.readline()
            yield text


def suffix_of(path: Path) -> str:
    """The ending that says what a file is; the error lists the known ones."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}. Check the path.")
    name = path.name.lower()
    for known in sorted(KNOWN, key=len, reverse=True):
        if name.endswith(known):
            return known
    raise ValueError(f"`DATA` must end with one of {', '.join(KNOWN)}, got {path.name!r}.")


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed."""
    if path.name.lower().endswith(".gz"):
        try:
            with gzip.open(path, "rb") as file:
                yield file  # type: ignore[misc]
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise unreadable(path, f"it is not a whole gzip file ({error})") from error
        return
    with path.open("rb") as file:
        yield file


def unreadable(path: Path, reason: str) -> UnreadableTableError:
    """The error for files that are no tables."""
    return UnreadableTableError(f"{path} is not a readable table: {reason}.")


def check_columns(needed: Sequence[str], names: Sequence[str]) -> None:
    """Raise where a file lacks columns."""
    present = set(names)
    absent = [name for name in needed if name not in present]
    if absent:
        raise ColumnsMissingError(
            f"the data must have the columns {[name[:80] for name in absent[:10]]}, which the "
            f"model uses. They have: {[name[:80] for name in names[:10]]}."
        )


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


def check_growth(path: Path, n_bytes: int) -> None:
    """Refuse small files that become huge: they were made to exhaust the memory."""
    size = path.stat().st_size
    if n_bytes > 2**30 and n_bytes > MAX_GROWTH * size:
        raise unreadable(
            path,
            f"its {in_words(size)} expand to {in_words(n_bytes)}, more than {MAX_GROWTH} times as "
            "much",
        )


def inspect_text(path: Path) -> TextTable:
    """Look a text table through, once, and say how to parse it."""
    suffix = suffix_of(path).removesuffix(".gz")
    encoding = _check_bytes(path)
    with open_bytes(path) as raw, io.TextIOWrapper(raw, encoding, newline="") as text:
        try:
            if suffix == ".arff":
                names, n_skipped = _arff_header(path, text)
                delimiter = ","
                table = TextTable(path, encoding, delimiter, names, n_skipped, 0)
            else:
                first = _first_line(path, text)
                delimiter = DELIMITERS[suffix] or _delimiter_of(first, suffix != ".csv")
                table = _delimited(path, text, encoding, delimiter, first)
        except UnicodeError as error:
            reason = f"it is not {encoding.removesuffix('-sig')} text ({error}); save it as UTF-8"
            raise unreadable(path, reason) from error
    check_names(path, table.names)
    return table


def _check_bytes(path: Path) -> str:
    """The encoding, from the mark at the start; no NUL bytes in UTF-8, and not too many bytes."""
    with open_bytes(path) as file:
        start = file.read(4)
        encoding = next((e for mark, e in _MARKS.items() if start.startswith(mark)), "utf-8")
        total, block = len(start), start
        while block:
            if b"\0" in block and encoding != "utf-16":
                raise unreadable(path, "it holds NUL bytes, so it is not text")
            if total > MAX_BYTES:
                raise unreadable(path, f"it is larger than {in_words(MAX_BYTES)}")
            if total > 2**30:
                check_growth(path, total)
            block = file.read(1 << 20)
            total += len(block)
    if total == 0:
        raise unreadable(path, "it is empty")
    return encoding


def _first_line(path: Path, text: IO[str]) -> str:
    line = text.readline(MAX_LINE)
    if len(line) >= MAX_LINE:
        raise unreadable(path, f"its first line is longer than {MAX_LINE} characters")
    if not line.strip():
        raise unreadable(path, "its first line is empty; the names of the columns belong there")
    return line


def _delimiter_of(line: str, may_be_blank: bool) -> str:
    """The one of comma, semicolon, tab, bar that a header has most of, outside quotes."""
    plain = re.sub(r'"[^"]*"', "", line)
    counts = {mark: plain.count(mark) for mark in (",", ";", "\t", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    if counts[best]:
        return best
    return " " if may_be_blank and " " in plain.strip() else ","


def _delimited(path: Path, text: IO[str], encoding: str, delimiter: str, first: str) -> TextTable:
    """Names, and the lengths of all rows."""

    def lines() -> Iterator[str]:
        line, number = first, 1
        while line:
            if len(line) >= MAX_LINE:
                raise unreadable(path, f"line {number} is longer than {MAX_LINE} characters")
            if line.count(delimiter) > MAX_COLUMNS:
                raise unreadable(path, f"line {number} has more than {MAX_COLUMNS} columns")
            yield line
            line, number = text.readline(MAX_LINE), number + 1

    reader = csv.reader(lines(), delimiter=delimiter, skipinitialspace=True)
    names: tuple[str, ...] = ()
    n_header_lines = n_rows = 0
    try:
        for row in reader:
            if not names:
                names, n_header_lines = tuple(cell.strip() for cell in row), reader.line_num
            elif row and len(row) != len(names):
                raise unreadable(
                    path,
                    f"line {reader.line_num} has {len(row)} cells, the header has {len(names)}",
                )
            else:
                n_rows += 1
            if any(len(cell) > MAX_CELL for cell in row):
                raise unreadable(
                    path, f"line {reader.line_num} has a cell of more than {MAX_CELL} characters"
                )
    except csv.Error as error:
        reason = f"line {reader.line_num}: {error}; is a quote left open?"
        raise unreadable(path, reason) from error
    return TextTable(path, encoding, delimiter, names, n_header_lines, n_rows)


def _arff_header(path: Path, text: IO[str]) -> tuple[tuple[str, ...], int]:
    """Names of the attributes, and the number of lines before the data."""
    names: list[str] = []
    for number in range(1, MAX_COLUMNS + 10_000):
        line = text.readline(MAX_LINE)
        if not line:
            break
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            if not names:
                raise unreadable(path, "it has no @attribute lines")
            if len(names) > MAX_COLUMNS:
                raise unreadable(path, f"it has more than {MAX_COLUMNS} columns")
            return tuple(names), number
        if found := _ATTRIBUTE.match(stripped):
            names.append(next(part for part in found.groups()[:3] if part is not None))
    raise unreadable(path, "it has no @data line")


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise where two columns have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            shown = repr(name[:80]) if name else "without a name"
            raise unreadable(path, f"the column {shown} occurs twice")
        seen.add(name)
