"""An order of the rows that nobody chose: pools are its first rows.

Each row gets the key SHA-256(table digest, row digest, number of earlier equal rows), and rows
are taken by their keys. The order of the rows in the file does not matter, equal rows fall on
either side of a cut independently, and there is no seed that could be hunted for. A whole number
as ``random_state`` takes the place of the table digest; that it was fixed before the data is then
an assumption, which the certificate names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Ints
from handful.tables._digests import (
    Bytes,
    RowDigests,
    column_names,
    digest_of_sum,
    digest_sum,
    row_digests,
)

MOST_CODES = 100_000  # rows; half a megabyte of the model file


@dataclass(frozen=True)
class Draw:
    """What decides all draws of a fit: the digest of its table, or a seed in its place.

    Attributes
    ----------
    digest : str
        Digest of the table, for any order of its rows.
    seed : int or None
        The whole number that took the place of the digest, if one did.
    columns : tuple of str or None
        Names of the columns that the digest covers, where they have names.
    row_codes : bytes or None
        Four bytes a row in the order given (see `row_codes`); None for rows in chunks or very
        many.
    """

    digest: str
    seed: int | None = None
    columns: tuple[str, ...] | None = None
    row_codes: bytes | None = field(default=None, repr=False)

    @property
    def salt(self) -> bytes:
        """What the keys of the rows begin with."""
        return (self.digest if self.seed is None else f"seed {self.seed}").encode()

    def number(self, purpose: str) -> int:
        """A whole number below 2^31 for a generator that needs one."""
        key = hashlib.sha256(b"handful " + purpose.encode() + b" " + self.salt).digest()
        return int.from_bytes(key[:4], "little") >> 1

    def first(self, digests: Bytes, n_needed: int | None = None) -> tuple[Ints, Bytes]:
        """Positions of the rows with the smallest keys, in their order, and these keys."""
        keys = row_keys(digests, self.salt)
        lanes = keys.view(">u8").astype(np.uint64)
        if n_needed is not None and n_needed < len(keys):
            # By the first eight bytes, ties included, and only these few are then sorted by all.
            near = np.flatnonzero(lanes[:, 0] <= np.partition(lanes[:, 0], n_needed)[n_needed])
        else:
            near, n_needed = np.arange(len(keys)), len(keys)
        order = near[np.lexsort(lanes[near].T[::-1])][:n_needed]
        return order, keys[order]


@dataclass(frozen=True)
class BlindOrder:
    """Rows in the order of their keys, and what the keys were made of.

    Attributes
    ----------
    order : ndarray of int (n_samples,)
        Positions of the rows; a pool of m rows is ``order[:m]``.
    draw : Draw
    digests : ndarray of uint8 (n_samples, 32)
        Of the rows as they were given.
    """

    order: Ints
    draw: Draw
    digests: Bytes = field(repr=False, compare=False)

    @property
    def digest(self) -> str:
        """Digest of the table."""
        return self.draw.digest

    @property
    def seed(self) -> int | None:
        """The seed, where there is one."""
        return self.draw.seed


def blind_order(
    X: Any, y: Any = None, *, random_state: Any = None, is_kernel: bool = False
) -> BlindOrder:
    """Order the rows by keys made of their content.

    Parameters
    ----------
    X, y
        As in `row_digests`.
    random_state : None, int, RowDigests, RandomState or Generator
        None: keys come from the digest of X and y. `RowDigests`: from those of the whole table,
        of which X may hold some columns only. A whole number (or one drawn from a generator)
        replaces the digest of the table.
    is_kernel : bool
        X is a kernel matrix, whose columns move with its rows: a row is known by its values in
        ascending order and the one on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> first = blind_order(X).order[:3]
    >>> second = blind_order(X[::-1]).order[:3]
    >>> bool((X[first] == X[::-1][second]).all())
    True
    """
    columns = column_names(X)
    if isinstance(random_state, RowDigests):
        digests, columns = random_state.digests, random_state.columns
        if len(digests) != len(X):
            raise ValueError(
                f"`random_state` has digests of {len(digests)} rows, but X has {len(X)}. "
                "Make them from the rows that are fitted."
            )
    elif is_kernel:
        # A permutation of the examples permutes each row of a kernel; what stays is its multiset.
        digests = row_digests(np.column_stack([np.diagonal(X), np.sort(X, axis=1)]), y)
    else:
        digests = row_digests(X, y)
    digest = digest_of_sum(digest_sum(digests))
    codes = None
    if len(digests) <= MOST_CODES:
        # One byte order in files, whatever the processor's.
        codes = row_codes(digests, digest).astype("<u4").tobytes()
    draw = Draw(digest, seed_of(random_state), columns, codes)
    return BlindOrder(draw.first(digests)[0], draw, digests)


def row_codes(digests: Bytes, digest: str) -> NDArray[np.uint32]:
    """32 bits of every row, mixed with the digest of the table.

    They tell which rows of a table changed, and no more than that of a row that nobody can
    guess. Who guesses all cells of a row can see whether it may be in the table: like any digest,
    a code hides only what cannot be listed.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.tables import row_digests, table_digest
    >>> rows = row_digests(np.arange(3.0)[:, None])
    >>> codes = row_codes(rows, table_digest(rows))
    >>> len(set(codes.tolist())), codes.dtype.itemsize
    (3, 4)
    """
    lanes = np.ascontiguousarray(digests).view(np.uint64).reshape(len(digests), 4)
    # Salted by the table: codes of two tables cannot be compared row by row.
    mixed = lanes[:, 0] ^ np.uint64(int(digest[:16], 16))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(32)).astype(np.uint32)


def row_keys(digests: Bytes, salt: bytes) -> Bytes:
    """The key of every row; equal rows are told apart by how many came before."""
    # A purpose of its own, so that keys are independent of everything else drawn from the digest.
    start = hashlib.sha256(b"handful pool" + salt)
    rows, occurrence = digests.tobytes(), _occurrences(digests)
    size = digests.shape[1]
    keys = bytearray()
    for i, number in enumerate(occurrence.tolist()):
        key = start.copy()
        key.update(rows[i * size : (i + 1) * size] + number.to_bytes(8, "little"))
        keys += key.digest()
    return np.frombuffer(bytes(keys), dtype=np.uint8).reshape(len(digests), 32)


def _occurrences(digests: Bytes) -> Ints:
    """How many equal rows came before each."""
    lanes = np.ascontiguousarray(digests).view(np.uint64).reshape(len(digests), 4)
    order = np.lexsort(lanes.T)  # stable, so that equal rows keep their order
    ordered = lanes[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    start = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    occurrence = np.empty(len(order), dtype=np.int64)
    occurrence[order] = np.arange(len(order)) - start
    return occurrence


def seed_of(random_state: Any) -> int | None:
    """The whole number meant by a random state; None where the data's digest is."""
    if random_state is None:
        return None
    if isinstance(random_state, RowDigests):
        return random_state.seed
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
