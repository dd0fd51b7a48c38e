"""Sample compression: the default certificate and its relaxations.

All bounds here share one statement. A classifier is a function of a compression set (d of the m
examples) and of a message. A prior over both is fixed before the data. Then with probability
1 - delta, simultaneously for every compression set and message, the risk is at most the stated
value. Errors are counted on the m - d other examples only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handful.bounds.certificates import Certificate
from handful.bounds.messages import Term, confidence_term, itemise, log_zeta_prior, total_nats
from handful.bounds.statements import Assumption, Quantity, assume
from handful.bounds.tails import binomial_tail_inverse, kl_inverse, log_choose, outward
from handful.checks import check_count, check_delta, check_nats, check_real

_LANGFORD = (
    "Langford (2005), Tutorial on practical prediction theory for classification, JMLR 6; "
    "Laviolette, Marchand & Shah (2005), Margin-sparsity trade-off for the set covering machine"
)
Rates = tuple[tuple[str, float], ...]


@dataclass(frozen=True, kw_only=True)
class ClassCounts:
    """Counts by class, for rates of false positives and false negatives.

    ``n_false_positives`` and ``n_false_negatives`` are counted outside the compression set.
    ``split_nats`` is the cost of the number of positives among the kept examples: ``None`` pays
    ln(d + 1); pass 0 if the message contains this number (half-spaces, two-point rules, balls).
    ``n_pool_positives`` is needed if the compression set comes from a pool.
    """

    n_positives: int
    n_negatives: int
    n_compressed_positives: int
    n_compressed_negatives: int
    n_false_positives: int
    n_false_negatives: int
    split_nats: float | None = None
    n_pool_positives: int | None = None


_OF_A_SCHEME = assume("iid", "preprocessing")


@dataclass(frozen=True, kw_only=True)
class CompressionScheme:
    """Validated inputs of a compression bound."""

    n_samples: int
    n_compressed: int
    n_errors: int
    n_outside: int
    terms: tuple[Term, ...]
    delta: float
    assumptions: tuple[Assumption, ...] = _OF_A_SCHEME

    @property
    def nats(self) -> float:
        """Sum of the terms."""
        return total_nats(self.terms)

    def certificate(self, bound: str, risk: float, reference: str = _LANGFORD) -> Certificate:
        """A certificate with the counts, terms and assumptions of this scheme."""
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


def compression_scheme(
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
) -> CompressionScheme:
    """Check the arguments of `compression_bound` and itemise the nats."""
    m = check_count("n_samples", n_samples, low=1)
    pool = m if pool_size is None else check_count("pool_size", pool_size, low=0, high=m)
    d = check_count("n_compressed", n_compressed, high=pool)
    k = check_count("n_errors", n_errors, high=m - d)
    delta = check_delta(delta)
    # The prior masses of the sizes 0, 1, 2, ... add up to one, so every size may be observed.
    size = log_zeta_prior(d) if size_nats is None else check_nats("size_nats", size_nats)
    check_nats("message_nats", message_nats)
    n_choices = check_count("n_choices", n_choices, low=1)
    terms: list[Term] = []
    if which_nats is None:
        terms.append(Term("kept", "which examples are kept", log_choose(pool, d)))
    # A free choice has no term.
    elif check_nats("which_nats", which_nats):
        terms.append(Term("kept", "which examples are kept", float(which_nats)))
    # Union over sizes, messages and families: each pays -ln of its prior mass. Errors pay
    # nothing here, because the binomial tail is inverted at the observed number of errors.
    if size:
        terms.append(Term("size", "how many examples are kept", size))
    terms += itemise(message_nats, "message")
    if n_choices > 1:
        terms.append(Term("choice", f"choice among {n_choices} families", math.log(n_choices)))
    terms.append(confidence_term(delta))
    return CompressionScheme(
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
    """Bounds on two rates (false positives first) that hold together: the pair pays ln 2."""
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
    P(Bin(n_samples - n_compressed, p) <= n_errors) >= exp(-nats), rounded up.

    Parameters
    ----------
    n_samples, n_compressed : int
        Number m of training examples, and number d of those that rebuild the classifier.
    n_errors : int
        Errors on the m - d other examples. Errors inside the compression set do not count.
    message_nats : float or Message
        Cost of the message beside the examples, under a prior fixed before the data.
    size_nats : float, optional
        Cost of the size d. ``None`` pays the prior (6 / pi^2) (d + 1)^-2; pass 0 with the
        messages of this package, which code their sizes.
    delta : float
    n_choices : int
        Number of alternatives (kind of machine, rule family, kernel) that the data chose among.
    pool_size : int, optional
        Size of a pool, drawn before training without looking at the data, that contains the
        compression set. All other examples are counted, also those of the pool.
    which_nats : float, optional
        Cost of naming the kept examples. ``None`` pays ln C(m, d), or ln C(pool_size, d). Pass 0
        if they were drawn without looking at the data (a pool that is not counted), or if the
        message names them.
    counts : ClassCounts, optional
        Counts by class. They add joint and class-conditional rates of both kinds of error.

    Examples
    --------
    >>> from handful.bounds import half_space_message
    >>> message = half_space_message(1, 1, 1, 1)
    >>> certificate = compression_bound(615, 3, 15, message_nats=message, size_nats=0)
    >>> round(certificate.risk, 9)
    0.086706937
    """
    scheme = compression_scheme(
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
    # Given the set and the message, the classifier does not depend on the m - d other examples, so
    # its errors on them are binomial. The union over sets and messages adds the nats of the prior.
    risk = _tail(scheme.n_errors, scheme.n_outside, scheme.nats)
    rates = () if counts is None else _class_rates(scheme, counts, pool_size, which_nats)
    return replace(scheme.certificate("compression", risk), rates=rates)


def _class_rates(
    scheme: CompressionScheme,
    counts: ClassCounts,
    pool_size: int | None,
    which_nats: float | None,
) -> Rates:
    """Bounds on both kinds of error, jointly with the class and, if possible, given the class."""
    _check_counts(scheme, counts, pool_size)
    rates = _joint_rates(scheme, counts)
    # The kept examples were drawn blindly, or the message names them: naming them class by class
    # costs nothing more, so the same nats hold within a class.
    if which_nats is not None:
        return rates + _given_class(counts, scheme.nats)
    # The price by class needs the number of positives in the pool. Without it there are no rates
    # within classes.
    if pool_size is not None and counts.n_pool_positives is None:
        return rates
    return rates + _given_class(counts, _nats_by_class(scheme, counts, pool_size))


def _check_counts(scheme: CompressionScheme, counts: ClassCounts, pool_size: int | None) -> None:
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


def _joint_rates(scheme: CompressionScheme, counts: ClassCounts) -> Rates:
    """P(called +, is -) and P(called -, is +): both counts are binomial on the same examples."""
    # No label is conditioned on, so both rates are shares of all counted examples.
    errors = (counts.n_false_positives, counts.n_false_negatives)
    n = (scheme.n_outside, scheme.n_outside)
    return _two_rates("false_positive false_negative", errors, n, scheme.nats)


def _nats_by_class(scheme: CompressionScheme, counts: ClassCounts, pool_size: int | None) -> float:
    """Nats if the kept examples are named class by class; the labels are given."""
    pool_positives, pool_negatives = counts.n_positives, counts.n_negatives
    if pool_size is not None and counts.n_pool_positives is not None:
        pool_positives = counts.n_pool_positives
        pool_negatives = pool_size - pool_positives
    # Given the labels, kept positives and kept negatives are named one class after the other.
    which = log_choose(pool_positives, counts.n_compressed_positives)
    which += log_choose(pool_negatives, counts.n_compressed_negatives)
    split = counts.split_nats
    if split is None:
        # The number of positives among d kept examples is one of 0, ..., d, all equally likely
        # beforehand.
        split = math.log(scheme.n_compressed + 1.0)
    # The first term is the scheme's price of naming; a message may have terms of that kind too.
    rest = total_nats(scheme.terms[1:])
    return rest + which + check_nats("split_nats", split)


def _given_class(counts: ClassCounts, nats: float) -> Rates:
    """Rates within each class: given the labels, the errors in a class are binomial."""
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

    It is valid for the same procedures and never below `compression_bound`. Parameters as in
    `compression_bound`.

    Examples
    --------
    >>> round(kl_compression_bound(615, 3, 15).risk, 6)
    0.093557
    """
    scheme = compression_scheme(
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
    # P(Bin(n, p) <= k) <= exp(-n kl(k/n, p)): the exact tail is never above this value.
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

    It follows from P(Bin(n, p) <= k) <= C(n, k) (1 - p)^(n - k). No prior over k is needed.
    Parameters as in `compression_bound`.

    Examples
    --------
    >>> round(closed_form_compression_bound(615, 3, 15).risk, 6)
    0.142692
    """
    scheme = compression_scheme(
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
    # If every counted example is an error, the bound is 1.
    exponent = (log_choose(n, k) + scheme.nats) / (n - k) if n > k else math.inf
    return scheme.certificate("compression-closed-form", outward(-math.expm1(-exponent)))


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

    The pool is drawn without looking at the data. Everything computed from the pool (scales,
    encodings, candidate rules, a prior over the candidates) is free. The message pays for the
    choices that depend on the other examples.

    Parameters
    ----------
    n_samples, pool_size : int
        Number of all examples and of those in the pool. The size of the pool may depend on
        n_samples only.
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
    # Given the pool, the candidates and their prior are fixed, and the errors of each candidate
    # on the other m - pool_size examples are binomial. The pool itself is named for free.
    scheme = compression_scheme(
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

    Both joint rates are bounded by binomial tails; the pair pays ln 2. The class frequencies
    need not be known. Both rates are reported as ``rates``.

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
    scheme = compression_scheme(
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
        risk=min(limit, outward(c_fp * fp + c_fn * fn)),
        limit=limit,
        quantity=Quantity("cost"),
        rates=rates,
    )


def folk_compression_bound(
    n_samples: int, n_compressed: int, n_errors: int, *, delta: float = 0.05
) -> Certificate:
    """The lectures' folk theorem: (ln C(m, k+d) + ln C(k+d, d) + 2 ln(m / delta)) / (m - k - d).

    It bounds the true risk; k is the number of errors. It is valid (delta is paid twice) and
    loose, and serves for comparison.

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
        Term("kept", "which examples are kept or errors", log_choose(m, k + d)),
        Term("kept", "which of them are kept", log_choose(k + d, d)),
        Term("sizes", "sizes and confidence, 2 ln(m/delta)", 2.0 * math.log(m / delta)),
    )
    rest = m - k - d
    risk = outward(total_nats(terms) / rest) if rest else 1.0
    scheme = CompressionScheme(
        n_samples=m, n_compressed=d, n_errors=k, n_outside=m - d, terms=terms, delta=delta
    )
    reference = "Littlestone & Warmuth (1986); the sparsity lectures' folk theorem"
    return scheme.certificate("compression-folk", risk, reference)
