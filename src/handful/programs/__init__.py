"""Linear programs that prove themselves, and the machines made of one.

What lives here: the only door to HiGHS (`solve_lp`, `LinearProgram`).
What does not: boosting and multiple kernels, which grow their programs column by column.
"""

from handful.programs._program import LinearProgram, LPSolution, solve_lp
from handful.programs._status import LPStatus, SolverError

__all__ = ["LPSolution", "LPStatus", "LinearProgram", "SolverError", "solve_lp"]
