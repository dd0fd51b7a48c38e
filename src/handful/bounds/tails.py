"""Binomial tails, binary relative entropy and their inverses, in log space, rounded outward.

Functions are vectorised over their arguments by broadcasting. The file uses two ideas:

* The logarithm of a binomial probability is computed by Loader's decomposition: deviances plus
  the exact error of Stirling's series. Its *relative* error stays near machine precision, also
  for large n (1e9), for which differences of ``gammaln`` lose all digits.
* Two functions are inverted: minus the log of a binomial tail, which is the survival function of
  an order statistic of exponential variables, and the relative entropy. Both are convex and
  increasing in the variable ``u = -log(1 - p)``. A Newton step on such a function lands on the
  outer side of the root from any start. The target is padded by more than the rounding error, so
  every inverse is slightly loose.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtri_exp

from handful.arrays import Floats, Ints

_PAD = 1e-12  # relative; mpmath comparisons in the tests show errors below 1e-14
_HALF_LOG_2PI = 0.9189385332046727  # ln(2 pi) / 2
# |B_2k| / (2k (2k - 1)); their signs alternate.
_STIRLING = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188, 691 / 360360, 1 / 156)
_SERIES = tuple(1.0 / (2 * j + 3) for j in range(10))
_MAX_NEWTON = 200  # if these steps do not suffice, the closed form is kept, which is valid
_TINY = 1e-250  # a smaller share of errors is treated as zero
_BLOCK = 16_384  # elements at a time: a block fits in the cache
_LARGEST_U = 40.0  # beyond it 1 - exp(-u) is 1.0 in floating point
_LARGEST_NATS = 1e18  # more than 40 nats for each of 2^53 examples
_MAX_FRACTION = 200_000  # terms of the continued fraction; an error is raised beyond them


def _stirling_error(x: Floats) -> Floats:
    """``log x! - log(sqrt(2 pi x) (x / e)^x)``, elementwise, for x > 0."""
    inverse_square = 1.0 / np.square(x)
    series = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        series = coefficient - inverse_square * series
    series /= x
    # Seven terms of the series are enough for x >= 16 only.
    small = np.flatnonzero(x < 16.0)
    low = x[small]
    series[small] = gammaln(low + 1.0) - (low + 0.5) * np.log(low) + low - _HALF_LOG_2PI
    return series


def _deviance(x: Floats, mean: Floats) -> Floats:
    """``x log(x / mean) + mean - x`` without cancellation; ``mean`` if x is (nearly) 0."""
    positive = x > _TINY
    safe = np.where(positive, x, 1.0)
    z = (mean - x) / safe
    # Close to the mean the two large parts cancel; the series in v has no such parts.
    near = np.abs(z) < 0.2
    near_z = np.where(near, z, 0.0)
    v = near_z / (2.0 + near_z)
    square = v * v
    tail = np.zeros_like(v)
    for coefficient in reversed(_SERIES):
        tail *= square
        tail += coefficient
    close = v * (near_z - 2.0 * square * tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = z - np.log(mean / safe)
    return np.asarray(np.where(positive, safe * np.where(near, close, far), mean))


def pmf_constant(k: Floats, n: Floats) -> Floats:
    """The part of ``_log_binomial_pmf`` that does not depend on p; 0 at k = 0 and k = n."""
    rest = n - k
    inner = (k > 0) & (rest > 0)
    a, b, whole = np.where(inner, k, 1.0), np.where(inner, rest, 1.0), np.where(inner, n, 2.0)
    correction = _stirling_error(whole) - _stirling_error(a) - _stirling_error(b)
    scale = 0.5 * (np.log(whole) - np.log(a) - np.log(b)) - _HALF_LOG_2PI
    return np.asarray(np.where(inner, correction + scale, 0.0))


def _log_binomial_pmf(k: Floats, n: Floats, p: Floats, q: Floats, constant: Floats) -> Floats:
    """Log of C(n, k) p^k q^(n-k) for 0 <= k <= n, 0 < p, q; k and n may be fractional."""
    return constant - _deviance(k, n * p) - _deviance(n - k, n * q)


def _log_coefficient(k: Floats, n: Floats, constant: Floats) -> Floats:
    """Log of C(n, k) for flat arrays with 0 <= k <= n, 0 < n."""
    # The smaller count of the two: log1p of a large share would lose digits.
    less = np.minimum(k, n - k)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -less * np.log(less / n) - (n - less) * np.log1p(-less / n)
    return np.where(less > 0, constant + entropy, 0.0)


def log_binomial_coefficient(n: ArrayLike, k: ArrayLike) -> Floats:
    """Logarithm of the binomial coefficient C(n, k); -inf if k < 0 or k > n.

    Examples
    --------
    >>> round(float(log_binomial_coefficient(615, 3)), 9)
    17.468222663
    """
    n, k = _as_floats(n=n, k=k)
    result = np.where((k >= 0) & (k <= n), 0.0, -np.inf)
    inner = (k > 0) & (k < n)
    a, whole = k[inner], n[inner]
    result[inner] = _log_coefficient(a, whole, pmf_constant(a, whole))
    return result[()]


@lru_cache(maxsize=4096)
def log_choose(n: int, k: int) -> float:
    """`log_binomial_coefficient` of two integers, cached for messages."""
    return float(log_binomial_coefficient(n, k))


def outward(value: float) -> float:
    """A closed-form value pushed up by more than its rounding error."""
    return float(np.nextafter(value * (1.0 + 1e-13), math.inf))


def _beta_fraction(x: Floats, y: Floats, a: Floats, b: Floats, tolerance: float) -> Floats:
    """F with I_x(a, b) = x^a y^b / (B(a, b) F), y = 1 - x, for x below the mean of the beta law.

    The contracted continued fraction, by Lentz's method. All terms are positive while the step
    is below b, so nothing cancels for any a / b. Converged elements leave the arrays.
    """
    start, total, two = a * y - b * x + 1.0, a + b, 2.0 - x
    value = a * start / (a + 1.0)
    c, d = value.copy(), np.zeros_like(value)
    active: slice | Ints = slice(None)
    for step in range(1, _MAX_FRACTION):
        # In place: fresh arrays would cost more than the arithmetic.
        low, odd = a + (step - 1.0), a + (2.0 * step - 1.0)
        share = step * x
        share /= odd
        share *= b - step
        numerator = share * low
        numerator *= total + (step - 1.0)
        numerator *= x / odd
        low += 1.0
        low *= start + step * two
        odd += 2.0
        term = np.divide(low, odd, out=low)
        term += share
        term += step
        d *= numerator
        d += term
        np.divide(1.0, d, out=d)
        np.divide(numerator, c, out=c)
        c += term
        change = c * d
        value[active] *= change
        going = np.abs(change - 1.0) > tolerance
        n_going = np.count_nonzero(going)
        if n_going == 0:
            return value
        # Copying costs more than a few idle elements.
        if n_going < 0.7 * going.size:
            active = np.arange(value.size)[active][going]
            x, a, b, c, d = x[going], a[going], b[going], c[going], d[going]
            start, total, two = start[going], total[going], two[going]
    raise FloatingPointError("the continued fraction of the incomplete beta did not converge")


def log_tails(
    k: Floats, n: Floats, p: Floats, q: Floats, constant: Floats, tolerance: float = 4e-16
) -> tuple[Floats, Floats, Floats]:
    """Logs of P(Bin <= k), P(Bin > k), P(Bin = k) for flat arrays, 0 <= k < n and 0 < p < 1.

    P(Bin <= k) = I_q(n - k, k + 1). The continued fraction converges fast below the mean of the
    beta law. So the smaller tail is computed, and the other one is its complement.
    """
    log_pmf = _log_binomial_pmf(k, n, p, q, constant)
    # The usual condition for this fraction: x < (a + 1) / (a + b + 2).
    is_lower = q * (n + 3.0) < n - k + 1.0
    x, y = np.where(is_lower, q, p), np.where(is_lower, p, q)
    a, b = np.where(is_lower, n - k, k + 1.0), np.where(is_lower, k + 1.0, n - k)
    fraction = _beta_fraction(x, y, a, b, tolerance)
    # A tail is a probability: rounding must not push its logarithm above 0.
    small = np.minimum(log_pmf + np.log((n - k) * p / fraction), 0.0)
    with np.errstate(divide="ignore"):
        large = np.log1p(-np.exp(small))
    return np.where(is_lower, small, large), np.where(is_lower, large, small), log_pmf


def _as_floats(**values: ArrayLike) -> list[Floats]:
    """The arguments as arrays of one shape; NaN raises an error that names the argument."""
    arrays = []
    for name, value in values.items():
        try:
            arrays.append(np.asarray(value, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise TypeError(f"`{name}` must be numbers, got {value!r}. Pass numbers.") from error
        if np.isnan(arrays[-1]).any():
            raise ValueError(f"`{name}` must be a number, got NaN. Check how it was counted.")
    return list(np.broadcast_arrays(*arrays))


def log_binomial_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Logarithm of P(Bin(n, p) <= k), accurate far below the smallest float.

    The result is 0 if k >= n or p <= 0. It is -inf if k < 0, or if p >= 1 and k < n.

    Examples
    --------
    >>> round(float(log_binomial_cdf(15, 612, 0.5)), 6)
    -356.001943
    """
    k, n, p = _as_floats(k=k, n=n, p=p)
    result = np.where(k >= n, 0.0, np.where((p <= 0) & (k >= 0), 0.0, -np.inf))
    proper = (k >= 0) & (k < n) & (p > 0) & (p < 1)
    if proper.any():
        kk, nn, pp = k[proper], n[proper], p[proper]
        result[proper] = log_tails(kk, nn, pp, 1.0 - pp, pmf_constant(kk, nn))[0]
    return result[()]


def _round_up(u: Floats) -> Floats:
    """``p = 1 - exp(-u)``, raised by more than the rounding errors of p and q = 1 - p."""
    return np.asarray(np.minimum(np.nextafter(-np.expm1(-u) * (1.0 + 2e-15), 2.0), 1.0))


def binomial_tail_inverse(
    n_errors: ArrayLike, n_samples: ArrayLike, log_delta: ArrayLike
) -> Floats:
    """Largest p with P(Bin(n_samples, p) <= n_errors) >= exp(log_delta), rounded up.

    This is the Clopper-Pearson upper limit in log space: an upper confidence bound on the error
    probability of a classifier that was fixed before its ``n_samples`` examples were seen. The
    result is 1.0 if n_samples <= 0 or n_errors >= n_samples. It is never below the exact value,
    and above it by a relative 1e-11 at most.

    Parameters
    ----------
    n_errors, n_samples : array-like
        Counts, broadcast against each other. Fractional counts are allowed (sample planning).
    log_delta : array-like
        Logarithm of the allowed probability; must be negative.

    Examples
    --------
    >>> round(float(binomial_tail_inverse(15, 612, -26.809086108)), 9)
    0.095698856
    """
    k, n, log_delta = _as_floats(n_errors=n_errors, n_samples=n_samples, log_delta=log_delta)
    if (k < 0).any():
        raise ValueError(f"`n_errors` must be at least 0, got {k.min():g}. Pass a count.")
    if np.isinf(n).any():
        raise ValueError("`n_samples` must be finite, got inf. Pass a count.")
    if (log_delta >= 0).any():
        raise ValueError(
            f"`log_delta` must be negative, got {log_delta.max():g}. Pass log(delta), delta < 1."
        )
    result = np.ones(k.shape)
    proper = (n > 0) & (k < n) & (log_delta > -_LARGEST_NATS)
    parts = [value[proper] for value in (k, n, log_delta)]
    blocks = [
        _solve_tail(*(value[i : i + _BLOCK] for value in parts))
        for i in range(0, parts[0].size, _BLOCK)
    ]
    if blocks:
        result[proper] = np.concatenate(blocks)
    return result[()]


def _solve_tail(k: Floats, n: Floats, log_delta: Floats) -> Floats:
    """The inverse for flat arrays with 0 <= k < n, log_delta < 0 finite."""
    # The pad makes the target probability smaller, hence p larger: the safe side.
    target = log_delta * (1.0 + _PAD)
    rest, constant = n - k, pmf_constant(k, n)
    highest = np.minimum((_log_coefficient(k, n, constant) - target) / rest, _LARGEST_U)
    # A start from the normal approximation; it affects the number of steps only.
    z = -ndtri_exp(target)
    guess = _kl_newton((k + 2 / 3) / (n + 1 / 3), np.square(z) / (2.0 * n + 2 / 3), n_steps=3)
    u = np.where((z > 0) & (guess < highest), guess, highest)
    found = highest.copy()  # the closed form, a valid upper end: kept if the steps do not converge
    rows = np.flatnonzero(highest < _LARGEST_U)
    at, *parts = (part[rows] for part in (u, k, n, constant, target, rest, highest))
    for step in range(_MAX_NEWTON):
        if rows.size == 0:
            break
        kk, nn, constants, goal, others, ends = parts
        p, q = -np.expm1(-at), np.exp(-at)
        # The first step is far from the root and needs few digits.
        tolerance = 1e-7 if step == 0 else 4e-16
        log_cdf, _, log_pmf = log_tails(kk, nn, p, q, constants, tolerance)
        slope = others * np.exp(log_pmf - log_cdf)
        newton = (goal - log_cdf) / slope
        bend = 0.5 * newton * (slope + kk * q / p - others)
        # The excess is convex: Newton's step lands outside the root, by about bend * newton.
        is_close = (np.abs(bend * newton) < 1e-13 * at) & (step > 0)
        found[rows[is_close]] = np.minimum(at - newton, ends)[is_close]
        # Halley's step if its denominator is safe.
        halley = np.where(np.abs(bend) < 0.5, newton / (1.0 - bend), newton)
        at = np.clip(at - halley, 0.01 * at, ends)
        if is_close.any():
            rows = rows[~is_close]
            at, *parts = (part[~is_close] for part in (at, *parts))
    return _round_up(found)


def kl_divergence(q: ArrayLike, p: ArrayLike) -> Floats:
    """Relative entropy of a coin of bias q with respect to one of bias p, in nats.

    Examples
    --------
    >>> round(float(kl_divergence(0.1, 0.2)), 9)
    0.036690014
    """
    q, p = _as_floats(q=q, p=p)
    for name, value in (("q", q), ("p", p)):
        if not ((value >= 0) & (value <= 1)).all():
            raise ValueError(f"`{name}` must be in [0, 1], got {value}. Pass probabilities.")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = _deviance(q, p) + _deviance(1.0 - q, 1.0 - p)
    # Rounding may give -1e-17 if the divergence is 0.
    impossible = ((p <= 0) & (q > 0)) | ((p >= 1) & (q < 1))
    return np.where(impossible, np.inf, np.maximum(value, 0.0))[()]


def kl_inverse(q: ArrayLike, nats: ArrayLike) -> Floats:
    """Largest p >= q with kl(q, p) <= nats, rounded up.

    Examples
    --------
    >>> round(float(kl_inverse(0.1, 0.05)), 9)
    0.220078601
    """
    q, nats = _as_floats(q=q, nats=nats)
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(f"`q` must be in [0, 1], got {q}. Pass an empirical mean of the loss.")
    if (nats < 0).any():
        raise ValueError(f"`nats` must be at least 0, got {nats}. Pass nats per example.")
    result = np.ones(q.shape)
    proper = (q < 1) & np.isfinite(nats)
    if proper.any():
        result[proper] = _solve_kl(q[proper], nats[proper])
    return result[()]


def _kl_newton(mean: Floats, target: Floats, n_steps: int = _MAX_NEWTON) -> Floats:
    """``u = -log(1 - p)`` with kl(mean, p) = target and p >= mean; ``_LARGEST_U`` at most.

    kl is convex and increasing in u, so Newton's iterates approach the root from outside.
    """
    rest = 1.0 - mean
    lowest = -np.log1p(-mean)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        entropy = np.where(mean > _TINY, -mean * np.log(mean), 0.0) + rest * lowest
        chernoff = mean + np.sqrt(2.0 * mean) * np.sqrt(target) + 2.0 * target
        closed = (target + entropy) / rest
        u = np.where(chernoff < 1.0, np.minimum(closed, -np.log1p(-chernoff)), closed)
    # Start outside the root and strictly above the mean, because the slope at the mean is zero.
    u = np.minimum(np.maximum(u * (1.0 + 1e-12), lowest * (1.0 + 1e-15)), _LARGEST_U)
    rows, parts = np.arange(u.size), [u.copy(), mean, rest, target, lowest]
    for _ in range(n_steps):
        at, share, others, goal, low = parts
        p, q = -np.expm1(-at), np.exp(-at)
        excess = _deviance(share, p) + _deviance(others, q) - goal
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = np.where(p > share, excess * (p / (p - share)), 0.0)
        parts[0] = u[rows] = np.clip(at - newton, low, _LARGEST_U)
        going = np.abs(parts[0] - at) > 1e-15 * at
        if not going.any():
            break
        if not going.all():
            rows, parts = rows[going], [part[going] for part in parts]
    return u


def _solve_kl(mean: Floats, nats: Floats) -> Floats:
    """kl_inverse for flat arrays with mean < 1 and finite nats."""
    u = _kl_newton(mean, nats * (1.0 + _PAD))
    # For larger u, p is 1.0 in floating point, which is valid.
    return np.where(u < _LARGEST_U, _round_up(u), 1.0)
