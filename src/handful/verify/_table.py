"""A raw table, read by the words of a form's file: labels, digests, the blind pool, cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._draws import digest_of_table, drawn_order, table_rows
from handful.verify._rows import is_missing, word_form
from handful.verify._units import contents, order_of_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_POOL = 10_000  # as the library's, whose pool is drawn again
_NOTHING = frozenset(
    [
        "",
        "?",
        ".",
        "--",
        "na",
        "n/a",
        "n.a.",
        "nan",
        "#n/a",
        "<na>",
        "null",
        "#null!",
        "missing",
        "not available",
        "not done",
        "n.d.",
        "k.a.",
        "#value!",
        "#div/0!",
    ]
)
_EMPTY = frozenset(
    [
        *("?", "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
    ]
)
_PREFIX = re.compile(r"^\s*(<=|>=|[<>≤≥~])\s*")
_PLAIN_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Table:
    """Rows that have a label, with what orders them.

    Attributes
    ----------
    columns : mapping of str to list
        Cells by column.
    labels : list of str
        As the pool spells them most often; others without capitals.
    digest : str
    in_pool : ndarray of bool
    counted : ndarray of int
        Rows outside the pool in blind order; of groups one after the other.
    groups : list of str or None
    n_units, n_pool : int
        Rows, or groups, in the table and in the pool.
    n_distinct : int
        Rows, or groups, of different content.
    """

    columns: Mapping[str, Any]
    labels: list[str]
    digest: str
    in_pool: NDArray[np.bool_]
    counted: Ints
    groups: list[str] | None
    n_units: int
    n_pool: int
    n_distinct: int


def is_nothing(cell: Any, marks: Sequence[str] = ()) -> bool:
    """Whether a cell says that nothing is known."""
    if is_missing(cell):
        return True
    word = str(cell).strip().casefold()
    if word in marks or word_form(cell).casefold() in marks:
        return True
    # A usual mark may be an answer in a column: the file then has it with ≠ before it.
    return isinstance(cell, str) and word in _NOTHING and f"≠{word}" not in marks


def read_table(frame: Any, reading: Mapping[str, Any], share: float) -> Table:
    """The table as a form's file says that it was read."""
    names = [str(name) for name in frame.columns]
    cells = [_cells(frame.iloc[:, j]) for j in range(len(names))]
    place = names.index(reading["target"])
    is_labelled = [not is_nothing(cell) for cell in cells[place]]
    if not all(is_labelled) and not reading["drop_missing_target"]:
        raise ValueError("rows without a label, which the file does not leave out")
    rows = np.flatnonzero(is_labelled)
    cells = [column[rows] for column in cells]
    others = [j for j in _by_name(names) if j != place]
    content = np.empty((len(rows), len(others)), dtype=object)
    for k, j in enumerate(others):
        content[:, k] = cells[j]
    digests = table_rows(content, cells[place].tolist(), None)
    digest = digest_of_table(digests)
    order = drawn_order(digests, digest, None).tolist()
    groups = None
    if reading["groups"] is not None:
        groups = [word_form(cell) for cell in cells[names.index(reading["groups"])]]
    # Whole groups enter the pool: rows of one group are not independent.
    of_group = {} if groups is None else order_of_groups(groups, digests)
    units = order if groups is None else list(of_group)
    if groups is not None:
        order = [i for part in of_group.values() for i in part]
    # Something is always left to count.
    n_pool = min(max(1, round(share * len(units))), LARGEST_POOL, max(1, len(units) - 1))
    rank = {unit: k for k, unit in enumerate(units)}
    of_row = [rank[i if groups is None else groups[i]] for i in range(len(rows))]
    counted = sorted((i for i in order if of_row[i] >= n_pool), key=lambda i: of_row[i])
    in_pool = np.array([k < n_pool for k in of_row], dtype=bool)
    return Table(
        columns=dict(zip(names, cells, strict=True)),
        labels=_labels(cells[place], in_pool),
        digest=digest,
        in_pool=in_pool,
        counted=np.array(counted, dtype=np.int64),
        groups=groups,
        n_units=len(units),
        n_pool=n_pool,
        n_distinct=len(set(digests if groups is None else contents(groups, digests))),
    )


def _cells(series: Any) -> NDArray[Any]:
    """Cells of a column; dates as they are written, without an hour of midnight."""
    kind = getattr(series.dtype, "kind", "O")
    if kind == "O":  # empty words and their like are no words
        cells = [None if isinstance(c, str) and c in _EMPTY else c for c in series]
        out = np.empty(len(cells), dtype=object)
        out[:] = cells
        return out
    if kind not in "mM":
        return np.asarray(series)
    texts = [None if is_missing(c) else str(c).removesuffix(" 00:00:00") for c in series]
    return np.array(texts, dtype=object)


def _by_name(names: Sequence[str]) -> list[int]:
    return sorted(range(len(names)), key=lambda j: (names[j], j))


def _labels(cells: Any, in_pool: NDArray[np.bool_]) -> list[str]:
    """Labels, of several spellings the pool's most frequent one (the first among equals)."""
    words = [word_form(cell) for cell in cells]
    counts: dict[str, Counter[str]] = {}
    for word in (words[i] for i in np.flatnonzero(in_pool)):
        counts.setdefault(word.casefold(), Counter())[word] += 1
    spelled = {key: sorted(c, key=lambda w, c=c: (-c[w], w))[0] for key, c in counts.items()}  # type: ignore[misc]
    return [spelled.get(word.casefold(), word.casefold()) for word in words]


def encode(columns: Sequence[Mapping[str, Any]], table: Mapping[str, Any], rows: Ints) -> Floats:
    """Numbers of some rows as the columns of the file ask for them, NaN where nothing is known."""
    out = []
    for column in columns:
        cells = table[column["name"]][rows]
        values, words = _values(column, cells), column["words"]
        gone = np.isnan(values)
        if words is None:
            out.append(values)
        else:
            out += [np.where(gone, np.nan, values == k) for k in range(len(words))]
        if column["has_missing"]:
            out.append(gone.astype(float))
    return np.array(out, dtype=float).T if out else np.empty((len(rows), 0))


def raw_rows(columns: Sequence[Mapping[str, Any]], table: Mapping[str, Any], rows: Ints) -> Any:
    """Some rows as a table: numbers as numbers, other cells as they are."""
    import pandas as pd

    cells = {column["name"]: table[column["name"]][rows] for column in columns}
    for column in columns:
        is_text = cells[column["name"]].dtype.kind == "O"
        if column["kind"] == "number" and is_text:
            cells[column["name"]] = _values(column, cells[column["name"]])
    return pd.DataFrame(cells)


def _values(column: Mapping[str, Any], cells: NDArray[Any]) -> Floats:
    kind, marks = column["kind"], column["marks"]
    if kind == "date":
        return np.array([_days(cell, marks) for cell in cells], dtype=float)
    if kind == "number":
        return np.array([_number(cell, column["style"], marks) for cell in cells], dtype=float)
    if kind == "":
        return np.array([np.nan if is_missing(c) else float(c) for c in cells], dtype=float)
    if kind == "words":
        exact = {word: float(k) for k, word in enumerate(column["words"])}
        return np.array([np.nan if is_missing(c) else exact.get(word_form(c), -1.0) for c in cells])
    if kind not in ("yes/no", "category", "text", "ordered"):
        raise ValueError(f"a column of the kind {kind!r}")
    known = column["levels"] if kind == "ordered" else column["words"]
    place = {word.casefold(): float(k) for k, word in enumerate(known)}
    other = np.nan if kind == "ordered" else -1.0  # on no place of a scale
    return np.array(
        [
            np.nan if is_nothing(c, marks) else place.get(word_form(c).casefold(), other)
            for c in cells
        ]
    )


def _number(cell: Any, style: str, marks: Sequence[str]) -> float:
    if isinstance(cell, (int, float, np.number, np.bool_)):
        value = float(cell)
        is_gone = np.isinf(value) or any(_same(value, mark) for mark in marks)
        return np.nan if is_gone else value
    if is_nothing(cell, marks):
        return np.nan
    text = _PREFIX.sub("", str(cell)).strip().removesuffix("%").strip()
    if style == "thousands comma":
        text = text.replace(",", "")
    elif style == "thousands dot":
        text = text.replace(".", "").replace(",", ".")
    elif style == "decimal comma":
        text = text.replace(",", ".")
    # Python would also take "1_000", "nan" and "infinity" for numbers.
    number = float(text) if len(text) < 400 and _PLAIN_NUMBER.fullmatch(text) else np.nan
    return np.nan if np.isinf(number) else number


def _same(value: float, mark: str) -> bool:
    try:
        return value == float(mark)
    except ValueError:
        return False


def _days(cell: Any, marks: Sequence[str]) -> float:
    import pandas as pd

    if is_nothing(cell, marks):
        return np.nan
    time = pd.to_datetime(str(cell), errors="coerce", dayfirst="." in str(cell))
    if time is pd.NaT:
        return np.nan
    return float((time.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta("1D"))
