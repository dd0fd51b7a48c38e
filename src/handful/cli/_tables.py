"""Reading a table of examples from a file, with errors a person can act on."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._engines import is_elsewhere
from handful.datasets import load_dataset
from handful.tables import RowDigests, load_table

if TYPE_CHECKING:
    import pandas as pd

EMBEDDED = "embedded:breastw"  # what a model file calls them
MAX_CLASSES = 20  # more distinct values are a measurement more often than a class
TARGETS = ("label", "class", "target", "y")
# the second of each pair is the positive class
_PAIRS = (
    *(("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("-1.0", "1.0"), ("no", "yes"), ("n", "y")),
    *(("false", "true"), ("f", "t"), ("negative", "positive"), ("neg", "pos"), ("-", "+")),
    *(("benign", "malignant"), ("healthy", "sick"), ("good", "bad"), ("alive", "dead")),
)


@dataclass(frozen=True)
class TableData:
    """Features, labels and what was noticed while reading.

    ``positive`` is the positive class of two; ``is_positive_known`` says whether the user or
    the words of the labels said so. ``digests`` has the files that were read.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    name: str
    target: str
    notes: tuple[str, ...]
    positive: Any = None
    is_positive_known: bool = False
    digests: tuple[tuple[str, str], ...] = ()


def read_table(path: Path | None, target: str | None, positive: str | None = None) -> TableData:
    """A data file, or the embedded breast cancer data where ``path`` is None."""
    notes: list[str] = []
    digests: tuple[tuple[str, str], ...] = ()
    if path is None:
        X, y = embedded_table()
        name, column = "Breast Cancer Wisconsin (embedded)", "class"
    else:
        loaded = load_table(path)
        frame, digests = loaded.frame, loaded.digests
        column = _target_column(frame, target)
        X, y = split_target(frame, target, path)
        name = loaded.name
        X, notes = _without_row_numbers(X)
        notes = [*loaded.notes, *notes]
    _check_labels(y, column)
    _check_finite(X)
    label, is_known = _positive_class(y, positive)
    if label is not None:
        how = "" if is_known else ", the last in order; choose with --positive"
        notes.append(f"The positive class is {label}{how}.")
    said = (*notes, *_notes(X, y))
    return TableData(X, y, name, str(column), said, label, is_known, digests)


def digests_of(table: TableData, seed: int | None = None) -> RowDigests:
    """Digests of the rows with all columns as read, so that leaving some out moves no pool."""
    if is_elsewhere(table.X):
        from handful.distributed import chunk_digests

        return chunk_digests(table.X, table.y, seed=seed)
    return RowDigests.of(table.X, table.y, seed=seed)


def embedded_table() -> tuple[pd.DataFrame, NDArray[Any]]:
    """The embedded breast cancer data, with names for its labels."""
    import pandas as pd

    data = load_dataset("breastw")
    names = {1: "malignant", -1: "benign"}
    y = np.array([names[int(label)] for label in data.y])
    return pd.DataFrame(data.X, columns=list(data.feature_names)), y


def _target_column(frame: pd.DataFrame, target: str | None) -> Any:
    names = [str(name) for name in frame.columns]
    if target is None:
        for name in TARGETS:
            if name in names:
                return frame.columns[names.index(name)]
        shown = [name[:40] for name in names[:20]]
        raise ValueError(
            "`--target` must name the column to predict. "
            f"The columns are: {', '.join(shown)}{', …' if len(names) > 20 else ''}."
        )
    if target not in names:
        near = difflib.get_close_matches(target, names[:1000], n=3)
        hint = f"Did you mean {', '.join(map(repr, near))}?" if near else "Check the header."
        raise ValueError(f"`--target` must be a column of the file, got {target!r}. {hint}")
    return frame.columns[names.index(target)]


def split_target(
    frame: pd.DataFrame, target: str | None, path: Path
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Features and labels of a frame."""
    column = _target_column(frame, target)
    if frame[column].isna().any():
        n_missing = int(frame[column].isna().sum())
        raise ValueError(
            f"the target column {column!r} has {n_missing} missing values. Remove those rows."
        )
    if frame.shape[1] == 1:
        raise ValueError(f"{path} has no column besides the target {column!r}.")
    return frame.drop(columns=[column]), frame[column].to_numpy()


def _without_row_numbers(X: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out a nameless column that counts the rows, as data frames are often written."""
    for name in X.columns[:1]:
        is_nameless = not str(name).strip() or str(name).startswith("Unnamed:")
        numbers = X[name].to_numpy()
        if is_nameless and numbers.dtype.kind == "i" and X.shape[1] > 1:
            count = np.arange(len(numbers))
            if (numbers == count).all() or (numbers == count + 1).all():
                return X.drop(columns=[name]), ["A first column of row numbers was left out."]
    return X, []


def _check_labels(y: NDArray[Any], column: Any) -> None:
    n_classes = len(set(y.tolist()))
    if n_classes < 2:
        raise ValueError(f"the target column {column!r} has one value only. Two are needed.")
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"the target column {column!r} has {n_classes} different values, more than "
            f"{MAX_CLASSES}. Is it a number rather than a class?"
        )


def _check_finite(X: pd.DataFrame) -> None:
    floats = X.iloc[:, [k for k, dtype in enumerate(X.dtypes) if _kind(dtype) == "f"]]
    is_bad = np.isinf(floats.to_numpy(dtype=np.float64, na_value=np.nan)).any(axis=0)
    for name in floats.columns[is_bad]:
        raise ValueError(
            f"the column {str(name)!r} holds infinity. Replace it by a number, or leave the "
            "cell empty where the value is missing."
        )


def _kind(dtype: Any) -> str:
    return str(getattr(dtype, "kind", "O"))


def _positive_class(y: NDArray[Any], positive: str | None) -> tuple[Any, bool]:
    """The positive class of two, and whether it is known rather than the last in order."""
    classes = sorted(set(y.tolist()))
    words = [str(label) for label in classes]
    if positive is not None:
        if len(classes) != 2:
            raise ValueError(f"`--positive` needs two classes, got {len(classes)}. Leave it out.")
        if positive not in words:
            raise ValueError(f"`--positive` must be one of {words}, got {positive!r}.")
        return classes[words.index(positive)], True
    if len(classes) != 2:
        return None, False
    for first, second in _PAIRS:
        lower = [word.lower() for word in words]
        if set(lower) == {first, second}:
            return classes[lower.index(second)], True
    return classes[1], False


def _notes(X: pd.DataFrame, y: NDArray[Any]) -> list[str]:
    """Words, missing values, duplicate and contradictory rows."""
    notes = _notes_on_words(X)
    n_missing = int(X.isna().any(axis=1).sum())
    if n_missing:
        notes.append(f"{n_missing} rows have missing values: they meet no condition.")
    distinct = set(zip(_row_keys(X), y.tolist(), strict=True))
    if len(distinct) < len(y):
        n_repeated = len(y) - len(distinct)
        notes.append(f"{n_repeated} rows repeat an earlier row; each counts as an example.")
    n_labels = Counter(key for key, _ in distinct)
    n_contradictory = sum(count for count in n_labels.values() if count > 1)
    if n_contradictory:
        notes.append(f"{n_contradictory} distinct rows occur with more than one label.")
    return notes


def _row_keys(X: pd.DataFrame) -> list[bytes]:
    """One key a row, equal for equal rows; data frames take seconds for many columns."""
    import pandas as pd

    is_number = np.array([_kind(dtype) in "biuf" for dtype in X.dtypes], dtype=bool)
    values = np.empty(X.shape)
    values[:, is_number] = X.loc[:, is_number].to_numpy(dtype=np.float64, na_value=np.nan)
    for k in np.flatnonzero(~is_number):
        values[:, k] = pd.factorize(X.iloc[:, k])[0]
    values += 0.0  # one zero
    values[np.isnan(values)] = np.nan  # one NaN
    return [row.tobytes() for row in values]


def _notes_on_words(X: pd.DataFrame) -> list[str]:
    import pandas as pd

    notes = []
    numbers = {name for name, dtype in X.dtypes.items() if _kind(dtype) in "biuf"}
    words = [name for name in X.columns if name not in numbers]
    if words:
        shown = ", ".join(str(name)[:40] for name in words[:6]) + (" …" if len(words) > 6 else "")
        notes.append(f"{len(words)} columns hold words and are compared by equality: {shown}.")
    for name in words:
        known = X[name].dropna()
        if known.empty:
            continue
        if known.nunique() > max(20, 0.9 * len(known)):
            notes.append(f"{str(name)[:40]} has a different word in nearly every row.")
        as_numbers = pd.to_numeric(known.astype(str), errors="coerce")
        if as_numbers.notna().mean() > 0.5:
            n_words = int(as_numbers.isna().sum())
            notes.append(
                f"{str(name)[:40]} is mostly numbers but holds {n_words} words; it is read as "
                "words. Mark missing values by an empty cell or '?'."
            )
    return notes
