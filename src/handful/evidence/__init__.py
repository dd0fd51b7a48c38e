"""Evidence for a score or a rule that was fixed beforehand, as pure functions.

This package holds bands for all thresholds at once, the area under the ROC curve, the ledger
behind ROC, predictive values and net benefit, calibration, paired comparison, goals tested in
order, and evidence against a claimed risk after deployment. Scores, outcomes and counts come in;
frozen records of numbers come out. Nothing here trains, reads files, draws or prints.

All limits are rounded outward. Every function states what holds, with which probability, under
which assumptions; what has no guarantee is called an estimate. A score that is picked after
looking pays for the choice: pass its share of delta.

To add a statement: write one function with statement, assumptions, reference and a runnable
example. Give it an oracle in ``tests/oracles/evidence.py``, a simulation in ``tests/evidence`` and
a planted error in ``tools/planted_evidence.py``.
"""

from handful.evidence.bands import SurvivalBand, local_level, survival_band
from handful.evidence.calibration import (
    Reliability,
    brier_limits,
    calibration_in_the_large,
    mean_limits,
    reliability,
)
from handful.evidence.discrimination import auc_limits, delong_estimate
from handful.evidence.in_order import FixedSequence, accept_in_order, fixed_sequence
from handful.evidence.ledger import EvidenceLedger, NetBenefit, evidence_ledger
from handful.evidence.limits import Limits, rate_limits
from handful.evidence.paired import PairedDifference, paired_difference
from handful.evidence.watching import (
    Watch,
    WatchPath,
    WatchState,
    log_mixture_evidence,
    running_limits,
    watch_batch,
)

__all__ = [
    "EvidenceLedger",
    "FixedSequence",
    "Limits",
    "NetBenefit",
    "PairedDifference",
    "Reliability",
    "SurvivalBand",
    "Watch",
    "WatchPath",
    "WatchState",
    "accept_in_order",
    "auc_limits",
    "brier_limits",
    "calibration_in_the_large",
    "delong_estimate",
    "evidence_ledger",
    "fixed_sequence",
    "local_level",
    "log_mixture_evidence",
    "mean_limits",
    "paired_difference",
    "rate_limits",
    "reliability",
    "running_limits",
    "survival_band",
    "watch_batch",
]
