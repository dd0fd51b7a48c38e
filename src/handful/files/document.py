"""Documents on disk: written whole or not at all, read strictly, protected by a content hash."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handful.codec import ModelFileError

MAX_BYTES = 64 * 2**20  # read whole into memory before anything is known of it
MAX_ITEMS = 4_000_000  # values in a file
MAX_TEXT = 100_000  # bytes of a name, a label, a sentence
MAX_DIGITS = 40  # of a number
HASH_FIELD = "content_sha256"
FORMAT = "handful-model"


def named_by_digest(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Columns by 64 bits of the SHA-256 of their names; the table itself gives the names.

    Examples
    --------
    >>> named_by_digest(["age"])
    ('5c557c970f513a62',)
    """
    if names is None:
        return None
    texts = [f"handful column {name}".encode() for name in names]
    return tuple(hashlib.sha256(text).hexdigest()[:16] for text in texts)


def _refuse_constant(name: str) -> Any:
    raise ModelFileError(f"the file holds {name}, which is not a number. It is not usable.")


def _read_whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ModelFileError(f"a whole number has {len(digits)} digits, {MAX_DIGITS} at most.")
    return int(digits)


def _read_real(digits: str) -> float:
    if len(digits) > MAX_DIGITS or not math.isfinite(float(digits)):
        raise ModelFileError(f"the number {digits[:40]} is too large or too long.")
    return float(digits)


def to_text(document: Mapping[str, Any]) -> str:
    """The JSON text of a document, with the hash of its content as the last field."""
    plain = {name: value for name, value in document.items() if name != HASH_FIELD}
    digest = content_hash(json.dumps(plain, allow_nan=False))
    return json.dumps({**plain, HASH_FIELD: digest}, indent=1, allow_nan=False) + "\n"


# matches everywhere and never tries a text again: time and memory grow with the length alone
_PIECES = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?+"?+|\s++|[^"\s]++', re.DOTALL)
_OWN = re.compile(rb'(?<!\\)"' + HASH_FIELD.encode() + rb'"\s*+:\s*+"[0-9a-f]*+"')


def content_hash(text: str) -> str:
    """SHA-256 of a JSON text without blanks and without its hash field, digit by digit.

    Examples
    --------
    >>> content_hash('{"a": 1}') == content_hash('{"a":1, "content_sha256": "00"}')
    True
    """
    content = text.encode(errors="surrogatepass")
    digest = hashlib.sha256()
    own = _OWN.search(content)
    head = content if own is None else content[: own.start()].rstrip().removesuffix(b",")
    tail = b"" if own is None else content[own.end() :]
    for part in (head, tail):
        for piece in _PIECES.finditer(part):
            if not piece[0].isspace():
                digest.update(piece[0])
    return digest.hexdigest()


def _check_sizes(content: bytes) -> None:
    """Refuse what would cost more than it can be worth, before anything is built from it."""
    n_values = sum(content.count(mark) for mark in (b",", b"[", b"{"))
    if n_values > MAX_ITEMS:
        raise ModelFileError(f"the file holds about {n_values} values, {MAX_ITEMS} at most.")
    for piece in _PIECES.finditer(content):
        length = piece.end() - piece.start()
        if length > MAX_TEXT and content[piece.start()] == ord('"'):
            raise ModelFileError(f"a text has {length} bytes, {MAX_TEXT} at most.")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ModelFileError("a field occurs twice in the same object. The file is not usable.")
    return found


def read_text_of(path: str | os.PathLike[str]) -> str:
    """The text of a model file of a sensible size."""
    target = Path(path)
    if not target.is_file():
        raise FileNotFoundError(f"there is no model file {target}. Check the path.")
    size = target.stat().st_size
    if size > MAX_BYTES:
        raise ModelFileError(f"{target} has {size} bytes, which is larger than {MAX_BYTES}.")
    try:
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{target} is not a JSON document: {error}.") from error


def from_text(text: str) -> Any:
    """The document of a JSON text; its hash must fit its content."""
    content = text.encode(errors="surrogatepass")
    _check_sizes(content)
    try:
        data = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_read_whole,
            parse_float=_read_real,
            object_pairs_hook=_refuse_twins,
        )
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it is not a JSON document: {str(error)[:200]}.") from error
    is_model = isinstance(data, dict) and data.get("format") == FORMAT
    if is_model and HASH_FIELD in data and data[HASH_FIELD] != content_hash(text):
        raise ModelFileError(
            "the content does not fit its hash: the file was altered or damaged after it was "
            "written. Run `handful verify` to see what differs, or train again."
        )
    return data
