"""Candidates of a sweep: each is one prefix of one greedy path, with its counts and its price."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Ints, Mask
from handful.bounds import Term, log_choose
from handful.candidates import Candidate, Code, Counts
from handful.models import SignedRules
from handful.rules import CodeTable, Rows, Step, covered_rows, signs_of
from handful.rules.search_rows import Judged

Terms = tuple[Term, ...]
#: Names of searches; equal settings have equal names, on all rows and on a part of them.
Searches = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class CoverCandidate(Candidate):
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
        Size of the blind pool that the examples come from; the number of examples if there is no
        pool.
    kept : tuple of int
        Original indices of the examples that are not counted.
    build : callable
        Makes the machine.
    found_by : tuple of tuples
        The searches whose paths begin with these rules: penalties, and what else steered them.
    named : tuple of int or None
        Kept examples that the code names; None means all kept examples. Used with groups.
    """

    scheme: str
    family: str
    kind: str
    penalty: float
    n_rules: int
    pool_size: int
    kept: tuple[int, ...]
    build: Callable[[], SignedRules]
    found_by: Searches = ((),)
    named: tuple[int, ...] | None = None

    @property
    def terms(self) -> Terms:
        """The code in nats, without the confidence; it names the kept examples."""
        return self.code.terms

    @property
    def n_false_positives(self) -> int:
        """Negatives among the counted examples that are called positive."""
        return self.counts.by_class[0][1]

    @property
    def n_false_negatives(self) -> int:
        """Positives among the counted examples that are called negative."""
        return self.counts.by_class[1][1]

    @property
    def n_errors(self) -> int:
        """Errors on the counted examples, also if the certificate counts groups."""
        return self.n_false_positives + self.n_false_negatives

    @property
    def tie_break(self) -> tuple[int, ...]:
        return self.n_rules, len(self.kept)

    def shown(self, risk: float) -> dict[str, Any]:
        return {
            "scheme": self.scheme,
            "family": self.family,
            "kind": self.kind,
            "penalty": self.penalty,
            "pool_size": self.pool_size,
            "n_rules": self.n_rules,
            "n_compressed": len(self.kept),
            "n_errors": self.n_errors,
            "n_training_errors": self.counts.n_errors_all,
            "nats": self.nats,
            "certificate": risk,
        }


def cover_code(*terms: Term) -> Code:
    """The code of a cover: a term names the kept examples, or they were drawn blindly."""
    return Code("compression", terms)


def kept_term(n: int, kept: Sequence[int], what: str = "examples") -> Term:
    """The price of naming the kept examples, or their groups, among n."""
    return Term("kept", f"which {what} are kept", log_choose(n, len(kept)))


class PathCounter:
    """Follows the rules of a path and counts errors, with and without the kept examples.

    A set is a list whose rules all have one output. Only the rows in memory are followed one by
    one; how many examples a rule is the first to cover is known from the search. ``totals`` are the
    numbers of examples of each label that are counted by the search.
    """

    def __init__(self, rows: Rows, totals: Mapping[int, int]) -> None:
        self.rows, self.left, self.sizes = rows, dict(totals), rows.totals
        self.given = np.zeros(rows.X.shape[0], dtype=np.int64)  # outputs; 0 if none is given
        self.n_wrong = {-1: 0, 1: 0}

    def follow(self, table: CodeTable, step: Step) -> None:
        """One more rule of a table."""
        n_new = {step.output: step.n_other, -step.output: step.n_same}
        self.cover(covered_rows(table, step.t, step.j, step.side), step.output, n_new)

    def cover(self, mask: Mask, output: int, n_new: Mapping[int, int] | None = None) -> None:
        """One more rule; ``n_new`` examples of each label are new to it."""
        new = mask & (self.given == 0)
        if n_new is None:
            n_new = {k: int(self.rows.weight[new & (self.rows.y == k)].sum()) for k in (-1, 1)}
        self.given[new] = output
        self.left = {label: self.left[label] - n_new[label] for label in (-1, 1)}
        self.n_wrong[-output] += n_new[-output]

    def counts(self, kept: Sequence[int], default: int, *, is_apart: bool = False) -> Counts:
        """Counts of the path so far, if examples that no rule covers get ``default``.

        ``is_apart`` says that the search did not count the kept examples.
        """
        n_wrong = {-default: self.n_wrong[-default] + self.left[-default]}
        n_wrong[default] = self.n_wrong[default]
        at = self.rows.row_of[np.array(kept, dtype=np.int64)]
        given = np.where(self.given[at] == 0, default, self.given[at])
        return counts_of(self.rows.y[at], given, n_wrong, self.sizes, is_apart=is_apart)


def counts_of(
    y_kept: Ints,
    predicted: Ints,
    n_wrong: Mapping[int, int],
    sizes: Mapping[int, int],
    *,
    is_apart: bool = False,
) -> Counts:
    """Counts by class outside the kept examples, and all training errors.

    ``y_kept`` and ``predicted`` are the labels of the kept examples, ``sizes`` says how many
    examples have each label, ``n_wrong`` how many of them are wrong. With ``is_apart`` the kept
    examples are not in ``n_wrong``.
    """
    wrong = predicted != y_kept
    kept = {label: int((wrong & (y_kept == label)).sum()) for label in (-1, 1)}
    held = {label: int((y_kept == label).sum()) for label in (-1, 1)}
    # Errors on kept examples do not count: given the code, only the others are binomial.
    outside = {k: n_wrong[k] - (0 if is_apart else kept[k]) for k in (-1, 1)}
    wrong_in_all = {k: outside[k] + kept[k] for k in (-1, 1)}
    return Counts(
        n_held=len(y_kept),
        n_counted=sizes[-1] + sizes[1] - len(y_kept),
        n_errors=sum(outside.values()),
        by_class=tuple((sizes[k] - held[k], outside[k]) for k in (-1, 1)),
        held_by_class=(held[-1], held[1]),
        n_errors_all=sum(wrong_in_all.values()),
        n_said=tuple(sizes[k] - wrong_in_all[k] + wrong_in_all[-k] for k in (-1, 1)),
    )


def recount(candidate: CoverCandidate, machine: SignedRules, rows: Rows) -> CoverCandidate:
    """The candidate with the errors that its machine makes, as built."""
    (judged,) = rows.judge([machine])
    return counted(candidate, machine, judged, rows=rows)


def counted(
    candidate: CoverCandidate, machine: SignedRules, judged: Judged, *, rows: Rows
) -> CoverCandidate:
    """The candidate with the errors that were found.

    The search compares values within a tolerance, the machine compares them with thresholds
    computed from the kept examples alone. If the two differ, the machine counts.
    """
    kept = rows.row_of[np.array(candidate.kept, dtype=np.int64)]
    predicted = signs_of(machine, rows.X[kept])
    counts = counts_of(rows.y[kept], predicted, judged.n_wrong, rows.totals)
    return replace(candidate, counts=counts)
