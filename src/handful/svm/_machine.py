"""The single machine: a scikit-learn classifier with a certificate and criteria."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from handful.bounds import Certificate, Criterion
from handful.kernels import Kernel, make_kernel
from handful.svm._certificates import (
    StableSet,
    certify_models,
    check_bound,
    held_out_certificate,
    stable_set,
)
from handful.svm._criteria import get_criterion
from handful.svm._grid import SVMGrid, fit_svm_grid
from handful.svm._store import KernelStore

Floats = NDArray[np.float64]


class SupportVectorMachine(ClassifierMixin, BaseEstimator):
    """Soft-margin support vector machine with a certificate of its risk.

    Minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i f(x_i)). More than two classes are handled one
    against the rest.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "precomputed"} or callable, default="rbf"
    C : float, default=1.0
        Penalty of the sum of the slacks.
    gamma : float or "auto", default="auto"
        Scale of "rbf" and "poly"; "auto" is 1 / n_features. It may not read the data, because
        the certificate would have to pay for that.
    degree : int, default=3
    coef0 : float, default=0.0
    fit_intercept : bool, default=True
    center : bool, default=False
        Centre the features on their training mean. With a bias it changes nothing; without
        one the machine can only be certified on held-out data.
    tol : float, default=1e-5
        Largest relative duality gap.

    Attributes
    ----------
    classes_ : ndarray
    models_ : tuple of SVMModel
        One machine for two classes, else one for each class.
    support_ : ndarray of int
        Indices of the support vectors (of any machine).
    gap_ : float
        Largest duality gap of the machines.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import SupportVectorMachine
    >>> X = np.r_[np.linspace(-2, -1, 50), np.linspace(1, 2, 50)][:, None]
    >>> y = np.repeat(["no", "yes"], 50)
    >>> machine = SupportVectorMachine(gamma=1.0).fit(X, y)
    >>> machine.predict([[-1.5], [1.5]])
    array(['no', 'yes'], dtype='<U3')
    >>> print(machine.certify())
    risk <= 11.9 % with 95 % confidence (stable, 100 examples, 4 kept, 3.0 nats)
    >>> machine.criterion("span").value
    0.0
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        center: bool = False,
        tol: float = 1e-5,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.center = center
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any) -> SupportVectorMachine:
        """Fit the machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points, or their kernel matrix for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)

        Returns
        -------
        SupportVectorMachine
        """
        X, y = self._validate(X, y)
        grids = _fit_grids(self, X, y, [self._kernel()], [float(self.C)])
        return self._adopt(KernelStore(X), [(grid, 0) for grid in grids])

    def _validate(self, X: Any, y: Any) -> tuple[Floats, NDArray[Any]]:
        """Check parameters and data; set the classes."""
        _check_positive("C", self.C, "It is the penalty of the sum of the slacks.")
        _check_positive("tol", self.tol, "It is the largest relative duality gap.")
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise ValueError(
                "`y` must have at least two classes, got one class: "
                f"{self.classes_[0]!r}. Add examples of another class."
            )
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"`X` must be a square kernel matrix for kernel='precomputed', got {X.shape}."
            )
        return X, y

    def _kernel(self) -> Kernel:
        return make_kernel(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            n_features=self.n_features_in_,
        )

    def _adopt(
        self, store: KernelStore, found: Sequence[tuple[SVMGrid, int]]
    ) -> SupportVectorMachine:
        """Take one model from each grid (one grid a binary problem)."""
        self.models_ = tuple(grid[index] for grid, index in found)
        self._store = store
        self.support_ = np.unique(np.concatenate([model.support for model in self.models_]))
        self.gap_ = max(model.gap for model in self.models_)
        self._stable_sets: list[StableSet] | None = None
        return self

    def fit_grid(
        self, X: Any, y: Any, param_list: Sequence[Mapping[str, Any]]
    ) -> list[SupportVectorMachine]:
        """Fit one machine for each set of parameters; kernels and warm starts are shared.

        Parameters
        ----------
        X, y : array-like
        param_list : sequence of dict
            Parameters of this class that replace this machine's, one dict a machine.

        Returns
        -------
        list of SupportVectorMachine
            Fitted, in the order of ``param_list``.
        """
        machines = [clone(self).set_params(**params) for params in param_list]
        groups: dict[tuple[Any, ...], list[int]] = {}
        stores: dict[bool, KernelStore] = {}
        for i, machine in enumerate(machines):
            X_i, y_i = machine._validate(X, y)
            stores.setdefault(machine.kernel == "precomputed", KernelStore(X_i))
            key = (machine._kernel(), machine.fit_intercept, machine.center, machine.tol)
            groups.setdefault(key, []).append(i)
        for (kernel, *_), members in groups.items():
            first = machines[members[0]]
            store = stores[first.kernel == "precomputed"]
            Cs = sorted({float(machines[i].C) for i in members})
            grids = _fit_grids(first, store.X, y_i, [kernel], Cs)
            for i in members:
                index = Cs.index(float(machines[i].C))
                machines[i]._adopt(store, [(grid, index) for grid in grids])
        return machines

    @classmethod
    def from_svc(cls, svc: Any) -> SupportVectorMachine:
        """The unfitted twin of an ``sklearn.svm.SVC``, with the same kernel and C.

        Parameters
        ----------
        svc : sklearn.svm.SVC
            Its ``gamma="scale"`` must be replaced before fitting.

        Returns
        -------
        SupportVectorMachine
        """
        if svc.class_weight is not None:
            raise TypeError("`class_weight` of the SVC must be None: every example has the same C.")
        names = ("kernel", "C", "gamma", "degree", "coef0")
        return cls(**{name: getattr(svc, name) for name in names})

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        grid = SVMGrid(
            models=self.models_,
            kernels=(self.models_[0].kernel,),
            Cs=np.full(len(self.models_), self.models_[0].C),
            X=self._store.X,
            y_signed=self.models_[0].y_signed,
        )
        return grid.decision_function(X)

    def decision_function(self, X: Any) -> Floats:
        """Scores f(x): positive for ``classes_[1]``; one column a class for more than two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        return scores[0] if len(self.models_) == 1 else scores.T

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        chosen = (scores[0] > 0).astype(int) if len(scores) == 1 else scores.argmax(axis=0)
        return self.classes_[chosen]

    def certify(
        self,
        delta: float = 0.05,
        bound: str = "auto",
        *,
        n_models: int = 1,
        X: Any = None,
        y: Any = None,
    ) -> Certificate:
        """Upper bound on the risk that holds with probability 1 - delta.

        Parameters
        ----------
        delta : float
        bound : {"auto", "stable", "compression", "held-out"}
            "auto" is "stable": the bound by the number of examples with margin at most one.
            "compression" is the classical one, for comparison. "held-out" needs X and y.
        n_models : int
            Number of parameter settings among which this machine was chosen on these data.
        X, y : array-like
            Held-out examples, for ``bound="held-out"`` only.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        check_bound(bound)
        if bound == "held-out":
            return held_out_certificate(self, X, y, delta=delta, n_models=n_models)
        if self._stable_sets is None:
            self._stable_sets = [stable_set(model, self._store) for model in self.models_]
        return certify_models(
            self.models_, self._stable_sets, delta=delta, bound=bound, n_models=n_models
        )

    def criterion(self, name: str) -> Criterion:
        """A criterion of ``CRITERIA``; the mean over the machines for more than two classes.

        Parameters
        ----------
        name : str

        Returns
        -------
        Criterion
        """
        check_is_fitted(self)
        entry = get_criterion(name)
        found = [entry(self._store.geometry(model)) for model in self.models_]
        mean = float(np.mean([criterion.value for criterion in found]))
        first = found[0]
        return Criterion(value=mean, name=name, warning=first.warning, reference=first.reference)


def _check_positive(name: str, value: Any, hint: str) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"`{name}` must be a positive number, got {value!r}. {hint}")
    if not 0.0 < float(value) < np.inf:
        raise ValueError(f"`{name}` must be a positive number, got {value!r}. {hint}")


def _fit_grids(
    machine: SupportVectorMachine,
    X: Floats,
    y: NDArray[Any],
    kernels: list[Kernel],
    Cs: list[float],
) -> list[SVMGrid]:
    """One grid for two classes, else one for each class against the rest."""
    positives = machine.classes_[1:] if machine.classes_.size == 2 else machine.classes_
    return [
        fit_svm_grid(
            X,
            np.where(y == positive, 1.0, -1.0),
            kernels=kernels,
            Cs=Cs,
            fit_intercept=machine.fit_intercept,
            center=machine.center,
            tol=machine.tol,
        )
        for positive in positives
    ]
