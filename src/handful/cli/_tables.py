"""Reading a table of examples from a file, with errors a person can act on."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.datasets import load_dataset

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": None, ".data": None, ".gz": ","}
MAX_CLASSES = 20
MAX_COLUMNS = 100_000


@dataclass(frozen=True)
class TableData:
    """Features, labels and what was noticed while reading."""

    X: pd.DataFrame
    y: NDArray[Any]
    name: str
    target: str
    notes: tuple[str, ...]


def read_table(path: Path | None, target: str | None) -> TableData:
    """A data file, or the embedded breast cancer data where ``path`` is None."""
    if path is None:
        return _embedded()
    frame = _read_frame(path)
    column = _target_column(frame, target)
    if frame[column].isna().any():
        n_missing = int(frame[column].isna().sum())
        raise ValueError(
            f"the target column {column!r} has {n_missing} missing values. Remove those rows."
        )
    y = frame[column].to_numpy()
    X = frame.drop(columns=[column])
    _check_labels(y, column)
    if X.shape[1] == 0:
        raise ValueError(f"{path} has no column besides the target {column!r}.")
    return TableData(X, y, path.name, str(column), tuple(_notes(X, y)))


def _embedded() -> TableData:
    import pandas as pd

    data = load_dataset("breastw")
    names = {1: "malignant", -1: "benign"}
    y = np.array([names[int(label)] for label in data.y])
    X = pd.DataFrame(data.X, columns=list(data.feature_names))
    return TableData(X, y, "Breast Cancer Wisconsin (embedded)", "class", tuple(_notes(X, y)))


def _read_frame(path: Path) -> pd.DataFrame:
    import pandas as pd

    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}. Check the path.")
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        elif path.suffix in SEPARATORS:
            separator = SEPARATORS[path.suffix]
            engine: Any = "python" if separator is None else "c"
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows of other lengths
                frame = pd.read_csv(
                    path, sep=separator, engine=engine, encoding="utf-8-sig", index_col=False
                )
        else:
            known = ", ".join([*SEPARATORS, ".parquet"])
            raise ValueError(f"`DATA` must end with one of {known}, got {path.name!r}.")
    except (
        pd.errors.ParserError,
        pd.errors.ParserWarning,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
    ) as error:
        raise ValueError(f"{path} is not a readable table: {error}.") from error
    if len(frame) == 0:
        raise ValueError(f"{path} has a header but no rows.")
    if frame.shape[1] > MAX_COLUMNS:
        raise ValueError(f"{path} has {frame.shape[1]} columns, more than {MAX_COLUMNS}.")
    return frame


def _target_column(frame: pd.DataFrame, target: str | None) -> Any:
    names = [str(name) for name in frame.columns]
    if target is None:
        for name in ("label", "class", "target", "y"):
            if name in names:
                return frame.columns[names.index(name)]
        raise ValueError(
            "`--target` must name the column to predict. "
            f"The columns are: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}."
        )
    if target not in names:
        near = difflib.get_close_matches(target, names, n=3)
        hint = f"Did you mean {', '.join(map(repr, near))}?" if near else "Check the header."
        raise ValueError(f"`--target` must be a column of the file, got {target!r}. {hint}")
    return frame.columns[names.index(target)]


def _check_labels(y: NDArray[Any], column: Any) -> None:
    n_classes = len(set(y.tolist()))
    if n_classes < 2:
        raise ValueError(f"the target column {column!r} has one value only. Two are needed.")
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"the target column {column!r} has {n_classes} different values, more than "
            f"{MAX_CLASSES}. Is it a number rather than a class?"
        )


def _notes(X: pd.DataFrame, y: NDArray[Any]) -> list[str]:
    """Missing values, duplicate and contradictory rows."""
    notes = []
    n_missing = int(X.isna().any(axis=1).sum())
    if n_missing:
        notes.append(f"{n_missing} rows have missing values: a missing value satisfies no rule.")
    n_duplicates = int(X.assign(**{"·label": y}).duplicated().sum())
    if n_duplicates:
        notes.append(f"{n_duplicates} rows repeat an earlier row; each counts as an example.")
    labels = X.assign(**{"·label": y}).drop_duplicates()
    n_contradictory = int(labels.drop(columns="·label").duplicated(keep=False).sum())
    if n_contradictory:
        notes.append(f"{n_contradictory} distinct rows occur with more than one label.")
    return notes
