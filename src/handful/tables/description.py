"""A table in numbers, for readers of a study: Table 1 and its columns; no row is in it.

A count below `LEAST` is not shown, and enough others beside it are not shown either, so that no
subtraction from a total gives it back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from handful.arrays import Floats, Ints, Mask
from handful.tables.columns import PAIR, VALUES, Column, column_of
from handful.tables.notes import CODES, plain_notes
from handful.tables.study import Study

LEAST = 5  # the smallest count that is shown
LEAST_FOR_QUARTILES = 4 * LEAST  # known values: then no quarter has fewer than `LEAST`
MOST_WORDS = 10  # of a column; the others are counted together
MOST_CLASSES = 8  # beside each other on a page
FEW_VALUES = 5  # numbers that are so few are counted one by one
OTHER, UNKNOWN = "other words", "another label"
_ZERO = 1e-9  # of an orthonormal basis


@dataclass(frozen=True)
class SummaryRow:
    """One line of Table 1; the first cell is that of all rows, then one a class.

    Attributes
    ----------
    column : str
    shows : {"quartiles", "word", "missing"}
    word : str
        The word that is counted, or which of two numbers in a cell it is.
    cells : tuple
        Lower quartile, median and upper quartile, or a count; None if it is not shown.
    """

    column: str
    shows: str
    word: str
    cells: tuple[Any, ...]


def hidden_cells(counts: Ints) -> Mask:
    """Which counts must not be shown: the first column of the answer is that of the totals.

    Each row is counted once, so that the columns have known sums. A cell below `LEAST` is hidden.
    A cell that follows from what is shown, or a known sum of hidden cells below `LEAST`, hides the
    smallest cell beside it, until nothing follows. A line without any rows is shown as zeros.

    Examples
    --------
    >>> import numpy as np
    >>> hidden_cells(np.array([[2, 40], [60, 70], [30, 20]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 0], [0, 1, 1]]
    """
    whole = np.column_stack([counts.sum(axis=1), counts])
    is_hidden = (whole < LEAST) & (whole[:, :1] > 0)
    while (place := _next_hidden(whole, is_hidden)) is not None:
        is_hidden[place] = True
    return np.asarray(is_hidden)


def _next_hidden(whole: Ints, is_hidden: Mask) -> tuple[int, int] | None:
    """The smallest shown cell in a line that is not hidden well enough."""
    for line in (*_open_lines(whole, is_hidden), *_lines_of_open_cells(is_hidden)):
        shown = np.argwhere(line & ~is_hidden & (whole[:, :1] > 0))
        if len(shown):
            row, column = min(shown.tolist(), key=lambda place: (whole[place[0], place[1]], place))
            return row, column
    return None


def _open_lines(whole: Ints, is_hidden: Mask) -> Iterator[Mask]:
    """Rows and columns with one hidden cell, or with a known and small sum of hidden cells."""
    for axis in (1, 0):
        for k in range(whole.shape[1 - axis]):
            line = np.zeros(whole.shape, dtype=bool)
            line[(k, slice(None)) if axis else (slice(None), k)] = True
            gone = line & is_hidden
            has_sum = not (axis and is_hidden[k, 0])
            is_small = has_sum and whole[gone].sum() < LEAST
            if gone.any() and (gone.sum() == 1 or is_small):
                yield line


def _lines_of_open_cells(is_hidden: Mask) -> Iterator[Mask]:
    """Row and column of each hidden cell that follows from several lines together."""
    places = np.argwhere(is_hidden).tolist()
    n_rows, n_columns = is_hidden.shape
    equations = np.zeros((n_rows + n_columns, len(places)))
    for k, (i, j) in enumerate(places):
        equations[i, k] = -1.0 if j == 0 else 1.0  # the classes of a row add up to its total
        equations[n_rows + j, k] = 1.0
    free = null_space(equations) if places else np.zeros((0, 1))
    for k, (i, j) in enumerate(places):
        if not free.shape[1] or np.abs(free[k]).max() < _ZERO:
            line = np.zeros(is_hidden.shape, dtype=bool)
            line[i, :], line[:, j] = True, True
            yield line


def describe_columns(study: Study, names: Collection[str]) -> dict[str, Any]:
    """How many columns there are for what, and what was assumed of the named ones, as plain data.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from handful.tables import read_study
    >>> table = pd.DataFrame({"id": range(60), "age": np.arange(60) % 37, "y": [0, 1] * 30})
    >>> described = describe_columns(read_study(table), ["age"])
    >>> described["n_features"], described["roles"], [c["name"] for c in described["columns"]]
    (1, {'feature': 1, 'id': 1, 'target': 1}, ['age'])
    """
    left = [c for c in study.columns if c.role not in ("feature", "target")]
    why = Counter(note.code for c in left for note in c.notes[:1])
    return {
        "n_features": len(study.features),
        "roles": dict(sorted(Counter(c.role for c in study.columns).items())),
        "left_out": [{"why": CODES[code], "n": n} for code, n in sorted(why.items())],
        "columns": [
            {
                "name": c.name,
                "kind": c.kind,
                "notes": plain_notes(c.notes, for_others=True),
            }
            for c in study.features
            if c.name in names
        ],
    }


def table_one(study: Study, names: Collection[str]) -> dict[str, Any] | None:
    """Table 1 of the named features by class, as plain data; None if rows are in chunks.

    Medians and quartiles, counts of words, and how many values are missing. Counts below five are
    None, and so are those from which they could be computed.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from handful.tables import read_study
    >>> table = pd.DataFrame({"age": np.arange(60) % 37, "y": ["a", "b"] * 30})
    >>> found = table_one(read_study(table), ["age"])
    >>> found["groups"], found["rows"][0]["cells"]
    (['all', 'a', 'b'], [[7.0, 14.5, 22.0], [7.2, 14.5, 21.8], [7.2, 14.5, 21.8]])
    """
    if study.table is None or len(study.classes) > MOST_CLASSES:
        return None
    labels = np.asarray(study.y)
    members = [labels == word for word in study.classes]
    groups = list(study.classes)
    if (unknown := ~np.logical_or.reduce(members)).any():
        members, groups = [*members, unknown], [*groups, UNKNOWN]
    rows = [
        line
        for j, column in enumerate(study.features)
        if column.name in names
        for line in _lines(column, column_of(study.X, j), members)
    ]
    return {
        "groups": ["all", *groups],
        "sizes": [len(labels), *(int(member.sum()) for member in members)],
        "least": LEAST,
        "rows": [{**vars(line), "cells": list(line.cells)} for line in rows],
    }


def _lines(column: Column, cells: Any, members: Sequence[Mask]) -> Iterator[SummaryRow]:
    """Lines of one column: its quartiles or its words, then what is missing."""
    if column.kind not in (*VALUES, PAIR, ""):
        order = column.levels if column.kind == "ordered" else ()
        yield from _counted(column.name, column.spell(cells), members, order)
        return
    pairs = column.read_pairs(cells) if column.kind == PAIR else column.read(cells)[:, None]
    distinct = np.unique(pairs[~np.isnan(pairs)])
    if column.kind in ("number", "") and len(distinct) <= FEW_VALUES:
        plain = [None if np.isnan(value) else f"{value:g}" for value in pairs[:, 0]]
        yield from _counted(column.name, plain, members, [f"{value:g}" for value in distinct])
        return
    yield from _measured(column, pairs, members)


def _measured(column: Column, pairs: Floats, members: Sequence[Mask]) -> Iterator[SummaryRow]:
    """Quartiles of a column of numbers, and what is missing."""
    whole = (np.ones(len(pairs), dtype=bool), *members)
    for which, values in zip(("first number", "second number"), pairs.T, strict=False):
        word = which if column.kind == PAIR else ""
        shown = tuple(_quartiles(values[member], column.kind) for member in whole)
        yield SummaryRow(column.name, "quartiles", word, shown)
    known = ["" if not gone else None for gone in np.isnan(pairs[:, 0])]
    yield from list(_counted(column.name, known, members, ()))[1:]


def _quartiles(values: Floats, kind: str) -> list[Any] | None:
    """Quartiles, rounded; None if they would tell of few rows."""
    known = values[~np.isnan(values)]
    if len(known) < LEAST_FOR_QUARTILES:
        return None
    found = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    if kind == "date":
        return [str(np.datetime64(int(day), "D")) for day in found]
    spread = found[2] - found[0]
    if spread == 0.0:
        return [float(f"{value:.4g}") for value in found]
    # three digits of the distance between the quartiles
    return [round(value, 2 - math.floor(math.log10(spread))) for value in found]


def _counted(
    name: str, words: Sequence[str | None], members: Sequence[Mask], order: Sequence[str]
) -> Iterator[SummaryRow]:
    """One line a frequent word, one for the others, and one for missing values."""
    found = Counter(word for word in words if word is not None)
    common = [w for w, n in found.most_common(MOST_WORDS) if n >= LEAST]
    common.sort(key=lambda w: (order.index(w) if w in order else 0, -found[w], w))
    places = {word: k for k, word in enumerate(common)}
    n_words = len(common) + (len(common) < len(found))
    line = np.array([n_words if w is None else places.get(w, len(common)) for w in words])
    counts = np.array(
        [[int((line[m] == k).sum()) for m in members] for k in range(n_words + 1)], dtype=np.int64
    )
    is_hidden = hidden_cells(counts)
    whole = np.column_stack([counts.sum(axis=1), counts]).tolist()
    titles = [*common, *[OTHER] * (n_words - len(common)), ""]
    for k, title in enumerate(titles):
        pairs = zip(whole[k], is_hidden[k].tolist(), strict=True)
        shows = "missing" if k == n_words else "word"
        yield SummaryRow(name, shows, title, tuple(None if hide else n for n, hide in pairs))
