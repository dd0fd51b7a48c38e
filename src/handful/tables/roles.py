"""What columns are for: features, identifiers, groups, weights; what must not be used unasked.

Everything here looks at the rows of the pool alone (and at the names of the columns), so that
which columns are used is fixed before anything is counted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables.cells import Sample, word_of
from handful.tables.columns import Column
from handful.tables.number_styles import PLAIN

FEWEST = 10  # rows of a pool that can show anything
FEWEST_PERSONS = 8  # fewer codes are kinds, not persons
ALONE = 0.99  # a column that gives the target almost by itself may have been written after it
_FEWEST_GAPS = 5  # cells that are known, and that are missing
_SIDE_TELLS, _CLASS_TOLD = 0.95, 0.8  # shares of a class in these cells, and of these in the class
_SURE = 7.0  # nats against the chance that no two whole numbers are equal
_FEW = 6  # whole numbers that may be codes, whatever the name
_ID = re.compile(r"(^|[_\W])(id|ids|mrn|ssn|uuid|guid|nr|no|number|row|index|record|key)$", re.I)
_PERSON = re.compile(
    r"^(patient|subject|person|participant|case|animal|specimen|sample|proband|pat)s?"
    r"([_\W]?(id|ids|nr|no|num|number|code|key|name))?$|(^|[_\W])(id|ids|mrn|ssn|uuid|guid)$",
    re.I,
)
_CODED_NAME = re.compile(r"^[A-Za-z]{1,6}[-_ ]?\d{2,}$")  # P001, pat-17
_CODE = re.compile(
    r"(^|[_\W])(site|cent(er|re)|hospital|ward|clinic|region|country|county|race|ethnicity|"
    r"zentrum|klinik|centro|type|group|arm|code|category|class|batch|plate|machine|operator|sex|gender|zip)$",
    re.I,
)
_SCALE = re.compile(
    r"(^|[_\W])(grade|stage|score|level|scale|rating|degree|counts?|n|num|number|years?|size)$",
    re.I,
)
_WEIGHT = re.compile(r"(sampl|survey|freq|inverse|ipw|prob).*(weight|wt)|^(weights?|wts?)$", re.I)
_AFTER = re.compile(
    r"(surviv|follow.?up|time.?to|^(os|pfs|dfs|rfs)([_\W].*)?$|^time$|^futime$|days.?to|(^|[_\W])los"
    r"([_\W]|$)|length.?of.?stay|(icu|itu|hosp\w*|ventilat\w*|vent).?(days?|hours?|stay|time|dur)|"
    r"liegedauer|verweildauer|discharge|entlass|dimission|aufenthaltsdauer|dur[ée]e.?de.?s[ée]jour|"
    r"estancia|degenza|cause.?of.?death|todes|death|autopsy|readmi|(^|[_\W])after([_\W]|$)|"
    r"post.?(op([_\W]|$)|treat|discharge))",
    re.I,
)


def with_role(column: Column, sample: Sample, y: NDArray[Any], order: NDArray[Any]) -> Column:
    """The column with its role, as its name and its cells in the pool show it.

    ``y`` are the labels of the pool, ``order`` the positions of its rows in the file.
    """
    if column.role != "feature":
        return column
    column = _identifier(column, sample, order)
    if column.role == "feature" and column.kind == "text":
        why = "" if column.notes else "nearly every row has its own words"
        return (
            column.with_note("H043", why, role="ignored")
            if why
            else replace(column, role="ignored")
        )
    if column.role == "feature":
        column = _told_by_gaps(_again(column, sample, y), sample.is_known, y)
    if column.role == "feature" and column.kind == "number":
        column = _coded(column, sample.numbers(column.style))
    if column.role != "feature":
        return column
    if _WEIGHT.search(column.name):
        column = column.with_note("H025", "is it a weight? then say --weights " + column.name)
    if _AFTER.search(column.name):
        column = column.with_note(
            "H022",
            "is it known only afterwards, as a time or a fact? then leave it out with "
            f"--exclude {column.name}",
            asks="exclude",
        )
    return column


def _identifier(column: Column, sample: Sample, order: NDArray[Any]) -> Column:
    """Unique words, and whole numbers that count rows or are called an identifier."""
    if len(sample.places) < FEWEST:
        return column
    if column.kind in ("category", "text", "ordered") and sample.is_unique:
        return column.with_note("H041", "every row has its own word: an identifier", role="id")
    if column.kind == "number":
        why = _number_of_rows(column, sample, order)
        if why:
            return column.with_note("H041", f"{why}: an identifier", role="id")
    n_repeats = len(sample.places) - sample.n_distinct
    is_coded = column.kind in ("number", "category", "text", "ordered")
    is_person = bool(_PERSON.search(column.name)) or (
        column.kind != "number" and all(_CODED_NAME.match(word) for word in set(sample.words))
    )
    is_many = sample.n_distinct >= FEWEST_PERSONS and n_repeats >= 0.1 * len(sample.places)
    if is_coded and is_person and is_many:
        return column.with_note(
            "H012",
            f"the same {column.name} has several rows, which are not independent cases: say "
            f"--groups {column.name}",
            asks="groups",
            role="id",
        )
    return column


def _number_of_rows(column: Column, sample: Sample, order: NDArray[Any]) -> str:
    """Why a column of whole numbers names its rows; empty if it does not."""
    if not sample.is_unique:
        return ""
    values = sample.numbers(column.style)
    is_known = ~np.isnan(values)
    known = values[is_known]
    if len(known) < FEWEST or not np.isfinite(known).all() or (known != np.round(known)).any():
        return ""
    steps = np.diff(known[np.argsort(order[is_known], kind="stable")])
    if (steps > 0).all() or (steps < 0).all():
        return "it counts the rows"
    if _ID.search(column.name) or _PERSON.search(column.name):
        return "unique whole numbers"
    # of so many draws from so few numbers, some would be equal
    if len(known) ** 2 > 2 * _SURE * (known.max() - known.min() + 1.0):
        return "unique whole numbers, although chance would repeat some"
    words = sample.words
    # codes have no separators, as 250,000 platelets do
    if column.style == PLAIN and len({len(word) for word in words}) == 1 and len(words[0]) >= 5:
        return "unique codes of equal length"
    return ""


def _again(column: Column, sample: Sample, y: NDArray[Any]) -> Column:
    """The target under another name, or a column that predicts it alone."""
    labels = np.unique(y[sample.is_known].astype(str), return_inverse=True)[1]
    n_classes = int(labels.max(initial=-1)) + 1
    if len(labels) < 2 * FEWEST or n_classes < 2:
        return column
    table = np.zeros((sample.n_distinct, n_classes), dtype=np.int64)
    np.add.at(table, (sample.places, labels), 1)
    if sample.n_distinct == n_classes == np.count_nonzero(table):
        return column.with_note("H044", "it is the target again, in other words", role="ignored")
    if column.kind == "number":
        share = _best_cut(sample.numbers(column.style)[sample.is_known], labels, n_classes)
    elif sample.n_distinct <= 0.2 * len(labels):
        share = float(table.max(axis=1).sum()) / len(labels)
    else:
        share = 0.0
    if share >= ALONE:
        return column.with_note(
            "H020",
            f"it alone gives the target in {100 * share:.0f} % of the pool: is it known before "
            f"the outcome? if not, leave it out with --exclude {column.name}",
            asks="exclude",
        )
    return column


def _told_by_gaps(column: Column, is_known: NDArray[np.bool_], y: NDArray[Any]) -> Column:
    """The column with a question if its missing cells nearly give the target."""
    if column.role != "feature" or min(is_known.sum(), (~is_known).sum()) < _FEWEST_GAPS:
        return column
    labels = np.unique(y.astype(str), return_inverse=True)[1]
    table = np.zeros((2, int(labels.max()) + 1), dtype=np.int64)
    np.add.at(table, (is_known.astype(int), labels), 1)
    sides = table / table.sum(axis=1, keepdims=True)
    shares = table / table.sum(axis=0, keepdims=True)
    is_told = (sides >= _SIDE_TELLS) & (shares >= _CLASS_TOLD) & (sides[::-1] <= 0.5)
    if not is_told.any():
        return column
    side = int(np.argmax(is_told.any(axis=1)))
    return column.with_note(
        "H021",
        f"{100 * sides[side].max():.0f} % of the pool's rows in which it is "
        f"{'known' if side else 'missing'} have one outcome: is it filled in before the outcome? "
        f"if not, leave it out with --exclude {column.name}",
        asks="exclude",
    )


def _best_cut(values: NDArray[np.float64], labels: NDArray[np.int64], n_classes: int) -> float:
    """Share of the rows that the best single condition on a number gets right."""
    fine = ~np.isnan(values)
    values, labels = values[fine], labels[fine]
    if len(values) == 0:
        return 0.0
    order = np.argsort(values, kind="stable")
    values, labels = values[order], labels[order]
    ends = np.append(values[1:] > values[:-1], True)
    below = np.cumsum(labels[:, None] == np.arange(n_classes), axis=0)[ends]
    above = below[-1] - below
    return float((below.max(axis=1) + above.max(axis=1)).max()) / len(labels)


def _coded(column: Column, values: NDArray[np.float64]) -> Column:
    """Read few whole numbers as categories if the name says that they are codes; else ask."""
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    is_whole = bool((known == np.round(known)).all())
    is_named = bool(_CODE.search(column.name))
    if not is_whole or not 2 < len(distinct) <= (12 if is_named else _FEW):
        return column
    if not is_named:
        if _SCALE.search(column.name):
            return column
        return column.with_note(
            "H026",
            f"only {len(distinct)} whole numbers: if they are codes, say --categories "
            f"{column.name}",
        )
    levels = tuple(word_of(value) for value in distinct)
    return column.with_note(
        "H053",
        f"its {len(levels)} whole numbers are read as codes; say --ordered {column.name} if they "
        "are a scale",
        kind="category",
        levels=levels,
    )
