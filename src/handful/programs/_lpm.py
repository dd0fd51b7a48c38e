"""The 1-norm support vector machine as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from handful._types import Floats
from handful.kernels import Kernel
from handful.programs._machine import MarginMachine
from handful.programs._margin import MarginSolution


class LinearProgrammingMachine(MarginMachine):
    r"""Linear programming machine (1-norm support vector machine).

    Minimises sum_j \|w_j\| + C sum_i (1 - y_i f(x_i))_+ over w, b, with f linear in the features
    or in the kernel columns of the training examples. Few coefficients are non-zero, and the
    solution is proved optimal by its duality gap.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel
        "linear" solves for w itself; any other kernel, which need not be positive, expands f
        over the training examples.
    C : float
        Price of a unit of slack. It is not divided by the number of examples. Below some C all
        coefficients are zero, which is announced by a warning.
    gamma, degree, coef0
        Kernel parameters, see `handful.kernels.make_kernel`.
    class_weight : dict, "balanced" or None
        C is multiplied by the weight of an example's class. "balanced" (inversely to how often
        the classes occur) reads the data: such a machine is certified on held-out data only.
    tol : float
        Largest relative duality gap that counts as proved.
    time_limit : float, optional
        Seconds for HiGHS, which steps in where the interior point cannot prove its solution.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel; one machine for two classes, else one for each class.
    support_, dual_coef_, support_vectors_ : ndarray
        For other kernels: training examples with a coefficient above 1e-7 times the largest.
    intercept_, objective_, gap_, n_iter_ : ndarray of shape (n_machines,)
    is_trivial_ : ndarray of bool, shape (n_machines,)
    compression_set_ : ndarray
        Linear kernel: the training examples that touch an optimum; otherwise ``support_``.

    References
    ----------
    Zhu, Rosset, Hastie & Tibshirani (2003), 1-norm support vector machines, NIPS 16.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = X[:, 0] - X[:, 3] > 0
    >>> machine = LinearProgrammingMachine(C=0.04).fit(X, y)
    >>> np.flatnonzero(machine.coef_).tolist()
    [0, 3]
    >>> machine.certify().risk < 0.7
    True
    """

    _capped = False

    def __init__(
        self,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        C: float = 1.0,
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-7,
        time_limit: float | None = None,
        class_weight: dict[Any, float] | str | None = None,
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.delta = delta

    def _weight(self) -> float:
        return 1.0

    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        return [self._solve_by_columns(K, sign, 1.0) for sign in signs]
