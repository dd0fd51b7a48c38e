"""Data set aside: the test-set bound, empirical distributions, conformal p-values."""

from __future__ import annotations

import math

from handful._checks import check_count, check_delta, check_flag
from handful.bounds._certificate import Certificate
from handful.bounds._compression import _outward
from handful.bounds._statements import Quantity, assume
from handful.bounds._tails import binomial_tail_inverse
from handful.bounds._terms import Term, confidence_term, total_nats

_CLOPPER = "Clopper & Pearson (1934); Langford (2005), Theorem 3.3"
_MASSART = "Massart (1990), The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality"


def held_out_bound(
    n_samples: int, n_errors: int, *, n_choices: int = 1, delta: float = 0.05
) -> Certificate:
    """Certificate from examples that were not used for training: the plain rival.

    Parameters
    ----------
    n_samples : int
        Number of held-out examples.
    n_errors : int
        Errors on them.
    n_choices : int
        Number of models that were compared on them before this one was chosen.
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


def dkw_deviation(
    n_samples: int, *, delta: float = 0.05, n_choices: int = 1, two_sided: bool = False
) -> float:
    """Largest distance of an empirical distribution function from the true one.

    sqrt(ln(n_choices / delta) / (2 n)), with 2 n_choices for both sides. The one-sided form is
    valid for delta / n_choices <= 1/2; above that the two-sided value is returned.

    Examples
    --------
    >>> round(dkw_deviation(50, n_choices=110), 9)
    0.277420487
    """
    n = check_count("n_samples", n_samples, low=1)
    share = check_delta(delta) / check_count("n_choices", n_choices, low=1)
    sides = 2.0 if check_flag("two_sided", two_sided) or share > 0.5 else 1.0
    return _outward(math.sqrt(math.log(sides / share) / (2.0 * n)))


def conformal_p_value(n_at_most: int, n_calibration: int) -> float:
    """Valid p-value of a new score of which n_at_most calibration scores are not above.

    (n_at_most + 1) / (n_calibration + 1); excluding labels with p <= epsilon errs with
    probability at most epsilon.

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
    """Error probability among the cases a rule accepts, for every threshold of its score at once.

    With probability 1 - delta, for all thresholds simultaneously, the error probability given
    acceptance is at most (errors/n + dev) / (accepted/n - dev), dev = sqrt(ln(2/delta)/(2n)).

    Parameters
    ----------
    n_calibration : int
        Number n of calibration examples that had no other use.
    n_selected, n_selected_errors : int
        Those accepted at the threshold, and the errors among them.
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
    deviation = dkw_deviation(n, delta=delta / 2.0)
    accepted = selected / n - deviation
    risk = (errors / n + deviation) / accepted if accepted > 0.0 else 1.0
    return Certificate(
        risk=min(1.0, _outward(risk)),
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
