"""Set covering machines and decision lists: greedy covers, their whole path, certified.

What lives here: the two estimators, and the codes (schemes) that price a classifier. What does
not: rules and their search (`handful.rules`), the choice by certificate (`handful.candidates`), the
bounds themselves (`handful.bounds`).

To add a code: a function that yields `CoverCandidate` objects with every nat itemised, an entry
with its prior mass in ``codes/schemes.py``, and a validity simulation.
"""

from handful.covering.cover_fit import CoverFit
from handful.covering.estimators import DecisionListMachine, SetCoveringMachine
from handful.covering.path_scores import PathScores, cross_validate_path

__all__ = [
    "CoverFit",
    "DecisionListMachine",
    "PathScores",
    "SetCoveringMachine",
    "cross_validate_path",
]
