"""A class of hypotheses that was listed before the data: Vapnik's theorem, with its factor."""

from __future__ import annotations

import math

from handful._checks import check_count, check_delta, check_real
from handful.bounds._certificate import Certificate
from handful.bounds._compression import _outward
from handful.bounds._statements import assume
from handful.bounds._terms import Term, confidence_term, total_nats

_VAPNIK = "Vapnik (1998), Statistical Learning Theory, section 6.2"


def finite_class_bound(
    class_bits: float, n_samples: int, *, n_errors: int = 0, delta: float = 0.05
) -> Certificate:
    """Risk of any member of a class fixed before the data, from its training errors.

    With probability 1 - delta, for all hypotheses of the class at once,
    R <= q + e (1 + sqrt(1 + 2 q / e)), where q is the share of training errors and
    e = (class_bits ln 2 + ln(1 / delta)) / m: the solution of R - q <= sqrt(2 e R). Without
    errors this is 2 e, so that the factor 2 multiplies the confidence as well; the version
    printed by von Luxburg, Bousquet & Schölkopf (2004) applies it to the class only.

    Parameters
    ----------
    class_bits : float
        log2 of the number of hypotheses, or the length of the name of this one in a prefix-free
        code that was fixed before the data.
    n_samples : int
    n_errors : int
        Errors of the hypothesis on the training examples.
    delta : float

    Notes
    -----
    The exact tail (`compression_bound` with no example kept and the name as message) is never
    worse; the theorem is here because it is the classical one.

    Examples
    --------
    >>> round(finite_class_bound(100, 500).risk, 9)
    0.289241801
    >>> round(finite_class_bound(10, 500, n_errors=25).risk, 6)
    0.118636
    """
    bits = check_real("class_bits", class_bits, low=0.0, hint="Pass log2 of the number.")
    m = check_count("n_samples", n_samples, low=1)
    k = check_count("n_errors", n_errors, high=m)
    delta = check_delta(delta)
    terms = (
        Term("hypothesis", "which hypothesis", bits * math.log(2.0)),
        confidence_term(delta),
    )
    share = k / m
    nats = total_nats(terms) / m
    return Certificate(
        risk=min(1.0, _outward(share + nats + math.sqrt(nats * (nats + 2.0 * share)))),
        delta=delta,
        bound="finite-class",
        n_samples=m,
        n_errors=k,
        terms=terms,
        assumptions=assume("iid", "hypotheses"),
        reference=_VAPNIK + ", with the factor 2 on both terms",
    )
