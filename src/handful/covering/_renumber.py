"""From the order that nobody chose back to the rows as the user gave them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful._types import Ints
from handful.covering.codes.candidate import Candidate
from handful.covering.learn import Learned


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
        machine=replace(
            learned.machine, rules=tuple(rule.renumbered(order) for rule in learned.machine.rules)
        ),
        candidates=tuple(named(candidate) for candidate in learned.candidates),
    )
