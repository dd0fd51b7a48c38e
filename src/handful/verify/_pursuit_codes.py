"""Matching pursuit whose coefficients are said, follow from the centres, or do not matter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import MP, log, log_binomial
from handful.verify._audit import Audit, is_close
from handful.verify._claims import Claim
from handful.verify._geometry import kernel_values
from handful.verify._terms import Term, Terms
from handful.verify._wording import Wording

Floats = NDArray[np.float64]
Document = Mapping[str, Any]

_LECTURES = "Hussain & Shawe-Taylor (2008), Theory of matching pursuit, NIPS"
# What a message can name: part of the code, so it must be the same here.
_LEVELS = (1, 2, 4, 8, 16, 32, 64)
_RIDGES = (0.01, 0.1, 1.0, 10.0)  # as above
_MOST_DEEP = 6  # levels of dyadic thresholds that have a price


def scaled(machine: Document, X: Floats) -> Floats:
    """Rows in the units of the machine's points."""
    if machine["center"] is not None:
        X = X - np.array(machine["center"], dtype=float)
    return X if machine["scale"] is None else X / np.array(machine["scale"], dtype=float)


def matrix(kernel: Document, A: Floats, B: Floats) -> Floats:
    """K of shape (len(A), len(B))."""
    if not len(B):
        return np.zeros((len(A), 0))
    return np.column_stack([kernel_values(kernel, b, A) for b in B])


def _in_order(machine: Document, rows: Floats) -> Floats:
    """Coefficients in the order of the rows; equal rows keep the order of the file."""
    left = list(zip(machine["points"], machine["coefficients"], strict=True))
    out = []
    for row in scaled(machine, rows).tolist():
        at = [i for i, (point, _) in enumerate(left) if point == row]
        out.append(left.pop(at[0])[1])  # a LookupError where the row is no point
    return np.array(out, dtype=float)


def quantised_terms(audit: Audit, document: Document, rows: Floats, Y: Floats) -> Terms:
    machines = document["machines"]
    whole = (
        np.array([_in_order(machine, rows) for machine in machines]).reshape(len(machines), -1).T
    )
    shifts = [machine["intercept"] for machine in machines]
    is_whole = bool((whole == np.round(whole)).all() and (whole != 0).all())
    is_whole &= all(float(b) == round(b) for b in shifts)
    largest = float(np.abs(whole).max(initial=1.0))
    if not audit.check("coefficients are whole numbers", is_whole and largest <= _LEVELS[-1]):
        return []
    level = next(known for known in _LEVELS if known >= largest)
    n_agree = int((np.sign(whole) == Y).sum())
    signs = log(whole.size + 1) + log_binomial(whole.size, n_agree)
    nats = sum((log(MP.pi**2 / 3) + 2 * log(abs(int(b)) + 1) for b in shifts), MP.mpf(0))
    return [
        Term("levels", "number of levels", log(len(_LEVELS))),
        Term("coefficients", "sizes of the coefficients", whole.size * log(level)),
        Term("signs", "signs of the coefficients", signs),
        Term("intercept", "intercept", nats),
    ]


def chosen_terms(audit: Audit, document: Document, rows: Floats, Y: Floats) -> Terms:
    p, machines = document["settings"]["parameters"], document["machines"]
    found = np.array([_in_order(m, rows) for m in machines]).reshape(len(machines), -1).T
    rows = scaled(machines[0], rows)
    K = matrix(machines[0]["kernel"], rows, rows)
    fits = [np.linalg.solve(K + ridge * np.eye(len(rows)), Y) for ridge in _RIDGES]
    sizes = [float(np.abs(fit).max(initial=1e-300)) for fit in fits]
    gaps = [np.abs(found - fit).max(initial=0.0) / s for fit, s in zip(fits, sizes, strict=True)]
    audit.check("coefficients follow from the centres", min(gaps) <= 1e-8, "of no known ridge")
    unit = float(np.abs(found).sum() * np.abs(K).max(initial=0.0)) if len(rows) else 1.0
    nats = MP.mpf(0)
    if p.get("fit_intercept") and len(machines) == 1:
        nats = _dyadic_nats(audit, machines[0]["intercept"] / unit)
    else:
        audit.equal("intercepts", [m["intercept"] for m in machines], [0.0] * len(machines))
    return [
        Term("ridge", "ridge of the coefficients", log(len(_RIDGES))),
        Term("threshold", "threshold", nats),
    ]


def _dyadic_nats(audit: Audit, share: float) -> Any:
    """Price of a threshold at 0 or at an odd multiple of 2^-l, l <= 6."""
    for level in range(_MOST_DEEP + 1):
        j = round(share * 2**level)
        if is_close(share, j / 2**level, 1e-3) and abs(j) < max(2**level, 1):
            return log(2) if j == 0 else log(2) + log(level * (level + 1)) + level * log(2)
    audit.check("threshold is a dyadic share", False, repr(share))
    return MP.mpf(0)


def lectures_claim(m: int, d: int, n_errors: int, delta: float, choice_nats: float) -> Claim:
    """The bound of the lectures, with the confidence shared among kernels and choices."""
    n_kept, t = max(1, d), min(n_errors, m - max(1, d))
    n = m - n_kept - t
    terms: Terms = []
    if 2 * n > n_kept:
        factor = 2.0 / (n * math.log(2.0))
        growth = (n_kept + 1) * math.log(4.0 * math.e * n / (n_kept + 1))
        errors = t * math.log(math.e * (m - n_kept) / t) if t else 0.0
        last = math.log(2.0 * m * m / delta) + choice_nats
        terms = [
            Term("functions", "classes of functions on a double sample", factor * growth),
            Term(
                "kept", "which examples are chosen", factor * n_kept * math.log(math.e * m / n_kept)
            ),
            Term("errors", "which examples are errors", factor * errors),
            Term("sizes", "sizes and confidence", factor * last),
        ]
    wording = Wording(("iid", "preprocessing"), _LECTURES, unit="risk")
    return Claim("matching-pursuit", "sum", terms, wording, m, t, d, is_vacuous=not terms)
