"""What all half-space engines share: the problem, a machine being built, the tolerance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints

Bools = NDArray[np.bool_]

RELATIVE_TOLERANCE = 1e-10  # of the kernel values: what rounding may do to a difference of two


@dataclass(frozen=True)
class HalfSpaceStep:
    """One greedy step: the chosen half-space and what it covers of the live examples.

    Attributes
    ----------
    a, b, c : int
        The positive, the negative and the threshold example.
    n_other : int
        Weight of the newly covered examples of the other class (the gain, ``|Q|``).
    n_same : int
        Weight of the newly covered examples of the machine's own class (errors, ``|R|``).
    """

    a: int
    b: int
    c: int
    n_other: int
    n_same: int


def half_space_tolerance(k_aa: Any, k_ab: Any, k_bb: Any) -> Any:
    """Values of a half-space's projection that differ by no more are tied.

    It is computed from the examples a and b alone, so it is the same in training, rebuilding and
    prediction, and it scales with the kernel.

    Examples
    --------
    >>> float(half_space_tolerance(4.0, -2.0, 1.0))
    4e-10
    """
    largest = np.maximum(np.maximum(np.abs(k_aa), np.abs(k_ab)), np.abs(k_bb))
    return RELATIVE_TOLERANCE * largest


@dataclass(frozen=True)
class Problem:
    """Distinct rows, and for each fold how often each of them occurs and what it is called."""

    K: Floats
    is_own: Bools  # of the class the machine keeps
    is_mirrored: bool  # a disjunction: the own class is the negative one
    weights: Ints  # (n_folds, n_rows), zero where the row does not occur
    names: Ints  # (n_folds, n_rows) lowest original index
    stop_on_nonpositive: bool
    max_rules: int

    def tolerances(self, own: Ints, other: Ints) -> Floats:
        """Tolerance of every pair."""
        diagonal = np.diag(self.K)
        cross = self.K[np.ix_(other, own)].T if self.is_mirrored else self.K[np.ix_(own, other)]
        return np.ascontiguousarray(
            half_space_tolerance(diagonal[own][:, None], cross, diagonal[other][None, :])
        )


@dataclass
class State:
    """A machine that is being built: one penalty on one fold."""

    penalty: float
    fold: int
    weight: Ints
    is_live: Bools
    steps: list[HalfSpaceStep] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    is_done: bool = False

    def advance(
        self, problem: Problem, n_other: int, n_same: int, own: int, other: int, c: int
    ) -> None:
        """Add the half-space and remove what it covers; one without cover ends the path."""
        if n_other == 0 or c < 0:
            self.is_done = True
            return
        K, names = problem.K, problem.names[self.fold]
        a, b = (other, own) if problem.is_mirrored else (own, other)
        u = K[own] - K[other]
        self.is_live &= ~(u < u[c] - half_space_tolerance(K[a, a], K[a, b], K[b, b]))
        self.kept = sorted({*self.kept, own, c})
        self.steps.append(
            HalfSpaceStep(int(names[a]), int(names[b]), int(names[c]), int(n_other), int(n_same))
        )
        self.is_done = (
            len(self.steps) >= problem.max_rules or not (self.is_live & ~problem.is_own).any()
        )
