"""Watching a model after deployment: claims, cases in the order of predictions, alarms.

What lives here: `CaseWatch` (cases enter in the order of their predictions and wait for their
labels up to a horizon), its state file (`save_watch`, `load_watch`), tables of new cases, and the
picture. What does not: the theorems (`handful.evidence`), and the re-check of a state file
(`handful.verify`).

To watch another claim: its name in ``CLAIMS`` and the cases that it speaks of in `claim_losses`.
"""

from handful.monitoring.case_watch import (
    CLAIMS,
    CORRECTED,
    LATE,
    BatchCounts,
    CaseWatch,
    ClaimWatch,
    WatchPlan,
    claim_losses,
)
from handful.monitoring.display import WatchDisplay
from handful.monitoring.new_cases import NewCases, case_of, claims_of, read_cases
from handful.monitoring.watch_file import load_watch, save_watch, watch_to_dict

__all__ = [
    "CLAIMS",
    "CORRECTED",
    "LATE",
    "BatchCounts",
    "CaseWatch",
    "ClaimWatch",
    "NewCases",
    "WatchDisplay",
    "WatchPlan",
    "case_of",
    "claim_losses",
    "claims_of",
    "load_watch",
    "read_cases",
    "save_watch",
    "watch_to_dict",
]
