"""What a sweep produces: candidates, each a classifier with its counts and its price.

A `Candidate` is one prefix of one greedy path. Its certificate needs only numbers: how many
examples are not counted (the compression set, or a pool), the errors on the others by class,
and the nats of its code. Candidates of all schemes are certified in one vectorised call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.bounds import Term, binomial_tail_inverse, log_binomial_coefficient
from handful.models import SignedRules
from handful.rules import Rows, signs_of
from handful.rules.rows import Judged

Terms = tuple[Term, ...]
Errors = tuple[int, int, int]


@lru_cache(maxsize=4096)
def log_choices(n: int, k: int) -> float:
    """Nats of naming k of n examples."""
    return float(log_binomial_coefficient(n, k))


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A classifier on a path, before it is built.

    Attributes
    ----------
    scheme : str
        How it is coded: "constant", "compression", "pool" or "plain".
    family : str
        Rule family, or several joined by "+".
    kind : {"conjunction", "disjunction", "list"}
    penalty : float
    n_rules : int
    pool_size : int
        Size of the label-blind pool that the examples come from; the number of examples where
        there is none.
    kept : tuple of int
        Original indices of the examples that are not counted.
    terms : tuple of Term
        The code in nats, without the confidence.
    n_false_positives, n_false_negatives : int
        Errors on the examples that are counted.
    n_training_errors : int
        Errors on all training examples.
    build : callable
        Makes the machine.
    named : tuple of int or None
        Of groups, the kept examples that the code names; all kept ones where it is None.
    """

    scheme: str
    family: str
    kind: str
    penalty: float
    n_rules: int
    pool_size: int
    kept: tuple[int, ...]
    terms: Terms
    n_false_positives: int
    n_false_negatives: int
    n_training_errors: int
    build: Callable[[], SignedRules]
    named: tuple[int, ...] | None = None

    @property
    def nats(self) -> float:
        """Total cost of the code."""
        return math.fsum(term.nats for term in self.terms)

    @property
    def counts(self) -> tuple[int, int, int]:
        """False positives, false negatives, and all training errors."""
        return self.n_false_positives, self.n_false_negatives, self.n_training_errors

    @property
    def n_errors(self) -> int:
        """Errors on the examples that are counted."""
        return self.n_false_positives + self.n_false_negatives


class PathCounter:
    """Follows the rules of a path and counts errors, with and without the kept examples.

    A set is a list whose rules all have one output. Only the rows in memory are followed one by
    one; how many examples a rule is the first to cover is known from the search.

    Parameters
    ----------
    rows : Rows
    totals : dict
        Number of examples of each label that are counted by the search.
    """

    def __init__(self, rows: Rows, totals: Mapping[int, int]) -> None:
        self.rows, self.left = rows, dict(totals)
        self.given = np.zeros(rows.X.shape[0], dtype=np.int64)  # outputs; 0 where none is given
        self.n_wrong = {-1: 0, 1: 0}

    def cover(self, mask: Mask, output: int, n_new: Mapping[int, int] | None = None) -> None:
        """One more rule; ``n_new`` examples of each label are new to it."""
        new = mask & (self.given == 0)
        if n_new is None:
            n_new = {k: int(self.rows.weight[new & (self.rows.y == k)].sum()) for k in (-1, 1)}
        self.given[new] = output
        self.left = {label: self.left[label] - n_new[label] for label in (-1, 1)}
        self.n_wrong[-output] += n_new[-output]

    def errors(self, kept: Sequence[int], default: int, *, is_apart: bool = False) -> Errors:
        """Errors of the path so far, where what no rule covers gets ``default``.

        ``is_apart`` says that the search did not count the kept examples.
        """
        n_wrong = {-default: self.n_wrong[-default] + self.left[-default]}
        n_wrong[default] = self.n_wrong[default]
        at = self.rows.row_of[np.array(kept, dtype=np.int64)]
        given = np.where(self.given[at] == 0, default, self.given[at])
        return count_errors(self.rows.y[at], given, n_wrong, is_apart=is_apart)


def count_errors(
    y_kept: Ints, predicted: Ints, n_wrong: Mapping[int, int], *, is_apart: bool = False
) -> Errors:
    """(False positives, false negatives) outside the kept examples, and all training errors.

    Parameters
    ----------
    y_kept, predicted : int array
        Labels of the kept examples, true and predicted.
    n_wrong : dict
        How many examples of each label are wrong, the kept ones included.
    is_apart : bool
        The kept ones are not included.
    """
    wrong = predicted != y_kept
    kept = {label: int((wrong & (y_kept == label)).sum()) for label in (-1, 1)}
    outside = {k: n_wrong[k] - (0 if is_apart else kept[k]) for k in (-1, 1)}
    return outside[-1], outside[1], sum(outside.values()) + sum(kept.values())


def recount(candidate: Candidate, machine: SignedRules, rows: Rows) -> Candidate:
    """The candidate with the errors that its machine makes, as built."""
    return counted(candidate, machine, rows, rows.judge(machine))


def counted(candidate: Candidate, machine: SignedRules, rows: Rows, judged: Judged) -> Candidate:
    """The candidate with the errors that were found.

    The search compares values within a tolerance, the machine compares them with thresholds
    computed from the kept examples alone. Where the two differ, the machine counts.
    """
    kept = rows.row_of[np.array(candidate.kept, dtype=np.int64)]
    predicted = signs_of(machine, rows.X[kept])
    n_fp, n_fn, n_all = count_errors(rows.y[kept], predicted, judged.n_wrong)
    return replace(
        candidate, n_false_positives=n_fp, n_false_negatives=n_fn, n_training_errors=n_all
    )


def certified_risks(
    candidates: Sequence[Candidate],
    n_samples: int,
    delta: float,
    costs: tuple[float, float] | None = None,
) -> Floats:
    """Certificate of every candidate; expected cost where ``costs`` (fp, fn) are given."""
    n_outside = np.array([n_samples - len(c.kept) for c in candidates])
    nats = np.array([c.nats for c in candidates]) - math.log(delta)
    if costs is None:
        n_errors = np.array([c.n_errors for c in candidates])
        return np.asarray(binomial_tail_inverse(n_errors, n_outside, -nats))
    both = nats + math.log(2.0)
    fp = binomial_tail_inverse([c.n_false_positives for c in candidates], n_outside, -both)
    fn = binomial_tail_inverse([c.n_false_negatives for c in candidates], n_outside, -both)
    return np.asarray(costs[0] * fp + costs[1] * fn)


def best_candidate(candidates: Sequence[Candidate], risks: Floats) -> int:
    """Smallest certificate; ties to fewer rules, then fewer kept examples, then the first."""
    order = [(risks[i], c.n_rules, len(c.kept), i) for i, c in enumerate(candidates)]
    return min(order)[3]
