"""The price of every code, from its own formula: prior masses of schemes and terms of messages.

Written from the description of the codes in the guide to model files, with exact logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from handful.verify.arithmetic import MP, log, log_binomial, n_pairings
from handful.verify.audit import Document
from handful.verify.claims import Price, Prices, stated
from handful.verify.covers import Cover

_ZETA = MP.pi**2 / 6
_FROM_POOLS = 60  # examples from which pools are used
# Codes over it are not offered: part of the prior, so it must be the same here.
_BUDGET = 400_000_000
_LARGEST_POOL = 10_000  # part of the prior, as are the masses and sizes below
_PLAIN_MASS = MP.mpf("0.1")  # each of two sizes
# Pool sizes of each family.
_SIZES = {"stumps": (40, 160), "balls": (40, 80), "half-spaces": (40, 80), "two-point": (40,)}
# Sizes of the largest pools of a wide mixture.
_WIDE = {"stumps": 2000, "balls": 1000, "half-spaces": 160, "two-point": 80}
MIXTURES = ("auto", "wide")  # of codes; else there is one pool
MAX_RULES = 2000  # counting the pairings of more takes too long for a check


class PoolCode(NamedTuple):
    """A code of rules ranked on a pool: its size, the rule families, the prior mass."""

    size: int
    families: list[str]
    mass: Any


def pool_codes(settings: Document, n_samples: int) -> list[PoolCode]:
    """The codes of ranked rules."""
    families = list(settings["pool_families"])
    shares = (0.25, 0.5) if families == ["balls"] else (0.2, 0.45)
    first, second = (min(_LARGEST_POOL, round(share * n_samples)) for share in shares)
    if "linear" not in families:
        masses = MP.mpf("0.3"), MP.mpf("0.2")
        return [PoolCode(s, families, m) for s, m in zip((first, second), masses, strict=True)]
    if "stumps" not in families or len(families) == 1:
        return [PoolCode(first, families, MP.mpf("0.35"))]
    return [
        PoolCode(first, families, MP.mpf("0.15")),
        PoolCode(first, ["stumps"], MP.mpf("0.2")),
    ]


def plain_sizes(n_samples: int) -> list[int]:
    """Sizes of the pools whose regression is a code of its own."""
    return [min(_LARGEST_POOL, round(share * n_samples)) for share in (0.3, 0.45)]


def _has_plain(settings: Document) -> bool:
    return "linear" in settings["pool_families"]


def pool_index(code: Document, settings: Document, n_samples: int) -> int | None:
    """Which of the pool codes was used; by the stated price if two have the same size."""
    codes = pool_codes(settings, n_samples)
    fitting = [i for i, known in enumerate(codes) if known.size == code["pool_size"]]
    prices = [term.nats for term in stated(code["terms"]) if term.kind == "code"]
    if len(fitting) < 2 or not prices:
        return fitting[0] if fitting else None
    return min(fitting, key=lambda i: abs(float(-log(codes[i].mass)) - float(prices[0])))


def _directions(family: str, size: int, n_features: int) -> int:
    if family == "stumps":
        return n_features
    return size if family == "balls" else (size // 2 + 1) ** 2


def _cells(settings: Document, n_samples: int, n_features: int) -> list[tuple[list[str], int]]:
    """The (families, pool size) pairs that share the mass of compression."""
    cells = []
    for families in settings["family_sets"]:
        sizes = (40,) if len(families) > 1 else _SIZES[families[0]]
        if settings["candidates"] == "wide":
            sizes = (*sizes, min(_WIDE[family] for family in families))
        for size in sorted({min(size, n_samples) for size in sizes}):
            work = sum(_directions(f, size, n_features) for f in families) * n_samples
            if work <= _BUDGET or size == min(sizes):
                cells.append((list(families), size))
    return cells


def scheme_mass(code: Document, settings: Document, n_samples: int, n_features: int) -> Any:
    """Prior mass of the scheme that a code says it used; 0 if there is none such."""
    name, size, families = code["scheme"], code["pool_size"], code["family"].split("+")
    if settings["candidates"] not in MIXTURES:
        is_offered = families in settings["family_sets"] and name == "compression"
        is_known = is_offered or name == "constant"
        return MP.mpf(is_known) / max(1, len(settings["family_sets"]))
    is_small = n_samples < _FROM_POOLS or not settings["pool_families"]
    if name == "constant":
        return MP.mpf("0.25") if size == (n_samples if is_small else 9) else MP.mpf(0)
    if name in ("pool", "plain"):
        return MP.mpf(0) if is_small else _pool_mass(code, settings, n_samples)
    cells = _cells(settings, n_samples, n_features)
    if name != "compression" or (families, size) not in cells:
        return MP.mpf(0)
    masses = {(True, True): "0.75", (True, False): "0.75", (False, True): "0.2"}
    return MP.mpf(masses.get((is_small, _has_plain(settings)), "0.25")) / len(cells)


def _pool_mass(code: Document, settings: Document, n_samples: int) -> Any:
    """Prior mass of ranked rules on a pool, or of its regression."""
    if code["scheme"] == "plain":
        n_sizes = plain_sizes(n_samples).count(code["pool_size"]) if _has_plain(settings) else 0
        return _PLAIN_MASS * n_sizes
    index = pool_index(code, settings, n_samples)
    return MP.mpf(0) if index is None else pool_codes(settings, n_samples)[index].mass


def _number_of_rules(n_rules: int) -> Price:
    return Price("rules", "number of rules", log(_ZETA) + 2 * log(n_rules))


def _pairing(n_rules: int, n_a: int, n_b: int) -> Prices:
    ways = n_pairings(n_a, n_b, n_rules)
    if ways <= 0:
        raise ValueError("the pairs of examples cannot be as the rules say")
    return [
        _number_of_rules(n_rules),
        Price("size", "number of examples a and b", 2 * log(n_rules)),
        Price("pairs", "which a goes with which b", log(ways)),
    ]


def _distinct(rules: Sequence[Cover], place: int) -> set[int]:
    return {rule.examples[place] for rule in rules}


# ``same_kept`` are the kept examples of the class that the rules must not cover. Those that give
# no direction or centre are there as thresholds or borders.


def _stumps(rules: Sequence[Cover], same_kept: set[int], n_features: int) -> Prices:
    examples = len({rule.examples[0] for rule in rules})
    return [
        Price("rules", "number of rules", log(_ZETA) + 2 * log(len(rules) + 1)),
        Price("size", "number of threshold examples", log(len(rules))),
        Price(
            "content",
            "feature, direction and threshold of each rule",
            log_binomial(2 * n_features * examples, len(rules)),
        ),
    ]


def _balls(rules: Sequence[Cover], same_kept: set[int], n_features: int) -> Prices:
    same = _distinct(rules, 0) & same_kept
    n_borders = len(same_kept - same)
    return [
        _number_of_rules(len(rules)),
        Price("size", "number of centres and of borders by class", 2 * log(len(rules) + 1)),
        Price(
            "borders", "which examples are borders", log_binomial(len(same) + n_borders, n_borders)
        ),
    ]


def _half_spaces(rules: Sequence[Cover], same_kept: set[int], n_features: int) -> Prices:
    a, b = _distinct(rules, 0), _distinct(rules, 1)
    same = a if a <= same_kept else b
    n_c = len(same_kept - same)
    return [
        *_pairing(len(rules), len(a), len(b)),
        Price("size", "number of threshold examples", log(len(rules) + 1)),
        Price("thresholds", "which examples are thresholds", log_binomial(len(same) + n_c, n_c)),
    ]


def _dyadic(level: int) -> Any:
    return log(level * (level + 1)) + (level - 1) * log(2)


def _two_points(rules: Sequence[Cover], same_kept: set[int], n_features: int) -> Prices:
    a, b = _distinct(rules, 0), _distinct(rules, 1)
    thresholds = sum((_dyadic(rule.level) for rule in rules), MP.mpf(0))
    return [
        *_pairing(len(rules), len(a), len(b)),
        Price("thresholds", "dyadic thresholds", thresholds),
    ]


_MESSAGES = {
    "stumps": _stumps,
    "balls": _balls,
    "half-spaces": _half_spaces,
    "two-point": _two_points,
}
# Not nats but the reciprocal of the prior mass, whose logarithm is paid.
_NO_RULE = {
    "stumps": Price("rules", "number of rules", _ZETA),
    "balls": Price("rules", "no rule", 4 * _ZETA),
    "half-spaces": Price("rules", "no rule", 16 * _ZETA),
    "two-point": Price("rules", "no rule", 16 * _ZETA),
}


def _listed_rule(rule: Cover, n_kept: int, n_features: int) -> Any:
    """Examples, side and threshold of a rule that is coded by itself."""
    if rule.kind == "stump":
        return log(2 * n_features * n_kept)
    if rule.kind == "two-point":
        return log(2 * n_kept**2) + _dyadic(rule.level)
    return log(2) + (2 if rule.kind == "ball" else 3) * log(n_kept)


def _listed(
    rules: Sequence[Cover], n_kept: int, n_features: int, n_families: int, is_list: bool
) -> Prices:
    r = len(rules)
    names = sum((_listed_rule(rule, n_kept, n_features) for rule in rules), MP.mpf(0))
    if not is_list and r > 1:
        names = max(MP.mpf(0), names - MP.loggamma(r + 1))
    terms: Prices = [
        Price("size", "how many examples are kept", log(_ZETA) + 2 * log(n_kept + 1)),
        _number_of_rules(r),
        Price("content", "examples, side and threshold of each rule", names),
    ]
    if n_families > 1:
        terms.append(Price("family", "family of each rule", r * log(n_families)))
    if is_list:
        terms += [
            Price("output", "output of each rule", r * log(2)),
            Price("output", "default output", log(2)),
        ]
    return terms


def _choices(settings: Document, mass: Any) -> Prices:
    """Scheme, kind and kernel."""
    terms: Prices = [Price("code", "which code is used", -log(mass))] if mass < 1 else []
    if len(settings["kinds"]) > 1:
        terms.append(Price("logic", "conjunction or disjunction", log(len(settings["kinds"]))))
    n = settings["n_kernels"]
    if type(n) is not int or n < 1:
        raise ValueError(f"the number of kernels must be at least 1, not {n!r}")
    if n > 1:
        terms.append(Price("kernel", f"choice among {n} kernels", log(n)))
    return terms


def code_terms(
    code: Document,
    rules: Sequence[Cover],
    settings: Document,
    shape: tuple[int, int],
    labels: Any,
    rank_nats: Any,
) -> Prices:
    """Every term of a code without the confidence, in the order of the file.

    ``shape`` are the numbers of examples (or groups) and of features.
    """
    n_samples, n_features = shape
    if len(rules) > MAX_RULES:
        raise ValueError(f"more than {MAX_RULES} rules are not re-checked")
    mass = scheme_mass(code, settings, n_samples, n_features)
    if mass <= 0:
        raise ValueError(f"no code {code['scheme']} over {code['pool_size']} has a prior mass")
    if code["scheme"] == "plain":
        return [Price("code", "which code is used", -log(mass))]
    if code["scheme"] == "pool":
        return _pool_terms(rules, settings, mass, rank_nats)
    if code["scheme"] == "constant":
        return _constant_terms(code, settings, mass, n_samples)
    kept, families = len(code["kept"]), code["family"].split("+")
    terms = _choices(settings, mass)
    what = "examples" if settings["group_loss"] is None else "groups"
    terms.append(Price("kept", f"which {what} are kept", log_binomial(code["pool_size"], kept)))
    is_list = code["kind"] == "list"
    if is_list or len(families) > 1:
        return [*terms, *_listed(rules, kept, n_features, len(families), is_list)]
    sign = 1 if code["kind"] == "conjunction" else -1
    same_kept = {i for i in code["kept"] if labels[i] == sign}
    return [*terms, *_MESSAGES[families[0]](rules, same_kept, n_features)]


def _pool_terms(rules: Sequence[Cover], settings: Document, mass: Any, rank_nats: Any) -> Prices:
    terms: Prices = [
        Price("code", "which code is used", -log(mass)),
        Price("rules", "number of rules", len(rules) * log(2)),
    ]
    is_either = len(settings["kinds"]) > 1 or settings["kinds"] == ["list"]
    if is_either and len(rules) > 1:
        terms.append(Price("logic", "conjunction or disjunction", log(2)))
    return [*terms, Price("rank", "rank of each rule on the pool", rank_nats)]


def _constant_terms(code: Document, settings: Document, mass: Any, n_samples: int) -> Prices:
    if settings["candidates"] in MIXTURES:
        terms: Prices = [Price("code", "which code is used", -log(mass))]
        return (
            [*terms, Price("constant", "which constant", log(2))]
            if code["pool_size"] == n_samples
            else terms
        )
    is_list = settings["kinds"] == ["list"]
    empty = [
        _NO_RULE["stumps" if is_list or len(families) > 1 else families[0]]
        for families in settings["family_sets"]
    ]
    least = min(empty, key=lambda term: term.nats)
    terms = [*_choices(settings, mass), least._replace(nats=log(least.nats))]
    return [*terms, Price("constant", "which constant", log(2))] if is_list else terms
