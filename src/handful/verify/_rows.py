"""The training data as numbers, read by the categories of the model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # a mark of pandas that is neither true nor false
        return True


def word_form(value: Any) -> str:
    """A category in its normal form: 3, 3.0, "3" and "3.0" are one word."""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        # From 2^53 on floats are whole by rounding, and their digits are not those that were
        # written.
        is_exact = number.is_integer() and abs(number) < 2.0**53
        return str(int(number)) if is_exact else repr(number)
    text = str(value).strip()
    whole, dot, zeros = text.partition(".")
    digits = whole.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 15
    if dot and zeros and not zeros.strip("0") and is_number and str(int(digits)) == digits:
        return str(int(whole))
    return text


def _column(X: Any, j: int, name: str | None) -> list[Any]:
    if name is not None and hasattr(X, "columns"):
        names = [str(column) for column in X.columns]
        if names.count(name) != 1:
            raise ValueError(f"the data have {names.count(name)} columns named {name!r}")
        position = names.index(name)
        return _cells(X.iloc[:, position]) if hasattr(X, "iloc") else list(X[:, position])
    return list(np.asarray(X)[:, j])


def _cells(column: Any) -> list[Any]:
    """Cells of a column of a frame; ordered categories by their place."""
    if not getattr(column.dtype, "ordered", False):
        return list(column)
    return [None if code < 0 else float(code) for code in column.cat.codes]


def read_rows(document: Mapping[str, Any], X: Any) -> Floats:
    """Matrix of the columns that the model was trained on, words as codes of the file."""
    n_features = document["n_features"]
    names: Sequence[str | None] = document["feature_names"] or [None] * n_features
    categories = document["categories"] or [None] * n_features
    if len(names) != n_features or len(categories) != n_features:
        raise ValueError("names and categories must be one a feature")
    rows = np.empty((len(X), n_features))
    for j, (name, known) in enumerate(zip(names, categories, strict=True)):
        column = _column(X, j, name)
        if known is None:
            rows[:, j] = [np.nan if is_missing(v) else float(v) for v in column]
            continue
        code = {word: float(k) for k, word in enumerate(known)}
        # A word that the file does not know equals none of its own.
        rows[:, j] = [np.nan if is_missing(v) else code.get(word_form(v), -1.0) for v in column]
    return rows


def words_of(X: Any, j: int, name: str | None) -> list[str]:
    """All words of a column, in order."""
    return sorted({word_form(v) for v in _column(X, j, name) if not is_missing(v)})
