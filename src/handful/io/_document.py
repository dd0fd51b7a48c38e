"""Documents on disk: written whole or not at all, read strictly, protected by a content hash."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.io._rules import ModelFileError

MAX_BYTES = 64 * 2**20
HASH_FIELD = "content_sha256"


def fingerprint(X: NDArray[np.float64], y: NDArray[Any]) -> str:
    """Hash of the training rows: shape, numbers (one zero, one NaN) and labels, in order.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint(np.array([[0.0]]), np.array([1])) == fingerprint(np.array([[-0.0]]), ["1"])
    True
    """
    X = np.asarray(X, dtype=np.float64) + 0.0
    X[np.isnan(X)] = np.nan
    digest = hashlib.sha256(json.dumps(list(X.shape)).encode())
    digest.update(np.ascontiguousarray(X, dtype="<f8").tobytes())
    digest.update(json.dumps([str(label) for label in y]).encode())
    return digest.hexdigest()


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write to a temporary file beside ``path``, then rename: whole or not at all."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist. Create it first.")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _refuse_constant(name: str) -> Any:
    raise ModelFileError(f"the file holds {name}, which is not a number. It is not usable.")


def to_text(document: Mapping[str, Any]) -> str:
    """The JSON text of a document, with the hash of its content as the last field."""
    plain = {name: value for name, value in document.items() if name != HASH_FIELD}
    digest = content_hash(json.dumps(plain, allow_nan=False))
    return json.dumps({**plain, HASH_FIELD: digest}, indent=1, allow_nan=False) + "\n"


_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')
_OWN = re.compile(rf',?"{HASH_FIELD}":"[0-9a-f]*"')


def content_hash(text: str) -> str:
    """SHA-256 of a JSON text without blanks and without its hash field, digit by digit.

    Examples
    --------
    >>> content_hash('{"a": 1}') == content_hash('{"a":1, "content_sha256": "00"}')
    True
    """
    plain = _OWN.sub("", _BLANKS.sub(r"\1", text), count=1)
    return hashlib.sha256(plain.encode()).hexdigest()


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
    if target.stat().st_size > MAX_BYTES:
        raise ModelFileError(f"the file {target} is larger than {MAX_BYTES >> 20} MiB.")
    try:
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{target} is not a JSON document: {error}.") from error


def from_text(text: str) -> Any:
    """The document of a JSON text; its hash must fit its content."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:  # whole numbers of thousands of digits too
        raise ModelFileError(f"it is not a JSON document: {str(error)[:200]}.") from error
    is_model = isinstance(data, dict) and data.get("format") == "handful-model"
    if is_model and HASH_FIELD in data and data[HASH_FIELD] != content_hash(text):
        raise ModelFileError(
            "the content does not fit its hash: the file was altered or damaged after it was "
            "written. Run `handful verify` to see what differs, or train again."
        )
    return data
