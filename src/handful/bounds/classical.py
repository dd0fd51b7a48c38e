"""Classical bounds: held-out data, calibration data, classes and codes fixed beforehand."""

from __future__ import annotations

import math

from handful.bounds.certificates import Certificate
from handful.bounds.messages import Term, confidence_term, total_nats
from handful.bounds.statements import Quantity, assume
from handful.bounds.tails import binomial_tail_inverse, log_choose, outward
from handful.checks import check_count, check_delta, check_flag, check_nats, check_real

_BLUM = "Blum & Langford (2003), PAC-MDL bounds, with the logarithm of delta in base 2"
_CLOPPER = "Clopper & Pearson (1934); Langford (2005), Theorem 3.3"
_MASSART = "Massart (1990), The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality"


def held_out_bound(
    n_samples: int, n_errors: int, *, n_choices: int = 1, delta: float = 0.05
) -> Certificate:
    """Certificate from examples that were not used for training (Clopper-Pearson).

    Parameters
    ----------
    n_samples, n_errors : int
        Number of held-out examples, and errors on them.
    n_choices : int
        Number of models that were compared on these examples. Each pays ln(n_choices).
    delta : float

    Examples
    --------
    >>> round(held_out_bound(100, 0).risk, 9)
    0.02951305
    """
    n = check_count("n_samples", n_samples, low=1)
    k = check_count("n_errors", n_errors, high=n)
    models = check_count("n_choices", n_choices, low=1)
    delta = check_delta(delta)
    # Each model is fixed before the held-out examples, so its errors on them are binomial. The
    # union over the compared models pays the logarithm of their number.
    terms = [confidence_term(delta)]
    if models > 1:
        terms.append(Term("choice", f"choice among {models} models", math.log(models)))
    nats = total_nats(terms)
    return Certificate(
        risk=float(binomial_tail_inverse(k, n, -nats)),
        delta=delta,
        bound="held-out",
        n_samples=n,
        n_errors=k,
        terms=tuple(terms),
        assumptions=assume("iid", "held-out"),
        reference=_CLOPPER,
    )


def disagreement_bound(
    n_samples: int,
    n_disagreements: int,
    certified_risk: float,
    *,
    message_nats: float = 0.0,
    delta: float = 0.05,
) -> Certificate:
    """Risk of a classifier by its disagreement with a certified one on unlabelled rows.

    If two classifiers give the same label to a case, both are right or both are wrong, whatever
    the number of classes. So R(new) <= R(certified) + P(they differ). The first part holds with
    probability 1 - delta / 2, and so does the limit of the second (Clopper-Pearson). Labelled rows
    that the new classifier learned from do not qualify: on these it agrees too well.

    Parameters
    ----------
    n_samples, n_disagreements : int
        Fresh unlabelled rows, and those of them that get different labels.
    certified_risk : float
        Certificate of the certified classifier at delta / 2. In a menu it pays for its row.
    message_nats : float
        The price of that row again, -ln of its prior mass, if it may have been picked after a look
        at disagreements; 0 if it was fixed before.
    delta : float

    Examples
    --------
    >>> round(disagreement_bound(500, 5, 0.1).risk, 6)
    0.123181
    """
    n = check_count("n_samples", n_samples, low=1)
    k = check_count("n_disagreements", n_disagreements, high=n)
    risk = check_real("certified_risk", certified_risk, low=0.0, high=1.0, hint="Pass a share.")
    nats = check_nats("message_nats", message_nats) - math.log(check_delta(delta) / 2.0)
    differ = float(binomial_tail_inverse(k, n, -nats))
    return Certificate(
        risk=min(1.0, outward(risk + differ)),
        delta=delta,
        bound="disagreement",
        n_samples=n,
        terms=(
            Term("certified", "the certified classifier errs, at delta/2", risk),
            Term("disagreement", "the two give different labels, at delta/2", differ),
        ),
        unit="risk",
        assumptions=assume("iid", "unlabelled"),
        reference=_CLOPPER + "; Bound to Disagree (2026), arXiv:2602.23128",
    )


def dkw_deviation(
    n_samples: int, *, delta: float = 0.05, n_choices: int = 1, two_sided: bool = False
) -> float:
    """Largest distance of an empirical distribution function from the true one.

    The value is sqrt(ln(n_choices / delta) / (2 n)), with 2 n_choices for both sides. The
    one-sided form is valid if delta / n_choices <= 1/2; otherwise the two-sided value is
    returned.

    Examples
    --------
    >>> round(dkw_deviation(50, n_choices=110), 9)
    0.277420487
    """
    n = check_count("n_samples", n_samples, low=1)
    share = check_delta(delta) / check_count("n_choices", n_choices, low=1)
    sides = 2.0 if check_flag("two_sided", two_sided) or share > 0.5 else 1.0
    return outward(math.sqrt(math.log(sides / share) / (2.0 * n)))


def conformal_p_value(n_at_most: int, n_calibration: int) -> float:
    """Valid p-value of a new score: ``n_at_most`` calibration scores are not above it.

    The p-value is (n_at_most + 1) / (n_calibration + 1). The added 1 is the new score: all
    n + 1 scores are exchangeable. If labels with p <= epsilon are excluded, the true label is
    excluded with probability at most epsilon.

    Examples
    --------
    >>> round(conformal_p_value(3, 6), 9)
    0.571428571
    """
    n = check_count("n_calibration", n_calibration)
    return (check_count("n_at_most", n_at_most, high=n) + 1.0) / (n + 1.0)


def selective_error_bound(
    n_calibration: int, n_selected: int, n_selected_errors: int, *, delta: float = 0.05
) -> Certificate:
    """Error probability among the cases that a rule accepts, for all thresholds at once.

    With probability 1 - delta, for all thresholds simultaneously, the error probability given
    acceptance is at most (errors/n + dev) / (accepted/n - dev), dev = sqrt(ln(2/delta)/(2n)).

    Parameters
    ----------
    n_calibration : int
        Number n of calibration examples, used for nothing else.
    n_selected, n_selected_errors : int
        Examples accepted at the threshold, and errors among them.
    delta : float

    Examples
    --------
    >>> round(selective_error_bound(2000, 1500, 30).risk, 6)
    0.063043
    """
    n = check_count("n_calibration", n_calibration, low=1)
    selected = check_count("n_selected", n_selected, high=n)
    errors = check_count("n_selected_errors", n_selected_errors, high=selected)
    delta = check_delta(delta)
    # Half of delta for each of the two empirical distributions: accepted errors, and acceptance.
    deviation = dkw_deviation(n, delta=delta / 2.0)
    # P(error | accepted) is a ratio: raise the numerator and lower the denominator.
    accepted = selected / n - deviation
    risk = (errors / n + deviation) / accepted if accepted > 0.0 else 1.0
    return Certificate(
        risk=min(1.0, outward(risk)),
        delta=delta,
        bound="selective-error",
        n_samples=n,
        n_errors=errors,
        terms=(
            Term("errors", "share of accepted errors", errors / n),
            Term("accepted", "share of accepted cases", selected / n),
            Term("deviation", "deviation of both", deviation),
        ),
        unit="parts",
        quantity=Quantity("accepted"),
        assumptions=assume("iid", "calibration"),
        reference=_MASSART,
    )


_VAPNIK = "Vapnik (1998), Statistical Learning Theory, section 6.2"


def finite_class_bound(
    class_bits: float, n_samples: int, *, n_errors: int = 0, delta: float = 0.05
) -> Certificate:
    """Risk of any member of a class fixed before the data, from its training errors.

    Let q be the share of training errors and e = (class_bits ln 2 + ln(1 / delta)) / m. With
    probability 1 - delta, for all hypotheses of the class at once,
    R <= q + e (1 + sqrt(1 + 2 q / e)). This solves R - q <= sqrt(2 e R). Without errors the
    bound is 2 e: the factor 2 multiplies the confidence too. The version printed by von Luxburg,
    Bousquet & Schölkopf (2004) applies the factor to the class only.

    Parameters
    ----------
    class_bits : float
        log2 of the number of hypotheses, or the length of the name of this hypothesis in a
        prefix-free code that was fixed before the data.
    n_samples : int
    n_errors : int
        Errors of the hypothesis on the training examples.
    delta : float

    Notes
    -----
    The exact tail (`compression_bound` with no example kept and the name as message) is never
    worse. This theorem is the classical one.

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
    # The larger root of the quadratic inequality (R - q)^2 <= 2 e R, with e the nats per example.
    return Certificate(
        risk=min(1.0, outward(share + nats + math.sqrt(nats * (nats + 2.0 * share)))),
        delta=delta,
        bound="finite-class",
        n_samples=m,
        n_errors=k,
        terms=terms,
        assumptions=assume("iid", "hypotheses"),
        reference=_VAPNIK + ", with the factor 2 on both terms",
    )


def code_length_bound(
    code_bits: float, n_samples: int, *, delta: float = 0.05, exact: bool = True
) -> Certificate:
    """Error on a given test half, if ``code_bits`` reproduce the labels of the training half.

    The bound is transductive: n_samples training and n_samples test points are exchangeable. A
    prefix-free code of ``code_bits`` bits reproduces all training labels; corrections of errors
    are part of the code.

    Parameters
    ----------
    code_bits : float
        Length of the code. Fractional lengths are rounded up.
    n_samples : int
        Size of each half.
    delta : float
    exact : bool
        If True, the bound is b - 1 test errors for the smallest b with
        C(m, b) / C(2m, b) <= delta 2^-bits. Otherwise it is (bits + log2(1 / delta)) / m.

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
    # Kraft: the masses 2^-length of a prefix-free code add up to 1 at most, so a code word of this
    # length gets delta 2^-bits. Lengths are whole numbers; fractional ones are rounded up.
    log2_delta = math.log2(delta)
    risk = outward((bits - log2_delta) / m)
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
        return log_choose(m, b) - log_choose(2 * m, b) <= log_target - slack

    if not is_small(m):
        return m
    low, high = 0, m
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_small(middle) else (middle, high)
    return high - 1
