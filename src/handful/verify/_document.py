"""Reading a model file with nothing but the standard library, and its content hash."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

MAX_BYTES = 64 * 2**20
HASH_FIELD = "content_sha256"


class UnreadableFileError(ValueError):
    """The file is not a JSON document of a sensible size."""


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a field occurs twice in the same object")
    return dict(pairs)


def read_document(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """The document, and the hash of its content as written, digit by digit."""
    target = Path(path)
    if not target.is_file():
        raise FileNotFoundError(f"there is no model file {target}. Check the path.")
    if target.stat().st_size > MAX_BYTES:
        raise UnreadableFileError(f"{target} is larger than {MAX_BYTES >> 20} MiB.")
    try:
        text = target.read_bytes().decode("utf-8")
        document = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        reason = str(error)[:200]
        raise UnreadableFileError(f"{target} is not a JSON document: {reason}.") from error
    if not isinstance(document, dict):
        raise UnreadableFileError(f"{target} must hold an object, not {type(document).__name__}.")
    return document, content_hash(text)


def content_hash(text: str) -> str:
    """SHA-256 of the text without blanks outside quotes and without the hash field itself.

    Examples
    --------
    >>> content_hash('{"a": 1}') == content_hash('{"a":  1, "content_sha256": "77"}')
    True
    >>> content_hash('{"a": 1}') == content_hash('{"a": 1.0}')
    False
    """
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|[^"\s]+', text)  # quoted texts, and the rest
    plain = re.sub(rf',?"{HASH_FIELD}":"[0-9a-f]*"', "", "".join(pieces), count=1)
    return hashlib.sha256(plain.encode()).hexdigest()
