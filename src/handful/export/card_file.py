"""A score card as the small file that ``handful validate`` reads.

``docs/guide/validation.md`` describes the format, which is for people: items, points, threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from handful.codec import to_toml
from handful.export.cases import frame_of, synthetic_cases
from handful.export.python import Python
from handful.models import Entry, Fitted, Op
from handful.tables import Column, Feature

_N_WORKED = 5  # enough to find an item that was copied wrongly
_COMPARE = {
    "<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__,
    "=": float.__eq__, "≠": float.__ne__,
}  # fmt: skip


class _Comparisons(Python):
    """Conditions as the comparisons of a card, one a line; one of them is enough."""

    def __init__(self, fitted: Fitted) -> None:
        self._asked: list[tuple[Column, Feature]] = [
            (column, question) for column in fitted.columns.columns for question in column.features
        ]

    def condition(self, feature: int, op: Op, limit: float) -> str:
        column, question = self._asked[feature]
        name = _quoted(column.name)
        if question.kind == "value" and column.kind != "ordered":
            if op in ("=", "≠"):
                raise ValueError(f"a card has no sign for {op} of the numbers of {column.name!r}.")
            return f"{name} {op} {float(limit)!r}"
        compare = _COMPARE[op]
        if column.kind == "ordered" and question.kind == "value":
            asked = [w for k, w in enumerate(column.levels) if compare(float(k), limit)]
            return "\n".join(f"{name} == {_quoted(word)}" for word in asked)
        if question.kind == "missing" and column.kind == "ordered":
            raise ValueError(
                f"a card cannot ask whether {column.name!r} is missing: words that are not on its "
                "scale count as missing. Write a page (--out card.html)."
            )
        word = "missing" if question.kind == "missing" else _quoted(question.word)
        signs = ((1.0, "=="), (0.0, "!="))
        return "\n".join(f"{name} {sign} {word}" for flag, sign in signs if compare(flag, limit))


def _quoted(text: str) -> str:
    """A name or a word in a comparison: in single quotes, or as it is if it has one."""
    is_open = text.startswith("'") or any(sign in text for sign in "<>=≥≤!≠") or " is " in text
    if text != text.strip() or text == "missing" or ("'" in text and is_open):
        raise ValueError(f"{text!r} cannot stand in a comparison of a card. Rename it.")
    return text if "'" in text or text.isidentifier() else f"'{text}'"


def card_toml(fitted: Fitted, case: str, width: float | None, reference: str) -> str:
    """The file; ``case`` is the class that a total from the threshold on means."""
    small = fitted.reduced()
    machine = small.machine
    if machine.points_offset is None or width is not None:
        why = "it says nothing if it is in doubt" if width is not None else "it has no points"
        raise ValueError(
            f"`machine` must be a score card that always decides to be a card file: {why}. Choose "
            "'score card', or write a page (--out card.html)."
        )
    for column in small.columns.columns:
        if column.marks or column.kind in ("date", "two numbers"):
            raise ValueError(
                f"column {column.name!r} must hold numbers or words, without marks of missing "
                "values of its own, to stand in a card file. Write a page (--out card.html)."
            )
    # a card counts for the case: if that is the first class, all points change their signs
    sign = 1 if case == small.classes[-1] else -1
    threshold = int(machine.points_offset + 0.5)
    rows = synthetic_cases(small, 4 * _N_WORKED, None)[1]
    items = _items(machine.entries(small.words, _Comparisons(small)), sign)
    document: dict[str, Any] = {
        "card": 1,
        "name": f"{small.form}: {small.classes[0]} or {small.classes[1]}",
        "purpose": f"from the threshold on: {case}",
        "reference": reference,
        "threshold": threshold if sign > 0 else 1 - threshold,
        "missing": "no points",
        "risk": _risks(small, sign, [item["points"] for item in items]),
        "item": items,
        "worked": _worked(small, sign, rows),
    }
    return to_toml({name: part for name, part in document.items() if part not in ({}, [])})


def _items(entries: Sequence[Entry], sign: int) -> list[dict[str, Any]]:
    items = []
    for entry in entries:
        if entry.met:  # a condition that nothing meets gives no points
            points, when = sign * int(entry.adds), entry.met.split("\n")
            items.append({"name": entry.text, "points": points, "when": when})
    return items


def _risks(fitted: Fitted, sign: int, points: Sequence[int]) -> dict[str, float]:
    """The estimated risk at every total."""
    offset = fitted.machine.points_offset
    if fitted.risk is None or offset is None:
        return {}
    low, high = sum(p for p in points if p < 0), sum(p for p in points if p > 0)
    totals = range(low, high + 1)
    second = fitted.risk.of([sign * total - offset for total in totals]).tolist()
    risks = second if sign > 0 else [1.0 - risk for risk in second]
    return {str(total): risk for total, risk in zip(totals, risks, strict=True)}


def _worked(fitted: Fitted, sign: int, rows: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Cases with their points, which a reader of the file computes again."""
    plain = [row for row in rows if not any(cell.startswith("<") for cell in row)][:_N_WORKED]
    frame = frame_of(fitted, plain)
    scores = fitted.machine.scores(fitted.rows(frame)) + (fitted.machine.points_offset or 0.0)
    worked: list[dict[str, Any]] = []
    for total, row in zip(scores.round().astype(int).tolist(), plain, strict=True):
        case: dict[str, Any] = {}
        for column, cell in zip(fitted.columns.columns, row, strict=True):
            case[column.name] = cell
            if column.words is None and column.kind != "ordered":
                number = float(column.read(frame[column.name][[len(worked)]].to_numpy())[0])
                case[column.name] = "" if math.isnan(number) else number
        worked.append({"points": sign * total, "case": case})
    return worked
