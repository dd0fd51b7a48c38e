"""A certificate beside the claim that was derived again: numbers, words and the bound itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handful.verify._arithmetic import MP, is_tail_bound, log
from handful.verify._audit import Audit, is_close, is_number
from handful.verify._certificate import compare_terms
from handful.verify._settings import MOST, check_record
from handful.verify._terms import Term, Terms, confidence, stated, total
from handful.verify._wording import Wording, check_wording, groups_note

Document = Mapping[str, Any]

_SLACK = MP.mpf(10) ** -8  # what the library's rounding may do to the confidence
_MOST_NATS = 30.0  # of a choice: beyond MOST, and still a float when exponentiated


@dataclass(frozen=True)
class Claim:
    """What a certificate of a machine without rules must say.

    ``shape`` is how the risk follows: "tail" of ``n_errors`` among ``n_counted``, "stable" by
    ``n_compressed`` of ``n_samples``, or the "sum" of the terms.
    """

    bound: str
    shape: str
    terms: Terms
    wording: Wording
    n_samples: int
    n_errors: int | None = None
    n_compressed: int | None = None
    n_counted: int = 0
    is_vacuous: bool = False


def choice_terms(audit: Audit, certificate: Document, of: str) -> Terms:
    """The price of a choice among several models, as many as the certificate pays for."""
    found = [term.nats for term in stated(certificate["terms"]) if term.kind == "choice"]
    if not found:
        audit.trust(f"this was not chosen among several {of} on the same data")
        return []
    n = round(math.exp(min(found[0], _MOST_NATS)))
    audit.count(f"certificate: number of {of}", n, 2, MOST)
    audit.trust(f"it was chosen among no more than {n} {of}")
    return [Term("choice", f"choice among {n} {of}", log(max(n, 1)))]


def check_claim(audit: Audit, certificate: Document, n_groups: int, claim: Claim) -> None:
    """Everything that a certificate says against what it must say."""
    audit.equal("certificate: bound", certificate["bound"], claim.bound)
    for name in ("n_samples", "n_errors", "n_compressed"):
        audit.equal(f"certificate: {name}", certificate[name], getattr(claim, name))
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: rates", certificate["rates"], [])
    wording = claim.wording
    check_wording(audit, certificate, _with_groups(wording, n_groups))
    terms = list(claim.terms)
    if n_groups > 1 and wording.unit == "nats":
        last = confidence(certificate["delta"])
        terms = [last if term.kind == last.kind else term for term in terms]
        terms.append(Term("groups", f"choice among {n_groups} groups of settings", log(n_groups)))
    if compare_terms(audit, "certificate terms", certificate["terms"], terms):
        _check_risk(audit, certificate["risk"], claim, terms)


def _with_groups(wording: Wording, n_groups: int) -> Wording:
    return Wording(
        wording.assumptions,
        wording.reference,
        wording.quantity,
        wording.notes + groups_note(n_groups),
        wording.unit,
        wording.parameters,
    )


def _check_risk(audit: Audit, risk: Any, claim: Claim, terms: Terms) -> None:
    nats = total(terms)
    if claim.is_vacuous:
        audit.equal("certificate: risk", risk, 1.0)
        return
    if claim.shape == "sum":
        wanted = min(1.0, float(nats))
        holds = is_number(risk) and is_close(risk, wanted) and risk >= wanted * (1 - 1e-9)
        audit.check("certificate: risk", holds, f"the file says {risk!r}, it is {wanted!r}")
        return
    if claim.shape == "tail":
        k, n = claim.n_errors or 0, claim.n_counted
        detail = f"{risk!r} is not the bound for {k} errors among {n}"
        audit.check("certificate: risk", is_tail_bound(risk, k, n, nats), detail)
        return
    k, n = claim.n_compressed or 0, claim.n_samples
    detail = f"{risk!r} is not the stable bound for {k} of {n}"
    audit.check("certificate: risk", is_stable_bound(risk, k, n, MP.exp(-nats)), detail)


def is_stable_bound(risk: Any, k: int, n: int, delta: Any) -> bool:
    """Whether a number is the stable bound, to eight digits of the confidence."""
    if k >= n:
        return bool(risk == 1.0)
    if not is_number(risk) or not 0 < risk <= 1:
        return False
    if is_close(risk, 1.0):
        return stable_excess(1 - MP.mpf(10) ** -7, k, n, delta) <= 1
    at, below = MP.mpf(risk), MP.mpf(risk) * (1 - _SLACK)
    holds = stable_excess(at, k, n, delta) >= 1 - _SLACK
    return bool(holds and stable_excess(below, k, n, delta) <= 1 + _SLACK)


def stable_excess(risk: Any, k: int, n: int, delta: Any) -> Any:
    """(delta / n) sum over j = k .. n - 1 of C(j, k) / C(n, k) (1 - risk)^(j - n).

    Examples
    --------
    >>> float(stable_excess(0.5, 0, 1, 0.25))
    0.5
    """
    keep = 1 - MP.mpf(risk)
    term, total = MP.mpf(1), MP.mpf(0)
    for j in range(n - 1, k - 1, -1):
        term = term * (j + 1 - k) / (j + 1) / keep
        total += term
    return MP.mpf(delta) / n * total


def effective_delta(audit: Audit, document: Document) -> tuple[float, int] | None:
    """The confidence at which the machine itself was certified, and the number of groups."""
    certificate, settings = document["certificate"], document["settings"]
    fields = ["delta", "n_groups", "parameters"]
    is_usable = audit.equal("settings: fields", sorted(settings), fields)
    if not is_usable or not check_record(audit, certificate):
        return None
    n_groups = settings["n_groups"]
    is_usable = audit.count("settings: n_groups", n_groups, 1, MOST)
    is_usable &= audit.equal("certificate: delta", certificate["delta"], settings["delta"])
    parameters = settings["parameters"]
    is_mapping = isinstance(parameters, Mapping)
    is_usable &= audit.check("settings: parameters", is_mapping, f"{parameters!r:.80} has no names")
    if not is_usable:
        return None
    return certificate["delta"] / n_groups, n_groups


def root(value: float) -> float:
    """Square root of what may be a hair below zero."""
    return math.sqrt(max(0.0, value))
