"""Kernel matching pursuit for classes: a kernel expansion on a handful of examples, certified."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats, Ints
from handful.bounds import Certificate, NotCertifiableError, Term
from handful.candidates import Menu, certify
from handful.checks import check_choice
from handful.chunks import chunked, is_chunked
from handful.estimator import BaseClassifier
from handful.kernels import Kernel
from handful.models import Form, kernel_expansion
from handful.pursuit.base import BasePursuit, check_kernel_matrix
from handful.pursuit.expansion_codes import TIE, CodedExpansion, decide, expansion_of_size
from handful.pursuit.gram import class_targets
from handful.pursuit.kernel_columns import Indices
from handful.pursuit.path_points import (
    BOUND_OF,
    SELECTION_DELTA,
    PathPoint,
    Plan,
    Task,
    path_points,
)
from handful.tables import RowSource

if TYPE_CHECKING:
    import pandas as pd

COEFFICIENTS = tuple(BOUND_OF)
MULTI_CLASS = ("shared", "ovr")
GAMMA_SHARES = (0.1, 0.3, 1.0)  # per feature; naming one of three costs ln 3 nats


class KernelMatchingPursuitClassifier(BasePursuit, BaseClassifier):
    """Kernel classifier whose few centres are chosen greedily, with a certificate of its risk.

    Parameters
    ----------
    n_centers : int, default=20
        Largest number of centres. Fix it before looking at the data: the certificate pays for
        the choice of a size among 0, ..., n_centers.
    kernel : {"rbf", "linear", "poly", "precomputed"}, callable or Kernel, default="rbf"
    gamma : float, "auto", "three", or sequence of numbers, default="three"
        A sequence is searched by certificate, which pays ln of its length. "three" is the
        sequence 0.1, 0.3, 1 over n_features; "auto" is 1 / n_features.
    degree, coef0 : int, float
        Parameters of the polynomial kernel.
    coefficients : {"pool", "chosen", "quantised", "least_squares"}, default="pool"
        Where the coefficients come from, which decides the certificate.

        - "pool": centres and coefficients come from a blindly drawn pool of the examples; the
          others choose the size and ``gamma`` and count the errors. On the six data sets of the
          guide this gives the smallest certificates by far.
        - "chosen": coefficients are recomputed from the chosen examples alone.
        - "quantised": least-squares coefficients of all the data, rounded and paid for.
        - "least_squares": plain kernel matching pursuit on all the data. Only the bound of the
          lectures holds, which is usually vacuous.
    pool_fraction : float, default=0.4
        Share of the examples in the pool.
    scale : "auto", None or array of shape (n_features,), default="auto"
        "auto" standardises by the pool's mean and deviation, and not at all without a pool.
        An array divides the features by scales known before the data.
    ridge : float, default=0.1
        Penalty on the least-squares coefficients.
    fit_intercept : bool, default=True
    criterion : {"residual", "cosine"}, default="residual"
        The column that lowers the residual most, or the one with the largest cosine to it.
    stop : {"auto", "certificate", "size", "validation"}, default="auto"
        How the size is chosen: the smallest certificate; ``n_centers`` (or less, by ``tol``);
        the fewest errors on a part of the fitted rows. "auto" is "size" for "least_squares" and
        "certificate" otherwise.
    tol : float, default=0.0
        Stop once the squared residual is at most this share of its start.
    validation_fraction : float, default=0.2
        Share of the fitted rows that ``stop="validation"`` holds out.
    multi_class : {"shared", "ovr"}, default="shared"
        More than two classes: the same centres for all, or a pursuit for each.
    candidates : None, int or array of row numbers, default=None
        Examples that may become centres: all, that many drawn blindly, or those given.
    memory_limit : float, default=1024
        MiB that the kernel matrix may take; beyond, it is computed in blocks again and again.
    delta : float, default=0.05
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests, default=None
        None draws the pool, the candidates and the validation part by the digest of X and y: the
        result does not depend on the order of the rows, and there is no seed to choose. A whole
        number takes its place; the certificate then assumes that it was fixed before the data
        were seen.

    Attributes
    ----------
    centers_idx_ : ndarray of int
        Indices of the centres in order of choice.
    compression_set_ : ndarray of int
        The same, sorted.
    held_back_ : ndarray of int
        Sorted indices of the examples the certificate does not count: the centres, or the pool
        they come from.
    centers_ : ndarray (n_centers, n_features)
        The centres themselves, as given.
    n_centers_, size_ : int
        Number of centres; number of choices (less than that for "ovr").
    path_ : DataFrame
        One row for each size with the kernel that was kept.
    n_training_errors_ : int
        Errors on all training examples.
    message_ : dict
        Content of the message that, with the chosen examples, rebuilds the classifier.
    kernel_ : Kernel
        The one that was chosen.
    expansion_ : Expansion
        Centres, coefficients and intercepts.
    scaling_ : tuple of ndarray, or None
        Mean and scale of each column, if columns are scaled.
    classes_ : ndarray
        Labels.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = KernelMatchingPursuitClassifier().fit(X, y)
    >>> machine.n_centers_ <= 20, machine.score(X, y) > 0.9
    (True, True)
    >>> machine.certify().bound
    'pool'
    """

    _coefficient_choices = COEFFICIENTS
    _bounds = ("pool", "compression", "matching-pursuit")

    def __init__(
        self,
        n_centers=20,
        *,
        kernel="rbf",
        gamma="three",
        degree=3,
        coef0=0.0,
        coefficients="pool",
        pool_fraction=0.4,
        scale="auto",
        ridge=0.1,
        fit_intercept=True,
        criterion="residual",
        stop="auto",
        tol=0.0,
        validation_fraction=0.2,
        multi_class="shared",
        candidates=None,
        memory_limit=1024.0,
        delta=0.05,
        random_state=None,
    ):
        self.n_centers = n_centers
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.coefficients = coefficients
        self.pool_fraction = pool_fraction
        self.scale = scale
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.criterion = criterion
        self.stop = stop
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.multi_class = multi_class
        self.candidates = candidates
        self.memory_limit = memory_limit
        self.delta = delta
        self.random_state = random_state

    def fit(self, X, y):
        """Choose centres, size and kernel; X (n_samples, n_features), y any labels."""
        if is_chunked(X):
            return chunked().fit(self, X, y)
        given = X
        self._check_parameters()
        X, y, codes = self._read_examples(X, y)
        if self._is_pairwise():
            check_kernel_matrix(X)
        rows = X
        X, y = self._in_order(given, X, y)
        labels = codes[self._order]
        ground = self._ground(len(X))
        self.scaling_ = self._scaling(X, ground)
        kernels = self._kernels(X.shape[1])
        task = Task(
            coefficients=self.coefficients,
            n_samples=len(X),
            X=self._scaled(X),
            targets=np.column_stack(self._signs(labels)),
            labels=labels,
            ground=ground,
            ridge=self.ridge,
            has_intercept=self.fit_intercept,
            choice=self._choice_terms(len(kernels)),
        )
        best = self._choose(task, kernels)
        self._store(X, ground, kernels[best.kernel_index], best.expansion)
        self.n_training_errors_ = int(np.sum(self._codes(rows) != codes))
        return self

    def fit_rows(self, rows: RowSource) -> KernelMatchingPursuitClassifier:
        n_classes = len(rows.classes)
        if n_classes < 2:
            raise ValueError(f"`y` must hold at least two classes, got {n_classes}.")
        self.classes_ = rows.classes
        sums = self._row_sums(rows, class_targets(n_classes))
        kernels = sums.held.kernels
        plan = Plan(
            coefficients=self.coefficients,
            n_samples=rows.n_samples,
            ground=sums.ground,
            ridge=self.ridge,
            has_intercept=self.fit_intercept,
            choice=self._choice_terms(len(kernels)),
        )
        points = []
        for g in range(len(kernels)):
            paths = self._sum_paths(sums, g, is_shared=self.multi_class == "shared")
            for size in self._sizes(paths):
                coded = CodedExpansion(expansion_of_size(paths, size, self.ridge))
                points.append(plan.point(g, size, paths, coded, 0))
        n_wrong, n_errors = sums.errors([(p.kernel_index, p.expansion) for p in points])
        points = [
            replace(p, counts=replace(p.counts, n_errors=int(n)))
            for p, n in zip(points, n_errors, strict=True)
        ]
        best = self._keep_best(points, None)
        self.n_training_errors_ = int(n_wrong[points.index(best)])
        self._store(sums.X, sums.ground, kernels[best.kernel_index], best.expansion)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("multi_class", self.multi_class, MULTI_CLASS)
        if self.coefficients in ("chosen", "quantised") and self.multi_class == "ovr":
            raise ValueError(
                f"`multi_class` must be 'shared' with coefficients={self.coefficients!r}, "
                "got 'ovr'. The message does not say which class a centre serves."
            )

    def _gammas(self) -> list[Any]:
        is_three = isinstance(self.gamma, str) and self.gamma == "three"
        if not is_three:
            return super()._gammas()
        if self.kernel not in ("rbf", "poly"):
            return ["auto"]  # no other kernel has one
        return [share / self.n_features_in_ for share in GAMMA_SHARES]

    @property
    def _stop(self) -> str:
        if self.stop != "auto":
            return str(self.stop)
        return "size" if self.coefficients == "least_squares" else "certificate"

    def _choice_terms(self, n_kernels: int) -> tuple[Term, ...]:
        """Terms that every message pays for size and kernel; choices by the pool alone are free."""
        is_pool, is_slides = self.coefficients == "pool", self.coefficients == "least_squares"
        terms = []
        if n_kernels > 1 and not (is_pool and self._stop == "validation"):
            # A uniform prior over the kernels. The pool may choose one for free by validation
            # inside it.
            terms.append(Term("kernel", f"kernel, one of {n_kernels}", math.log(n_kernels)))
        if not is_slides and not (is_pool and self._stop in ("size", "validation")):
            terms.append(
                Term("size", f"size, one of {self.n_centers + 1}", math.log(self.n_centers + 1.0))
            )
        return tuple(terms)

    def _choose(self, task: Task, kernels: list[Kernel]) -> PathPoint:
        """Run the path with every kernel and keep the best point by the rule ``stop``."""
        indices, forced = range(len(kernels)), None
        if self._stop == "validation":

            def loss(values: Floats, held: Indices) -> float:
                return float(np.mean(decide(values, np.zeros_like(values)) != task.labels[held]))

            index, forced = self._validated(kernels, task.X, task.targets, task.ground, loss)
            indices = range(index, index + 1)
        points: list[PathPoint] = []
        for g in indices:
            is_shared = self.multi_class == "shared"
            paths = self._paths(kernels[g], task.X, task.targets, task.ground, is_shared=is_shared)
            points += path_points(task, kernels[g], g, paths, self._sizes(paths))
        return self._keep_best(points, forced)

    def _keep_best(self, points: list[PathPoint], forced: int | None) -> PathPoint:
        """The best point by the rule ``stop``; the path with its kernel is kept."""
        menu = Menu(tuple(points), SELECTION_DELTA)
        longest = max(point.size for point in points)
        wanted = {"size": longest, "validation": forced}.get(self._stop)
        # The smallest certificate first; a wanted size takes the best row of that size.
        in_order = (menu[row] for row in range(len(menu)))
        best = next(p for p in in_order if wanted is None or p.size == min(wanted, longest))
        self.size_, self.message_ = best.size, best.content
        own = [p for p in points if p.kernel_index == best.kernel_index]
        named = [replace(p, expansion=self._named(p.expansion)) for p in own]
        self.candidate_ = named[own.index(best)]
        self._path = Menu(tuple(named), SELECTION_DELTA)
        return best

    @property
    def path_(self) -> pd.DataFrame:
        """One row a size: residual, errors, price and certificate at 95 % confidence."""
        check_is_fitted(self)
        return self._path.path(self.candidate_)

    def _scores(self, rows: Floats) -> Floats:
        values, _ = self._values(rows)
        return values[:, 0] if len(self.classes_) == 2 else values

    def _codes(self, rows: Floats) -> Ints:
        """Ties up to rounding go to the lowest class."""
        return decide(*self._values(rows))

    def _machine(self) -> Form:
        if not self.kernel_.is_named:
            return self._closed_kernel(self.kernel_)
        model, (center, scale) = self.expansion_, self.scaling_ or (None, None)
        return kernel_expansion(
            self.kernel_,
            self.centers_,
            model.coefficients,
            model.intercepts,
            center=center,
            scale=scale,
            tie=TIE,
        )

    def _default_bound(self) -> str:
        return BOUND_OF[self.coefficients]

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        own = BOUND_OF[self.coefficients]
        if bound != own:
            raise NotCertifiableError(
                f"`bound`={bound!r} does not hold for coefficients={self.coefficients!r}. "
                f"Use bound={own!r}, or fit with coefficients="
                f"{next(name for name, b in BOUND_OF.items() if b == bound)!r}."
            )
        if own == "matching-pursuit" and len(self.classes_) > 2:
            raise NotCertifiableError(
                f"`bound`='matching-pursuit' is about two classes, got {len(self.classes_)}. "
                "Fit with coefficients='pool'."
            )
        point = self.candidate_
        return self._saying_how(certify(point.code, point.counts, delta, n_choices=n_choices))
