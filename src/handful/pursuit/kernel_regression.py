"""Kernel matching pursuit for numbers: regression on a handful of examples, certified."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from handful.arrays import Floats, Ints
from handful.bounds import Certificate, NotCertifiableError, Term
from handful.candidates import Code, Counts, certify
from handful.checks import check_delta, check_real
from handful.chunks import chunked, is_chunked
from handful.estimator import BaseRegressor
from handful.kernels import Kernel
from handful.pursuit.base import BasePursuit, check_kernel_matrix, residual_frame
from handful.pursuit.candidate_pool import CandidatePool, is_outside, pool_size
from handful.pursuit.expansion_codes import expansion_of_size
from handful.pursuit.gram import Deviations
from handful.pursuit.kernel_columns import Indices
from handful.pursuit.orthogonal import PursuitPath
from handful.pursuit.path_points import BOUND_OF, GroupDeviations
from handful.tables import Grouping, RowNeeds, RowSource, check_groups

if TYPE_CHECKING:
    import pandas as pd


class KernelMatchingPursuitRegressor(MultiOutputMixin, BasePursuit, BaseRegressor):
    """Kernel regression whose few centres are chosen greedily, the whole path in one run.

    Parameters
    ----------
    n_centers : int, default=20
        Largest number of centres.
    kernel : {"rbf", "linear", "poly", "precomputed"}, callable or Kernel, default="rbf"
    gamma : float, "auto" or sequence of these, default="auto"
        "auto" is 1 / n_features. A sequence is searched by validation, or by the residual.
    degree, coef0 : int, float
        Parameters of the polynomial kernel.
    coefficients : {"least_squares", "pool"}, default="least_squares"
        Fit on all examples, or on a blindly drawn pool so that the others can certify.
    pool_fraction, scale, fit_intercept, criterion, candidates, memory_limit, random_state
        As in `KernelMatchingPursuitClassifier`.
    ridge : float, default=0.0
        Penalty on the least-squares coefficients.
    stop : {"auto", "size", "validation"}, default="auto"
        "auto" is "size".
    tol : float, default=0.0
        Stop once the squared residual is at most this share of its start.
    validation_fraction : float, default=0.2
        Share of the fitted rows that ``stop="validation"`` holds out.
    epsilon : float, optional
        Deviation (of the worst output) that a certificate tolerates, fixed before the data were
        seen. If several are tried, ``n_choices`` must count them.
    delta : float, default=0.05
        Allowed probability that a certificate fails.

    Attributes
    ----------
    centers_idx_, compression_set_, held_back_, centers_, n_centers_
        As in `KernelMatchingPursuitClassifier`.
    residual_squares_ : ndarray
        Sums of squared residuals of sizes 0, 1, 2, ... on the fitted rows.
    path_ : DataFrame
        The same as a table.
    n_training_errors_ : int
        Examples that are off by more than ``epsilon``.
    kernel_, expansion_, scaling_, n_features_in_
        As in `KernelMatchingPursuitClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 40)[:, None]
    >>> machine = KernelMatchingPursuitRegressor(n_centers=6).fit(X, np.sin(X[:, 0]))
    >>> machine.score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    _coefficient_choices = ("least_squares", "pool")
    _bounds = ("matching-pursuit", "pool", "betting")
    _stop_choices = ("auto", "size", "validation")

    def __init__(
        self,
        n_centers=20,
        *,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=0.0,
        coefficients="least_squares",
        pool_fraction=0.4,
        scale="auto",
        ridge=0.0,
        fit_intercept=True,
        criterion="residual",
        stop="auto",
        tol=0.0,
        validation_fraction=0.2,
        candidates=None,
        memory_limit=1024.0,
        epsilon=None,
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
        self.candidates = candidates
        self.memory_limit = memory_limit
        self.epsilon = epsilon
        self.delta = delta
        self.random_state = random_state

    def fit(self, X, y, groups=None):
        """Choose centres and coefficients; y (n_samples,) or (n_samples, n_outputs).

        ``groups`` says which rows belong together, the visits of one patient, say. Groups are
        drawn into the pool and counted whole, and the certificate is about a random row of a
        random new group. It needs coefficients="pool".
        """
        if is_chunked(X):
            return chunked().fit(self, X, y)
        given = X
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        self._check_parameters()
        if self._is_pairwise():
            check_kernel_matrix(X)
        check_delta(self.delta)
        self._remember(X, y)
        Y = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        self._is_flat = np.ndim(y) == 1
        member = self._check_groups(groups, len(X))
        X_ordered, Y_ordered = self._in_order(given, X, Y, member)
        n_pool = None if member is None else self._n_pool_rows(member)
        ground = self._ground(len(X), n_pool)
        self.scaling_ = self._scaling(X_ordered, ground)
        self._fit_path(X_ordered, Y_ordered, ground)
        is_counted = is_outside(len(X), self.held_back_)
        # Deviations, not errors: `epsilon` may be set after the fit, if fixed before the data.
        values, _ = self._values(X[is_counted])
        self._deviations = np.sort(np.abs(values - Y[is_counted]).max(axis=1))
        self._groups = None if member is None else self._group_deviations(X, Y, member, n_pool)
        self.n_training_errors_ = self._n_off(np.abs(self._outputs(X) - Y).max(axis=1))
        return self

    def row_needs(self) -> RowNeeds:
        return replace(super().row_needs(), is_numeric=True)

    def fit_rows(self, rows: RowSource) -> KernelMatchingPursuitRegressor:
        targets = np.asarray(rows.classes, dtype=np.float64)[:, None]
        sums = self._row_sums(rows, targets)
        kernels = list(sums.held.kernels)
        paths = [self._sum_paths(sums, g)[0] for g in range(len(kernels))]
        self._is_flat, self._groups = True, None
        best = self._keep_path(sums.X, sums.ground, kernels, dict(enumerate(paths)))
        model = expansion_of_size([paths[best]], paths[best].n_centers, self.ridge)
        job = Deviations(sums.held, kernels[best], model, targets)
        every = rows.fold(job, "deviations").values
        left_out = np.sort(self.centers_idx_) if sums.pool is None else sums.pool
        self._deviations = np.sort(np.delete(every, left_out))
        self.n_training_errors_ = self._n_off(every)
        return self

    def _check_groups(self, groups: Any, n_samples: int) -> Ints | None:
        """Groups as numbers, or None."""
        if groups is None:
            return None
        if self.coefficients != "pool" or self._is_pairwise():
            raise ValueError(
                "`groups` need coefficients='pool' and a kernel of the features, got "
                f"coefficients={self.coefficients!r} and kernel={self.kernel!r}."
            )
        member = np.unique(check_groups(groups, n_samples), return_inverse=True)[1]
        if member.max() < 1:
            raise ValueError("`groups` must name at least two groups, got one.")
        return member

    def _n_pool_rows(self, member: Ints) -> int:
        """Rows of the groups in the pool, whose number depends on that of the groups alone."""
        groups = Grouping.of(member[self._order])
        n_pool = min(pool_size(len(groups), self.pool_fraction), len(groups) - 1)
        # Whole groups: a group with a row in the pool must not be counted.
        return groups.n_rows(n_pool)

    def _group_deviations(
        self, X: Floats, Y: Floats, member: Ints, n_pool: int | None
    ) -> GroupDeviations:
        order = self._order
        off = np.abs(self._outputs(X[order]) - Y[order]).max(axis=1)
        pool, counted = Grouping.of(member[order[:n_pool]]), Grouping.of(member[order[n_pool:]])
        return GroupDeviations(off[n_pool:], counted, off[:n_pool], pool)

    def _n_off(self, deviations: Floats) -> int:
        """Rows that are off by more than is tolerated; none if `epsilon` is not given."""
        return 0 if self.epsilon is None else int(np.sum(deviations > self._tolerance()))

    def _fit_path(self, X: Floats, Y: Floats, ground: CandidatePool) -> None:
        kernels, Z = self._kernels(X.shape[1]), self._scaled(X)
        index, size = self._chosen_size(kernels, Z, Y, ground)
        candidates = range(len(kernels)) if index is None else [index]
        paths = {g: self._paths(kernels[g], Z, Y, ground)[0] for g in candidates}
        self._keep_path(X, ground, kernels, paths, size)

    def _keep_path(
        self,
        X: Floats,
        ground: CandidatePool,
        kernels: list[Kernel],
        paths: dict[int, PursuitPath],
        size: int | None = None,
    ) -> int:
        """Keep the path with the smallest residual at ``size``; which kernel it has."""
        # Ties go to the kernel that was named first.
        best = min(paths, key=lambda g: (paths[g].residual_squares[-1], g))
        path = paths[best]
        size = path.n_centers if size is None else min(size, path.n_centers)
        self.residual_squares_ = path.residual_squares
        self._store(X, ground, kernels[best], expansion_of_size([path], size, self.ridge))
        n = len(kernels)
        # The pool may choose among kernels: it is not counted, so the choice costs nothing.
        is_free = n == 1 or self.coefficients == "pool"
        terms = () if is_free else (Term("kernel", f"kernel, one of {n}", math.log(n)),)
        self._code = Code(BOUND_OF[self.coefficients], terms)
        return best

    def _chosen_size(
        self, kernels: list[Kernel], Z: Floats, Y: Floats, ground: CandidatePool
    ) -> tuple[int | None, int | None]:
        if self.stop != "validation":
            return None, None

        def loss(values: Floats, held: Indices) -> float:
            return float(np.mean((values - Y[held]) ** 2))

        return self._validated(kernels, Z, Y, ground, loss)

    def predict(self, X):
        """Values at the rows of X."""
        if is_chunked(X):
            return chunked().map_rows(self, "predict", X)
        values = self._outputs(self._rows(X))
        return values[:, 0] if self._is_flat else values

    def _outputs(self, rows: Floats) -> Floats:
        return self._values(rows)[0]

    @property
    def path_(self) -> pd.DataFrame:
        """One row a size, with the sum of squared residuals on the fitted rows."""
        check_is_fitted(self)
        return residual_frame(self.residual_squares_, self.n_centers_)

    def _tolerance(self) -> float:
        if self.epsilon is None:
            raise NotCertifiableError(
                "A regressor is certified for a tolerated deviation. Set `epsilon`, fixed before "
                "the data were seen."
            )
        return check_real("epsilon", self.epsilon, low=0.0, hint="It is a tolerated deviation.")

    def _speaking(self, certificate: Certificate) -> Certificate:
        is_of_groups = self._groups is not None and certificate.bound != "held-out"
        return certificate if is_of_groups else super()._speaking(certificate)

    def _default_bound(self) -> str:
        return BOUND_OF[self.coefficients] if self._groups is None else "auto"

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if self._groups is not None:
            if bound == "matching-pursuit":
                raise NotCertifiableError(
                    "`bound`='matching-pursuit' is about rows, and these come in groups. Use "
                    "bound='auto'."
                )
            found = self._groups.certificate(self._tolerance(), delta, n_choices, bound)
            return self._saying_how(found)
        if bound == "betting":
            raise NotCertifiableError("`bound`='betting' is about groups. Fit with `groups`.")
        own, n_outputs = BOUND_OF[self.coefficients], self.expansion_.coefficients.shape[1]
        if bound != own:
            raise NotCertifiableError(
                f"`bound`={bound!r} does not hold for coefficients={self.coefficients!r}. "
                f"Use bound={own!r}."
            )
        if own == "matching-pursuit" and n_outputs > 1:
            raise NotCertifiableError(
                f"`bound`='matching-pursuit' is about one output, got {n_outputs}. "
                "Fit with coefficients='pool'."
            )
        # An example is an error if it is off by more than epsilon, which was fixed before the data.
        # From the right: a deviation of exactly epsilon is tolerated.
        n_within = int(np.searchsorted(self._deviations, self._tolerance(), "right"))
        n_counted = len(self._deviations)
        counts = Counts(
            n_held=len(self.held_back_), n_counted=n_counted, n_errors=n_counted - n_within
        )
        return self._saying_how(certify(self._code, counts, delta, n_choices=n_choices))
