"""What a rule is: stumps, balls, half-spaces; and the compiled search for the best one.

What lives here: the rules (`Stump`, `Ball`, `HalfSpace`, `TwoPointHalfSpace`, `LinearRule`),
machines made of them (`RuleSet`, `RuleList`), candidate tables and greedy covers. What does not:
labels other than -1 and +1, certificates, scikit-learn.

To add a rule: one file with the frozen rule and its `Family`, registered by `register_rule` and
`register_family`, a message in `handful.bounds`, and a brute-force oracle in
``tests/oracles/covering.py``; ``docs/guide/extending.md`` adds one.
"""

from handful.rules.ball import BALLS, Ball, ball_table
from handful.rules.family import FAMILIES, CodedPath, Family, Geometry, register_family
from handful.rules.half_space import HALF_SPACES, HalfSpace, half_space_table
from handful.rules.linear import LinearRule
from handful.rules.rows import Rows, collapse_rows
from handful.rules.rule import RULES, AbstractRule, kind_of_rule, register_rule
from handful.rules.search.greedy import Step, Sweep, SweepOptions
from handful.rules.sets import OR_MISSING, RuleList, RuleSet
from handful.rules.stump import STUMPS, Stump, stump_table
from handful.rules.table import Table
from handful.rules.two_point import TWO_POINTS, TwoPointHalfSpace, two_point_table

__all__ = [
    "BALLS",
    "FAMILIES",
    "HALF_SPACES",
    "OR_MISSING",
    "RULES",
    "STUMPS",
    "TWO_POINTS",
    "AbstractRule",
    "Ball",
    "CodedPath",
    "Family",
    "Geometry",
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
    "register_family",
    "register_rule",
    "stump_table",
    "two_point_table",
]
