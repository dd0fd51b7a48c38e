"""Input of estimators: scikit-learn's checks of names, shapes and labels, then our reading."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.checks import check_weights
from handful.tables.cautions import TOGETHER, FittedScalingWarning, TableCaution
from handful.tables.notes import Note
from handful.tables.study import GivenRows
from handful.tables.table_reading import TableReading, as_pandas

_ANSWER = 'Answer in `columns`, for example columns={"groups": "patient", "missing": {"age": -9}}.'


def given_rows(
    machine: Any, X: Any, y: Any, *, groups: Any = None, weights: Any = None
) -> GivenRows:
    """Training rows of an estimator that reads tables, checked; frames stay as they are.

    Sets ``n_features_in_`` and ``feature_names_in_``, which count all columns, left-out ones too.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> given_rows(BaseEstimator(), [[1, 2], [3, None]], [0, 1]).X
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    from sklearn.utils import check_consistent_length
    from sklearn.utils.validation import validate_data

    name = getattr(y, "name", None)
    if hasattr(X, "columns"):
        validate_data(machine, X, reset=True, skip_check_array=True)
        check_consistent_length(X, y)
        rows = X
    else:
        rows, y = validate_data(machine, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
    labels = check_labels(y)
    need_two_classes(np.unique(labels))
    if weights is not None:
        weights = check_weights(weights, len(labels))
    taken = {str(column) for column in getattr(X, "columns", ())}
    is_free = name is not None and str(name) not in taken
    return GivenRows(rows, labels, str(name) if is_free else "y", groups, weights)


def check_labels(y: Any) -> NDArray[Any]:
    """Labels of a classification problem."""
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    return np.asarray(y)


def need_two_classes(classes: NDArray[Any]) -> None:
    """Refuse labels that are all the same."""
    if len(classes) < 2:
        (only,) = classes.tolist()
        raise ValueError(
            f"`y` must hold at least two classes, got one class: {only!r}. Add examples of "
            "another class."
        )


def new_table(machine: Any, X: Any, names: Sequence[str] | None) -> Any:
    """New rows for an estimator that reads tables: a frame with these names, or an array.

    ``names`` is None if the machine was fitted to an array of numbers.
    """
    from sklearn.utils.validation import validate_data

    if names is None:
        return validate_data(
            machine, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
    if hasattr(X, "columns"):
        validate_data(machine, X, reset=False, skip_check_array=True)
        return as_pandas(X)
    import pandas as pd

    cells = validate_data(machine, X, dtype=None, ensure_all_finite=False, reset=False)
    return as_pandas(pd.DataFrame(cells, columns=list(names)))


def warn_of(reading: TableReading, *, stacklevel: int) -> None:
    """Warn of what must not be missed in a table; `handful certify` prints the same sentences."""
    said: list[tuple[Note, str, type[TableCaution]]] = [
        (note, _ANSWER, TableCaution) for note in (reading.repeats, *reading.questions) if note
    ]
    said += [(note, "", TableCaution) for note in (reading.draw,) if note]
    if reading.scaling:
        said.append((reading.scaling, TOGETHER, FittedScalingWarning))
    for note, more, category in said:
        if note.code not in reading.choices.acknowledged:
            text = f"{note} ({note.code}) {more}".strip()
            warnings.warn(text, category, stacklevel=stacklevel + 1)


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Record (or compare) names and number of columns; frames pass as they are.

    The content is left to the inner classifiers: a pipeline may encode words and fill gaps.
    """
    from sklearn.utils.validation import validate_data

    if hasattr(X, "columns"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    return validate_data(
        estimator, X, reset=reset, dtype=None, ensure_all_finite=False, ensure_min_samples=1
    )


def check_examples(estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Training cases as by `check_rows`, and labels of a classification problem."""
    X, labels = check_rows(estimator, X, reset=True), check_labels(y)
    if len(X) != labels.size:
        raise ValueError(f"`X` and `y` must have equal length, got {len(X)} and {labels.size}.")
    return X, labels


def feature_names(machine: Any) -> list[str]:
    """Names of the columns that an estimator was fitted to; x0, x1, ... if it has none."""
    if hasattr(machine, "feature_names_in_"):
        return [str(name) for name in machine.feature_names_in_]
    return [f"x{j}" for j in range(machine.n_features_in_)]
