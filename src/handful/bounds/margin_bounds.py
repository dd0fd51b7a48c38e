"""Rademacher and margin bounds for boosting and kernels, with corrected constants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from handful.bounds.certificates import Certificate, Criterion
from handful.bounds.messages import Term, log_zeta_prior, total_nats
from handful.bounds.statements import assume
from handful.bounds.tails import outward
from handful.checks import check_count, check_delta, check_flag, check_real

_KOLTCHINSKII = (
    "Koltchinskii & Panchenko (2002), Empirical margin distributions; "
    "Bartlett & Mendelson (2002), Rademacher and Gaussian complexities"
)
_SCHAPIRE = "Freund & Schapire (1997), A decision-theoretic generalization of on-line learning"
_MKL = "Hussain & Shawe-Taylor (2011), Improved loss bounds for multiple kernel learning"


def _sum_certificate(
    bound: str, terms: Sequence[Term], n_samples: int, delta: float, **more: object
) -> Certificate:
    """A certificate whose terms add up to the risk itself."""
    values: dict[str, object] = {
        "risk": min(1.0, outward(total_nats(terms))),
        "delta": delta,
        "bound": bound,
        "n_samples": n_samples,
        "terms": tuple(terms),
        "unit": "risk",
        "reference": _KOLTCHINSKII,
        **more,
    }
    return Certificate(**values)  # type: ignore[arg-type]


def finite_class_rademacher(n_hypotheses: int, n_samples: int) -> float:
    """Upper bound 2 sqrt(2 ln|H| / m) on the complexity of a finite class with |h| <= 1.

    The convention is R = E sup_h (2/m) sum_i sigma_i h(x_i); |H| counts negations.

    Examples
    --------
    >>> round(finite_class_rademacher(100, 1000), 9)
    0.191941036
    """
    size = check_count("n_hypotheses", n_hypotheses, low=1)
    n = check_count("n_samples", n_samples, low=1)
    return outward(2.0 * math.sqrt(2.0 * math.log(size) / n))


def _deviation(n_samples: int, log_inverse_delta: float, empirical: bool) -> float:
    """Bounded-differences term: once for the true complexity, three times for the empirical."""
    # The empirical complexity is concentrated too: two events share delta, hence the ln 2.
    if check_flag("empirical", empirical):
        return 3.0 * math.sqrt((math.log(2.0) + log_inverse_delta) / (2.0 * n_samples))
    return math.sqrt(log_inverse_delta / (2.0 * n_samples))


def rademacher_margin_bound(
    n_samples: int,
    mean_slack: float,
    rademacher: float,
    *,
    scale: float = 1.0,
    scale_is_fixed: bool = True,
    empirical: bool = False,
    delta: float = 0.05,
) -> Certificate:
    """P(y f <= 0) <= mean of min(1, slack) + scale * complexity + deviation.

    Parameters
    ----------
    n_samples : int
    mean_slack : float
        Mean over the examples of min(1, max(0, 1 - y f(x))).
    rademacher : float
        Complexity R = E sup_h (2/m) sum_i sigma_i h(x_i) of the base class, which is closed
        under negation.
    scale : float
        Bound B on the sum of the weights of f.
    scale_is_fixed : bool
        False if B was read off the fitted f. The bound then uses the next power of two and pays
        for the choice of the power.
    empirical : bool
        True if ``rademacher`` is the complexity on the sample.
    delta : float

    Examples
    --------
    >>> complexity = finite_class_rademacher(100, 1000)
    >>> round(rademacher_margin_bound(1000, 0.12, complexity, scale=4.0).risk, 9)
    0.926466422
    """
    m = check_count("n_samples", n_samples, low=1)
    slack = check_real("mean_slack", mean_slack, low=0.0, high=1.0, hint="Clip slacks at 1.")
    complexity = check_real("rademacher", rademacher, low=0.0)
    scale = check_real("scale", scale, low=0.0, high=2.0**1000)
    log_inverse = -math.log(check_delta(delta))
    assumptions = assume("iid", "base-class")
    if check_flag("scale_is_fixed", scale_is_fixed):
        assumptions += assume("scale")
    else:
        # Union over the scales 2^j, j = 0, 1, ..., with the prior 6 / (pi (j + 1))^2.
        mantissa, exponent = math.frexp(scale)
        power = max(0, exponent - (mantissa == 0.5))
        scale = 2.0**power
        log_inverse += log_zeta_prior(power)
    terms = (
        Term("slack", "mean slack", slack),
        Term("complexity", f"complexity of the class times {scale:g}", scale * complexity),
        Term("deviation", "deviation of the sample", _deviation(m, log_inverse, empirical)),
    )
    at = (("scale", scale),)
    return _sum_certificate(
        "rademacher-margin", terms, m, delta, assumptions=assumptions, parameters=at
    )


def margin_distribution_bound(
    n_samples: int,
    margin_error: float,
    margin: float,
    rademacher: float,
    *,
    margin_is_fixed: bool = True,
    empirical: bool = False,
    delta: float = 0.05,
) -> Certificate:
    """P(y f <= 0) <= share of examples with margin below ``margin`` + complexity / margin + ...

    f is in the convex hull of the base class: its weights sum to 1. With
    ``margin_is_fixed=False`` the statement holds for all margins in (0, 1] at once; this doubles
    the complexity term and adds a term for the choice of the margin.

    Examples
    --------
    >>> round(margin_distribution_bound(10_000, 0.05, 0.5, 0.05).risk, 6)
    0.162239
    """
    m = check_count("n_samples", n_samples, low=1)
    error = check_real("margin_error", margin_error, low=0.0, high=1.0, hint="Pass a share.")
    hint = "Margins are normalised by the sum of the weights."
    theta = check_real("margin", margin, low=0.0, high=1.0, low_open=True, hint=hint)
    complexity = check_real("rademacher", rademacher, low=0.0)
    log_inverse = -math.log(check_delta(delta))
    terms = [Term("errors", "share of examples below the margin", error)]
    assumptions = assume("iid", "base-class")
    if check_flag("margin_is_fixed", margin_is_fixed):
        assumptions += assume("margin")
        terms.append(Term("complexity", "complexity / margin", complexity / theta))
    else:
        # Union over the margins 2^(1 - j), j = 1, 2, ...: the complexity is that of half the
        # margin. The term for the choice gives margin j a share of delta proportional to
        # 1 / j^2. These shares add up to less than 2, hence the ln 2.
        choice = math.sqrt(max(0.0, math.log(math.log2(2.0 / theta))) / m)
        terms.append(Term("complexity", "2 complexity / margin", 2.0 * complexity / theta))
        terms.append(Term("margin", "choice of the margin", 3.0 * choice if empirical else choice))
        log_inverse += math.log(2.0)
    deviation = _deviation(m, log_inverse, empirical)
    terms.append(Term("deviation", "deviation of the sample", deviation))
    at = (("margin", theta),)
    return _sum_certificate(
        "margin-distribution", terms, m, delta, assumptions=assumptions, parameters=at
    )


def adaboost_training_bound(weighted_errors: Sequence[float]) -> Criterion:
    """Product of 2 sqrt(e (1 - e)) over the rounds: a bound on AdaBoost's *training* error.

    Examples
    --------
    >>> round(adaboost_training_bound([0.3, 3 / 14, 2 / 11]).value, 8)
    0.58019253
    """
    if isinstance(weighted_errors, str) or not isinstance(weighted_errors, Iterable):
        raise TypeError(f"`weighted_errors` must be a sequence, got {weighted_errors!r}.")
    terms = []
    for i, error in enumerate(weighted_errors):
        hint = "Weighted errors of the weak learners, one a round."
        e = check_real("weighted_errors", error, low=0.0, high=1.0, hint=hint)
        terms.append(Term("round", f"Z of round {i + 1}", 2.0 * math.sqrt(e * (1.0 - e))))
    return Criterion(
        value=math.prod(term.nats for term in terms),
        name="AdaBoost training-error bound",
        warning="It bounds the error on the training examples and says nothing of new cases.",
        terms=tuple(terms),
        reference=_SCHAPIRE,
    )


def multiple_kernel_bound(
    n_samples: int,
    n_kernels: int,
    margin: float,
    max_trace: float,
    slack_sum: float,
    *,
    delta: float = 0.05,
) -> Certificate:
    """Margin bound of a convex combination over n_kernels kernel classes with |f| <= 1.

    Parameters
    ----------
    n_samples, n_kernels : int
    margin : float
        Margin gamma, fixed before the data.
    max_trace : float
        Largest trace of the kernel matrices.
    slack_sum : float
        Sum over the examples of max(0, gamma - y g(x)).
    delta : float

    Examples
    --------
    >>> multiple_kernel_bound(1000, 50, 0.1, 1000.0, 1.2).is_vacuous
    True
    """
    m, n = check_count("n_samples", n_samples, low=1), check_count("n_kernels", n_kernels, low=1)
    gamma = check_real("margin", margin, low=0.0, low_open=True, hint="Fix it before the data.")
    trace = check_real("max_trace", max_trace, low=0.0)
    slack = check_real("slack_sum", slack_sum, low=0.0)
    delta = check_delta(delta)
    # The union over the kernels costs the square root of the logarithm of their number.
    classes = 8.0 / gamma * math.sqrt(math.log(2.0 * (n + 1.0) / delta) / (2.0 * m))
    deviation = 3.0 * math.sqrt(math.log(4.0 / delta) / (2.0 * m))
    terms = (
        Term("slack", "mean slack / margin", slack / (m * gamma)),
        Term("complexity", "largest kernel complexity", 2.0 / (gamma * m) * math.sqrt(trace)),
        Term("kernel", f"choice among {n} kernels", classes),
        Term("deviation", "deviation of the sample", deviation),
    )
    assumptions = assume("iid", "margin-and-kernels")
    return _sum_certificate(
        "multiple-kernel", terms, m, delta, reference=_MKL, assumptions=assumptions
    )
