"""Margin bounds of votes: they hold for every vote, so margins on the data are all they need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit, is_number
from handful.verify._claims import Claim
from handful.verify._terms import Term, Terms, stated
from handful.verify._wording import Key, Wording, assumes

Floats = NDArray[np.float64]
Document = Mapping[str, Any]

_FIXED = {"rademacher-margin": "scale", "margin-distribution": "margin"}
_REFERENCE = (
    "Koltchinskii & Panchenko (2002), Empirical margin distributions; "
    "Bartlett & Mendelson (2002), Rademacher and Gaussian complexities"
)
_QUANTUM = 2.0**-36  # slacks are rounded up to whole parts of it
_N_SCALES = 21  # powers of two that have a price


@dataclass(frozen=True)
class _Class:
    """Complexity of the weak learners, what it rests on, and how it is known."""

    complexity: float
    basis: Key
    is_empirical: bool = False
    is_given: bool = False


def _weight_sum(machine: Document) -> float:
    constant = abs(float(machine.get("constant", 0.0)))
    return math.fsum([constant, *(abs(float(w)) for w in machine["weights"])]) or 1.0


def margin_columns(document: Document, scores: list[Floats], codes: Any) -> list[Floats]:
    """Margins y f(x) over the sum of the weights, one array a machine."""
    columns = []
    for k, (machine, values) in enumerate(zip(document["machines"], scores, strict=True)):
        sign = np.where(codes == (1 if len(scores) == 1 else k), 1.0, -1.0)
        columns.append(sign * values / _weight_sum(machine))
    return columns


def _known_class(audit: Audit, document: Document, X: Floats) -> _Class | None:
    """The class of weak learners, from the machines and the parameters."""
    for basis in ("given-complexity", "random-signs"):
        if assumes(document["certificate"], basis):
            audit.leave("the complexity of the weak learners, which was given with the certificate")
            return _Class(math.nan, basis, basis == "random-signs", True)
    parameters, n = document["settings"]["parameters"], X.shape[1]
    if all(machine["kind"] == "linear" for machine in document["machines"]):
        zeros = [machine["intercept"] for machine in document["machines"]]
        audit.equal("intercepts", zeros, [0.0] * len(zeros))
        audit.check("columns lie in [-1, 1]", bool((np.abs(X) <= 1.0).all()))
        return _listed(2 * n, len(X))
    if not all(machine["kind"] == "votes" for machine in document["machines"]):
        return None
    if parameters.get("thresholds") is None:
        n_stumps = 2 * (n * len(X) + 1)
        return _Class(2.0 * math.sqrt(2.0 * math.log(n_stumps) / len(X)), "stumps")
    grid = _grid(parameters["thresholds"], n)
    used = {
        pair
        for machine in document["machines"]
        for pair in zip(machine["features"], machine["thresholds"], strict=True)
    }
    is_listed = all(threshold in grid[feature] for feature, threshold in used)
    audit.check("thresholds are among those fixed before the data", is_listed)
    return _listed(2 * sum(map(len, grid)) + 2, len(X))


def _listed(n_learners: int, n_samples: int) -> _Class:
    basis = ("finite-learners", {"n": n_learners})
    return _Class(2.0 * math.sqrt(2.0 * math.log(n_learners) / n_samples), basis)


def _grid(thresholds: Any, n_features: int) -> list[set[float]]:
    is_nested = bool(thresholds) and isinstance(thresholds[0], list)
    lists = thresholds if is_nested else [thresholds] * n_features
    if len(lists) != n_features:
        raise ValueError("thresholds must be one list a feature")
    return [{float(value) for value in values} for values in lists]


def vote_claim(
    audit: Audit, document: Document, X: Floats, columns: list[Floats], delta: float
) -> Claim | None:
    """What a margin bound says about these votes on these data."""
    certificate = document["certificate"]
    bound = certificate["bound"]
    known = _known_class(audit, document, X)
    if known is None:
        return None
    is_fixed = assumes(certificate, _FIXED[bound])
    if is_fixed:
        audit.trust("the margin of the bound was fixed before the data")
    share = 0.9 * delta if known.is_empirical else delta
    taken = [
        _best_part(certificate, known, column, share / len(columns), is_fixed) for column in columns
    ]
    parts = [terms for _, terms in taken]
    name = "scale" if bound == "rademacher-margin" else "margin"
    parameters = {name: taken[0][0]} if len(parts) == 1 else {}
    fixed = (_FIXED[bound],) if is_fixed else ()
    assumptions = ("iid", "base-class", *fixed, known.basis, "known-classes")
    notes: tuple[str, ...] = ()
    terms = parts[0]
    if len(parts) > 1:
        notes = (f"One machine for each of {len(parts)} classes; their risks are added.",)
        terms = [
            Term("class", f"class {k} against the rest", min(1.0, sum(term.nats for term in part)))
            for k, part in enumerate(parts)
        ]
        if any(term.nats >= 1.0 for term in terms):
            audit.leave("the votes themselves: a risk of 1 for a class holds for any votes")
        if is_fixed or known.is_given:
            audit.leave("the risks of the single classes, whose margin the file does not hold")
            terms = stated(certificate["terms"])
    wording = Wording(assumptions, _REFERENCE, notes=notes, unit="risk", parameters=parameters)
    return Claim(bound, "sum", terms, wording, len(X))


Part = tuple[float, Terms]  # the scale or the margin, and the terms there


def _best_part(
    certificate: Document, known: _Class, margins: Floats, delta: float, is_fixed: bool
) -> Part:
    """The scale or margin that a certificate was taken at, and the terms of one machine there."""
    is_slack = certificate["bound"] == "rademacher-margin"
    make: Callable[..., Terms] = _slack_terms if is_slack else _share_terms

    def at(size: float) -> Part:
        return size, make(margins, known.complexity, size, False, delta, False)

    if is_fixed or known.is_given:
        size, complexity = _stated(certificate, known.complexity, is_fixed)
        return size, make(margins, complexity, size, known.is_empirical, delta, is_fixed)
    if is_slack:
        return _smallest(at(2.0**j) for j in range(_N_SCALES))
    # a machine fitted to chunks knows its margins on a grid only
    tried = np.quantile(margins, np.linspace(0.0, 1.0, 101), method="lower")
    grids = (np.unique(np.clip(tried - 1e-9, 1e-6, 1.0)), np.arange(1, 201) / 200.0)
    best = [_smallest(at(theta) for theta in grid.tolist()) for grid in grids]
    said = _complexity(certificate)
    return min(best, key=lambda part: abs(part[1][1].nats - said))


def _complexity(certificate: Document) -> float:
    """What the terms of the file say of the complexity."""
    terms = stated(certificate["terms"])
    return next((float(term.nats) for term in terms if term.kind == "complexity"), 0.0)


def _stated(certificate: Document, complexity: float, is_fixed: bool) -> tuple[float, float]:
    """The scale or margin that the file states, and the complexity that goes with it."""
    is_slack = certificate["bound"] == "rademacher-margin"
    size: Any = dict(certificate["parameters"]).get("scale" if is_slack else "margin")
    if not is_number(size) or size <= 0:
        raise ValueError("the certificate does not state its scale or margin")
    if math.isnan(complexity):
        said, factor = _complexity(certificate), 1.0 if is_fixed else 2.0
        complexity = said / size if is_slack else said * size / factor
    return size, complexity


def _smallest(parts: Iterable[Part]) -> Part:
    return min(parts, key=lambda part: sum(term.nats for term in part[1]))


def _deviation(n: int, nats: float, is_empirical: bool) -> float:
    if is_empirical:
        return 3.0 * math.sqrt((math.log(2.0) + nats) / (2.0 * n))
    return math.sqrt(nats / (2.0 * n))


def _slack_terms(
    margins: Floats,
    complexity: float,
    scale: float,
    is_empirical: bool,
    delta: float,
    is_fixed: bool,
) -> Terms:
    slack = np.ceil(np.clip(1.0 - scale * margins, 0.0, 1.0) / _QUANTUM) * _QUANTUM
    nats = -math.log(delta)
    if not is_fixed:
        nats += math.log(math.pi**2 / 6.0) + 2.0 * math.log(math.log2(scale) + 1.0)
    return [
        Term("slack", "mean slack", min(1.0, math.fsum(slack.tolist()) / len(slack))),
        Term("complexity", f"complexity of the class times {scale:g}", scale * complexity),
        Term("deviation", "deviation of the sample", _deviation(len(slack), nats, is_empirical)),
    ]


def _share_terms(
    margins: Floats,
    complexity: float,
    theta: float,
    is_empirical: bool,
    delta: float,
    is_fixed: bool,
) -> Terms:
    m, nats = len(margins), -math.log(delta)
    share = float(np.mean(margins < theta + 1e-12))
    first = Term("errors", "share of examples below the margin", share)
    if is_fixed:
        last = Term("deviation", "deviation of the sample", _deviation(m, nats, is_empirical))
        return [first, Term("complexity", "complexity / margin", complexity / theta), last]
    choice = math.sqrt(max(0.0, math.log(math.log2(2.0 / theta))) / m)
    return [
        first,
        Term("complexity", "2 complexity / margin", 2.0 * complexity / theta),
        Term("margin", "choice of the margin", 3.0 * choice if is_empirical else choice),
        Term(
            "deviation",
            "deviation of the sample",
            _deviation(m, nats + math.log(2.0), is_empirical),
        ),
    ]
