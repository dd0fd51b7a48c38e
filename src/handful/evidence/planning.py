"""How many rows evidence will need: planned with guesses, before any row is seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Floats
from handful.bounds import counted_needed, kl_divergence, kl_inverse
from handful.checks import check_count, check_delta, check_real
from handful.display import Display
from handful.evidence.gathered import SHARES
from handful.evidence.subgroups import rows_until_near
from handful.evidence.watching import Watch, WatchState, watch_batch

_N_STREAMS = 400  # simulated, of which the median delay is taken
_FIRST_LENGTH = 500  # cases of a simulated stream; doubled until half of them have an alarm
_LONGEST = 64_000  # cases: a delay beyond it is not planned
_N_RATES = 4  # statements that share the level of the rates
_N_SUBGROUP = 3  # error, sensitivity and specificity in each subgroup


def _share(name: str, value: float) -> float:
    return check_real(
        name, value, low=0.0, high=1.0, low_open=True, high_open=True, hint="Pass a share."
    )


def score_rows_needed(
    target_risk: float, error_rate: float, *, delta: float = 0.05, n_scores: int = 1
) -> int:
    """Rows until the certificate of a score that exists is ``target_risk``, if it errs so often.

    Examples
    --------
    >>> score_rows_needed(0.25, 0.2)
    247
    """
    nats = math.log(check_count("n_scores", n_scores, low=1))
    return counted_needed(target_risk, error_rate, message_nats=nats, delta=delta)


def rate_rows_needed(
    target: float,
    expected: float,
    *,
    share: float,
    delta: float = 0.05,
    message_nats: float | None = None,
) -> int:
    """Rows until a sensitivity (or specificity) is certified to be ``target`` at least.

    ``share`` of the rows are cases (or others). Without ``message_nats`` the level is that of
    `gather_evidence`.

    Examples
    --------
    >>> rate_rows_needed(0.8, 0.9, share=0.2)
    660
    """
    _share("target", target)
    nats = -math.log(SHARES["rates"] / _N_RATES) if message_nats is None else message_nats
    counted = counted_needed(1.0 - target, 1.0 - expected, message_nats=nats, delta=delta)
    return math.ceil(counted / _share("share", share))


def area_rows_needed(
    target: float, expected: float, *, prevalence: float, delta: float = 0.05
) -> int:
    """Rows until the limit of the area under the ROC curve from below is ``target``.

    Examples
    --------
    >>> area_rows_needed(0.7, 0.8, prevalence=0.2)
    1165
    """
    if not _share("target", target) < _share("expected", expected):
        raise ValueError(
            f"`target` must be below what is expected, got {target!r} and {expected!r}."
        )
    nats = -math.log(0.5 * SHARES["area"] * check_delta(delta))
    smaller = min(_share("prevalence", prevalence), 1.0 - prevalence)
    return math.ceil(nats / float(kl_divergence(expected, target)) / smaller)


def subgroup_rows_needed(
    expected: float,
    *,
    prevalence: float,
    share: float,
    n_groups: int = 2,
    delta: float = 0.05,
) -> int:
    """Rows of the whole table until a subgroup's sensitivity says enough.

    Examples
    --------
    >>> subgroup_rows_needed(0.9, prevalence=0.2, share=0.3)
    284
    """
    n = _N_SUBGROUP * check_count("n_groups", n_groups, low=1)
    level = SHARES["subgroups"] * check_delta(delta) / n
    cases = rows_until_near(expected, delta=level)
    return math.ceil(cases / _share("prevalence", prevalence) / _share("share", share))


def alarm_delay(
    claim: float, risk: float, *, alpha: float = 0.05, n_claims: int = 3, after: int = 0
) -> float:
    """Median cases from the change to the alarm, in simulated streams; infinite beyond 64 000.

    The risk is the claimed one for ``after`` cases, then ``risk``. An estimate from 400 streams.

    Examples
    --------
    >>> 60 < alarm_delay(0.1, 0.2) < 140
    True
    """
    if not _share("claim", claim) < _share("risk", risk):
        raise ValueError(f"`risk` must be above the claim, got {risk!r} and {claim!r}.")
    watch = Watch(claim=claim, alpha=alpha / check_count("n_claims", n_claims, low=1))
    rng, length = np.random.default_rng(0), _FIRST_LENGTH
    while length <= _LONGEST:
        risks = np.where(np.arange(after + length) < after, claim, risk)
        found = [
            watch_batch(watch, WatchState(), rng.random(risks.size) < risks)[0].alarm_at or math.inf
            for _ in range(_N_STREAMS)
        ]
        delay = float(np.median([at - after for at in found if at > after]))
        if delay < math.inf:
            return delay
        length *= 4
    return math.inf


@dataclass
class PlanDisplay(Display):
    """What can be expected of tables of several sizes.

    Examples
    --------
    >>> display = PlanDisplay.of("area under the ROC curve, at least", lambda n: n / 10, [1, 2])
    >>> display.frame()["limit"].tolist()
    [0.1, 0.2]
    """

    name: str
    n_rows: Sequence[int]
    limits: Floats

    @classmethod
    def of(cls, name: str, planned: Callable[[int], float], sizes: Sequence[int]) -> PlanDisplay:
        """From a function of the number of rows."""
        return cls(name, list(sizes), np.array([planned(n) for n in sizes]))

    def _columns(self) -> dict[str, Any]:
        return {"n_rows": list(self.n_rows), "limit": self.limits}

    def plot(self, ax: Any = None) -> PlanDisplay:
        """One curve."""
        ax = self._axes(ax)
        ax.plot(self.n_rows, self.limits, "o-")
        ax.set(xlabel="rows", ylabel=self.name)
        return self


def planned_area(n_rows: int, expected: float, *, prevalence: float, delta: float = 0.05) -> float:
    """The limit from below of the area under the ROC curve on so many rows."""
    nats = -math.log(0.5 * SHARES["area"] * check_delta(delta))
    smaller = max(1.0, min(prevalence, 1.0 - prevalence) * check_count("n_rows", n_rows, low=1))
    return float(1.0 - kl_inverse(1.0 - expected, nats / smaller))
