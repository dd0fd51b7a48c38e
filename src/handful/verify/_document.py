"""Reading a model file with nothing but the standard library, and its content hash."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

MAX_BYTES = 256 * 2**20
HASH_FIELD = "content_sha256"


class UnreadableFileError(ValueError):
    """The file is not a JSON document of a sensible size."""


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def read_document(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """The document, and the hash of its content as written, digit by digit."""
    target = Path(path)
    if not target.is_file():
        raise FileNotFoundError(f"there is no model file {target}. Check the path.")
    if target.stat().st_size > MAX_BYTES:
        raise UnreadableFileError(f"{target} is larger than {MAX_BYTES >> 20} MiB.")
    try:
        text = target.read_bytes().decode("utf-8")
        document = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = str(error)[:200]
        raise UnreadableFileError(f"{target} is not a JSON document: {reason}.") from error
    if not isinstance(document, dict):
        raise UnreadableFileError(f"{target} must hold an object, not {type(document).__name__}.")
    return document, content_hash(text)


def content_hash(text: str) -> str:
    """SHA-256 of the content without its hash; numbers count as they are spelled.

    Examples
    --------
    >>> content_hash('{"a": 1, "b": 2}') == content_hash('{"b": 2,  "a": 1}')
    True
    >>> content_hash('{"a": 1}') == content_hash('{"a": 1.0}')
    False
    """
    spelled = json.loads(
        text, parse_int=lambda s: {"#": s}, parse_float=lambda s: {"#": s}, parse_constant=_refuse
    )
    spelled.pop(HASH_FIELD, None)
    plain = json.dumps(spelled, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
