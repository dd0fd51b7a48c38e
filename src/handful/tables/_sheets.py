"""Tables of other programs: Excel sheets, Stata files, JSON lines."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from handful.tables._digests import is_missing, word_of
from handful.tables._files import (
    BYTES_A_CELL,
    MAX_BYTES,
    MAX_CELL,
    MAX_COLUMNS,
    MAX_LINE,
    UnreadableTableError,
    check_growth,
    check_names,
    in_words,
    needs,
    unreadable,
)
from handful.tables._source import Source
from handful.tables._text import encoding_of, opened_text

if TYPE_CHECKING:
    import pandas as pd

MAX_SHEET_CELLS = 20_000_000  # a sheet is padded to a rectangle of Python objects
MAX_SHEET_BYTES = 2**30  # of XML
_CELL = re.compile(rb'<(?:\w+:)?c [^>]*?r="([A-Z]{1,3})([0-9]{1,7})"')
_BLOCK = 1 << 20  # bytes read at a time

Read = tuple["pd.DataFrame", tuple[str, ...]]


@contextmanager
def _said_of(source: Source, what: str) -> Iterator[None]:
    """Whatever a reader raises, with the name of the file; what it warns of is its own affair."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (UnreadableTableError, MemoryError):
        raise
    except ImportError as error:
        raise needs("openpyxl", what) from error
    except Exception as error:  # damaged bytes reach every corner of the readers
        text = (str(error) or type(error).__name__).strip()
        raise unreadable(source.name, f"it is no whole {what} file ({text[:300]})") from error


def excel_frame(source: Source) -> Read:
    """The first sheet of a workbook; the first row that is not empty has the names."""
    import pandas as pd

    with _said_of(source, "Excel (.xlsx)"):
        _check_workbook(source)
        with pd.ExcelFile(source.start(), engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            cells = book.parse(0, header=None, dtype=object)
        notes = []
        if len(sheets) > 1:
            notes.append(f"The workbook has {len(sheets)} sheets; {sheets[0]!r} was read.")
        frame, n_empty = _with_header(source.name, cells)
        if n_empty:
            notes.append(f"{n_empty} empty rows of the sheet were left out.")
        return frame, tuple(notes)


def _with_header(name: str, cells: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The first row as names, without empty rows and without nameless empty columns."""
    is_empty = cells.map(is_missing)
    cells = cells.loc[~is_empty.all(axis=1)]
    if len(cells) == 0:
        raise unreadable(name, "it is empty")
    n_empty = len(is_empty) - len(cells)
    first = ["" if is_missing(cell) else word_of(cell) for cell in cells.iloc[0]]
    rows = cells.iloc[1:]
    is_used = [bool(word) or bool(rows.iloc[:, j].notna().any()) for j, word in enumerate(first)]
    names = [word for word, used in zip(first, is_used, strict=True) if used]
    check_names(name, names)
    if len(names) > MAX_COLUMNS:
        raise unreadable(name, f"it has {len(names)} columns, more than {MAX_COLUMNS}")
    frame = rows.loc[:, is_used].set_axis(names, axis=1).reset_index(drop=True)
    return frame.infer_objects(), n_empty


def _check_workbook(source: Source) -> None:
    """Sizes that the archive states, and the corner that its cells reach."""
    with zipfile.ZipFile(source.start()) as archive:
        members = archive.infolist()
        total = sum(member.file_size for member in members)
        check_growth(source.name, source.stored, total)
        if total > MAX_SHEET_BYTES:
            raise unreadable(
                source.name,
                f"it unpacks to {in_words(total)}, more than {in_words(MAX_SHEET_BYTES)}; save it "
                "as CSV",
            )
        for member in members:
            if "worksheets/" in member.filename and member.filename.endswith(".xml"):
                with archive.open(member) as file:
                    n_rows, n_columns = _corner(file)
                if n_rows * n_columns > MAX_SHEET_CELLS:
                    raise unreadable(
                        source.name,
                        f"its cells reach row {n_rows} and column {n_columns}, more than "
                        f"{MAX_SHEET_CELLS} cells in all; save it as CSV",
                    )


def _corner(file: Any) -> tuple[int, int]:
    """The largest row and column that cells name."""
    n_rows = n_columns = 0
    rest = b""
    while block := file.read(_BLOCK):
        block = rest + block
        for letters, number in _CELL.findall(block):
            place = 0
            for letter in letters:
                place = 26 * place + letter - 64
            n_rows, n_columns = max(n_rows, int(number)), max(n_columns, place)
        rest = block[block.rfind(b"<") :][:1000]
    return n_rows, n_columns


def stata_frame(source: Source) -> Read:
    """A Stata file; labels of values take the place of their codes."""
    import pandas as pd

    if source.stored > MAX_BYTES:
        raise unreadable(source.name, f"it is larger than {in_words(MAX_BYTES)}")
    content = io.BytesIO(source.start().read())  # does not allocate what a header claims
    with _said_of(source, "Stata"):
        frame = pd.read_stata(content)
        check_names(source.name, [str(name) for name in frame.columns])
        return frame, ()


def line_frame(source: Source) -> Read:
    """JSON lines, one object a row."""
    import pandas as pd

    encoding, notes = _checked_lines(source)
    with _said_of(source, "JSON lines"), opened_text(source, encoding) as text:
        frame = pd.read_json(text, **_LINE_OPTIONS)
        _check_flat(source.name, frame)
        return frame, notes


def line_chunks(source: Source, n_rows: int) -> Iterator[pd.DataFrame]:
    """JSON lines, a piece of the rows at a time."""
    import pandas as pd

    encoding, _ = _checked_lines(source)
    with _said_of(source, "JSON lines"), opened_text(source, encoding) as text:
        for chunk in pd.read_json(text, chunksize=n_rows, **_LINE_OPTIONS):
            _check_flat(source.name, chunk)
            yield chunk.reset_index(drop=True)


_LINE_OPTIONS: dict[str, Any] = {
    "lines": True,
    "dtype": False,
    "convert_axes": False,
    "convert_dates": False,
    "precise_float": True,
}


def _checked_lines(source: Source) -> tuple[str, tuple[str, ...]]:
    """The encoding; no line may be too long, and the whole not too large for memory."""
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
