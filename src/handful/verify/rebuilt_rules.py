"""Do rules follow from the kept examples? Thresholds, radii, points, weights are derived again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handful.verify.audit import (
    TOLERANCE,
    Audit,
    Document,
    Floats,
    Ints,
    Mask,
    is_close,
    is_number,
)
from handful.verify.covers import OTHER_ROWS, Cover, same_rows
from handful.verify.evaluate import value_of

KINDS = {"stumps": "stump", "balls": "ball", "half-spaces": "half-space", "two-point": "two-point"}
_ROUNDING = 1e-3  # of the tolerance, which is larger than any rounding
_OWN = 1e-9  # of a weight itself: the rounding of a column far from zero


def check_rules(
    audit: Audit, code: Document, covers: Sequence[Cover], X: Floats, y: Ints, is_word: Mask
) -> None:
    """Every rule of a compression code against the examples it is made of."""
    families = code["family"].split("+")
    is_listed = len(families) > 1 or code["kind"] == "list"
    kept, named = code["kept"], {i for cover in covers for i in cover.examples}
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
    allowed = {KINDS[family] for family in families}
    for i, cover in enumerate(covers):
        where = f"rule {i + 1}"
        with audit.guard(where):
            audit.check(f"{where} is of its family", cover.kind in allowed, cover.kind)
            _check_points(audit, where, cover, X, y)
            ops = _sides(cover, None if is_listed else sign, y, is_word)
            audit.check(f"{where}: side", cover.op in ops, f"is {cover.op!r}, not {ops}")
            _check_cut(audit, where, cover, X, None if is_listed else members)


def _sides(cover: Cover, sign: int | None, y: Ints, is_word: Mask) -> tuple[str, ...]:
    """How a rule may compare; a sign is that of the class that stays uncovered by a set."""
    if cover.kind == "stump" and is_word[cover.value["feature"]]:
        return ("=", "≠")
    if cover.kind == "stump" or sign is None:
        return ("<", ">")
    if cover.kind == "ball":
        return (">",) if y[cover.examples[0]] == sign else ("<",)
    return ("<",) if sign > 0 else (">",)


def _check_points(audit: Audit, where: str, cover: Cover, X: Floats, y: Ints) -> None:
    """Points in the rule are the rows of the examples it names, of the right classes."""
    if cover.kind == "stump":
        audit.check(f"{where}: example", len(cover.examples) == 1, "must be one")
        return
    points = {name: cover.value[name] for name in ("center", "a", "b") if name in cover.value}
    for (name, point), example in zip(points.items(), cover.examples, strict=False):
        row = X[example].tolist()
        holds = len(point) == len(row) and all(map(is_number, point)) and list(point) == row
        audit.check(f"{where}: {name}", holds, f"is not the row of example {example}")
    if cover.kind == "ball":
        holds = cover.value["scale"] is None
        audit.check(f"{where}: scale", holds, "must be null without a pool")
    else:
        first, second = cover.examples[:2]
        is_pair = y[first] == 1 and y[second] == -1
        audit.check(f"{where}: classes", is_pair, "a must be positive and b negative")


def _check_cut(
    audit: Audit, where: str, cover: Cover, X: Floats, members: Sequence[int] | None
) -> None:
    """The threshold lies at the example that the rule names for it.

    ``members`` are, of a set, all kept examples of the class that stays uncovered.
    """
    if cover.kind == "two-point":
        numerator, level = cover.numerator, cover.level
        is_dyadic = 1 <= level <= 62 and 0 < numerator < 2**level and numerator % 2 == 1
        audit.check(f"{where}: fraction", is_dyadic, f"{numerator} / 2^{level} is not a fraction")
        return
    last = cover.examples[-1]
    at_last = float(value_of(cover.value, X[[last]])[0])
    wanted = at_last
    if members is not None and cover.kind != "stump":
        # The widest rule that leaves all of them uncovered: that is how a receiver, who is not told
        # the threshold, rebuilds it.
        values = value_of(cover.value, X[list(members)])
        wanted = float(values.min() if cover.op == "<" else values.max())
        holds = last in members and _is_same(at_last, wanted, cover)
        audit.check(f"{where}: threshold example", holds, "does not give the threshold")
    holds = cover.cut == wanted if cover.kind == "stump" else _is_same(cover.cut, wanted, cover)
    audit.check(f"{where}: threshold", holds, f"the file says {cover.cut!r}, it is {wanted!r}")
    is_same = same_rows(cover, cover._replace(cut=wanted), X)
    audit.check(f"{where}: rows", is_same, OTHER_ROWS)


def _is_same(found: float, wanted: float, cover: Cover) -> bool:
    """Equal to eight digits, or to the rounding of the sums behind values near zero."""
    scale = float(cover.cut) if cover.kind == "ball" else 1e-12
    return is_close(found, wanted, scale) or abs(found - wanted) <= _ROUNDING * cover.tol


def check_linear(
    audit: Audit,
    where: str,
    found: tuple[Sequence[float], float],
    wanted: tuple[Sequence[float], float],
    X: Floats,
) -> bool:
    """Weights and threshold against those computed again, in units of the score.

    A weight that is off by little can move a score by much where its column is large, and two of
    them can cancel on all training rows. So each difference is multiplied by the largest value
    of its column, and must be small against the scores; so must be the difference on every row.
    """
    w, again = np.array(found[0], dtype=float), np.array(wanted[0], dtype=float)
    if not audit.equal(f"{where}: number of weights", len(w), len(again)):
        return False
    largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
    known = np.where(np.isnan(X), 0.0, X)
    size = float(np.abs(known @ again - wanted[1]).max(initial=0.0))
    rounding = 1e-13 * float((np.abs(again) * largest).sum())
    moved = np.abs(w - again) * largest
    allowed = TOLERANCE * size + _OWN * np.abs(again) * largest + 1e-300
    worst = int(np.argmax(moved - allowed)) if len(w) else 0
    holds = audit.check(
        f"{where}: weights",
        bool((moved <= allowed).all()),
        f"weight {worst + 1} is {found[0][worst]!r}, computed again {again[worst]!r}",
    )
    gaps = np.abs(known @ (w - again) - (found[1] - wanted[1])).max(initial=0.0)
    return holds & audit.check(
        f"{where}: scores and threshold",
        float(gaps) <= TOLERANCE * size + rounding,
        f"scores differ by up to {float(gaps):.3g}",
    )
