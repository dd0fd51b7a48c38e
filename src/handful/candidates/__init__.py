"""Second floor: everything that is certified is a stream of candidates.

What lives here: a classifier with its `Code` and its `Counts` (`Candidate`, `Offered` if it is
built), certificates of one candidate (`certify`) or of all at once (`certified_risks`), the `Menu`
that orders, chooses and shows them, machines that offer one (`MenuMachine`), errors of groups of
rows (`GroupLosses`), and the counting of errors (`Counting`), also at other thresholds of a score
(`ThresholdCounts`).
What does not: the theorems (`handful.bounds`), and who proposes candidates (`handful.certified`,
`handful.covering`, `handful.pursuit`).

To add a family: a `Candidate` with the facts of its own, a function that yields candidates with
every nat itemised, and a simulation that shows that their certificates hold.
"""

from handful.candidates.candidate import (
    RATE_NAMES,
    Candidate,
    Code,
    Counts,
    Failure,
    Offered,
    Rates,
)
from handful.candidates.counting import Counting, Tallies, Tally
from handful.candidates.groups import GroupLosses
from handful.candidates.menu import Menu
from handful.candidates.menu_machine import MenuMachine
from handful.candidates.pricing import certified_risks, certify
from handful.candidates.thresholds import ThresholdCounts, ThresholdGrid

__all__ = [
    "RATE_NAMES",
    "Candidate",
    "Code",
    "Counting",
    "Counts",
    "Failure",
    "GroupLosses",
    "Menu",
    "MenuMachine",
    "Offered",
    "Rates",
    "Tallies",
    "Tally",
    "ThresholdCounts",
    "ThresholdGrid",
    "certified_risks",
    "certify",
]
