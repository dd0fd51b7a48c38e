"""The fields of a form's file, checked one by one before anything is built from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from handful.rules.fields import (
    fail,
    read_float,
    read_floats,
    read_index,
    read_int,
    read_scale,
    read_size,
    read_text,
    read_within,
)

# A damaged file must not make the reader build what no study has.
MAX_COLUMNS, MAX_WORDS, MAX_CLASSES, MAX_PARTS, MAX_MEMBERS = 100_000, 10_000, 1000, 100_000, 20
COLUMN_KINDS = ("", "number", "ordered", "date", "words")
STYLES = ("plain", "decimal comma", "thousands comma", "thousands dot")
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


def check_fitted(value: Any) -> int:
    """The document of a `Fitted`; gives the number of other libraries' estimators it needs."""
    fitted = fields_of(value, ("form", "columns", "classes", "machine"), "fitted")
    read_text(fitted["form"], "fitted.form")
    classes = list_of(fitted["classes"], _text, "fitted.classes", MAX_CLASSES, 1)
    if len(set(classes)) < len(classes):
        raise fail("fitted.classes", "different words", classes)
    columns = fields_of(fitted["columns"], ("columns",), "fitted.columns")["columns"]
    widths = list_of(columns, check_column, "fitted.columns", MAX_COLUMNS)
    names = [column["name"] for column in columns]
    if len(set(names)) < len(names):
        raise fail("fitted.columns", "columns with different names", names)
    check_machine(fitted["machine"], "machine", sum(widths), len(classes))
    return 1 + max(_places(fitted["machine"]), default=-1)


def _places(machine: Mapping[str, Any]) -> list[int]:
    """Places of the estimators that a machine names."""
    if machine["machine"] == "vote":
        return [place for member in machine["members"] for place in _places(member)]
    return [machine["place"]] if machine["machine"] == "foreign" else []


def check_column(value: Any, where: str) -> int:
    """Checks a column; gives its number of encoded features."""
    names = ("name", "words", "has_missing", "kind", "style", "marks", "levels")
    column = fields_of(value, names, where)
    read_text(column["name"], f"{where}.name")
    kind = read_text(column["kind"], f"{where}.kind", COLUMN_KINDS)
    read_text(column["style"], f"{where}.style", STYLES)
    list_of(column["marks"], _text, f"{where}.marks", MAX_WORDS)
    levels = list_of(column["levels"], _text, f"{where}.levels", MAX_WORDS)
    if bool(levels) != (kind == "ordered"):
        raise fail(f"{where}.levels", "the words of an ordered column, and of no other", levels)
    n_features = 1
    if column["words"] is not None:
        n_features = len(list_of(column["words"], _text, f"{where}.words", MAX_WORDS))
    if kind and (kind == "words") != (column["words"] is not None):
        raise fail(f"{where}.words", "the words of a column of words, and of no other", kind)
    return n_features + truth(column["has_missing"], f"{where}.has_missing")


def check_machine(value: Any, where: str, width: int, n_classes: int, depth: int = 0) -> None:
    """The document of a machine over ``width`` encoded features."""
    kind = value.get("machine") if isinstance(value, Mapping) else None
    if not isinstance(kind, str) or kind not in _MACHINES or (kind == "vote" and depth):
        raise fail(f"{where}.machine", f"one of {sorted(_MACHINES)}", kind)
    names, check = _MACHINES[kind]
    fields = fields_of(value, ("machine", *names), where)
    if "n_classes" in names and fields["n_classes"] != n_classes:
        raise fail(f"{where}.n_classes", f"{n_classes}", fields["n_classes"])
    check(fields, where, width, n_classes)


def _label(n_classes: int) -> Check:
    return read_within(0, n_classes - 1)


def _constant(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    read_int(d["n_classes"], f"{where}.n_classes")
    _label(n_classes)(d["label"], f"{where}.label")


def _numbers(value: Any, where: str, n: int) -> tuple[float, ...]:
    found = read_floats(value, where)
    if len(found) != n:
        raise fail(where, f"{n} numbers", value)
    return found


def _condition(width: int, kinds: tuple[str, ...], more: tuple[str, ...] = ()) -> Check:
    parts = {
        "cut": ("feature", "threshold"),
        "plane": ("weights", "threshold", "fill"),
        "ball": ("center", "radius", "scale", "fill"),
    }

    def check(value: Any, where: str) -> None:
        kind = value.get("condition") if isinstance(value, Mapping) else None
        if not isinstance(kind, str) or kind not in kinds:
            raise fail(f"{where}.condition", f"one of {kinds}", kind)
        d = fields_of(value, ("condition", "is_above", *parts[kind], *more), where)
        truth(d["is_above"], f"{where}.is_above")
        if kind == "cut":
            read_within(0, width - 1)(d["feature"], f"{where}.feature")
        for name in {"threshold", "radius"}.intersection(d):
            read_float(d[name], f"{where}.{name}")
        for name in {"weights", "fill", "center", "scale"}.intersection(d):
            _numbers(d[name], f"{where}.{name}", width)
        if "scale" in d:
            read_scale(d["scale"], f"{where}.scale")
        if "points" in more:
            read_int(d["points"], f"{where}.points")

    return check


def _rules(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    read_int(d["n_classes"], f"{where}.n_classes")
    _label(n_classes)(d["default"], f"{where}.default")
    condition = _condition(width, ("cut", "plane", "ball"))

    def rule(value: Any, place: str) -> None:
        part = fields_of(value, ("label", "conditions"), place)
        _label(n_classes)(part["label"], f"{place}.label")
        list_of(part["conditions"], condition, f"{place}.conditions", MAX_PARTS, 1)

    list_of(d["rules"], rule, f"{where}.rules", MAX_PARTS)


def _two(n_classes: int, where: str) -> None:
    if n_classes != 2:
        raise fail(where, "for two classes", n_classes)


def _card(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    _two(n_classes, where)
    list_of(d["items"], _condition(width, ("cut",), ("points",)), f"{where}.items", MAX_PARTS)
    read_int(d["threshold"], f"{where}.threshold")
    for name in ("scale", "offset"):
        read_float(d[name], f"{where}.{name}")


def _linear(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    n_scores = 1 if n_classes == 2 else n_classes
    _matrix(d["weights"], f"{where}.weights", n_scores, width)
    _numbers(d["intercepts"], f"{where}.intercepts", n_scores)
    _numbers(d["fill"], f"{where}.fill", width)
    if d["spread"] != []:
        _numbers(d["spread"], f"{where}.spread", width)
        read_scale(d["spread"], f"{where}.spread")


def _matrix(value: Any, where: str, n_rows: int, n_columns: int) -> None:
    list_of(value, lambda v, place: _numbers(v, place, n_columns), where, n_rows, n_rows)


def _additive(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    n_scores = 1 if n_classes == 2 else n_classes
    _numbers(d["intercepts"], f"{where}.intercepts", n_scores)

    def curve(value: Any, place: str) -> None:
        c = fields_of(value, ("feature", "cuts", "values", "missing"), place)
        read_within(0, width - 1)(c["feature"], f"{place}.feature")
        cuts = read_floats(c["cuts"], f"{place}.cuts")
        if list(cuts) != sorted(set(cuts)):
            raise fail(f"{place}.cuts", "increasing numbers", c["cuts"])
        _matrix(c["values"], f"{place}.values", n_scores, len(cuts) + 1)
        _numbers(c["missing"], f"{place}.missing", n_scores)

    list_of(d["curves"], curve, f"{where}.curves", MAX_COLUMNS)


def _kernel(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    n_scores = 1 if n_classes == 2 else n_classes
    read_size(d["gamma"], f"{where}.gamma")
    centers = d["centers"]
    n_centers = len(centers) if isinstance(centers, list) else 0
    _matrix(centers, f"{where}.centers", n_centers, width)
    _matrix(d["coefficients"], f"{where}.coefficients", n_centers, n_scores)
    _numbers(d["intercepts"], f"{where}.intercepts", n_scores)
    _numbers(d["fill"], f"{where}.fill", width)
    _numbers(d["scale"], f"{where}.scale", width)
    read_scale(d["scale"], f"{where}.scale")


def _vote(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    read_int(d["n_classes"], f"{where}.n_classes")

    def member(value: Any, place: str) -> None:
        check_machine(value, place, width, n_classes, depth=1)
        if value.get("takes") == "table":
            raise fail(f"{place}.takes", "encoded or filled in a vote", "table")

    list_of(d["members"], member, f"{where}.members", MAX_MEMBERS, 1)


def _thresholded(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    _two(n_classes, where)
    read_float(d["threshold"], f"{where}.threshold")
    check_machine(d["base"], f"{where}.base", width, n_classes, depth=1)
    if d["base"]["machine"] not in ("linear", "additive", "kernel expansion"):
        raise fail(f"{where}.base", "a score", d["base"]["machine"])


def _foreign(d: Mapping[str, Any], where: str, width: int, n_classes: int) -> None:
    read_int(d["n_classes"], f"{where}.n_classes")
    takes = read_text(d["takes"], f"{where}.takes", ("table", "encoded", "filled"))
    read_within(0, MAX_MEMBERS - 1)(d["place"], f"{where}.place")
    _numbers(d["fill"], f"{where}.fill", width if takes == "filled" else 0)


_KERNEL = ("gamma", "centers", "coefficients", "intercepts", "scale", "fill")
_MACHINES: dict[str, tuple[tuple[str, ...], Callable[[Any, str, int, int], None]]] = {
    "constant": (("label", "n_classes"), _constant),
    "rules": (("rules", "default", "n_classes"), _rules),
    "score card": (("items", "threshold", "scale", "offset"), _card),
    "linear": (("weights", "intercepts", "fill", "spread"), _linear),
    "additive": (("curves", "intercepts"), _additive),
    "kernel expansion": (_KERNEL, _kernel),
    "vote": (("members", "n_classes"), _vote),
    "thresholded": (("base", "threshold"), _thresholded),
    "foreign": (("place", "takes", "n_classes", "fill"), _foreign),
}


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
