"""Of a model learned from a raw table: which rows were set aside, and how cells are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit
from handful.verify._draws import digest_of_table, drawn_order, table_rows
from handful.verify._rows import word_form
from handful.verify._units import make_units

Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_TRUST = (
    "the library's own rules read the raw table: what its columns hold and what they are for, by "
    "the rows that were set aside"
)
_OPEN = "how the columns of the table were read"


def n_set_aside(n: int) -> int:
    """How many rows, or groups, are set aside; it depends on their number alone."""
    return max(1, min(max(20, round(n / 10)), n // 4, 1000))


def check_reading(
    audit: Audit, document: Document, reading: Document | None, X: Any, *, is_open: bool = False
) -> bool:
    """Whether cells are read as the table itself says; the words of rules are checked later.

    ``is_open`` if the reading is left open together with the training.
    """
    stated = document["reading"]
    if is_open and reading is None:
        audit.leave(_OPEN)
        return True
    if stated["options"] is None:
        holds = audit.check("reading", reading is None, "the file is about a table that was clean")
        holds &= audit.equal("rows set aside", stated["n_rows"], 0)
        columns = [column for column in stated["columns"] if column is not None]
        return holds & all(_is_clean(audit, column, X) for column in columns)
    audit.trust(_TRUST)
    if not audit.check("reading", reading is not None, "the raw table is needed, got a clean one"):
        return False
    assert reading is not None
    holds = audit.equal("reading: options", stated["options"], reading["reading"])
    holds &= audit.equal("reading: rows", stated["n_rows"], reading["n_set_aside"])
    lengths = len(stated["columns"]), len(reading["columns"])
    if not audit.equal("reading: columns", *lengths):
        return False
    for j, (theirs, ours) in enumerate(zip(stated["columns"], reading["columns"], strict=True)):
        if theirs is not None:
            plain = {**theirs, "words": None if theirs["words"] is None else []}
            holds &= audit.equal(f"reading of column {j + 1}", plain, ours)
    return holds


def _is_clean(audit: Audit, column: Document, X: Any) -> bool:
    """Whether a column is taken as it is: numbers, words, or ordered categories of the data."""
    name, levels = column["name"], _levels(X, column["name"])
    kind = "" if column["words"] is None else "words"
    if kind == "" and column["kind"] == "number":  # which numbers are, too
        kind = "number"
    plain = {"kind": "ordered" if levels else kind, "levels": levels, "style": "plain", "marks": []}
    return audit.equal(f"reading of {name!r}", {key: column[key] for key in plain}, plain)


def _levels(X: Any, name: str) -> list[str]:
    """Ordered categories of a column of the data; none for other columns."""
    names = [str(one) for one in getattr(X, "columns", ())]
    if names.count(name) != 1 or not hasattr(X, "iloc"):
        return []
    dtype = X.iloc[:, names.index(name)].dtype
    return [word_form(w) for w in dtype.categories] if getattr(dtype, "ordered", False) else []


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
