"""The picture of a watch: evidence against each claim, case by case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.display import Display, legend_above
from handful.monitoring.case_watch import CLAIMS, CaseWatch


@dataclass
class WatchDisplay(Display):
    """Evidence against each claim in the order of predictions; an alarm at the line.

    Examples
    --------
    >>> from handful.monitoring import CaseWatch, WatchPlan
    >>> watch = CaseWatch(WatchPlan(claims=(("error", 0.1),)))
    >>> _ = watch.add(range(40), [True] * 40, [1] * 40)
    >>> WatchDisplay(watch).frame().shape
    (40, 4)
    """

    watch: CaseWatch

    def _columns(self) -> dict[str, Any]:
        parts = [(name, *self.watch.history(name)) for name in self.watch.claims]
        return {
            "claim": np.concatenate([np.full(len(case), name) for name, case, _, _ in parts]),
            "case": np.concatenate([case for _, case, _, _ in parts]),
            "log_evidence": np.concatenate([evidence for _, _, evidence, _ in parts]),
            "log_detector": np.concatenate([detector for _, _, _, detector in parts]),
        }

    def plot(self, ax: Any = None) -> WatchDisplay:
        """One line a claim, in powers of ten."""
        ax = self._axes(ax)
        for name in self.watch.claims:
            case, evidence, _ = self.watch.history(name)
            shown = np.maximum(evidence, -3.0 * math.log(10.0)) / math.log(10.0)
            ax.plot(case, shown, label=CLAIMS[name])
        line = math.log10(len(self.watch.claims) / self.watch.plan.alpha)
        ax.axhline(line, linestyle="--", linewidth=1.2, color="0.4", label="alarm")
        ax.set(xlabel="case, in the order of predictions", ylabel="evidence, powers of ten")
        legend_above(ax)
        return self
