"""Sums of kernels: the margin bound holds for every such sum, so its margins are all it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit
from handful.verify._banks import bank_values
from handful.verify._claims import Claim, root
from handful.verify._terms import Term, Terms, stated
from handful.verify._votes import vote_claim
from handful.verify._wording import Wording

Floats = NDArray[np.float64]
Document = Mapping[str, Any]

_REFERENCE = "Hussain & Shawe-Taylor (2011), Improved loss bounds for multiple kernel learning"
_ASSUMED = ("iid", "margin-and-kernels", "kernels", "known-classes")
_N_MARGINS = 10  # 1, 1/2, ... 2^-9, each at a tenth of delta


def mixture_claim(
    audit: Audit, document: Document, X: Floats, codes: Any, delta: float
) -> Claim | None:
    """What a margin bound says of these sums of kernels on these data."""
    n_kernels = _check_kernels(audit, document, X.shape[1])
    if n_kernels is None:
        return None
    machines, columns = document["machines"], []
    for k, machine in enumerate(machines):
        sign = np.where(codes == (1 if len(machines) == 1 else k), 1.0, -1.0)
        values = bank_values(machine["parts"], X).sum(axis=1) + machine["constant"]
        columns.append(sign * values / _total(machine))
    if document["certificate"]["bound"] == "rademacher-margin":
        return vote_claim(audit, document, X, columns, delta)
    return _kernel_claim(audit, document, columns, n_kernels, delta)


def _check_kernels(audit: Audit, document: Document, n_features: int) -> int | None:
    """The parts are of kernels that were offered, bounded by 1; how many were offered."""
    p = document["settings"]["parameters"]
    if "kernels" not in p:
        audit.leave("the number of kernels, which the file does not list")
        return None
    offered = [_offered(spec, n_features) for spec in p["kernels"] or _usual(n_features)]
    parts = [part for machine in document["machines"] for part in machine["parts"]]
    holds = all([part["kernel"], part["columns"]] in offered for part in parts)
    audit.check("kernels", holds, "are not among those offered")
    is_bounded = all(
        part["is_normalised"] is p["normalise"]
        and (part["is_normalised"] or part["kernel"]["name"] == "rbf")
        for part in parts
    )
    audit.check("kernels have k(x, x) <= 1", is_bounded, "one is not normalised")
    is_centred = p.get("centre") is True
    constants = [machine["constant"] for machine in document["machines"]]
    audit.check("constants", is_centred or not any(constants), "must be 0 without centring")
    return len(offered) + is_centred  # the constant is one more


def _usual(n_features: int) -> list[Any]:
    widths = [{"kernel": "rbf", "gamma": share / n_features} for share in (0.1, 1.0, 10.0)]
    return [{"kernel": "linear"}, *widths]


def _offered(spec: Any, n_features: int) -> list[Any]:
    """A kernel of the parameters, with the columns that it looks at."""
    options = dict(spec) if isinstance(spec, Mapping) and "name" not in spec else {"kernel": spec}
    columns, kernel = options.get("columns"), options["kernel"]
    if isinstance(kernel, Mapping):
        return [dict(kernel), columns]
    width = n_features if columns is None else len(columns)
    gamma = options.get("gamma", "auto")
    gamma = 1.0 / max(1, width) if gamma == "auto" else float(gamma)
    shape = {"degree": options.get("degree", 3), "coef0": float(options.get("coef0", 0.0))}
    return [{"name": kernel, "gamma": gamma, **shape}, columns]


def _total(machine: Document) -> float:
    """Norms of the parts in the spaces of their kernels, and the size of the constant."""
    norms = [abs(float(machine["constant"]))]
    for part in machine["parts"]:
        points = np.array(part["points"], dtype=float)
        values = bank_values([{**part, "columns": None}], points)[:, 0]
        weights = np.array(part["coefficients"], dtype=float)
        norms.append(root(float(weights @ values)))
    return math.fsum(norms) or 1.0


def _kernel_claim(
    audit: Audit, document: Document, columns: Sequence[Floats], n_kernels: int, delta: float
) -> Claim | None:
    certificate, m, share = document["certificate"], len(columns[0]), delta / len(columns)
    fixed = _fixed_margin(certificate, m, share)
    if len(columns) == 1 and fixed is not None:
        audit.trust("the margin of the bound was fixed before the data")
        parts = [_terms(columns[0], fixed, n_kernels, share)]
    else:
        sizes = [2.0**-j for j in range(_N_MARGINS)]
        parts = [
            min(
                (_terms(column, size, n_kernels, share / _N_MARGINS) for size in sizes),
                key=lambda terms: sum(term.nats for term in terms),
            )
            for column in columns
        ]
    terms: Terms = parts[0]
    notes: tuple[str, ...] = ()
    if len(parts) > 1:
        notes = (f"One machine for each of {len(parts)} classes; their risks are added.",)
        risks = [min(1.0, sum(term.nats for term in part)) for part in parts]
        terms = [Term("class", f"class {k} against the rest", r) for k, r in enumerate(risks)]
    if sum(term.nats for term in terms) >= 1.0:
        audit.leave("the sums themselves: a risk of 1 holds for any of them")
    wording = Wording(_ASSUMED, _REFERENCE, notes=notes, unit="risk")
    return Claim("multiple-kernel", "sum", terms, wording, m)


def _fixed_margin(certificate: Document, m: int, share: float) -> float | None:
    """The margin of a certificate that did not pay for choosing it; by its deviation and slope."""
    said = {term.kind: float(term.nats) for term in stated(certificate["terms"])}
    deviation, complexity = said.get("deviation"), said.get("complexity")
    wanted = 3.0 * math.sqrt(math.log(4.0 / share) / (2.0 * m))
    if deviation is None or not complexity or not math.isclose(deviation, wanted, rel_tol=1e-9):
        return None
    return 2.0 / (complexity * math.sqrt(m))


def _terms(margins: Floats, size: float, n_kernels: int, share: float) -> Terms:
    m = len(margins)
    slack = float(np.maximum(0.0, size - margins).sum())
    choice = 8.0 / size * math.sqrt(math.log(2.0 * (n_kernels + 1.0) / share) / (2.0 * m))
    return [
        Term("slack", "mean slack / margin", slack / (m * size)),
        Term("complexity", "largest kernel complexity", 2.0 / (size * m) * math.sqrt(m)),
        Term("kernel", f"choice among {n_kernels} kernels", choice),
        Term(
            "deviation",
            "deviation of the sample",
            3.0 * math.sqrt(math.log(4.0 / share) / (2.0 * m)),
        ),
    ]
