"""Cases as rows: input that may be a table, and an order of examples that ignores position."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, column_or_1d, validate_data

Ints = NDArray[np.intp]


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Record (or compare) names and number of columns; frames pass as they are.

    The content is left to the inner classifiers: a pipeline may encode words and fill gaps.
    """
    if hasattr(X, "columns"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    return validate_data(
        estimator, X, reset=reset, dtype=None, ensure_all_finite=False, ensure_min_samples=1
    )


def check_examples(estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Training cases as by `check_rows`, and labels of a classification problem."""
    X = check_rows(estimator, X, reset=True)
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    n = _num_samples(X)
    if n != y.size:
        raise ValueError(f"`X` and `y` must have equal length, got {n} and {y.size}.")
    return X, np.asarray(y)


def row_digests(X: Any) -> NDArray[np.uint64]:
    """128-bit digests of the rows, shape (n_rows, 2): equal rows have equal digests.

    A digest depends on the values of its row only, not on its position or its neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> a = row_digests(np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> b = row_digests(np.array([[2.0, 3.0], [-0.0, 1.0]]))
    >>> bool((a == b[::-1]).all())
    True
    """
    rows = np.asarray(X)
    if rows.dtype.kind in "biuf":
        plain = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
        content = [row.tobytes() for row in plain]
    else:
        content = [repr(row.tolist()).encode() for row in rows]
    digests = b"".join(hashlib.blake2b(item, digest_size=16).digest() for item in content)
    return np.frombuffer(digests, dtype="<u8").reshape(len(content), 2)


def canonical_order(X: Any, codes: Ints) -> Ints:
    """A total order of the examples by their content: digests of the features, then labels.

    It looks random, yet permuting the examples permutes it along, and leaving some out does not
    reorder the others. Equal examples are interchangeable. Distinct rows collide with probability
    below m^2 / 2^129.
    """
    digests = row_digests(X)
    return np.lexsort((codes, digests[:, 1], digests[:, 0]))


def uniform_draws(X: Any, seed: int) -> NDArray[np.float64]:
    """One number in [0, 1) a row, a function of the row and the seed only."""
    digests = row_digests(X)
    mixed = np.bitwise_xor(digests[:, 0], np.uint64(seed))
    with np.errstate(over="ignore"):
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
