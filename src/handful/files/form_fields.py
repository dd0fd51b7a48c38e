"""The fields of a form's file, checked one by one before anything is built from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from handful._codec import fail
from handful.rules.fields import (
    read_float,
    read_index,
    read_text,
    read_within,
)

# A damaged file must not make the reader build what no study has.
MAX_COLUMNS, MAX_WORDS, MAX_PARTS = 100_000, 10_000, 100_000
READING_TEXTS = ("target", "positive", "groups", "weights")
READING_LISTS = ("id", "exclude", "features", "ordered", "categories")
_DIGEST = re.compile(r"[0-9a-f]{64}")

Check = Callable[[Any, str], Any]


def fields_of(value: Any, names: tuple[str, ...], where: str) -> Mapping[str, Any]:
    """An object with exactly these fields."""
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise fail(where, f"an object with the fields {', '.join(sorted(names))}", value)
    return value


def list_of(value: Any, check: Check, where: str, most: int, least: int = 0) -> list[Any]:
    """A list whose parts all pass a check."""
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise fail(where, f"a list of {least} to {most} parts", value)
    return [check(part, f"{where}[{i}]") for i, part in enumerate(value)]


def truth(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise fail(where, "true or false", value)
    return value


def _text(value: Any, where: str) -> str:
    return read_text(value, where)


def _share(value: Any, where: str) -> None:
    if not 0.0 <= read_float(value, where) < 1.0:
        raise fail(where, "at least 0 and below 1", value)


def _candidates(value: Any, where: str) -> None:
    if not isinstance(value, str):
        list_of(value, _text, where, MAX_PARTS, 1)


def _digest(value: Any, where: str) -> None:
    if not _DIGEST.fullmatch(read_text(value, where)):
        raise fail(where, "64 hexadecimal digits", value)


def _goal(value: Any, where: str) -> None:
    if value is None:
        return
    if not isinstance(value, list) or len(value) != 2:
        raise fail(where, "null, or a goal and its value", value)
    read_text(value[0], where, ("sensitivity", "specificity"))
    _share(value[1], where)


def _band(value: Any, where: str) -> None:
    """Where nothing is said: a width, two limits, two counts."""
    if value is None:
        return
    names = ("width", "answers_at_least", "errs_at_most", "n_answered", "n_errors")
    band = fields_of(value, names, where)
    if not read_float(band["width"], where) > 0.0:
        raise fail(f"{where}.width", "above 0", band["width"])
    for name in names[1:3]:
        if not 0.0 <= read_float(band[name], where) <= 1.0:
            raise fail(f"{where}.{name}", "a share", band[name])
    for name in names[3:]:
        read_index(band[name], f"{where}.{name}")


def _digest_or_nothing(value: Any, where: str) -> None:
    if value is not None:
        _digest(value, where)


def check_reading(value: Any, where: str) -> None:
    """The options that read a table."""
    names = (*READING_TEXTS, *READING_LISTS, "missing", "drop_missing_target")
    reading = fields_of(value, names, where)
    for name in READING_TEXTS:
        if reading[name] is not None or name == "target":
            read_text(reading[name], f"{where}.{name}")
    for name in READING_LISTS:
        list_of(reading[name], _text, f"{where}.{name}", MAX_COLUMNS)
    truth(reading["drop_missing_target"], f"{where}.drop_missing_target")
    if not isinstance(reading["missing"], Mapping):
        raise fail(f"{where}.missing", "marks by column", reading["missing"])
    for name, marks in reading["missing"].items():
        list_of(marks, _text, f"{where}.missing.{name}", MAX_WORDS)


_PROVENANCE: dict[str, Check] = {
    "handful": _text,
    "python": _text,
    "numpy": _text,
    "scikit-learn": _text,
    "data": _text,
    "reading": check_reading,
    "table_sha256": _digest,
    "n_rows": read_index,
    "pool_share": _share,
    "candidates": _candidates,
    "estimators_sha256": _digest_or_nothing,
    "tolerance": _share,
    "delta": _share,
    "group_loss": _text,
    "chosen": _text,
    "is_default": truth,
    "goal": _goal,
    "band": _band,
    "rank": read_within(1, MAX_PARTS),
    "n_candidates": read_within(1, MAX_PARTS),
}


def check_provenance(value: Any) -> None:
    """Where a form comes from."""
    fields = fields_of(value, tuple(_PROVENANCE), "provenance")
    for name, check in _PROVENANCE.items():
        check(fields[name], f"provenance.{name}")
