"""What columns are for: features, identifiers, groups, weights; what must not be used unasked.

Everything here looks at the rows of the pool alone (and at the names of the columns), so that
which columns are used is fixed before anything is counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._digests import word_of
from handful.tables._kinds import Column
from handful.tables._numbers import is_mark, numbers_of

FEWEST = 10  # rows of a pool that can show anything
ALONE = 0.99  # a column that gives the target almost by itself may have been written after it
# What programs write where a number is missing.
SENTINELS = (-9999.0, -999.0, -99.0, -9.0, -8.0, -1.0, 99.0, 999.0, 9999.0, 99999.0)
_ID = re.compile(r"(^|[_\W])(id|ids|mrn|ssn|uuid|guid|nr|no|number|row|index|record|key)$", re.I)
_PERSON = re.compile(r"(patient|subject|person|participant|case|animal|specimen|sample)", re.I)
_CODE = re.compile(
    r"(^|[_\W])(site|cent(er|re)|hospital|ward|clinic|region|country|county|race|ethnicity|"
    r"type|group|arm|code|category|class|batch|plate|machine|operator|sex|gender|zip)$",
    re.I,
)
_WEIGHT = re.compile(r"(sampl|survey|freq|inverse|ipw|prob).*(weight|wt)|^(weights?|wts?)$", re.I)
_TIME = re.compile(
    r"(surviv|follow.?up|time.?to|^(os|pfs|dfs|rfs)([_\W].*)?$|^time$|^futime$|days.?to)", re.I
)


def judge(column: Column, cells: Sequence[Any], y: NDArray[Any], order: NDArray[Any]) -> Column:
    """The column with its role, as its cells and its name show it.

    Parameters
    ----------
    column : Column
        As `kind_of` gave it.
    cells : sequence
        The cells of the pool.
    y : ndarray
        Labels of the pool.
    order : ndarray of int
        Positions of the pool's rows in the file.
    """
    if column.role != "feature":
        return column
    column = _identifier(column, cells, order)
    if column.role == "feature" and column.kind == "text":
        return column.with_note("nearly every row has its own words", role="ignored")
    if column.role == "feature":
        column = _again(column, cells, y)
    if column.role == "feature" and column.kind == "number":
        column = _coded(_sentinel(column, cells), cells)
    if column.role != "feature":
        return column
    if _WEIGHT.search(column.name):
        column = column.with_note("is it a weight? then say --weights " + column.name)
    if _TIME.search(column.name):
        column = column.with_note(
            "is it a time that is known only afterwards? then leave it out with --exclude "
            + column.name
        )
    return column


def _identifier(column: Column, cells: Sequence[Any], order: NDArray[Any]) -> Column:
    """Unique words, and whole numbers that count rows or are called an identifier."""
    words = [word_of(cell) for cell in cells if not is_mark(cell, column.marks)]
    if len(words) < FEWEST:
        return column
    is_unique = len(set(words)) == len(words)
    if column.kind in ("category", "text", "ordered") and is_unique:
        return column.with_note("every row has its own word: an identifier", role="id")
    is_named = bool(_ID.search(column.name)) or bool(_PERSON.search(column.name))
    if column.kind == "number":
        values = numbers_of(cells, column.style, column.marks)
        if np.isnan(values).any() or (values != np.round(values)).any():
            return column
        steps = np.diff(values[np.argsort(order, kind="stable")])
        if is_unique and ((steps > 0).all() or (steps < 0).all()):
            return column.with_note("it counts the rows: an identifier", role="id")
        if is_unique and is_named:
            return column.with_note("unique whole numbers: an identifier", role="id")
        if is_unique and len({len(word) for word in words}) == 1 and len(words[0]) >= 5:
            return column.with_note("unique codes of equal length: an identifier", role="id")
    if is_named and not is_unique and column.kind in ("number", "category", "text"):
        repeats = len(words) - len(set(words))
        if repeats >= 0.1 * len(words) and bool(_PERSON.search(column.name)):
            return column.with_note(
                f"the same {column.name} has several rows, which are not independent cases: say "
                f"--groups {column.name}",
                role="id",
            )
    return column


def _again(column: Column, cells: Sequence[Any], y: NDArray[Any]) -> Column:
    """The target under another name, or a column that predicts it alone."""
    known = np.array([not is_mark(cell, column.marks) for cell in cells], dtype=bool)
    labels = y[known]
    if len(labels) < 2 * FEWEST or len(set(labels.tolist())) < 2:
        return column
    words = np.array([word_of(c).casefold() for c, k in zip(cells, known, strict=True) if k])
    pairs = set(zip(words.tolist(), labels.tolist(), strict=True))
    n_words, n_classes = len(set(words.tolist())), len(set(labels.tolist()))
    if n_words == n_classes == len(pairs):
        return column.with_note("it is the target again, in other words", role="ignored")
    share = _alone(column, cells, known, labels)
    if share >= ALONE:
        return column.with_note(
            f"it alone gives the target in {100 * share:.0f} % of the pool: is it known before "
            f"the outcome? if not, leave it out with --exclude {column.name}"
        )
    return column


def _alone(
    column: Column, cells: Sequence[Any], known: NDArray[np.bool_], labels: NDArray[Any]
) -> float:
    """Share of the pool that the best single condition on the column gets right."""
    if column.kind == "number":
        values = numbers_of(cells, column.style, column.marks)[known]
        fine = ~np.isnan(values)
        values, labels = values[fine], labels[fine]
        if len(values) == 0:
            return 0.0
        order = np.argsort(values, kind="stable")
        values, labels = values[order], labels[order]
        ends = np.flatnonzero(np.append(values[1:] > values[:-1], True)) + 1
        best = 0
        for label in set(labels.tolist()):
            below = np.cumsum(labels == label)[ends - 1]
            others = [np.cumsum(labels == other)[ends - 1] for other in set(labels.tolist())]
            most_above = np.max([o[-1] - o for o in others], axis=0)
            best = max(best, int((below + most_above).max()))
        return best / len(labels)
    return 0.0


def _sentinel(column: Column, cells: Sequence[Any]) -> Column:
    """Numbers that probably stand for a missing value: far from all others, and repeated."""
    values = numbers_of(cells, column.style, column.marks)
    values = values[~np.isnan(values)]
    for mark in SENTINELS:
        n = int((values == mark).sum())
        rest = values[values != mark]
        if n < 2 or len(rest) < FEWEST:
            continue
        low, high = float(rest.min()), float(rest.max())
        is_odd_one = mark < 0 <= low if mark > -10 else not low - (high - low) <= mark <= high
        if mark > 0:
            is_odd_one = mark > high + (high - low)
        if is_odd_one:
            text = f"{mark:g}"
            column = column.with_note(
                f"{n} times {text}, far from all other values: if it means missing, say --missing "
                f"{column.name}={text}"
            )
    return column


def _coded(column: Column, cells: Sequence[Any]) -> Column:
    """Few whole numbers under a name that says they are codes are categories."""
    values = numbers_of(cells, column.style, column.marks)
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    is_whole = bool((known == np.round(known)).all())
    if not is_whole or not 2 < len(distinct) <= 12 or not _CODE.search(column.name):
        return column
    levels = tuple(word_of(value) for value in distinct)
    return column.with_note(
        f"its {len(levels)} whole numbers are read as codes; say --ordered {column.name} if they "
        "are a scale",
        kind="category",
        levels=levels,
    )
