"""An order of examples, and uniform numbers, by their content alone."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


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
