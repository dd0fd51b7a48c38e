"""Fits of the pursuit estimators to rows that are elsewhere, which come as sums over them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from handful._checks import check_count
from handful._types import Floats, Ints
from handful.bounds import Message, Term
from handful.pursuit._classifier import KernelMatchingPursuitClassifier
from handful.pursuit._path import PathPoint, Plan
from handful.pursuit._regressor import KernelMatchingPursuitRegressor
from handful.pursuit.expansion_codes import CodedExpansion, Expansion, decide, expansion_of_size
from handful.pursuit.gram import (
    Coding,
    ErrorCounts,
    GramSums,
    Model,
    ModelValues,
    MomentSums,
    Scaler,
    gram_pursuit,
)
from handful.pursuit.orthogonal import PursuitPath
from handful.pursuit.pool import CandidatePool

Job = Callable[[Floats, Ints], Any]


class Source(Protocol):
    """Rows that are elsewhere; ``codes`` number the classes, or the distinct targets."""

    n_samples: int
    n_features: int
    classes: Any
    draw: Any

    def first(self, n_rows: int) -> tuple[Ints, Floats, Ints]:
        """Positions, features and codes of the first rows of the blind order."""

    def positions(self, n_rows: int) -> Ints:
        """Positions of the first rows of the blind order."""

    def total(self, job: Job, name: str, *, only: Ints | None = None) -> list[Floats]:
        """Sums over the chunks of the arrays that the job gives, of these rows or of all."""

    def each(self, job: Job, name: str, *, without: Ints) -> Floats:
        """What the job gives for all other rows and their codes, joined."""


class _Fit:
    """One fit: the candidates that are held, the sums, the paths."""

    def __init__(self, machine: Any, source: Source, coding: Coding) -> None:
        self.machine, self.source = machine, source
        self.n_wrong: dict[tuple[int, int], int] = {}  # of each kernel and size, on all rows
        is_pool = machine.coefficients == "pool"
        self.ground = self._begin(is_pool)
        n_held = len(self.ground.rows)
        if self.ground.candidates is not None:
            n_held = len(self.ground.candidates)
        order, self.X, self.codes = source.first(n_held)
        self.pool = np.sort(source.positions(len(self.ground.rows))) if is_pool else None
        machine.draw_ = source.draw
        machine._order = source.positions(len(self.ground.rows)) if is_pool else order
        machine.scaling_ = self._scaling(is_pool)
        parts = (None, None) if machine.scaling_ is None else machine.scaling_
        self.scaler = Scaler(*parts)
        self.held = self.scaler(self.X)
        self.kernels = machine._kernels(source.n_features)
        job = GramSums(tuple(self.kernels), self.held, self.scaler, coding)
        self.sums = source.total(job, "products", only=self.pool)

    def _begin(self, is_pool: bool) -> CandidatePool:
        machine = self.machine
        machine._check_parameters()
        if machine.kernel == "precomputed":
            raise ValueError("`kernel` must not be 'precomputed' for rows that are elsewhere.")
        if machine.coefficients not in ("pool", "least_squares"):
            raise ValueError(
                "`coefficients` must be 'pool' or 'least_squares' for Dask inputs, got "
                f"{machine.coefficients!r}. Its codes are tried on rows in memory."
            )
        if machine.stop == "validation":
            raise ValueError(
                "`stop` must not be 'validation' for Dask inputs. Use 'certificate' or 'size'."
            )
        if machine.candidates is None or np.ndim(machine.candidates) > 0:
            raise ValueError(
                f"`candidates` must be a number for Dask inputs, got {machine.candidates!r}. "
                "That many examples are held in memory; use for example candidates=500."
            )
        check_count("candidates", machine.candidates, low=1)
        return machine._ground(self.source.n_samples)

    def _scaling(self, is_pool: bool) -> tuple[Floats, Floats] | None:
        machine = self.machine
        is_auto = isinstance(machine.scale, str) and machine.scale == "auto"
        if not (is_auto and is_pool):
            return machine._scaling(self.X, self.ground)
        job = MomentSums(self.X[0])
        return job.scaling(self.source.total(job, "scale", only=self.pool))

    def paths(self, g: int, is_shared: bool) -> list[PursuitPath]:
        """Pursuits with kernel g: one for all outputs, or one for each."""
        G, B, ones = self.sums[3 * g : 3 * g + 3]
        totals, squares, n_rows = self.sums[-3:]
        machine, q = self.machine, B.shape[1]
        groups = [slice(0, q)] if is_shared else [slice(i, i + 1) for i in range(q)]
        if len(groups) > 1:
            squares = n_rows  # of one column of -1 and 1
        return [
            gram_pursuit(
                G,
                B[:, group],
                ones,
                (totals[group], float(squares), int(n_rows)),
                machine.n_centers,
                intercept=machine.fit_intercept,
                criterion=machine.criterion,
                tol=machine.tol,
            )
            for group in groups
        ]


def fit_classifier(
    machine: KernelMatchingPursuitClassifier, source: Source
) -> KernelMatchingPursuitClassifier:
    """The fit in memory, from sums: equal but for rounding."""
    n_classes = len(source.classes)
    if n_classes < 2:
        raise ValueError(f"`y` must hold at least two classes, got {n_classes}.")
    fit = _Fit(machine, source, Coding.of_classes(n_classes))
    plan = Plan(
        coefficients=machine.coefficients,
        n_samples=source.n_samples,
        ground=fit.ground,
        ridge=machine.ridge,
        has_intercept=machine.fit_intercept,
        choice=machine._choice_terms(len(fit.kernels)),
    )
    points = _with_errors(fit, _models(fit, plan))
    best = machine._keep_best(plan, points, None)
    machine.n_training_errors_ = fit.n_wrong[best.kernel_index, best.size]
    machine._store(fit.X, fit.ground, fit.kernels[best.kernel_index], best.coded.expansion)
    return machine


def _models(fit: _Fit, plan: Plan) -> list[PathPoint]:
    points = []
    for g in range(len(fit.kernels)):
        paths = fit.paths(g, fit.machine.multi_class == "shared")
        for size in fit.machine._sizes(paths):
            base = expansion_of_size(paths, size, plan.ridge)
            residual = sum(float(p.residual_squares[min(size, p.n_centers)]) for p in paths)
            coded = CodedExpansion(base, Message([]), {})
            points.append(PathPoint(g, size, residual, coded, Message([*plan.choice]), 0))
    return points


def _with_errors(fit: _Fit, points: list[PathPoint]) -> list[PathPoint]:
    """The same points with their errors outside the pool, or outside their own centres."""
    models = tuple(Model(fit.kernels[p.kernel_index], p.coded.expansion) for p in points)
    job = ErrorCounts(models, fit.held, fit.scaler)
    counts = fit.source.total(job, "errors")[0].astype(int)
    fit.n_wrong = {(p.kernel_index, p.size): int(n) for p, n in zip(points, counts, strict=True)}
    if fit.pool is not None:
        counts -= fit.source.total(job, "errors in the pool", only=fit.pool)[0].astype(int)
    else:
        counts -= np.array([_at_centers(model, fit) for model in models])
    return [replace(p, n_errors=int(n)) for p, n in zip(points, counts, strict=True)]


def _at_centers(model: Model, fit: _Fit) -> int:
    own = model.expansion.centers
    K = model.kernel(fit.held[own], fit.held[own]) if len(own) else np.zeros((0, 0))
    return int(np.sum(decide(*model.expansion.values(K)) != fit.codes[own]))


def fit_regressor(
    machine: KernelMatchingPursuitRegressor, source: Source
) -> KernelMatchingPursuitRegressor:
    """The fit in memory, from sums: equal but for rounding. One output."""
    values = np.asarray(source.classes, dtype=np.float64)[:, None]
    fit = _Fit(machine, source, Coding(values))
    paths = [fit.paths(g, True)[0] for g in range(len(fit.kernels))]
    best = min(range(len(paths)), key=lambda g: (paths[g].residual_squares[-1], g))
    path = paths[best]
    machine.residual_squares_, machine._is_flat = path.residual_squares, True
    expansion: Expansion = expansion_of_size([path], path.n_centers, machine.ridge)
    machine._store(fit.X, fit.ground, fit.kernels[best], expansion)
    is_free = len(fit.kernels) == 1 or machine.coefficients == "pool"
    n = len(fit.kernels)
    kernel = Term("kernel", f"kernel, one of {n}", math.log(n))
    machine._groups = None
    machine._message = Message([] if is_free else [kernel])
    machine._counts = (source.n_samples, len(fit.ground.rows), fit.ground.n_named)
    left_out = np.sort(machine.centers_idx_) if fit.pool is None else fit.pool
    job = _Deviations(
        ModelValues(Model(fit.kernels[best], expansion), fit.held, fit.scaler), values
    )
    every = source.each(job, "deviations", without=np.zeros(0, dtype=np.int64))
    machine._deviations = np.sort(np.delete(every, left_out))
    machine.n_training_errors_ = machine._n_off(every)
    return machine


class _Deviations:
    """How far off a model is, row by row."""

    def __init__(self, model: ModelValues, values: Floats) -> None:
        self.model, self.values = model, values

    def __call__(self, X: Floats, codes: Ints) -> Floats:
        return np.asarray(np.abs(self.model(X, codes) - self.values[codes]).max(axis=1))
