"""Machines made of rules with their examples: what the file leaves out is found in the data.

A file holds no row. It names columns that rules look at, words that rules name, weights of
half-spaces, and examples by their digests. The custodian's data have the rest: here the document is
completed from them, and what it does say is compared with what they give.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit, is_close, is_number
from handful.verify._draws import names_in
from handful.verify._geometry import LINEAR, rule_cut, rule_tolerance, same_covers
from handful.verify._rebuild import OTHER_ROWS
from handful.verify._rows import words_of
from handful.verify._units import Units

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_DEEPEST = 5  # level of a dyadic threshold
_POOLED = ("pool", "plain", "constant")


def with_names(audit: Audit, document: Document, X: Any) -> dict[str, Any] | None:
    """The document with the names of all columns that were offered, used or not."""
    n_features, stored = document["n_features"], document["provenance"]["data"]
    said: Any = None if stored is None else stored["features"]
    used, features = document["feature_names"], names_in(X, said)
    is_list = used is None or (isinstance(used, list) and len(used) == n_features)
    are_there = features is None or len(features) == len(said) == n_features
    holds = audit.check("features", is_list and are_there, "are not all in the data")
    if not holds:
        return None
    is_same = (used is None) == (features is None) and all(
        name is None or name == whole
        for name, whole in zip(used or [], features or [], strict=True)
    )
    if not audit.check("names of the columns", is_same, "are not those of the features"):
        return None
    return {**document, "feature_names": features}


def with_words(audit: Audit, document: Document, X: Any) -> dict[str, Any] | None:
    """The document with all words of the columns that hold words."""
    n_features, features = document["n_features"], document["feature_names"]
    words = document["provenance"]["data"]["words"]
    are_places = all(type(j) is int and 0 <= j < n_features for j in words)
    if not audit.check("columns of words", are_places, "are not among the features"):
        return None
    known: list[list[str] | None] = [None] * n_features
    for j in words:
        known[j] = words_of(X, j, None if features is None else features[j])
    machines = [_with_words(audit, machine, document, known) for machine in document["machines"]]
    return {**document, "categories": known if words else None, "machines": machines}


def _with_words(
    audit: Audit, machine: Document, document: Document, known: Sequence[list[str] | None]
) -> dict[str, Any]:
    """Rules on words by the place of the word among all words of its column."""
    rules = []
    for rule in machine["rules"]:
        if rule["type"] == "stump" and known[rule["feature"]] is not None:
            said = document["categories"][rule["feature"]]
            word = said[int(rule["threshold"])]
            words = known[rule["feature"]] or []
            is_known = word in words
            audit.check(f"the word {word!r}", is_known, "is not in its column")
            place = float(words.index(word)) if is_known else -2.0
            rule = {**rule, "threshold": place}
        rules.append(rule)
    return {**machine, "rules": rules}


def with_examples(
    audit: Audit, document: Document, X: Floats, digests: Sequence[bytes], units: Units
) -> dict[str, Any] | None:
    """The document with examples by their rows, half-spaces by theirs, pools as they are drawn."""
    is_pool = all(code["scheme"] in _POOLED for code in document["codes"])
    order = units.rows(units.n).tolist() if is_pool else units.all_names()
    first = {digests[i]: int(i) for i in reversed(order)}  # the earliest of equal rows
    named = [first.get(bytes.fromhex(text)) for text in document["compression_set"]]
    absent = sum(place is None for place in named)
    holds = audit.check("kept examples", not absent, f"{absent} are not in the data")
    holds &= audit.check("kept examples", len(set(named)) == len(named), "must be distinct")
    if not holds:
        return None
    places = [place for place in named if place is not None]
    codes = [_with_kept(audit, code, places, units) for code in document["codes"]]
    machines = []
    for code, machine in zip(codes, document["machines"], strict=True):
        rules = [{**rule, "indices": [places[i] for i in rule["indices"]]}
                 for rule in machine["rules"]]  # fmt: skip
        if code["scheme"] not in _POOLED:
            rules = [_with_rows(audit, i, rule, X) for i, rule in enumerate(rules, 1)]
        machines.append({**machine, "rules": rules})
    return {**document, "codes": codes, "machines": machines, "compression_set": places}


def with_numbers(
    audit: Audit, document: Document, digests: Sequence[bytes]
) -> dict[str, Any] | None:
    """The document of a machine without rules, its kept examples by number; equal rows in order."""
    said = document["compression_set"]
    if not any(isinstance(name, str) for name in said):
        return dict(document)
    known: dict[str, int] = {}
    seen: Counter[bytes] = Counter()
    for i, digest in enumerate(digests):
        seen[digest] += 1
        more = "" if seen[digest] == 1 else f":{seen[digest]}"
        known[digest.hex() + more] = i
    places = [known.get(name) if isinstance(name, str) else None for name in said]
    absent = sum(place is None for place in places)
    if not audit.check("kept examples", not absent, f"{absent} are not in the data"):
        return None
    return {**document, "compression_set": places}


def _with_kept(audit: Audit, code: Document, places: Sequence[int], units: Units) -> dict[str, Any]:
    """A code with the examples that are not counted: those that it names, or its pool."""
    kept, size = code["kept"], code["pool_size"]
    if code["scheme"] not in _POOLED:
        is_usable = all(type(i) is int and 0 <= i < len(places) for i in kept)
        is_usable = is_usable and all(i < j for i, j in itertools.pairwise(kept))
        audit.check("kept examples", is_usable, "must be sorted, distinct, existing")
        return {**code, "kept": sorted(places[i] for i in kept)}
    audit.equal("kept examples of a pool", kept, None)
    is_fixed = code["scheme"] == "constant" and size == units.n  # nobody voted
    return {**code, "kept": [] if is_fixed else sorted(units.rows(size).tolist())}


def _with_rows(audit: Audit, i: int, rule: Document, X: Floats) -> dict[str, Any]:
    """A half-space with the rows behind its weights; other rules as they are.

    A rule of two examples has its threshold at a fraction between them, one of three at the third.
    """
    indices = rule["indices"]
    if rule["type"] not in ("linear", "pair") or len(indices) not in (2, 3):
        return dict(rule)
    where = f"rule {i}"
    made = {name: rule[name] for name in ("side", "indices", "threshold")}
    if rule["type"] == "pair":
        made |= {name: rule[name] for name in ("a", "b", "kernel")}
    else:
        a, b = X[indices[0]], X[indices[1]]
        is_same = rule["weights"] == (a - b).tolist()
        audit.check(f"{where}: weights", is_same, "are not the difference a - b")
        made |= {"kernel": LINEAR, "a": a.tolist(), "b": b.tolist()}
    if len(indices) == 3:
        made["type"] = "half-space"
    else:
        made |= {"type": "two-point", **_fraction(rule["threshold"], made)}
        again = rule_cut(made)
        audit.check(
            f"{where}: threshold",
            is_close(rule["threshold"], again, 1e-12),
            f"the file says {rule['threshold']!r}, it is {again!r}",
        )
    tolerance = rule_tolerance(made)
    holds = is_number(rule["tol"]) and is_close(rule["tol"], tolerance, tolerance)
    audit.check(f"{where}: tolerance", holds, f"the file says {rule['tol']!r}, it is {tolerance!r}")
    audit.check(f"{where}: rows of the file's rule", same_covers(rule, made, X), OTHER_ROWS)
    return made


def _fraction(threshold: float, pair: Document) -> dict[str, int]:
    """The dyadic fraction nearest to where a threshold lies between the two examples."""
    at_b, at_a = (
        rule_cut({**pair, "type": "two-point", "numerator": n, "level": 0}) for n in (0, 1)
    )
    numerator = round((threshold - at_b) / (at_a - at_b) * 2**_DEEPEST)
    level = _DEEPEST
    while numerator and numerator % 2 == 0 and level > 1:
        numerator, level = numerator // 2, level - 1
    return {"numerator": numerator, "level": level}
