"""What the two pursuit estimators share: parameters, pool, scale, candidates and paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.arrays import Floats
from handful.bounds import Certificate, drawn_by
from handful.checks import check_choice, check_count, check_real
from handful.estimator import CertifiedEstimator
from handful.kernels import Kernel, make_kernel
from handful.pursuit.candidate_pool import CandidatePool, first_candidates, pool_size
from handful.pursuit.expansion_codes import Expansion, center_rows, expansion_of_size
from handful.pursuit.gram import HeldCandidates, MomentSums, RowSums, gram_pursuit
from handful.pursuit.kernel_columns import Indices, KernelColumns
from handful.pursuit.orthogonal import CRITERIA, PursuitPath, orthogonal_pursuit
from handful.tables import RowNeeds, RowSource, blind_order, units_of

if TYPE_CHECKING:
    import pandas as pd

STOPS = ("auto", "certificate", "size", "validation")
MEBIBYTE = 1 << 20  # unit of `memory_limit`


class BasePursuit(CertifiedEstimator):
    """Parameters, validation and path of the kernel matching pursuit estimators."""

    _coefficient_choices: tuple[str, ...] = ()
    _stop_choices: tuple[str, ...] = STOPS
    scaling_: tuple[Floats, Floats] | None

    def _check_parameters(self) -> None:
        check_count("n_centers", self.n_centers, low=1)
        hint = "It is a share of the squared residual."
        check_real("tol", self.tol, low=0.0, high=1.0, high_open=True, hint=hint)
        check_real("ridge", self.ridge, low=0.0, hint="It penalises the coefficients.")
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("stop", self.stop, self._stop_choices)
        check_choice("coefficients", self.coefficients, self._coefficient_choices)
        for name in ("pool_fraction", "validation_fraction"):
            hint = "It is a share of the examples."
            value = getattr(self, name)
            check_real(name, value, low=0.0, high=1.0, low_open=True, high_open=True, hint=hint)
        check_real("memory_limit", self.memory_limit, low=0.0, hint="It is counted in MiB.")

    def _gammas(self) -> list[Any]:
        return [self.gamma] if np.isscalar(self.gamma) else list(self.gamma)

    def _kernels(self, n_features: int) -> list[Kernel]:
        """One kernel, or one for each value of ``gamma`` if that is a sequence."""
        gammas = self._gammas()
        if not gammas:
            raise ValueError("`gamma` must hold at least one value, got an empty sequence.")
        fixed = {"degree": self.degree, "coef0": self.coef0, "n_features": n_features}
        return [make_kernel(self.kernel, gamma=gamma, **fixed) for gamma in gammas]

    def _in_order(self, given: Any, X: Floats, y: Any, groups: Any = None) -> tuple[Floats, Any]:
        """The rows in blind order: pools are its first rows, ties go to the earlier row.

        The rows of a group stay together; the groups are in blind order.
        """
        is_kernel = self.kernel == "precomputed"
        table = given if hasattr(given, "columns") else X
        blind = blind_order(table, y, random_state=self.random_state, is_kernel=is_kernel)
        self.draw_, self._order = blind.draw, units_of(blind, groups).order
        order = self._order
        return X[np.ix_(order, order)] if is_kernel else X[order], y[order]

    def _saying_how(self, certificate: Certificate) -> Certificate:
        """The certificate with what it assumes of the draw, if there was one."""
        if not certificate.assumes("blind-pool"):
            return certificate
        return certificate.assuming(drawn_by(self.draw_.seed))

    def _ground(self, n_samples: int, n_pool: int | None = None) -> CandidatePool:
        """The pool and the candidates; their sizes look at the number of examples alone."""
        rows = np.arange(n_samples)
        if self.coefficients == "pool":
            rows = rows[: pool_size(n_samples, self.pool_fraction) if n_pool is None else n_pool]
            if np.ndim(self.candidates) > 0:
                raise ValueError(
                    "`candidates` must be None or an int with coefficients='pool', got row "
                    "numbers. The pool is drawn blindly and its members are the candidates."
                )
        candidates = first_candidates(self.candidates, len(rows))
        if candidates is not None and np.ndim(self.candidates) > 0:
            # From the user's numbers to places in the blind order.
            place = np.empty(n_samples, dtype=np.intp)
            place[self._order] = np.arange(n_samples)
            candidates = np.sort(place[candidates])
        n_named = n_samples
        # Blindly drawn candidates shorten the list that centres are named from; given rows may
        # depend on the data, so all examples are paid for.
        if candidates is not None and np.ndim(self.candidates) == 0:
            n_named = len(candidates)
        return CandidatePool(rows, candidates, n_named)

    def _scaling(self, X: Floats, ground: CandidatePool) -> tuple[Floats, Floats] | None:
        """Mean and scale of each feature: of the pool, or as given beforehand."""
        is_auto = isinstance(self.scale, str) and self.scale == "auto"
        is_pooled = self.coefficients == "pool" and self.kernel != "precomputed"
        if self.scale is None or (is_auto and not is_pooled):
            return None
        if is_auto:
            pool = X[ground.rows]
            spread = pool.std(axis=0)
            # The pool is not counted, so its means and deviations are free. A constant column keeps
            # its unit.
            return pool.mean(axis=0), np.where(spread > 0.0, spread, 1.0)
        scale = np.asarray(self.scale)
        is_number = scale.dtype.kind in "iuf" and scale.shape == (X.shape[1],)
        if not is_number or not np.all(np.isfinite(scale) & (scale > 0)):
            raise ValueError(
                f"`scale` must be 'auto', None or {X.shape[1]} positive numbers, "
                f"got {self.scale!r}. Pass one scale per feature, known before the data."
            )
        return np.zeros(X.shape[1]), scale.astype(float)

    def _scaled(self, X: Floats) -> Floats:
        return X if self.scaling_ is None else (X - self.scaling_[0]) / self.scaling_[1]

    def _paths(
        self, kernel: Kernel, X: Floats, Y: Floats, ground: CandidatePool, *, is_shared: bool = True
    ) -> list[PursuitPath]:
        """Pursuits on the rows of the pool; centres are numbered among all training examples."""
        rows = ground.rows
        local = X[np.ix_(rows, rows)] if kernel.name == "precomputed" else X[rows]
        memory = int(self.memory_limit * MEBIBYTE)
        columns = KernelColumns(kernel, local, ground.candidates, memory_bytes=memory)
        targets = [Y[rows]] if is_shared else [Y[rows, i : i + 1] for i in range(Y.shape[1])]
        paths = [
            orthogonal_pursuit(
                columns,
                np.ascontiguousarray(target),
                self.n_centers,
                intercept=self.fit_intercept,
                criterion=self.criterion,
                tol=self.tol,
            )
            for target in targets
        ]
        return [path.renumbered(rows) for path in paths]

    def _row_sums(self, source: RowSource, targets: Floats) -> RowSums:
        """The pool, the scale and the candidates; ``targets`` are those of each code."""
        is_pool = self.coefficients == "pool"
        ground = self._ground(source.n_samples)
        n_held = len(ground.rows) if ground.candidates is None else len(ground.candidates)
        order = source.first(n_held)
        X, codes = source.hold(order)
        self._note_rows(source)
        drawn = source.first(len(ground.rows)) if is_pool else None
        pool = None if drawn is None else np.sort(drawn)
        self.draw_, self._order = source.draw, order if drawn is None else drawn
        is_auto = isinstance(self.scale, str) and self.scale == "auto"
        if is_auto and is_pool:
            job = MomentSums(X[0])
            self.scaling_ = job.scaling(source.fold(job, "scale", only=pool))
        else:
            self.scaling_ = self._scaling(X, ground)
        kernels = tuple(self._kernels(source.n_features))
        held = HeldCandidates(kernels, self._scaled(X), self.scaling_)
        return RowSums(source, ground, pool, X, codes, held, targets)

    def row_needs(self) -> RowNeeds:
        self._check_parameters()
        if self.kernel == "precomputed":
            raise ValueError("`kernel` must not be 'precomputed' for rows in chunks.")
        if self.coefficients not in ("pool", "least_squares"):
            raise ValueError(
                "`coefficients` must be 'pool' or 'least_squares' for Dask inputs, got "
                f"{self.coefficients!r}. Its codes are tried on rows in memory."
            )
        if self.stop == "validation":
            raise ValueError(
                "`stop` must not be 'validation' for Dask inputs. Use 'certificate' or 'size'."
            )
        if self.candidates is None or np.ndim(self.candidates) > 0:
            raise ValueError(
                f"`candidates` must be a number for Dask inputs, got {self.candidates!r}. "
                "That many examples are held in memory; use for example candidates=500."
            )
        check_count("candidates", self.candidates, low=1)
        return RowNeeds(may_miss=False, may_name=False)

    def _sum_paths(self, sums: RowSums, g: int, *, is_shared: bool = True) -> list[PursuitPath]:
        """Pursuits with kernel g from sums: one for all outputs, or one for each."""
        return [
            gram_pursuit(
                *parts,
                self.n_centers,
                intercept=self.fit_intercept,
                criterion=self.criterion,
                tol=self.tol,
            )
            for parts in sums.outputs(g, is_shared)
        ]

    def _sizes(self, paths: Sequence[PursuitPath]) -> range:
        """Sizes on the path; size 0 is a model only if there is an intercept."""
        longest = max(path.n_centers for path in paths)
        return range(0 if self.fit_intercept or longest == 0 else 1, longest + 1)

    def _validated(
        self,
        kernels: Sequence[Kernel],
        X: Floats,
        Y: Floats,
        ground: CandidatePool,
        loss: Callable[[Floats, Indices], float],
    ) -> tuple[int, int]:
        """(kernel, size) with the smallest loss on rows held out of the ground's rows."""
        inner, held = ground.split(self.validation_fraction)
        is_shared = getattr(self, "multi_class", "shared") == "shared"
        losses = {}
        for g, kernel in enumerate(kernels):
            paths = self._paths(kernel, X, Y, inner, is_shared=is_shared)
            for size in self._sizes(paths):
                model = expansion_of_size(paths, size, self.ridge)
                K = center_rows(kernel, X[held], X[model.centers], model.centers)
                losses[g, size] = loss(model.values(K)[0], held)
        # Ties go to the smaller size, then to the kernel that was named first.
        return min(losses, key=lambda key: (losses[key], key[1], key[0]))

    def _named(self, model: Expansion) -> Expansion:
        """The expansion with its centres numbered as the user's rows."""
        return replace(model, centers=self._order[model.centers])

    def _store(self, X: Floats, ground: CandidatePool, kernel: Kernel, model: Expansion) -> None:
        """Keep what was learned from the rows X, which come in the blind order."""
        self.kernel_ = kernel
        self.expansion_ = self._named(model)
        self.centers_idx_ = self.expansion_.centers
        is_pool = self.coefficients == "pool"
        self._keep_examples(self.centers_idx_, self._order[ground.rows] if is_pool else None)
        self.centers_ = None if kernel.name == "precomputed" else X[model.centers]
        self.n_centers_ = len(model.centers)

    def _values(self, X: Floats) -> tuple[Floats, Floats]:
        """Values of the expansion and their tolerances for validated, unscaled rows."""
        centers = None if self.centers_ is None else self._scaled(self.centers_)
        rows = center_rows(self.kernel_, self._scaled(X), centers, self.centers_idx_)
        return self.expansion_.values(rows)


def residual_frame(squares: Floats, chosen_size: int) -> pd.DataFrame:
    """A frame with the squared residual at each size of a pursuit."""
    import pandas as pd

    sizes = np.arange(len(squares))
    columns = {"size": sizes, "residual": squares, "is_chosen": sizes == chosen_size}
    return pd.DataFrame(columns)


def check_kernel_matrix(K: Floats) -> None:
    """Raise unless a precomputed kernel matrix is square and symmetric."""
    if K.shape[0] != K.shape[1] or not np.allclose(K, K.T, rtol=1e-6, atol=1e-8):
        raise ValueError(
            f"`X` must be a square matrix, the symmetric kernel matrix, where "
            f"kernel='precomputed', got shape {K.shape}. Pass k(x, x') of all training examples."
        )
