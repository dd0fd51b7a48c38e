"""Of a model learned from a raw table: which rows were set aside, and how cells are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit
from handful.verify._draws import digest_of_table, drawn_order, table_rows
from handful.verify._units import make_units

Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_TRUST = (
    "the library's own rules read the raw table: what its columns hold and what they are for, by "
    "the rows that were set aside"
)


def n_set_aside(n: int) -> int:
    """How many rows, or groups, are set aside; it depends on their number alone."""
    return max(1, min(max(20, round(n / 10)), n // 4, 1000))


def check_reading(audit: Audit, document: Document, reading: Document | None) -> bool:
    """Whether raw cells are read as the table itself says; the words of rules are checked later."""
    stated = document["reading"]
    is_raw = stated is not None and stated["options"] is not None
    if not is_raw:
        return audit.check("reading", reading is None, "the file is about a table that was clean")
    audit.trust(_TRUST)
    if not audit.check("reading", reading is not None, "the raw table is needed, got a clean one"):
        return False
    assert reading is not None
    holds = audit.equal("reading: options", stated["options"], reading["options"])
    holds &= audit.equal("reading: rows", stated["n_rows"], reading["n_rows"])
    lengths = len(stated["columns"]), len(reading["columns"])
    if not audit.equal("reading: columns", *lengths):
        return False
    names = document["feature_names"] or [None] * lengths[0]
    for j, (theirs, ours) in enumerate(zip(stated["columns"], reading["columns"], strict=True)):
        where = f"reading of column {j + 1}"
        holds &= audit.equal(f"{where}: is used", theirs is not None, names[j] is not None)
        if theirs is None:
            continue
        plain = {**theirs, "words": None if theirs["words"] is None else []}
        holds &= audit.equal(where, plain, ours)
        known = None if document["categories"] is None else document["categories"][j]
        holds &= audit.equal(f"{where}: words", theirs["words"], known)
    return holds


class RawTable(Protocol):
    """All labelled rows as they were read, and what was made of them before."""

    raw: Any

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key before, or is made now."""
        ...


def left_rows(audit: Audit, document: Document, table: RawTable) -> tuple[Any, Any]:
    """The rows of a raw table that were not set aside, drawn again, and their raw labels."""
    options, n_rows = document["reading"]["options"], document["reading"]["n_rows"]
    raw = table.raw
    names = [str(name) for name in raw.columns]
    target = options["target"]
    labels, others = raw.iloc[:, names.index(target)], [n for n in names if n != target]
    rows = table.once(("raw digests", target), lambda: table_rows(raw, labels, others))
    groups = None
    if options["groups"] is not None:
        groups = list(raw.iloc[:, names.index(options["groups"])])
    units = make_units(drawn_order(rows, digest_of_table(rows), None), groups, rows, None)
    aside = units.rows(n_set_aside(units.n))
    audit.equal("rows set aside", n_rows, len(aside))
    left = np.setdiff1d(np.arange(len(rows)), aside)
    return raw.iloc[left], labels.iloc[left]
