"""Kernel matching pursuit: pools drawn and fitted again, messages priced again.

A pool's machine is a function of the pool alone, so it is trained again there, by the plainest
algorithm: each round tries every candidate. The other codes are rebuilt from their centres and
whole numbers. The bound of the lectures holds for all coefficients and needs no training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful.verify.arithmetic import MP, log, log_binomial
from handful.verify.audit import Audit, Document, Floats, Ints, is_close
from handful.verify.claims import (
    LANGFORD,
    Claim,
    Price,
    Prices,
    choice_prices,
    confidence,
    drawn_by,
)
from handful.verify.evaluate import kernel_matrix, scaled
from handful.verify.evidence import Evidence, kernel_of, sum_views

# Every candidate is tried at every step: more takes too long for a check.
_MOST_POOL, _MOST_CENTERS = 3000, 200
_BOUNDS = {
    "pool": "pool",
    "chosen": "compression",
    "quantised": "compression",
    "least_squares": "matching-pursuit",
}
_LECTURES = "Hussain & Shawe-Taylor (2008), Theory of matching pursuit, NIPS"
# What a message can name: part of the code, so it must be the same here.
_LEVELS = (1, 2, 4, 8, 16, 32, 64)
_RIDGES = (0.01, 0.1, 1.0, 10.0)  # as above
_MOST_DEEP = 6  # levels of dyadic thresholds that have a price
_TIE = 1e-10  # of the size of summands, as the library's


def pursuit_claim(evidence: Evidence) -> Claim | None:
    """What the certificate of a pursuit must say."""
    audit, p, n = evidence.audit, evidence.parameters, evidence.n
    form, views = p.get("coefficients"), sum_views(evidence.form)
    if not audit.check("settings: coefficients", form in _BOUNDS, repr(form)[:80]):
        return None
    if form == "pool":
        return _pool_claim(evidence, views)
    centers, order = evidence.kept, evidence.order
    rows, targets = evidence.X[centers], _targets(evidence, len(views))
    _check_points(evidence, views, rows)
    _check_kernel(evidence, views)
    n_errors, choices = evidence.n_outside(centers), _choices(p, evidence.X.shape[1])
    if form == "least_squares":
        if _is_plain(p) and n <= _MOST_POOL and p["n_centers"] <= _MOST_CENTERS:
            _check_training(evidence, views, order, targets)
        else:
            audit.leave("training, which is not repeated here for these parameters")
        nats = sum((float(price.nats) for price in choices), 0.0)
        return _lectures_claim(n, len(centers), n_errors, evidence.delta, nats)
    coded = chosen_prices if form == "chosen" else quantised_prices
    message = coded(evidence, views, rows, targets[centers])
    n_named = _n_named(evidence)
    prices = [Price("kept", "which examples are kept", log_binomial(n_named, len(centers)))]
    prices += [*message, *choices, *choice_prices(audit, evidence.certificate, "families")]
    prices.append(confidence(evidence.delta))
    blind = () if n_named == n else ("blind-pool", drawn_by(evidence.seed))
    words, d = ("iid", "preprocessing", *blind), len(centers)
    return Claim("compression", "tail", prices, words, LANGFORD, n, n_errors, d, n - d)


def _targets(evidence: Evidence, n_sums: int) -> Floats:
    return np.column_stack([evidence.signs(k, n_sums) for k in range(n_sums)])


def _n_named(evidence: Evidence) -> int:
    """Number of the examples that centres were named from; the first of the order."""
    candidates, n = evidence.parameters.get("candidates"), evidence.n
    if candidates is None or isinstance(candidates, list):
        return n
    evidence.audit.count("settings: candidates", candidates, 1, 10**9)
    if candidates < n:
        drawn = set(evidence.order[:candidates].tolist())
        is_drawn = set(evidence.kept) <= drawn
        evidence.audit.check("candidates", is_drawn, "are not those that the data draw")
    return min(int(candidates), n)


def _check_points(evidence: Evidence, views: Sequence[Document], rows: Floats) -> None:
    """The points are the rows of the compression set, scaled as the file says."""
    wanted = sorted(scaled(views[0], rows).tolist())
    given = evidence.parameters.get("scale")
    shift = [0.0] * rows.shape[1] if isinstance(given, list) else None
    scales = [shift, [float(part) for part in given] if isinstance(given, list) else None]
    for k, view in enumerate(views):
        where = f"machine {k + 1}"
        evidence.audit.equal(f"{where}: scale", [view["center"], view["scale"]], scales)
        evidence.audit.equal(f"{where}: points", sorted(view["points"]), wanted)
        evidence.audit.equal(f"{where}: tie", view["tie"], _TIE)


def _gammas(p: Document, n_features: int) -> list[Any]:
    gamma = p.get("gamma")
    if gamma == "three" and p.get("kernel") not in ("rbf", "poly"):
        return ["auto"]
    if gamma == "three":
        return [share / n_features for share in (0.1, 0.3, 1.0)]
    return gamma if isinstance(gamma, list) else [gamma]


def _stop(p: Document) -> str:
    if p.get("stop") != "auto":
        return str(p.get("stop"))
    return "size" if p["coefficients"] == "least_squares" else "certificate"


def _choices(p: Document, n_features: int) -> Prices:
    """What the choices of kernel and size cost."""
    is_pool, stop, n = p["coefficients"] == "pool", _stop(p), len(_gammas(p, n_features))
    terms: Prices = []
    if n > 1 and not (is_pool and stop == "validation"):
        terms.append(Price("kernel", f"kernel, one of {n}", log(n)))
    is_sized = p["coefficients"] != "least_squares" and not (is_pool and stop != "certificate")
    if is_sized:
        size = int(p["n_centers"]) + 1
        terms.append(Price("size", f"size, one of {size}", log(size)))
    return terms


def _check_kernel(evidence: Evidence, views: Sequence[Document]) -> None:
    """The kernel is one of those that were offered, the same for all machines."""
    p, n_features = evidence.parameters, evidence.X.shape[1]
    offered = [p["kernel"]] if isinstance(p.get("kernel"), Mapping) else []
    if not offered:
        offered = [kernel_of({**p, "gamma": g}, n_features) for g in _gammas(p, n_features)]
    for k, view in enumerate(views):
        holds = view["kernel"] in offered and view["kernel"] == views[0]["kernel"]
        evidence.audit.check(f"machine {k + 1}: kernel", holds, "is not among those offered")


# -- the pool ---------------------------------------------------------------------------------


def _pool_claim(evidence: Evidence, views: Sequence[Document]) -> Claim | None:
    audit, p, n, kept = evidence.audit, evidence.parameters, evidence.n, evidence.kept
    pool = evidence.order[: pursuit_pool_size(n, p.get("pool_fraction"))]
    if not audit.equal("pool", kept, sorted(pool.tolist())):
        return None
    _check_kernel(evidence, views)
    if _is_plain(p) and len(kept) <= _MOST_POOL and p["n_centers"] <= _MOST_CENTERS:
        _check_training(evidence, views, pool, _targets(evidence, len(views)))
    else:
        audit.leave("training on the pool, which is not repeated here for these parameters")
    prices = [*_choices(p, evidence.X.shape[1])]
    prices += [*choice_prices(audit, evidence.certificate, "families"), confidence(evidence.delta)]
    words, n_errors = ("iid", "blind-pool", drawn_by(evidence.seed)), evidence.n_outside(kept)
    return Claim("pool", "tail", prices, words, LANGFORD, n, n_errors, len(kept), n - len(kept))


def pursuit_pool_size(n_samples: int, fraction: Any) -> int:
    """How many examples a pool has.

    Examples
    --------
    >>> pursuit_pool_size(100, 0.4), pursuit_pool_size(12, 0.1)
    (40, 6)
    """
    return max(math.ceil(fraction * n_samples), min(10, math.ceil(n_samples / 2)))


def _is_plain(p: Document) -> bool:
    """Parameters whose training is repeated here."""
    return (
        p.get("criterion") == "residual"
        and p.get("candidates") is None
        and p.get("multi_class") == "shared"
        and p.get("tol") == 0.0
        and p.get("scale") in ("auto", None)
        and _stop(p) in ("certificate", "size")
        and type(p.get("n_centers")) is int
        and type(p.get("fit_intercept")) is bool
    )


def _check_training(
    evidence: Evidence, views: Sequence[Document], rows: Ints, targets: Floats
) -> None:
    """Scale, centres and coefficients of some rows, computed again."""
    audit, p, X, Y = evidence.audit, evidence.parameters, evidence.X[rows], targets[rows]
    _check_scale(audit, p, views[0], X)
    Z, n = scaled(views[0], X), len(views[0]["points"])
    if not audit.count("number of centres", n, 0, p["n_centers"]):
        return
    K = kernel_matrix(views[0]["kernel"], Z, Z)
    chosen = pursue(K, Y, n, p["fit_intercept"])
    centers = Z[chosen].tolist()
    coefficients = ridge_fit(K[:, chosen], Y, p["ridge"], p["fit_intercept"])
    for k, view in enumerate(views):
        where, units = f"machine {k + 1}", [view[name] for name in ("center", "scale", "tie")]
        alike = [views[0]["center"], views[0]["scale"], _TIE]
        audit.check(f"{where}: scale and tie", units == alike)
        if not audit.equal(f"{where}: centres", sorted(view["points"]), sorted(centers)):
            continue
        order = [view["points"].index(point) for point in centers]
        weights = np.array(view["coefficients"], dtype=float)[order]
        wanted = np.append(coefficients[1:, k], coefficients[0, k])
        size = float(np.abs(wanted).max(initial=1e-300))
        off = np.abs(np.append(weights, view["intercept"]) - wanted).max(initial=0.0)
        audit.check(f"{where}: coefficients", off <= 1e-6 * size, f"are off by {off:.2g}")


def _check_scale(audit: Audit, p: Document, view: Document, X: Floats) -> None:
    center, scale = view["center"], view["scale"]
    if p["scale"] != "auto" or p["coefficients"] != "pool":
        audit.equal("scale", [center, scale], [None, None])
        return
    spread = X.std(axis=0)
    units = np.where(spread > 0.0, spread, 1.0)
    gap = [np.abs(np.subtract(center, X.mean(axis=0))), np.abs(np.subtract(scale, units))]
    holds = bool((np.array(gap) <= 1e-10 * (units + 1e-4 * np.abs(X).max(axis=0))).all())
    audit.check("scale of the pool", holds, "is not its mean and deviation")


def pursue(K: Floats, Y: Floats, n_centers: int, has_constant: bool) -> list[int]:
    """Columns chosen one by one, each the one that leaves the smallest residual with all before."""
    m = len(K)
    basis = [np.full(m, 1.0 / math.sqrt(m))] if has_constant else []
    columns, R = K.copy(), Y.copy()
    for q in basis:
        columns, R = columns - np.outer(q, q @ columns), R - np.outer(q, q @ R)
    norms = np.einsum("ij,ij->j", K, K)
    chosen: list[int] = []
    while len(chosen) < n_centers:
        squares = np.einsum("ij,ij->j", columns, columns)
        is_free = squares > 1e-12 * norms
        is_free[chosen] = False
        gains = np.where(
            is_free, ((columns.T @ R) ** 2).sum(axis=1) / np.where(is_free, squares, 1), 0
        )
        best = int(np.argmax(gains >= gains.max() * (1 - 1e-9)))
        q = columns[:, best] / math.sqrt(squares[best])
        for known in basis:
            q = q - known * (known @ q)
        q = q / np.linalg.norm(q)
        basis.append(q)
        chosen.append(best)
        columns, R = columns - np.outer(q, q @ columns), R - np.outer(q, q @ R)
    return chosen


def ridge_fit(K: Floats, Y: Floats, ridge: float, has_constant: bool) -> Floats:
    """Intercepts (first row, zero if there is none) and coefficients, the latter penalised."""
    m = len(K)
    A = np.column_stack([np.ones(m), K]) if has_constant else K
    penalty = math.sqrt(ridge) * np.eye(A.shape[1])[int(has_constant) :]
    b = np.vstack([Y, np.zeros((len(penalty), Y.shape[1]))])
    found = np.linalg.lstsq(np.vstack([A, penalty]), b, rcond=None)[0]
    return found if has_constant else np.vstack([np.zeros(Y.shape[1]), found])


# -- coefficients that are said, that follow from the centres, or that do not matter -------------


def _in_order(machine: Document, rows: Floats) -> Floats:
    """Coefficients in the order of the rows; equal rows keep the order of the file."""
    left = list(zip(machine["points"], machine["coefficients"], strict=True))
    out = []
    for row in scaled(machine, rows).tolist():
        at = [i for i, (point, _) in enumerate(left) if point == row]
        out.append(left.pop(at[0])[1])  # a LookupError if the row is no point
    return np.array(out, dtype=float)


def quantised_prices(
    evidence: Evidence, machines: Sequence[Document], rows: Floats, Y: Floats
) -> Prices:
    """Whole coefficients: their levels, sizes, signs, and the intercepts."""
    whole = (
        np.array([_in_order(machine, rows) for machine in machines]).reshape(len(machines), -1).T
    )
    shifts = [machine["intercept"] for machine in machines]
    is_whole = bool((whole == np.round(whole)).all() and (whole != 0).all())
    is_whole &= all(float(b) == round(b) for b in shifts)
    largest = float(np.abs(whole).max(initial=1.0))
    if not evidence.audit.check(
        "coefficients are whole numbers", is_whole and largest <= _LEVELS[-1]
    ):
        return []
    level = next(known for known in _LEVELS if known >= largest)
    n_agree = int((np.sign(whole) == Y).sum())
    signs = log(whole.size + 1) + log_binomial(whole.size, n_agree)
    nats = sum((log(MP.pi**2 / 3) + 2 * log(abs(int(b)) + 1) for b in shifts), MP.mpf(0))
    return [
        Price("levels", "number of levels", log(len(_LEVELS))),
        Price("coefficients", "sizes of the coefficients", whole.size * log(level)),
        Price("signs", "signs of the coefficients", signs),
        Price("intercept", "intercept", nats),
    ]


def chosen_prices(
    evidence: Evidence, machines: Sequence[Document], rows: Floats, Y: Floats
) -> Prices:
    """Coefficients that follow from the centres by a ridge, and a threshold."""
    audit, p = evidence.audit, evidence.parameters
    found = np.array([_in_order(m, rows) for m in machines]).reshape(len(machines), -1).T
    rows = scaled(machines[0], rows)
    K = kernel_matrix(machines[0]["kernel"], rows, rows)
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
        Price("ridge", "ridge of the coefficients", log(len(_RIDGES))),
        Price("threshold", "threshold", nats),
    ]


def _dyadic_nats(audit: Audit, share: float) -> Any:
    """Price of a threshold at 0 or at an odd multiple of 2^-l, l <= 6."""
    for level in range(_MOST_DEEP + 1):
        j = round(share * 2**level)
        if is_close(share, j / 2**level, 1e-3) and abs(j) < max(2**level, 1):
            return log(2) if j == 0 else log(2) + log(level * (level + 1)) + level * log(2)
    audit.check("threshold is a dyadic share", False, repr(share))
    return MP.mpf(0)


def _lectures_claim(m: int, d: int, n_errors: int, delta: float, choice_nats: float) -> Claim:
    """The bound of the lectures, with the confidence shared among kernels and choices."""
    n_kept, t = max(1, d), min(n_errors, m - max(1, d))
    n = m - n_kept - t
    terms: Prices = []
    if 2 * n > n_kept:
        factor = 2.0 / (n * math.log(2.0))
        growth = (n_kept + 1) * math.log(4.0 * math.e * n / (n_kept + 1))
        errors = t * math.log(math.e * (m - n_kept) / t) if t else 0.0
        last = math.log(2.0 * m * m / delta) + choice_nats
        terms = [
            Price("functions", "classes of functions on a double sample", factor * growth),
            Price(
                "kept", "which examples are chosen", factor * n_kept * math.log(math.e * m / n_kept)
            ),
            Price("errors", "which examples are errors", factor * errors),
            Price("sizes", "sizes and confidence", factor * last),
        ]
    words, more = ("iid", "preprocessing"), {"unit": "risk", "is_vacuous": not terms}
    return Claim("matching-pursuit", "sum", terms, words, _LECTURES, m, t, d, **more)  # type: ignore[arg-type]
