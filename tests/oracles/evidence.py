"""The evidence a second time, by the most literal formulas. Nothing here comes from the package."""

from __future__ import annotations

import mpmath as mp
from scipy.stats import beta

mp.mp.dps = 50


def coverage(cuts):
    """P(U_(i) >= cuts[i - 1] for all i), from binomial counts in one interval after another."""
    n, last = len(cuts), mp.mpf(0)
    state = {0: mp.mpf(1)}
    for i, cut in enumerate(map(mp.mpf, cuts), start=1):
        share = (cut - last) / (1 - last)
        new = {}
        for j in range(i):
            new[j] = mp.fsum(
                state[m] * mp.binomial(n - m, j - m) * share ** (j - m) * (1 - share) ** (n - j)
                for m in state
                if m <= j
            )
        state, last = new, cut
    return mp.fsum(state.values())


def band_miss(n, level):
    """Probability that some order statistic is below its quantile at the level."""
    return 1 - coverage([beta.ppf(level, i, n - i + 1) for i in range(1, n + 1)])


def lower_rate(k, n, level):
    """Clopper-Pearson from below, by another library."""
    return 0.0 if k == 0 else beta.ppf(level, k, n - k + 1)


def upper_rate(k, n, level):
    return 1.0 if k == n else beta.isf(level, k + 1, n - k)


def area(cases, others):
    """P(case > other) + P(equal) / 2, pair by pair."""
    total = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in cases for b in others)
    return total / (len(cases) * len(others))


def delong_variance(cases, others):
    """Variance of the area from its parts by case and by non-case."""

    def spread(parts):
        mean = sum(parts) / len(parts)
        return sum((part - mean) ** 2 for part in parts) / (len(parts) - 1) / len(parts)

    return spread([area([a], others) for a in cases]) + spread([area(cases, [b]) for b in others])


def ledger_row(cases, others, threshold, levels):
    """Limits at one threshold from the four statements, with the local levels of two bands."""
    n1, n0 = len(cases), len(others)
    tp, fp = sum(s >= threshold for s in cases), sum(s >= threshold for s in others)
    sens = lower_rate(tp, n1, levels["sensitivity"])
    spec = lower_rate(n0 - fp, n0, levels["specificity"])
    low = lower_rate(n1, n1 + n0, levels["prevalence"])
    high = upper_rate(n1, n1 + n0, levels["prevalence"])
    flagged = low * sens + (1 - low) * (1 - spec)
    rest = (1 - high) * spec + high * (1 - sens)
    return {
        "sens": sens,
        "spec": spec,
        "low": low,
        "high": high,
        "ppv": low * sens / flagged if flagged else 0.0,
        "npv": (1 - high) * spec / rest if rest else 0.0,
        "tp": tp,
        "fp": fp,
    }


def mixture_evidence(k, t, claim, a, b):
    """Average of the likelihood ratio over a Beta law that is cut to (claim, 1], by quadrature."""

    def law(p):
        return p ** (a - 1) * (1 - p) ** (b - 1)

    def ratio(p):
        return law(p) * (p / claim) ** k * ((1 - p) / (1 - claim)) ** (t - k)

    ends = mp.linspace(mp.mpf(claim), 1, 9)
    return mp.quad(ratio, ends) / mp.quad(law, ends)


def whole_mixture(k, t, p, a, b):
    """Beta mixture of likelihoods over the likelihood at p."""
    return mp.beta(a + k, b + t - k) / mp.beta(a, b) / (mp.mpf(p) ** k * (1 - mp.mpf(p)) ** (t - k))


def late_capital(losses, claim, risks, shares):
    """Sum over the case at which the drift begins, averaged over the risks after it."""
    total = mp.mpf(0)
    for p in risks:
        for start in range(len(losses)):
            ratio = mp.mpf(1)
            for loss in losses[start:]:
                ratio *= mp.mpf(p) / claim if loss else (1 - mp.mpf(p)) / (1 - mp.mpf(claim))
            total += shares[start] * ratio
    return total / len(risks)
