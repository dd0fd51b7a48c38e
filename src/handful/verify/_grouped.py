"""The certificate of a machine over groups: mean errors, or one drawn row of each, again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful.verify._arithmetic import MP, is_tail_bound, log, tail_bound
from handful.verify._audit import Audit, is_number
from handful.verify._betting import is_betting_limit
from handful.verify._certificate import compare_terms
from handful.verify._settings import check_record
from handful.verify._terms import Term, Terms, confidence, stated, total
from handful.verify._units import Units
from handful.verify._wording import check_wording, group_wording

Document = Mapping[str, Any]

_LARGEST_BETTING = 20_000  # groups: a minute of fifty-digit arithmetic
_BETTING = f"the bound for groups by betting, of more than {_LARGEST_BETTING} groups"
_BOTH = Term("method", "means of groups, or one row of each", log(2))


def check_grouped(
    audit: Audit, document: Document, units: Units, terms: Terms, kept: set[int], is_wrong: Any
) -> None:
    """Every number of the certificate; ``kept`` are rows of the groups that are not counted."""
    certificate, settings = document["certificate"], document["settings"]
    if not check_record(audit, certificate):
        return
    held = [rows for rows in units.rows_of if kept & set(rows)]
    counted = [rows for rows in units.rows_of if not kept & set(rows)]
    loss = settings["group_loss"]
    # What the kept groups look like is known to the code, so that its price may depend on it.
    is_single = bool(held) and all(len(rows) == 1 for rows in held)
    is_binomial = loss == "any" or is_single or not counted
    audit.equal("certificate: delta", certificate["delta"], settings["delta"])
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: rates", certificate["rates"], [])
    audit.equal("costs", settings["costs"], None)
    wanted = [*terms, *([] if is_binomial else [_BOTH]), confidence(certificate["delta"])]
    if (n := settings["n_groups"]) != 1:
        wanted.append(Term("groups", f"choice among {n} groups of settings", log(n)))
    if not compare_terms(audit, "certificate terms", certificate["terms"], wanted):
        return
    nats = total(stated(certificate["terms"]))
    is_betting = certificate["bound"] == "betting" and not is_binomial
    seed = document["provenance"]["random_state"]
    words = group_wording(document["codes"], settings, units.n, seed, is_betting)
    check_wording(audit, certificate, words)
    if is_betting:
        _check_betting(audit, certificate, held, counted, is_wrong, nats)
        return
    audit.equal("certificate: bound", certificate["bound"], "compression")
    n_errors = sum(bool(is_wrong[rows].any() if loss == "any" else is_wrong[rows[0]])
                   for rows in counted)  # fmt: skip
    audit.equal("certificate: n_samples", certificate["n_samples"], units.n)
    audit.equal("certificate: n_compressed", certificate["n_compressed"], len(held))
    audit.equal("certificate: n_errors", certificate["n_errors"], n_errors)
    risk = certificate["risk"]
    holds = is_number(risk) and is_tail_bound(risk, n_errors, len(counted), nats)
    exact = tail_bound(n_errors, len(counted), nats)
    audit.check("certificate: risk", holds, f"the file says {risk!r}, it is {exact!r}")


def _check_betting(
    audit: Audit,
    certificate: Document,
    held: Sequence[list[int]],
    counted: Sequence[list[int]],
    is_wrong: Any,
    nats: Any,
) -> None:
    audit.equal("certificate: n_samples", certificate["n_samples"], len(counted))
    audit.equal("certificate: n_compressed", certificate["n_compressed"], None)
    audit.equal("certificate: n_errors", certificate["n_errors"], None)
    if len(counted) > _LARGEST_BETTING:
        audit.leave(_BETTING)
        return
    warm_up, losses = (
        [MP.mpf(int(np.count_nonzero(is_wrong[rows]))) / len(rows) for rows in part]
        for part in (held, counted)
    )
    risk = certificate["risk"]
    holds = is_number(risk) and is_betting_limit(risk, losses, warm_up, nats)
    audit.check("certificate: risk", holds, f"the file says {risk!r}")
