"""Bounds as they were printed for set covering machines, and the repaired form.

The printed theorems count error sets within each class, although the number of examples of each
class is random. They are false: if labels are independent of x, they claim less than the error
of any classifier. They are criteria and serve to reproduce the papers' tables.
"""

from __future__ import annotations

import math

from handful.bounds.certificates import Certificate, Criterion
from handful.bounds.compression_bounds import CompressionScheme
from handful.bounds.messages import KINDS, Term, check_pairs, log_zeta_prior, total_nats
from handful.bounds.tails import log_choose, outward
from handful.checks import check_choice, check_count, check_delta

_PAPER = "Marchand, Shah, Shawe-Taylor & Sokolova (2003), The set covering machine with \
data-dependent half-spaces, ICML, Theorem 1"
_BALLS = "Marchand & Shawe-Taylor (2002), The set covering machine, JMLR 3"
_WARNING = (
    "The printed theorem is false: it counts errors within each class while the class sizes are "
    "random. Compare it with the paper's table; use compression_bound for a guarantee."
)


def _finish(terms: list[Term], n_left: int) -> float:
    nats = total_nats(terms)
    return -math.expm1(-nats / n_left) if n_left > 0 else 1.0


def confidence_nats(delta: float, sizes: tuple[int, ...]) -> float:
    """Nats of ln(1/delta) and of a zeta prior over each size."""
    priors = math.fsum(log_zeta_prior(size) for size in sizes)
    return priors - math.log(delta)


def _pair_message(n_rules: int, n_a: int, n_b: int) -> float:
    if n_rules == 0:
        return 0.0
    if n_rules > n_a * n_b:
        raise ValueError(f"`n_rules` must be at most {n_a * n_b} (pairs), got {n_rules}.")
    return log_choose(n_a * n_b, n_rules) + math.log(n_a * n_b)


def published_half_space_bound(
    n_positives: int,
    n_negatives: int,
    n_a: int,
    n_b: int,
    n_c: int,
    n_false_negatives: int,
    n_false_positives: int,
    n_rules: int,
    *,
    kind: str = "conjunction",
    delta: float = 0.05,
) -> Criterion:
    """Theorem 1 of the half-space paper, misprints corrected; a criterion, not a guarantee.

    Parameters
    ----------
    n_positives, n_negatives : int
        Training examples of each class.
    n_a, n_b, n_c, n_rules : int
        As in `half_space_message`.
    n_false_negatives, n_false_positives : int
        Training errors on positives and on negatives outside the compression set.
    kind : {"conjunction", "disjunction"}
    delta : float

    Examples
    --------
    >>> round(published_half_space_bound(215, 400, 1, 1, 1, 5, 10, 1).value, 9)
    0.156199091
    >>> round(published_half_space_bound(200, 200, 1, 1, 0, 199, 0, 1).value, 4)  # true risk 0.5
    0.1376
    """
    m_p, m_n = check_count("n_positives", n_positives), check_count("n_negatives", n_negatives)
    n_rules, n_a, n_b = check_pairs(n_rules, n_a, n_b)
    n_c = check_count("n_c", n_c, high=n_rules)
    conjunction = check_choice("kind", kind, KINDS) == "conjunction"
    check_count("n_a + n_c" if conjunction else "n_a", n_a + n_c * conjunction, high=m_p)
    check_count("n_b" if conjunction else "n_b + n_c", n_b + n_c * (not conjunction), high=m_n)
    # Examples and errors are counted within each class, as printed, as if the sizes of the classes
    # were fixed: this is the error of the theorem.
    left_p = m_p - n_a - (n_c if conjunction else 0)
    left_n = m_n - n_b - (0 if conjunction else n_c)
    k_p = check_count("n_false_negatives", n_false_negatives, high=left_p)
    k_n = check_count("n_false_positives", n_false_positives, high=left_n)
    thresholds = log_choose(m_p - n_a, n_c) if conjunction else log_choose(m_n - n_b, n_c)
    sizes = confidence_nats(check_delta(delta), (n_a, n_b, n_c, k_p, k_n))
    terms = [
        Term("kept", "examples a", log_choose(m_p, n_a)),
        Term("kept", "examples b", log_choose(m_n, n_b)),
        Term("thresholds", "threshold examples", thresholds),
        Term("errors", "errors on positives", log_choose(left_p, k_p)),
        Term("errors", "errors on negatives", log_choose(left_n, k_n)),
        Term("message", "message", _pair_message(n_rules, n_a, n_b)),
        Term("sizes", "sizes and confidence", sizes),
    ]
    return Criterion(
        value=_finish(terms, left_p + left_n - k_p - k_n),
        name="published half-space bound",
        warning=_WARNING,
        terms=tuple(terms),
        reference=_PAPER,
    )


def published_ball_bound(
    n_same: int,
    n_other: int,
    n_same_centers: int,
    n_other_centers: int,
    n_borders: int,
    n_same_errors: int,
    n_other_errors: int,
    *,
    delta: float = 0.05,
) -> Criterion:
    """The 2002 bound for balls, reconstructed; a criterion, not a guarantee.

    "Same" is the class that must not be covered (positives in a conjunction); "other" is the
    other class.

    Examples
    --------
    >>> round(published_ball_bound(215, 400, 1, 0, 1, 5, 10).value, 9)
    0.145517827
    """
    m_s, m_o = check_count("n_same", n_same), check_count("n_other", n_other)
    c_s = check_count("n_same_centers", n_same_centers, high=m_s)
    c_o = check_count("n_other_centers", n_other_centers, high=m_o)
    b = check_count("n_borders", n_borders, high=m_s - c_s)
    k_s = check_count("n_same_errors", n_same_errors, high=m_s - c_s - b)
    k_o = check_count("n_other_errors", n_other_errors, high=m_o - c_o)
    sizes = confidence_nats(check_delta(delta), (c_s, c_o, b, k_s, k_o))
    terms = [
        Term("kept", "centres of the same class", log_choose(m_s, c_s)),
        Term("borders", "borders", log_choose(m_s - c_s, b)),
        Term("kept", "centres of the other class", log_choose(m_o, c_o)),
        Term("errors", "errors in the same class", log_choose(m_s - c_s - b, k_s)),
        Term("errors", "errors in the other class", log_choose(m_o - c_o, k_o)),
        Term("sizes", "sizes and confidence", sizes),
    ]
    return Criterion(
        value=_finish(terms, m_s + m_o - c_s - c_o - b - k_s - k_o),
        name="published ball bound",
        warning=_WARNING,
        terms=tuple(terms),
        reference=_BALLS,
    )


def repaired_half_space_bound(
    n_samples: int,
    n_a: int,
    n_b: int,
    n_c: int,
    n_errors: int,
    n_rules: int,
    *,
    kind: str = "conjunction",
    delta: float = 0.05,
) -> Certificate:
    """The half-space theorem with label-agnostic counts, which make it true.

    Kept examples and errors are counted among all m examples, not within classes.

    Examples
    --------
    >>> round(repaired_half_space_bound(615, 1, 1, 1, 15, 1).risk, 9)
    0.155685915
    """
    m = check_count("n_samples", n_samples, low=1)
    n_rules, n_a, n_b = check_pairs(n_rules, n_a, n_b)
    n_c = check_count("n_c", n_c, high=n_rules)
    d = check_count("n_a + n_b + n_c", n_a + n_b + n_c, high=m)
    k = check_count("n_errors", n_errors, high=m - d)
    # One subset of all m examples, without regard to labels; then the labels are visible, and
    # only the class of the thresholds must be split.
    same = n_a if check_choice("kind", kind, KINDS) == "conjunction" else n_b
    sizes = confidence_nats(check_delta(delta), (n_a, n_b, n_c, k))
    terms = [
        Term("kept", "which examples are kept", log_choose(m, d)),
        Term("thresholds", "which of them are thresholds", log_choose(same + n_c, same)),
        Term("errors", "which examples are errors", log_choose(m - d, k)),
        Term("message", "message", _pair_message(n_rules, n_a, n_b)),
        Term("sizes", "sizes and confidence", sizes),
    ]
    scheme = CompressionScheme(
        n_samples=m, n_compressed=d, n_errors=k, n_outside=m - d, terms=tuple(terms), delta=delta
    )
    risk = outward(_finish(terms, m - d - k))
    return scheme.certificate("half-space-repaired", risk, _PAPER + ", with label-agnostic counts")
