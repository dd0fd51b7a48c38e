"""Where a table comes from: a file, packed or not, or standard input; opened once."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from handful.tables._files import (
    MAX_BYTES,
    UnreadableTableError,
    check_growth,
    ending_of,
    in_words,
    unreadable,
)

STANDARD_INPUT = "-"
IN_MEMORY = 64 * 2**20  # bytes that are unpacked into memory; more go to a scratch file
XZ_MEMORY = 256 * 2**20  # more than any preset needs; a header may ask for gigabytes
_BLOCK = 1 << 20  # bytes read at a time
_MAGIC = (
    (b"\x1f\x8b", "", ".gz"),
    (b"BZh", "", ".bz2"),
    (b"\xfd7zXZ\x00", "", ".xz"),
    (b"PK\x03\x04", "", ".zip"),
    (b"PAR1", ".parquet", ""),
    (b"ARROW1", ".arrow", ""),
    (b"<stata_dta>", ".dta", ""),
    (b"{", ".jsonl", ""),
    (b"%", ".arff", ""),
    (b"@", ".arff", ""),
)


@dataclass(frozen=True, eq=False)
class Source:
    """Bytes of one table, unpacked.

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
    """

    name: str
    kind: str
    file: IO[bytes]
    stored: int
    raw: IO[bytes]

    def start(self) -> IO[bytes]:
        """The file at its beginning."""
        self.file.seek(0)
        return self.file

    def sha256(self) -> str:
        """Digest of the bytes as they were found, as ``sha256sum`` prints it."""
        self.raw.seek(0)
        digest = hashlib.sha256()
        while block := self.raw.read(_BLOCK):
            digest.update(block)
        return digest.hexdigest()


@contextmanager
def open_source(place: str | Path) -> Iterator[Source]:
    """Open a file, or standard input where the name is ``-``, and unpack it."""
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
        yield Source(name, kind, file, stored, raw)


def _by_content(raw: IO[bytes]) -> tuple[str, str]:
    """What bytes without a name are; text unless they begin as something else does."""
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
    """The file itself, or its content in memory or in a scratch file; and its ending."""
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
    while block := file.read(_BLOCK):
        yield block


def _xz_blocks(raw: IO[bytes]) -> Iterator[bytes]:
    """Of all streams of the file, with a limit on the memory that its header may ask for."""
    decoder, block = lzma.LZMADecompressor(memlimit=XZ_MEMORY), raw.read(_BLOCK)
    while block or not decoder.needs_input:
        yield decoder.decompress(block, max_length=_BLOCK)
        block = b""
        if decoder.eof:
            block = decoder.unused_data.lstrip(b"\0") or raw.read(_BLOCK).lstrip(b"\0")
            if not block:
                return
            decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        elif decoder.needs_input:
            block = raw.read(_BLOCK)
    raise EOFError("it ends too early")


_OPENERS: dict[str, Callable[[IO[bytes]], Iterator[bytes]]] = {
    ".gz": lambda raw: _blocks(gzip.GzipFile(fileobj=raw, mode="rb")),
    ".bz2": lambda raw: _blocks(bz2.BZ2File(raw)),
    ".xz": _xz_blocks,
}


def _spool(name: str, blocks: Iterator[bytes], stored: int | None = None) -> Any:
    """Blocks in one file that can be read again; not too many of them."""
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
