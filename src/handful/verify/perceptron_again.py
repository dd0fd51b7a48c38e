"""The perceptron, run again: which examples it is updated on, and how often."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from handful.verify.arithmetic import log, log_binomial
from handful.verify.audit import Audit, Document, Floats, Ints, is_number
from handful.verify.claims import LANGFORD, STABLE, STABLE_REFERENCE, Claim, Price, confidence
from handful.verify.evaluate import kernel_matrix
from handful.verify.evidence import Evidence, kernel_of, sum_views

_ROUNDING = 1e-12  # of the sizes of summands: what the order of a sum may change
_TIE = 1e-10  # of k(x, x): a margin this small counts as a mistake
_MOST_ROWS, _MOST_WORK = 20_000, 10**11  # a matrix of all pairs, visited pass by pass


def visiting_order(X: Floats, codes: Ints) -> list[int]:
    """By the digest of the row, read as two numbers, then by class."""
    keys = []
    # Adding zero makes -0.0 and 0.0 one value, as everywhere.
    for i, row in enumerate(X + 0.0):
        digest = hashlib.blake2b(row.astype("<f8").tobytes(), digest_size=16).digest()
        pair = (int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little"))
        keys.append((*pair, int(codes[i]), i))
    return [key[-1] for key in sorted(keys)]


def run_again(
    K: Floats, signs: Floats, max_passes: int, margin: float = 0.0
) -> tuple[Ints, int, bool]:
    """Updates of every example, number of passes, and whether the last one was clean."""
    f, square = np.zeros(len(signs)), 0.0
    updates = np.zeros(len(signs), dtype=np.int64)
    for n_passes in range(1, max_passes + 1):
        i, is_clean = 0, True
        while i < len(signs):
            # A value within the tie counts as a mistake: on another machine it may round to either
            # side.
            needed = _TIE * np.diagonal(K) + margin * math.sqrt(square)
            wrong = np.flatnonzero((signs * f <= needed)[i:])
            if not wrong.size:
                break
            i += int(wrong[0])
            # |w + y x|^2, updated; rounding may not leave it negative.
            square = max(0.0, square + 2.0 * float(signs[i] * f[i]) + float(K[i, i]))
            f += signs[i] * K[i]
            updates[i] += 1
            i, is_clean = i + 1, False
        if is_clean:
            return updates, n_passes, True
    return updates, max_passes, False


def perceptron_claim(evidence: Evidence) -> Claim | None:
    """Train again and compare the machine; then what its examples certify."""
    audit, X, n = evidence.audit, evidence.X, evidence.n
    p: Any = evidence.parameters
    names = ("max_passes", "fit_intercept", "margin")
    max_passes, is_shifted, margin = (p.get(name) for name in names)
    is_usable = is_number(margin) and margin >= 0
    if not audit.check("settings: margin", is_usable, repr(margin)[:80]):
        return None
    is_small = type(max_passes) is int and max_passes > 0 and n <= _MOST_ROWS
    if not is_small or n**2 * max_passes > _MOST_WORK or type(is_shifted) is not bool:
        audit.leave("the updates of the perceptron, too many to run again here")
        return None
    kernel, views = kernel_of(p, X.shape[1]), sum_views(evidence.form)
    _check_kernel(audit, kernel, views)
    order = visiting_order(X, evidence.codes)
    K = kernel_matrix(kernel, X[order], X[order]) + float(is_shifted)
    n_updated, passes, is_clean = np.zeros(n, dtype=np.int64), [0], True
    for k, view in enumerate(views):
        signs = evidence.signs(k, len(views))
        found, n_passes, is_done = run_again(K, signs[order], max_passes, float(margin))
        updates = np.zeros(n, dtype=np.int64)
        updates[order] = found
        _compare(audit, k, view, X, signs * updates, float(is_shifted))
        n_updated += updates
        passes.append(n_passes)
        is_clean &= is_done
    kept = np.flatnonzero(n_updated).tolist()
    audit.equal("compression set", evidence.kept, kept)
    n_errors, last = evidence.n_outside(kept), confidence(evidence.delta)
    if evidence.certificate["bound"] == "perceptron":
        # A clean pass ends training by itself; otherwise the number of passes is part of the
        # message.
        return _compression(n, len(kept), n_errors, 0 if is_clean else max(passes), last)
    # An error outside would have caused an update in one more pass: it belongs to the stable set.
    size, words = len(kept) + n_errors, (*STABLE, "perceptron")
    return Claim("stable", "stable", [last], words, STABLE_REFERENCE, n, n_compressed=size)


def _check_kernel(audit: Audit, kernel: Document, machines: Any) -> None:
    is_linear = kernel["name"] == "linear"
    for k, machine in enumerate(machines):
        kind = "linear" if is_linear else "expansion"
        if not audit.equal(f"machine {k + 1}: kind", machine["kind"], kind) or is_linear:
            continue
        audit.equal(f"machine {k + 1}: kernel", machine["kernel"], kernel)
        plain = [machine["center"], machine["scale"], machine["tie"]]
        audit.equal(f"machine {k + 1}: no scale, no tie", plain, [None, None, 0.0])


def _compare(
    audit: Audit, k: int, machine: Document, X: Floats, coefficients: Floats, shift: float
) -> None:
    used = np.flatnonzero(coefficients)
    where = f"machine {k + 1}"
    if machine["kind"] == "linear":
        sizes = np.abs(coefficients) @ np.abs(X)  # of what cancels: rounding is a part of it
        off = np.abs(np.array(machine["weights"], dtype=float) - coefficients @ X)
        audit.check(f"{where}: weights", bool((off <= _ROUNDING * sizes).all()), "are others")
    else:
        audit.equal(f"{where}: points", machine["points"], X[used].tolist())
        audit.equal(f"{where}: updates", machine["coefficients"], coefficients[used].tolist())
    intercept = shift * float(coefficients.sum())
    audit.equal(f"{where}: intercept", machine["intercept"], intercept)


def _compression(n: int, d: int, n_errors: int, n_passes: int, last: Price) -> Claim:
    prices = [Price("kept", "which examples are kept", log_binomial(n, d))]
    if n > 1:
        prices.append(Price("size", "how many examples are kept", log(n)))
    if n_passes:
        nats = math.log(math.pi**2 / 6.0) + 2.0 * math.log(n_passes)
        prices.append(Price("message", "message", nats))
    words = ("iid", "preprocessing", "any-passes" if n_passes else "converged", "perceptron")
    return Claim("perceptron", "tail", [*prices, last], words, LANGFORD, n, n_errors, d, n - d)
