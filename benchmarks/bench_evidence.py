"""Claim: every statement of `handful.evidence` misses at most as often as it says; widths beside
the interval that other software prints, and how often that one misses.

Normal scores, 70 cases and 130 others, risks that are true. Each statement at the whole level; then
all of `gather_evidence` at once, and an adversary who takes the best looking of eight scores that
know nothing (paid: each at an eighth). A width is the distance from the estimate to the limit below
(above for Brier and error); for the ROC band it is the mean over all thresholds. Peers: DeLong's
area; Wald's interval of a rate, of the Brier score, of a mean; Kolmogorov's band (Massart's
constant); McNemar's normal difference.

Run: python benchmarks/bench_evidence.py [N_DRAWS]
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
from scipy.stats import norm

from handful.evidence import (
    ScoredRows,
    auc_limits,
    brier_limits,
    calibration_in_the_large,
    delong_estimate,
    evidence_ledger,
    gather_evidence,
    paired_difference,
    rate_limits,
    survival_band,
)

N_CASES, N_OTHERS, GAP, CUT = 70, 130, 1.2, 0.6
SHARE = N_CASES / (N_CASES + N_OTHERS)
AREA, SENS, SPEC = norm.cdf(GAP / math.sqrt(2)), norm.sf(CUT - GAP), norm.cdf(CUT)
PPV = SHARE * SENS / (SHARE * SENS + (1 - SHARE) * (1 - SPEC))


def drawn(rng):
    """Scores, outcomes, and the true risk of each score; the number of cases is random."""
    y = rng.random(N_CASES + N_OTHERS) < SHARE
    y[:2] = True, False
    values = rng.normal(size=y.size) + GAP * y
    odds = SHARE / (1 - SHARE) * np.exp(GAP * values - GAP**2 / 2)
    return values, y, odds / (1 + odds)


def wald(values, z):
    return values.mean() - z * values.std(ddof=1) / math.sqrt(values.size)


def rate(hits, among, truth, delta):
    k, n = int((hits & among).sum()), max(int(among.sum()), 1)
    ours, theirs = (
        rate_limits(k, n, delta=delta, side="below").lower,
        wald(np.repeat([1.0, 0.0], [k, n - k]), norm.isf(delta)),
    )
    return (ours > truth, k / n - ours), (theirs > truth, k / n - theirs)


def sensitivity(values, y, p, delta):
    return rate(values >= CUT, y, SENS, delta)


def predictive_value(values, y, p, delta):
    return rate(y, values >= CUT, PPV, delta)


def band(values, y, p, delta):
    scores = np.random.default_rng(int(1e6 * abs(values[0]))).normal(GAP, 1, N_CASES)
    one = survival_band(scores, delta=delta, side="below")
    true, seen = norm.sf(one.thresholds - GAP), one.n_at_least / N_CASES
    flat = seen - math.sqrt(math.log(1 / delta) / 2 / N_CASES)
    return ((one.lower > true).any(), (seen - one.lower).mean()), (
        (flat > true).any(), (seen - np.maximum(flat, 0)).mean()
    )  # fmt: skip


def area(values, y, p, delta):
    one = auc_limits(values[y], values[~y], delta=delta, side="below")
    peer = delong_estimate(values[y], values[~y], delta=2 * delta)
    return (one.lower > AREA, one.estimate - one.lower), (
        peer.lower > AREA, peer.estimate - peer.lower
    )  # fmt: skip


def benefit(values, y, p, delta):
    ledger = evidence_ledger(p[y], p[~y], delta=delta)
    at = np.arange(1, 51) / 100
    cut = (np.log(at / (1 - at)) - math.log(SHARE / (1 - SHARE)) + GAP**2 / 2) / GAP
    w = at / (1 - at)
    true = SHARE * norm.sf(cut - GAP) - (1 - SHARE) * w * norm.sf(cut)
    found = ledger.net_benefit(at)
    return ((found.lower > true).any(), (found.estimate - found.lower).mean()), None


z = np.linspace(-8, 10, 40_001)
DENSITY = SHARE * norm.pdf(z - GAP) + (1 - SHARE) * norm.pdf(z)
RISK = SHARE * norm.pdf(z - GAP) / DENSITY
BRIER = float(np.trapezoid(DENSITY * RISK * (1 - RISK), z))


def brier(values, y, p, delta):
    losses = (p - y) ** 2
    one, peer = brier_limits(p, y, delta=delta), -wald(-losses, norm.isf(delta))
    return (one.upper < BRIER, one.upper - one.estimate), (peer < BRIER, peer - losses.mean())


def in_the_large(values, y, p, delta):
    one = calibration_in_the_large(p, y, delta=delta)
    gaps = y - p
    reach = norm.isf(delta / 2) * gaps.std(ddof=1) / math.sqrt(gaps.size)
    return (not one.lower <= 0 <= one.upper, (one.upper - one.lower) / 2), (
        abs(gaps.mean()) > reach, reach
    )  # fmt: skip


def paired(values, y, p, delta):
    other = values + np.random.default_rng(int(1e6 * abs(values[0]))).normal(size=y.size)
    wrong = (values >= CUT) != y, (other >= CUT) != y
    a, b, n = int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum()), y.size
    one, gap = paired_difference(a, b, n, delta=delta), (a - b) / n
    reach = norm.isf(delta / 2) * math.sqrt(a + b - (a - b) ** 2 / n) / n
    noisy = math.sqrt(2)
    true = (
        SHARE * (1 - SENS)
        + (1 - SHARE) * (1 - SPEC)
        - (SHARE * norm.cdf((CUT - GAP) / noisy) + (1 - SHARE) * norm.sf(CUT / noisy))
    )
    return (not one.lower <= true <= one.upper, (one.upper - one.lower) / 2), (
        abs(gap - true) > reach, reach
    )  # fmt: skip


def all_at_once(values, y, p, delta):
    rows = ScoredRows(values=values, is_flagged=values >= CUT, threshold=CUT, probabilities=p)
    one = gather_evidence(rows, y.astype(float), delta=delta)
    r, c = one.rates, one.calibration
    wrong = [r.sensitivity.lower > SENS, r.specificity.lower > SPEC, r.ppv.lower > PPV]
    wrong += [not one.area.lower <= AREA <= one.area.upper, c.brier.upper < BRIER]
    wrong += [not c.in_the_large.lower <= 0 <= c.in_the_large.upper]
    cuts = (np.log(one.ledger.thresholds[:-1] / (1 - one.ledger.thresholds[:-1]))
            - math.log(SHARE / (1 - SHARE)) + GAP**2 / 2) / GAP  # fmt: skip
    wrong += [(one.ledger.sensitivity_lower[:-1] > norm.sf(cuts - GAP) + 1e-12).any()]
    return (any(wrong), one.area.estimate - one.area.lower), None


def adversary(values, y, p, delta):
    """Eight scores that know nothing; the one with the best looking limit of the area is taken."""
    noise = np.random.default_rng(int(1e6 * abs(values[0]))).normal(size=(8, y.size))
    found = [auc_limits(one[y], one[~y], delta=delta / 8, side="below") for one in noise]
    unpaid = [delong_estimate(one[y], one[~y], delta=2 * delta).lower for one in noise]
    best = max(found, key=lambda one: one.lower)
    return (best.lower > 0.5, best.estimate - best.lower), (
        max(unpaid) > 0.5, max(one.estimate for one in found) - max(unpaid)
    )  # fmt: skip


STATEMENTS = {
    "sensitivity": (sensitivity, "Wald"),
    "PPV": (predictive_value, "Wald"),
    "band of sensitivity": (band, "Kolmogorov"),
    "area under the ROC": (area, "DeLong"),
    "net benefit, 50 places": (benefit, "-"),
    "Brier score": (brier, "Wald"),
    "calibration at large": (in_the_large, "Wald"),
    "paired difference": (paired, "McNemar"),
    "all evidence at once": (all_at_once, "-"),
    "best of 8, area": (adversary, "DeLong"),
}


def line(name, judge, peer, n_draws, delta):
    rng, found, start = np.random.default_rng(1), [], time.perf_counter()
    for _ in range(n_draws):
        found.append(judge(*drawn(rng), delta))
    spent = 1000 * (time.perf_counter() - start) / n_draws
    missed, width = np.mean([[float(v) for v in ours] for ours, _ in found], axis=0)
    said = f"{name:24s} {delta:5.2f} {missed * n_draws:6.0f} / {n_draws} {width:7.3f}"
    if found[0][1] is not None:
        theirs, theirs_width = np.mean([[float(v) for v in one] for _, one in found], axis=0)
        said += f"  {peer:11s} {theirs * n_draws:6.0f} {theirs_width:7.3f}"
    else:
        said += f"  {peer:11s} {'':6s} {'':7s}"
    print(f"{said} {spent:8.2f} ms", flush=True)


def main():
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("statement                delta  misses / draws  width  peer        misses   width  time")
    for name, (judge, peer) in STATEMENTS.items():
        for delta in (0.05, 0.2):
            line(name, judge, peer, n_draws, delta)


if __name__ == "__main__":
    main()
