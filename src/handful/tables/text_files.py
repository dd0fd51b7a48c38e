"""Text tables and JSON lines: looked through once, then parsed.

Encoding, NUL bytes, delimiter, names, row lengths and cell sizes are found before anything is
parsed. So errors name the line, and hostile files cost little memory. Every number is the float
nearest to its text, whatever the version of pandas: a certificate that was made under one version
must be found again under another.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from handful.tables.sources import (
    BLOCK,
    BYTES_A_CELL,
    MAX_BYTES,
    MAX_CELL,
    MAX_COLUMNS,
    MAX_LINE,
    MISSING,
    Source,
    UnreadableTableError,
    check_columns,
    check_names,
    in_words,
    readable,
    unreadable,
)

if TYPE_CHECKING:
    import pandas as pd

BLANKS = " "  # any number of them
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")
_UTF8_PAIR = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_NOT_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|([^\s{]+))\s*(.*)$""", re.IGNORECASE
)


@dataclass(frozen=True)
class TextTable:
    """How a text table is to be parsed.

    Attributes
    ----------
    source : Source
    encoding, delimiter : str
    names : tuple of str
    n_skipped : int
        Lines before the first row of data.
    n_rows : int
        Rows of data; 0 if they were not counted.
    notes : tuple of str
        Assumptions, in sentences.
    """

    source: Source
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    n_skipped: int
    n_rows: int
    notes: tuple[str, ...] = ()

    def parser_options(self) -> dict[str, Any]:
        """Keywords for pandas."""
        is_arff = self.source.kind == ".arff"
        return {
            "sep": r"\s+" if self.delimiter == BLANKS else self.delimiter,
            "names": list(self.names),
            "header": None,
            "index_col": False,
            "keep_default_na": False,
            "na_values": list(MISSING),
            "quotechar": "'" if is_arff else '"',
            "skipinitialspace": True,
            "comment": "%" if is_arff else None,
        }

    @contextmanager
    def open_rows(self) -> Iterator[IO[str]]:
        """The text after the header."""
        with opened_text(self.source, self.encoding) as text:
            for _ in range(self.n_skipped):
                text.readline()
            yield text


@contextmanager
def opened_text(source: Source, encoding: str) -> Iterator[IO[str]]:
    """The text of a source from its beginning; its file stays open."""
    text = io.TextIOWrapper(source.start(), encoding, newline="")
    try:
        yield text
    finally:
        text.detach()


def inspect_text(source: Source) -> TextTable:
    """Look through a text table once and say how to parse it."""
    encoding, notes = encoding_of(source)
    with opened_text(source, encoding) as text:
        try:
            if source.kind == ".arff":
                names, n_skipped = _arff_header(source.name, text)
                table = TextTable(source, encoding, ",", names, n_skipped, 0, notes)
            else:
                head = _head(source.name, text)
                delimiter = "\t" if source.kind == ".tsv" else _delimiter_of(head)
                table = _delimited(source, encoding, delimiter, head[0], notes)
        except UnicodeError as error:
            reason = f"it is not {encoding.removesuffix('-sig')} text ({error}); save it as UTF-8"
            raise unreadable(source.name, reason) from error
    check_names(source.name, table.names)
    return table


def encoding_of(source: Source) -> tuple[str, tuple[str, ...]]:
    """The encoding (by the mark at the start, UTF-8, or a Western one), and notes."""
    file = source.start()
    start = file.read(4096)
    if not start:
        raise unreadable(source.name, "it is empty")
    encoding = next((e for mark, e in _MARKS.items() if start.startswith(mark)), None)
    notes: tuple[str, ...] = ()
    if encoding is None and (encoding := _unmarked_utf16(start)):
        notes = ("The file has no mark of its encoding; it was read as UTF-16.",)
    is_utf16 = bool(encoding and encoding.startswith("utf-16"))
    is_utf8 = _is_utf8(source.name, file, start, is_utf16)
    if is_utf16 or is_utf8:
        return encoding or "utf-8", notes
    if encoding is not None:
        raise unreadable(source.name, "it is not utf-8 text, as its mark says; save it as UTF-8")
    return _western(source)


def _is_utf8(name: str, file: Any, start: bytes, is_utf16: bool) -> bool:
    """Read a file to its end; refuse what is not text, and tell if no block contradicts UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, total, block = True, 0, start
    while block:
        if b"\0" in block and not is_utf16:
            raise unreadable(name, "it holds NUL bytes, so it is not text")
        total += len(block)
        if total > MAX_BYTES:
            raise unreadable(name, f"it is larger than {in_words(MAX_BYTES)}")
        following = file.read(BLOCK)
        if is_utf8 and not is_utf16:
            is_utf8 = _is_decoded(decoder, block, not following)
        block = following
    return is_utf8


def _is_decoded(decoder: Any, block: bytes, is_last: bool) -> bool:
    try:
        decoder.decode(block, is_last)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(start: bytes) -> str | None:
    """The byte order of Western text in UTF-16, in which every other byte is NUL."""
    even, odd = start[0::2], start[1::2]
    if len(start) < 4 or b"\0" not in start:
        return None
    if b"\0" not in even and odd.count(0) > 0.4 * len(odd):
        return "utf-16-le"
    if b"\0" not in odd and even.count(0) > 0.4 * len(even):
        return "utf-16-be"
    return None


def _western(source: Source) -> tuple[str, tuple[str, ...]]:
    """cp1252, or Latin-1 if a byte is no letter of cp1252; an error if the bytes are no text."""
    file, is_1252, before = source.start(), True, b""
    while block := file.read(BLOCK):
        if _CONTROL.search(block):
            raise unreadable(source.name, "it is not utf-8 text, nor any other: it holds controls")
        if _UTF8_PAIR.search(before[-2:] + block):
            raise unreadable(
                source.name, "it is not utf-8 text throughout, but in part; save it as UTF-8"
            )
        is_1252 = is_1252 and not _NOT_IN_1252.search(block)
        before = block
    name, encoding = ("Windows-1252", "cp1252") if is_1252 else ("Latin-1", "latin-1")
    return encoding, (f"The file is not UTF-8; it was read as {name}. Check letters with accents.",)


def _head(name: str, text: IO[str]) -> list[str]:
    """The first lines; the first one must have something in it."""
    lines = []
    for number in range(20):
        line = text.readline(MAX_LINE)
        if len(line) >= MAX_LINE:
            raise unreadable(name, f"line {number + 1} is longer than {MAX_LINE} characters")
        lines.append(line)
        if not line:
            break
    if not lines[0].strip():
        raise unreadable(name, "its first line is empty; the names of the columns belong there")
    return lines


def _delimiter_of(head: list[str]) -> str:
    """The one of comma, semicolon, tab, bar that a header has most of, outside quotes; else blanks.

    Blanks separate columns only if the rows have as many words as the header.
    """
    plain = [re.sub(r'"[^"]*"', "x", line) for line in head]
    counts = {mark: plain[0].count(mark) for mark in (",", ";", "\t", "|")}
    best = max(counts, key=lambda mark: counts[mark])
    if counts[best]:
        return best
    n_words = {len(line.split()) for line in plain if line.strip()}
    return BLANKS if len(n_words) == 1 and n_words != {1} else ","


def _delimited(
    source: Source, encoding: str, delimiter: str, first: str, notes: tuple[str, ...]
) -> TextTable:
    """Names, and the lengths of all rows: fast if no cell is in quotes."""
    if delimiter != BLANKS and encoding != "utf-16" and '"' not in first:
        names = tuple(cell.strip() for cell in first.rstrip("\r\n").split(delimiter))
        n_rows = _count_plain(source, delimiter, len(names))
        if n_rows is not None and len(names) <= MAX_COLUMNS:
            return TextTable(source, encoding, delimiter, names, 1, n_rows, notes)
    with opened_text(source, encoding) as text:
        names, n_skipped, n_rows = _checked_rows(source.name, text, delimiter)
    return TextTable(source, encoding, delimiter, names, n_skipped, n_rows, notes)


def _count_plain(source: Source, delimiter: str, n_columns: int) -> int | None:
    """Number of rows of a table without quotes; None if a line is not as it should be."""
    file, rest, n_lines, mark = source.start(), b"", 0, ord(delimiter)
    while True:
        block = file.read(BLOCK)
        block, is_last = rest + block, not block
        if b'"' in block or block.count(b"\r") != block.count(b"\r\n") + block.endswith(b"\r"):
            return None
        end = len(block) if is_last else block.rfind(b"\n") + 1
        rest, block = block[end:], block[:end]
        if len(rest) > MAX_LINE:
            return None
        if block:
            found = _lines_of(np.frombuffer(block, dtype=np.uint8), mark, n_columns)
            if found is None:
                return None
            n_lines += found
        if is_last:
            return n_lines - 1


def _lines_of(content: Any, mark: int, n_columns: int) -> int | None:
    """Number of lines with cells in them, if all have as many and none is too long."""
    if content[-1] != 10:
        content = np.append(content, np.uint8(10))
    is_end = content == 10
    borders = np.flatnonzero(is_end | (content == mark))
    cells = np.diff(borders, prepend=-1) - 1
    if cells.max(initial=0) > MAX_CELL:
        return None
    ends = np.flatnonzero(is_end[borders])
    n_cells = np.diff(ends, prepend=-1)
    lengths = np.diff(borders[ends], prepend=-1) - 1
    starts = borders[ends] - lengths
    is_blank = (lengths == 0) | (
        (lengths == 1) & (content[np.minimum(starts, len(content) - 1)] == 13)
    )
    if not ((n_cells == n_columns) | is_blank).all() or (is_blank & (n_cells != 1)).any():
        return None
    return int(np.count_nonzero(~is_blank))


def _checked_rows(name: str, text: IO[str], delimiter: str) -> tuple[tuple[str, ...], int, int]:
    """Names, lines of the header, and number of rows; the error names the line."""

    def lines() -> Iterator[str]:
        number = 1
        while line := text.readline(MAX_LINE):
            if len(line) >= MAX_LINE:
                raise unreadable(name, f"line {number} is longer than {MAX_LINE} characters")
            if line.count(delimiter) > MAX_COLUMNS:
                raise unreadable(name, f"line {number} has more than {MAX_COLUMNS} columns")
            yield " ".join(line.split()) + "\n" if delimiter == BLANKS else line
            number += 1

    reader = csv.reader(lines(), delimiter=delimiter, skipinitialspace=True)
    names: tuple[str, ...] = ()
    n_header_lines = n_rows = 0
    try:
        for row in reader:
            if not names:
                names, n_header_lines = tuple(cell.strip() for cell in row), reader.line_num
            elif row and len(row) != len(names):
                n = len(names)
                raise unreadable(
                    name, f"line {reader.line_num} has {len(row)} cells, the header has {n}"
                )
            else:
                n_rows += bool(row)
            if any(len(cell) > MAX_CELL for cell in row):
                raise unreadable(
                    name, f"line {reader.line_num} has a cell of more than {MAX_CELL} characters"
                )
    except csv.Error as error:
        reason = f"line {reader.line_num}: {error}; is a quote left open?"
        raise unreadable(name, reason) from error
    return names, n_header_lines, n_rows


def _arff_header(name: str, text: IO[str]) -> tuple[tuple[str, ...], int]:
    """Names of the attributes, and the number of lines before the data."""
    names: list[str] = []
    for number in range(1, MAX_COLUMNS + 10_000):
        line = text.readline(MAX_LINE)
        if not line:
            break
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            if not names:
                raise unreadable(name, "it has no @attribute lines")
            if len(names) > MAX_COLUMNS:
                raise unreadable(name, f"it has more than {MAX_COLUMNS} columns")
            return tuple(names), number
        if found := _ATTRIBUTE.match(stripped):
            names.append(next(part for part in found.groups()[:3] if part is not None))
    raise unreadable(name, "it has no @data line")


def text_chunks(
    table: TextTable, columns: Sequence[str], words: Collection[str], n_rows: int
) -> Iterator[pd.DataFrame]:
    """Some columns, at most ``n_rows`` rows at a time; cells of ``words`` as they are written."""
    import pandas as pd

    check_columns(columns, table.names)
    chosen = list(columns) or [table.names[0]]
    types: dict[str, Any] = {name: str for name in chosen if name in words}
    with (
        _parsing(table.source.name),
        table.open_rows() as rows,
        pd.read_csv(
            rows, usecols=chosen, dtype=types, chunksize=n_rows, low_memory=False, **_options(table)
        ) as reader,
    ):
        yield from reader


def exact_floats() -> dict[str, str]:
    """Keywords with which ``read_csv`` of pandas or Dask rounds correctly.

    From 3.1 on it always does, and warns about the keyword; before, a third of the numbers with
    17 digits came out one unit in the last place off.
    """
    import pandas as pd

    major, minor = (int(part) for part in pd.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _options(table: TextTable) -> dict[str, Any]:
    return {**table.parser_options(), **exact_floats()}


def text_frame(table: TextTable, *, is_raw: bool) -> pd.DataFrame:
    """All of a text table; cells as they are written if ``is_raw``, else parsed by column."""
    import pandas as pd

    expected = BYTES_A_CELL * table.n_rows * len(table.names)
    if expected > MAX_BYTES:
        raise unreadable(
            table.source.name,
            f"its {table.n_rows} rows of {len(table.names)} columns need {in_words(expected)} of "
            f"memory, more than {in_words(MAX_BYTES)}",
        )
    with _parsing(table.source.name), table.open_rows() as rows:
        types = {"dtype": object} if is_raw else {}
        return pd.read_csv(rows, low_memory=False, **types, **_options(table))


@contextmanager
def _parsing(name: str) -> Iterator[None]:
    """Turn errors of the parser into ones that name the file."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except UnreadableTableError:
        raise
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:
        raise unreadable(name, str(error).strip()[:300]) from error


def line_frame(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """All of a file of JSON lines, one object a row, and notes."""
    import pandas as pd

    encoding, notes = _checked_lines(source)
    with _reading_lines(source, encoding) as text:
        frame = pd.read_json(text, **_LINE_OPTIONS)
        _check_flat(source.name, frame)
        return frame, notes


def line_chunks(source: Source, n_rows: int) -> Iterator[pd.DataFrame]:
    """JSON lines, at most ``n_rows`` rows at a time."""
    import pandas as pd

    encoding, _ = _checked_lines(source)
    with _reading_lines(source, encoding) as text:
        for chunk in pd.read_json(text, chunksize=n_rows, **_LINE_OPTIONS):
            _check_flat(source.name, chunk)
            yield chunk.reset_index(drop=True)


@contextmanager
def _reading_lines(source: Source, encoding: str) -> Iterator[IO[str]]:
    with (
        readable(source, "JSON lines"),
        warnings.catch_warnings(action="ignore"),
        opened_text(source, encoding) as text,
    ):
        yield text


_LINE_OPTIONS: dict[str, Any] = {
    "lines": True,
    "dtype": False,
    "convert_axes": False,
    "convert_dates": False,
    "precise_float": True,
}


def _checked_lines(source: Source) -> tuple[str, tuple[str, ...]]:
    """The encoding, and notes; an error if a line is too long or the whole too large."""
    encoding, notes = encoding_of(source)
    n_lines = n_marks = 0
    with opened_text(source, encoding) as text:
        while line := text.readline(MAX_LINE):
            n_lines += 1
            n_marks = max(n_marks, line.count(":"))
            if len(line) >= MAX_LINE:
                reason = f"line {n_lines} is longer than {MAX_LINE} characters"
                raise unreadable(source.name, reason)
    if BYTES_A_CELL * n_lines * n_marks > MAX_BYTES:
        raise unreadable(source.name, f"its {n_lines} rows need more than {in_words(MAX_BYTES)}")
    return encoding, notes


def _check_flat(name: str, frame: pd.DataFrame) -> None:
    if frame.shape[1] > MAX_COLUMNS:
        raise unreadable(name, f"it has {frame.shape[1]} columns, more than {MAX_COLUMNS}")
    for j, column in enumerate(frame.columns):
        if getattr(frame.dtypes.iloc[j], "kind", "O") != "O":
            continue
        for cell in frame.iloc[:, j]:
            if isinstance(cell, (list, dict)):
                raise unreadable(
                    name, f"the column {str(column)[:80]!r} holds lists, not numbers or words"
                )
            if isinstance(cell, str) and len(cell) > MAX_CELL:
                shown = str(column)[:80]
                raise unreadable(
                    name, f"the column {shown!r} has a cell of more than {MAX_CELL} characters"
                )
