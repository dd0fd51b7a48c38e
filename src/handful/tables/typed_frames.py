"""What the types of a table say of its columns, before any rule looks at its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.tables.cells import is_missing, word_of
from handful.tables.columns import Column, Columns


@dataclass(frozen=True)
class TypePart:
    """What a column, or one chunk of it, says by its type and its words.

    Attributes
    ----------
    kind : {"number", "category", "ordered", "objects"}
        "objects" if the type does not say what the cells are.
    n_numbers : int
        How many of the cells are numbers, if the type does not say.
    words : frozenset of str
    scale : tuple of str
        Ordered categories.
    """

    kind: str
    n_numbers: int = 0
    words: frozenset[str] = frozenset()
    scale: tuple[str, ...] = ()


def type_part(frame: Any, j: int) -> TypePart:
    """What a column of a data frame says."""
    dtype: Any = frame.dtypes.iloc[j] if hasattr(frame, "iloc") else frame.dtypes[j]
    if getattr(dtype, "ordered", False) and hasattr(frame, "iloc"):
        return TypePart("ordered", scale=tuple(word_of(word) for word in dtype.categories))
    kind = _type_of(dtype)
    if kind == "number":
        return TypePart(kind)
    cells = list(frame.iloc[:, j] if hasattr(frame, "iloc") else frame[:, j])
    known = [cell for cell in cells if not is_missing(cell)]
    # True and False are the numbers 1 and 0, also if a missing value is among them
    n_numbers = sum(isinstance(v, (int, float, np.number, np.bool_)) for v in known)
    if kind == "objects" and n_numbers == len(known):
        return TypePart(kind, n_numbers)
    return TypePart(kind, n_numbers, frozenset(word_of(v) for v in known))


def _type_of(dtype: Any) -> str:
    if getattr(dtype, "categories", None) is not None:
        return "category"
    if getattr(dtype, "kind", None) in ("b", "i", "u", "f"):
        return "number"
    is_numeric = getattr(dtype, "is_numeric", None)
    if is_numeric is not None and (is_numeric() or str(dtype) == "Boolean"):
        return "number"
    return "objects"


def typed_column(name: Any, parts: Sequence[TypePart]) -> Column:
    """The column that its parts (chunks of rows) show; all words, so that each has a code."""
    if parts and parts[0].scale:
        return Column(str(name), "ordered", levels=parts[0].scale)
    words = frozenset[str]().union(*(part.words for part in parts))
    is_words = any(part.kind == "category" for part in parts)
    if not is_words and not words:
        return Column(str(name), "")
    if not is_words and any(part.n_numbers > 0 for part in parts):
        # what the column means must not depend on which values happened to be drawn
        raise ValueError(
            f"Column {name!r} mixes numbers and words. "
            "Convert it to numbers, or to words, before fitting."
        )
    return Column(str(name), "words", levels=tuple(sorted(words)))


def typed_columns(frame: Any) -> Columns | None:
    """Columns of a data frame with words or categories, as its types say; None if all are numbers.

    Codes of words only stand for equality, so that reading them off the training data needs no
    message. Ordered categories are known before the data: they are places on the scale.
    """
    if not hasattr(frame, "columns") or not hasattr(frame, "dtypes"):
        return None
    named = enumerate(frame.columns)
    columns = tuple(typed_column(name, [type_part(frame, j)]) for j, name in named)
    return None if all(column.kind == "" for column in columns) else Columns(columns)
