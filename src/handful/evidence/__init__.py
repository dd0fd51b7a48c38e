"""Evidence for a score or a rule that was fixed beforehand, as pure functions.

This package holds bands for all thresholds at once, the area under the ROC curve, the ledger
behind ROC, predictive values and net benefit, calibration, paired comparison, goals tested in
order, and evidence against a claimed risk after deployment. Scores, outcomes and counts come in;
frozen records of numbers come out, and displays that draw them. `gather_evidence` says all of it
about one score, and how the level is divided. Nothing here trains, reads files or prints.

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
    calibration_line,
    mean_limits,
    reliability,
)
from handful.evidence.discrimination import auc_limits, delong_estimate
from handful.evidence.displays import (
    CalibrationDisplay,
    DecisionCurveDisplay,
    ForestDisplay,
    RocDisplay,
    net_benefit_at,
)
from handful.evidence.gathered import (
    SHARES,
    CalibrationEvidence,
    ClassEvidence,
    ScoredRows,
    ScoreEvidence,
    ThresholdRates,
    calibration_evidence,
    class_evidence,
    divided,
    gather_evidence,
    threshold_rates,
)
from handful.evidence.in_order import FixedSequence, accept_in_order, fixed_sequence
from handful.evidence.ledger import EvidenceLedger, NetBenefit, evidence_ledger
from handful.evidence.limits import Limits, rate_limits
from handful.evidence.paired import PairedDifference, paired_difference
from handful.evidence.plain_evidence import class_documents, decides, evidence_document, plain
from handful.evidence.planning import (
    PlanDisplay,
    alarm_delay,
    area_rows_needed,
    planned_area,
    rate_rows_needed,
    score_rows_needed,
    subgroup_rows_needed,
)
from handful.evidence.sentences import class_sentences, evidence_lines, share_down, share_up
from handful.evidence.subgroups import (
    NEAR,
    SubgroupEvidence,
    SubgroupRate,
    rows_until_near,
    subgroup_evidence,
)
from handful.evidence.watching import (
    Watch,
    WatchPath,
    WatchState,
    log_mixture_evidence,
    running_limits,
    watch_batch,
)

__all__ = [
    "NEAR",
    "SHARES",
    "CalibrationDisplay",
    "CalibrationEvidence",
    "ClassEvidence",
    "DecisionCurveDisplay",
    "EvidenceLedger",
    "FixedSequence",
    "ForestDisplay",
    "Limits",
    "NetBenefit",
    "PairedDifference",
    "PlanDisplay",
    "Reliability",
    "RocDisplay",
    "ScoreEvidence",
    "ScoredRows",
    "SubgroupEvidence",
    "SubgroupRate",
    "SurvivalBand",
    "ThresholdRates",
    "Watch",
    "WatchPath",
    "WatchState",
    "accept_in_order",
    "alarm_delay",
    "area_rows_needed",
    "auc_limits",
    "brier_limits",
    "calibration_evidence",
    "calibration_in_the_large",
    "calibration_line",
    "class_documents",
    "class_evidence",
    "class_sentences",
    "decides",
    "delong_estimate",
    "divided",
    "evidence_document",
    "evidence_ledger",
    "evidence_lines",
    "fixed_sequence",
    "gather_evidence",
    "local_level",
    "log_mixture_evidence",
    "mean_limits",
    "net_benefit_at",
    "paired_difference",
    "plain",
    "planned_area",
    "rate_limits",
    "rate_rows_needed",
    "reliability",
    "rows_until_near",
    "running_limits",
    "score_rows_needed",
    "share_down",
    "share_up",
    "subgroup_evidence",
    "subgroup_rows_needed",
    "survival_band",
    "threshold_rates",
    "watch_batch",
]
