"""Estimators of other libraries in a file of their own, written by skops and never by pickle.

A model file names the digest of the file beside it. That file holds the fitted estimators of the
chosen form and, as they were given, the estimators that stood on the menu: without them nobody
could train again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handful.rules.fields import ModelFileError

SUFFIX = ".skops"
MAX_BYTES = 512 * 2**20  # a forest of thousands of deep trees; more is damage
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
    return sorted(set(_skops().get_untrusted_types(data=_content(beside(path)))) - HARMLESS)


def read_estimators(path: Any, digest: str, trusted: Sequence[str] = ()) -> Estimators:
    """What `pack` wrote, if the file beside a model file is the one that it names.

    Parameters
    ----------
    path : path
        The model file (.json).
    digest : str
        What it says of the file beside it.
    trusted : sequence of str
        Types that may be built beside those that skops trusts.
    """
    place = beside(path)
    content = _content(place)
    if digest_of(content) != digest:
        raise ModelFileError(
            f"{place.name} is not the file that the model names: its digest differs. "
            "Use the two files that were written together."
        )
    skops = _skops()
    try:
        unknown = sorted(set(skops.get_untrusted_types(data=content)) - {*HARMLESS, *trusted})
    except Exception as error:  # a damaged archive may fail in any way
        raise ModelFileError(f"{place.name} cannot be read: {error}") from error
    if unknown:
        raise ModelFileError(
            f"{place.name} holds types that are not trusted: {', '.join(unknown)}. Building them "
            "may run their code: look at them, and name those you trust (`trusted`, --trust)."
        )
    try:
        found = skops.loads(content, trusted=sorted({*HARMLESS, *trusted}))
    except Exception as error:
        raise ModelFileError(f"{place.name} cannot be read: {error}") from error
    return Estimators(tuple(found["fitted"]), dict(found["candidates"]))


def _content(place: Path) -> bytes:
    if not place.is_file():
        raise FileNotFoundError(f"there is no file {place} beside the model. Keep them together.")
    size = place.stat().st_size
    if size > MAX_BYTES:
        raise ModelFileError(f"{place.name} has {size} bytes, which is larger than {MAX_BYTES}.")
    return place.read_bytes()
