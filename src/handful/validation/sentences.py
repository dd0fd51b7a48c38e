"""Two scores compared, in a clinician's words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from handful.evidence import share_down

if TYPE_CHECKING:
    from handful.validation.validated import ScorePair


def pair_line(pair: ScorePair) -> str:
    """Which of two scores errs less often, if that can be said."""
    d = pair.difference
    head = f"{pair.second} against {pair.first}: "
    counts = (
        f"only the first errs on {pair.n_first_only} rows, only the second on "
        f"{pair.n_second_only}; "
    )
    if d.lower > 0.0:
        return f"{head}{counts}{pair.second} errs less often, by {share_down(d.lower)} at least."
    if d.upper < 0.0:
        return f"{head}{counts}{pair.second} errs more often, by {share_down(-d.upper)} at least."
    return (
        f"{head}{counts}no difference can be stated (errors fewer by "
        f"{math.floor(d.lower * 1000) / 10:+.1f} to {math.ceil(d.upper * 1000) / 10:+.1f} points)."
    )
