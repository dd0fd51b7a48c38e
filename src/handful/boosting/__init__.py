"""Boosting: votes of weak learners, and the linear programs that find them.

What lives here: `AdaBoost`, `LPBoost` and `LPBoostMKL`; their families of weak learners (stumps,
columns, kernels, scikit-learn estimators); the `column_generation` loop of the linear programs;
and `empirical_rademacher`, the complexity of a family. What does not: the linear programming
solver (`handful.programs`) and the theorems (`handful.bounds`).

To add a family of weak learners: write a `ColumnFamily`, whose ``best(scores, n_columns)`` gives
the columns with the largest edge (see `WeakColumn`); a `WeightedVote`, which evaluates a weighted
sum on new examples; and an oracle in ``tests/oracles/boosting.py``.
"""

from handful.boosting.display import MarginDisplay
from handful.boosting.estimators import AdaBoost
from handful.boosting.generation import Generated, Iteration, Restricted, column_generation
from handful.boosting.lpboost import LPBoost
from handful.boosting.margin_certificates import RademacherEstimate, empirical_rademacher
from handful.boosting.multiple_kernels import LPBoostMKL
from handful.boosting.weak_learners import WeakColumn, WeakStump

__all__ = [
    "AdaBoost",
    "Generated",
    "Iteration",
    "LPBoost",
    "LPBoostMKL",
    "MarginDisplay",
    "RademacherEstimate",
    "Restricted",
    "WeakColumn",
    "WeakStump",
    "column_generation",
    "empirical_rademacher",
]
