"""Certificates of support vector machines by their stable compression sets.

Let c be the set of training examples with y f(x) <= 1 for the exact machine. The removal of an
example outside c does not change the machine, and a new example with y f(x) <= 1 would enter c.
So the machine is a stable compression scheme, and the size of c alone bounds its risk. The solver
is not exact: its duality gap proves |w - w*|^2 <= 2 gap, and c is enlarged accordingly. An error
of the fitted machine then still implies y f*(x) <= 1 for the exact machine f*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds import (
    Assumption,
    Certificate,
    NotCertifiableError,
    compression_bound,
    held_out_bound,
    stable_bound,
)
from handful.checks import check_choice
from handful.estimator import CertifiedEstimator, refuse_balanced
from handful.svm.geometry import KernelStore
from handful.svm.solver import best_bias_interval, solve_path
from handful.svm.svm_model import SVMModel, is_svc, models_of

Indices = NDArray[np.intp]

BOUNDS_OF_SVM = ("auto", "stable", "compression", "held-out")
_TIGHT = 1e-10  # relative gap of the second solution; the enlargement shrinks with its root
_FLOOR = 1e-6  # added to the proven enlargement, for rounding of the values


@dataclass(frozen=True, eq=False)
class StableSet:
    """The compression set of a machine, and the distance of its scores from the exact ones.

    ``members`` are sorted indices. They contain every example with y f(x) <= 1 for the exact
    machine. Scores differ from the exact ones by at most slope * norm(x) + offset. ``radius`` is
    the largest norm of a training point.
    """

    members: Indices
    slope: float
    offset: float
    radius: float

    def largest_norm(self) -> float:
        """Largest norm of new points such that an error implies y f*(x) <= 1."""
        return np.inf if self.slope == 0 else max(0.0, (1.0 - self.offset) / self.slope)


def stable_set(model: SVMModel, X: Floats | KernelStore) -> StableSet:
    """The examples with y f(x) <= 1, enlarged by the accuracy of the solver.

    Parameters
    ----------
    model : SVMModel
    X : ndarray or KernelStore
        The training points. A store shares kernel matrices between machines.
    """
    if model.center and not model.fit_intercept:
        raise NotCertifiableError(
            "a machine centred on its training points without a bias moves with every example, "
            "so it is not a stable scheme. Fit with `fit_intercept=True` (centring is then "
            "without effect), or use `bound='held-out'`."
        )
    store = X if isinstance(X, KernelStore) else KernelStore(X)
    K, y = store.training_kernel(model), model.y_signed
    settings: dict[str, Any] = {
        "fit_intercept": model.fit_intercept,
        "row_weights": model.row_weights,
    }
    start = np.clip(model.alpha, 0.0, model.prices) if _is_feasible(model) else None
    Cs = np.array([model.C])
    tight = solve_path(K, y, Cs, tol=_TIGHT, alpha=start, warn=False, **settings)[0]
    norms = np.sqrt(np.maximum(np.diagonal(K), 0.0))
    reach = np.sqrt(2.0 * tight.gap)  # |w - w*| at most
    if model.fit_intercept:
        # The best bias is an interval whose ends are known up to the same reach.
        low, high = best_bias_interval(tight.errors, y, model.row_weights)
        slack = reach * (norms + norms.max()) + _FLOOR
        breakpoints = -tight.errors
        inside = np.where(y > 0, breakpoints >= low - slack, breakpoints <= high + slack)
        offset = abs(model.bias - tight.bias) + reach * float(norms.max())
    else:
        inside = y * (tight.errors + y) <= 1.0 + reach * norms + _FLOOR
        offset = 0.0
    # The fitted machine may be less exact than the second solution: its own gap is the slope.
    slope = np.sqrt(2.0 * max(0.0, _primal(model) - tight.objective))
    return StableSet(np.flatnonzero(inside), float(slope), float(offset), float(norms.max()))


def _is_feasible(model: SVMModel) -> bool:
    """Whether sum(alpha y) = 0 up to rounding, so that the solver may start at alpha."""
    return not model.fit_intercept or abs(model.coef.sum()) <= 1e-12 * model.alpha.sum()


def _primal(model: SVMModel) -> float:
    norm2 = max(0.0, float(model.coef @ (model.f - model.bias)))
    return 0.5 * norm2 + float(model.prices @ np.maximum(0.0, 1.0 - model.margins))


def norm_limit(models: Sequence[SVMModel], sets: Sequence[StableSet]) -> Assumption | None:
    """The assumption on the norm of new points; None if the kernel bounds it."""
    limit = min(found.largest_norm() for found in sets)
    is_bounded = all(model.kernel.name == "rbf" for model in models)
    if limit < (1.0 if is_bounded else 2.0 * max(found.radius for found in sets)):
        raise NotCertifiableError(
            "the machine is too far from optimal to be certified: lower `tol`, scale the "
            "features by fixed numbers, or lower C."
        )
    if is_bounded:
        return None
    return Assumption.of("norm", limit=float(limit**2))


def certify_models(
    models: Sequence[SVMModel],
    sets: Sequence[StableSet],
    *,
    delta: float,
    bound: str,
    n_choices: int,
) -> Certificate:
    """Certificate of one machine, or of one-vs-rest machines by the union of their sets.

    The combined rule errs only if one of the machines does, and the union of stable sets is
    stable. So no delta is divided over the machines.
    """
    members = np.unique(np.concatenate([found.members for found in sets]))
    limit = norm_limit(models, sets)
    m = models[0].n_samples
    # All errors have y f <= 1 and are members: none is left to count in either bound.
    if bound == "compression":
        certificate = compression_bound(m, members.size, 0, delta=delta, n_choices=n_choices)
    else:
        certificate = stable_bound(m, members.size, delta=delta, n_choices=n_choices)
    extra = () if limit is None else (limit,)
    return certificate.assuming("sum-of-slacks", "no-preprocessing", *extra)


def certify_svm(
    machine: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    bound: str = "auto",
    n_choices: int = 1,
) -> Certificate:
    """Certificate of a fitted binary ``sklearn.svm.SVC`` (or `SVMModel`) on its training data.

    Parameters
    ----------
    machine : sklearn.svm.SVC, SVMModel or SupportVectorMachine
    X, y : array-like
        The training data; for ``bound="held-out"`` the held-out data.
    delta : float
    bound : {"auto", "stable", "compression", "held-out"}
        "auto" is "stable".
    n_choices : int
        Number of (kernel, C) pairs among which the machine was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> X = np.r_[np.linspace(-2, -1, 50), np.linspace(1, 2, 50)][:, None]
    >>> y = np.repeat(["no", "yes"], 50)
    >>> print(certify_svm(SVC(C=1.0, gamma=1.0).fit(X, y), X, y))
    risk <= 11.9 % with 95 % confidence (stable, 100 examples, 4 kept, 3.0 nats)
    """
    check_choice("bound", bound, BOUNDS_OF_SVM)
    if bound == "held-out":
        if isinstance(machine, CertifiedEstimator):  # it refuses its own training rows
            return machine.certify(delta, bound=bound, n_choices=n_choices, X=X, y=y)
        if X is None or y is None:
            raise ValueError("`X` and `y` must be the held-out examples for `bound='held-out'`.")
        wrong = machine.predict(X) != np.asarray(y)
        return held_out_bound(len(wrong), int(np.sum(wrong)), n_choices=n_choices, delta=delta)
    if is_svc(machine) and machine.gamma == "scale" and machine.kernel in ("rbf", "poly"):
        raise NotCertifiableError(
            "`gamma='scale'` reads the variance of the data, which the certificate would have "
            "to pay for. Give `gamma` as a number or 'auto'."
        )
    if is_svc(machine):
        refuse_balanced(machine.class_weight)
    X = np.asarray(X, dtype=np.float64)
    models = models_of(machine, X, y)
    store = KernelStore(X)
    sets = [stable_set(model, store) for model in models]
    return certify_models(models, sets, delta=delta, bound=bound, n_choices=n_choices)
