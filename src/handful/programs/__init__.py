"""Linear programs whose optimum is proved, and the machines that solve one.

What lives here: the only use of HiGHS (`solve_lp`, `LinearProgram`); margin programs, with a
structured interior point as their fast path (the minimal complexity machine and the 1-norm support
vector machine are two cases); paths over C; the test for the constant solution. What does not:
boosting and multiple kernels, which grow their programs column by column.

To add a machine: write its program as a case of `margin_program.MarginProgram` (or its own
builder on `LinearProgram`, with the blocks of its matrix in the docstring), derive from
`estimators.MarginMachine`, and say what its certificate needs. A solution is returned only if its
duality gap is proved.
"""

from handful.programs.degenerate import (
    DegenerateMachineWarning,
    InterpolationWarning,
    TrivialityTest,
    TrivialSolutionWarning,
    trivial_solution_test,
)
from handful.programs.estimators import LinearProgrammingMachine, MinimalComplexityMachine
from handful.programs.linear_program import (
    LinearProgram,
    LPSolution,
    LPStatus,
    SolverError,
    solve_lp,
)
from handful.programs.regressor import MinimalComplexityRegressor
from handful.programs.solver import MarginPath, lpm_path, mcm_path

__all__ = [
    "DegenerateMachineWarning",
    "InterpolationWarning",
    "LPSolution",
    "LPStatus",
    "LinearProgram",
    "LinearProgrammingMachine",
    "MarginPath",
    "MinimalComplexityMachine",
    "MinimalComplexityRegressor",
    "SolverError",
    "TrivialSolutionWarning",
    "TrivialityTest",
    "lpm_path",
    "mcm_path",
    "solve_lp",
    "trivial_solution_test",
]
