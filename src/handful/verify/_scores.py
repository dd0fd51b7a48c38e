"""Machines that are not made of rules: scores evaluated again, bounds recomputed from counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import MP, is_tail_bound, log
from handful.verify._audit import Audit, is_close, is_number
from handful.verify._certificate import count
from handful.verify._geometry import kernel_values

Floats = NDArray[np.float64]
Document = Mapping[str, Any]

_SLACK = MP.mpf(10) ** -8
_COUNTED = ("pool", "compression", "matching-pursuit-pool")


def scores_of(machine: Document, X: Floats) -> tuple[Floats, Floats]:
    """Values of a machine on the rows of X, and what counts as zero there."""
    kind = machine["kind"]
    if kind == "linear":
        weights = np.array(machine["weights"], dtype=float)
        used = np.flatnonzero(weights)
        return X[:, used] @ weights[used] + machine["intercept"], np.zeros(len(X))
    if kind == "votes":
        total = np.full(len(X), float(machine["constant"]))
        parts = (machine["features"], machine["thresholds"], machine["weights"])
        for feature, threshold, weight in zip(*parts, strict=True):
            column = X[:, feature]
            total += weight * ((column <= threshold).astype(float) - (column > threshold))
        return total, np.zeros(len(X))
    if kind != "expansion":
        raise ValueError(f"there is no machine of kind {kind!r}")
    Z = X - np.array(machine["center"] if machine["center"] is not None else 0.0)
    Z = Z / np.array(machine["scale"] if machine["scale"] is not None else 1.0)
    total = np.full(len(X), float(machine["intercept"]))
    size = np.abs(total)
    for point, weight in zip(machine["points"], machine["coefficients"], strict=True):
        values = weight * kernel_values(machine["kernel"], np.array(point, dtype=float), Z)
        total, size = total + values, size + np.abs(values)
    return total, machine["tie"] * size


def predicted_codes(document: Document, X: Floats) -> NDArray[np.int64]:
    """Positions of the predicted classes."""
    pairs = [scores_of(machine, X) for machine in document["machines"]]
    if len(pairs) == 1:
        return (pairs[0][0] > pairs[0][1]).astype(np.int64)
    values = np.column_stack([value for value, _ in pairs])
    slack = np.max([tolerance for _, tolerance in pairs], axis=0)[:, None]
    return np.argmax(values >= values.max(axis=1, keepdims=True) - slack, axis=1)


def stable_excess(risk: Any, k: int, n: int, delta: Any) -> Any:
    """(delta / n) sum over j = k .. n - 1 of C(j, k) / C(n, k) (1 - risk)^(j - n).

    Examples
    --------
    >>> float(stable_excess(0.5, 0, 1, 0.25))
    0.5
    """
    keep = 1 - MP.mpf(risk)
    term, total = MP.mpf(1), MP.mpf(0)
    for j in range(n - 1, k - 1, -1):
        term = term * (j + 1 - k) / (j + 1) / keep
        total += term
    return MP.mpf(delta) / n * total


def check_scores(audit: Audit, document: Document, X: Floats, codes: NDArray[np.int64]) -> None:
    """A machine without rules: what its certificate says, as far as counts go."""
    predicted = predicted_codes(document, X)
    audit.check("the scores can be computed", len(predicted) == len(X))
    certificate = document["certificate"]
    if certificate is None:
        audit.trust("the file has no certificate; nothing is claimed")
        return
    _check_terms(audit, certificate)
    bound = certificate["bound"]
    kept = document["compression_set"]
    is_usable = all(type(i) is int and 0 <= i < len(X) for i in kept)
    if not audit.check("compression set", is_usable, "must hold existing examples"):
        return
    if bound in _COUNTED and certificate["unit"] == "nats":
        counts = count(predicted, codes, kept)
        audit.equal("certificate: n_compressed", certificate["n_compressed"], counts.n_compressed)
        audit.equal("certificate: n_errors", certificate["n_errors"], counts.n_errors)
        _check_tail(audit, certificate, counts.n_errors, counts.n_outside)
        audit.trust("the nats of the message, except the confidence, are those of the file")
    elif bound == "held-out":
        _check_tail(audit, certificate, certificate["n_errors"], certificate["n_samples"])
        audit.trust("errors on held-out examples, which are not among these data")
    elif bound == "stable":
        _check_stable(audit, certificate)
        audit.trust("the examples that touch the optimum are as many as the file says")
    else:
        audit.trust(f"the bound {bound!r}: it is not recomputed here, only its confidence is")


def _check_terms(audit: Audit, certificate: Document) -> None:
    delta = certificate["delta"]
    is_share = is_number(delta) and 0 < delta < 1
    if not audit.check("certificate: delta is a probability", is_share, repr(delta)):
        return
    confidence = [value for name, value in certificate["terms"] if name.startswith("confidence")]
    if certificate["unit"] == "nats" and confidence:
        audit.close("certificate: confidence", confidence[0], float(-log(MP.mpf(delta))))


def _nats(certificate: Document) -> Any:
    return sum((MP.mpf(value) for _, value in certificate["terms"]), MP.mpf(0))


def _check_tail(audit: Audit, certificate: Document, k: int, n: int) -> None:
    risk = certificate["risk"]
    holds = is_number(risk) and is_tail_bound(risk, k, n, _nats(certificate))
    audit.check("certificate: risk", holds, f"{risk!r} is not the bound for {k} errors in {n}")


def _check_stable(audit: Audit, certificate: Document) -> None:
    risk, k, n = certificate["risk"], certificate["n_compressed"], certificate["n_samples"]
    if k >= n:
        audit.equal("certificate: risk", risk, 1.0)
        return
    delta = MP.exp(-_nats(certificate))
    holds = is_number(risk) and 0 < risk <= 1
    if holds and not is_close(risk, 1.0):
        at, below = MP.mpf(risk), MP.mpf(risk) * (1 - _SLACK)
        holds = stable_excess(at, k, n, delta) >= 1 - _SLACK
        holds = holds and stable_excess(below, k, n, delta) <= 1 + _SLACK
    audit.check("certificate: risk", bool(holds), f"{risk!r} is not the stable bound")
