"""Losses in [0, 1] instead of errors, and randomised (Gibbs) classifiers."""

from __future__ import annotations

import math
from dataclasses import replace

from handful._checks import (
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_nats,
    check_real,
)
from handful.bounds._certificate import Certificate
from handful.bounds._compression import _outward, _scheme
from handful.bounds._statements import Quantity, assume
from handful.bounds._tails import kl_inverse
from handful.bounds._terms import Term, confidence_term, total_nats

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
        term. "kl-published" adds ln(2 sqrt(n)). "linear" and "catoni" need ``parameter`` (t
        resp. C) fixed before the data.
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
    scheme = _scheme(
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
        risk=min(limit, _outward(limit * value)),
        limit=limit,
        n_errors=None,
        quantity=Quantity("loss"),
        notes=(f"Method: {method}.",),
    )


def _real_value(method: str, q: float, rate: float, parameter: float) -> float:
    if method == "linear":
        return _outward(q + rate / parameter + parameter / 8.0)
    if method == "catoni":
        return _outward(-math.expm1(-parameter * q - rate) / -math.expm1(-parameter))
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
        Mean error of a classifier drawn from Q, each counted outside its compression set.
    divergence_nats : float
        KL(Q || P) against a prior P over compression sets and messages fixed before the data.
    delta : float
    majority_vote : bool
        Certify the deterministic vote instead, at twice the value.

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
    terms = [Term("posterior", "KL(posterior, prior)", divergence), confidence_term(delta)]
    risk = 1.0
    if n:
        terms.append(
            Term(
                "posteriors", "all posteriors at once, ln(2 sqrt(n))", math.log(2.0 * math.sqrt(n))
            )
        )
        risk = float(kl_inverse(q, total_nats(terms) / n))
    check_flag("majority_vote", majority_vote)
    return Certificate(
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
