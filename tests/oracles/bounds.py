"""Every bound a second time, in 50-digit arithmetic, by the most literal formula there is.

Floats are read as the exact binary fractions they are. Nothing here comes from the package.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import mpmath as mp

mp.mp.dps = 50

PI = mp.pi
ZETA_2 = PI**2 / 6


# ---- binomial tails ------------------------------------------------------------------------


def log_coefficient(n, k):
    """ln C(n, k): exact integers where they are small, log gamma with digits to spare else."""
    n, k = int(n), int(k)
    if k < 0 or k > n:
        return mp.mpf("-inf")
    if min(k, n - k) < 2000:
        return mp.log(mp.mpf(comb(n, k)))
    with mp.workdps(80):
        return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def _exact(value):
    """A float as an exact fraction (or a fraction as it is)."""
    return value if isinstance(value, Fraction) else Fraction(value)


def _mpf(fraction):
    return mp.mpf(fraction.numerator) / mp.mpf(fraction.denominator)


def _log_pmf(k, n, p):
    with mp.workdps(80):
        value = log_coefficient(n, k)
        if k:
            value += k * mp.log(_mpf(p))
        if n - k:
            value += (n - k) * mp.log(_mpf(1 - p))
        return value


def _tail_over_first(first, step, bits=220):
    """1 + r_1 + r_1 r_2 + ... in integers scaled by 2^bits; ``step(j)`` gives r_j as (num, den)."""
    one = 1 << bits
    term, total, j = one, 0, first
    while term > 0:
        total += term
        num, den = step(j)
        term = term * num // den
        j += 1
    return mp.mpf(total) / one


def log_binomial_cdf(k, n, p):
    """ln P(Bin(n, p) <= k) as a sum of positive terms, outward from the boundary."""
    k, n, p = int(k), int(n), _exact(p)
    if k >= n or p <= 0:
        return mp.mpf(0)
    if p >= 1:
        return mp.mpf("-inf")
    up = (p.numerator, p.denominator - p.numerator)  # odds p : q, in integers
    shift = max(0, up[0].bit_length() - 200, up[1].bit_length() - 200)
    num, den = up[0] >> shift, up[1] >> shift
    if k < n * p:  # sum downward from k: P(i - 1) / P(i) = i q / ((n - i + 1) p)
        ratio = _tail_over_first(0, lambda j: ((k - j) * den, (n - k + j + 1) * num))
        return _log_pmf(k, n, p) + mp.log(ratio)
    # sum upward from k + 1: P(i + 1) / P(i) = (n - i) p / ((i + 1) q)
    ratio = _tail_over_first(0, lambda j: ((n - k - 1 - j) * num, (k + 2 + j) * den))
    return mp.log1p(-mp.exp(_log_pmf(k + 1, n, p) + mp.log(ratio)))


def _bisect(is_outside, low, high, n_steps=150):
    """Root of a monotone predicate, to 45 digits."""
    low, high = mp.mpf(low), mp.mpf(high)
    for _ in range(n_steps):
        middle = (low + high) / 2
        low, high = (low, middle) if is_outside(middle) else (middle, high)
    return high


def _direct_log_cdf(k, n, p):
    """The plain sum, for p given to 50 digits and small n."""
    return mp.log(mp.fsum(mp.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)))


def tail_inverse(k, n, log_delta):
    """Largest p with P(Bin(n, p) <= k) >= exp(log_delta), by bisection (n up to some hundreds)."""
    if n <= 0 or k >= n:
        return mp.mpf(1)
    log_delta = mp.mpf(log_delta)
    return _bisect(lambda p: _direct_log_cdf(k, n, p) < log_delta, 0, 1)


def kl(q, p):
    q, p = mp.mpf(q), mp.mpf(p)
    value = mp.mpf(0)
    if q > 0:
        value += q * mp.log(q / p) if p > 0 else mp.inf
    if q < 1:
        value += (1 - q) * mp.log((1 - q) / (1 - p)) if p < 1 else mp.inf
    return value


def kl_inverse(q, nats):
    q, nats = mp.mpf(q), mp.mpf(nats)
    if q >= 1 or nats <= 0:
        return q
    return _bisect(lambda p: kl(q, p) > nats, q, 1)


# ---- messages ------------------------------------------------------------------------------


def n_bipartite(n_left, n_right, n_edges):
    """Count by listing every set of edges."""
    edges = list(itertools.product(range(n_left), range(n_right)))
    return sum(
        {a for a, _ in chosen} == set(range(n_left))
        and {b for _, b in chosen} == set(range(n_right))
        for chosen in itertools.combinations(edges, n_edges)
    )


def zeta_nats(size):
    return mp.log(ZETA_2) + 2 * mp.log(size + 1)


# ---- compression ---------------------------------------------------------------------------


def compression_nats(m, d, message, delta, size=None, n_choices=1, pool=None):
    size = zeta_nats(d) if size is None else mp.mpf(size)
    which = log_coefficient(m if pool is None else pool, d)
    return which + size + mp.mpf(message) + mp.log(n_choices) - mp.log(mp.mpf(delta))


def closed_form(n, k, nats):
    return 1 - mp.exp(-(log_coefficient(n, k) + nats) / (n - k)) if n > k else mp.mpf(1)


def folk(m, d, k, delta):
    top = log_coefficient(m, k + d) + log_coefficient(k + d, d) + 2 * mp.log(m / mp.mpf(delta))
    return top / (m - k - d)


def _size_priors(delta, sizes):
    return -mp.log(mp.mpf(delta)) + mp.fsum(zeta_nats(s) for s in sizes)


def _pairs(a, b, r):
    return log_coefficient(a * b, r) + mp.log(a * b) if r else mp.mpf(0)


def published_half_space(mp_, mn, a, b, c, kp, kn, r, conjunction, delta):
    lc = log_coefficient
    sets = lc(mp_, a) + lc(mn, b)
    if conjunction:
        sets += lc(mp_ - a, c) + lc(mn - b, kn) + lc(mp_ - a - c, kp)
    else:
        sets += lc(mn - b, c) + lc(mp_ - a, kp) + lc(mn - b - c, kn)
    top = sets + _pairs(a, b, r) + _size_priors(delta, (a, b, c, kp, kn))
    return 1 - mp.exp(-top / (mp_ + mn - a - b - c - kp - kn))


def published_ball(ms, mo, cs, co, b, ks, ko, delta):
    lc = log_coefficient
    sets = lc(ms, cs) + lc(ms - cs, b) + lc(mo, co) + lc(ms - cs - b, ks) + lc(mo - co, ko)
    top = sets + _size_priors(delta, (cs, co, b, ks, ko))
    return 1 - mp.exp(-top / (ms + mo - cs - co - b - ks - ko))


def repaired_half_space(m, a, b, c, k, r, conjunction, delta):
    d = a + b + c
    same = a if conjunction else b
    top = log_coefficient(m, d) + log_coefficient(same + c, same) + log_coefficient(m - d, k)
    top += _pairs(a, b, r) + _size_priors(delta, (a, b, c, k))
    return 1 - mp.exp(-top / (m - d - k))


# ---- stable schemes ------------------------------------------------------------------------


def stable_sum(risk, k, n, log_delta):
    """(delta / n) sum_{j=k}^{n-1} C(j, k) / C(n, k) (1 - risk)^-(n - j), term by term."""
    risk = mp.mpf(risk)
    term, total = mp.mpf(1), mp.mpf(0)
    for j in range(n - 1, k - 1, -1):  # C(j, k) / C(j + 1, k) = (j + 1 - k) / (j + 1)
        term *= mp.mpf(j + 1 - k) / (j + 1) / (1 - risk)
        total += term
    return mp.exp(mp.mpf(log_delta)) / n * total


def stable_risk(k, n, log_delta):
    if k >= n:
        return mp.mpf(1)
    return _bisect(lambda e: stable_sum(e, k, n, log_delta) > 1, mp.mpf(k) / n, 1, 100)


# ---- real losses, randomised classifiers ---------------------------------------------------


def real_loss(method, q, nats, n, parameter=1):
    q, rate, t = mp.mpf(q), nats / n, mp.mpf(parameter)
    if method == "linear":
        return q + rate / t + t / 8
    if method == "catoni":
        return (1 - mp.exp(-t * q - rate)) / (1 - mp.exp(-t))
    if method == "kl-published":
        return kl_inverse(q, rate + mp.log(2 * mp.sqrt(n)) / n)
    return kl_inverse(q, rate)


def pac_bayes(n, q, divergence, delta):
    return kl_inverse(q, (mp.mpf(divergence) + mp.log(2 * mp.sqrt(n) / mp.mpf(delta))) / n)


# ---- margins -------------------------------------------------------------------------------


def rademacher_margin(m, slack, complexity, scale, delta, fixed=True, empirical=False):
    delta, scale = mp.mpf(delta), mp.mpf(scale)
    if not fixed:
        power = 0
        while 2**power < scale:
            power += 1
        scale, delta = mp.mpf(2) ** power, delta / (ZETA_2 * (power + 1) ** 2)
    last = 3 * mp.sqrt(mp.log(2 / delta) / (2 * m)) if empirical else None
    last = mp.sqrt(mp.log(1 / delta) / (2 * m)) if last is None else last
    return mp.mpf(slack) + scale * mp.mpf(complexity) + last


def margin_distribution(m, error, theta, complexity, delta, fixed=True, empirical=False):
    theta, complexity, delta = mp.mpf(theta), mp.mpf(complexity), mp.mpf(delta)
    times, inside = (3, 2) if empirical else (1, 1)
    if fixed:
        last = times * mp.sqrt(mp.log(inside / delta) / (2 * m))
        return mp.mpf(error) + complexity / theta + last
    choice = mp.sqrt(mp.log(mp.log(2 / theta, 2)) / m)
    last = times * (choice + mp.sqrt(mp.log(2 * inside / delta) / (2 * m)))
    return mp.mpf(error) + 2 * complexity / theta + last


def multiple_kernel(m, n, gamma, trace, slack, delta):
    gamma, delta = mp.mpf(gamma), mp.mpf(delta)
    return (
        mp.mpf(slack) / (m * gamma)
        + 2 / (gamma * m) * mp.sqrt(mp.mpf(trace))
        + 8 / gamma * mp.sqrt(mp.log(2 * (n + 1) / delta) / (2 * m))
        + 3 * mp.sqrt(mp.log(4 / delta) / (2 * m))
    )


# ---- projections, codes, held-out data -----------------------------------------------------


def matching_pursuit(m, d, t, delta):
    n = m - d - t

    def bits(x):
        return mp.log(x, 2)

    value = (d + 1) * bits(4 * mp.e * n / (d + 1)) + d * bits(mp.e * m / d)
    if t:
        value += t * bits(mp.e * (m - d) / t)
    return 2 * (value + bits(2 * mp.mpf(m) ** 2 / mp.mpf(delta))) / n


def sparse_pca(m, t, q, limit, delta, method):
    q, limit, delta, n = mp.mpf(q), mp.mpf(limit), mp.mpf(delta), m - t
    if method == "published":
        nats = (t * mp.log(mp.e * m / t) if t else 0) + mp.log(2 * m / delta)
    else:
        nats = log_coefficient(m, t) + mp.log(m / delta)
    if method == "kl":
        return limit * kl_inverse(q / limit, nats / n)
    return q + limit * mp.sqrt(nats / (2 * n))


def code_length(bits, m, delta, exact):
    """Share of test errors; exact by trying b = 0, 1, 2, ... in rational arithmetic."""
    if not exact:
        return (bits + mp.log(1 / mp.mpf(delta), 2)) / m
    allowed = Fraction(delta) / 2**bits
    for b in range(m + 1):
        if Fraction(comb(m, b), comb(2 * m, b)) <= allowed:
            return Fraction(b - 1, m)
    return Fraction(1)


def finite_class(bits, m, k, delta):
    """Largest R with R - k/m <= sqrt(2 e R), by bisection on the inequality itself."""
    e = (bits * mp.log(2) + mp.log(1 / mp.mpf(delta))) / m
    q = mp.mpf(k) / m
    low, high = q, q + 4 * e + 4 * mp.sqrt(e)
    for _ in range(200):
        middle = (low + high) / 2
        if middle - q <= mp.sqrt(2 * e * middle):
            low = middle
        else:
            high = middle
    return high


def selective_error(n, selected, errors, delta):
    deviation = mp.sqrt(mp.log(2 / mp.mpf(delta)) / (2 * n))
    below = mp.mpf(selected) / n - deviation
    return (mp.mpf(errors) / n + deviation) / below if below > 0 else mp.inf


# ---- losses of groups -----------------------------------------------------------------------


def betting_limit(losses, warm_up, nats):
    """Smallest m that a capital excludes: every round in turn, every number with 50 digits."""
    losses, nats = [mp.mpf(v) for v in losses], mp.mpf(nats)
    seen, bets = [mp.mpf(v) for v in warm_up], []
    for loss in losses:
        total, squares = mp.mpf(1) / 2, mp.mpf(1) / 4
        for number, value in enumerate(seen, start=2):
            total += value
            squares += (value - total / number) ** 2
        bets.append(mp.sqrt(2 * nats / (len(losses) * squares / (len(seen) + 1))))
        seen.append(loss)

    def is_excluded(m):
        capital, largest = mp.mpf(1), mp.mpf(1)
        for bet, loss in zip(bets, losses, strict=True):
            capital *= 1 + min(bet, mp.mpf("0.999") / (1 - m)) * (m - loss)
            largest = max(largest, capital)
        return largest >= mp.exp(nats)

    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (low, middle) if is_excluded(middle) else (middle, high)
    return high
