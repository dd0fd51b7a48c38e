"""Bounded losses instead of errors: compression, randomised classifiers, groups of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handful.arrays import Floats
from handful.bounds.certificates import Certificate
from handful.bounds.compression_bounds import compression_scheme
from handful.bounds.messages import Term, confidence_term, itemise, total_nats
from handful.bounds.statements import Quantity, assume
from handful.bounds.tails import binomial_tail_inverse, kl_inverse, outward
from handful.checks import (
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_nats,
    check_real,
)

_BAZINET = "Bazinet, Zantedeschi & Germain (2025), Sample compression unleashed"
_PAC_BAYES = "Laviolette & Marchand (2007), PAC-Bayes risk bounds for sample-compressed classifiers"
REAL_LOSS_METHODS = ("kl", "kl-published", "linear", "catoni")


def real_loss_bound(
    n_samples: int,
    n_compressed: int,
    mean_loss: float,
    *,
    message_nats: float = 0.0,
    size_nats: float | None = None,
    delta: float = 0.05,
    max_loss: float = 1.0,
    method: str = "kl",
    parameter: float = 1.0,
    n_choices: int = 1,
) -> Certificate:
    """Sample-compression certificate on the expectation of a loss with values in [0, max_loss].

    Parameters
    ----------
    n_samples, n_compressed, message_nats, size_nats, delta, n_choices
        As in `compression_bound`.
    mean_loss : float
        Mean loss on the examples outside the compression set.
    max_loss : float
        Largest possible loss, known before the data.
    method : {"kl", "kl-published", "linear", "catoni"}
        "kl" is the tightest: a countable union of one-sided Chernoff bounds needs no further
        term. "kl-published" adds ln(2 sqrt(n)). "linear" and "catoni" need a ``parameter`` (t
        and C) that was fixed before the data.
    parameter : float

    Examples
    --------
    >>> round(real_loss_bound(615, 3, 15 / 612, message_nats=3.0).risk, 6)
    0.099493
    """
    limit = check_real("max_loss", max_loss, low=0.0, low_open=True, hint="Pass the loss's range.")
    loss = check_real("mean_loss", mean_loss, low=0.0, high=limit, hint="Pass a mean loss.")
    check_choice("method", method, REAL_LOSS_METHODS)
    hint = "It must be fixed before the data are seen."
    parameter = check_real("parameter", parameter, low=0.0, low_open=True, hint=hint)
    # The loss enters by its mean, not by a count: zero errors here, None in the certificate.
    scheme = compression_scheme(
        n_samples,
        n_compressed,
        0,
        message_nats=message_nats,
        size_nats=size_nats,
        delta=delta,
        n_choices=n_choices,
        pool_size=None,
    )
    n = scheme.n_outside
    if method == "kl-published" and n:
        extra = Term("published", "published term, ln(2 sqrt(n))", math.log(2.0 * math.sqrt(n)))
        scheme = replace(scheme, terms=(*scheme.terms, extra))
    value = _real_value(method, loss / limit, scheme.nats / n, parameter) if n else 1.0
    return replace(
        scheme.certificate("real-loss", 0.0, _BAZINET),
        risk=min(limit, outward(limit * value)),
        limit=limit,
        n_errors=None,
        quantity=Quantity("loss"),
        notes=(f"Method: {method}.",),
    )


def _real_value(method: str, q: float, rate: float, parameter: float) -> float:
    if method == "linear":
        # Hoeffding's lemma: the log moment of a loss in [0, 1] at t is at most t^2 / 8; divided by
        # t.
        return outward(q + rate / parameter + parameter / 8.0)
    if method == "catoni":
        # Catoni's form; expm1 keeps the digits if the parameter is small.
        return outward(-math.expm1(-parameter * q - rate) / -math.expm1(-parameter))
    return float(kl_inverse(q, rate))


def pac_bayes_bound(
    n_samples: int,
    n_compressed: int,
    gibbs_error: float,
    divergence_nats: float,
    *,
    delta: float = 0.05,
    majority_vote: bool = False,
) -> Certificate:
    """PAC-Bayes certificate of a randomised sample-compressed classifier.

    kl(gibbs_error, risk) <= (KL(Q || P) + ln(2 sqrt(n) / delta)) / n with n = m - d.

    Parameters
    ----------
    n_samples, n_compressed : int
        All classifiers in the posterior Q keep the same number of examples.
    gibbs_error : float
        Mean error of a classifier drawn from Q. Errors of each classifier are counted outside
        its compression set.
    divergence_nats : float
        KL(Q || P). The prior P over compression sets and messages is fixed before the data.
    delta : float
    majority_vote : bool
        Certify the deterministic majority vote, at twice the value.

    Examples
    --------
    >>> round(pac_bayes_bound(614, 3, 14.5 / 611, 6.92).risk, 9)
    0.071234992
    """
    m = check_count("n_samples", n_samples, low=1)
    d = check_count("n_compressed", n_compressed, high=m)
    q = check_real("gibbs_error", gibbs_error, low=0.0, high=1.0, hint="Pass a mean error.")
    divergence, n = check_nats("divergence_nats", divergence_nats), m - d
    delta = check_delta(delta)
    # All classifiers keep d examples, so each counts its errors on n = m - d others.
    terms = [Term("posterior", "KL(posterior, prior)", divergence), confidence_term(delta)]
    risk = 1.0
    if n:
        # E exp(n kl(q, risk)) <= 2 sqrt(n) under the prior; so one price covers all posteriors.
        posteriors = math.log(2.0 * math.sqrt(n))
        terms.append(Term("posteriors", "all posteriors at once, ln(2 sqrt(n))", posteriors))
        risk = float(kl_inverse(q, total_nats(terms) / n))
    check_flag("majority_vote", majority_vote)
    return Certificate(
        # If the vote errs, at least half of the posterior errs: Markov's inequality gives the
        # factor 2.
        risk=min(1.0, 2.0 * risk if majority_vote else risk),
        delta=delta,
        bound="pac-bayes",
        n_samples=m,
        n_compressed=d,
        terms=tuple(terms),
        quantity=Quantity("vote" if majority_vote else "gibbs"),
        assumptions=assume("iid", "preprocessing", "prior"),
        reference=_PAC_BAYES,
    )


GROUP_METHODS = ("betting", "kl")
GROUP_QUANTITIES = {"mean": Quantity("group-mean"), "any": Quantity("group-any")}
_WAUDBY = "Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting"
_HOEFFDING = "Hoeffding (1963), Theorem 1; Chernoff's bound for losses in [0, 1]"
_STAKE = 0.999  # largest share of the capital that a round may lose
_PAD = 1e-12  # relative; more than the rounding of a sum of logarithms, outwards


def betting_bound(
    losses: Sequence[float],
    *,
    warm_up: Sequence[float] = (),
    message_nats: float = 0.0,
    delta: float = 0.05,
    n_choices: int = 1,
    method: str = "betting",
) -> Certificate:
    """Certificate on the mean of losses in [0, 1], one for each independent group.

    For each m in [0, 1) the capital is prod_t (1 + b_t (m - loss_t)). The bet b_t lies in
    [0, .999 / (1 - m)] and depends on earlier losses only. If the mean is m or larger, the
    capital is a non-negative supermartingale, so it ever reaches exp(nats) with probability
    exp(-nats) at most (Ville). The limit is the smallest m whose capital reaches exp(nats). b_t
    is the smaller of .999 / (1 - m) and a number that does not depend on m. Hence the capital
    grows with m, and the excluded m are an interval.

    Parameters
    ----------
    losses : sequence of float
        Mean loss of each group, in an order that does not depend on the losses.
    warm_up : sequence of float
        Losses of other groups, for example of a pool. The first bets depend on them; they are
        not counted.
    message_nats, delta, n_choices
        As in `compression_bound`.
    method : {"betting", "kl"}
        "kl" is Chernoff's bound; it uses the mean of the losses only.

    Examples
    --------
    >>> losses = [0.1, 0.3, 0.2, 0.2] * 10
    >>> round(betting_bound(losses).risk, 4)
    0.262
    >>> round(betting_bound(losses, method="kl").risk, 4)
    0.3791
    """
    values, before = _check_losses("losses", losses), _check_losses("warm_up", warm_up)
    n = check_count("len(losses)", len(values), low=1)
    choices, delta = check_count("n_choices", n_choices, low=1), check_delta(delta)
    check_nats("message_nats", message_nats)
    check_choice("method", method, GROUP_METHODS)
    terms = list(itemise(message_nats, "message"))
    if choices > 1:
        terms.append(Term("choice", f"choice among {choices}", math.log(choices)))
    terms.append(confidence_term(delta))
    nats = total_nats(terms)
    if method == "kl":
        # Rounded up: a mean that is too small would make the certificate too small.
        mean = min(1.0, math.fsum(values) / n * (1.0 + _PAD))
        risk = float(kl_inverse(mean, nats / n))
    else:
        risk = _limit(values, _bets(values, before, nats), nats)
    return Certificate(
        risk=risk,
        delta=delta,
        bound="betting",
        n_samples=n,
        terms=tuple(terms),
        quantity=GROUP_QUANTITIES["mean"],
        assumptions=assume("iid-groups", "ordered"),
        reference=_WAUDBY if method == "betting" else _HOEFFDING,
        notes=(f"Method: {method}.",),
    )


def prefers_betting(pool_losses: Sequence[float] | Floats, n_groups: int, nats: float) -> bool:
    """Whether the betting bound is smaller than the binomial one if all groups repeat the pool.

    The binomial rival counts one blindly drawn row of each group. The choice depends on the pool
    only, so it is free.

    Examples
    --------
    >>> prefers_betting([0.2, 0.3, 0.25, 0.25], 40, 3.0)
    True
    >>> prefers_betting([0.0, 1.0, 0.0, 0.0], 40, 3.0)
    False
    """
    if len(pool_losses) == 0 or n_groups == 0:
        return False
    # The pool, repeated, stands for the groups that will be counted.
    like = np.resize(pool_losses, n_groups)
    expected = math.ceil(float(np.mean(pool_losses)) * n_groups)
    one_row = float(binomial_tail_inverse(min(expected, n_groups), n_groups, -nats))
    betting = betting_bound(like.tolist(), warm_up=list(pool_losses), delta=math.exp(-nats)).risk
    return betting < one_row


def _check_losses(name: str, losses: Sequence[float]) -> Floats:
    try:
        values = np.array([float(loss) for loss in losses])
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be one number a group, got {losses!r}.") from error
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError(f"`{name}` must be in [0, 1], got {losses!r}. Pass mean errors of groups.")
    return values


def _bets(losses: Floats, before: Floats, nats: float) -> Floats:
    """Bet of each round from the earlier losses: sqrt(2 nats / (n variance))."""
    n, seen = len(losses), np.concatenate([before, losses])
    number = np.arange(len(seen) + 1) + 1.0
    # An imagined loss of 1/2 with variance 1/4 begins the averages, so the first bets are careful.
    mean = np.cumsum(np.concatenate([[0.5], seen])) / number
    deviations = np.concatenate([[0.25], (seen - mean[1:]) ** 2])
    # Shifted by one: the bet of a round must not depend on its own loss, or the capital is no
    # supermartingale.
    variance = (np.cumsum(deviations) / number)[len(before) : -1]
    return np.asarray(np.sqrt(2.0 * nats / (n * variance)))


def _log_capital(losses: Floats, bets: Floats, m: float) -> float:
    """Largest logarithm of the capital against the mean m."""
    with np.errstate(divide="ignore"):
        # A larger bet could lose the whole capital, and rounding would decide it. At m = 1 there
        # is no such limit.
        largest = np.divide(_STAKE, 1.0 - m)
        gains = np.log1p(np.maximum(np.minimum(bets, largest) * (m - losses), -1.0))
    # Ville's inequality holds for the largest capital over all rounds, not only for the last.
    return float(np.max(np.cumsum(gains)))


def _limit(losses: Floats, bets: Floats, nats: float) -> float:
    """Smallest m that the capital excludes, rounded up; 1 if it excludes none."""
    target = nats * (1.0 + _PAD) + 1e-14 * len(losses)  # sums of logarithms are rounded
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        # The capital grows with m, so all larger means are excluded too.
        if _log_capital(losses, bets, middle) >= target:
            high = middle
        else:
            low = middle
    return high
