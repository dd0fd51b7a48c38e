"""Reading a model file with nothing but the standard library, and its content hash."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Any

from handful.verify._audit import Audit

MAX_BYTES = 64 * 2**20  # read whole into memory before anything is known of it
# Checked on the bytes, before anything is built.
MAX_VALUES, MAX_TEXT, MAX_DIGITS = 4_000_000, 100_000, 40
HASH_FIELD = "content_sha256"
FORMAT, VERSION = "handful-model", 3
FIELDS = sorted(
    [
        *("format", "version", "fitted", "labels", "certificate", "kept", "training", "data"),
        *("provenance", HASH_FIELD),
    ]
)


_PARTS = {
    "fitted": ("form", "columns", "classes", "machine"),
    "data": (
        *("file", "target", "groups", "reading", "n_set_aside", "sha256", "n_rows", "n_features"),
        *("columns", "features", "words", "row_codes", "seed"),
    ),
    "provenance": ("estimator", "versions"),
}
_TRAINING = {
    "machine": ("kind", "parameters", "n_groups", "delta"),
    "rules": (
        *("kind", "candidates", "family_sets", "pool_families", "kinds", "n_kernels", "n_groups"),
        *("delta", "costs", "group_loss", "codes"),
    ),
    "menu": (
        *("kind", "candidates", "tolerance", "delta", "pool_share", "group_loss", "chosen"),
        *("is_default", "goal", "band", "rank", "n_candidates", "estimators_sha256"),
    ),
}


def check_head(audit: Audit, document: Any, digest: str) -> bool:
    """Hash, format and fields of a document, and labels that are its classes."""
    audit.equal("content hash", document.get(HASH_FIELD), digest)
    is_known = audit.equal("format", document.get("format"), FORMAT)
    is_known &= audit.equal("version", document.get("version"), VERSION)
    if not is_known or not audit.equal("fields", sorted(document), FIELDS):
        return False
    wanted = {**_PARTS, "training": _TRAINING[document["training"]["kind"]]}
    found = [audit.equal(f"{n}: fields", sorted(document[n]), sorted(wanted[n])) for n in wanted]
    if not all(found):
        return False
    labels, classes = document["labels"], document["fitted"]["classes"]
    said = classes if labels is None else [str(label) for label in labels]
    is_same = said == classes and not all(isinstance(label, str) for label in labels or [0])
    return audit.check("labels", is_same, "are not the classes as values")


class UnreadableFileError(ValueError):
    """The file is not a JSON document of a sensible size."""


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, {MAX_DIGITS} at most")
    return int(digits)


def _real(digits: str) -> float:
    value = math.inf if len(digits) > MAX_DIGITS else float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is too large or too long a number")
    return value


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
    size = target.stat().st_size
    if size > MAX_BYTES:
        raise UnreadableFileError(f"{target} has {size} bytes, larger than {MAX_BYTES}.")
    content = target.read_bytes()
    try:
        _check_sizes(content)
        document = json.loads(
            content.decode("utf-8"),
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_real,
            object_pairs_hook=_once_each,
        )
    except (ValueError, RecursionError) as error:
        reason = str(error)[:200]
        raise UnreadableFileError(f"{target} is not a JSON document: {reason}.") from error
    if not isinstance(document, dict):
        raise UnreadableFileError(f"{target} must hold an object, not {type(document).__name__}.")
    return document, _digest(content)


# quoted texts (even open ones), blanks, the rest: something matches everywhere, once
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?+"?+|\s++|[^"\s]++', re.DOTALL)
_SEAL = re.compile(rb'(?<!\\)"%b"\s*+:\s*+"[0-9a-f]*+"' % HASH_FIELD.encode())


def _check_sizes(content: bytes) -> None:
    """Cheap limits before anything is built: number of values, length of texts."""
    n_values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if n_values > MAX_VALUES:
        raise ValueError(f"about {n_values} values, {MAX_VALUES} at most")
    longest = max((m.end() - m.start() for m in _TOKENS.finditer(content)
                   if content[m.start()] == 34), default=0)  # fmt: skip
    if longest > MAX_TEXT:
        raise ValueError(f"a text of {longest} bytes, {MAX_TEXT} at most")


def content_hash(text: str) -> str:
    """SHA-256 of the text without blanks outside quotes and without the hash field itself.

    Examples
    --------
    >>> content_hash('{"a": 1}') == content_hash('{"a":  1, "content_sha256": "77"}')
    True
    >>> content_hash('{"a": 1}') == content_hash('{"a": 1.0}')
    False
    """
    return _digest(text.encode())


def hash_of(document: Any) -> str:
    """`content_hash` of a document that is no text yet."""
    return content_hash(json.dumps(document))


def _digest(content: bytes) -> str:
    digest, before = hashlib.sha256(), content
    if (seal := _SEAL.search(content)) is not None:
        before, content = content[: seal.start()].rstrip(), content[seal.end() :]
        before = before[:-1] if before.endswith(b",") else before
    else:
        content = b""
    for part in (before, content):
        for token in _TOKENS.finditer(part):
            if not token[0].isspace():
                digest.update(token[0])
    return digest.hexdigest()
