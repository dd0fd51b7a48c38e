"""The record that `load_dataset` returns, and the reader of files, with errors that help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from handful.tables import is_missing, read_frame

if TYPE_CHECKING:
    import pandas as pd


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Examples, labels, and where they come from.

    Parameters
    ----------
    name : str
        The name it was found by.
    X : float64 array of shape (n_samples, n_features)
        Missing values are NaN. A column of words holds the alphabetical rank of each word.
    y : array of shape (n_samples,)
        The labels as they stand in the file: int64 if they are whole numbers (the
        embedded sets use -1 and +1), else strings.
    feature_names : tuple of str
    target_names : mapping from label to str
        What each label means; the label itself as text if nothing is known.
    categories : mapping from feature name to tuple of str
        The words behind the ranks, for columns of words only.
    description, source, licence : str
        What it is and how it was prepared, where it was read from, on which terms.

    Examples
    --------
    >>> from handful.datasets import load_dataset
    >>> breastw = load_dataset("breastw")
    >>> breastw.X.shape, breastw.target_names[1]
    ((683, 9), 'malignant')
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    target_names: Mapping[int | str, str]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    description: str = ""
    source: str = ""
    licence: str = ""

    @property
    def n_samples(self) -> int:
        """Number of examples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> dict[int | str, int]:
        """How often each label occurs, in sorted order."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Features and, last, the column ``label``, as a pandas frame with words restored."""
        import pandas as pd

        frame = pd.DataFrame(self.X, columns=list(self.feature_names))
        for name, words in self.categories.items():
            ranks = frame[name].fillna(-1).astype(int)
            frame[name] = pd.Categorical.from_codes(ranks, categories=pd.Index(words))
        return frame.assign(label=self.y)

    def named(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Features as a frame and labels as words: machines print what they are given.

        Examples
        --------
        >>> from handful.datasets import load_dataset
        >>> X, y = load_dataset("breastw").named()
        >>> X.columns[0], str(y[0])
        ('clump-thickness', 'benign')
        """
        words = np.array([self.target_names[label] for label in self.y.tolist()])
        return self.frame().drop(columns="label"), words

    def __repr__(self) -> str:
        counts = ", ".join(f"{label}: {count}" for label, count in self.class_counts.items())
        return f"Dataset({self.name!r}, {self.n_samples} × {self.n_features}, labels {{{counts}}})"


LABEL = "label"


def read_csv(file: Path | Traversable) -> Dataset:
    """Read a ``.csv`` or ``.csv.gz`` file with a header row; nothing is known beside its cells.

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
    return Dataset(
        name=file.name,
        X=np.column_stack(features),
        y=y,
        feature_names=kept,
        target_names={},
        categories=categories,
    )


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
