"""An order of the rows that nobody chose: pools are its first rows.

Each row gets the key SHA-256(table digest, row digest, number of earlier equal rows), and rows
are taken by their keys. The order of the rows in the file does not matter, equal rows fall on
either side of a cut independently, and there is no seed that could be hunted for. A whole number
as ``random_state`` takes the place of the table digest; that it was fixed before the data is then
an assumption, which the certificate names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._digests import Bytes, RowDigests, row_digests, table_digest

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class BlindOrder:
    """Rows in the order of their keys, and what the keys were made of.

    Attributes
    ----------
    order : ndarray of int (n_samples,)
        Positions of the rows; a pool of m rows is ``order[:m]``.
    digest : str
        Digest of the table, for any order of its rows.
    seed : int or None
        The whole number that took the place of the digest, if one did.
    """

    order: Ints
    digest: str
    seed: int | None


def blind_order(X: Any, y: Any = None, *, random_state: Any = None) -> BlindOrder:
    """Order the rows by keys made of their content.

    Parameters
    ----------
    X, y
        As in `row_digests`.
    random_state : None, int, RowDigests, RandomState or Generator
        None: keys come from the digest of X and y. `RowDigests`: from those of the whole table,
        of which X may hold some columns only. A whole number (or one drawn from a generator)
        replaces the digest of the table.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> first = blind_order(X).order[:3]
    >>> second = blind_order(X[::-1]).order[:3]
    >>> bool((X[first] == X[::-1][second]).all())
    True
    """
    if isinstance(random_state, RowDigests):
        digests = random_state.digests
        if len(digests) != len(X):
            raise ValueError(
                f"`random_state` has digests of {len(digests)} rows, but X has {len(X)}. "
                "Make them from the rows that are fitted."
            )
    else:
        digests = row_digests(X, y)
    seed = _seed(random_state)
    digest = table_digest(digests)
    salt = digest if seed is None else f"seed {seed}"
    return BlindOrder(_by_key(digests, salt.encode()), digest, seed)


def _by_key(digests: Bytes, salt: bytes) -> Ints:
    start = hashlib.sha256(b"handful pool" + salt)
    rows, occurrence = digests.tobytes(), _occurrences(digests)
    size = digests.shape[1]
    keys = bytearray()
    for i, number in enumerate(occurrence.tolist()):
        key = start.copy()
        key.update(rows[i * size : (i + 1) * size] + number.to_bytes(8, "little"))
        keys += key.digest()
    lanes = np.frombuffer(bytes(keys), dtype=">u8").reshape(len(digests), -1)
    return np.lexsort(lanes.T[::-1])


def _occurrences(digests: Bytes) -> Ints:
    """How many equal rows came before each."""
    lanes = np.ascontiguousarray(digests).view(np.uint64).reshape(len(digests), -1)
    order = np.lexsort(lanes.T)  # stable, so that equal rows keep their order
    ordered = lanes[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    start = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    occurrence = np.empty(len(order), dtype=np.int64)
    occurrence[order] = np.arange(len(order)) - start
    return occurrence


def _seed(random_state: Any) -> int | None:
    if random_state is None or isinstance(random_state, RowDigests):
        return None
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(
        f"`random_state` must be None, a whole number or a numpy generator, got {random_state!r}. "
        "None draws from the data's own digest, so that there is no seed to choose."
    )
