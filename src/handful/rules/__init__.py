"""What a rule is: stumps, balls, half-spaces; and the compiled search for the best one.

What lives here: the rules (`Stump`, `Ball`, `HalfSpace`, `TwoPointHalfSpace`, `LinearRule`),
machines made of them (`RuleSet`, `RuleList`), candidate tables and greedy covers. What does not:
labels other than -1 and +1, certificates, scikit-learn.

To add a rule: a frozen dataclass with ``values``, ``cut``, ``tolerance`` and ``describe`` in
``_rules.py``, a table in ``_table.py``, a message in `handful.bounds`, a brute-force oracle in
``tests/oracles/covering.py``.
"""

from handful.rules._sets import OR_MISSING, RuleList, RuleSet
from handful.rules._table import (
    Rows,
    Table,
    ball_table,
    collapse_rows,
    half_space_table,
    stump_table,
    two_point_table,
)
from handful.rules.ball import Ball
from handful.rules.half_space import HalfSpace
from handful.rules.linear import LinearRule
from handful.rules.rule import RULES, AbstractRule, kind_of_rule, register_rule
from handful.rules.search.greedy import Step, Sweep, SweepOptions
from handful.rules.stump import Stump
from handful.rules.two_point import TwoPointHalfSpace

__all__ = [
    "OR_MISSING",
    "RULES",
    "AbstractRule",
    "Ball",
    "HalfSpace",
    "LinearRule",
    "Rows",
    "RuleList",
    "RuleSet",
    "Step",
    "Stump",
    "Sweep",
    "SweepOptions",
    "Table",
    "TwoPointHalfSpace",
    "ball_table",
    "collapse_rows",
    "half_space_table",
    "kind_of_rule",
    "register_rule",
    "stump_table",
    "two_point_table",
]
