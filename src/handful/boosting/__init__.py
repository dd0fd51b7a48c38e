"""Boosting: votes of weak learners, and the linear programs behind them.

What lives here: `AdaBoost`, `LPBoost` and `LPBoostMKL`, the families of weak learners they draw
from (stumps, columns, kernels, scikit-learn estimators), the `column_generation` loop that the
linear programs share, and `empirical_rademacher`, the complexity of a family. What does not: the
door to the solver (`handful.programs`) and the theorems (`handful.bounds`).

To add a family of weak learners: write a class with ``is_exact`` and ``best(scores, n_columns)``
that gives the columns with the largest edge (see `WeakColumn`), a vote that evaluates a weighted
sum on new examples, and an oracle in ``tests/oracles/boosting.py``.
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
