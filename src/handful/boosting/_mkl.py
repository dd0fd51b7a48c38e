"""Multiple kernel learning by LPBoost for scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.boosting._base import OneVersusRest, Vote
from handful.boosting._certify import (
    given_complexity,
    hull_certificate,
    kernel_certificate,
)
from handful.boosting._columns import Floats
from handful.boosting._kernel_columns import KernelColumns
from handful.boosting._kernel_specs import ViewKernel, check_kernel_matrix, make_kernels
from handful.boosting._lpboost_solver import (
    NO_MARGIN,
    LPBoosted,
    solve_lpboost,
    warn_if_unfinished,
)
from handful.boosting._rademacher import RademacherEstimate
from handful.boosting._rows import merge_rows
from handful.bounds import Certificate, NotCertifiableError
from handful.bounds._validation import check_count, check_real


class LPBoostMKL(OneVersusRest):
    """Multiple kernel learning: a convex vote of unit-norm functions of several kernels.

    LPBoost whose weak learners are the unit balls of the kernels. For weights u of the examples
    the best function of kernel t has the edge N_t = sqrt(u'Y K_t Y u) and is known in closed
    form, so each round adds the best function of the best kernel. The kernels are computed from
    X, so the machine fits into a Pipeline. More than two classes are fitted one against the
    rest.

    Parameters
    ----------
    kernels : list, optional
        Names, `handful.kernels.Kernel` objects, callables ``function(X, Z)``, or dictionaries
        with the arguments of `handful.kernels.make_kernel` and optionally ``columns``, the
        columns of X that the kernel looks at. By default a linear kernel and Gaussian ones of
        three widths.
    nu : float in (0, 1]
        At most this fraction of the training examples lies below the margin.
    normalise : bool
        Divide k(x, z) by sqrt(k(x, x) k(z, z)), so that k(x, x) <= 1 for every x and kernels
        of different scales compete on equal terms. It looks at no other example. The margin
        bounds need it, unless all kernels are Gaussian.
    tol : float
        Largest optimality gap.
    max_iter : int

    Attributes
    ----------
    classes_ : ndarray
    machines_ : list
        One vote for two classes, otherwise one for each class.
    kernel_weights_ : ndarray of shape (n_kernels,) or (n_classes, n_kernels)
        Share of each kernel in the vote; each row sums to 1. Kernels with equal matrices share
        their weight equally, so neither order nor repetition of kernels matters.
    margins_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        y f(x) on the training examples; f lies in the convex hull of the unit balls.
    history_ : dict of ndarray
        Columns "machine", "round", "edge", "beta", "gap", "n_columns".
    n_iter_ : int
        Most rounds of a machine.
    beta_, rho_, gap_ : ndarray of shape (n_machines,)
        Value of the program, margin, and certified optimality gap.

    Notes
    -----
    Certificates: "multiple-kernel" (the default), which depends on the number of kernels by its
    logarithm only but is vacuous on small samples; "rademacher-margin" with
    ``rademacher=empirical_rademacher(kernels, X_train)``; and "held-out". The first two need
    k(x, x) <= 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> y = (X**2).sum(axis=1) < 1.2
    >>> machine = LPBoostMKL(["linear", {"kernel": "rbf", "gamma": 1.0}], nu=0.1).fit(X, y)
    >>> bool(machine.kernel_weights_[1] > 0.9), machine.score(X, y) > 0.95
    (True, True)
    """

    _bounds = ("multiple-kernel", "rademacher-margin")

    def __init__(
        self,
        kernels: Any = None,
        nu: float = 0.2,
        *,
        normalise: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.kernels = kernels
        self.nu = nu
        self.normalise = normalise
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self, X: Floats) -> None:
        hint = "Use the fraction of margin errors, not their number."
        check_real("nu", self.nu, low=0.0, high=1.0, low_open=True, hint=hint)
        check_real("tol", self.tol, low=0.0, low_open=True)
        check_count("max_iter", self.max_iter, low=1)
        specs = default_kernels(X.shape[1]) if self.kernels is None else self.kernels
        self._kernels = make_kernels(specs, X.shape[1], normalise=bool(self.normalise))
        self._summaries: list[tuple[float, float, float]] = []

    def _fit_one(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[Vote, list[dict[str, float]]]:
        rows, signs, merged = merge_rows(X, y_signed, weights)
        matrices = [
            check_kernel_matrix(k(rows), k, position) for position, k in enumerate(self._kernels)
        ]
        groups = equal_groups(matrices)
        solution = solve_lpboost(
            KernelColumns([matrices[group[0]] for group in groups]),
            signs,
            merged / (float(self.nu) * merged.sum()),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            n_columns=1,
            smoothing=0.5,
        )
        warn_if_unfinished(solution, "LPBoostMKL", self.max_iter)
        self._summaries.append((solution.beta, solution.rho, solution.gap))
        self.beta_, self.rho_, self.gap_ = np.array(self._summaries).T
        history = [state.row() for state in solution.history]
        if not solution.columns:
            return self._constant_vote(float(merged @ signs), NO_MARGIN), history
        return KernelVote(self._kernels, groups, solution, rows), history

    @property
    def kernel_weights_(self) -> Floats:
        """Share of each kernel in the vote; zeros for a constant machine."""
        check_is_fitted(self, "machines_")
        none = np.zeros(len(self._kernels))
        weights = [getattr(vote, "kernel_weights", none) for vote in self.machines_]
        return weights[0] if len(weights) == 1 else np.array(weights)

    def _default_bound(self, has_complexity: bool) -> str:
        return "rademacher-margin" if has_complexity else "multiple-kernel"

    def _certify(
        self,
        bound: str,
        delta: float,
        margin: float | None,
        rademacher: float | RademacherEstimate | None,
    ) -> Certificate:
        if not all(kernel.is_bounded for kernel in self._kernels):
            raise NotCertifiableError(
                "the margin bounds need k(x, x) <= 1 for every x. Fit with normalise=True, or "
                "use bound='held-out'."
            )
        self._refuse_constant(bound)
        if bound == "multiple-kernel":
            return kernel_certificate(self._margins, len(self._kernels), margin=margin, delta=delta)
        if rademacher is None:
            raise NotCertifiableError(
                "bound='rademacher-margin' needs the complexity of the kernels. Pass "
                "rademacher=empirical_rademacher(kernels, X_train)."
            )
        complexity = given_complexity(rademacher, self._margins.shape[0], delta)
        return hull_certificate(bound, self._margins, complexity, margin=margin, delta=delta)


class KernelVote:
    """f(x) = sum over kernels and support examples of coefficients times kernel values.

    Attributes
    ----------
    kernel_weights : ndarray of shape (n_kernels,)
    """

    def __init__(
        self,
        kernels: Sequence[ViewKernel],
        groups: Sequence[Sequence[int]],
        solution: LPBoosted,
        rows: Floats,
    ) -> None:
        self.kernels = list(kernels)
        self.kernel_weights = np.zeros(len(kernels))
        coefficients = np.zeros((len(groups), rows.shape[0]))
        for column, weight in zip(solution.columns, solution.weights, strict=True):
            member = column.key
            coefficients[member.kernel, member.indices] += weight * member.coefficients
            sharing = list(groups[member.kernel])
            self.kernel_weights[sharing] += weight / len(sharing)
        self._parts = []
        for group, row in zip(groups, coefficients, strict=True):
            used = np.flatnonzero(row)
            if used.size:
                self._parts.append((self.kernels[group[0]], rows[used], row[used]))

    @property
    def total(self) -> float:
        """Sum of the weights, which is 1."""
        return float(self.kernel_weights.sum())

    def __call__(self, X: Floats) -> Floats:
        """Values on the rows of X."""
        out = np.zeros(X.shape[0])
        for kernel, support, coefficients in self._parts:
            out += kernel(X, support) @ coefficients
        return out

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Kernels and their weights."""
        pairs = zip(self.kernels, self.kernel_weights, strict=True)
        return [(_describe(kernel), float(weight)) for kernel, weight in pairs]


def _describe(kernel: ViewKernel) -> str:
    k = kernel.kernel
    text = {"rbf": f"rbf(gamma={k.gamma:g})", "poly": f"poly({k.degree}, gamma={k.gamma:g})"}
    view = "" if kernel.columns is None else f" on columns {list(kernel.columns)}"
    return text.get(k.name, k.name) + view


def equal_groups(matrices: Sequence[Floats]) -> list[list[int]]:
    """Positions of equal matrices, grouped, in order of first appearance."""
    groups: list[list[int]] = []
    for position, K in enumerate(matrices):
        for group in groups:
            if np.array_equal(matrices[group[0]], K):
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


def default_kernels(n_features: int) -> list[dict[str, Any]]:
    """A linear kernel and Gaussian kernels of three widths; they do not look at the data."""
    widths = [{"kernel": "rbf", "gamma": scale / n_features} for scale in (0.1, 1.0, 10.0)]
    return [{"kernel": "linear"}, *widths]
