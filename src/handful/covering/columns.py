"""From what the user passes to float matrices, category codes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Mask
from handful.tables import is_missing, word_of

UNKNOWN = -1.0  # no category has this code: such a word equals none


@dataclass(frozen=True)
class Columns:
    """How columns are read: category codes by column, numbers as they are.

    Words are compared in their normal form (`handful.tables.word_of`). Codes only stand for
    equality, so that reading them off the training data needs no message. The words of ``scales``
    are the ordered categories of a column, known before the data: they are places on the scale.
    """

    categories: tuple[tuple[str, ...] | None, ...]
    scales: tuple[tuple[str, ...] | None, ...] = ()

    @property
    def words(self) -> tuple[tuple[str, ...] | None, ...]:
        """The words to print, of categories and of scales."""
        return tuple(c or self.scale(j) for j, c in enumerate(self.categories))

    def scale(self, j: int) -> tuple[str, ...] | None:
        """The ordered words of a column, where it has some."""
        return self.scales[j] if self.scales else None

    @property
    def is_categorical(self) -> Mask:
        """Which columns are compared by equality."""
        return np.array([c is not None for c in self.categories], dtype=bool)

    def encode(self, frame: Any) -> Floats:
        """Float matrix of a frame; unknown categories share a code that no known one has.

        They are not missing: a rule "colour ≠ red" covers a colour never seen before. Otherwise
        what the machine does to it would depend on all training examples, not on the kept ones.
        """
        out = np.empty((len(frame), len(self.categories)))
        for j, known in enumerate(self.categories):
            column = _column(frame, j)
            scale = self.scale(j)
            if scale is not None:
                out[:, j] = places(column, scale)
                continue
            if known is None:
                out[:, j] = [np.nan if is_missing(v) else float(v) for v in column]
                continue
            code = {value: float(k) for k, value in enumerate(known)}
            words = [None if is_missing(v) else word_of(v) for v in column]
            out[:, j] = [np.nan if w is None else code.get(w, UNKNOWN) for w in words]
        return out


def places(cells: Sequence[Any], scale: Sequence[str]) -> list[float]:
    """Places of words on a scale; a word that is not on it counts as missing.

    Examples
    --------
    >>> places(["II", "i", None, "VI"], ("I", "II", "III"))
    [1.0, 0.0, nan, nan]
    """
    place = {word.casefold(): float(k) for k, word in enumerate(scale)}
    return [np.nan if is_missing(v) else place.get(word_of(v).casefold(), np.nan) for v in cells]


def scale_of(frame: Any, j: int) -> tuple[str, ...] | None:
    """The words of a column of ordered categories, in their order."""
    dtype: Any = frame.dtypes.iloc[j] if hasattr(frame, "iloc") else None
    if not getattr(dtype, "ordered", False):
        return None
    return tuple(word_of(word) for word in dtype.categories)


def _column(frame: Any, j: int) -> Sequence[Any]:
    return list(frame.iloc[:, j] if hasattr(frame, "iloc") else frame[:, j])


def _is_number(value: Any) -> bool:
    """True and False are the numbers 1 and 0, also where a missing value is among them."""
    return isinstance(value, (int, float, np.number, np.bool_))


def _type_of(frame: Any, j: int) -> str:
    """Either "number" or "category" where the column's type says so, else "objects"."""
    dtype = frame.dtypes.iloc[j] if hasattr(frame, "iloc") else frame.dtypes[j]
    if getattr(dtype, "categories", None) is not None:
        return "category"
    if getattr(dtype, "kind", None) in ("b", "i", "u", "f"):
        return "number"
    is_numeric = getattr(dtype, "is_numeric", None)
    if is_numeric is not None and (is_numeric() or str(dtype) == "Boolean"):
        return "number"
    return "objects"


ColumnPart = tuple[str, int, frozenset[str]]


def column_parts(frame: Any, j: int) -> ColumnPart:
    """What a column says: its type, how many numbers it holds, and its words."""
    kind = _type_of(frame, j)
    if kind == "number":
        return kind, 0, frozenset()
    column = [v for v in _column(frame, j) if not is_missing(v)]
    n_numbers = sum(_is_number(v) for v in column)
    if kind == "objects" and n_numbers == len(column):
        return kind, n_numbers, frozenset()
    return kind, n_numbers, frozenset(word_of(v) for v in column)


def merged_categories(name: Any, parts: Sequence[ColumnPart]) -> tuple[str, ...] | None:
    """Sorted categories of a column that may be cut into parts, None where it holds numbers."""
    words = frozenset[str]().union(*(part[2] for part in parts))
    is_words = any(kind == "category" for kind, _, _ in parts)
    if not is_words and not words:
        return None
    if not is_words and any(part[1] > 0 for part in parts):
        # what the column means must not depend on which values happened to be drawn
        raise ValueError(
            f"Column {name!r} mixes numbers and words. "
            "Convert it to numbers, or to words, before fitting."
        )
    return tuple(sorted(words))


def read_columns(frame: Any) -> Columns | None:
    """The columns of a data frame that has words or categories; None where all are numbers."""
    if not hasattr(frame, "columns") or not hasattr(frame, "dtypes"):
        return None
    scales = tuple(scale_of(frame, j) for j in range(frame.shape[1]))
    categories = tuple(
        merged_categories(frame.columns[j], [column_parts(frame, j)]) if scale is None else None
        for j, scale in enumerate(scales)
    )
    if all(c is None for c in (*categories, *scales)):
        return None
    return Columns(categories, scales if any(scales) else ())


def steering_weights(sample_weight: Any, n_samples: int, unit: int) -> NDArray[np.int64]:
    """Weights as whole parts of a unit, with a mean of one unit.

    Examples
    --------
    >>> steering_weights([1.0, 3.0], 2, 10)
    array([ 5, 15])
    """
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.shape != (n_samples,):
        raise ValueError(
            f"`sample_weight` must have shape ({n_samples},), got {weight.shape}. "
            "Pass one weight an example."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(
            "`sample_weight` must hold finite numbers, none negative. Use 0 for examples that "
            "should not steer the search; they count in the certificate all the same."
        )
    if weight.sum() == 0:
        raise ValueError("`sample_weight` must not be all zero. Give some example a weight of 1.")
    share = weight / weight.max()
    return np.rint(unit * share / share.mean()).astype(np.int64)
