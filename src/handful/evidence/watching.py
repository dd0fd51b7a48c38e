"""After deployment: evidence against a claimed risk, in the order of the cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc, betaln, xlogy

from handful.arrays import Floats
from handful.bounds import kl_divergence, kl_inverse
from handful.checks import check_count, check_delta, check_real
from handful.evidence.limits import check_outcomes, complement
from handful.evidence.loops import grow_capitals

PRIOR = (2.0, 8.0)  # of the Beta law over risks above the claim; drifts to .1-.4 are likeliest
MIXTURE_SHARE = 0.6  # of the evidence, for a risk that is too high from the start
RUN_LENGTH = 10_000  # cases between two false notices of the detector, on average at least
_ODDS_RATIOS = (1.5, 2.0, 3.0)  # of the risks after a late drift against the claimed one
_FLOOR = -5.0  # smaller logarithms of evidence are not computed: they are rounded down to 0
_SLACK = 1e-6  # nats; more than the rounding of beta functions at 10^7 cases


def _check_prior(prior: tuple[float, float]) -> tuple[float, float]:
    a, b = prior
    return check_real("prior[0]", a, low=0.1), check_real("prior[1]", b, low=0.1)


def _check_claim(claim: float) -> float:
    return check_real("claim", claim, low=0.0, high=1.0, low_open=True, high_open=True)


def _check_path(n_errors: ArrayLike, n_cases: ArrayLike) -> tuple[Floats, Floats]:
    k, t = np.asarray(n_errors, dtype=np.float64), np.asarray(n_cases, dtype=np.float64)
    if not ((k >= 0) & (k <= t)).all():
        raise ValueError(
            f"`n_errors` must be between 0 and the number of cases, got {n_errors!r} of "
            f"{n_cases!r}. Count both over the same cases."
        )
    return k, t


def log_mixture_evidence(
    n_errors: ArrayLike,
    n_cases: ArrayLike,
    *,
    claim: float,
    prior: tuple[float, float] = PRIOR,
) -> Floats:
    """Logarithm of the evidence that the risk is above ``claim``, from the first case on.

    Statement: if each case errs with probability ``claim`` at most given all earlier ones, the
    probability that the evidence ever reaches 1 / alpha is alpha at most, at any number of
    cases. The evidence is the likelihood ratio against the claim, averaged over a Beta law that is
    cut to (claim, 1]. It depends on the two counts only. It is rounded down, and
    to 0 if it is below exp(-5) or so.

    Reference: Ville (1939); Robbins (1970); Ramdas, Grunwald, Vovk & Shafer (2023).

    Examples
    --------
    >>> round(float(log_mixture_evidence(24, 100, claim=0.1)), 4)
    7.0756
    """
    k, t = _check_path(n_errors, n_cases)
    r = _check_claim(claim)
    a, b = _check_prior(prior)
    k, t = np.broadcast_arrays(k, t)
    whole = betaln(a + k, b + t - k) - betaln(a, b) - math.log(betaincc(a, b, r))
    whole -= k * math.log(r) + (t - k) * math.log1p(-r) + _SLACK
    # The cut leaves the part of the mixture above the claim. Chernoff's bound of this part is
    # fast and shows which values are too small to matter.
    n = a + b + t - 1.0
    share = np.clip((a + k - 1.0) / n, 0.0, 1.0)
    is_needed = whole - n * np.where(share < r, kl_divergence(share, r), 0.0) > _FLOOR
    result = np.full(whole.shape, -np.inf)
    with np.errstate(divide="ignore", under="ignore"):
        part = np.log(betaincc(a + k[is_needed], b + (t - k)[is_needed], r))
    result[is_needed] = whole[is_needed] + part
    return result[()]


def running_limits(
    n_errors: ArrayLike,
    n_cases: ArrayLike,
    *,
    alpha: float = 0.05,
    prior: tuple[float, float] = (0.5, 0.5),
) -> tuple[Floats, Floats]:
    """Limits of a constant risk that hold at all numbers of cases at once.

    Statement: if cases err independently with one risk, then with probability 1 - alpha at least,
    lower <= risk <= upper at every number of cases. The limits contain the risks against which the
    Beta mixture of likelihood ratios is below 1 / alpha. They say nothing about a risk that
    changes: print them as "if unchanged". Reference: Robbins (1970).

    Examples
    --------
    >>> lower, upper = running_limits([0, 10], [0, 100])
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.0, 0.0291], [1.0, 0.2275])
    """
    k, t = _check_path(n_errors, n_cases)
    a, b = _check_prior(prior)
    nats = -math.log(check_delta(alpha)) + _SLACK
    whole = np.maximum(t, 1.0)
    share = np.clip(k / whole, 0.0, 1.0)
    # The mixture over the likelihood at risk p is exp(t kl(share, p)) times its value at the share.
    at_share = betaln(a + k, b + t - k) - betaln(a, b) - xlogy(k, share) - xlogy(t - k, 1.0 - share)
    rate = np.maximum((nats - at_share) / whole, 0.0)
    upper = np.where(t > 0, kl_inverse(share, rate), 1.0)
    lower = np.where(t > 0, complement(np.asarray(kl_inverse(1.0 - share, rate))), 0.0)
    return lower, upper


@dataclass(frozen=True, kw_only=True)
class Watch:
    """What is watched, fixed before the first case.

    The evidence is ``mixture_share`` of the mixture from the start plus the rest for late drifts;
    both have expectation 1 at most, so their weighted sum has. An alarm is raised if it reaches
    1 / alpha. The detector is a notice: its run length, not alpha, limits false ones.
    """

    claim: float
    alpha: float = 0.05
    prior: tuple[float, float] = PRIOR
    mixture_share: float = MIXTURE_SHARE
    run_length: float = RUN_LENGTH

    def __post_init__(self) -> None:
        _check_claim(self.claim)
        check_real("alpha", self.alpha, low=0.0, high=1.0, low_open=True, high_open=True)
        check_real("mixture_share", self.mixture_share, low=0.0, high=1.0)
        check_real("run_length", self.run_length, low=1.0)
        _check_prior(self.prior)

    def drifts(self) -> Floats:
        """Risks after a late drift against which the claim is compared."""
        odds = np.asarray(_ODDS_RATIOS) * self.claim / (1.0 - self.claim)
        return odds / (1.0 + odds)


@dataclass(frozen=True, kw_only=True)
class WatchState:
    """All that is kept between two batches: counts, capitals, and the first alarm and notice."""

    n_cases: int = 0
    n_errors: int = 0
    late: tuple[float, ...] = (0.0,) * len(_ODDS_RATIOS)
    detector: tuple[float, ...] = (0.0,) * len(_ODDS_RATIOS)
    alarm_at: int | None = None
    notice_at: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class WatchPath:
    """Logarithms after each case of a batch: evidence (alarm) and detector (notice)."""

    log_evidence: Floats
    log_detector: Floats


def late_capitals(
    watch: Watch, losses: ArrayLike, *, n_before: int = 0, start: tuple[float, ...], detector: bool
) -> tuple[Floats, tuple[float, ...]]:
    """Capitals against a drift that begins at any case: their mean after each case, and the last.

    M_t = (M_{t-1} + g_t) * ratio_t, with ratio_t the likelihood ratio of a risk after the drift
    against the claim. With g_t = 1 / log2(t + 1) - 1 / log2(t + 2), of sum 1, the claim lets M
    plus what is left of the sum fall on average, so M reaches 1 / alpha with probability alpha at
    most. With g_t = 1 (detector), M_t - t falls on average, so M reaches c within T cases with
    probability T / c at most. Reference: Shin, Ramdas & Rinaldo (2024), E-detectors.
    """
    flags = check_outcomes("losses", losses) == 1.0
    capitals, path = np.array(start, dtype=np.float64), np.empty(flags.size)
    p, r = watch.drifts(), watch.claim
    grow_capitals(flags, n_before, capitals, p / r, (1.0 - p) / (1.0 - r), detector, path)
    return path, tuple(capitals.tolist())


def watch_batch(watch: Watch, state: WatchState, losses: ArrayLike) -> tuple[WatchState, WatchPath]:
    """Let a batch of cases enter, in the order of their predictions; constant cost a case.

    Statement: if each case errs with probability ``watch.claim`` at most given all earlier ones,
    an alarm is ever raised with probability ``watch.alpha`` at most, however cases are divided
    into batches. A notice is raised within T cases with probability T / run_length at most. Cases
    that are not resolved count as no error here.

    Examples
    --------
    >>> watch = Watch(claim=0.1)
    >>> state, path = watch_batch(watch, WatchState(), [0, 1, 0, 0, 1] * 40)
    >>> state.n_cases, state.n_errors, state.alarm_at
    (200, 80, 15)
    """
    flags = check_outcomes("losses", losses)
    n = check_count("state.n_cases", state.n_cases)
    counts = state.n_errors + np.cumsum(flags)
    cases = n + np.arange(1.0, flags.size + 1.0)
    mixture = log_mixture_evidence(counts, cases, claim=watch.claim, prior=watch.prior)
    late, late_end = late_capitals(watch, flags, n_before=n, start=state.late, detector=False)
    noticed, end = late_capitals(watch, flags, n_before=n, start=state.detector, detector=True)
    with np.errstate(divide="ignore"):
        from_start = math.log(watch.mixture_share) if watch.mixture_share > 0 else -math.inf
        later = math.log1p(-watch.mixture_share) if watch.mixture_share < 1 else -math.inf
        path = WatchPath(
            log_evidence=np.logaddexp(mixture + from_start, np.log(late) + later) - _SLACK,
            log_detector=np.log(noticed) - _SLACK,
        )
    new = replace(
        state,
        n_cases=n + flags.size,
        n_errors=int(counts[-1]),
        late=late_end,
        detector=end,
        alarm_at=_first(state.alarm_at, path.log_evidence, -math.log(watch.alpha), n),
        notice_at=_first(state.notice_at, path.log_detector, math.log(watch.run_length), n),
    )
    return new, path


def _first(known: int | None, path: Floats, target: float, n_before: int) -> int | None:
    """Number of the case at which the target was first reached; an earlier one stays."""
    is_reached = path >= target
    if known is not None or not is_reached.any():
        return known
    return n_before + int(np.argmax(is_reached)) + 1
