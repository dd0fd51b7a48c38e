"""Sets of fitted models that score the labels of new cases, by margins or distances.

To add a set of models, implement the three members of `ModelSet`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from handful.arrays import Floats, Ints
from handful.conformal.verdicts import (
    decision_values,
    label_scores,
    margin_scores,
    spread_columns,
)
from handful.kernels import Kernel, make_kernel
from handful.models import refuse_fitted
from handful.svm.grid import SVMGrid, fit_svm_grid

PAPER_GRID: dict[str, list[float]] = {
    "gamma": [2.0**e for e in range(-15, 4, 2)],
    "C": [2.0**e for e in range(-5, 16, 2)],
}


def take_rows(X: Any, rows: Ints) -> Any:
    """Some rows of an array or a data frame, by position."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


class ModelSet(Protocol):
    """Fitted models that score labels together."""

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """Parameters of each model."""

    @property
    def models(self) -> list[Any]:
        """The fitted models."""

    def label_scores(self, X: Any) -> Floats:
        """Scores of shape (n_models, n_points, n_labels)."""


@dataclass(frozen=True, eq=False)
class ClassifierSet:
    """A list of fitted scikit-learn classifiers."""

    models: list[Any]
    parameters: list[dict[str, Any]]
    classes: NDArray[Any]

    def label_scores(self, X: Any) -> Floats:
        """Margins of shape (n_models, n_points, n_labels)."""
        return np.stack([label_scores(model, X, self.classes) for model in self.models])


@dataclass(frozen=True, eq=False)
class SVMGridSet(ModelSet):
    """Support vector machines: one grid for two classes, otherwise one grid for each class."""

    grids: list[SVMGrid]
    known: Ints
    n_labels: int

    @property
    def parameters(self) -> list[dict[str, Any]]:
        return [{**_describe(model.kernel), "C": model.C} for model in self.grids[0]]

    @property
    def models(self) -> list[Any]:
        """One set for each setting, with its machine, or one machine for each class."""
        return [
            replace(self, grids=[_one_machine(grid, i) for grid in self.grids])
            for i in range(len(self.grids[0]))
        ]

    def decision_function(self, X: Any) -> Floats:
        """Values of the first setting: (n_points,) for two classes, else (n_points, n_labels)."""
        return _first_values(self.label_scores(np.asarray(X, dtype=np.float64)))

    def label_scores(self, X: Floats) -> Floats:
        values = [grid.decision_function(X) for grid in self.grids]
        if len(values) == 1:
            stacked = np.stack([-values[0], values[0]], axis=2)
        else:
            stacked = margin_scores(np.stack(values, axis=2))
        return spread_columns(stacked, self.known, self.n_labels)


def _one_machine(grid: SVMGrid, index: int) -> SVMGrid:
    model = grid[index]
    return replace(grid, models=(model,), kernels=(model.kernel,), Cs=np.array([model.C]))


def _first_values(scores: Floats) -> Floats:
    """Decision values of the first model; of two labels, whose scores are -f and f, f itself."""
    values = decision_values(scores[0])
    return 0.5 * values if values.ndim == 1 else values


@dataclass(frozen=True, eq=False)
class KernelSpace:
    """Squared distances to the training examples in the feature space of a kernel."""

    kernel: Kernel
    X: Floats

    def __call__(self, Z: Floats) -> Floats:
        """Shape (n_points, n_train)."""
        # |x - z|^2 = k(x, x) + k(z, z) - 2 k(x, z), never negative whatever rounding says.
        squares = self.kernel.diagonal(Z)[:, None] + self.kernel.diagonal(self.X)
        return np.maximum(squares - 2.0 * self.kernel(Z, self.X), 0.0)


@dataclass(frozen=True, eq=False)
class TransformedSpace:
    """Squared distances to the training examples after the transformers of a pipeline."""

    steps: Pipeline | None
    X: Floats

    @classmethod
    def of(cls, model: Any, X: Any) -> TransformedSpace:
        """The input space of the last step of a fitted pipeline, or of a single classifier."""
        steps = model[:-1] if isinstance(model, Pipeline) and len(model.steps) > 1 else None
        return cls(steps, _features(steps, X))

    def __call__(self, Z: Any) -> Floats:
        """Shape (n_points, n_train)."""
        return euclidean_distances(_features(self.steps, Z), self.X, squared=True)


def _features(steps: Pipeline | None, X: Any) -> Floats:
    return np.asarray(X if steps is None else steps.transform(X), dtype=np.float64)


Space = KernelSpace | TransformedSpace


@dataclass(frozen=True, eq=False)
class DistanceSet:
    """Feature spaces with a measure of distance; decision functions are not used."""

    spaces: list[Space]
    within: list[Floats]
    measure: str
    codes: Ints
    n_labels: int
    parameters: list[dict[str, Any]]
    classifiers: list[Any] | None = None

    @property
    def models(self) -> list[Any]:
        """The classifiers that gave the spaces; for kernels, one set for each space."""
        if self.classifiers is not None:
            return self.classifiers
        return [
            replace(self, spaces=[space], within=[within], parameters=[record])
            for space, within, record in zip(self.spaces, self.within, self.parameters, strict=True)
        ]

    def decision_function(self, X: Any) -> Floats:
        """Values of the first space: (n_points,) for two classes, else (n_points, n_labels)."""
        return _first_values(self.label_scores(np.asarray(X, dtype=np.float64)))

    def label_scores(self, X: Any) -> Floats:
        """Scores of shape (n_models, n_points, n_labels), one model for each feature space."""
        score = DISTANCE_MEASURES[self.measure]
        return np.stack(
            [
                score(space(X), self.codes, self.n_labels, within)
                for space, within in zip(self.spaces, self.within, strict=True)
            ]
        )


def grid_kernels(
    param_grid: Mapping[str, Any], n_features: int
) -> tuple[list[Kernel], Sequence[float]]:
    """The distinct kernels and the penalties C of a parameter grid."""
    allowed = {"C", "coef0", "degree", "gamma", "kernel"}
    if not isinstance(param_grid, Mapping) or set(param_grid) - allowed:
        raise ValueError(
            f"`param_grid` must be a dict with keys among {sorted(allowed)} for the grid of "
            f"support vector machines, got {param_grid!r}. Pass an `estimator` for other grids."
        )
    lists = {
        key: [value] if isinstance(value, str) or np.isscalar(value) or callable(value) else value
        for key, value in param_grid.items()
    }
    Cs = list(lists.pop("C", [1.0]))
    lists.setdefault("kernel", ["rbf"])
    kernels = [make_kernel(**params, n_features=n_features) for params in ParameterGrid(lists)]
    if any(kernel.name == "precomputed" for kernel in kernels):
        raise ValueError(
            "`param_grid` must name a kernel of the features, got 'precomputed'. "
            "Pass a callable kernel instead."
        )
    return list(dict.fromkeys(map(_without_unused, kernels))), Cs


def fit_grid_set(
    param_grid: Mapping[str, Any], X: Floats, codes: Ints, n_labels: int, measure: str
) -> ModelSet:
    """Fit support vector machines with shared kernels, or only their spaces for a distance."""
    kernels, Cs = grid_kernels(param_grid, X.shape[1])
    if measure != "margin":
        spaces: list[Space] = [KernelSpace(kernel, X) for kernel in kernels]
        records = [_describe(kernel) for kernel in kernels]
        return _distance_set(spaces, X, codes, n_labels, measure, records)
    known = np.unique(codes)
    # Two classes need one machine, which speaks for the second; more need one a class.
    positives = known[1:] if known.size == 2 else known
    grids = [
        fit_svm_grid(X, np.where(codes == y, 1.0, -1.0), kernels=kernels, Cs=Cs) for y in positives
    ]
    return SVMGridSet(grids, known, n_labels)


def _without_unused(kernel: Kernel) -> Kernel:
    """The kernel with unused parameters at their defaults, so that equal kernels are equal."""
    if kernel.name == "linear":
        return Kernel("linear")
    return Kernel("rbf", gamma=kernel.gamma) if kernel.name == "rbf" else kernel


def _describe(kernel: Kernel) -> dict[str, Any]:
    return {"kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree}


def expand_estimators(estimator: Any, param_grid: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Pairs (unfitted classifier, parameters) from a list, or from one classifier and a grid."""
    if isinstance(estimator, (list, tuple)):
        if param_grid is not None:
            raise ValueError(
                "`param_grid` must be None if `estimator` is a list, got a grid too. "
                "List every model, or pass one estimator with the grid."
            )
        if not estimator:
            raise ValueError("`estimator` must list at least one classifier, got an empty list.")
        pairs = [item if isinstance(item, tuple) else (str(item), item) for item in estimator]
        for name, model in pairs:
            refuse_fitted("estimator", name, model)
        return [(clone(model), {"name": name}) for name, model in pairs]
    refuse_fitted("estimator", type(estimator).__name__, [estimator, param_grid])
    params = list(ParameterGrid(param_grid if param_grid is not None else {}))
    return [(clone(estimator).set_params(**p), dict(p)) for p in params]


def fit_classifier_set(
    pairs: list[tuple[Any, dict[str, Any]]],
    X: Any,
    y: NDArray[Any],
    classes: NDArray[Any],
    measure: str,
) -> ModelSet:
    """Fit a list of classifiers; a distance measure uses their feature spaces only."""
    models = [model.fit(X, y) for model, _ in pairs]
    records = [record for _, record in pairs]
    if measure == "margin":
        return ClassifierSet(models, records, classes)
    spaces: list[Space] = [TransformedSpace.of(model, X) for model in models]
    codes = np.searchsorted(classes, y)
    return _distance_set(spaces, X, codes, classes.size, measure, records, models)


def _distance_set(
    spaces: list[Space],
    X: Any,
    codes: Ints,
    n_labels: int,
    measure: str,
    records: list[dict[str, Any]],
    classifiers: list[Any] | None = None,
) -> DistanceSet:
    within = [half_spread(space(X), codes, n_labels) for space in spaces]
    return DistanceSet(spaces, within, measure, codes, n_labels, records, classifiers)


DistanceMeasure = Callable[[Floats, Ints, int, Floats], Floats]


def _contrast(near: Floats) -> Floats:
    """(d_other - d_own) / (d_other + d_own) of each label, from distances (n_points, n_labels).

    The order is that of the ratio d_other / d_own. The value is 0 if both distances vanish.
    """
    nearest = np.partition(near, 1, axis=1)
    other = np.where(near == nearest[:, :1], nearest[:, 1:2], nearest[:, :1])
    total = other + near
    with np.errstate(invalid="ignore"):
        contrast = (other - near) / np.where(total > 0, total, 1.0)
    # A label without training examples is infinitely far away: no case conforms to it.
    return np.where(np.isinf(near), -np.inf, contrast)


def nearest_neighbour_scores(squares: Floats, codes: Ints, n_labels: int, within: Floats) -> Floats:
    """Distance to the nearest example of another label against the nearest of the own label.

    ``squares`` are squared distances of shape (n_points, n_train); ``codes`` are the labels of
    the training examples. ``within`` is not used.
    """
    near = np.full((squares.shape[0], n_labels), np.inf)
    for y in np.unique(codes):
        near[:, y] = np.sqrt(squares[:, codes == y].min(axis=1))
    return _contrast(near)


def class_mean_scores(squares: Floats, codes: Ints, n_labels: int, within: Floats) -> Floats:
    """Distance to the mean of the nearest other class against the mean of the own class.

    ``within`` is half the mean squared distance between the examples of a class. Subtract it from
    the mean squared distance to the examples: this gives the squared distance to their mean.
    """
    near = np.full((squares.shape[0], n_labels), np.inf)
    for y in np.unique(codes):
        to_mean = squares[:, codes == y].mean(axis=1) - within[y]
        # A difference of two means of squares: rounding may take it below 0.
        near[:, y] = np.sqrt(np.maximum(to_mean, 0.0))
    return _contrast(near)


def half_spread(squares: Floats, codes: Ints, n_labels: int) -> Floats:
    """Half the mean squared distance between the training examples of each class."""
    out = np.zeros(n_labels)
    for y in np.unique(codes):
        is_y = codes == y
        out[y] = 0.5 * squares[np.ix_(is_y, is_y)].mean()
    return out


# Both take squared distances to the training examples in the feature space of a model. In the
# space of a kernel, |x - z|^2 = k(x, x) + k(z, z) - 2 k(x, z).
DISTANCE_MEASURES: dict[str, DistanceMeasure] = {
    "class-mean": class_mean_scores,
    "nearest-neighbour": nearest_neighbour_scores,
}
MEASURES = ("class-mean", "margin", "nearest-neighbour")
