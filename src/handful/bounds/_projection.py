"""Matching pursuit, sparse kernel PCA, the perceptron, and code lengths."""

from __future__ import annotations

import math
from dataclasses import replace

from handful._checks import (
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_real,
)
from handful.bounds._certificate import Certificate
from handful.bounds._compression import _log_binomial, _outward, compression_bound
from handful.bounds._messages import LOG_ZETA_2
from handful.bounds._statements import Quantity, assume
from handful.bounds._tails import kl_inverse
from handful.bounds._terms import Term, confidence_term, total_nats

_PURSUIT = "Hussain & Shawe-Taylor (2008), Theory of matching pursuit, NIPS"
_BLUM = "Blum & Langford (2003), PAC-MDL bounds, with the logarithm of delta in base 2"
SPARSE_PCA_METHODS = ("kl", "hoeffding", "published")


def matching_pursuit_bound(
    n_samples: int, n_centers: int, n_errors: int, *, delta: float = 0.05
) -> Certificate:
    """The lectures' bound for kernel matching pursuit, with logarithms in base 2.

    ``n_errors`` is the number (not the rate) of examples outside the chosen ones that are
    misclassified. Usually vacuous; the classifier is not a compression scheme, since its
    coefficients use all the data.

    Examples
    --------
    >>> matching_pursuit_bound(1000, 10, 50).is_vacuous
    True
    >>> round(matching_pursuit_bound(100_000, 10, 50).risk, 6)
    0.019787
    """
    m = check_count("n_samples", n_samples, low=1)
    d = check_count("n_centers", n_centers, low=1, high=m)
    t = check_count("n_errors", n_errors, high=m - d)
    delta, n = check_delta(delta), m - d - t
    terms: tuple[Term, ...] = ()
    risk = 1.0
    if 2 * n > d:  # below it the count of classes on a double sample does not hold
        factor = 2.0 / (n * math.log(2.0))
        growth = (d + 1) * math.log(4.0 * math.e * n / (d + 1))
        errors = t * math.log(math.e * (m - d) / t) if t else 0.0
        terms = (
            Term("functions", "classes of functions on a double sample", factor * growth),
            Term("kept", "which examples are chosen", factor * d * math.log(math.e * m / d)),
            Term("errors", "which examples are errors", factor * errors),
            Term("sizes", "sizes and confidence", factor * math.log(2.0 * m * m / delta)),
        )
        risk = min(1.0, _outward(total_nats(terms)))
    return Certificate(
        risk=risk,
        delta=delta,
        bound="matching-pursuit",
        n_samples=m,
        n_errors=t,
        n_compressed=d,
        terms=terms,
        unit="risk",
        assumptions=assume("iid", "preprocessing"),
        reference=_PURSUIT,
    )


def sparse_pca_bound(
    n_samples: int,
    n_centers: int,
    mean_residual: float,
    *,
    max_residual: float = 1.0,
    delta: float = 0.05,
    method: str = "kl",
) -> Certificate:
    """Certificate on the expected squared residual of sparse kernel PCA (a compression scheme).

    Parameters
    ----------
    n_samples, n_centers : int
    mean_residual : float
        Mean squared distance to the subspace of the examples that do not span it.
    max_residual : float
        Largest possible residual, known before the data (1 for a Gaussian kernel).
    delta : float
    method : {"kl", "hoeffding", "published"}
        The tightest, the square-root form, and the form as printed (its scale repaired).

    Examples
    --------
    >>> round(sparse_pca_bound(1000, 10, 0.05).risk, 9)
    0.166902322
    """
    m = check_count("n_samples", n_samples, low=1)
    t = check_count("n_centers", n_centers, high=m)
    limit = check_real("max_residual", max_residual, low=0.0, low_open=True)
    q = check_real("mean_residual", mean_residual, low=0.0, high=limit, hint="Pass a mean.")
    delta, n = check_delta(delta), m - t
    check_choice("method", method, SPARSE_PCA_METHODS)
    published = method == "published"
    which = t * math.log(math.e * m / t) if published and t else _log_binomial(m, t)
    terms = (
        Term("kept", "which examples are chosen", which),
        Term(
            "size", "how many examples are chosen, ln m", math.log((2.0 if published else 1.0) * m)
        ),
        confidence_term(delta),
    )
    nats, value = total_nats(terms), 1.0
    if n > 0 and method == "kl":
        value = float(kl_inverse(q / limit, nats / n))
    elif n > 0:
        value = _outward(q / limit + math.sqrt(nats / (2.0 * n)))
    return Certificate(
        risk=min(limit, _outward(limit * value)),
        delta=delta,
        bound="sparse-pca",
        n_samples=m,
        n_compressed=t,
        terms=terms,
        limit=limit,
        quantity=Quantity("distance"),
        assumptions=assume("iid", "kernel-and-residual"),
        reference=_PURSUIT,
        notes=(f"Method: {method}.",),
    )


def perceptron_bound(
    n_samples: int,
    n_updates: int,
    *,
    n_errors: int = 0,
    n_passes: int | None = None,
    delta: float = 0.05,
) -> Certificate:
    """Certificate of a perceptron rebuilt from the examples it was ever updated on.

    Parameters
    ----------
    n_samples : int
    n_updates : int
        Number of distinct examples updated on: rerunning on them in order gives the same weights.
    n_errors : int
        Errors on the others; 0 after a pass without mistakes.
    n_passes : int, optional
        Number of passes, where training may stop before convergence: part of the message. Give
        it also when training did converge; whether it is given must not depend on the data.
    delta : float

    Examples
    --------
    >>> round(perceptron_bound(1000, 20).risk, 6)
    0.10209
    """
    m = check_count("n_samples", n_samples, low=1)
    d = check_count("n_updates", n_updates, high=m)
    n_errors = check_count("n_errors", n_errors, high=m - d)
    message, fixed = 0.0, "converged"
    if n_passes is not None:
        passes = check_count("n_passes", n_passes, low=1)
        message = LOG_ZETA_2 + 2.0 * math.log(passes)
        fixed = "any-passes"
    elif n_errors:
        raise ValueError(
            f"`n_passes` must be given where `n_errors` is above 0, got {n_errors} errors. "
            "A perceptron that did not converge is rebuilt from its number of passes too."
        )
    certificate = compression_bound(
        m, d, n_errors, message_nats=message, size_nats=math.log(m), delta=delta
    )
    return replace(certificate.assuming(fixed), bound="perceptron")


def code_length_bound(
    code_bits: float, n_samples: int, *, delta: float = 0.05, exact: bool = True
) -> Certificate:
    """Error on a given test half, when ``code_bits`` reproduce the labels of the training half.

    Transductive: n_samples training and n_samples test points are exchangeable; a prefix-free
    code of that many bits reproduces all training labels (its own errors included).

    Parameters
    ----------
    code_bits : float
        Length of the code; fractional lengths are rounded up.
    n_samples : int
        Size of each half.
    delta : float
    exact : bool
        b - 1 test errors for the smallest b with C(m, b) / C(2m, b) <= delta 2^-bits, instead
        of (bits + log2(1 / delta)) / m.

    Examples
    --------
    >>> round(code_length_bound(100, 500, exact=False).risk, 9)
    0.208643856
    >>> code_length_bound(100, 500).risk
    0.192
    """
    bits = math.ceil(check_real("code_bits", code_bits, low=0.0, hint="Pass a length in bits."))
    m = check_count("n_samples", n_samples, low=1)
    delta = check_delta(delta)
    log2_delta = math.log2(delta)
    risk = _outward((bits - log2_delta) / m)
    if check_flag("exact", exact):
        risk = _exact_code_errors(m, (log2_delta - bits) * math.log(2.0)) / m
    return Certificate(
        risk=min(1.0, risk),
        delta=delta,
        bound="code-length",
        n_samples=m,
        terms=(Term("code", "code", bits * math.log(2.0)), confidence_term(delta)),
        quantity=Quantity("test-share"),
        assumptions=assume("exchangeable", "prefix-free"),
        reference=_BLUM,
    )


def _exact_code_errors(m: int, log_target: float) -> int:
    """B - 1 for the smallest b <= m with ln C(m, b) - ln C(2m, b) <= log_target, else m."""

    def is_small(b: int) -> bool:
        slack = 1e-12 * (1.0 + abs(log_target))
        return _log_binomial(m, b) - _log_binomial(2 * m, b) <= log_target - slack

    if not is_small(m):
        return m
    low, high = 0, m
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_small(middle) else (middle, high)
    return high - 1
