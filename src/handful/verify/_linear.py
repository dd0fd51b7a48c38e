"""Is a stored linear rule the one that was fitted again? Judged by what it can do to a case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import TOLERANCE, Audit

Floats = NDArray[np.float64]

_OWN = 1e-9  # of a weight itself: the rounding of a column far from zero


def check_linear(
    audit: Audit,
    where: str,
    found: tuple[Sequence[float], float],
    wanted: tuple[Sequence[float], float],
    X: Floats,
) -> bool:
    """Weights and threshold against those computed again, in units of the score.

    A weight that is off by little can move a score by much where its column is large, and two of
    them can cancel on all training rows. So each difference is multiplied by the largest value
    of its column, and must be small against the scores; so must be the difference on every row.
    """
    w, again = np.array(found[0], dtype=float), np.array(wanted[0], dtype=float)
    if not audit.equal(f"{where}: number of weights", len(w), len(again)):
        return False
    largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
    known = np.where(np.isnan(X), 0.0, X)
    size = float(np.abs(known @ again - wanted[1]).max(initial=0.0))
    rounding = 1e-13 * float((np.abs(again) * largest).sum())
    moved = np.abs(w - again) * largest
    allowed = TOLERANCE * size + _OWN * np.abs(again) * largest + 1e-300
    worst = int(np.argmax(moved - allowed)) if len(w) else 0
    holds = audit.check(
        f"{where}: weights",
        bool((moved <= allowed).all()),
        f"weight {worst + 1} is {found[0][worst]!r}, computed again {again[worst]!r}",
    )
    gaps = known @ (w - again) - (found[1] - wanted[1])
    return holds & audit.check(
        f"{where}: scores and threshold",
        float(np.abs(gaps).max(initial=0.0)) <= TOLERANCE * size + rounding,
        f"scores differ by up to {float(np.abs(gaps).max(initial=0.0)):.3g}",
    )
