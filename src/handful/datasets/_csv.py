"""One table of features and labels from a file, as numbers, with errors that help."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from handful.tables import is_missing, read_frame

LABEL = "label"


@dataclass(frozen=True, eq=False)
class Table:
    """Features, labels, and the words behind columns of words."""

    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]


def read_csv(file: Path | Traversable) -> Table:
    """Read a ``.csv`` or ``.csv.gz`` file with a header row.

    The label is the column named ``label``, else the last one. A column in which every
    cell is a number or missing becomes floats; one in which no cell is a number becomes
    ranks in alphabetical order; a mixture is an error, since it is more often a slip.
    """
    with as_file(file) as path:
        frame = read_frame(path)
    where = str(file) if isinstance(file, Path) else file.name
    names = [str(name) for name in frame.columns]
    _check_header(names, where)
    at = names.index(LABEL) if LABEL in names else len(names) - 1
    features, categories = [], {}
    for index, name in enumerate(names):
        if index == at:
            continue
        values, words = _read_feature(frame.iloc[:, index], name, where)
        features.append(values)
        if words:
            categories[name] = words
    y = _read_label(frame.iloc[:, at], where)
    kept = tuple(name for index, name in enumerate(names) if index != at)
    return Table(np.column_stack(features), y, kept, categories)


def _check_header(names: list[str], where: str) -> None:
    if len(names) < 2:
        raise ValueError(
            f"{where} must have at least one feature and a label, got the header {names}. "
            "Separate the columns by commas."
        )
    if all(_is_number(name) for name in names):
        raise ValueError(
            f"{where} must start with column names, got only numbers ({names[0]}, ...). "
            "Add a header row."
        )


def _read_feature(column: Any, name: str, where: str) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Values of a feature column, and its words if it is a column of words."""
    if column.dtype.kind in "iuf":
        values = column.to_numpy(dtype=np.float64)
    else:
        cells = [None if is_missing(cell) else str(cell).strip() for cell in column]
        known = [cell for cell in cells if cell is not None]
        if known and not any(_is_number(cell) for cell in known):
            words = sorted(set(known))
            rank = {word: float(k) for k, word in enumerate(words)}
            ranks = [np.nan if cell is None else rank[cell] for cell in cells]
            return np.array(ranks), tuple(words)
        values = np.array([_as_number(cell, k, name, where) for k, cell in enumerate(cells)])
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"{where}: column {name!r} must be finite, got {values[row]} in data row {row + 1}. "
            "Leave the cell empty if it is missing."
        )
    return values, None


def _as_number(cell: str | None, row: int, name: str, where: str) -> float:
    if cell is None:
        return np.nan
    if not _is_number(cell):
        raise ValueError(
            f"{where}: column {name!r} must hold numbers or words, not both, got {cell!r} in data "
            f"row {row + 1}. Correct the cell, or leave it empty if it is missing."
        )
    return float(cell)


def _read_label(column: Any, where: str) -> np.ndarray:
    gone = np.flatnonzero([is_missing(cell) for cell in column])
    if len(gone):
        raise ValueError(
            f"{where}: the label must be known in every row, got none in data row {gone[0] + 1}. "
            "Remove the row or fill the label in."
        )
    if column.dtype.kind in "iu":
        return column.to_numpy(dtype=np.int64)
    cells = [str(cell).strip() for cell in column]
    if not all(_is_number(cell) for cell in cells):
        return np.array(cells)
    values = np.array([float(cell) for cell in cells])
    is_whole = values == np.round(values)
    if not is_whole.all():
        row = int(np.flatnonzero(~is_whole)[0])
        raise ValueError(
            f"{where}: labels must be whole numbers or words, got {values[row]} in data row "
            f"{row + 1}. Name the class column {LABEL!r} if it is not the last one."
        )
    return values.astype(np.int64)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
