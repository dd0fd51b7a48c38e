"""Margin bounds of votes and of sums of kernels, which hold for every vote or sum alike.

So margins on the data are all that they need, and training is not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.verify.arithmetic import root
from handful.verify.audit import Document, Floats, is_number
from handful.verify.claims import Claim, Key, Price, Prices, assumes, stated
from handful.verify.evaluate import kernel_matrix, own_values, sums_of
from handful.verify.evidence import Evidence, sum_views

_FIXED = {"rademacher-margin": "scale", "margin-distribution": "margin"}
_REFERENCE = (
    "Koltchinskii & Panchenko (2002), Empirical margin distributions; "
    "Bartlett & Mendelson (2002), Rademacher and Gaussian complexities"
)
_QUANTUM = 2.0**-36  # slacks are rounded up to whole parts of it
_N_SCALES = 21  # powers of two that have a price
_MIXTURE_REFERENCE = (
    "Hussain & Shawe-Taylor (2011), Improved loss bounds for multiple kernel learning"
)
_MIXTURE = ("iid", "margin-and-kernels", "kernels", "known-classes")
_N_MARGINS = 10  # 1, 1/2, ... 2^-9, each at a tenth of delta


@dataclass(frozen=True)
class LearnerClass:
    """Complexity of the weak learners, what it rests on, and how it is known."""

    complexity: float
    basis: Key
    is_empirical: bool = False
    is_given: bool = False


def _weight_sum(view: Document) -> float:
    constant = abs(float(view.get("constant", 0.0)))
    return math.fsum([constant, *(abs(float(w)) for w in view["weights"])]) or 1.0


def _margins(evidence: Evidence, sizes: Sequence[float]) -> list[Floats]:
    """Margins y f(x) over the size of each sum, one array a sum."""
    values = sums_of(evidence.form, evidence.X).values
    return [evidence.signs(k, len(sizes)) * values[:, k] / size for k, size in enumerate(sizes)]


def _known_class(evidence: Evidence, views: Sequence[Document]) -> LearnerClass | None:
    """The class of weak learners, from the machines and the parameters."""
    audit, X, parameters = evidence.audit, evidence.X, evidence.parameters
    for basis in ("given-complexity", "random-signs"):
        if assumes(evidence.certificate, basis):
            audit.leave("the complexity of the weak learners, which was given with the certificate")
            return LearnerClass(math.nan, basis, basis == "random-signs", True)
    m, n = X.shape
    if all(view["kind"] == "linear" for view in views):
        zeros = [view["intercept"] for view in views]
        audit.equal("intercepts", zeros, [0.0] * len(zeros))
        audit.check("columns lie in [-1, 1]", bool((np.abs(X) <= 1.0).all()))
        return _listed(2 * n, m)
    if not all(view["kind"] == "votes" for view in views):
        return None
    if parameters.get("thresholds") is None:
        return LearnerClass(2.0 * math.sqrt(2.0 * math.log(2 * (n * m + 1)) / m), "stumps")
    grid = _grid(parameters["thresholds"], n)
    asked = (zip(view["features"], view["thresholds"], strict=True) for view in views)
    is_listed = all(threshold in grid[feature] for pairs in asked for feature, threshold in pairs)
    audit.check("thresholds are among those fixed before the data", is_listed)
    return _listed(2 * sum(map(len, grid)) + 2, m)


def _listed(n_learners: int, n_samples: int) -> LearnerClass:
    basis = ("finite-learners", {"n": n_learners})
    return LearnerClass(2.0 * math.sqrt(2.0 * math.log(n_learners) / n_samples), basis)


def _grid(thresholds: Any, n_features: int) -> list[set[float]]:
    is_nested = bool(thresholds) and isinstance(thresholds[0], list)
    lists = thresholds if is_nested else [thresholds] * n_features
    if len(lists) != n_features:
        raise ValueError("thresholds must be one list a feature")
    return [{float(value) for value in values} for values in lists]


def vote_claim(evidence: Evidence) -> Claim | None:
    """What a margin bound says about these votes on these data."""
    views = sum_views(evidence.form)
    return _margin_claim(evidence, views, _margins(evidence, list(map(_weight_sum, views))))


def _margin_claim(
    evidence: Evidence, views: Sequence[Document], columns: Sequence[Floats]
) -> Claim | None:
    audit, certificate = evidence.audit, evidence.certificate
    bound, known = certificate["bound"], _known_class(evidence, views)
    if known is None:
        return None
    is_fixed = assumes(certificate, _FIXED[bound])
    if is_fixed:
        audit.trust("the margin of the bound was fixed before the data")
    delta = 0.9 * evidence.delta if known.is_empirical else evidence.delta
    share = delta / len(columns)
    taken = [_best_part(certificate, known, column, share, is_fixed) for column in columns]
    parameters = {_FIXED[bound]: taken[0][0]} if len(taken) == 1 else {}
    fixed = (_FIXED[bound],) if is_fixed else ()
    words = ("iid", "base-class", *fixed, known.basis, "known-classes")
    prices, notes = _added([prices for _, prices in taken])
    if len(taken) > 1:
        if any(price.nats >= 1.0 for price in prices):
            audit.leave("the votes themselves: a risk of 1 for a class holds for any votes")
        if is_fixed or known.is_given:
            audit.leave("the risks of the single classes, whose margin the file does not hold")
            prices = stated(certificate["terms"])
    more: dict[str, Any] = {"notes": notes, "unit": "risk", "parameters": parameters}
    return Claim(bound, "sum", prices, words, _REFERENCE, evidence.n, **more)


def _added(parts: Sequence[Prices]) -> tuple[Prices, tuple[str, ...]]:
    """The summands of one machine, or the risks of one for each class; what is said of those."""
    if len(parts) == 1:
        return parts[0], ()
    risks = [min(1.0, sum(price.nats for price in part)) for part in parts]
    prices = [Price("class", f"class {k} against the rest", risk) for k, risk in enumerate(risks)]
    return prices, (f"One machine for each of {len(parts)} classes; their risks are added.",)


Part = tuple[float, Prices]  # the scale or the margin, and the terms there


def _best_part(
    certificate: Document, known: LearnerClass, margins: Floats, delta: float, is_fixed: bool
) -> Part:
    """The scale or margin that a certificate was taken at, and the terms of one machine there."""
    is_slack = certificate["bound"] == "rademacher-margin"
    make: Callable[..., Prices] = _slack_terms if is_slack else _share_terms

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
    size: Any = dict(certificate["parameters"]).get(_FIXED[certificate["bound"]])
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
) -> Prices:
    slack = np.ceil(np.clip(1.0 - scale * margins, 0.0, 1.0) / _QUANTUM) * _QUANTUM
    nats = -math.log(delta)
    if not is_fixed:
        nats += math.log(math.pi**2 / 6.0) + 2.0 * math.log(math.log2(scale) + 1.0)
    return [
        Price("slack", "mean slack", min(1.0, math.fsum(slack.tolist()) / len(slack))),
        Price("complexity", f"complexity of the class times {scale:g}", scale * complexity),
        Price("deviation", "deviation of the sample", _deviation(len(slack), nats, is_empirical)),
    ]


def _share_terms(
    margins: Floats,
    complexity: float,
    theta: float,
    is_empirical: bool,
    delta: float,
    is_fixed: bool,
) -> Prices:
    m, nats = len(margins), -math.log(delta)
    share = float(np.mean(margins < theta + 1e-12))
    first = Price("errors", "share of examples below the margin", share)
    if is_fixed:
        last = Price("deviation", "deviation of the sample", _deviation(m, nats, is_empirical))
        return [first, Price("complexity", "complexity / margin", complexity / theta), last]
    choice = math.sqrt(max(0.0, math.log(math.log2(2.0 / theta))) / m)
    return [
        first,
        Price("complexity", "2 complexity / margin", 2.0 * complexity / theta),
        Price("margin", "choice of the margin", 3.0 * choice if is_empirical else choice),
        Price(
            "deviation",
            "deviation of the sample",
            _deviation(m, nats + math.log(2.0), is_empirical),
        ),
    ]


# -- sums of kernels ---------------------------------------------------------------------------


def mixture_claim(evidence: Evidence) -> Claim | None:
    """What a margin bound says of these sums of kernels on these data."""
    views = sum_views(evidence.form)
    n_kernels = _check_kernels(evidence, views)
    if n_kernels is None:
        return None
    columns = _margins(evidence, list(map(_norm_sum, views)))
    if evidence.certificate["bound"] == "rademacher-margin":
        return _margin_claim(evidence, views, columns)
    return _kernel_claim(evidence, columns, n_kernels)


def _check_kernels(evidence: Evidence, views: Sequence[Document]) -> int | None:
    """The parts are of kernels that were offered, bounded by 1; how many were offered."""
    audit, p, n_features = evidence.audit, evidence.parameters, evidence.X.shape[1]
    if "kernels" not in p:
        audit.leave("the number of kernels, which the file does not list")
        return None
    offered = [_offered(spec, n_features) for spec in p["kernels"] or _usual(n_features)]
    parts = [part for view in views for part in view["parts"]]
    holds = all([part["kernel"], part["columns"]] in offered for part in parts)
    audit.check("kernels", holds, "are not among those offered")
    is_plain = all(part["center"] is part["scale"] is None for part in parts)
    ties = [view["tie"] for view in views]
    audit.check("kernels: scale", is_plain and not any(ties), "several kernels are not scaled")
    is_bounded = all(_is_bounded(part, p["normalise"]) for part in parts)
    audit.check("kernels have k(x, x) <= 1", is_bounded, "one is not normalised")
    is_centred = p.get("centre") is True
    holds = is_centred or not any(view["intercept"] for view in views)
    audit.check("constants", holds, "must be 0 without centring")
    return len(offered) + is_centred  # the constant is one more


def _is_bounded(part: Document, normalise: Any) -> bool:
    is_normalised = part["is_normalised"]
    return is_normalised is normalise and (is_normalised or part["kernel"]["name"] == "rbf")


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


def _norm_sum(view: Document) -> float:
    """Norms of the parts in the spaces of their kernels, and the size of the constant."""
    norms = [abs(float(view["intercept"]))]
    for part in view["parts"]:
        points, weights = np.array(part["points"], dtype=float), np.array(part["coefficients"])
        K = kernel_matrix(part["kernel"], points, points)
        if part["is_normalised"]:
            own = own_values(part["kernel"], points)
            unit = np.where(own > 0.0, 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0)), 0.0)
            K = K * np.outer(unit, unit)
        norms.append(root(float(weights @ K @ weights)))
    return math.fsum(norms) or 1.0


def _kernel_claim(evidence: Evidence, columns: Sequence[Floats], n_kernels: int) -> Claim:
    certificate, share = evidence.certificate, evidence.delta / len(columns)
    fixed = _fixed_margin(certificate, evidence.n, share)
    if len(columns) == 1 and fixed is not None:
        evidence.audit.trust("the margin of the bound was fixed before the data")
        parts = [_mixture_prices(columns[0], fixed, n_kernels, share)]
    else:
        own, sizes = share / _N_MARGINS, [2.0**-j for j in range(_N_MARGINS)]
        parts = [
            min(
                (_mixture_prices(column, size, n_kernels, own) for size in sizes),
                key=lambda prices: sum(price.nats for price in prices),
            )
            for column in columns
        ]
    prices, notes = _added(parts)
    if sum(price.nats for price in prices) >= 1.0:
        evidence.audit.leave("the sums themselves: a risk of 1 holds for any of them")
    more: dict[str, Any] = {"notes": notes, "unit": "risk"}
    reference = _MIXTURE_REFERENCE
    return Claim("multiple-kernel", "sum", prices, _MIXTURE, reference, evidence.n, **more)


def _fixed_margin(certificate: Document, m: int, share: float) -> float | None:
    """The margin of a certificate that did not pay for choosing it; by its deviation and slope."""
    said = {term.kind: float(term.nats) for term in stated(certificate["terms"])}
    deviation, complexity = said.get("deviation"), said.get("complexity")
    wanted = 3.0 * math.sqrt(math.log(4.0 / share) / (2.0 * m))
    if deviation is None or not complexity or not math.isclose(deviation, wanted, rel_tol=1e-9):
        return None
    return 2.0 / (complexity * math.sqrt(m))


def _mixture_prices(margins: Floats, size: float, n_kernels: int, share: float) -> Prices:
    m = len(margins)
    slack = float(np.maximum(0.0, size - margins).sum())
    choice = 8.0 / size * math.sqrt(math.log(2.0 * (n_kernels + 1.0) / share) / (2.0 * m))
    return [
        Price("slack", "mean slack / margin", slack / (m * size)),
        Price("complexity", "largest kernel complexity", 2.0 / (size * m) * math.sqrt(m)),
        Price("kernel", f"choice among {n_kernels} kernels", choice),
        Price(
            "deviation",
            "deviation of the sample",
            3.0 * math.sqrt(math.log(4.0 / share) / (2.0 * m)),
        ),
    ]
