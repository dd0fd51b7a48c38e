"""Settings and counts of a model file: of the right kind and range, before anything uses them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handful.verify._audit import Audit, is_number
from handful.verify._terms import are_terms

Document = Mapping[str, Any]

MOST = 10**9  # of whatever is counted
_FAMILIES = ("stumps", "balls", "half-spaces", "two-point")
_POOL_FAMILIES = ("stumps", "linear", "balls", "half-spaces")
_FIELDS = {
    "settings": (
        *("candidates", "family_sets", "pool_families", "kinds", "n_kernels", "n_groups"),
        *("delta", "costs", "group_loss"),
    ),
    "code": (
        *("scheme", "family", "kind", "pool_size", "kept", "terms", "n_false_positives"),
        *("n_false_negatives", "n_training_errors"),
    ),
    "certificate": (
        *("risk", "delta", "bound", "n_samples", "n_errors", "n_compressed", "terms", "unit"),
        *("quantity", "limit", "rates", "assumptions", "parameters", "reference", "notes"),
    ),
}


def has_fields(audit: Audit, name: str, kind: str, found: Any) -> bool:
    """The fields of a record, all and no others."""
    fields = sorted(found) if isinstance(found, Mapping) else type(found).__name__
    return audit.equal(f"{name}: fields", fields, sorted(_FIELDS[kind]))


def is_share(value: Any) -> bool:
    """A probability that is neither 0 nor 1."""
    return is_number(value) and 0 < value < 1


def _are_words(found: Any, allowed: tuple[str, ...]) -> bool:
    is_list = isinstance(found, list) and all(isinstance(word, str) for word in found)
    return is_list and len(set(found)) == len(found) and set(found) <= set(allowed)


def check_settings(audit: Audit, settings: Any) -> bool:
    """Settings of a machine made of rules."""
    if not has_fields(audit, "settings", "settings", settings):
        return False
    n, sets, kinds = settings["candidates"], settings["family_sets"], settings["kinds"]
    is_pool = n is None or n == "auto" or (type(n) is int and 0 < n <= MOST)
    holds = [
        audit.check("settings: candidates", is_pool, repr(n)[:80]),
        audit.check(
            "settings: family_sets",
            isinstance(sets, list)
            and (bool(sets) or settings["pool_families"] == ["linear"])
            and all(f and _are_words(f, _FAMILIES) for f in sets),
            "must be lists of rule families",
        ),
        audit.check(
            "settings: pool_families",
            _are_words(settings["pool_families"], _POOL_FAMILIES),
            "must be rule families of pools",
        ),
        audit.check(
            "settings: kinds",
            kinds == ["list"]
            or (bool(kinds) and _are_words(kinds, ("conjunction", "disjunction"))),
            "must be conjunction, disjunction, both, or list",
        ),
        audit.count("settings: n_kernels", settings["n_kernels"], 1, MOST),
        audit.count("settings: n_groups", settings["n_groups"], 1, MOST),
        audit.check("settings: delta", is_share(settings["delta"]), repr(settings["delta"])[:80]),
        audit.check(
            "settings: group_loss",
            settings["group_loss"] in (None, "mean", "any"),
            "must be null, mean or any",
        ),
        audit.check("settings: costs", _are_costs(settings["costs"]), "must be two costs or null"),
    ]
    return all(holds)


def _are_costs(costs: Any) -> bool:
    if costs is None:
        return True
    is_pair = isinstance(costs, list) and len(costs) == 2 and all(map(is_number, costs))
    return is_pair and min(costs) >= 0 and max(costs) > 0


def check_record(audit: Audit, certificate: Any) -> bool:
    """A certificate whose numbers are possible at all: counts, shares, no negative price."""
    if not has_fields(audit, "certificate", "certificate", certificate):
        return False
    n, risk = certificate["n_samples"], certificate["risk"]
    limit, delta = certificate["limit"], certificate["delta"]
    holds = [
        audit.count("certificate: number of examples", n, 1, MOST),
        audit.check("certificate: delta is a probability", is_share(delta), repr(delta)[:80]),
        audit.check("certificate: limit", is_number(limit) and limit > 0, repr(limit)[:80]),
    ]
    if not all(holds):
        return False
    holds = [
        audit.check("certificate: risk is possible", is_number(risk) and 0 <= risk <= limit),
        audit.check("certificate: prices are not negative", are_terms(certificate["terms"])),
        audit.check("certificate: rates are shares", _are_shares(certificate["rates"])),
    ]
    for name in ("n_errors", "n_compressed"):
        if certificate[name] is not None:
            holds.append(audit.count(f"certificate: {name} is a count", certificate[name], 0, n))
    if not all(holds):
        return False
    counted = n - (certificate["n_compressed"] or 0)
    share = (certificate["n_errors"] or 0) / counted if counted else 0.0
    if limit != 1.0:
        return True  # a cost; its rates are compared with the counts
    return audit.check(
        "certificate: risk is not below the share of errors",
        risk >= min(1.0, share),
        f"{risk!r} is less than {certificate['n_errors']} of {counted}",
    )


def _are_shares(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and is_number(pair[1])
        and 0 <= pair[1] <= 1
        for pair in pairs
    )
