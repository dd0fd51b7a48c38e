"""Rules of a file over all features that were offered, with the examples that they are made of.

A file holds a classifier over the columns that it reads, and no row. What it was learned from, and
what its code is priced by, are all columns. Here features and words are put in their places,
examples are found by their digests, and conditions are said as the covers that the search found.
Do these follow from the kept examples? Thresholds, radii, points and weights are derived again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from handful.verify.evaluate import LINEAR, RELATIVE, answers, pair_gram, value_of
from handful.verify.redraw import Blocks, name_digest

POOLED = ("pool", "plain", "constant")  # schemes whose examples follow from the draw
OTHER_ROWS = "it covers other rows than the rule that was computed again"
_OPPOSITE = {">=": "<", "<=": ">", "≠": "=", "=": "≠"}
_SIDES = {op: op for op in ("<", ">", "=", "≠")}
_DEEPEST = 5  # level of a dyadic threshold
_MOST_FEATURES = 100_000  # before a list of so many is made
KINDS = {"stumps": "stump", "balls": "ball", "half-spaces": "half-space", "two-point": "two-point"}
_ROUNDING = 1e-3  # of the tolerance, which is larger than any rounding
_OWN = 1e-9  # of a weight itself: the rounding of a column far from zero
_PLACE = re.compile(r"x(0|[1-9][0-9]{0,6})")  # a column without a name


class Cover(NamedTuple):
    """A condition whose rows are covered, and the training examples that it is made of.

    ``kind`` is "stump", "linear", "ball", "half-space" or "two-point"; the threshold of the last
    lies ``numerator`` / 2^``level`` of the way from its second example to its first.
    """

    kind: str
    value: Document
    op: str
    cut: float
    tol: float
    examples: Sequence[int] = ()
    level: int = 0
    numerator: int = 0


class CoverPart(NamedTuple):
    """The covers of one code; of a list also the sign that each gives, and that of the rest."""

    covers: list[Cover]
    outputs: list[int]
    default: int


class Asked(NamedTuple):
    """What an encoded feature asks: its place among all features, and a word of that column."""

    place: int
    word: str | None


def covered(cover: Cover, X: Floats) -> Mask:
    """Which rows a rule covers."""
    return answers(value_of(cover.value, X), cover.op, cover.cut, cover.tol)


def same_rows(cover: Cover, again: Cover, X: Floats) -> bool:
    """Whether a rule and the one computed again cover the same rows."""
    return bool((covered(cover, X) == covered(again, X)).all())


# -- features ----------------------------------------------------------------------------------


def places_of(document: Document) -> list[int]:
    """Positions of the columns of a file among the features that were offered."""
    data = document["data"]
    width, known = data["n_features"], data["features"]
    if type(width) is not int or not 0 < width <= _MOST_FEATURES:
        raise ValueError(f"the number of features is {width!r}")
    names = [column["name"] for column in document["fitted"]["columns"]["columns"]]
    if known is None:
        found = [_PLACE.fullmatch(name) for name in names]
        places = [int(match[1]) if match else width for match in found]
    else:
        places = [known.index(name_digest(name)) for name in names]
    if any(place >= width for place in places) or len(set(places)) < len(places):
        raise ValueError("the columns are not among the features")
    return places


def asked_of(document: Document) -> list[Asked]:
    """What each encoded feature asks; only rules ask for words."""
    out = []
    columns = document["fitted"]["columns"]["columns"]
    for place, column in zip(places_of(document), columns, strict=True):
        words = column["words"]
        if column["has_missing"] is not False:
            raise ValueError("a flag for missing values, which these machines do not have")
        if words is None:
            out.append(Asked(place, None))
            continue
        is_twice = len({word.casefold() for word in words}) < len(words)
        if document["training"]["kind"] != "rules" or is_twice:
            raise ValueError("words that only rules ask for, or the same word twice")
        out += [Asked(place, word) for word in words]
    return out


def spread(values: Sequence[Any], places: Sequence[int], width: int) -> list[Any]:
    """Numbers of some features as numbers of all; zero for the others."""
    if len(values) != len(places):
        raise ValueError(f"{len(values)} numbers for {len(places)} columns")
    out: list[Any] = [0.0] * width
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out


# -- examples ----------------------------------------------------------------------------------


def kept_rows(
    audit: Audit, document: Document, digests: Sequence[bytes], blocks: Blocks
) -> list[int] | None:
    """Numbers of the examples that a file of rules names by digest; the earliest of equal rows."""
    is_pool = all(code["scheme"] in POOLED for code in document["training"]["codes"])
    order = blocks.rows(blocks.n).tolist() if is_pool else blocks.all_names()
    first = {digests[i]: int(i) for i in reversed(order)}
    named = [first.get(bytes.fromhex(text)) for text in document["kept"]]
    absent = sum(row is None for row in named)
    holds = audit.check("kept examples", not absent, f"{absent} are not in the data")
    holds &= audit.check("kept examples", len(set(named)) == len(named), "must be distinct")
    return [row for row in named if row is not None] if holds else None


def code_with_kept(
    audit: Audit, code: Document, rows: Sequence[int], blocks: Blocks
) -> dict[str, Any]:
    """A code with the examples that are not counted: those that it names, or its pool."""
    kept, size = code["kept"], code["pool_size"]
    if code["scheme"] not in POOLED:
        is_usable = all(type(i) is int and 0 <= i < len(rows) for i in kept)
        is_usable = is_usable and all(i < j for i, j in itertools.pairwise(kept))
        audit.check("kept examples", is_usable, "must be sorted, distinct, existing")
        return {**code, "kept": sorted(rows[i] for i in kept)}
    audit.equal("kept examples of a pool", kept, None)
    is_fixed = code["scheme"] == "constant" and size == blocks.n  # no example voted
    return {**code, "kept": [] if is_fixed else sorted(blocks.rows(size).tolist())}


# -- conditions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class CoverReader:
    """Conditions of a file as covers.

    ``asked`` says what its features are, ``known`` has all words of columns that hold words,
    ``rows`` the numbers of its examples, ``X`` all features of all rows.
    """

    audit: Audit
    asked: Sequence[Asked]
    known: Sequence[list[str] | None]
    rows: Sequence[int]
    X: Floats

    def part(self, member: Document, code: Document, is_list: bool) -> CoverPart:
        """The covers of a set or list of rules."""
        wanted = "rule list" if is_list else "rule set"
        self.audit.equal("form of the rules", member["machine"], wanted)
        self.audit.equal("classes of the rules", member["n_classes"], 2)
        asked = [rule["conditions"] for rule in member["rules"]]
        labels = [_sign(rule["label"]) for rule in member["rules"]]
        default, is_pool = _sign(member["default"]), code["scheme"] in POOLED
        if is_list:
            return CoverPart(
                [self._cover(one, _SIDES, is_pool) for (one,) in asked], labels, default
            )
        # A conjunction is one rule that asks for the opposites; a disjunction one rule a cover.
        is_opposite = code["kind"] == "conjunction" and bool(asked)
        is_constant = code["kind"] == "conjunction" and not asked
        self.audit.equal("labels of the rules", labels, [1] * len(asked))
        self.audit.equal("label of other cases", default, 1 if is_constant else -1)
        if is_opposite:
            (conditions,) = asked
            return CoverPart([self._cover(c, _OPPOSITE, is_pool) for c in conditions], [], default)
        return CoverPart([self._cover(one, _SIDES, is_pool) for (one,) in asked], [], default)

    def _cover(self, condition: Document, ops: dict[str, str], is_pool: bool) -> Cover:
        cut, tol = condition["cut"], condition["tol"]
        if condition["op"] not in ops or not (is_number(cut) and is_number(tol) and tol >= 0.0):
            raise ValueError(f"a condition {condition['op']!r} {cut!r} within {tol!r}")
        op, value = ops[condition["op"]], condition["value"]
        examples = [self.rows[i] for i in condition["examples"]]
        if value["kind"] == "feature":
            return self._stump(value, op, cut, tol, examples)
        if op not in ("<", ">"):
            raise ValueError("only words are compared by equality")
        if value.get("fill") is not None:
            raise ValueError("a rule that was found in complete rows fills none")
        wide = self._wide(value)
        if value["kind"] == "distance":
            holds = is_close(tol, RELATIVE * cut, RELATIVE * abs(cut))
            self.audit.check("tolerance of a ball", holds, f"the file says {tol!r}")
            return Cover("ball", wide, op, cut, tol, examples)
        found = Cover("linear", wide, op, cut, tol, examples)
        return found if is_pool or len(examples) not in (2, 3) else self._pair(found)

    def _wide(self, value: Document) -> Document:
        """A value over all features."""
        places, width = [one.place for one in self.asked], self.X.shape[1]
        if value["kind"] == "sum":
            return {**value, "weights": spread(value["weights"], places, width)}
        if value["kind"] not in ("distance", "kernel difference"):
            raise ValueError(f"a condition on a value of the kind {value['kind']!r}")
        if places != list(range(width)):
            raise ValueError("a distance or kernel of all columns, of which some are left out")
        return value

    def _stump(
        self, value: Document, op: str, cut: float, tol: float, examples: Sequence[int]
    ) -> Cover:
        """A number against a cut, or whether a word is the one that a flag asks for."""
        self.audit.equal("tolerance of a feature", tol, 0.0)
        if type(value["feature"]) is not int or value["feature"] < 0:
            raise ValueError(f"there is no feature {value['feature']!r}")
        place, word = self.asked[value["feature"]]
        wide = {"kind": "feature", "feature": place}
        words = self.known[place]
        if word is None:
            self.audit.check("side of a number", op in ("<", ">") and words is None, op)
            return Cover("stump", wide, op, cut, 0.0, examples)
        self.audit.check("side of a word", op in ("=", "≠"), op)
        self.audit.equal("flag of a word", cut, 1.0)
        is_known = words is not None and word in words
        self.audit.check(f"the word {word!r}", is_known, "is not in its column")
        at = float((words or []).index(word)) if is_known else -2.0
        return Cover("stump", wide, op, at, 0.0, examples)

    def _pair(self, cover: Cover) -> Cover:
        """A half-space with the rows behind its weights.

        A rule of two examples has its threshold at a fraction between them, one of three at the
        third.
        """
        a, b = (self.X[i] for i in cover.examples[:2])
        where, kernel = "half-space", cover.value.get("kernel", LINEAR)
        if cover.value["kind"] == "sum":
            is_same = cover.value["weights"] == (a - b).tolist()
            self.audit.check(f"{where}: weights", is_same, "are not the difference a - b")
        else:
            a, b = (np.array(cover.value[name], dtype=float) for name in ("a", "b"))
        gram = pair_gram(kernel, a, b)
        tol = RELATIVE * max(map(abs, gram))
        holds = is_close(cover.tol, tol, tol)
        self.audit.check(
            f"{where}: tolerance", holds, f"the file says {cover.tol!r}, it is {tol!r}"
        )
        if len(cover.examples) == 3:
            made = cover._replace(kind="half-space", tol=tol)
        else:
            numerator, level, cut = _fraction(cover.cut, gram)
            holds = is_close(cover.cut, cut, 1e-12)
            detail = f"the file says {cover.cut!r}, it is {cut!r}"
            self.audit.check(f"{where}: threshold", holds, detail)
            made = cover._replace(
                kind="two-point", tol=tol, cut=cut, level=level, numerator=numerator
            )
        is_same = same_rows(cover, made, self.X)
        self.audit.check(f"{where}: rows of the file's rule", is_same, OTHER_ROWS)
        return made


def _sign(label: Any) -> int:
    if type(label) is not int or label not in (0, 1):
        raise ValueError(f"a rule for the class {label!r} of two")
    return 2 * label - 1


def _fraction(cut: float, gram: tuple[float, float, float]) -> tuple[int, int, float]:
    """The dyadic fraction nearest to where a threshold lies between two examples, and its cut."""
    k_aa, k_bb, k_ab = gram
    at_a, at_b = k_aa - k_ab, k_ab - k_bb
    numerator, level = round((cut - at_b) / (at_a - at_b) * 2**_DEEPEST), _DEEPEST
    while numerator and numerator % 2 == 0 and level > 1:
        numerator, level = numerator // 2, level - 1
    return numerator, level, float(at_b + numerator / 2.0**level * (at_a - at_b))


# -- rules against their examples ---------------------------------------------------------------


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

    A weight that is off by little can move a score by much if its column is large, and two of
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
