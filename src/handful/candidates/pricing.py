"""Certificates of candidates: one by one with every term, or the risks of all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import (
    Certificate,
    binomial_tail_inverse,
    closed_form_compression_bound,
    compression_bound,
    cost_bound,
    kl_compression_bound,
    kl_inverse,
    matching_pursuit_bound,
    pool_bound,
)
from handful.candidates.candidate import Candidate, Code, Counts
from handful.candidates.groups import BOTH

Costs = tuple[float, float]

RELAXED: dict[str, Callable[..., Certificate]] = {
    "compression-kl": kl_compression_bound,
    "compression-closed-form": closed_form_compression_bound,
}
_MOST_BETS = 60  # candidates whose betting bound is computed: those that look best without it


def certify(
    code: Code,
    counts: Counts,
    delta: float,
    *,
    n_choices: int = 1,
    bound: str = "",
    costs: Costs | None = None,
) -> Certificate:
    """The itemised certificate of a code.

    Parameters
    ----------
    code : Code
    counts : Counts
    delta : float
    n_choices : int
        Settings among which the code was chosen with the data.
    bound : str
        Another bound that holds for the same codes; that of the code by default.
    costs : pair of float, optional
        Costs of a false positive and of a false negative, for the bound "cost".

    Examples
    --------
    >>> certify(Code("pool"), Counts(n_held=40, n_counted=60, n_errors=3), 0.05).n_samples
    100
    """
    groups = counts.groups
    if groups is None or groups.is_binomial:
        return _by_units(code, counts, delta, n_choices, bound or code.bound, costs)
    if groups.how != "both":
        return groups.by_means(code.terms, delta, n_choices)
    # Either certificate holds if both pay ln 2, so the smaller one may be taken.
    both = replace(code, terms=(*code.terms, BOTH))
    return min(
        _by_units(both, counts, delta, n_choices, code.bound, None),
        groups.by_means(both.terms, delta, n_choices),
        key=lambda certificate: certificate.risk,
    )


def _by_units(
    code: Code, counts: Counts, delta: float, n_choices: int, bound: str, costs: Costs | None
) -> Certificate:
    """The certificate by the errors among the counted units: binomial given the code."""
    n, d, n_errors = counts.n_units, counts.n_held, counts.n_errors
    common: dict[str, Any] = {"message_nats": code.message, "delta": delta, "n_choices": n_choices}
    if bound == "pool":
        made = pool_bound(n, d, n_errors, **common)
        return replace(made, rates=counts.rates(made.nats))
    if bound == "matching-pursuit":
        return _lectures(code, counts, delta, n_choices)
    common |= {"size_nats": 0.0}  # messages of codes say their sizes
    if code.n_named is None:
        common |= {"which_nats": 0.0}  # drawn blindly, or a term of the message names them
    else:
        common |= {"pool_size": code.n_named if code.n_named < n else None}
    if bound == "cost":
        (_, fp), (_, fn) = counts.by_class
        c_fp, c_fn = costs or (1.0, 1.0)
        common |= {"cost_false_positive": c_fp, "cost_false_negative": c_fn}
        return cost_bound(n, d, fp, fn, **common)
    if bound in RELAXED:
        return RELAXED[bound](n, d, n_errors, **common)
    by_class = None if counts.groups is not None else counts.class_counts
    return compression_bound(n, d, n_errors, counts=by_class, **common)


def _lectures(code: Code, counts: Counts, delta: float, n_choices: int) -> Certificate:
    """`matching_pursuit_bound`; the confidence is shared among the settings that were tried."""
    d = max(1, counts.n_held)
    shared = delta * math.exp(-(math.log(n_choices) + code.nats))
    made = matching_pursuit_bound(
        counts.n_units, d, min(counts.n_errors, counts.n_units - d), delta=shared
    )
    return replace(made, delta=delta, n_compressed=counts.n_held)


def certified_risks(
    candidates: Sequence[Candidate], delta: float, costs: Costs | None = None
) -> Floats:
    """Certificates of all candidates at once; expected costs if ``costs`` (fp, fn) are given.

    The value of the lectures' bound is not cut at 1, so that candidates can be compared by it.
    """
    if candidates and candidates[0].code.bound == "matching-pursuit":
        return _pursuit_risks(candidates, delta)
    counts = [candidate.counts for candidate in candidates]
    n_counted = np.array([count.n_counted for count in counts])
    # Each candidate pays its own price, so that all limits hold at once.
    nats = np.array([candidate.nats for candidate in candidates]) - math.log(delta)
    if costs is not None:
        return _expected_costs(counts, n_counted, nats, costs)
    pays_both = np.array([c.groups is not None and c.groups.pays_both for c in counts], dtype=bool)
    nats = nats + np.where(pays_both, BOTH.nats, 0.0)
    n_errors = np.array([count.n_errors for count in counts])
    risks = np.array(binomial_tail_inverse(n_errors, n_counted, -nats), ndmin=1)
    return _with_bets(candidates, risks, nats, delta)


def _pursuit_risks(candidates: Sequence[Candidate], delta: float) -> Floats:
    """The sum of the terms of the lectures' bound; infinity if it does not hold."""
    made = [certify(c.code, c.counts, delta) for c in candidates]
    return np.array([math.fsum(t.nats for t in m.terms) if m.terms else math.inf for m in made])


def _expected_costs(
    counts: Sequence[Counts], n_counted: Ints, nats: Floats, costs: Costs
) -> Floats:
    """Costs of the two rates of wrong labels, which hold at once, so that ln 2 is paid."""
    nats = nats + math.log(2.0)  # two rates at once
    fp, fn = (
        binomial_tail_inverse([count.by_class[k][1] for count in counts], n_counted, -nats)
        for k in (0, 1)
    )
    return np.asarray(costs[0] * fp + costs[1] * fn)


def _with_bets(
    candidates: Sequence[Candidate], risks: Floats, nats: Floats, delta: float
) -> Floats:
    """The risks with the betting bound, for groups of rows.

    Betting is slow. If both ways to count are paid, only the candidates that look best without it
    get it; the others keep the certificate of one row of each group, which holds as well.
    """
    grouped = {i: c.counts.groups for i, c in enumerate(candidates) if c.counts.groups is not None}
    both = [i for i, groups in grouped.items() if groups.pays_both]
    rough = risks.copy()
    if both:
        n = np.array([len(grouped[i].losses) for i in both])
        means = np.array([math.fsum(grouped[i].losses.tolist()) for i in both]) / n
        by_kl = np.asarray(kl_inverse(np.minimum(means, 1.0), nats[both] / n))
        rough[both] = np.minimum(risks[both], by_kl)
    for i in np.argsort(rough, kind="stable")[:_MOST_BETS].tolist():
        if i in both:
            made = grouped[i].by_means((*candidates[i].code.terms, BOTH), delta)
            risks[i] = min(risks[i], made.risk)
    for i, groups in grouped.items():
        if not groups.is_binomial and not groups.pays_both:
            risks[i] = groups.by_means(candidates[i].code.terms, delta).risk
    return risks
