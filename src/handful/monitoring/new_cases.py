"""A table of new cases for a watch: names, predictions, labels, and what looks different."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.bounds import MISCLASSIFIED
from handful.files import Model
from handful.monitoring.case_watch import UNKNOWN, CaseWatch
from handful.tables import word_of
from handful.tables.cells import is_mark, map_distinct

_FEWEST = 30  # rows that say what is usual
_MOST_WORDS = 50  # words of a column that are remembered
_MORE_MISSING = 0.1  # rise of the share of missing values that is worth a notice


@dataclass(frozen=True, eq=False)
class NewCases:
    """Rows as a watch takes them."""

    names: list[str]
    is_flagged: Mask
    labels: Ints
    notices: tuple[str, ...]


def case_of(model: Model) -> str:
    """The model's word for a case."""
    reading = model.data.reading
    if len(model.classes) != 2:
        raise ValueError(f"`model` must tell two classes apart, got {len(model.classes)}.")
    said = reading.positive if reading is not None else None
    return word_of(said if said is not None else model.classes[1])


def claims_of(model: Model) -> tuple[tuple[str, float], ...]:
    """What the certificate of a model claims: error, missed cases and false alarms if it has them.

    A claim that says nothing (1) cannot be watched and is left out. A cost, or the error on a
    random case of a random group, is no claim about each case: nothing is claimed then.
    """
    certificate = model.certificate
    if certificate is None or certificate.quantity != MISCLASSIFIED:
        return ()
    found = {"error": certificate.risk}
    rates = {"missed": "false_negative_given_positive", "false": "false_positive_given_negative"}
    found |= {k: certificate.rate(name) for k, name in rates.items() if certificate.has_rate(name)}
    return tuple((name, risk) for name, risk in found.items() if 0.0 < risk < 1.0)


def read_cases(
    watch: CaseWatch, model: Model, frame: Any, place: Mapping[str, str] | None = None
) -> NewCases:
    """Names, predictions and labels of the rows of a table.

    The model is asked of new cases only: what it said of a case first is what counts.
    """
    plan, here = watch.plan, {new: old for old, new in (place or {}).items()}
    names = _names(frame, plan.id_column)
    labels = _labels(frame, plan.target, model, plan.case)
    is_new = watch.is_new(names)
    flags, notices = np.zeros(len(names), dtype=bool), list[str]()
    if is_new.any():
        rows = frame.rename(columns=here)[is_new]
        words = [word_of(label).casefold() for label in model.classes]
        flags[is_new] = model.codes(rows) == words.index(plan.case.casefold())
        usual = summary_of(model, rows)
        if watch.reference:
            notices = compared(watch.reference, usual)
        elif len(rows) >= _FEWEST:
            watch.reference = {name: part["usual"] for name, part in usual.items()}
    return NewCases(names, flags, labels, tuple(notices))


def _column(frame: Any, name: str, what: str) -> list[Any]:
    names = [str(column) for column in frame.columns]
    if name not in names:
        raise ValueError(
            f"{what} must be a column of the table, got {name!r}. It has: {', '.join(names[:10])}."
        )
    return list(frame.iloc[:, names.index(name)].tolist())


def _names(frame: Any, column: str) -> list[str]:
    cells = _column(frame, column, "`--id`")
    for row, cell in enumerate(cells):
        if is_mark(cell):
            raise ValueError(
                f"`--id` must name every case, got nothing in row {row + 1} of {column!r}. Without "
                "a name a label cannot find its case."
            )
    return [word_of(cell) for cell in cells]


def _labels(frame: Any, column: str, model: Model, case: str) -> Ints:
    """Labels as 1 and 0, -1 where there is none yet; a table without the column has none."""
    if column not in [str(name) for name in frame.columns]:
        return np.full(len(frame), UNKNOWN, dtype=np.int64)
    known = {word_of(label).casefold(): word_of(label) for label in model.classes}
    cells = _column(frame, column, "`--target`")
    words = map_distinct(cells, lambda c: None if is_mark(c) else word_of(c).casefold())
    for row, word in enumerate(words):
        if word is not None and word not in known:
            raise ValueError(
                f"the label in row {row + 1} must be one of {sorted(known.values())} or empty, got "
                f"{word[:40]!r}. Nothing of this file was taken."
            )
    wanted = case.casefold()
    return np.array([UNKNOWN if w is None else int(w == wanted) for w in words], dtype=np.int64)


# -- what looks different: named, not tested -------------------------------------------------------


def _outward(value: float, up: bool) -> float:
    """Two digits, away from the data: no cell of a patient is kept as it was."""
    if value == 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float((math.ceil if up else math.floor)(value / unit) * unit)


def summary_of(model: Model, rows: Any) -> dict[str, dict[str, Any]]:
    """Range or words of every column that the model reads, and the share of missing values."""
    found = {}
    for column in model.fitted.columns.columns:
        cells = np.asarray(rows[column.name], dtype=object)
        gone = np.array([is_mark(cell, column.marks) for cell in cells.tolist()], dtype=bool)
        usual: dict[str, Any] = {"missing": round(float(gone.mean()), 3)}
        values: Any = []
        if column.words is None and column.kind in ("", "number"):
            values = column.read(np.asarray(rows[column.name]))
            values = values[~np.isnan(values)]
            if len(values):
                usual |= {
                    "low": _outward(values.min(), False),
                    "high": _outward(values.max(), True),
                }
        else:
            values = [word_of(cell).casefold() for cell in cells[~gone].tolist()]
            usual["words"] = sorted(set(values))[:_MOST_WORDS]
        found[column.name] = {"usual": usual, "values": values}
    return found


def compared(reference: Mapping[str, Any], new: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Values outside the range of the first batch, words that it did not have, more missing."""
    notices = []
    for name, part in new.items():
        usual, values = reference.get(name, {}), part["values"]
        if "low" in usual and len(values):
            numbers: Floats = np.asarray(values, dtype=np.float64)
            n_out = int(((numbers < usual["low"]) | (numbers > usual["high"])).sum())
            if n_out:
                notices.append(
                    f"{name}: {n_out} of {len(numbers)} values are outside {usual['low']:g} to "
                    f"{usual['high']:g}, the range of the first batch."
                )
        words = usual.get("words")
        unseen = sorted(set(values) - set(words)) if words and len(words) < _MOST_WORDS else []
        if unseen:
            shown = ", ".join(repr(word[:30]) for word in unseen[:5])
            notices.append(f"{name}: words that the first batch did not have: {shown}.")
        share = part["usual"]["missing"]
        if share > usual.get("missing", 0.0) + _MORE_MISSING:
            before = usual.get("missing", 0.0)
            notices.append(f"{name}: {share:.0%} of values are missing, {before:.0%} at first.")
    return notices
