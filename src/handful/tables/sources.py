"""Where a table comes from: formats, limits, and one file that is opened and unpacked once."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import math
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

TEXT = (".csv", ".tsv", ".txt", ".data", ".arff")
LINES = (".jsonl", ".ndjson")
STATISTICS = {".sav": "SPSS", ".zsav": "SPSS", ".sas7bdat": "SAS", ".xpt": "SAS transport"}
WHOLE = (".parquet", ".feather", ".arrow", ".xlsx", ".dta", *STATISTICS)
PACKED = (".gz", ".bz2", ".xz", ".zip")
R_FILES = {".rds": "readRDS", ".rda": "load", ".rdata": "load"}
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


class SheetMissingError(ValueError):
    """A workbook lacks the sheet that was asked for."""


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
    if function := R_FILES.get(Path(lower).suffix):
        call = f"{function}({name!r})"
        call = f"get({call})" if function == "load" else call
        raise ValueError(
            f"`DATA` must be a table that other programs can read, got {name!r} of R. Write it as "
            f"CSV there: x <- {call}; write.csv(x, 'data.csv', row.names = FALSE)"
        )
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
    """Raise if a file lacks one of the needed columns."""
    present = set(names)
    absent = [name for name in needed if name not in present]
    if absent:
        raise ColumnsMissingError(
            f"the data must have the columns {[name[:80] for name in absent[:10]]}, which are "
            f"needed. They have: {[name[:80] for name in names[:10]]}."
        )


def check_names(name: object, columns: Sequence[str]) -> None:
    """Raise if two columns have one name."""
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


@contextmanager
def readable(source: Source, what: str, package: str = "pandas") -> Iterator[None]:
    """Turn every error of a reader into one that names the file, or what must be installed."""
    try:
        yield
    except (UnreadableTableError, ColumnsMissingError, SheetMissingError):
        raise
    except ImportError as error:
        raise needs(package, what) from error
    except Exception as error:  # damaged bytes reach every corner of the readers
        if type(error) is MemoryError:  # Arrow's own kind means that a file claims too much
            raise
        text = (str(error) or type(error).__name__).strip()
        raise unreadable(source.name, f"it is no whole {what} file ({text[:300]})") from error


def check_growth(name: object, stored: int, n_bytes: int) -> None:
    """Refuse small files that become huge: they were made to exhaust the memory."""
    if n_bytes > 2**30 and n_bytes > MAX_GROWTH * stored:
        raise unreadable(
            name,
            f"its {in_words(stored)} expand to {in_words(n_bytes)}, more than {MAX_GROWTH} times "
            "as much",
        )


STANDARD_INPUT = "-"
IN_MEMORY = 64 * 2**20  # bytes that are unpacked into memory; more go to a scratch file
XZ_MEMORY = 256 * 2**20  # more than any preset needs; a header may ask for gigabytes
BLOCK = 1 << 20  # bytes read at a time
_MAGIC = (
    (b"\x1f\x8b", "", ".gz"),
    (b"BZh", "", ".bz2"),
    (b"\xfd7zXZ\x00", "", ".xz"),
    (b"PK\x03\x04", "", ".zip"),
    (b"PAR1", ".parquet", ""),
    (b"ARROW1", ".arrow", ""),
    (b"<stata_dta>", ".dta", ""),
    (b"$FL2", ".sav", ""),
    (b"$FL3", ".zsav", ""),
    (b"HEADER RECORD***", ".xpt", ""),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", ".sas7bdat", ""),
    (b"{", ".jsonl", ""),
    (b"%", ".arff", ""),
    (b"@", ".arff", ""),
)


@dataclass(frozen=True, eq=False)
class Source:
    """The unpacked bytes of one table.

    Attributes
    ----------
    name : str
        For messages.
    kind : str
        Ending that says what it is.
    file : binary file
        May be read from any place, as often as needed.
    stored : int
        Bytes before unpacking.
    raw : binary file
        The bytes as they were found.
    sheet : str or None
        Of a workbook, the sheet to read; none for the first.
    """

    name: str
    kind: str
    file: IO[bytes]
    stored: int
    raw: IO[bytes]
    sheet: str | None = None

    def start(self) -> IO[bytes]:
        """The file at its beginning."""
        self.file.seek(0)
        return self.file

    def sha256(self) -> str:
        """Digest of the bytes as they were found, as ``sha256sum`` prints it."""
        self.raw.seek(0)
        digest = hashlib.sha256()
        while block := self.raw.read(BLOCK):
            digest.update(block)
        return digest.hexdigest()


@contextmanager
def open_source(place: str | Path, sheet: str | None = None) -> Iterator[Source]:
    """Open a file, or standard input if the name is ``-``, and unpack it."""
    with ExitStack() as stack:
        raw: IO[bytes]
        if str(place) == STANDARD_INPUT:
            name = "standard input"
            raw = stack.enter_context(_spool(name, _blocks(sys.stdin.buffer)))
            kind, packed = _by_content(raw)
        else:
            path, name = Path(place), str(place)
            if not path.is_file():
                raise FileNotFoundError(f"there is no file {path}. Check the path.")
            kind, packed = ending_of(path.name)
            raw = stack.enter_context(path.open("rb"))
        stored = raw.seek(0, 2)
        file, kind = _unpacked(name, raw, stored, kind, packed, stack)
        file.seek(0)
        if sheet is not None and kind != ".xlsx":
            raise ValueError(f"`--sheet` is for Excel files (.xlsx), got {name}. Leave it out.")
        yield Source(name, kind, file, stored, raw, sheet)


def _by_content(raw: IO[bytes]) -> tuple[str, str]:
    """Format and packing of bytes without a name; text unless they begin as another format."""
    raw.seek(0)
    head = raw.read(16)
    kind, packed = next(((k, p) for magic, k, p in _MAGIC if head.startswith(magic)), (".txt", ""))
    if packed == ".zip":
        raw.seek(0)
        if zipfile.is_zipfile(raw) and "xl/workbook.xml" in zipfile.ZipFile(raw).namelist():
            return ".xlsx", ""
    return kind, packed


def _unpacked(
    name: str, raw: IO[bytes], stored: int, kind: str, packed: str, stack: ExitStack
) -> tuple[IO[bytes], str]:
    """The file itself, or its unpacked content in memory or in a scratch file; and its ending."""
    raw.seek(0)
    if not packed:
        return raw, kind
    word = "gzip" if packed == ".gz" else packed.removeprefix(".")
    try:
        if packed == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(raw))
            member = _only_member(name, archive)
            kind = _kind_of_member(name, member.filename)
            opened: Any = stack.enter_context(archive.open(member))
            blocks = _blocks(opened)
        else:
            blocks = _OPENERS[packed](raw)
        file = stack.enter_context(_spool(name, blocks, stored))
    except UnreadableTableError:
        raise
    # zipfile raises the last one for a method that it does not know, and for a password
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError,
            RuntimeError) as error:  # fmt: skip
        text = str(error).strip()[:200]
        raise unreadable(name, f"it is not a whole {word} file ({text})") from error
    return file, kind or _by_content(file)[0]


def _only_member(name: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        m
        for m in archive.infolist()
        if not m.is_dir() and not m.filename.startswith("__MACOSX/") and m.file_size > 0
    ]
    if len(members) != 1:
        shown = ", ".join(repr(m.filename[:60]) for m in members[:5]) or "none"
        raise unreadable(
            name,
            f"an archive must hold one table, it holds {len(members)} ({shown}); unpack it and "
            "name the one that is meant",
        )
    return members[0]


def _kind_of_member(name: str, member: str) -> str:
    if not Path(member).suffix:  # as other programs name it; its content says what it is
        return ""
    try:
        kind, packed = ending_of(Path(member).name)
    except ValueError as error:
        raise unreadable(name, f"it holds {member[:60]!r}: {str(error).rstrip('.')}") from error
    if packed:
        raise unreadable(name, f"it holds {member[:60]!r}, which is packed again; unpack it")
    return kind


def _blocks(file: Any) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _xz_blocks(raw: IO[bytes]) -> Iterator[bytes]:
    """Unpack all streams of the file, with a limit on the memory that its header may ask for."""
    decoder, block = lzma.LZMADecompressor(memlimit=XZ_MEMORY), raw.read(BLOCK)
    while block or not decoder.needs_input:
        yield decoder.decompress(block, max_length=BLOCK)
        block = b""
        if decoder.eof:
            block = decoder.unused_data.lstrip(b"\0") or raw.read(BLOCK).lstrip(b"\0")
            if not block:
                return
            decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        elif decoder.needs_input:
            block = raw.read(BLOCK)
    raise EOFError("it ends too early")


_OPENERS: dict[str, Callable[[IO[bytes]], Iterator[bytes]]] = {
    ".gz": lambda raw: _blocks(gzip.GzipFile(fileobj=raw, mode="rb")),
    ".bz2": lambda raw: _blocks(bz2.BZ2File(raw)),
    ".xz": _xz_blocks,
}


def _spool(name: str, blocks: Iterator[bytes], stored: int | None = None) -> Any:
    """Blocks written to one file that can be read again; an error if they are too many."""
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # the caller closes
    try:
        total = 0
        for block in blocks:
            total += len(block)
            if total > MAX_BYTES:
                raise unreadable(name, f"it is larger than {in_words(MAX_BYTES)}")
            if stored is not None:
                check_growth(name, stored, total)
            file.write(block)
    except BaseException:
        file.close()
        raise
    return file
