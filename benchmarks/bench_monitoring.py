"""Claim: `CaseWatch` finds a risk that is too high sooner than MAPIE, with alpha shared by three.

Streams of cases, of which 30 % have the disease. Three claims (errors, missed cases, false alarms)
share alpha = .05. MAPIE's RiskMonitoring watches the errors alone, at alpha = .05 for the online
bound (test_level .1, of which it gives half to a reference that is not used here). Rows to the
alarm are medians over streams; false alarms are counted with every claim exactly true. Last,
10^6 cases in batches of 10 000.

Needs `pip install mapie`. Run: python benchmarks/bench_monitoring.py [N_STREAMS]
"""

from __future__ import annotations

import importlib.metadata
import sys
import time

import numpy as np

from handful.monitoring import CaseWatch, WatchPlan

PREVALENCE = 0.3
STEPS = 10_000


def stream(rng, n, risk, before=0, claim=0.0):
    """Labels, and flags that err with the same risk in both classes; the claim holds at first."""
    y = rng.random(n) < PREVALENCE
    risks = np.where(np.arange(n) < before, claim, risk)
    return y, np.where(rng.random(n) < risks, ~y, y)


def plan_of(claim):
    claims = (("error", claim), ("missed", claim), ("false", claim))
    return WatchPlan(claims=claims, alpha=0.05)


def our_alarms(plan, y, flags):
    """Case of the alarm by the claim of errors, and by any claim; infinite if there is none."""
    watch = CaseWatch(plan)
    watch.add(range(len(y)), flags, y.astype(int))
    cases = [one.alarm_case or np.inf for one in watch.claims.values()]
    return cases[0], min(cases)


def mapie_alarm(claim, y, flags):
    from mapie.exchangeability_testing import RiskMonitoring

    monitor = RiskMonitoring(risk="accuracy", test_level=0.1, threshold=claim, warn=False)
    monitor.update(y.astype(int), flags.astype(int))
    above = monitor.online_risk_lower_bound_sequence_history > claim
    return int(np.argmax(above)) + 1 if above.any() else np.inf


def main():
    n_streams = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"MAPIE {importlib.metadata.version('mapie')}; {n_streams} streams")
    rng = np.random.default_rng(0)
    ours = sum(
        our_alarms(plan_of(0.1), *stream(rng, STEPS, 0.1))[1] < np.inf for _ in range(n_streams)
    )
    theirs = sum(
        mapie_alarm(0.1, *stream(rng, STEPS, 0.1)) < np.inf for _ in range(n_streams // 20)
    )
    print(f"false alarms in {STEPS} cases, three claims: {100 * ours / n_streams:.2f} %")
    print(f"false alarms in {STEPS} cases, MAPIE, errors: {2000 * theirs / n_streams:.2f} %")
    print("drift              errors alone  any claim  MAPIE (median rows to the alarm)")
    for claim, risk, before in ((0.1, 0.2, 0), (0.05, 0.1, 0), (0.1, 0.2, 2000)):
        found = []
        for i in range(max(n_streams // 4, 20)):
            y, flags = stream(rng, before + 2500, risk, before, claim)
            # the peer computes its whole path anew: it gets a fifth of the same streams
            peer = mapie_alarm(claim, y, flags) if i % 5 == 0 else np.nan
            found.append([at - before for at in (*our_alarms(plan_of(claim), y, flags), peer)])
        one, any_, peer = np.nanmedian(found, axis=0)
        name = f"{claim:.2f} -> {risk:.2f}" + (f" at {before}" if before else "")
        print(f"{name:18s} {one:12.0f} {any_:10.0f} {peer:6.0f}")
    y, flags = stream(rng, 10**6, 0.09)
    watch, start = CaseWatch(plan_of(0.1)), time.perf_counter()
    for i in range(0, 10**6, 10_000):
        watch.add(range(i, i + 10_000), flags[i : i + 10_000], y[i : i + 10_000].astype(int))
    print(f"10^6 cases in batches of 10000: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
