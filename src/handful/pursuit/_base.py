"""What the two pursuit estimators share: parameters, pool, scale, candidates and paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from handful.bounds import NotCertifiableError
from handful.bounds._validation import check_choice, check_count, check_real
from handful.kernels import Kernel, make_kernel
from handful.pursuit._columns import Floats, Indices, KernelColumns
from handful.pursuit._expansion import Expansion, center_rows, expansion_of_size
from handful.pursuit._orthogonal import CRITERIA, PursuitPath, orthogonal_pursuit

STOPS = ("auto", "certificate", "size", "validation")
N_SMALLEST_POOL = 10
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Ground:
    """Where a pursuit runs: the rows it may read, its candidates, and how features are scaled.

    ``rows`` are the training examples the fit reads (the pool, or all); ``candidates`` counts
    among them; ``n_named`` is the number of examples a compression set is named from.
    """

    rows: Indices
    candidates: Indices | None
    n_named: int


class BasePursuit(BaseEstimator):
    """Parameters, validation and path of the kernel matching pursuit estimators."""

    _coefficient_choices: tuple[str, ...] = ()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        check_count("n_centers", self.n_centers, low=1)
        hint = "It is a share of the squared residual."
        check_real("tol", self.tol, low=0.0, high=1.0, high_open=True, hint=hint)
        check_real("ridge", self.ridge, low=0.0, hint="It penalises the coefficients.")
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("stop", self.stop, STOPS)
        check_choice("coefficients", self.coefficients, self._coefficient_choices)
        for name in ("pool_fraction", "validation_fraction"):
            hint = "It is a share of the examples."
            check_real(
                name, getattr(self, name), low=0, high=1, low_open=True, high_open=True, hint=hint
            )
        check_real("memory_limit", self.memory_limit, low=0.0, hint="It is counted in MiB.")

    def _kernels(self, n_features: int) -> list[Kernel]:
        """One kernel, or one for each value of ``gamma`` if that is a sequence."""
        gammas = self._gammas()
        if not gammas:
            raise ValueError("`gamma` must hold at least one value, got an empty sequence.")
        return [
            make_kernel(
                self.kernel,
                gamma=gamma,
                degree=self.degree,
                coef0=self.coef0,
                n_features=n_features,
            )
            for gamma in gammas
        ]

    def _gammas(self) -> list[Any]:
        is_single = self.gamma is None or np.isscalar(self.gamma)
        return [self.gamma] if is_single else list(self.gamma)

    def _ground(self, n_samples: int) -> Ground:
        """Draw the pool and the candidates, looking at nothing but the number of examples."""
        rng = check_random_state(self.random_state)
        rows = np.arange(n_samples)
        if self.coefficients == "pool":
            smallest = min(N_SMALLEST_POOL, math.ceil(n_samples / 2))
            size = max(math.ceil(self.pool_fraction * n_samples), smallest)
            rows = np.sort(rng.permutation(n_samples)[:size])
        candidates = self._draw_candidates(rng, len(rows))
        is_drawn = candidates is not None and np.ndim(self.candidates) == 0
        return Ground(rows, candidates, len(candidates) if is_drawn else n_samples)

    def _draw_candidates(self, rng: np.random.RandomState, n_rows: int) -> Indices | None:
        if self.candidates is None:
            return None
        if np.ndim(self.candidates) == 0:
            wanted = check_count("candidates", self.candidates, low=1)
            if wanted >= n_rows:
                return None
            return np.sort(rng.permutation(n_rows)[:wanted])
        chosen = np.unique(np.asarray(self.candidates))
        is_index = chosen.dtype.kind in "iu" and len(chosen) > 0
        if not is_index or chosen[0] < 0 or chosen[-1] >= n_rows:
            raise ValueError(
                f"`candidates` must be row numbers in [0, {n_rows}), got {self.candidates!r}. "
                "Pass an int to draw that many."
            )
        return chosen.astype(np.intp)

    def _scaling(self, X: Floats, ground: Ground) -> tuple[Floats, Floats] | None:
        """Mean and scale of each feature: of the pool, or as given beforehand."""
        if self.kernel == "precomputed":
            return None
        if isinstance(self.scale, str) and self.scale == "auto":
            if self.coefficients != "pool":
                return None
            pool = X[ground.rows]
            spread = pool.std(axis=0)
            return pool.mean(axis=0), np.where(spread > 0.0, spread, 1.0)
        if self.scale is None:
            return None
        scale = np.asarray(self.scale, dtype=float)
        if scale.shape != (X.shape[1],) or not np.all(np.isfinite(scale) & (scale > 0)):
            raise ValueError(
                f"`scale` must be 'auto', None or {X.shape[1]} positive numbers, "
                f"got {self.scale!r}. Pass one scale per feature, known before the data."
            )
        return np.zeros(X.shape[1]), scale

    def _scaled(self, X: Floats) -> Floats:
        if self.scaling_ is None:
            return X
        mean, scale = self.scaling_
        return np.asarray((X - mean) / scale)

    def _paths(
        self, kernel: Kernel, X: Floats, Y: Floats, ground: Ground, *, is_shared: bool = True
    ) -> list[PursuitPath]:
        """Pursuits on the ground's rows; centres are numbered among all training examples."""
        rows = ground.rows
        local = X[np.ix_(rows, rows)] if kernel.name == "precomputed" else X[rows]
        columns = KernelColumns(
            kernel, local, ground.candidates, memory_bytes=int(self.memory_limit * MEBIBYTE)
        )
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
        return [_renumber(path, rows) for path in paths]

    def _validated_size(
        self,
        kernels: Sequence[Kernel],
        X: Floats,
        Y: Floats,
        ground: Ground,
        loss: Callable[[Floats, Indices], float],
        is_shared: bool = True,
    ) -> tuple[int, int]:
        """(kernel, size) with the smallest loss on rows held out of the ground's rows."""
        rng = check_random_state(self.random_state)
        n_held = math.ceil(self.validation_fraction * len(ground.rows))
        order = rng.permutation(len(ground.rows))
        held, rest = ground.rows[np.sort(order[:n_held])], np.sort(order[n_held:])
        if not len(rest):
            raise ValueError(
                f"`validation_fraction` must leave examples to fit, got "
                f"{self.validation_fraction!r} of {len(ground.rows)} examples."
            )
        candidates = ground.candidates
        if candidates is not None:
            candidates = np.flatnonzero(np.isin(rest, candidates))
            candidates = candidates if len(candidates) else None
        inner = Ground(ground.rows[rest], candidates, ground.n_named)
        losses = {}
        for g, kernel in enumerate(kernels):
            paths = self._paths(kernel, X, Y, inner, is_shared=is_shared)
            for size in sizes_of(paths, self.fit_intercept):
                model = expansion_of_size(paths, size, self.ridge)
                K = center_rows(kernel, X[held], X[model.centers], model.centers)
                losses[g, size] = loss(model.values(K)[0], held)
        return min(losses, key=lambda key: (losses[key], key[1], key[0]))

    def _store(self, X: Floats, kernel: Kernel, model: Expansion) -> None:
        self.kernel_ = kernel
        self.expansion_ = model
        self.centers_idx_ = model.centers
        self.compression_set_ = np.unique(model.centers)
        is_precomputed = kernel.name == "precomputed"
        self.centers_ = None if is_precomputed else self._unscaled_centers(X, model.centers)
        self.n_centers_ = len(model.centers)

    def _unscaled_centers(self, X: Floats, centers: Indices) -> Floats:
        return np.array(X[centers])

    def _values(self, X: Floats) -> tuple[Floats, Floats]:
        """Values of the expansion and their tolerances for validated, unscaled rows."""
        if self.kernel_.name == "precomputed":
            return self.expansion_.values(center_rows(self.kernel_, X, X, self.centers_idx_))
        rows = center_rows(
            self.kernel_, self._scaled(X), self._scaled(self.centers_), self.centers_idx_
        )
        return self.expansion_.values(rows)


def sizes_of(paths: Sequence[PursuitPath], has_intercept: bool) -> range:
    """Sizes on the path; size 0 is a model only where there is an intercept."""
    longest = max(path.n_centers for path in paths)
    return range(0 if has_intercept or longest == 0 else 1, longest + 1)


def check_symmetric(K: Floats) -> None:
    """Raise unless a precomputed kernel matrix is square and symmetric."""
    if K.shape[0] != K.shape[1] or not np.allclose(K, K.T, rtol=1e-6, atol=1e-8):
        raise ValueError(
            f"`X` must be a symmetric kernel matrix where kernel='precomputed', got shape {K.shape}. "
            "Precomputed matrix must be a square matrix of the training examples."
        )


def refuse(bound: str, coefficients: str, hint: str) -> NotCertifiableError:
    """The error for a bound that does not hold for a kind of coefficients."""
    return NotCertifiableError(
        f"`bound`={bound!r} does not hold for coefficients={coefficients!r}. {hint}"
    )


def is_outside(n_samples: int, indices: Indices) -> NDArray[np.bool_]:
    """Mask of the examples that are not among the indices."""
    mask = np.ones(n_samples, dtype=bool)
    mask[indices] = False
    return mask


def _renumber(path: PursuitPath, rows: Indices) -> PursuitPath:
    return PursuitPath(**{**vars(path), "centers": rows[path.centers]})
