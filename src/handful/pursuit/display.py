"""Pictures of a pursuit: its path, and its centres in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.display import Display, legend_above
from handful.pursuit.kernel_columns import Indices


@dataclass(kw_only=True)
class PursuitPathDisplay(Display):
    """Residual and certificate of every size of a pursuit.

    Parameters
    ----------
    sizes : array of int
    residuals : array
        Share of the squared residual that is left, or of the trace for sparse kernel PCA.
    risks : array or None
        Value of the certificate at 95 % confidence, for classifiers; 1 if it is vacuous.
    chosen_size : int
    name : str

    Examples
    --------
    >>> import numpy as np
    >>> from handful.pursuit import KernelMatchingPursuitRegressor
    >>> X = np.linspace(0.0, 6.0, 40)[:, None]
    >>> machine = KernelMatchingPursuitRegressor(n_centers=3).fit(X, np.sin(X[:, 0]))
    >>> PursuitPathDisplay.from_estimator(machine).frame()["size"].tolist()
    [0, 1, 2, 3]
    """

    sizes: Indices
    residuals: Floats
    risks: Floats | None = None
    chosen_size: int
    name: str = "pursuit"

    @classmethod
    def from_estimator(cls, estimator: Any) -> PursuitPathDisplay:
        """From a fitted pursuit classifier, regressor or sparse kernel PCA."""
        check_is_fitted(estimator)
        name = type(estimator).__name__
        path = getattr(estimator, "path_", None)
        if path is None or "residual" not in path:
            raise TypeError(f"`estimator` must have a pursuit path, got {name}.")
        sizes, squares = path["size"].to_numpy(), path["residual"].to_numpy()
        risks = path["certificate"].to_numpy() if "certificate" in path else None
        chosen = int(path["size"][path["is_chosen"]].iloc[0])
        start = float(squares[0])
        # A residual of zero from the start leaves nothing to divide by.
        shares = np.asarray(squares) / start if start > 0.0 else np.zeros(len(squares))
        return cls(sizes=sizes, residuals=shares, risks=risks, chosen_size=chosen, name=name)

    def _columns(self) -> dict[str, Any]:
        data: dict[str, Any] = {"size": self.sizes, "residual": self.residuals}
        if self.risks is not None:
            data["certificate"] = self.risks
        return data | {"is_chosen": self.sizes == self.chosen_size}

    def plot(self, ax: Any = None) -> PursuitPathDisplay:
        ax = self._axes(ax)
        ax.plot(self.sizes, self.residuals, marker="o", label="residual, share of its start")
        if self.risks is not None:
            ax.plot(self.sizes, self.risks, marker="s", label="certificate, 95 % confidence")
        ax.axvline(self.chosen_size, linestyle=":", color="grey", label="chosen size")
        ax.set(xlabel="number of centres", ylim=(0.0, 1.05), title=self.name)
        legend_above(ax)
        return self


@dataclass(kw_only=True)
class PursuitCentersDisplay(Display):
    """Training examples in the plane of their first two principal components, centres marked.

    Parameters
    ----------
    points : array of shape (n_samples, 2)
    centers : indices of the centres in order of choice
    labels : array or None
        Classes to colour by.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.pursuit import SparseKernelPCA
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> pca = SparseKernelPCA(n_centers=3).fit(X)
    >>> display = PursuitCentersDisplay.from_estimator(pca, X)
    >>> display.frame()["order"].notna().sum().item()
    3
    """

    points: Floats
    centers: Indices
    labels: Any = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None) -> PursuitCentersDisplay:
        """From a fitted pursuit and the data it was fitted on."""
        check_is_fitted(estimator)
        X = np.asarray(X, dtype=np.float64)
        centers = estimator.centers_idx_
        if len(centers) and (X.ndim != 2 or len(X) <= int(np.max(centers))):
            raise ValueError(
                f"`X` must be the data the estimator was fitted on, got shape {X.shape}."
            )
        scaling = getattr(estimator, "scaling_", None)
        if scaling is not None:
            X = (X - scaling[0]) / scaling[1]
        centred = X - X.mean(axis=0)
        _, _, directions = np.linalg.svd(centred, full_matrices=False)
        points = np.zeros((len(X), 2))
        plane = centred @ directions[:2].T
        points[:, : plane.shape[1]] = plane
        return cls(points=points, centers=centers, labels=None if y is None else np.asarray(y))

    def _columns(self) -> dict[str, Any]:
        """One row per example; ``order`` is the order of choice, missing for the others."""
        # Places in the order of choice.
        order = np.full(len(self.points), np.nan)
        order[self.centers] = np.arange(len(self.centers))
        data = {"first": self.points[:, 0], "second": self.points[:, 1], "order": order}
        if self.labels is not None:
            data["label"] = self.labels
        return data

    def plot(self, ax: Any = None) -> PursuitCentersDisplay:
        ax = self._axes(ax)
        groups = [None] if self.labels is None else list(np.unique(self.labels))
        for group in groups:
            is_in = slice(None) if group is None else self.labels == group
            label = "examples" if group is None else str(group)
            ax.scatter(*self.points[is_in].T, s=12, alpha=0.5, label=label)
        chosen = self.points[self.centers]
        ax.scatter(*chosen.T, s=90, facecolors="none", edgecolors="black", label="centres")
        for i, point in enumerate(chosen):
            ax.annotate(str(i + 1), point, textcoords="offset points", xytext=(5, 5))
        ax.set(xlabel="first component", ylabel="second component")
        legend_above(ax)
        return self
