"""Kernel matrices and geometries of one training set, kept while they fit in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from handful._types import Floats
from handful.kernels import Kernel, center_kernel
from handful.svm._model import SVMModel
from handful.svm.criteria.geometry import Geometry, KernelGeometry

_BUDGET_BYTES = 1 << 28  # 256 MiB of kernels kept between settings


class KernelStore:
    """What machines on the same points share, the least recently used thrown away first.

    Parameters
    ----------
    X : ndarray
        Training points, or the kernel matrix where the kernel is "precomputed".

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import fit_svm_grid
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5], Cs=[1, 10])
    >>> store = KernelStore(X)
    >>> store.geometry(grid[0]).points is store.geometry(grid[1]).points
    True
    """

    def __init__(self, X: Floats) -> None:
        self.X = X
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {"X": self.X}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["X"])  # type: ignore[misc]

    def _get(self, key: tuple[Any, ...], make: Any) -> Any:
        if key not in self._kept:
            self._kept[key] = make()
            # A geometry holds about four matrices: K, eigenvectors, and those of its spans.
            entry_bytes = 32 * self.X.shape[0] ** 2
            while len(self._kept) > max(1, _BUDGET_BYTES // entry_bytes):
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def kernel_matrix(self, kernel: Kernel) -> Floats:
        """Kernel matrix of the training points; Gaussian kernels share their distances."""

        def make() -> Floats:
            if kernel.name != "rbf":
                return np.ascontiguousarray(kernel(self.X))
            matrix = self._get(("distances",), self._distances) * -kernel.gamma
            return np.asarray(np.exp(matrix, out=matrix))

        return self._get((kernel,), make)

    def _distances(self) -> Floats:
        return np.asarray(euclidean_distances(self.X, self.X, squared=True))

    def training_kernel(self, model: SVMModel) -> Floats:
        """Kernel matrix of the training points as the machine was trained on it."""
        if not model.center:
            return self.kernel_matrix(model.kernel)
        return self._points(model.kernel, True).K

    def geometry(self, model: SVMModel) -> Geometry:
        """The geometry of a machine; centred where that does not change the machine."""
        return Geometry(model, self._points(model.kernel, model.center or model.fit_intercept))

    def _points(self, kernel: Kernel, centered: bool) -> KernelGeometry:
        def make() -> KernelGeometry:
            K = self.kernel_matrix(kernel)
            return KernelGeometry(center_kernel(K) if centered else K)

        return self._get((kernel, centered, "geometry"), make)
