"""Subgroups that were named beforehand: what can be said of each, or how many rows are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from handful.arrays import Floats, Mask
from handful.checks import check_count, check_delta, check_real
from handful.evidence.calibration import calibration_in_the_large
from handful.evidence.limits import Limits, rate_limits

MOST_WORDS = 10  # of one column: more are a measurement
NEAR = 0.25  # limits from both sides that are further apart than twice this say too little
_LARGEST = 10**7  # rows: nobody waits for more


@dataclass(frozen=True, kw_only=True)
class SubgroupRate:
    """A rate in a subgroup; ``n_more`` rows of the subgroup are missing if it is above 0."""

    name: str
    n_events: int
    n_rows: int
    limits: Limits
    n_more: int

    @property
    def says_enough(self) -> bool:
        """Whether the rows tell the rate well enough."""
        return self.n_more == 0


@dataclass(frozen=True, kw_only=True)
class SubgroupEvidence:
    """What is said of the rows with one word in one column."""

    column: str
    word: str
    n_rows: int
    n_cases: int
    rates: tuple[SubgroupRate, ...]
    in_the_large: Limits | None

    @property
    def label(self) -> str:
        """The subgroup in words."""
        return f"{self.column} = {self.word}"


def rows_until_near(rate: float, *, delta: float, near: float = NEAR) -> int:
    """Smallest number of rows whose limits from both sides are 2 ``near`` apart, if the rate stays.

    ``delta`` is the level of one side.

    Examples
    --------
    >>> rows_until_near(0.8, delta=0.0125)
    15
    """
    rate = check_real("rate", rate, low=0.0, high=1.0)
    delta = check_delta(delta)
    high = 1
    while not _is_near(round(rate * high), high, delta, near) and high < _LARGEST:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        is_near = _is_near(round(rate * middle), middle, delta, near)
        low, high = (low, middle) if is_near else (middle, high)
    return high


def _is_near(n_events: int, n_rows: int, delta: float, near: float = NEAR) -> bool:
    """Whether so many rows tell the rate well enough, from both sides."""
    found = rate_limits(n_events, n_rows, delta=min(2.0 * delta, 0.99))
    return found.upper - found.lower <= 2.0 * near


def _rate(name: str, hits: Mask, among: Mask, n_rows: int, delta: float) -> SubgroupRate:
    """One rate, and how many rows more of the subgroup it needs."""
    n_hits, n = int((hits & among).sum()), int(among.sum())
    limits = rate_limits(n_hits, n, delta=delta, side="above" if name == "error" else "below")
    n_more = 0
    if not _is_near(n_hits, n, delta):
        usual = limits.estimate if n else 0.5
        share = max(n, 0.5) / max(n_rows, 1)
        needed = max(rows_until_near(usual, delta=delta) - n, 1)
        n_more = math.ceil(needed / min(share, 1.0))
    return SubgroupRate(name=name, n_events=n_hits, n_rows=n, limits=limits, n_more=n_more)


def subgroup_evidence(
    columns: Mapping[str, Sequence[str | None]],
    is_flagged: Mask,
    is_case: Mask,
    *,
    delta: float = 0.05,
    probabilities: Floats | None = None,
    case_control: bool = False,
) -> tuple[SubgroupEvidence, ...]:
    """Error, sensitivity, specificity and calibration in the large in every subgroup.

    Statement: if rows are independent with one distribution and the columns were named before
    these rows, all limits hold at once with probability 1 - delta at least. Given which rows are
    in which subgroup, each is a sample of its own. Every statement in every subgroup pays an
    equal share, also one that says too little. Rows without a word form a subgroup "missing".

    Examples
    --------
    >>> sex = ["f", "m"] * 50
    >>> case = np.arange(100) < 40
    >>> one, two = subgroup_evidence({"sex": sex}, case, case)
    >>> one.label, one.n_rows, [(rate.name, rate.n_more) for rate in one.rates]
    ('sex = f', 50, [('error', 0), ('sensitivity', 0), ('specificity', 0)])
    """
    check_delta(delta)
    if not columns:
        return ()
    named = [(column, *_words(column, words, is_case.size)) for column, words in columns.items()]
    n_groups = sum(len(known) for _, known, _ in named)
    n_statements = (0 if case_control else 1) + 2 + (probabilities is not None)
    share = delta / (check_count("n_groups", n_groups, low=1) * n_statements)
    found = []
    for column, known, places in named:
        for k, word in enumerate(known):
            inside = places == k
            case, n = is_case & inside, int(inside.sum())
            other, wrong = inside & ~is_case, is_flagged != is_case
            rates = [] if case_control else [_rate("error", wrong, inside, n, share)]
            rates.append(_rate("sensitivity", is_flagged, case, n, share))
            rates.append(_rate("specificity", ~is_flagged, other, n, share))
            large = None
            if probabilities is not None:
                y = case[inside].astype(np.float64)
                large = calibration_in_the_large(probabilities[inside], y, delta=share)
            found.append(
                SubgroupEvidence(
                    column=column, word=word, n_rows=n, n_cases=int(case.sum()),
                    rates=tuple(rates), in_the_large=large,
                )
            )  # fmt: skip
    return tuple(found)


def _words(column: str, words: Sequence[str | None], n_rows: int) -> tuple[list[str], Floats]:
    """The words of a column and the place of each row among them."""
    if len(words) != n_rows:
        raise ValueError(
            f"`subgroups` must have one word a row, got {len(words)} of {column!r} for {n_rows} "
            "rows. Pass the column whole."
        )
    said = np.array(["missing" if word is None else word for word in words], dtype=object)
    known = sorted(set(said.tolist()))
    if len(known) > MOST_WORDS:
        raise ValueError(
            f"`subgroups` must name columns of at most {MOST_WORDS} words, got {len(known)} in "
            f"{column!r}. Cut a number into classes before the outcome is looked at."
        )
    place = {word: k for k, word in enumerate(known)}
    return known, np.array([place[word] for word in said.tolist()], dtype=np.float64)
