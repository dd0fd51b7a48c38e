"""A certificate beside the claim that was derived again: numbers, keys, words, the bound itself.

A claim is what a certificate must say. Its assumptions and its quantity are keys with values, which
are compared as keys; notes and the reference are words. A file that says others is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from handful.verify.arithmetic import (
    MP,
    is_betting_limit,
    is_stable_bound,
    is_tail_bound,
    log,
    log_binomial,
    tail_bound,
)
from handful.verify.audit import Audit, Document, Mask, is_close, is_number

MOST = 10**9  # of whatever is counted
_MOST_NATS = 30.0  # of a choice: beyond MOST, and still a float when exponentiated
_MANY_ROWS = 10**6  # beyond them only the value of the file is told: another would take minutes
_LARGEST_BETTING = 20_000  # groups: a minute of fifty-digit arithmetic
_BETTING = f"the bound for groups by betting, of more than {_LARGEST_BETTING} groups"
_PRICE_FIELDS = {"kind", "text", "nats"}
_FIELDS = (
    *("risk", "delta", "bound", "n_samples", "n_errors", "n_compressed", "terms", "unit"),
    *("quantity", "limit", "rates", "assumptions", "parameters", "reference", "notes"),
)
GROUP_QUANTITIES = {"mean": "group-mean", "any": "group-any"}
BETTING_REFERENCE = (
    "Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting"
)
LANGFORD = (
    "Langford (2005), Tutorial on practical prediction theory for classification, JMLR 6; "
    "Laviolette, Marchand & Shah (2005), Margin-sparsity trade-off for the set covering machine"
)
STABLE_REFERENCE = "Campi & Garatti (2023), Compression, generalization and learning, JMLR 24"
HELD_OUT_REFERENCE = "Clopper & Pearson (1934); Langford (2005), Theorem 3.3"
STABLE = ("iid", "stable", "no-order")
HELD_OUT = ("iid", "held-out")

Key = str | tuple[str, Mapping[str, Any]]  # of a sentence, with the values that it names


# -- prices ------------------------------------------------------------------------------------


class Price(NamedTuple):
    """One item: a word for programs, words for people, a price (fifty digits, or a float)."""

    kind: str
    text: str
    nats: Any


Prices = list[Price]


def confidence(delta: float) -> Price:
    """The price that every claim in nats pays."""
    return Price("confidence", "confidence, ln(1/delta)", -log(MP.mpf(delta)))


def total(prices: Iterable[Price]) -> Any:
    """The sum of prices, to fifty digits."""
    return sum((MP.mpf(price.nats) for price in prices), MP.mpf(0))


def are_prices(found: Any) -> bool:
    """Whether a file holds a list of prices, exactly their fields, none negative."""
    return isinstance(found, list) and all(
        isinstance(item, dict)
        and set(item) == _PRICE_FIELDS
        and isinstance(item["kind"], str)
        and isinstance(item["text"], str)
        and is_number(item["nats"])
        and item["nats"] >= 0
        for item in found
    )


def stated(found: Any) -> Prices:
    """The prices of a file; ValueError if they are none."""
    if not are_prices(found):
        raise ValueError("terms must have a kind, a text and a price that is not negative")
    return [Price(item["kind"], item["text"], item["nats"]) for item in found]


def compare_prices(audit: Audit, name: str, found: Any, wanted: Prices) -> bool:
    """Kinds, texts and values of itemised nats, in order."""
    said = stated(found)
    kinds = [[price.kind for price in prices] for prices in (said, wanted)]
    texts = [[price.text for price in prices] for prices in (said, wanted)]
    same = audit.equal(f"{name}: kinds", *kinds) and audit.equal(f"{name}: texts", *texts)
    if not same:
        return False
    holds = True
    for theirs, ours in zip(said, wanted, strict=True):
        holds &= audit.close(f"{name}: {ours.text}", theirs.nats, float(ours.nats))
    return holds


def choice_prices(audit: Audit, certificate: Document, of: str) -> Prices:
    """The price of a choice among several models, as many as the certificate pays for."""
    found = [price.nats for price in stated(certificate["terms"]) if price.kind == "choice"]
    if not found:
        audit.trust(f"this was not chosen among several {of} on the same data")
        return []
    n = round(math.exp(min(found[0], _MOST_NATS)))
    audit.count(f"certificate: number of {of}", n, 2, MOST)
    audit.trust(f"it was chosen among no more than {n} {of}")
    return [Price("choice", f"choice among {n} {of}", log(max(n, 1)))]


def kept_prices(n: int, size: int) -> Prices:
    """Which of n examples are kept, and how many."""
    many = log(MP.pi**2 / 6) + 2 * log(size + 1)
    return [
        Price("kept", "which examples are kept", log_binomial(n, size)),
        Price("size", "how many examples are kept", many),
    ]


# -- claims ------------------------------------------------------------------------------------


class Rate(NamedTuple):
    """A rate of errors, with the errors and the cases that it is counted of.

    With a goal named beforehand a rate does not pay for the number of thresholds (``unpaid``
    nats), and of an accepted threshold it is the goal itself (``goal``).
    """

    name: str
    n_errors: int
    n_counted: int
    unpaid: Any = 0
    goal: float | None = None


@dataclass(frozen=True)
class Claim:
    """What a certificate must say.

    ``shape`` says how the risk follows: the "tail" of ``n_errors`` among ``n_counted``, "stable" by
    ``n_compressed`` of ``n_samples``, the "sum" of the prices, "betting" on the losses of groups
    (``losses``, after those ``before``), or the "cost" of two ``rates``, one a class.
    """

    bound: str
    shape: str
    prices: Prices
    assumptions: tuple[Key, ...]
    reference: str
    n_samples: int
    n_errors: int | None = None
    n_compressed: int | None = None
    n_counted: int = 0
    is_vacuous: bool = False
    quantity: Key = "misclassified"
    notes: tuple[str, ...] = ()
    unit: str = "nats"
    parameters: Mapping[str, float] = field(default_factory=dict)
    rates: tuple[Rate, ...] = ()
    costs: Sequence[float] | None = None
    losses: Sequence[Any] = ()
    before: Sequence[Any] = ()


def drawn_by(seed: int | None) -> Key:
    """What a certificate assumes of the draw of its pool."""
    return "digest" if seed is None else ("seed", {"seed": seed})


def as_data(key: Key) -> dict[str, Any]:
    """A key as a file holds it."""
    name, values = (key, {}) if isinstance(key, str) else key
    return {"key": name, "values": dict(values)}


def assumes(certificate: Document, key: Key) -> bool:
    """Whether a certificate has an assumption."""
    return as_data(key) in certificate["assumptions"]


def is_share(value: Any) -> bool:
    """Whether something is a probability that is neither 0 nor 1."""
    return is_number(value) and 0 < value < 1


def _are_rates(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and is_number(pair[1])
        and 0 <= pair[1] <= 1
        for pair in pairs
    )


def check_record(audit: Audit, certificate: Any) -> bool:
    """Whether the numbers of a certificate are possible at all: counts, shares, prices."""
    if not audit.fields("certificate", certificate, _FIELDS):
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
        audit.check("certificate: prices are not negative", are_prices(certificate["terms"])),
        audit.check("certificate: rates are shares", _are_rates(certificate["rates"])),
    ]
    for name in ("n_errors", "n_compressed"):
        if certificate[name] is not None:
            holds.append(audit.count(f"certificate: {name} is a count", certificate[name], 0, n))
    return all(holds) and _is_above_errors(audit, certificate)


def _is_above_errors(audit: Audit, certificate: Document) -> bool:
    """Whether a risk is not below the share of errors; rates of a cost are compared with counts."""
    counted = certificate["n_samples"] - (certificate["n_compressed"] or 0)
    share = (certificate["n_errors"] or 0) / counted if counted else 0.0
    holds = certificate["limit"] != 1.0 or certificate["risk"] >= min(1.0, share)
    detail = f"{certificate['risk']!r} is less than {certificate['n_errors']} of {counted}"
    return audit.check("certificate: risk is not below the share of errors", holds, detail)


def check_claim(audit: Audit, document: Document, claim: Claim) -> bool:
    """Everything that a certificate says against what it must say."""
    certificate, training = document["certificate"], document["training"]
    n_groups = training.get("n_groups", 1)
    audit.equal("certificate: bound", certificate["bound"], claim.bound)
    audit.equal("certificate: delta", certificate["delta"], training["delta"])
    for name in ("n_samples", "n_errors", "n_compressed"):
        audit.equal(f"certificate: {name}", certificate[name], getattr(claim, name))
    limit = 1.0 if claim.costs is None else float(max(claim.costs))
    audit.equal("certificate: limit", certificate["limit"], limit)
    _check_words(audit, certificate, claim, n_groups)
    prices = list(claim.prices)
    if n_groups != 1 and claim.unit == "nats":
        last = confidence(certificate["delta"])
        prices = [last if price.kind == last.kind else price for price in prices]
        prices.append(Price("groups", f"choice among {n_groups} groups of settings", log(n_groups)))
    if not compare_prices(audit, "certificate terms", certificate["terms"], prices):
        return False
    return check_limits(audit, certificate, claim, total(stated(certificate["terms"])))


def _check_words(audit: Audit, certificate: Document, claim: Claim, n_groups: int) -> None:
    """Everything that a certificate says beside its numbers."""
    divided = f"The confidence was divided over {n_groups} groups of settings."
    notes = [*claim.notes, *([] if n_groups == 1 else [divided])]
    audit.equal("certificate: quantity", certificate["quantity"], as_data(claim.quantity))
    audit.equal("certificate: unit", certificate["unit"], claim.unit)
    wanted = list(map(as_data, claim.assumptions))
    audit.equal("certificate: assumptions", certificate["assumptions"], wanted)
    audit.equal("certificate: notes", certificate["notes"], notes)
    said, want = certificate["parameters"], claim.parameters
    holds = isinstance(said, Mapping) and set(said) == set(want)
    holds = holds and all(is_number(said[k]) and is_close(said[k], want[k]) for k in want)
    audit.check("certificate: parameters", holds, f"the file says {said!r}, they are {want!r}")
    audit.equal("certificate: reference", certificate["reference"], claim.reference)


def check_limits(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    """The risk and the rates, from what was counted and what is paid."""
    risk, named = certificate["risk"], [name for name, _ in certificate["rates"]]
    if not audit.equal("certificate: rates", named, [rate.name for rate in claim.rates]):
        return False
    # Two rates at once share the confidence; a cost has paid for them already.
    paid = nats if claim.shape == "cost" else nats + log(2)
    holds = True
    for (name, value), rate in zip(certificate["rates"], claim.rates, strict=True):
        if rate.goal is not None:
            holds &= audit.equal(f"certificate: rate {name}", value, rate.goal)
            continue
        nats_of = paid - rate.unpaid
        holds &= check_tail(audit, f"rate {name}", value, rate.n_errors, rate.n_counted, nats_of)
    if claim.is_vacuous:
        return holds & audit.equal("certificate: risk", risk, 1.0)
    return holds & _RISKS[claim.shape](audit, certificate, claim, nats)


def check_tail(audit: Audit, name: str, value: Any, k: int, n: int, nats: Any) -> bool:
    """The largest probability of which k or fewer of n have the probability that is paid."""
    holds = is_number(value) and is_tail_bound(value, k, n, nats)
    detail = f"the file says {value!r}"
    if not holds and n <= _MANY_ROWS:
        detail += f", it is {tail_bound(k, n, nats)!r}"
    return audit.check(f"certificate: {name}", holds, detail)


def _tail_risk(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    n_errors = claim.n_errors or 0
    return check_tail(audit, "risk", certificate["risk"], n_errors, claim.n_counted, nats)


def _stable_risk(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    k, n, risk = claim.n_compressed or 0, claim.n_samples, certificate["risk"]
    holds = is_number(risk) and is_stable_bound(risk, k, n, MP.exp(-nats))
    return audit.check(
        "certificate: risk", holds, f"{risk!r} is not the stable bound for {k} of {n}"
    )


def _sum_risk(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    risk, wanted = certificate["risk"], min(1.0, float(nats))
    holds = is_number(risk) and is_close(risk, wanted) and risk >= wanted * (1 - 1e-9)
    return audit.check("certificate: risk", holds, f"the file says {risk!r}, it is {wanted!r}")


def _cost_risk(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    assert claim.costs is not None
    risk, rates = certificate["risk"], [value for _, value in certificate["rates"]]
    limit = float(max(claim.costs))
    cost = min(limit, claim.costs[0] * rates[0] + claim.costs[1] * rates[1])
    holds = is_number(risk) and risk >= cost * (1 - 1e-12) and is_close(risk, cost, cost)
    return audit.check("certificate: risk", holds, f"the file says {risk!r}, it is {cost!r}")


def _betting_risk(audit: Audit, certificate: Document, claim: Claim, nats: Any) -> bool:
    if len(claim.losses) > _LARGEST_BETTING:
        audit.leave(_BETTING)
        return True
    risk = certificate["risk"]
    holds = is_number(risk) and is_betting_limit(risk, claim.losses, claim.before, nats)
    return audit.check("certificate: risk", holds, f"the file says {risk!r}")


_RISKS = {
    "tail": _tail_risk,
    "stable": _stable_risk,
    "sum": _sum_risk,
    "cost": _cost_risk,
    "betting": _betting_risk,
}


# -- groups ------------------------------------------------------------------------------------


def group_losses(is_wrong: Mask, groups: Iterable[Sequence[int]]) -> list[Any]:
    """The share of wrong rows of each group, to fifty digits."""
    return [MP.mpf(int(np.count_nonzero(is_wrong[rows]))) / len(rows) for rows in groups]


def group_errors(is_wrong: Mask, groups: Iterable[Sequence[int]], loss: str) -> int:
    """Groups with an error in their first blind row, or in any row."""
    return sum(bool(is_wrong[rows].any() if loss == "any" else is_wrong[rows[0]])
               for rows in groups)  # fmt: skip
