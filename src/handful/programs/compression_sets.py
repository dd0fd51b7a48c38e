"""Compression sets of margin programs: the examples that touch an optimum.

Theorem (proof in the guide). Let T be the set of *all* optima of a margin program with fixed
columns, C and weights. Let c(S) hold the examples that touch T: at some optimum their margin is
at most 1, or equals the cap h. If an example outside c(S) is removed, T and c(S) do not change.
If an example is added that some optimum misclassifies, it enters c(S). So the scheme is stable,
whichever optimum the solver returns: no rule for ties is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.programs.margin_program import MarginProgram, MarginSolution
from handful.programs.optimal_face import OptimalFace

#: Margins within this distance of 1 or of the cap touch it.
_TOUCH = 1e-6
#: Programs solved to decide single examples; undecided examples count as touching.
_MAX_PROGRAMS = 400


def touching_examples(program: MarginProgram, solution: MarginSolution) -> NDArray[np.intp]:
    """Indices of the examples that touch some optimum, and perhaps some more.

    More examples make a larger set, which loosens the certificate and keeps it valid. A unique
    optimum is read directly. Otherwise the optimal face is explored: first the range of each
    coefficient, which excludes most examples, then one program for each example left.
    """
    touching = _touches(program, solution.w, solution.b, solution.h)
    # None means unknown, which is not unique.
    if solution.is_unique is True or touching.all():
        return np.flatnonzero(touching)
    # Too many to explore: all examples count as touching.
    if 2 * (program.F.shape[1] + 2) > _MAX_PROGRAMS:
        return np.arange(touching.size)
    explorer = _Explorer(program, OptimalFace(program, solution), touching)
    explorer.bound_coefficients()
    explorer.decide_examples()
    return np.flatnonzero(explorer.touching)


def _touches(program: MarginProgram, w: Floats, b: float, h: float) -> NDArray[np.bool_]:
    g = program.margins(w, b)
    slop = _TOUCH * max(1.0, h)
    return (g <= 1.0 + slop) | ((g >= h - slop) & program.capped)


class _Explorer:
    """Finds the examples that touch the optimal face; ``touching`` holds those known at first."""

    def __init__(
        self, program: MarginProgram, face: OptimalFace, touching: NDArray[np.bool_]
    ) -> None:
        self.program, self.face, self.touching = program, face, touching
        self.is_away = np.zeros_like(touching)
        m = touching.size
        G = program.F * program.y_signed[:, None]
        self.A = np.column_stack([G, program.y_signed, np.zeros(m)])
        #: Equal examples share a twin number, and a decision.
        self.twins = np.unique(self.A, axis=0, return_inverse=True)[1].reshape(-1)

    def _visit(self, cost: Floats) -> float:
        """Minimum of cost over the face, -inf if unknown; marks the examples that touch there."""
        found = self.face.minimise(cost)
        if found is None:
            return -np.inf
        x = found[1]
        h = float(x[-1]) if self.program.capped else 0.0
        self.touching |= _touches(self.program, x[:-2], float(x[-2]), h)
        return found[0]

    def bound_coefficients(self) -> None:
        """Bound each coefficient, hence each margin; excludes examples that cannot touch."""
        k = self.A.shape[1]
        low, high = np.empty(k), np.empty(k)
        for j in range(k):
            unit = np.eye(1, k, j)[0]
            low[j], high[j] = self._visit(unit), -self._visit(-unit)
        self.is_away = _least(self.A, low, high) > 1.0 + _TOUCH
        if self.program.capped:
            to_cap = -self.A
            to_cap[:, -1] = 1.0
            slop = _TOUCH * max(1.0, high[-1])
            self.is_away &= _least(to_cap, low, high) > slop

    def decide_examples(self) -> None:
        """Solve one or two programs for each undecided example, up to the limit."""
        n_programs = 0
        for i in np.flatnonzero(~self.touching & ~self.is_away):
            if self.touching[i] or self.is_away[i]:
                continue
            stays_away = n_programs < _MAX_PROGRAMS and self._stays_away(self.A[i])
            # An undecided example counts as touching.
            decided = self.is_away if stays_away else self.touching
            decided |= self.twins == self.twins[i]
            n_programs += 2

    def _stays_away(self, row: Floats) -> bool:
        # The comparison is false for an unknown minimum (NaN, -inf): the example then touches.
        if not self._visit(row) > 1.0 + _TOUCH:
            return False
        if not self.program.capped:
            return True
        to_cap = -row
        to_cap[-1] = 1.0
        return self._visit(to_cap) > _TOUCH


def _least(A: Floats, low: Floats, high: Floats) -> Floats:
    """Smallest value of each row over a box; a coefficient of zero ignores infinite sides."""
    with np.errstate(invalid="ignore"):
        at_low, at_high = A * low, A * high
    least = np.where(A > 0.0, at_low, np.where(A < 0.0, at_high, 0.0))
    return np.asarray(least.sum(axis=1))
