"""Binomial tails, binary relative entropy and their inverses, in log space, rounded outward.

Everything here is vectorised over its arguments by broadcasting. Two ideas carry the file:

* the logarithm of a binomial probability is computed by Loader's decomposition (deviances plus
  the exact error of Stirling's series), whose *relative* error stays near machine precision
  where differences of ``gammaln`` lose all digits (n = 1e9);
* in the variable ``u = -log(1 - p)`` the functions to invert are concave (binomial tail) or
  convex (relative entropy), so Newton's iteration started on the outer side of the root never
  crosses it. A final pad, larger than the rounding error, makes every inverse a hair loose.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]

_PAD = 1e-12  # relative; mpmath comparisons in the tests show errors below 1e-14
_HALF_LOG_2PI = 0.9189385332046727
_STIRLING = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188, 691 / 360360, 1 / 156)
_SERIES = tuple(1.0 / (2 * j + 3) for j in range(10))
_MAX_NEWTON = 200
_LARGEST_U = 40.0  # beyond it 1 - exp(-u) is 1.0 in floating point
_MAX_FRACTION = 200_000


def _stirling_error(x: Floats) -> Floats:
    """``log x! - log(sqrt(2 pi x) (x / e)^x)``, elementwise, for x > 0."""
    small = x < 16.0
    safe = np.where(small, 16.0, x)
    inverse_square = 1.0 / (safe * safe)
    series = np.zeros_like(safe)
    for coefficient in reversed(_STIRLING):
        series = coefficient - inverse_square * series
    series = series / safe
    low = np.where(small, x, 1.0)
    direct = gammaln(low + 1.0) - (low + 0.5) * np.log(low) + low - _HALF_LOG_2PI
    return np.asarray(np.where(small, direct, series))


def _deviance(x: Floats, mean: Floats) -> Floats:
    """``x log(x / mean) + mean - x`` without cancellation; ``mean`` where x = 0."""
    positive = x > 0
    safe = np.where(positive, x, 1.0)
    z = (mean - x) / safe
    near = np.abs(z) < 0.2
    near_z = np.where(near, z, 0.0)
    v = near_z / (2.0 + near_z)
    square = v * v
    tail = np.zeros_like(v)
    for coefficient in reversed(_SERIES):
        tail = coefficient + square * tail
    close = v * (near_z - 2.0 * square * tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = z + np.log(safe) - np.log(mean)
    return np.asarray(np.where(positive, safe * np.where(near, close, far), mean))


def _pmf_constant(k: Floats, n: Floats) -> Floats:
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


def log_binomial_coefficient(n: ArrayLike, k: ArrayLike) -> Floats:
    """Logarithm of the binomial coefficient C(n, k); -inf where k < 0 or k > n.

    Examples
    --------
    >>> round(float(log_binomial_coefficient(615, 3)), 9)
    17.468222663
    """
    n, k = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64))
    inner = (k > 0) & (k < n)
    a, whole = np.where(inner, k, 1.0), np.where(inner, n, 2.0)
    entropy = -a * np.log(a / whole) - (whole - a) * np.log1p(-a / whole)
    outer = np.where((k >= 0) & (k <= n), 0.0, -np.inf)
    return np.where(inner, _pmf_constant(a, whole) + entropy, outer)[()]


def _beta_fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """Continued fraction of the incomplete beta function (modified Lentz), x below a/(a+b)."""
    tiny = 1e-300
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
    c = np.ones_like(d)
    value = d.copy()
    active = np.arange(value.size)
    for step in range(1, _MAX_FRACTION):
        even = step * (b - step) * x / ((a + 2 * step - 1.0) * (a + 2.0 * step))
        d = 1.0 / (1.0 + even * d)
        c = 1.0 + even / c
        h = value[active] * d * c
        odd = -(a + step) * (a + b + step) * x / ((a + 2.0 * step) * (a + 2 * step + 1.0))
        d = 1.0 / (1.0 + odd * d)
        c = 1.0 + odd / c
        change = d * c
        value[active] = h * change
        going = np.abs(change - 1.0) > 4e-16
        if not going.any():
            return value
        if going.sum() < 0.7 * going.size:
            active = active[going]
            x, a, b, c, d = x[going], a[going], b[going], c[going], d[going]
    raise FloatingPointError("the continued fraction of the incomplete beta did not converge")


def _log_cdf_and_pmf(
    k: Floats, n: Floats, p: Floats, q: Floats, constant: Floats
) -> tuple[Floats, Floats]:
    """(log P(Bin <= k), log P(Bin = k)) for flat arrays with 0 <= k < n and 0 < p < 1.

    P(Bin <= k) = I_q(n - k, k + 1). The continued fraction converges fast below the mean of the
    beta law, so the smaller of the two tails is computed and the other is its complement.
    """
    log_pmf = _log_binomial_pmf(k, n, p, q, constant)
    log_cdf = np.empty_like(p)
    is_lower = q * (n + 3.0) < n - k + 1.0
    i = np.flatnonzero(is_lower)
    log_cdf[i] = log_pmf[i] + np.log(p[i] * _beta_fraction(q[i], n[i] - k[i], k[i] + 1.0))
    i = np.flatnonzero(~is_lower)
    ratio = (n[i] - k[i]) / (k[i] + 1.0) * p[i] * _beta_fraction(p[i], k[i] + 1.0, n[i] - k[i])
    with np.errstate(divide="ignore"):
        log_cdf[i] = np.log(-np.expm1(np.minimum(log_pmf[i] + np.log(ratio), 0.0)))
    return np.minimum(log_cdf, 0.0), log_pmf


def log_binomial_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Logarithm of P(Bin(n, p) <= k), accurate far below the smallest float.

    0 where k >= n or p <= 0; -inf where k < 0, or p >= 1 and k < n.

    Examples
    --------
    >>> round(float(log_binomial_cdf(15, 612, 0.5)), 6)
    -356.001943
    """
    k, n, p = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (k, n, p)))
    result = np.where(k >= n, 0.0, np.where((p <= 0) & (k >= 0), 0.0, -np.inf))
    proper = (k >= 0) & (k < n) & (p > 0) & (p < 1)
    if proper.any():
        kk, nn, pp = k[proper], n[proper], p[proper]
        result[proper] = _log_cdf_and_pmf(kk, nn, pp, 1.0 - pp, _pmf_constant(kk, nn))[0]
    return result[()]


def _newton(
    u: Floats,
    excess_and_slope: Callable[[Floats, NDArray[np.intp]], tuple[Floats, Floats]],
) -> Floats:
    """Newton's iteration from the outer side; stops where an element no longer moves inward.

    ``excess_and_slope(u, rows)`` gives a function that is positive outside the root, with its
    positive derivative in u. Curvature keeps the iterates outside.
    """
    u = u.copy()
    rows = np.arange(u.size)
    for _ in range(_MAX_NEWTON):
        excess, slope = excess_and_slope(u[rows], rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(excess > 0, excess / slope, 0.0)
        step = np.where(np.isfinite(step), np.minimum(step, u[rows]), 0.0)
        u[rows] -= step
        rows = rows[step > 1e-15 * u[rows]]
        if rows.size == 0:
            break
    return u


def _push_out(
    u: Floats, outside: Callable[[Floats, NDArray[np.intp]], NDArray[np.bool_]]
) -> Floats:
    """Move each u outward until the (padded) condition holds: the certificate's last word."""
    rows = np.flatnonzero(~outside(u, np.arange(u.size)))
    factor = 1e-15
    while rows.size:
        u[rows] *= 1.0 + factor
        rows = rows[~outside(u[rows], rows)]
        factor *= 4.0
        if factor > 1.0:
            u[rows] = np.inf
            break
    return u


def binomial_tail_inverse(
    n_errors: ArrayLike, n_samples: ArrayLike, log_delta: ArrayLike
) -> Floats:
    """Largest p with P(Bin(n_samples, p) <= n_errors) >= exp(log_delta), rounded up.

    This is the Clopper-Pearson upper limit, in log space: an upper confidence bound on the
    error probability of a classifier fixed before its ``n_samples`` examples were seen.
    1.0 where n_samples <= 0 or n_errors >= n_samples. Never below the exact value; above it by
    a relative 1e-11 at most for log_delta > -1e3.

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
    parts = (np.asarray(v, dtype=np.float64) for v in (n_errors, n_samples, log_delta))
    k, n, log_delta = np.broadcast_arrays(*parts)
    for name, value in (("n_errors", k), ("n_samples", n), ("log_delta", log_delta)):
        if np.isnan(value).any():
            raise ValueError(f"`{name}` must be a number, got NaN. Check how it was counted.")
    if (k < 0).any():
        raise ValueError(f"`n_errors` must be at least 0, got {k.min():g}. Pass a count.")
    if (log_delta >= 0).any():
        raise ValueError(
            f"`log_delta` must be negative, got {log_delta.max():g}. Pass log(delta), delta < 1."
        )
    result = np.ones(k.shape)
    proper = (n > 0) & (k < n) & np.isfinite(log_delta)
    if proper.any():
        result[proper] = _solve_tail(k[proper], n[proper], log_delta[proper])
    return result[()]


def _solve_tail(k: Floats, n: Floats, log_delta: Floats) -> Floats:
    """The inverse for flat arrays with 0 <= k < n, log_delta < 0 finite."""
    target = log_delta - _PAD * (1.0 - log_delta)
    nats, rest, constant = -target, n - k, _pmf_constant(k, n)
    mean, c = k / n, nats / n
    closed = (log_binomial_coefficient(n, k) + nats) / rest  # a valid upper end, always finite
    chernoff = mean + np.sqrt(2.0 * mean * c) + 2.0 * c
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(chernoff < 1.0, np.minimum(closed, -np.log1p(-chernoff)), closed)
    u = np.minimum(u * (1.0 + 1e-12), _LARGEST_U)

    def excess_and_slope(u: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        p, q = -np.expm1(-u), np.exp(-u)
        log_cdf, log_pmf = _log_cdf_and_pmf(k[rows], n[rows], p, q, constant[rows])
        return target[rows] - log_cdf, rest[rows] * np.exp(log_pmf - log_cdf)

    def outside(u: Floats, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.asarray(excess_and_slope(u, rows)[0] >= 0)

    u = _push_out(_newton(u, excess_and_slope), outside)
    return np.minimum(np.nextafter(-np.expm1(-u), 2.0), 1.0)


def kl_divergence(q: ArrayLike, p: ArrayLike) -> Floats:
    """Relative entropy of a coin of bias q with respect to one of bias p, in nats.

    Examples
    --------
    >>> round(float(kl_divergence(0.1, 0.2)), 9)
    0.036690014
    """
    q, p = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(p, dtype=np.float64))
    for name, value in (("q", q), ("p", p)):
        if not ((value >= 0) & (value <= 1)).all():
            raise ValueError(f"`{name}` must be in [0, 1], got {value}. Pass probabilities.")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = _deviance(q, p) + _deviance(1.0 - q, 1.0 - p)
    impossible = ((p <= 0) & (q > 0)) | ((p >= 1) & (q < 1))
    return np.where(impossible, np.inf, np.maximum(value, 0.0))[()]


def kl_inverse(q: ArrayLike, nats: ArrayLike) -> Floats:
    """Largest p >= q with kl(q, p) <= nats, rounded up.

    Examples
    --------
    >>> round(float(kl_inverse(0.1, 0.05)), 9)
    0.220078601
    """
    q, nats = np.broadcast_arrays(np.asarray(q, np.float64), np.asarray(nats, np.float64))
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(f"`q` must be in [0, 1], got {q}. Pass an empirical mean of the loss.")
    if np.isnan(nats).any() or (nats < 0).any():
        raise ValueError(f"`nats` must be at least 0, got {nats}. Pass nats per example.")
    result = np.ones(q.shape)
    proper = (q < 1) & np.isfinite(nats)
    if proper.any():
        result[proper] = _solve_kl(q[proper], nats[proper])
    return result[()]


def _solve_kl(mean: Floats, nats: Floats) -> Floats:
    """kl_inverse for flat arrays with mean < 1 and finite nats."""
    target = nats * (1.0 + _PAD) + 1e-300
    rest = 1.0 - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where(mean > 0, -mean * np.log(mean), 0.0) - rest * np.log1p(-mean)
        chernoff = mean + np.sqrt(2.0 * mean * target) + 2.0 * target
        closed = (target + entropy) / rest
        u = np.where(chernoff < 1.0, np.minimum(closed, -np.log1p(-chernoff)), closed)
    u = np.minimum(np.maximum(u * (1.0 + 1e-12), -np.log1p(-mean) * (1.0 + 1e-15)), _LARGEST_U)

    def excess_and_slope(u: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        p, q = -np.expm1(-u), np.exp(-u)
        value = _deviance(mean[rows], p) + _deviance(rest[rows], q)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (p - mean[rows]) / p
        return value - target[rows], slope

    def outside(u: Floats, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.asarray(excess_and_slope(u, rows)[0] >= 0)

    u = _push_out(_newton(u, excess_and_slope), outside)
    return np.minimum(np.nextafter(-np.expm1(-u), 2.0), 1.0)
