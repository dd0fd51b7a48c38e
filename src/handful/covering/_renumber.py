"""From the order that nobody chose back to the rows as the user gave them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handful.covering._learn import Learned
from handful.covering.codes.candidate import Candidate
from handful.rules import AbstractRule, Ball, HalfSpace, RuleList, RuleSet, Stump, TwoPointHalfSpace

Ints = NDArray[np.int64]


def renumbered(learned: Learned, order: Ints) -> Learned:
    """The same machine and candidates, whose example i is the user's row ``order[i]``."""
    names = {}  # pools are long and many candidates share theirs

    def named(candidate: Candidate) -> Candidate:
        if candidate.kept not in names:
            kept = np.array(candidate.kept, dtype=np.int64)
            names[candidate.kept] = tuple(np.sort(order[kept]).tolist())
        return replace(candidate, kept=names[candidate.kept])

    return replace(
        learned,
        machine=_machine(learned.machine, order),
        chosen=named(learned.chosen),
        candidates=tuple(named(candidate) for candidate in learned.candidates),
    )


def _machine(machine: RuleSet | RuleList, order: Ints) -> RuleSet | RuleList:
    rules = tuple(renumbered_rule(rule, order) for rule in machine.rules)
    if isinstance(machine, RuleSet):
        return replace(machine, rules=rules)
    return replace(machine, rules=rules)


def renumbered_rule(rule: AbstractRule, order: Ints) -> AbstractRule:
    """The same rule with the user's numbers of its examples."""
    if isinstance(rule, Stump) and rule.example is not None:
        return replace(rule, example=int(order[rule.example]))
    if not isinstance(rule, (Ball, HalfSpace, TwoPointHalfSpace)) or rule.indices is None:
        return rule
    indices = tuple(int(order[i]) for i in rule.indices)
    if isinstance(rule, Ball) or rule.kernel.name != "precomputed":
        return replace(rule, indices=indices)  # type: ignore[arg-type]
    # rows of the kernel matrix, whose columns are examples too
    a, b = (tuple(_spread(row, order)) for row in (rule.a, rule.b))
    return replace(rule, indices=indices, a=a, b=b)  # type: ignore[arg-type]


def _spread(row: tuple[float, ...], order: Ints) -> list[float]:
    out = np.empty(len(order))
    out[order] = row
    return list(map(float, out))
