"""Rule families: stumps, balls, half-spaces; and the compiled search for the best rules.

What lives here: families (`Family`) with their candidate tables, messages and rebuilds, and greedy
covers. A rule is a condition that covers rows (`handful.models.Condition`). What does not: labels
other than -1 and +1, certificates, scikit-learn.

To add a family: one file with a `Family`, registered by `register_family`, a message in
`handful.bounds`, and a brute-force oracle in ``tests/oracles/covering.py``. A value of rows that no
condition has yet is a `handful.models.Value`. ``docs/guide/extending.md`` adds both.
"""

from handful.rules.ball import BALLS, ball_cover, ball_table
from handful.rules.family import (
    FAMILIES,
    CodedPath,
    Family,
    Geometry,
    as_list,
    is_covered,
    register_family,
    rule_set,
)
from handful.rules.half_space import HALF_SPACES, half_space_table
from handful.rules.search.greedy import Step, Sweep, SweepOptions
from handful.rules.search_rows import Rows, collapse_rows, signs_of
from handful.rules.stump import STUMPS, stump_table
from handful.rules.table import SIDE_OPS, Table
from handful.rules.two_point import TWO_POINTS, two_point_cover, two_point_table

__all__ = [
    "BALLS",
    "FAMILIES",
    "HALF_SPACES",
    "SIDE_OPS",
    "STUMPS",
    "TWO_POINTS",
    "CodedPath",
    "Family",
    "Geometry",
    "Rows",
    "Step",
    "Sweep",
    "SweepOptions",
    "Table",
    "as_list",
    "ball_cover",
    "ball_table",
    "collapse_rows",
    "half_space_table",
    "is_covered",
    "register_family",
    "rule_set",
    "signs_of",
    "stump_table",
    "two_point_cover",
    "two_point_table",
]
