"""Read one table of features and labels from comma-separated text, with errors that help."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

MISSING = ("", "?", "NA", "NaN", "nan")
"""Cells that stand for a missing value."""

LABEL = "label"


class Readable(Protocol):
    """What is needed of a file: a path, or an entry of the installed package."""

    @property
    def name(self) -> str:
        """File name."""

    def read_bytes(self) -> bytes:
        """Content."""


@dataclass(frozen=True, eq=False)
class Table:
    """Features, labels, and the words behind columns of words."""

    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]


def read_csv(file: Readable) -> Table:
    """Read a ``.csv`` or ``.csv.gz`` file with a header row.

    The label is the column named ``label``, else the last one. A column in which every
    cell is a number or missing becomes floats; one in which no cell is a number becomes
    ranks in alphabetical order; a mixture is an error, since it is more often a slip.
    """
    where = str(file) if isinstance(file, Path) else file.name
    return parse_table(_decode(file, where).splitlines(), where)


def parse_table(lines: Iterable[str], where: str) -> Table:
    """Parse lines of text; ``where`` names the file in error messages."""
    rows = [row for row in csv.reader(lines, skipinitialspace=True) if any(row)]
    if not rows:
        raise ValueError(f"{where} must have a header row and data, got an empty file. Refill it.")
    header = [name.strip() for name in rows[0]]
    _check_header(header, where)
    _check_rows(rows, len(header), where)
    at = header.index(LABEL) if LABEL in header else len(header) - 1
    columns = list(zip(*rows[1:], strict=True))
    names = tuple(name for index, name in enumerate(header) if index != at)
    features, categories = [], {}
    for index, name in enumerate(header):
        if index == at:
            continue
        values, words = _parse_feature(columns[index], name, where)
        features.append(values)
        if words:
            categories[name] = words
    return Table(np.column_stack(features), _parse_label(columns[at], where), names, categories)


def _decode(file: Readable, where: str) -> str:
    content = file.read_bytes()
    try:
        if file.name.endswith(".gz"):
            content = gzip.decompress(content)
        return content.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{where} must be gzip data, got: {error}. Compress it again.") from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{where} must be UTF-8 text, got other bytes. Save it again as UTF-8."
        ) from None


def _check_header(header: list[str], where: str) -> None:
    if len(header) < 2:
        raise ValueError(
            f"{where} must have at least one feature and a label, got the header {header}. "
            "Separate the columns by commas."
        )
    if all(_is_number(name) for name in header):
        raise ValueError(
            f"{where} must start with column names, got only numbers ({header[0]}, ...). "
            "Add a header row."
        )
    repeated = sorted(name for name, count in Counter(header).items() if count > 1)
    if repeated:
        raise ValueError(f"{where} must have distinct column names, got {repeated} twice. Rename.")


def _check_rows(rows: list[list[str]], n_columns: int, where: str) -> None:
    if len(rows) == 1:
        raise ValueError(f"{where} must have rows of data, got only a header. Add rows.")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != n_columns:
            raise ValueError(
                f"{where} must have {n_columns} cells in every row, got {len(row)} in data row "
                f"{number}. Leave a missing cell empty, but keep its comma."
            )


def _parse_feature(
    texts: tuple[str, ...], name: str, where: str
) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Values of a feature column, and its words if it is a column of words."""
    try:
        values = np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        cells = np.char.strip(np.array(texts))
        is_missing = np.isin(cells, MISSING)
        is_number = np.array([_is_number(cell) for cell in cells])
        if not (is_number & ~is_missing).any() and not is_missing.all():
            words = np.unique(cells[~is_missing])
            ranks = np.searchsorted(words, cells).astype(np.float64)
            return np.where(is_missing, np.nan, ranks), tuple(words.tolist())
        if not (is_number | is_missing).all():
            row = int(np.flatnonzero(~is_number & ~is_missing)[0])
            raise ValueError(
                f"{where}: column {name!r} must hold numbers or words, not both, got "
                f"{str(cells[row])!r} in data row {row + 1}. Correct the cell, or leave it empty "
                "if it is missing."
            ) from None
        values = np.full(cells.size, np.nan)
        values[~is_missing] = cells[~is_missing].astype(np.float64)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"{where}: column {name!r} must be finite, got {values[row]} in data row {row + 1}. "
            "Leave the cell empty if it is missing."
        )
    return values, None


def _parse_label(texts: tuple[str, ...], where: str) -> np.ndarray:
    cells = np.char.strip(np.array(texts))
    is_missing = np.isin(cells, MISSING)
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0])
        raise ValueError(
            f"{where}: the label must be known in every row, got {str(cells[row])!r} in data row "
            f"{row + 1}. Remove the row or fill the label in."
        )
    if not all(_is_number(cell) for cell in cells):
        return cells
    values = cells.astype(np.float64)
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
