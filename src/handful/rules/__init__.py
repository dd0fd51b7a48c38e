"""Rule families: stumps, balls, half-spaces; and the compiled search for the best rules.

What lives here: families (`Family`) with their candidate tables, messages and rebuilds, and greedy
covers. A rule is a condition that covers rows (`handful.models.Condition`). What does not: labels
other than -1 and +1, certificates, scikit-learn.

To add a family: one file with a `Family`, registered by `register_family`, a message in
`handful.bounds`, and a brute-force oracle in ``tests/oracles/covering.py``. A value of rows that no
condition has yet is a `handful.models.Value`. ``docs/guide/extending.md`` adds both.
"""

from handful.rules.ball import BALLS, ball_cover, rebuild_balls
from handful.rules.family import (
    FAMILIES,
    KIND_SIGNS,
    CodedPath,
    Family,
    as_list,
    is_covered,
    register_family,
    rule_set,
)
from handful.rules.half_spaces import (
    HALF_SPACES,
    TWO_POINTS,
    kernel_values,
    pair_tolerance,
    pair_value,
    rebuild_half_spaces,
    rebuild_two_points,
    two_point_cover,
)
from handful.rules.pooled import Projections, make_projections
from handful.rules.search.exact import exact_half_space_paths
from handful.rules.search.greedy import Step, Sweep, SweepOptions, grow
from handful.rules.search.histogram import HalfSpaceStep
from handful.rules.search.list_sweep import ListSweep
from handful.rules.search.pool_sweep import PoolSweep
from handful.rules.search_rows import Rows, collapse_rows, rows_of, signs_of
from handful.rules.stump import STUMPS, rebuild_stumps
from handful.rules.table import (
    LINEAR,
    SIDE_OPS,
    CandidateTable,
    CodedRule,
    CodeTable,
    Encoder,
    Geometry,
    covered_rows,
    known_values,
    pad_thresholds,
)

__all__ = [
    "BALLS",
    "FAMILIES",
    "HALF_SPACES",
    "KIND_SIGNS",
    "LINEAR",
    "SIDE_OPS",
    "STUMPS",
    "TWO_POINTS",
    "CandidateTable",
    "CodeTable",
    "CodedPath",
    "CodedRule",
    "Encoder",
    "Family",
    "Geometry",
    "HalfSpaceStep",
    "ListSweep",
    "PoolSweep",
    "Projections",
    "Rows",
    "Step",
    "Sweep",
    "SweepOptions",
    "as_list",
    "ball_cover",
    "collapse_rows",
    "covered_rows",
    "exact_half_space_paths",
    "grow",
    "is_covered",
    "kernel_values",
    "known_values",
    "make_projections",
    "pad_thresholds",
    "pair_tolerance",
    "pair_value",
    "rebuild_balls",
    "rebuild_half_spaces",
    "rebuild_stumps",
    "rebuild_two_points",
    "register_family",
    "rows_of",
    "rule_set",
    "signs_of",
    "two_point_cover",
]
