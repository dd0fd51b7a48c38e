"""Kernel matching pursuit: pools drawn and fitted again, messages priced again.

A pool's machine is a function of the pool alone, so it is trained again there, by the plainest
algorithm: each round tries every candidate. The other codes are rebuilt from their centres and
whole numbers. The bound of the lectures holds for all coefficients and needs no training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import log, log_binomial
from handful.verify._audit import Audit
from handful.verify._claims import Claim, choice_terms
from handful.verify._pursuit_codes import (
    chosen_terms,
    lectures_claim,
    matrix,
    quantised_terms,
    scaled,
)
from handful.verify._terms import Term, Terms, confidence
from handful.verify._wording import LANGFORD, Wording, drawn_by

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Document = Mapping[str, Any]

# Every candidate is tried at every step: more takes too long for a check.
_MOST_POOL, _MOST_CENTERS = 3000, 200
_BOUNDS = {
    "pool": "pool",
    "chosen": "compression",
    "quantised": "compression",
    "least_squares": "matching-pursuit",
}


def pursuit_claim(
    audit: Audit,
    document: Document,
    X: Floats,
    codes: Ints,
    wrong: Any,
    delta: float,
    order: Ints,
) -> Claim | None:
    """What the certificate of a pursuit must say; ``order`` is that of its draws."""
    p = document["settings"]["parameters"]
    form = p.get("coefficients")
    if not audit.check("settings: coefficients", form in _BOUNDS, repr(form)[:80]):
        return None
    targets = _targets(codes, len(document["machines"]))
    if form == "pool":
        return _pool_claim(audit, document, X, targets, wrong, delta, order)
    centers = document["compression_set"]
    rows = X[centers]
    _check_points(audit, document, rows)
    _check_kernel(audit, p, document["machines"], X.shape[1])
    is_outside = np.ones(len(X), dtype=bool)
    is_outside[centers] = False
    n_errors = int((wrong & is_outside).sum())
    if form == "least_squares":
        if _is_plain(p) and len(X) <= _MOST_POOL and p["n_centers"] <= _MOST_CENTERS:
            _check_training(audit, p, document["machines"], X[order], targets[order])
        else:
            audit.leave("training, which is not repeated here for these parameters")
        nats = sum((float(term.nats) for term in _choices(p, X.shape[1])), 0.0)
        return lectures_claim(len(X), len(centers), n_errors, delta, nats)
    coded = chosen_terms if form == "chosen" else quantised_terms
    message = coded(audit, document, rows, targets[centers])
    n_named = _n_named(audit, p, centers, order)
    terms = [Term("kept", "which examples are kept", log_binomial(n_named, len(centers)))]
    terms += [
        *message,
        *_choices(p, X.shape[1]),
        *choice_terms(audit, document["certificate"], "families"),
    ]
    seed = document["provenance"]["random_state"]
    blind = () if n_named == len(X) else ("blind-pool", drawn_by(seed))
    wording = Wording(("iid", "preprocessing", *blind), LANGFORD)
    n_counted = len(X) - len(centers)
    terms.append(confidence(delta))
    return Claim("compression", "tail", terms, wording, len(X), n_errors, len(centers), n_counted)


def _targets(codes: Ints, n_machines: int) -> Floats:
    if n_machines == 1:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_machines), 1.0, -1.0)


def _n_named(audit: Audit, p: Document, centers: list[int], order: Ints) -> int:
    """Number of the examples that centres were named from; the first of the order."""
    candidates, n_samples = p.get("candidates"), len(order)
    if candidates is None or isinstance(candidates, list):
        return n_samples
    audit.count("settings: candidates", candidates, 1, 10**9)
    if candidates < n_samples:
        drawn = set(order[:candidates].tolist())
        audit.check("candidates", set(centers) <= drawn, "are not those that the data draw")
    return min(int(candidates), n_samples)


def _check_points(audit: Audit, document: Document, rows: Floats) -> None:
    """The points are the rows of the compression set, scaled as the file says."""
    wanted = sorted(scaled(document["machines"][0], rows).tolist())
    given = document["settings"]["parameters"].get("scale")
    shift = [0.0] * rows.shape[1] if isinstance(given, list) else None
    scales = [shift, [float(part) for part in given] if isinstance(given, list) else None]
    for k, machine in enumerate(document["machines"]):
        found = [machine["center"], machine["scale"]]
        audit.equal(f"machine {k + 1}: scale", found, scales)
        audit.equal(f"machine {k + 1}: points", sorted(machine["points"]), wanted)
        audit.equal(f"machine {k + 1}: tie", machine["tie"], 1e-10)


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


def _choices(p: Document, n_features: int) -> Terms:
    """What the choices of kernel and size cost."""
    is_pool, stop, n = p["coefficients"] == "pool", _stop(p), len(_gammas(p, n_features))
    terms: Terms = []
    if n > 1 and not (is_pool and stop == "validation"):
        terms.append(Term("kernel", f"kernel, one of {n}", log(n)))
    is_sized = p["coefficients"] != "least_squares" and not (is_pool and stop != "certificate")
    if is_sized:
        size = int(p["n_centers"]) + 1
        terms.append(Term("size", f"size, one of {size}", log(size)))
    return terms


def _check_kernel(audit: Audit, p: Document, machines: Any, n_features: int) -> None:
    """The kernel is one of those that were offered, the same for all machines."""
    offered = []
    for gamma in _gammas(p, n_features):
        gamma = 1.0 / max(1, n_features) if gamma == "auto" else float(gamma)
        named = {"name": p.get("kernel"), "gamma": gamma, "degree": p.get("degree")}
        offered.append({**named, "coef0": float(p["coef0"])})
    kernel = p["kernel"] if isinstance(p.get("kernel"), Mapping) else None
    for k, machine in enumerate(machines):
        holds = machine["kernel"] == kernel or machine["kernel"] in offered
        holds = holds and machine["kernel"] == machines[0]["kernel"]
        audit.check(f"machine {k + 1}: kernel", holds, "is not among those offered")


# -- the pool ---------------------------------------------------------------------------------


def _pool_claim(
    audit: Audit,
    document: Document,
    X: Floats,
    targets: Floats,
    wrong: Any,
    delta: float,
    order: Ints,
) -> Claim | None:
    p, machines = document["settings"]["parameters"], document["machines"]
    kept = document["compression_set"]
    pool = order[: pool_size(len(X), p.get("pool_fraction"))]
    if not audit.equal("pool", kept, sorted(pool.tolist())):
        return None
    _check_kernel(audit, p, machines, X.shape[1])
    if _is_plain(p) and len(kept) <= _MOST_POOL and p["n_centers"] <= _MOST_CENTERS:
        _check_training(audit, p, machines, X[pool], targets[pool])
    else:
        audit.leave("training on the pool, which is not repeated here for these parameters")
    is_outside = np.ones(len(X), dtype=bool)
    is_outside[kept] = False
    n_errors = int((wrong & is_outside).sum())
    terms = [*_choices(p, X.shape[1]), *choice_terms(audit, document["certificate"], "families")]
    terms.append(confidence(delta))
    how = drawn_by(document["provenance"]["random_state"])
    wording = Wording(("iid", "blind-pool", how), LANGFORD)
    n_counted = len(X) - len(kept)
    return Claim("pool", "tail", terms, wording, len(X), n_errors, len(kept), n_counted)


def pool_size(n_samples: int, fraction: Any) -> int:
    """How many examples a pool has.

    Examples
    --------
    >>> pool_size(100, 0.4), pool_size(12, 0.1)
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


def _check_training(audit: Audit, p: Document, machines: Any, X: Floats, Y: Floats) -> None:
    """Scale, centres and coefficients of the pool, computed again."""
    center, scale = machines[0]["center"], machines[0]["scale"]
    if p["scale"] == "auto" and p["coefficients"] == "pool":
        spread = X.std(axis=0)
        units = np.where(spread > 0.0, spread, 1.0)
        gap = [np.abs(np.subtract(center, X.mean(axis=0))), np.abs(np.subtract(scale, units))]
        holds = bool((np.array(gap) <= 1e-10 * (units + 1e-4 * np.abs(X).max(axis=0))).all())
        audit.check("scale of the pool", holds, "is not its mean and deviation")
    else:
        audit.equal("scale", [center, scale], [None, None])
    Z = scaled(machines[0], X)
    n = len(machines[0]["points"])
    if not audit.count("number of centres", n, 0, p["n_centers"]):
        return
    K = matrix(machines[0]["kernel"], Z, Z)
    chosen = pursue(K, Y, n, p["fit_intercept"])
    same = sorted(Z[chosen].tolist())
    coefficients = ridge_fit(K[:, chosen], Y, p["ridge"], p["fit_intercept"])
    for k, machine in enumerate(machines):
        where = f"machine {k + 1}"
        alike = [machine["center"], machine["scale"], machine["tie"]] == [center, scale, 1e-10]
        audit.check(f"{where}: scale and tie", alike)
        points = sorted(machine["points"])
        if not audit.equal(f"{where}: centres", points, same):
            continue
        order = [machine["points"].index(point) for point in Z[chosen].tolist()]
        weights = np.array(machine["coefficients"], dtype=float)[order]
        wanted = np.append(coefficients[1:, k], coefficients[0, k])
        size = float(np.abs(wanted).max(initial=1e-300))
        off = np.abs(np.append(weights, machine["intercept"]) - wanted).max(initial=0.0)
        audit.check(f"{where}: coefficients", off <= 1e-6 * size, f"are off by {off:.2g}")


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
    """Intercepts (first row, zero where there is none) and coefficients, the latter penalised."""
    m = len(K)
    A = np.column_stack([np.ones(m), K]) if has_constant else K
    penalty = math.sqrt(ridge) * np.eye(A.shape[1])[int(has_constant) :]
    b = np.vstack([Y, np.zeros((len(penalty), Y.shape[1]))])
    found = np.linalg.lstsq(np.vstack([A, penalty]), b, rcond=None)[0]
    return found if has_constant else np.vstack([np.zeros(Y.shape[1]), found])
