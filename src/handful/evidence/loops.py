"""Compiled loops of the evidence: coverage of a band, and capitals that start at every case."""

from __future__ import annotations

import math

import numpy as np

from handful.compiled import njit

_CUT = 1e-22  # Poisson terms below it are dropped, which makes the coverage smaller
_LARGEST = 1e250  # a capital is cut here, which makes it smaller and keeps it finite


@njit(cache=True, nogil=True)
def band_coverage(cuts, caps, n, n_deviations):
    """P(at most caps[l] of n uniform variables are below cuts[l], for all l).

    Counts of uniform variables are those of a Poisson process of rate n that has n points in
    [0, 1]. All terms are positive, and dropped ones make the result smaller.
    """
    state, after, kernel = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 2)
    state[0] = 1.0
    low = high = 0
    last = 0.0
    for step in range(cuts.size):
        mean = n * (cuts[step] - last)
        last = cuts[step]
        kernel[0] = math.exp(-mean)
        size = 1
        while size <= n and (size < mean or kernel[size - 1] > _CUT):
            kernel[size] = kernel[size - 1] * mean / size
            size += 1
        top = min(caps[step], high + size - 1)
        middle = n * last
        bottom = max(low, int(middle - n_deviations * math.sqrt(middle)) - 1)
        if top < bottom:
            return 0.0
        for j in range(bottom, top + 1):
            after[j] = 0.0
        for d in range(size):
            weight = kernel[d]
            for j in range(max(bottom, low + d), min(top, high + d) + 1):
                after[j] += weight * state[j - d]
        state, after = after, state
        low, high = bottom, top
    rest = n * (1.0 - last)
    # The Poisson probability of n points in [0, 1] is the condition.
    condition = n * math.log(n) - n - math.lgamma(n + 1.0)
    total = 0.0
    for j in range(low, high + 1):
        log_rest = (n - j) * math.log(rest) - rest - math.lgamma(n - j + 1.0)
        total += state[j] * math.exp(log_rest - condition)
    return total


@njit(cache=True, nogil=True)
def grow_capitals(losses, n_before, capitals, gain, loss, is_detector, path):
    """Capitals that start anew at every case, one for each alternative; their mean in ``path``.

    A loss multiplies capital i by ``gain[i]``, no loss by ``loss[i]``. Before each case, the
    capital gets its share for a drift that begins there: 1 for a detector, otherwise
    1 / log2(t + 1) - 1 / log2(t + 2), whose sum over all t is 1.
    """
    k = capitals.size
    for i in range(losses.size):
        t = n_before + i + 1.0
        share = 1.0 if is_detector else 1.0 / math.log2(t + 1.0) - 1.0 / math.log2(t + 2.0)
        total = 0.0
        for j in range(k):
            value = (capitals[j] + share) * (gain[j] if losses[i] else loss[j])
            capitals[j] = min(value, _LARGEST)
            total += capitals[j]
        path[i] = total / k
