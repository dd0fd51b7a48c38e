"""The blind order of rows and groups, from which every pool is drawn.

Each row gets the key SHA-256(table digest, row digest, number of earlier equal rows), and rows
are taken by their keys. The order of the rows in the file does not matter, equal rows fall on
either side of a cut independently, and there is no seed that could be hunted for. A whole number
as ``random_state`` takes the place of the table digest; that it was fixed before the data is then
an assumption, which the certificate names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Ints
from handful.tables.cells import is_missing
from handful.tables.digests import (
    Bytes,
    RowDigests,
    column_names,
    digest_of_sum,
    digest_sum,
    row_digests,
    table_digest,
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
        Names of the columns that the digest covers, if they have names.
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
        """The bytes with which the keys of the rows begin."""
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
        """The seed, if there is one."""
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

    They tell which rows of a table changed. They reveal no more of a row whose cells cannot be
    guessed. Like any digest, a code hides only what cannot be listed: a reader who guesses all
    cells of a row can see whether it may be in the table.

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
    """The key of every row; equal rows differ by the number of equal rows before them."""
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
    """The whole number meant by a random state; None if the digest of the data is meant."""
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


MAX_POOL = 10_000  # candidates hardly improve beyond, and all else is counted
FEWEST_DISTINCT = 30  # of fewer distinct units a digest has hardly a choice of pools


@dataclass(frozen=True, eq=False)
class Units:
    """What is independent: single rows, or groups of rows.

    Attributes
    ----------
    order : ndarray of int
        Rows in blind order; those of a group stand together.
    member : ndarray of int or None
        Unit of each row; None if rows are the units.
    n_distinct : int
        Units of different content; counted up to ``FEWEST_DISTINCT``.
    """

    order: Ints
    member: Ints | None
    n_distinct: int

    def caution(self, seed: int | None) -> tuple[str, ...]:
        """A caution if the digest, or a seed in its place, cannot draw as chance would."""
        what = "rows" if self.member is None else "groups"
        return caution_of_draw(self.n_distinct, seed, what)


def pool_size(n: int, share: float) -> int:
    """Number of rows (or groups) in the pool; it depends on n alone.

    Examples
    --------
    >>> pool_size(768, 0.4), pool_size(10**6, 0.4)
    (307, 10000)
    """
    return int(min(max(1, round(share * n)), MAX_POOL))


def caution_of_draw(n_distinct: int, seed: int | None, what: str = "rows") -> tuple[str, ...]:
    """A caution if so few units differ that their digest has hardly a choice of pools.

    Examples
    --------
    >>> caution_of_draw(2, None)[0][:35]
    'The table has only 2 distinct rows:'
    >>> caution_of_draw(2, seed=7), caution_of_draw(30, None)
    ((), ())
    """
    if seed is not None or n_distinct >= FEWEST_DISTINCT:
        return ()
    return (
        f"The table has only {n_distinct} distinct {what}: a pool that its digest draws cannot be "
        "called random, and the certificate may not hold. Fix a seed before you see the data "
        "(random_state; on the command line --seed, with --rules).",
    )


def some_distinct(digests: NDArray[np.uint8]) -> frozenset[bytes]:
    """Distinct digests: all of them, or ``FEWEST_DISTINCT`` if there are more.

    Examples
    --------
    >>> len(some_distinct(np.zeros((5, 32), dtype=np.uint8)))
    1
    """
    seen: set[bytes] = set()
    for row in np.ascontiguousarray(digests):
        seen.add(row.tobytes())
        if len(seen) == FEWEST_DISTINCT:
            break
    return frozenset(seen)


def weighted_order(rows: BlindOrder, weights: Any) -> BlindOrder:
    """The same order, in which weights tell equal rows apart; None changes nothing.

    Weights are in no digest: a choice of weights must not be a choice of pools.
    """
    if weights is None:
        return rows
    by_weight = np.argsort(weights, kind="stable")
    return replace(rows, order=by_weight[rows.draw.first(rows.digests[by_weight])[0]])


def units_of(rows: BlindOrder, groups: Any, weights: Any = None) -> Units:
    """The independent units of rows in blind order: rows, or groups if there are some.

    Groups come in a blind order of their own. ``weights`` tell equal rows of a group apart.
    """
    if groups is None:
        return Units(rows.order, None, len(some_distinct(rows.digests)))
    _, member = np.unique(check_groups(groups, len(rows.order)), return_inverse=True)
    by_group = np.lexsort((member,) if weights is None else (weights, member))
    starts = np.flatnonzero(np.diff(member[by_group], prepend=-1))
    parts = np.split(by_group, starts[1:])
    # one digest a group, of its rows in any order, so that large groups are not drawn first
    own = np.array([list(bytes.fromhex(table_digest(rows.digests[part]))) for part in parts])
    drawn = blind_order(own, random_state=rows.seed)
    keys = row_keys(drawn.digests, drawn.draw.salt)
    inside = [_by_key(part, rows.digests[part], keys[k]) for k, part in enumerate(parts)]
    order = np.concatenate([inside[k] for k in drawn.order])
    return Units(order, member, len(some_distinct(drawn.digests)))


def _by_key(part: Ints, digests: NDArray[np.uint8], key: NDArray[np.uint8]) -> Ints:
    """Rows of a group by keys of their own, which do not depend on rows of other groups.

    The key of the group is among them: were the same content first in every group, or all groups
    of equal content alike, one row of each would not be drawn independently.
    """
    return np.asarray(part[Draw("group " + key.tobytes().hex()).first(digests)[0]])


def check_groups(groups: Any, n_samples: int) -> NDArray[Any]:
    """One group a row, none missing.

    Examples
    --------
    >>> check_groups(["a", "b", "a"], 3).tolist()
    ['a', 'b', 'a']
    """
    values = np.asarray(groups)
    if values.shape != (n_samples,):
        raise ValueError(
            f"`groups` must have shape ({n_samples},), got {values.shape}. Pass one a row."
        )
    is_gone = [is_missing(value) for value in values.tolist()]
    if any(is_gone):
        raise ValueError(
            f"`groups` must say for every row which group it belongs to, got none in row "
            f"{is_gone.index(True) + 1} and {sum(is_gone)} in all. Name the groups, or leave these "
            "rows out."
        )
    kinds = {isinstance(value, str) for value in values.tolist()} if values.dtype == object else ()
    if len(kinds) > 1:
        raise ValueError("`groups` must be words or numbers, got both. Make all of them words.")
    return values


def _content_digests(X: Any) -> NDArray[np.uint64]:
    """128-bit digests of the rows, shape (n_rows, 2): equal rows have equal digests.

    A digest depends on the values of its row only, not on its position or its neighbours.
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

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> first = X[canonical_order(X, np.zeros(3))]
    >>> second = X[::-1][canonical_order(X[::-1], np.zeros(3))]
    >>> bool((first == second).all())
    True
    """
    digests = _content_digests(X)
    return np.lexsort((codes, digests[:, 1], digests[:, 0]))


def uniform_draws(X: Any, seed: int) -> NDArray[np.float64]:
    """One number in [0, 1) a row, a function of the row and the seed only."""
    digests = _content_digests(X)
    mixed = np.bitwise_xor(digests[:, 0], np.uint64(seed))
    with np.errstate(over="ignore"):
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def spread_folds(labels: NDArray[Any], n_folds: int, seed: int) -> Ints:
    """Fold of each example; each class is spread evenly over the folds.

    Examples
    --------
    >>> folds = spread_folds(np.repeat([-1.0, 1.0], 10), 5, 0)
    >>> np.bincount(folds[:10]).tolist(), np.bincount(folds[10:]).tolist()
    ([2, 2, 2, 2, 2], [2, 2, 2, 2, 2])
    """
    rng = np.random.default_rng(seed)
    folds = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        folds[members] = rng.permutation(np.arange(members.size) % n_folds)
    return folds
