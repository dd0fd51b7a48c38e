"""What is drawn and counted as one: single rows, or groups of rows, in the order of the draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.verify._draws import digest_of_table, drawn_keys, drawn_order, table_rows
from handful.verify._rows import is_missing, word_form

Ints = NDArray[np.int64]


class Units(NamedTuple):
    """Rows of each unit, units and the rows of each in drawn order."""

    rows_of: list[list[int]]
    is_grouped: bool

    @property
    def n(self) -> int:
        """Number of units."""
        return len(self.rows_of)

    def rows(self, n_units: int) -> Ints:
        """All rows of the first units."""
        return np.array([i for rows in self.rows_of[:n_units] for i in rows], dtype=np.int64)

    def names(self, n_units: int) -> list[int]:
        """Rows of the first units that a code may name: the first of each."""
        return [rows[0] for rows in self.rows_of[:n_units]]

    def all_names(self) -> list[int]:
        """All rows, those that a code may name before the others."""
        later = [i for rows in self.rows_of for i in rows[1:]]
        return self.names(self.n) + later

    def whole(self, kept: Iterable[int]) -> list[int]:
        """All rows of the units of some rows."""
        given = set(kept)
        return sorted(i for rows in self.rows_of if given & set(rows) for i in rows)


def contents(groups: Sequence[str], digests: Sequence[bytes]) -> list[str]:
    """Digest of the rows of each group, groups in the order of their names."""
    rows: dict[str, list[bytes]] = {name: [] for name in sorted(set(groups))}
    for name, digest in zip(groups, digests, strict=True):
        rows[name].append(digest)
    return [digest_of_table(part) for part in rows.values()]


def order_of_groups(
    groups: Sequence[str], digests: Sequence[bytes], seed: int | None = None
) -> dict[str, list[int]]:
    """Groups in drawn order, and the rows of each in theirs."""
    rows: dict[str, list[int]] = {name: [] for name in sorted(set(groups))}
    for i, name in enumerate(groups):
        rows[name].append(i)
    # The name of a group has no part in its key: renaming patients must not draw another pool.
    own = np.array([list(bytes.fromhex(content)) for content in contents(groups, digests)])
    cells = table_rows(own, None, None)
    keys = drawn_keys(cells, digest_of_table(cells), seed)
    names = list(rows)
    # Rows are drawn group by group, so that it does not matter which group comes first in a file.
    for name, key in zip(names, keys, strict=True):
        own_order = drawn_order([digests[i] for i in rows[name]], f"group {key.hex()}", None)
        rows[name] = [rows[name][k] for k in own_order]
    return {names[k]: rows[names[k]] for k in sorted(range(len(keys)), key=keys.__getitem__)}


def make_units(
    order: Ints, groups: Sequence[Any] | None, digests: Sequence[bytes], seed: int | None
) -> Units:
    """Units of rows that were drawn in this order, or of groups of them.

    Examples
    --------
    >>> make_units(np.array([1, 0, 2]), None, [b"", b"", b""], None).rows_of
    [[1], [0], [2]]
    """
    if groups is None:
        return Units([[int(i)] for i in order], False)
    if any(is_missing(group) for group in groups):
        raise ValueError("a row without a group")
    words = [word_form(group) for group in groups]
    return Units(list(order_of_groups(words, digests, seed).values()), True)
