"""What is independent in a table, in blind order: single rows, or groups of rows; and the pool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._blind import BlindOrder, Draw, blind_order, row_keys
from handful.tables._digests import is_missing, table_digest

Ints = NDArray[np.int64]

MAX_POOL = 10_000  # candidates hardly improve beyond, and all else is counted
FEWEST_DISTINCT = 30  # of fewer distinct units a digest has hardly a choice of pools


@dataclass(frozen=True, eq=False)
class Units:
    """What is independent: single rows, or groups of rows.

    Attributes
    ----------
    order : ndarray of int
        Units in blind order.
    row_order : ndarray of int
        Rows in blind order; of groups one after the other.
    member : ndarray of int or None
        Unit of each row; None where rows are the units.
    digest : str
        Digest of the table.
    seed : int or None
        The whole number that took the place of the digest, if one did.
    n_distinct : int
        Units of different content; counted up to ``FEWEST_DISTINCT``.
    """

    order: Ints
    row_order: Ints
    member: Ints | None
    digest: str
    seed: int | None
    n_distinct: int = FEWEST_DISTINCT

    @property
    def caution(self) -> tuple[str, ...]:
        """What must be said of a digest that cannot draw as chance would."""
        what = "rows" if self.member is None else "groups"
        return caution_of_draw(self.n_distinct, self.seed, what)

    def __len__(self) -> int:
        return len(self.order)

    def rows_of(self, units: Ints) -> Ints:
        """Rows of some units: units in the given order, rows of each in blind order."""
        if self.member is None:
            return units
        place = np.full(len(self.order), -1, dtype=np.int64)
        place[units] = np.arange(len(units))
        rows = self.row_order[place[self.member[self.row_order]] >= 0]
        return np.asarray(rows[np.argsort(place[self.member[rows]], kind="stable")])

    def first(self, n_units: int) -> Ints:
        """Rows of the first units of the blind order."""
        return self.rows_of(self.order[:n_units])

    def pool(self, share: float) -> Ints:
        """Rows of the pool: the first units of the blind order, never all of them."""
        n_pool = min(pool_size(len(self), share), max(1, len(self) - 1))
        return self.first(n_pool)


def pool_size(n: int, share: float) -> int:
    """Number of rows (or groups) in the pool; it depends on n alone.

    Examples
    --------
    >>> pool_size(768, 0.4), pool_size(10**6, 0.4)
    (307, 10000)
    """
    return int(min(max(1, round(share * n)), MAX_POOL))


def caution_of_draw(n_distinct: int, seed: int | None, what: str = "rows") -> tuple[str, ...]:
    """A sentence where so few units differ that their digest has hardly a choice of pools.

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
    """Digests that differ: all of them, or ``FEWEST_DISTINCT`` where there are more.

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


def make_units(X: Any, y: Any, groups: Any, random_state: Any, weights: Any = None) -> Units:
    """Blind order of the rows, or of the groups by the content of their rows.

    Parameters
    ----------
    X, y, random_state
        As in `blind_order`.
    groups : array (n_samples,) or None
        What group each row belongs to.
    weights : array (n_samples,), optional
        They tell equal rows apart, so that the order of the rows does not matter. They are in no
        digest: whoever chooses weights must not choose pools.

    Examples
    --------
    >>> import numpy as np
    >>> len(make_units(np.arange(6.0)[:, None], None, [1, 1, 2, 2, 3, 3], None))
    3
    """
    rows = blind_order(X, y, random_state=random_state)
    if weights is not None:
        by_weight = np.argsort(weights, kind="stable")
        order = by_weight[rows.draw.first(rows.digests[by_weight])[0]]
        rows = replace(rows, order=order)
    if groups is None:
        n_distinct = len(some_distinct(rows.digests))
        return Units(rows.order, rows.order, None, rows.digest, rows.seed, n_distinct)
    return group_units(rows, groups, weights)


def group_units(rows: BlindOrder, groups: Any, weights: Any = None) -> Units:
    """Groups in blind order, of rows that are in blind order already.

    Parameters
    ----------
    rows : BlindOrder
    groups : array (n_samples,)
        What group each row belongs to; none may be missing.
    weights : array (n_samples,), optional
        They tell equal rows of a group apart.

    Examples
    --------
    >>> import numpy as np
    >>> rows = blind_order(np.arange(6.0)[:, None])
    >>> len(group_units(rows, ["a", "a", "b", "b", "c", "c"]))
    3
    """
    _, member = np.unique(check_groups(groups, len(rows.order)), return_inverse=True)
    by_group = np.lexsort((member,) if weights is None else (weights, member))
    starts = np.flatnonzero(np.diff(member[by_group], prepend=-1))
    parts = np.split(by_group, starts[1:])
    # one digest a group, of its rows in any order, so that large groups are not drawn first
    own = np.array([list(bytes.fromhex(table_digest(rows.digests[part]))) for part in parts])
    drawn = blind_order(own, random_state=rows.seed)
    keys = row_keys(drawn.digests, drawn.draw.salt)
    inside = [_by_key(part, rows.digests[part], keys[k]) for k, part in enumerate(parts)]
    row_order = np.concatenate([inside[k] for k in drawn.order])
    n_distinct = len(some_distinct(drawn.digests))
    return Units(drawn.order, row_order, member, rows.digest, rows.seed, n_distinct)


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
