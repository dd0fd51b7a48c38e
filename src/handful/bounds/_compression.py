"""Sample compression: the default certificate, its relaxations, and the published bounds.

The statement all valid bounds here share: let a classifier be a function of a compression set
of d of the m examples and of a message, with a prior over both fixed before the data. Then with
probability 1 - delta, simultaneously for every compression set and message, its risk is at most
the stated value, where errors are counted on the m - d other examples only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handful._checks import (
    check_count,
    check_delta,
    check_nats,
    check_real,
)
from handful.bounds._certificate import (
    Certificate,
)
from handful.bounds._messages import log_zeta_prior
from handful.bounds._statements import Assumption, Quantity, assume
from handful.bounds._tails import (
    binomial_tail_inverse,
    kl_inverse,
    log_binomial_coefficient,
)
from handful.bounds._terms import Term, confidence_term, itemise, total_nats

_LANGFORD = (
    "Langford (2005), Tutorial on practical prediction theory for classification, JMLR 6; "
    "Laviolette, Marchand & Shah (2005), Margin-sparsity trade-off for the set covering machine"
)
Rates = tuple[tuple[str, float], ...]


@dataclass(frozen=True, kw_only=True)
class ClassCounts:
    """Counts by class, for rates of false positives and false negatives.

    ``n_false_positives`` and ``n_false_negatives`` are counted outside the compression set.
    ``split_nats`` is the cost of saying how many of the kept examples are positive: ``None``
    pays ln(d + 1); pass 0 where the message says it (half-spaces, two-point rules, balls).
    ``n_pool_positives`` is needed where the compression set comes from a pool.
    """

    n_positives: int
    n_negatives: int
    n_compressed_positives: int
    n_compressed_negatives: int
    n_false_positives: int
    n_false_negatives: int
    split_nats: float | None = None
    n_pool_positives: int | None = None


def _log_binomial(n: int, k: int) -> float:
    return float(log_binomial_coefficient(n, k))


_OF_A_SCHEME = assume("iid", "preprocessing")


@dataclass(frozen=True, kw_only=True)
class _Scheme:
    """Validated inputs that all compression bounds share."""

    n_samples: int
    n_compressed: int
    n_errors: int
    n_outside: int
    terms: tuple[Term, ...]
    delta: float
    assumptions: tuple[Assumption, ...] = _OF_A_SCHEME

    @property
    def nats(self) -> float:
        return total_nats(self.terms)

    def certificate(self, bound: str, risk: float, reference: str = _LANGFORD) -> Certificate:
        return Certificate(
            risk=min(1.0, risk),
            delta=self.delta,
            bound=bound,
            n_samples=self.n_samples,
            n_errors=self.n_errors,
            n_compressed=self.n_compressed,
            terms=self.terms,
            assumptions=self.assumptions,
            reference=reference,
        )


def _scheme(
    n_samples: int,
    n_compressed: int,
    n_errors: int,
    *,
    message_nats: float,
    size_nats: float | None,
    delta: float,
    n_choices: int,
    pool_size: int | None,
    which_nats: float | None = None,
) -> _Scheme:
    m = check_count("n_samples", n_samples, low=1)
    pool = m if pool_size is None else check_count("pool_size", pool_size, low=0, high=m)
    d = check_count("n_compressed", n_compressed, high=pool)
    k = check_count("n_errors", n_errors, high=m - d)
    delta = check_delta(delta)
    size = log_zeta_prior(d) if size_nats is None else check_nats("size_nats", size_nats)
    check_nats("message_nats", message_nats)
    n_choices = check_count("n_choices", n_choices, low=1)
    terms: list[Term] = []
    if which_nats is None:
        terms.append(Term("kept", "which examples are kept", _log_binomial(pool, d)))
    # Nothing is itemised that costs nothing.
    elif check_nats("which_nats", which_nats):
        terms.append(Term("kept", "which examples are kept", float(which_nats)))
    if size:
        terms.append(Term("size", "how many examples are kept", size))
    terms += itemise(message_nats, "message")
    if n_choices > 1:
        terms.append(Term("choice", f"choice among {n_choices} families", math.log(n_choices)))
    terms.append(confidence_term(delta))
    return _Scheme(
        n_samples=m,
        n_compressed=d,
        n_errors=k,
        n_outside=m - d,
        terms=tuple(terms),
        delta=delta,
        assumptions=assume(
            *("iid", "preprocessing"),
            *(() if pool_size is None else ("blind-pool",)),
            *(() if which_nats is None else ("named-blindly",)),
        ),
    )


def _tail(n_errors: int, n_outside: int, nats: float) -> float:
    return float(binomial_tail_inverse(n_errors, n_outside, -nats))


def _two_rates(names: str, n_errors: tuple[int, int], n: tuple[int, int], nats: float) -> Rates:
    """Bounds on two rates (false positives first) that hold together: ln 2 more for the pair."""
    values = np.asarray(binomial_tail_inverse(n_errors, n, -(nats + math.log(2.0))))
    return tuple(zip(names.split(), values.tolist(), strict=True))


def compression_bound(
    n_samples: int,
    n_compressed: int,
    n_errors: int,
    *,
    message_nats: float = 0.0,
    size_nats: float | None = None,
    delta: float = 0.05,
    n_choices: int = 1,
    pool_size: int | None = None,
    which_nats: float | None = None,
    counts: ClassCounts | None = None,
) -> Certificate:
    """Binomial-tail sample-compression certificate, the default of the library.

    With probability at least 1 - delta over the draw of the examples, simultaneously for all
    compression sets and messages, the risk is at most the largest p with
    P(Bin(n_samples - n_compressed, p) <= n_errors) >= exp(-nats).

    Parameters
    ----------
    n_samples : int
        Number m of training examples.
    n_compressed : int
        Number d of examples needed to rebuild the classifier.
    n_errors : int
        Errors on the m - d other examples. Errors inside the compression set do not count.
    message_nats : float or Message
        Cost of what must be said beside the examples, under a prior fixed before the data.
    size_nats : float, optional
        Cost of the size d. ``None`` pays the prior (6 / pi^2) (d + 1)^-2; pass 0 with the
        messages of this package, which code their sizes.
    delta : float
        Allowed probability of failure.
    n_choices : int
        Number of alternatives (kind of machine, rule family, kernel) among which the
        reconstruction was chosen with the data.
    pool_size : int, optional
        Size of a pool, drawn before training without looking at the data, from which the
        compression set was taken; every example outside the compression set is still counted.
    which_nats : float, optional
        Cost of naming the kept examples. ``None`` pays ln C(n_samples, n_compressed), or that
        of the pool; pass 0 where they were drawn without looking at the data (a pool that is
        not counted), or where the message names them.
    counts : ClassCounts, optional
        Adds the rates of false positives and false negatives, joint and class-conditional.

    Notes
    -----
    For a fixed compression set and message the classifier does not depend on the m - d other
    examples, so its errors there are binomial; the union over sets and messages is weighted by
    the prior. Rounded up.

    Examples
    --------
    >>> from handful.bounds import half_space_message
    >>> message = half_space_message(1, 1, 1, 1)
    >>> certificate = compression_bound(615, 3, 15, message_nats=message, size_nats=0)
    >>> round(certificate.risk, 9)
    0.086706937
    """
    scheme = _scheme(
        n_samples,
        n_compressed,
        n_errors,
        message_nats=message_nats,
        size_nats=size_nats,
        delta=delta,
        n_choices=n_choices,
        pool_size=pool_size,
        which_nats=which_nats,
    )
    certificate = scheme.certificate(
        "compression", _tail(scheme.n_errors, scheme.n_outside, scheme.nats)
    )
    if counts is None:
        return certificate
    _check_counts(scheme, counts, pool_size)
    rates = _joint_rates(scheme, counts)
    # The kept examples do not depend on their labels then, or the message pays for that: the same
    # price serves within a class.
    if which_nats is not None:
        rates += _given_class(counts, scheme.nats)
    # Without the classes of the pool there is no price by class, and no rate is better than a wrong
    # one.
    elif pool_size is None or counts.n_pool_positives is not None:
        rates += _given_class(counts, _nats_by_class(scheme, counts, pool_size))
    return replace(certificate, rates=rates)


def _check_counts(scheme: _Scheme, counts: ClassCounts, pool_size: int | None) -> None:
    if not isinstance(counts, ClassCounts):
        raise TypeError(f"`counts` must be ClassCounts or None, got {counts!r}.")
    for name, value in vars(counts).items():
        if name != "split_nats" and (value is not None or name != "n_pool_positives"):
            check_count(name, value)
    totals = (
        ("n_positives + n_negatives", counts.n_positives + counts.n_negatives, scheme.n_samples),
        (
            "n_compressed_positives + n_compressed_negatives",
            counts.n_compressed_positives + counts.n_compressed_negatives,
            scheme.n_compressed,
        ),
        (
            "n_false_positives + n_false_negatives",
            counts.n_false_positives + counts.n_false_negatives,
            scheme.n_errors,
        ),
    )
    for name, got, wanted in totals:
        if got != wanted:
            raise ValueError(f"`counts`: {name} must be {wanted}, got {got}.")
    _check_class("positive", counts.n_positives, counts.n_compressed_positives, counts)
    _check_class("negative", counts.n_negatives, counts.n_compressed_negatives, counts)
    if pool_size is not None and counts.n_pool_positives is not None:
        kept = (counts.n_compressed_positives, counts.n_compressed_negatives)
        low = max(kept[0], pool_size - counts.n_negatives)
        high = min(counts.n_positives, pool_size - kept[1])
        check_count("n_pool_positives", counts.n_pool_positives, low=low, high=high)


def _check_class(label: str, n_all: int, n_kept: int, counts: ClassCounts) -> None:
    check_count(f"n_compressed_{label}s", n_kept, high=n_all)
    wrong = "n_false_negatives" if label == "positive" else "n_false_positives"
    check_count(wrong, getattr(counts, wrong), high=n_all - n_kept)


def _joint_rates(scheme: _Scheme, counts: ClassCounts) -> Rates:
    """P(called +, is -) and P(called -, is +): two Bernoulli events on the same examples."""
    errors = (counts.n_false_positives, counts.n_false_negatives)
    n = (scheme.n_outside, scheme.n_outside)
    return _two_rates("false_positive false_negative", errors, n, scheme.nats)


def _nats_by_class(scheme: _Scheme, counts: ClassCounts, pool_size: int | None) -> float:
    """Nats where the kept examples are named class by class, which the labels allow."""
    pool_positives, pool_negatives = counts.n_positives, counts.n_negatives
    if pool_size is not None and counts.n_pool_positives is not None:
        pool_positives = counts.n_pool_positives
        pool_negatives = pool_size - pool_positives
    which = _log_binomial(pool_positives, counts.n_compressed_positives)
    which += _log_binomial(pool_negatives, counts.n_compressed_negatives)
    split = counts.split_nats
    if split is None:
        split = math.log(scheme.n_compressed + 1.0)
    # the scheme's own price of naming comes first; a message may hold terms of that kind too
    rest = total_nats(scheme.terms[1:])
    return rest + which + check_nats("split_nats", split)


def _given_class(counts: ClassCounts, nats: float) -> Rates:
    """Rates within each class: given the labels, errors in a class are binomial."""
    n_negatives = counts.n_negatives - counts.n_compressed_negatives
    n_positives = counts.n_positives - counts.n_compressed_positives
    return _two_rates(
        "false_positive_given_negative false_negative_given_positive",
        (counts.n_false_positives, counts.n_false_negatives),
        (n_negatives, n_positives),
        nats,
    )


def kl_compression_bound(
    n_samples: int,
    n_compressed: int,
    n_errors: int,
    *,
    message_nats: float = 0.0,
    size_nats: float | None = None,
    delta: float = 0.05,
    n_choices: int = 1,
    pool_size: int | None = None,
    which_nats: float | None = None,
) -> Certificate:
    """Chernoff relaxation of `compression_bound`: kl(k/n, risk) <= nats/n, n = m - d.

    Valid for the same procedures and never below `compression_bound`. Parameters as there.

    Examples
    --------
    >>> round(kl_compression_bound(615, 3, 15).risk, 6)
    0.093557
    """
    scheme = _scheme(
        n_samples,
        n_compressed,
        n_errors,
        message_nats=message_nats,
        size_nats=size_nats,
        delta=delta,
        n_choices=n_choices,
        pool_size=pool_size,
        which_nats=which_nats,
    )
    n = scheme.n_outside
    risk = float(kl_inverse(scheme.n_errors / n, scheme.nats / n)) if n else 1.0
    return scheme.certificate("compression-kl", risk)


def closed_form_compression_bound(
    n_samples: int,
    n_compressed: int,
    n_errors: int,
    *,
    message_nats: float = 0.0,
    size_nats: float | None = None,
    delta: float = 0.05,
    n_choices: int = 1,
    pool_size: int | None = None,
    which_nats: float | None = None,
) -> Certificate:
    """Closed form 1 - exp(-(ln C(n, k) + nats) / (n - k)), n = m - d: valid and loose.

    It follows from P(Bin(n, p) <= k) <= C(n, k) (1 - p)^(n - k); no prior over k is needed.
    Parameters as in `compression_bound`.

    Examples
    --------
    >>> round(closed_form_compression_bound(615, 3, 15).risk, 6)
    0.142692
    """
    scheme = _scheme(
        n_samples,
        n_compressed,
        n_errors,
        message_nats=message_nats,
        size_nats=size_nats,
        delta=delta,
        n_choices=n_choices,
        pool_size=pool_size,
        which_nats=which_nats,
    )
    n, k = scheme.n_outside, scheme.n_errors
    # All errors: nothing is claimed.
    exponent = (_log_binomial(n, k) + scheme.nats) / (n - k) if n > k else math.inf
    return scheme.certificate("compression-closed-form", _outward(-math.expm1(-exponent)))


def _outward(value: float) -> float:
    """A closed-form value pushed up by more than its rounding error."""
    return float(np.nextafter(value * (1.0 + 1e-13), math.inf))


def pool_bound(
    n_samples: int,
    pool_size: int,
    n_errors: int,
    *,
    message_nats: float = 0.0,
    delta: float = 0.05,
    n_choices: int = 1,
) -> Certificate:
    """Certificate of a classifier coded with the help of a blind pool that is not counted.

    The pool is drawn without looking at the data. Everything computed from it (scales,
    encodings, candidate rules, a prior over them) is free; the message pays for what the other
    examples decided.

    Parameters
    ----------
    n_samples, pool_size : int
        All examples, and those in the pool; the size of the pool depends on n_samples alone.
    n_errors : int
        Errors outside the pool.
    message_nats, delta, n_choices
        As in `compression_bound`.

    Examples
    --------
    >>> round(pool_bound(691, 138, 120, message_nats=6.0).risk, 6)
    0.286602
    """
    m = check_count("n_samples", n_samples, low=1)
    scheme = _scheme(
        m,
        check_count("pool_size", pool_size, high=m),
        n_errors,
        message_nats=message_nats,
        size_nats=0.0,
        delta=delta,
        n_choices=n_choices,
        pool_size=None,
        which_nats=0.0,
    )
    scheme = replace(scheme, assumptions=assume("iid", "blind-pool"))
    risk = _tail(scheme.n_errors, scheme.n_outside, scheme.nats)
    return scheme.certificate("pool", risk)


def cost_bound(
    n_samples: int,
    n_compressed: int,
    n_false_positives: int,
    n_false_negatives: int,
    *,
    cost_false_positive: float = 1.0,
    cost_false_negative: float = 1.0,
    message_nats: float = 0.0,
    size_nats: float | None = None,
    delta: float = 0.05,
    n_choices: int = 1,
    pool_size: int | None = None,
    which_nats: float | None = None,
) -> Certificate:
    """Certificate on the expected cost c_fp P(false positive) + c_fn P(false negative).

    Both joint rates are bounded by binomial tails (ln 2 is paid for the pair), so no knowledge
    of the class frequencies is needed, and both are reported as ``rates``.

    Examples
    --------
    >>> from handful.bounds import half_space_message
    >>> message = half_space_message(1, 1, 1, 1)
    >>> certificate = cost_bound(
    ...     615, 3, 10, 5, cost_false_negative=5.0, message_nats=message, size_nats=0
    ... )
    >>> round(certificate.risk, 9)
    0.363476753
    """
    hint = "Costs are not negative."
    c_fp = check_real("cost_false_positive", cost_false_positive, low=0.0, hint=hint)
    c_fn = check_real("cost_false_negative", cost_false_negative, low=0.0, hint=hint)
    limit = max(c_fp, c_fn)
    if limit <= 0.0:
        raise ValueError(
            "`cost_false_positive` or `cost_false_negative` must be above 0, got 0, 0."
        )
    n_outside = check_count("n_samples", n_samples, low=1) - check_count(
        "n_compressed", n_compressed, high=int(n_samples)
    )
    k_fp = check_count("n_false_positives", n_false_positives, high=n_outside)
    k_fn = check_count("n_false_negatives", n_false_negatives, high=n_outside - k_fp)
    scheme = _scheme(
        n_samples,
        n_compressed,
        k_fp + k_fn,
        message_nats=message_nats,
        size_nats=size_nats,
        delta=delta,
        n_choices=n_choices,
        pool_size=pool_size,
        which_nats=which_nats,
    )
    n = (scheme.n_outside, scheme.n_outside)
    rates = _two_rates("false_positive false_negative", (k_fp, k_fn), n, scheme.nats)
    (_, fp), (_, fn) = rates
    scheme = replace(
        scheme, terms=(*scheme.terms, Term("rates", "two rates at once, ln 2", math.log(2.0)))
    )
    return replace(
        scheme.certificate("cost", 0.0),
        risk=min(limit, _outward(c_fp * fp + c_fn * fn)),
        limit=limit,
        quantity=Quantity("cost"),
        rates=rates,
    )


def folk_compression_bound(
    n_samples: int, n_compressed: int, n_errors: int, *, delta: float = 0.05
) -> Certificate:
    """The lectures' folk theorem: (ln C(m, k+d) + ln C(k+d, d) + 2 ln(m / delta)) / (m - k - d).

    Valid (delta is paid twice) and loose; for comparison. The left side is the true risk, k the
    number of errors.

    Examples
    --------
    >>> round(folk_compression_bound(615, 3, 15).risk, 9)
    0.175011231
    """
    m = check_count("n_samples", n_samples, low=1)
    d = check_count("n_compressed", n_compressed, high=m)
    k = check_count("n_errors", n_errors, high=m - d)
    delta = check_delta(delta)
    terms = (
        Term("kept", "which examples are kept or errors", _log_binomial(m, k + d)),
        Term("kept", "which of them are kept", _log_binomial(k + d, d)),
        Term("sizes", "sizes and confidence, 2 ln(m/delta)", 2.0 * math.log(m / delta)),
    )
    rest = m - k - d
    risk = _outward(total_nats(terms) / rest) if rest else 1.0
    scheme = _Scheme(
        n_samples=m, n_compressed=d, n_errors=k, n_outside=m - d, terms=terms, delta=delta
    )
    reference = "Littlestone & Warmuth (1986); the sparsity lectures' folk theorem"
    return scheme.certificate("compression-folk", risk, reference)
