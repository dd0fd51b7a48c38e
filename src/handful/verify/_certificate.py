"""The certificate against recounted errors and recomputed terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import is_tail_bound, log, tail_bound
from handful.verify._audit import Audit, is_close, is_number
from handful.verify._settings import check_record
from handful.verify._terms import Term, Terms, confidence, stated, total

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Counts:
    """Recounted numbers of the classifier on the examples that are counted."""

    n_samples: int
    n_compressed: int
    n_errors: int
    n_false_positives: int = 0
    n_false_negatives: int = 0
    n_outside_positives: int = 0
    n_outside_negatives: int = 0

    @property
    def n_outside(self) -> int:
        """Examples that are counted."""
        return self.n_samples - self.n_compressed


def count(
    predicted: NDArray[np.int64], actual: NDArray[np.int64], compression_set: Sequence[int]
) -> Counts:
    """Errors outside the compression set; by kind where the labels are -1 and +1."""
    outside = np.ones(len(actual), dtype=bool)
    outside[list(compression_set)] = False
    wrong = (predicted != actual) & outside
    return Counts(
        n_samples=len(actual),
        n_compressed=len(compression_set),
        n_errors=int(wrong.sum()),
        n_false_positives=int((wrong & (actual == -1)).sum()),
        n_false_negatives=int((wrong & (actual == 1)).sum()),
        n_outside_positives=int((outside & (actual == 1)).sum()),
        n_outside_negatives=int((outside & (actual == -1)).sum()),
    )


def compare_terms(audit: Audit, name: str, found: Any, wanted: Terms) -> bool:
    """Kinds, texts and values of itemised nats, in order."""
    said = stated(found)
    kinds = [[term.kind for term in terms] for terms in (said, wanted)]
    texts = [[term.text for term in terms] for terms in (said, wanted)]
    same = audit.equal(f"{name}: kinds", *kinds) and audit.equal(f"{name}: texts", *texts)
    if not same:
        return False
    holds = True
    for theirs, ours in zip(said, wanted, strict=True):
        holds &= audit.close(f"{name}: {ours.text}", theirs.nats, float(ours.nats))
    return holds


def check_certificate(
    audit: Audit,
    certificate: Document,
    settings: Document,
    terms: Terms,
    counts: Counts,
    *,
    is_binary: bool,
) -> None:
    """Every number of a compression certificate; its words are checked elsewhere."""
    costs, delta = settings["costs"], certificate["delta"]
    if not check_record(audit, certificate):
        return
    audit.equal("certificate: n_samples", certificate["n_samples"], counts.n_samples)
    audit.equal("certificate: n_compressed", certificate["n_compressed"], counts.n_compressed)
    audit.equal("certificate: n_errors", certificate["n_errors"], counts.n_errors)
    audit.equal("certificate: delta", delta, settings["delta"])
    audit.equal("certificate: bound", certificate["bound"], "cost" if costs else "compression")
    wanted = [*terms, confidence(delta)]
    if costs:
        wanted.append(Term("rates", "two rates at once, ln 2", log(2)))
    if (n := settings["n_groups"]) != 1:
        wanted.append(Term("groups", f"choice among {n} groups of settings", log(n)))
    if not compare_terms(audit, "certificate terms", certificate["terms"], wanted):
        return
    nats = total(stated(certificate["terms"]))
    if costs:
        _check_cost(audit, certificate, costs, counts, nats)
    else:
        audit.equal("certificate: limit", certificate["limit"], 1.0)
        _check_tail(audit, "risk", certificate["risk"], counts.n_errors, counts.n_outside, nats)
        _check_rates(audit, certificate["rates"], counts, nats + log(2), is_binary)


def _check_tail(audit: Audit, name: str, value: Any, k: int, n: int, nats: Any) -> bool:
    holds = is_number(value) and is_tail_bound(value, k, n, nats)
    detail = "" if holds else f"the file says {value!r}, it is {tail_bound(k, n, nats)!r}"
    return audit.check(f"certificate: {name}", holds, detail)


def _check_rates(audit: Audit, rates: Any, counts: Counts, nats: Any, is_binary: bool) -> None:
    errors = (counts.n_false_positives, counts.n_false_negatives)
    wanted = [
        ("false_positive", errors[0], counts.n_outside),
        ("false_negative", errors[1], counts.n_outside),
        ("false_positive_given_negative", errors[0], counts.n_outside_negatives),
        ("false_negative_given_positive", errors[1], counts.n_outside_positives),
    ]
    names = [pair[0] for pair in rates]
    if audit.equal("certificate: rates", names, [w[0] for w in wanted] if is_binary else []):
        for (name, value), (_, k, n) in zip(rates, wanted, strict=False):
            _check_tail(audit, f"rate {name}", value, k, n, nats)


def _check_cost(
    audit: Audit, certificate: Document, costs: Sequence[float], counts: Counts, nats: Any
) -> None:
    rates = certificate["rates"]
    names = [pair[0] for pair in rates]
    audit.equal("certificate: limit", certificate["limit"], float(max(costs)))
    if not audit.equal("certificate: rates", names, ["false_positive", "false_negative"]):
        return
    errors = (counts.n_false_positives, counts.n_false_negatives)
    holds = [
        _check_tail(audit, f"rate {name}", value, k, counts.n_outside, nats)
        for (name, value), k in zip(rates, errors, strict=True)
    ]
    if all(holds):
        cost = min(float(max(costs)), costs[0] * rates[0][1] + costs[1] * rates[1][1])
        risk = certificate["risk"]
        is_cost = is_number(risk) and risk >= cost * (1 - 1e-12) and is_close(risk, cost, cost)
        audit.check("certificate: risk", is_cost, f"the file says {risk!r}, it is {cost!r}")
