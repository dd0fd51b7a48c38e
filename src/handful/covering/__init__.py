"""Set covering machines and decision lists: greedy covers, their whole path, certified.

What lives here: the two estimators, the codes (schemes) that price a classifier, and the choice
by certificate. What does not: rules and their search (`handful.rules`), the bounds themselves
(`handful.bounds`).

To add a code: a function that yields `Candidate` objects with every nat itemised, an entry with
its prior mass in ``_schemes.py``, and a validity simulation.
"""

from handful.covering._machine import DecisionListMachine, SetCoveringMachine
from handful.covering._paths import PathScores, cross_validate_path
from handful.covering.cover_fit import CoverFit

__all__ = [
    "CoverFit",
    "DecisionListMachine",
    "PathScores",
    "SetCoveringMachine",
    "cross_validate_path",
]
