"""Groups of examples (the visits of one patient): kept, held back and counted whole.

The groups are drawn independently, the rows of one need not be. So the sample is the groups, and
the argument of sample compression is made over them: a machine that is made of some groups and of
a message is independent of all other groups, whose mean errors are independent numbers in [0, 1]
with the mean "a random case of a random new group is misclassified".

- A pool is the first groups of the blind order, all their rows.
- A rule that is made of examples may use one row of each group of its pool, the first of the
  blind order. So the code names d of the n groups of the pool, for ln C(n, d) nats, and need not
  say which of their rows: that was drawn before anybody looked. The whole group of a kept row is
  left out of the count.
- The errors of the other groups are counted twice, and ln 2 paid for it: as means, by the betting
  bound, which gains where the rows of a group differ; and as the error of one blind row of each,
  by the binomial tail, which gains where they are all alike. Where each of the kept groups has one
  row only, which the code knows, the second alone is used and nothing paid: groups of one row are
  certified as rows are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.bounds import (
    GROUP_QUANTITIES,
    Certificate,
    Message,
    Term,
    assume,
    betting_bound,
    binomial_tail_inverse,
    compression_bound,
    kl_inverse,
)
from handful.covering.codes.candidate import Candidate, log_choices
from handful.tables import check_groups

GROUP_BOUNDS = ("compression", "compression-kl")
_BOTH = Term("method", "means of groups, or one row of each", math.log(2.0))
_OF_A_CODE = assume("preprocessing", "named-blindly")  # what any code takes for granted
_MOST_BETS = 60  # candidates whose betting bound is computed: those that look best without it


def read_groups(groups: Any, sample_weight: Any, n_samples: int) -> tuple[Any, Any]:
    """Checked groups, and weights by which each group is worth the same to the search.

    Examples
    --------
    >>> read_groups(["a", "b", "b"], None, 3)[1].tolist()
    [1.0, 0.5, 0.5]
    >>> read_groups(["a", "b"], None, 2)[1] is None
    True
    """
    values = check_groups(groups, n_samples)
    names, member = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"`groups` must name two groups or more, got {names.tolist()}. Leave it out where rows "
            "are independent."
        )
    sizes = np.bincount(member)
    if (sizes == sizes[0]).all():
        return values, sample_weight
    weight = np.ones(n_samples) if sample_weight is None else np.asarray(sample_weight, float)
    return values, weight / sizes[member]


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of examples in blind order, one group after the other.

    Attributes
    ----------
    member : int array (n_samples,)
        Number of the group of each example, 0 for the first of the blind order.
    loss : {"mean", "any"}
        A random case of a new group, or any case of it.
    """

    member: Ints
    loss: str = "mean"

    @cached_property
    def sizes(self) -> Ints:
        """Examples of each group."""
        return np.bincount(self.member)

    @cached_property
    def first(self) -> Ints:
        """First example of each group."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    def pool(self, n_groups: int) -> Ints:
        """All examples of the first groups."""
        return np.arange(int(self.sizes[:n_groups].sum()))

    def named(self, n_groups: int) -> Ints:
        """Examples of the first groups that rules may be made of: one of each."""
        return self.first[:n_groups]

    def of(self, examples: Ints) -> Ints:
        """Groups of some examples, sorted."""
        return np.unique(self.member[examples])

    def whole(self, examples: tuple[int, ...]) -> tuple[int, ...]:
        """All examples of the groups of some examples, sorted."""
        held = np.zeros(self.n_groups, dtype=bool)
        held[self.member[np.array(examples, dtype=np.int64)]] = True
        return tuple(np.flatnonzero(held[self.member]).tolist())

    def priced(self, candidate: Candidate, n_pool: int) -> Candidate:
        """A candidate of single examples as one of groups: what it names, what is not counted."""
        named = candidate.kept
        terms = candidate.terms
        if candidate.scheme == "compression":
            which = log_choices(n_pool, len(named))
            terms = tuple(
                Term("kept", "which groups are kept", which) if term.kind == "kept" else term
                for term in terms
            )
        kept = self.whole(named)
        return replace(candidate, terms=terms, kept=kept, named=named, pool_size=n_pool)

    def count(self, is_wrong: Mask, kept: tuple[int, ...]) -> GroupCounts:
        """Errors of each group outside the kept ones, and of these."""
        held = np.zeros(self.n_groups, dtype=bool)
        held[self.member[np.array(kept, dtype=np.int64)]] = True
        means = np.bincount(self.member, weights=is_wrong) / self.sizes
        return GroupCounts(
            n_groups=self.n_groups,
            losses=means[~held],
            warm_up=means[held],
            n_first=int(np.count_nonzero(is_wrong[self.first[~held]])),
            is_single=bool(held.any() and (self.sizes[held] == 1).all()),
            loss=self.loss,
        )


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """What was counted of a classifier, group by group in blind order.

    Attributes
    ----------
    n_groups : int
    losses : array
        Mean errors of the groups that are counted.
    warm_up : array
        Those of the kept ones, from which the first bets learn.
    n_first : int
        Errors on one blind row of each counted group.
    is_single : bool
        There are kept groups, and each has one row.
    loss : {"mean", "any"}
    """

    n_groups: int
    losses: Floats
    warm_up: Floats
    n_first: int
    is_single: bool
    loss: str

    @property
    def n_kept(self) -> int:
        """Groups that are not counted."""
        return self.n_groups - len(self.losses)

    @property
    def n_any(self) -> int:
        """Counted groups with an error in any row."""
        return int(np.count_nonzero(self.losses > 0.0))

    @property
    def is_binomial(self) -> bool:
        """Whether each group is one yes or no, so that nothing has to be chosen."""
        return self.loss == "any" or self.is_single or len(self.losses) == 0

    @property
    def n_errors(self) -> int:
        """Groups that are wrong, where each is one yes or no."""
        return self.n_any if self.loss == "any" else self.n_first


def certify_groups(
    counts: GroupCounts, terms: tuple[Term, ...], delta: float, bound: str = "compression"
) -> Certificate:
    """The certificate of a machine over groups; its code costs ``terms``.

    Parameters
    ----------
    counts : GroupCounts
    terms : tuple of Term
    delta : float
    bound : {"compression", "compression-kl"}
        "compression-kl" is Chernoff's bound of the mean errors.
    """
    if bound not in GROUP_BOUNDS:
        raise ValueError(
            f"`bound` must be 'auto' or one of {GROUP_BOUNDS} for groups, got {bound!r}."
        )
    if bound == "compression-kl" and len(counts.losses):
        made = _by_means(counts, terms, delta, "kl")
    elif counts.is_binomial:
        made = _by_tail(counts, terms, delta)
    else:
        both = (*terms, _BOTH)
        made = min(
            _by_tail(counts, both, delta),
            _by_means(counts, both, delta, "betting"),
            key=lambda certificate: certificate.risk,
        )
    more = tuple(one for one in made.assumptions[1:] if one not in _OF_A_CODE)
    assumptions = (*assume("iid-groups"), *_OF_A_CODE, *more, *assume("groups"))
    return replace(made, quantity=GROUP_QUANTITIES[counts.loss], assumptions=assumptions)


def _by_tail(counts: GroupCounts, terms: tuple[Term, ...], delta: float) -> Certificate:
    return compression_bound(
        counts.n_groups,
        counts.n_kept,
        counts.n_errors,
        message_nats=Message(terms),
        size_nats=0.0,
        which_nats=0.0,
        delta=delta,
    )


def _by_means(
    counts: GroupCounts, terms: tuple[Term, ...], delta: float, method: str
) -> Certificate:
    losses = (counts.losses > 0.0).astype(float) if counts.loss == "any" else counts.losses
    return betting_bound(
        losses.tolist(),
        warm_up=counts.warm_up.tolist(),
        message_nats=Message(terms),
        delta=delta,
        method=method,
    )


def group_risks(
    counts: list[GroupCounts], candidates: list[Candidate], delta: float
) -> tuple[Floats, int]:
    """Certified risks of all candidates, and the place of the best.

    Betting is slow, so that only those that look best by the other bounds are certified by it;
    the others have the certificate of one row of each group, which holds as well.
    """
    is_binomial = np.array([count.is_binomial for count in counts])
    nats = np.array([c.nats for c in candidates]) - math.log(delta)
    nats = nats + np.where(is_binomial, 0.0, _BOTH.nats)
    n_counted = np.array([len(count.losses) for count in counts])
    n_errors = np.array([count.n_errors for count in counts])
    risks = np.array(binomial_tail_inverse(n_errors, n_counted, -nats))
    means = np.array([math.fsum(c.losses.tolist()) / max(1, len(c.losses)) for c in counts])
    by_kl = np.asarray(kl_inverse(np.minimum(means, 1.0), nats / np.maximum(1, n_counted)))
    rough = np.where(is_binomial, risks, np.minimum(risks, by_kl))
    for i in np.argsort(rough, kind="stable")[:_MOST_BETS]:
        if not is_binomial[i]:
            both = (*candidates[i].terms, _BOTH)
            risks[i] = min(risks[i], _by_means(counts[i], both, delta, "betting").risk)
    order = [(risks[i], c.n_rules, len(c.kept), i) for i, c in enumerate(candidates)]
    return risks, min(order)[3]
