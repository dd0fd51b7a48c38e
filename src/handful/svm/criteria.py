"""Criteria: numbers to choose among machines. None of them is a bound.

Each criterion is a function of a `MachineGeometry`; smaller is better. ``CRITERIA`` is the
registry. `criteria_table` compares many machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from handful.arrays import Floats
from handful.bounds import Criterion
from handful.svm import code_lengths as codes
from handful.svm.geometry import KernelStore, MachineGeometry
from handful.svm.grid import SVMGrid
from handful.svm.span import leave_one_out_errors, span_errors
from handful.svm.svm_model import SVMModel, models_of

_LUXBURG = "von Luxburg, Bousquet & Schölkopf (2004), JMLR 5"
_CODE_WARNING = (
    "It is the length of a code for the training labels over their number; values above one are "
    "normal, and only differences between machines mean something."
)
_BOUND_WARNING = (
    "It is the leading term of a published bound, without its constants and confidence."
)
_SUPPORT_WARNING = (
    "The expected risk of a machine trained on one example less is at most the expected share of "
    "support vectors: a statement about means over training sets, without confidence for one."
)
_LOO_WARNING = "It estimates the error of machines trained on one example less, without confidence."


@dataclass(frozen=True)
class SVMCriterion:
    """An entry of ``CRITERIA``: a number to choose by; smaller is better.

    Attributes
    ----------
    name : str
    function : callable
        From a `MachineGeometry` to a float; infinite if the criterion is undefined.
    summary, warning, reference : str
    is_slow : bool
        Whether the criterion refits machines. Tables leave such criteria out by default.
    """

    name: str
    function: Callable[[MachineGeometry], float]
    summary: str
    warning: str
    reference: str
    is_slow: bool = False

    def __call__(self, geometry: MachineGeometry) -> Criterion:
        """The value with its warning."""
        return Criterion(
            value=float(self.function(geometry)),
            name=self.name,
            warning=self.warning,
            reference=self.reference,
        )


def _per_sample(
    code: Callable[..., codes.CodeLength], options: dict[str, object], g: MachineGeometry
) -> float:
    return code(g, **options).total / g.n_samples


def radius_margin(g: MachineGeometry) -> float:
    """Empirical risk + sqrt(R^2 / rho^2 log2(m) / m)."""
    return g.empirical_risk + math.sqrt(g.radius_margin * math.log2(g.n_samples) / g.n_samples)


def rescaled_radius_margin(g: MachineGeometry) -> float:
    """Radius-margin criterion with the data rescaled along the principal axes."""
    # w in the basis of the principal axes: each axis enters by the largest loading of any point on
    # it.
    spectrum = g.points.spectrum
    loadings = (spectrum.vectors.T @ g.model.coef) ** 2
    rescaled = float((spectrum.values**2 * g.points.largest_loadings * loadings).sum())
    return g.empirical_risk + math.sqrt(rescaled * math.log2(g.n_samples) / g.n_samples)


def trace(g: MachineGeometry) -> float:
    """Empirical risk + (2 |w| / m) sqrt(trace of K): the trace bound, misprint corrected."""
    total = float(np.square(g.points.norms).sum())
    return g.empirical_risk + 2.0 * g.norm / g.n_samples * math.sqrt(total)


def trace_printed(g: MachineGeometry) -> float:
    """Empirical risk + sum_i sqrt(eigenvalue_i / m): the trace bound as it was printed."""
    return g.empirical_risk + float(np.sqrt(g.points.eigenvalues / g.n_samples).sum())


def compression_scheme(g: MachineGeometry) -> float:
    """Cost of naming the s support vectors over the rest: ln C(m, s) / (m - s)."""
    m, s = g.n_samples, g.n_support
    # If every example is a support vector, none is left that could speak for the machine.
    return math.inf if s == m else codes.log2_binomial(m, s) * math.log(2.0) / (m - s)


def sparse_margin(g: MachineGeometry) -> float:
    """Margin and sparsity: k ln(e m / k) / (m - s), k = min(ceil(R^2 / rho^2 + 1), m)."""
    m, s = g.n_samples, g.n_support
    if s == m:
        return math.inf
    # The small number keeps rounding from adding a whole unit if the ratio is an integer.
    k = min(math.ceil(g.radius_margin + 1.0 - 1e-12), m)
    return k * math.log(math.e * m / k) / (m - s)


def span(g: MachineGeometry) -> float:
    """Leave-one-out error rate by the span estimate; affine for machines with a bias."""
    # Machines of a grid with equal free support vectors share one factorisation.
    factor = g.points.free_factor(g.model.free) if g.model.free.size else None
    return span_errors(g.model, g.points.K, factor=factor).size / g.n_samples


def support_vectors(g: MachineGeometry) -> float:
    """Share of support vectors, s / m; its mean bounds the mean leave-one-out error."""
    return g.n_support / g.n_samples


def leave_one_out(g: MachineGeometry) -> float:
    """Leave-one-out error rate by refitting without each support vector."""
    return leave_one_out_errors(g.model, g.points.K).size / g.n_samples


_CODES = {
    "c1": (codes.code_1, {}, "code by the margin alone"),
    "c2": (codes.code_2, {}, "code by the margin and the shape of the data"),
    "c3": (codes.code_3, {}, "the same in the span of the support vectors"),
    "c4": (codes.code_4, {}, "the same after a kernel PCA projection"),
    "c4-best": (codes.code_4, {"dimension": "best"}, "c4 with the best number of components"),
    "c5": (codes.code_5, {}, "code by the support vectors and their labels"),
}


def _code_entries() -> list[SVMCriterion]:
    entries = []
    for name, (code, options, summary) in _CODES.items():
        for suffix, exact in (("", False), ("-exact", True)):
            function = partial(_per_sample, code, {"exact": exact, **options})
            text = f"{summary}, exact lengths of the lists" if exact else summary
            entries.append(SVMCriterion(name + suffix, function, text, _CODE_WARNING, _LUXBURG))
    return entries


def _entry(
    name: str,
    function: Callable[[MachineGeometry], float],
    reference: str,
    warning: str = _BOUND_WARNING,
    is_slow: bool = False,
) -> SVMCriterion:
    summary = (function.__doc__ or "").splitlines()[0]
    return SVMCriterion(name, function, summary, warning, reference, is_slow)


CRITERIA: dict[str, SVMCriterion] = {
    entry.name: entry
    for entry in (
        *_code_entries(),
        _entry("compression-scheme", compression_scheme, "Floyd & Warmuth (1995)"),
        _entry("leave-one-out", leave_one_out, "Vapnik (1998)", _LOO_WARNING, is_slow=True),
        _entry("radius-margin", radius_margin, "Bartlett & Shawe-Taylor (1999)"),
        _entry("rescaled-radius-margin", rescaled_radius_margin, "Chapelle & Vapnik (2000)"),
        _entry("span", span, "Vapnik & Chapelle (2000)", _LOO_WARNING),
        _entry("sparse-margin", sparse_margin, "Herbrich, Graepel & Shawe-Taylor (2000)"),
        _entry("support-vectors", support_vectors, "Vapnik (1998)", _SUPPORT_WARNING),
        _entry("trace", trace, "Bartlett & Mendelson (2001)"),
        _entry("trace-printed", trace_printed, "Bartlett & Mendelson (2001), as printed in 2004"),
    )
}


def get_criterion(name: str) -> SVMCriterion:
    """The entry of ``CRITERIA``, or a ValueError that lists the names.

    Examples
    --------
    >>> get_criterion("span").summary
    'Leave-one-out error rate by the span estimate; affine for machines with a bias.'
    """
    if name not in CRITERIA:
        allowed = ", ".join(repr(key) for key in sorted(CRITERIA))
        raise ValueError(f"`criterion` must be one of {allowed}, got {name!r}.")
    return CRITERIA[name]


if TYPE_CHECKING:
    import pandas as pd


def criteria_table(
    machines: SVMGrid | Sequence[Any],
    X: Any = None,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """A data frame with one row for each machine and one column for each criterion.

    Parameters
    ----------
    machines : SVMGrid, or sequence of SupportVectorMachine or sklearn.svm.SVC
        Binary and fitted on the same data.
    X, y : array-like
        The training data; not needed for an `SVMGrid`.
    names : sequence of str, optional
        Names in ``CRITERIA``; by default all that are not slow.

    Returns
    -------
    DataFrame
        Columns ``kernel``, ``gamma``, ``C``, ``n_support``, ``gap``, then the criteria.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import fit_svm_grid
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5], Cs=[1, 10])
    >>> criteria_table(grid, names=["span", "c2"]).shape
    (2, 7)
    """
    import pandas as pd

    if names is None:
        names = [name for name, entry in CRITERIA.items() if not entry.is_slow]
    entries = [get_criterion(name) for name in names]
    if isinstance(machines, SVMGrid):
        models, X = list(machines), machines.X
    else:
        if X is None:
            raise ValueError("`X` must be the training data of the machines, got None.")
        X = np.asarray(X, dtype=np.float64)
        models = [_only_model(machine, X, y) for machine in machines]
    rows = []
    with threadpool_limits(limits=1, user_api="blas"):
        store = KernelStore(X)
        for model in models:
            geometry = store.geometry(model)
            row: dict[str, Any] = {
                "kernel": model.kernel.name,
                "gamma": model.kernel.gamma,
                "C": model.C,
                "n_support": geometry.n_support,
                "gap": model.gap,
            }
            row.update({entry.name: float(entry.function(geometry)) for entry in entries})
            rows.append(row)
    return pd.DataFrame(rows)


def _only_model(machine: Any, X: Floats, y: Any) -> SVMModel:
    models = models_of(machine, X, y)
    if len(models) != 1:
        raise ValueError(
            f"`machines` must have two classes each, got one with {len(models)} binary machines. "
            "Use its method `criterion`, which takes their mean."
        )
    return models[0]
