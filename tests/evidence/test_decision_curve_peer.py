"""The decision curve beside that of another package."""

from __future__ import annotations

import pandas as pd
import pytest

from handful.evidence import DecisionCurveDisplay


def test_the_curve_is_that_of_dcurves(rng):
    peer = pytest.importorskip("dcurves", reason="dcurves is not installed: it needs pandas < 3")
    risk = rng.random(300).round(2)
    died = (rng.random(300) < risk**2).astype(float)
    at = [0.05, 0.1, 0.25, 0.4, 0.75]
    table = pd.DataFrame({"risk": risk, "died": died})
    found = peer.dca(data=table, outcome="died", modelnames=["risk"], thresholds=at)
    found = found.set_index(["model", "threshold"])["net_benefit"]
    ours = DecisionCurveDisplay.from_scores(risk, died, at=at).frame()
    assert ours["net_benefit"].tolist() == pytest.approx([found["risk", p] for p in at], abs=1e-12)
    assert ours["treat_all"].tolist() == pytest.approx([found["all", p] for p in at], abs=1e-12)
