"""Input of estimators: scikit-learn's checks for numbers, frames as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_table(machine: Any, X: Any, y: Any = None) -> tuple[Any, Any]:
    """Check X (and y, in training) for an estimator; numbers come back as an array.

    Frames come back as they are, so that a pipeline of the user finds its columns. Sets
    ``n_features_in_`` and ``feature_names_in_`` in training, and checks them afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> read_table(BaseEstimator(), [[1, 2], [3, None]], [0, 1])[0]
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    from sklearn.utils import check_consistent_length, column_or_1d
    from sklearn.utils.validation import validate_data

    is_training = y is not None
    if hasattr(X, "columns") and has_words(X):
        validate_data(machine, X, reset=is_training, skip_check_array=True)
        if is_training:
            check_consistent_length(X, y)
            y = column_or_1d(y, warn=True)
        return X, y
    options = {"dtype": np.float64, "ensure_all_finite": "allow-nan", "reset": is_training}
    if is_training:
        numbers, y = validate_data(machine, X, y, **options)
    else:
        numbers = validate_data(machine, X, **options)
    return (X if hasattr(X, "columns") else numbers), y


def has_words(X: Any) -> bool:
    """Whether a frame has a column that is not made of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> has_words(pd.DataFrame({"a": [1, 2]})), has_words(pd.DataFrame({"a": [1, "x"]}))
    (False, True)
    """
    dtypes = getattr(X, "dtypes", ())
    if hasattr(X, "iloc") and all(isinstance(d, np.dtype) and d.kind in "biuf" for d in dtypes):
        return False  # at once: thousands of columns take a while one by one
    for i in range(X.shape[1]):
        column = X.iloc[:, i] if hasattr(X, "iloc") else X[X.columns[i]]
        if column.to_numpy().dtype.kind not in "biuf":
            return True
    return False


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
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    X = check_rows(estimator, X, reset=True)
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    if len(X) != y.size:
        raise ValueError(f"`X` and `y` must have equal length, got {len(X)} and {y.size}.")
    return X, np.asarray(y)


def feature_names(machine: Any) -> list[str]:
    """Names of the columns that an estimator was fitted to; x0, x1, ... if it has none."""
    if hasattr(machine, "feature_names_in_"):
        return [str(name) for name in machine.feature_names_in_]
    return [f"x{j}" for j in range(machine.n_features_in_)]
