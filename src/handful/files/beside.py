"""Estimators of other libraries in a file of their own, written by skops and never by pickle.

A model file names the digest of the file beside it. That file holds the fitted estimators of the
chosen form and, as they were given, the estimators that stood on the menu: they are needed to
train again.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from handful.codec import ModelFileError

SUFFIX = ".skops"
MAX_BYTES = 512 * 2**20  # a forest of thousands of deep trees; more is damage
PLAN = "schema.json"  # what skops builds, and from which parts of the archive
MAX_PLAN = 32 * 2**20  # bytes; it becomes about twenty times as large in memory
HARMLESS = frozenset({"numpy.dtype"})  # plain data that skops does not know as such
_HOW = "Install it with: pip install 'handful[skops]'."


@dataclass(frozen=True)
class Estimators:
    """Fitted estimators by their places in a form, and those given as candidates by name."""

    fitted: tuple[Any, ...] = ()
    candidates: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fitted or self.candidates)


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            f"files of other libraries' estimators are written and read by skops. {_HOW}"
        ) from error
    return skops.io


def pack(estimators: Estimators) -> bytes:
    """The content of the file beside a model file."""
    content = {"fitted": list(estimators.fitted), "candidates": dict(estimators.candidates)}
    try:
        return bytes(_skops().dumps(content))
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TypeError(
            f"the estimators of this menu cannot be written by skops: {str(error)[:200]}. Choose a "
            "form of handful, on a menu of such forms."
        ) from error


def digest_of(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def beside(path: Any) -> Path:
    """Where the estimators of a model file are."""
    return Path(path).with_suffix(SUFFIX)


def untrusted_types(path: Any) -> list[str]:
    """Types in the file beside a model file that are not trusted without being named.

    Parameters
    ----------
    path : path
        The model file (.json).
    """
    place = beside(path)
    return sorted(set(_untrusted(_content(place), place.name)) - HARMLESS)


def read_estimators(path: Any, digest: str, trusted: Sequence[str] = ()) -> Estimators:
    """Read the file beside a model file, if it is the one that the model file names.

    Parameters
    ----------
    path : path
        The model file (.json).
    digest : str
        What it says of the file beside it.
    trusted : sequence of str
        Types that may be built beside those that skops trusts.
    """
    content = _content(beside(path))
    if digest_of(content) != digest:
        raise ModelFileError(
            f"{beside(path).name} is not the file that the model names: its digest differs. "
            "Use the two files that were written together."
        )
    return unpack(content, trusted, beside(path).name)


def unpack(content: bytes, trusted: Sequence[str] = (), name: str = "the archive") -> Estimators:
    """Read what `pack` wrote; errors call the archive ``name``."""
    unknown = sorted(set(_untrusted(content, name)) - {*HARMLESS, *trusted})
    if unknown:
        raise ModelFileError(
            f"{name} holds types that are not trusted: {', '.join(unknown)}. Building them "
            "may run their code: look at them, and name those you trust (`trusted`, --trust)."
        )
    try:
        found = _skops().loads(content, trusted=sorted({*HARMLESS, *trusted}))
        return Estimators(tuple(found["fitted"]), dict(found["candidates"]))
    except Exception as error:  # a damaged archive may fail in any way
        raise ModelFileError(f"{name} cannot be read: {error}") from error


def _untrusted(content: bytes, name: str) -> list[str]:
    """Types in an archive that skops does not trust. An archive that is too large is refused."""
    skops = _skops()
    try:
        _check_sizes(content)
        return list(skops.get_untrusted_types(data=content))
    except Exception as error:  # a damaged archive may fail in any way
        raise ModelFileError(f"{name} cannot be read: {error}") from error


def _check_sizes(content: bytes) -> None:
    """Refuse an archive that unpacks to too much; skops reads a part as often as it is named.

    A part is never unpacked beyond the size that the directory states, so that these sizes are
    what reading takes.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {part.filename: part for part in archive.infolist()}
        if parts[PLAN].file_size > MAX_PLAN:
            raise ValueError(f"its plan has {parts[PLAN].file_size} bytes, {MAX_PLAN} at most.")
        named = Counter(_parts_in(json.loads(archive.read(PLAN))))
        _limit(sum(n * parts[name].file_size for name, n in named.items()))
        _limit(sum(n * _size_in_memory(archive, parts[name]) for name, n in named.items()))


def _limit(n_bytes: int) -> None:
    if n_bytes > MAX_BYTES:
        raise ValueError(f"it unpacks to {n_bytes} bytes, {MAX_BYTES} at most.")


def _parts_in(plan: Any) -> Iterator[str]:
    """Parts of the archive that a plan names, each as often as it does."""
    stack = [plan]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("file"), str):
                yield node["file"]
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _size_in_memory(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    """Bytes of an array, as its header states them; the sum over all arrays if it is sparse."""
    with archive.open(part) as file:
        if part.filename.endswith(".npy"):
            return _size_of_array(file)
        if not part.filename.endswith(".npz"):
            return part.file_size
        with zipfile.ZipFile(io.BytesIO(file.read())) as inner:
            _limit(sum(array.file_size for array in inner.infolist()))
            sizes = []
            for array in inner.infolist():
                with inner.open(array) as one:
                    sizes.append(_size_of_array(one))
            return sum(sizes)


def _size_of_array(file: Any) -> int:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, _, dtype = read(file)
    return int(math.prod(shape)) * int(dtype.itemsize)


def _content(place: Path) -> bytes:
    if not place.is_file():
        raise FileNotFoundError(f"there is no file {place} beside the model. Keep them together.")
    size = place.stat().st_size
    if size > MAX_BYTES:
        raise ModelFileError(f"{place.name} has {size} bytes, which is larger than {MAX_BYTES}.")
    return place.read_bytes()
