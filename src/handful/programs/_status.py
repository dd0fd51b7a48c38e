"""How a linear program ended, in sentences that advise, and the error that carries them."""

from __future__ import annotations

from enum import Enum


class LPStatus(Enum):
    """How a linear program ended.

    Only ``OPTIMAL`` comes with a solution; every other status travels in a `SolverError`.

    Examples
    --------
    >>> LPStatus.INFEASIBLE.sentence
    'No point satisfies all constraints. Relax a bound or add slack variables.'
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNBOUNDED_OR_INFEASIBLE = "unbounded or infeasible"
    TIME_LIMIT = "time limit"
    ITERATION_LIMIT = "iteration limit"
    UNPROVED = "unproved"
    FAILED = "failed"

    @property
    def sentence(self) -> str:
        """What happened and what to do next."""
        return _SENTENCES[self]


_SENTENCES = {
    LPStatus.OPTIMAL: "The solution is optimal: its duality gap proves it.",
    LPStatus.INFEASIBLE: (
        "No point satisfies all constraints. Relax a bound or add slack variables."
    ),
    LPStatus.UNBOUNDED: (
        "The objective falls without limit. Bound the variables or check the sign of the costs."
    ),
    LPStatus.UNBOUNDED_OR_INFEASIBLE: (
        "The program is unbounded or infeasible. Solve it with zero costs to learn which: "
        "it is infeasible if that fails too."
    ),
    LPStatus.TIME_LIMIT: (
        "The time limit passed before optimality was proved. Raise `time_limit`, or use fewer "
        "examples or columns."
    ),
    LPStatus.ITERATION_LIMIT: (
        "The iteration limit was reached before optimality was proved. Raise `max_iter`."
    ),
    LPStatus.UNPROVED: (
        "The solver called the point optimal, but its duality gap does not prove it. Scale the "
        "columns to similar size, remove nearly dependent columns, or raise `tol`."
    ),
    LPStatus.FAILED: (
        "The solver gave up. Scale the columns to similar size and check for huge coefficients."
    ),
}


class SolverError(RuntimeError):
    """Raised when a linear program has no proved optimal solution to return.

    Attributes
    ----------
    status : LPStatus
    """

    def __init__(self, status: LPStatus, detail: str = "") -> None:
        self.status = status
        self.detail = detail
        super().__init__(f"{status.sentence} {detail}".strip())

    def __reduce__(self) -> tuple[type[SolverError], tuple[LPStatus, str]]:
        return (SolverError, (self.status, self.detail))
