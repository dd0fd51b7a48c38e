"""Do the rules follow from the kept examples? Thresholds, radii and points are derived again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit, is_close, is_number
from handful.verify._geometry import rule_cut, rule_tolerance, rule_values, same_covers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Document = Mapping[str, Any]

_ROUNDING = 1e-3  # of the tolerance, which is larger than any rounding
OTHER_ROWS = "it covers other rows than the rule that was computed again"
TYPES = {"stumps": "stump", "balls": "ball", "half-spaces": "half-space", "two-point": "two-point"}


def named_examples(rule: Document) -> list[int]:
    """Indices of the examples that a stored rule names."""
    return list(rule["indices"])


def check_rules(
    audit: Audit, code: Document, rules: Sequence[Document], X: Floats, y: Ints, is_word: Mask
) -> None:
    """Every rule of a compression code against the examples it is made of."""
    families = code["family"].split("+")
    is_listed = len(families) > 1 or code["kind"] == "list"
    kept = code["kept"]
    named = {i for rule in rules for i in named_examples(rule)}
    sign = 1 if code["kind"] == "conjunction" else -1
    members = [i for i in kept if y[i] == sign]
    # Borders and thresholds of sets are rebuilt from all kept examples of the class that stays
    # uncovered: one that no rule names may still be needed.
    can_be_silent = set() if is_listed or families[0] in ("stumps", "two-point") else set(members)
    audit.check(
        "the rules name the kept examples",
        named <= set(kept) and set(kept) - named <= can_be_silent,
        f"rules are made of {sorted(named)[:20]}, kept are {kept[:20]}",
    )
    allowed = {TYPES[family] for family in families}
    for i, rule in enumerate(rules):
        where = f"rule {i + 1}"
        with audit.guard(where):
            audit.check(f"{where} is of its family", rule["type"] in allowed, str(rule["type"]))
            _check_points(audit, where, rule, X, y)
            if is_listed:
                sides = ("equal", "unequal") if _is_about_words(rule, is_word) else _ORDERED
                audit.check(f"{where}: side", rule["side"] in sides, str(rule["side"]))
                _check_listed_cut(audit, where, rule, X)
            else:
                _check_side(audit, where, rule, sign, y, is_word)
                _check_cut(audit, where, rule, sign, X, y, members)


_ORDERED = ("below", "above")


def _is_about_words(rule: Document, is_word: Mask) -> bool:
    return bool(rule["type"] == "stump" and is_word[rule["feature"]])


def _same_numbers(found: Sequence[float], row: Floats) -> bool:
    return len(found) == len(row) and all(
        is_number(f) and f == r for f, r in zip(found, row.tolist(), strict=True)
    )


def _check_points(audit: Audit, where: str, rule: Document, X: Floats, y: Ints) -> None:
    """Points in the rule are the rows of the examples it names, of the right classes."""
    if rule["type"] == "stump":
        audit.check(f"{where}: example", len(rule["indices"]) == 1, "must be one")
        return
    names = ("center",) if rule["type"] == "ball" else ("a", "b")
    for name, index in zip(names, rule["indices"], strict=False):
        holds = _same_numbers(rule[name], X[index])
        audit.check(f"{where}: {name}", holds, f"is not the row of example {index}")
    if rule["type"] == "ball":
        audit.check(f"{where}: scale", rule["scale"] is None, "must be null without a pool")
    else:
        first, second = rule["indices"][:2]
        is_pair = y[first] == 1 and y[second] == -1
        audit.check(f"{where}: classes", is_pair, "a must be positive and b negative")


def _check_side(
    audit: Audit, where: str, rule: Document, sign: int, y: Ints, is_word: Mask
) -> None:
    allowed: tuple[str, ...]
    if rule["type"] == "stump":
        allowed = ("equal", "unequal") if _is_about_words(rule, is_word) else _ORDERED
    elif rule["type"] == "ball":
        allowed = ("above",) if y[rule["indices"][0]] == sign else ("below",)
    else:
        allowed = ("below",) if sign > 0 else ("above",)
    audit.check(f"{where}: side", rule["side"] in allowed, f"is {rule['side']!r}, not {allowed}")


def _check_listed_cut(audit: Audit, where: str, rule: Document, X: Floats) -> None:
    """The threshold lies at the example that the rule names for it."""
    if rule["type"] == "two-point":
        _check_fraction(audit, where, rule)
        return
    last = named_examples(rule)[-1]
    _compare_cut(audit, where, rule, float(rule_values(rule, X[[last]])[0]), X)


def _check_cut(
    audit: Audit, where: str, rule: Document, sign: int, X: Floats, y: Ints, members: list[int]
) -> None:
    """Thresholds of a set are rebuilt from all kept examples of the class that stays uncovered."""
    if rule["type"] == "two-point":
        _check_fraction(audit, where, rule)
        return
    if rule["type"] == "stump":
        wanted = float(X[rule["indices"][0], rule["feature"]])
        audit.equal(f"{where}: threshold", float(rule["threshold"]), wanted)
        return
    # The widest rule that leaves all of them uncovered: that is how a receiver, who is not told the
    # threshold, rebuilds it.
    values = rule_values(rule, X[members])
    is_lowest = rule["side"] == "below"
    wanted = float(values.min() if is_lowest else values.max())
    _compare_cut(audit, where, rule, wanted, X)
    last = float(rule_values(rule, X[[rule["indices"][-1]]])[0])
    holds = rule["indices"][-1] in members and _is_same(last, wanted, rule)
    audit.check(f"{where}: threshold example", holds, "does not give the threshold")


def _compare_cut(audit: Audit, where: str, rule: Document, wanted: float, X: Floats) -> None:
    found = rule_cut(rule)
    holds = found == wanted if rule["type"] == "stump" else _is_same(found, wanted, rule)
    audit.check(f"{where}: threshold", holds, f"the file says {found!r}, it is {wanted!r}")
    again = {**rule, "radius" if rule["type"] == "ball" else "threshold": wanted}
    audit.check(f"{where}: rows", same_covers(rule, again, X), OTHER_ROWS)


def _is_same(found: float, wanted: float, rule: Document) -> bool:
    """Equal to eight digits, or to the rounding of the sums behind values near zero."""
    scale = float(rule["radius"]) if rule["type"] == "ball" else 1e-12
    return is_close(found, wanted, scale) or abs(found - wanted) <= _ROUNDING * rule_tolerance(rule)


def _check_fraction(audit: Audit, where: str, rule: Document) -> None:
    level, numerator = rule["level"], rule["numerator"]
    is_dyadic = 1 <= level <= 62 and 0 < numerator < 2**level and numerator % 2 == 1
    audit.check(f"{where}: fraction", is_dyadic, f"{numerator} / 2^{level} is not a fraction")
