"""Sparse kernel expansions: matching pursuit, sparse kernel PCA, the perceptron."""

from __future__ import annotations

import math
from dataclasses import replace

from handful.bounds.certificates import Certificate
from handful.bounds.compression_bounds import compression_bound
from handful.bounds.messages import Term, confidence_term, log_zeta_prior, total_nats
from handful.bounds.statements import Quantity, assume
from handful.bounds.tails import kl_inverse, log_choose, outward
from handful.checks import check_choice, check_count, check_delta, check_real

_PURSUIT = "Hussain & Shawe-Taylor (2008), Theory of matching pursuit, NIPS"
SPARSE_PCA_METHODS = ("kl", "hoeffding", "published")


def matching_pursuit_bound(
    n_samples: int, n_centers: int, n_errors: int, *, delta: float = 0.05
) -> Certificate:
    """The lectures' bound for kernel matching pursuit, with logarithms in base 2.

    ``n_errors`` is the number (not the rate) of misclassified examples that are not centres. The
    bound is usually vacuous. The classifier is not a compression scheme, because its
    coefficients depend on all examples; so the bound pays for the class of functions.

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
    if 2 * n > d:  # otherwise the count of functions on a double sample does not hold
        factor = 2.0 / (n * math.log(2.0))
        growth = (d + 1) * math.log(4.0 * math.e * n / (d + 1))
        errors = t * math.log(math.e * (m - d) / t) if t else 0.0
        terms = (
            Term("functions", "classes of functions on a double sample", factor * growth),
            Term("kept", "which examples are chosen", factor * d * math.log(math.e * m / d)),
            Term("errors", "which examples are errors", factor * errors),
            Term("sizes", "sizes and confidence", factor * math.log(2.0 * m * m / delta)),
        )
        risk = min(1.0, outward(total_nats(terms)))
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
        Mean squared distance to the subspace, over the examples that are not centres.
    max_residual : float
        Largest possible residual, known before the data (1 for a Gaussian kernel).
    delta : float
    method : {"kl", "hoeffding", "published"}
        The tightest form, the square-root form, and the printed form (with its scale repaired).

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
    # The subspace is a function of the centres. Given the centres, the residuals of the other
    # n = m - t examples are independent and bounded. Prior: uniform over t, then over the sets.
    published = method == "published"
    # The published form bounds C(m, t) by (e m / t)^t.
    which = t * math.log(math.e * m / t) if published and t else log_choose(m, t)
    size = math.log((2.0 if published else 1.0) * m)
    terms = (
        Term("kept", "which examples are chosen", which),
        Term("size", "how many examples are chosen, ln m", size),
        confidence_term(delta),
    )
    nats, value = total_nats(terms), 1.0
    if n > 0 and method == "kl":
        value = float(kl_inverse(q / limit, nats / n))
    elif n > 0:
        # Hoeffding's inequality: never below the value of "kl" (Pinsker's inequality).
        value = outward(q / limit + math.sqrt(nats / (2.0 * n)))
    return Certificate(
        risk=min(limit, outward(limit * value)),
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
    """Certificate of a perceptron that is rebuilt from the examples it was updated on.

    Parameters
    ----------
    n_samples : int
    n_updates : int
        Number of distinct examples with an update. Training on them in their order gives the
        same weights.
    n_errors : int
        Errors on the other examples; 0 after a pass without mistakes.
    n_passes : int, optional
        Number of passes, if training may stop before convergence; it is part of the message.
        Pass it also if training did converge: whether it is given must not depend on the data.
    delta : float

    Examples
    --------
    >>> round(perceptron_bound(1000, 20).risk, 6)
    0.10209
    """
    m = check_count("n_samples", n_samples, low=1)
    d = check_count("n_updates", n_updates, high=m)
    n_errors = check_count("n_errors", n_errors, high=m - d)
    # After a pass without mistakes the updated examples alone rebuild the weights: no message.
    message, fixed = 0.0, "converged"
    if n_passes is not None:
        passes = check_count("n_passes", n_passes, low=1)
        # Any number of passes is possible: the prior masses of 1, 2, 3, ... add up to one.
        message = log_zeta_prior(passes - 1)
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
