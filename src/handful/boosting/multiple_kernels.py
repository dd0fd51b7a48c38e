"""Multiple kernel learning by LPBoost for scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.boosting.estimators import ProgramBooster, Rows, merge_rows
from handful.boosting.kernel_matrices import KernelMatrices, make_kernels
from handful.boosting.kernel_solver import KernelSolution, solve_kernels
from handful.boosting.margin_certificates import (
    Rademacher,
    given_complexity,
    hull_certificate,
    kernel_certificate,
)
from handful.boosting.solver import ROUGH, check_nu, choose_nu
from handful.boosting.votes import WeightedVote
from handful.bounds import Certificate, NotCertifiableError
from handful.checks import check_count, check_positive
from handful.kernels import ViewKernel
from handful.models import Form, KernelPart, Kernels, as_floats

_NO_KERNEL = "no kernel tells the classes apart. Check the labels, or give it other kernels."


class LPBoostMKL(ProgramBooster):
    """Multiple kernel learning: a convex vote of unit-norm functions of several kernels.

    LPBoost whose weak learners are the functions in the unit balls of the kernels. It finds the
    vote with the largest soft margin over all functions of all kernels. The kernels are computed
    from X, so the machine can be used in a Pipeline. More than two classes are fitted one against
    the rest.

    Parameters
    ----------
    kernels : list, optional
        Names, `handful.kernels.Kernel` objects, callables ``function(X, Z)``, or dictionaries
        with the arguments of `handful.kernels.make_kernel` and optionally ``columns``, the
        columns of X that the kernel uses. By default a linear kernel and Gaussian kernels of
        three widths. There may be hundreds: few of them take part at a time.
    nu : "auto" or float in (0, 1]
        At most this fraction of the training examples lies below the margin. A larger fraction
        chooses smoother kernels. "auto" takes the one with the fewest errors in a
        cross-validation within the training examples.
    normalise : bool
        Divide k(x, z) by sqrt(k(x, x) k(z, z)), so that k(x, x) <= 1 for every x. This uses no
        other example. The margin bounds need it, unless all kernels are Gaussian.
    centre : bool
        Subtract the mean of the training examples in the space of each kernel. The vote then has
        a constant term.
    equal_variance : bool
        Divide each kernel by the variance of the training examples in its space. Otherwise
        kernels that spread the examples far, such as narrow Gaussian ones, are preferred.
    tol : float
        Largest optimality gap.
    max_iter : int
        Most alternations between examples and kernels; reaching it warns.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    machines_ : list
        One vote for two classes, otherwise one for each class.
    kernel_weights_ : ndarray of shape (n_kernels,) or (n_classes, n_kernels)
        Share of each kernel in the vote; each row sums to 1. Kernels with equal matrices share
        their weight equally, so neither order nor repetition of kernels matters.
    margins_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        y f(x) on the training examples. f is divided by the sum of the norms of its parts (in
        the spaces of the kernels before centring and scaling) and of its constant.
    path_ : DataFrame
        One row for each round: "machine", "round", "edge", "beta", "gap", "n_columns" (kernels
        that take part).
    n_iter_ : int
        Most alternations of a machine.
    beta_, rho_, gap_, nu_ : ndarray of shape (n_machines,)
        Value of the vote in the program, margin, certified optimality gap, and nu.

    Notes
    -----
    Certificates: "multiple-kernel" (the default), which depends only on the logarithm of the
    number of kernels but is vacuous on small samples; "rademacher-margin" by
    ``margin_certificate(rademacher=empirical_rademacher(kernels, X_train))``; and "held-out". The
    first two need k(x, x) <= 1. They hold for every function of the class at once. So they pay
    nothing for the choice of ``nu``, scales and means; a constant counts as one more kernel.

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
        *,
        nu: float | str = "auto",
        normalise: bool = True,
        centre: bool = False,
        equal_variance: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        delta: float = 0.05,
    ) -> None:
        self.kernels = kernels
        self.nu = nu
        self.normalise = normalise
        self.centre = centre
        self.equal_variance = equal_variance
        self.tol = tol
        self.max_iter = max_iter
        self.delta = delta

    def _check_parameters(self, X: Floats) -> None:
        check_nu(self.nu)
        check_positive("tol", self.tol)
        check_count("max_iter", self.max_iter, low=1)
        specs = default_kernels(X.shape[1]) if self.kernels is None else self.kernels
        self._kernels = make_kernels(specs, X.shape[1], normalise=bool(self.normalise))
        self._solutions = []

    def _matrices(self, rows: Floats, weights: Floats) -> KernelMatrices:
        return KernelMatrices(
            self._kernels,
            rows,
            weights,
            centre=bool(self.centre),
            equal_variance=bool(self.equal_variance),
        )

    def _fit_one(self, X: Floats, y_signed: Floats, weights: Floats) -> tuple[WeightedVote, Rows]:
        rows, signs, merged = merge_rows(X, y_signed, weights)
        matrices = self._matrices(rows, merged)
        nu = self._choose_nu(rows, signs, merged) if isinstance(self.nu, str) else float(self.nu)
        solution = solve_kernels(
            matrices,
            signs,
            merged / (nu * merged.sum()),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        history = self._keep_solution(solution, nu)
        if not np.any(solution.weights > 0.0):
            return self._constant_vote(float(merged @ signs), _NO_KERNEL), history
        return KernelVote(self._kernels, matrices, solution, rows, signs), history

    def _choose_nu(self, rows: Floats, y_signed: Floats, weights: Floats) -> float:
        """Choose ``nu`` by a cross-validation; the folds share only the kernels."""

        def votes(train: np.ndarray, nus: Sequence[float]) -> Iterator[Callable[[Floats], Floats]]:
            matrices = self._matrices(rows[train], weights[train])
            share = weights[train] / weights[train].sum()
            for nu in nus:
                found = solve_kernels(
                    matrices, y_signed[train], share / nu, tol=ROUGH, max_iter=int(self.max_iter)
                )
                yield KernelVote(self._kernels, matrices, found, rows[train], y_signed[train])

        return choose_nu(rows, y_signed, weights, votes)

    @property
    def kernel_weights_(self) -> Floats:
        """Share of each kernel in the vote; zeros for a constant machine."""
        check_is_fitted(self, "machines_")
        none = np.zeros(len(self._kernels))
        weights = [getattr(vote, "kernel_weights", none) for vote in self.machines_]
        return weights[0] if len(weights) == 1 else np.array(weights)

    def _machine(self) -> Form:
        n, parts, constants = len(self.machines_), [], []
        for k, vote in enumerate(self.machines_):
            constants.append(float(vote.constant))
            # a vote without kernels is a constant: no kernel tells the classes apart
            for view, support, coefficients in getattr(vote, "parts", ()):
                if not view.kernel.is_named:
                    return self._closed_kernel(view.kernel)
                weights = np.zeros((len(support), n))
                weights[:, k] = coefficients
                centers = support if view.columns is None else support[:, list(view.columns)]
                numbers = as_floats(centers), as_floats(weights)
                parts.append(KernelPart(view.kernel, *numbers, view.columns, view.is_normalised))
        return Kernels(tuple(parts), tuple(constants))

    def _margin_bound(
        self, bound: str, delta: float, margin: float | None, rademacher: Rademacher | None
    ) -> Certificate:
        # The theorem bounds the trace of each kernel matrix by k(x, x), of new cases too.
        if not all(kernel.is_bounded for kernel in self._kernels):
            raise NotCertifiableError(
                "the margin bounds need k(x, x) <= 1 for every x. Fit with normalise=True, or "
                "use bound='held-out'."
            )
        self._refuse_constant(bound)
        if bound == "multiple-kernel":
            n_kernels = len(self._kernels) + bool(self.centre)  # the constant counts as a kernel
            return kernel_certificate(self._margins, n_kernels, margin=margin, delta=delta)
        if self.centre:
            raise NotCertifiableError(
                "bound='rademacher-margin' needs the complexity of the class, and centred kernels "
                "add a constant to it. Fit with centre=False, or use bound='multiple-kernel'."
            )
        if rademacher is None:
            raise NotCertifiableError(
                "bound='rademacher-margin' needs the complexity of the kernels. Use "
                "margin_certificate(rademacher=empirical_rademacher(kernels, X_train))."
            )
        complexity = given_complexity(rademacher, self._margins.shape[0], delta)
        return hull_certificate(bound, self._margins, complexity, margin=margin, delta=delta)


class KernelVote(WeightedVote):
    """f(x) = constant + sum over ``parts`` (kernel, support examples, coefficients).

    ``total`` is the sum of the norms of the parts, in the spaces of the kernels as they were
    given, and of the absolute constant. So f / total is in the convex hull of their unit balls.
    ``kernel_weights`` has the share of each kernel, in the units of the program.
    """

    def __init__(
        self,
        kernels: Sequence[ViewKernel],
        matrices: KernelMatrices,
        solution: KernelSolution,
        rows: Floats,
        y_signed: Floats,
    ) -> None:
        self.kernels = list(kernels)
        self.kernel_weights = np.zeros(len(kernels))
        self.constant, norms = 0.0, 0.0
        self.parts = []
        scores = solution.u * y_signed
        for g, group in enumerate(matrices.groups):
            if solution.factors[g] <= 0.0:
                continue
            self.kernel_weights[group] = solution.weights[g] / len(group)
            # Back to the norm of the kernel as it was given; the program has kernels of a common
            # scale.
            norms += float(solution.weights[g]) / math.sqrt(matrices.units[g].scale)
            coefficients, constant = matrices.plain_coefficients(g, solution.factors[g] * scores)
            self.constant += constant
            used = np.flatnonzero(coefficients)
            self.parts.append((self.kernels[group[0]], rows[used], coefficients[used]))
        # Divided by this number, f is a convex combination of functions of norm 1 and of a
        # constant.
        self.total = norms + abs(self.constant)

    def __call__(self, X: Floats) -> Floats:
        out = np.full(X.shape[0], self.constant)
        for kernel, support, coefficients in self.parts:
            out += kernel(X, support) @ coefficients
        return out

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        pairs = zip(self.kernels, self.kernel_weights, strict=True)
        return [(_describe(kernel), float(weight)) for kernel, weight in pairs]


def _describe(kernel: ViewKernel) -> str:
    k = kernel.kernel
    text = {"rbf": f"rbf(gamma={k.gamma:g})", "poly": f"poly({k.degree}, gamma={k.gamma:g})"}
    view = "" if kernel.columns is None else f" on columns {list(kernel.columns)}"
    return text.get(k.name, k.name) + view


def default_kernels(n_features: int) -> list[dict[str, Any]]:
    """A linear kernel and Gaussian kernels of three widths; they do not depend on the data."""
    widths = [{"kernel": "rbf", "gamma": scale / n_features} for scale in (0.1, 1.0, 10.0)]
    return [{"kernel": "linear"}, *widths]
