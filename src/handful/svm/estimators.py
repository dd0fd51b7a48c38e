"""The single machine: a scikit-learn classifier with a certificate and criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from handful.arrays import Floats, Ints
from handful.bounds import Certificate, Criterion
from handful.checks import check_positive
from handful.estimator import BaseClassifier, columns_of, refuse_balanced
from handful.kernels import Kernel, center_kernel, kernel_of
from handful.models import Form, from_scores, kernel_expansion, linear_score
from handful.svm.criteria import get_criterion
from handful.svm.geometry import KernelStore
from handful.svm.grid import SVMGrid, fit_kernel_path
from handful.svm.stable_sets import StableSet, certify_models, stable_set
from handful.svm.svm_model import SVMModel
from handful.tables import SeenRows, class_weights
from handful.threads import in_one_blas_thread


class SupportVectorMachine(BaseClassifier):
    """Soft-margin support vector machine with a certificate of its risk.

    The machine minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i f(x_i)). More than two classes are
    learned one against the rest.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "precomputed"} or callable, default="rbf"
    C : float, default=1.0
        Penalty of the sum of the slacks.
    gamma : float or "auto", default="auto"
        Scale of "rbf" and "poly"; "auto" is 1 / n_features. It must not depend on the data: the
        certificate does not pay for that.
    degree : int, default=3
    coef0 : float, default=0.0
    fit_intercept : bool, default=True
    center : bool, default=False
        Centre the features on their training mean. With a bias this changes nothing. Without a
        bias the machine can be certified on held-out data only.
    tol : float, default=1e-5
        Largest relative duality gap.
    class_weight : dict, "balanced" or None, default=None
        C is multiplied by the weight of an example's class. "balanced" (inverse to the class
        frequencies) depends on the data: such a machine is certified on held-out data only.
    delta : float, default=0.05
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    models_ : tuple of SVMModel
        One machine for two classes, else one for each class.
    support_ : ndarray of int
        Indices of the support vectors of all machines.
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

    # The default of `BoundSearch`: the certificate rewards few support vectors, not few errors.
    search_criterion = "span"
    _bounds = ("stable", "compression")

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
        class_weight: Mapping[Any, float] | str | None = None,
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.center = center
        self.tol = tol
        self.class_weight = class_weight
        self.delta = delta

    @in_one_blas_thread
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
        fit_machines([self], X, y)
        return self

    def _check_parameters(self) -> None:
        check_positive("C", self.C, "It is the penalty of the sum of the slacks.")
        check_positive("tol", self.tol, "It is the largest relative duality gap.")

    def _validate(self, X: Any, y: Any) -> tuple[Floats, Ints]:
        """Check the data; return the points and the codes of the labels."""
        X, _, codes = self._read_examples(X, y, ensure_min_samples=2)
        if self._is_pairwise() and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"`X` must be a square kernel matrix for kernel='precomputed', got {X.shape}."
            )
        return X, codes

    @property
    def _seen(self) -> SeenRows:  # type: ignore[override]
        """The training rows; the machine holds them, so digests are computed at access."""
        return SeenRows.of(self._store.X, self.classes_[self._label_codes])

    def _remember(self, X: Any, y: Any, n_samples: int | None = None) -> None:
        self.n_samples_ = len(y)

    def _look_like(self, first: Any) -> None:
        """Copy the attributes that the check of the data set in the first machine."""
        self.classes_, self.n_features_in_ = first.classes_, first.n_features_in_
        self.n_samples_ = first.n_samples_
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_

    def _adopt(self, store: KernelStore, models: Sequence[SVMModel], codes: Ints) -> None:
        """Store the fitted binary machines: one for two classes, otherwise one for each class."""
        self.models_ = tuple(models)
        self._store = store
        self.support_ = np.unique(np.concatenate([model.support for model in self.models_]))
        self.gap_ = max(model.gap for model in self.models_)
        self._keep_examples(self.support_)
        self._label_codes = codes
        values = columns_of([model.f for model in models])
        if self._is_weighted_sum():
            values = self._scores(store.X)
        # Counted with the scores that `predict` uses: sums over weights and sums over examples may
        # differ in the last bit.
        self.n_training_errors_ = int(np.sum(from_scores(values) != codes))
        self._stable_sets: list[StableSet] | None = None
        self._criteria: dict[str, Criterion] = {}

    def fit_grid(
        self,
        X: Any,
        y: Any,
        param_list: Sequence[Mapping[str, Any]],
        *,
        criterion: str | None = None,
    ) -> list[SupportVectorMachine]:
        """Fit one machine for each set of parameters on the same data.

        The data are validated once, every kernel matrix is built once, and the machines of one
        kernel start from each other.

        Parameters
        ----------
        X, y : array-like
        param_list : sequence of dict
            Parameters that replace those of this machine, one dict for each new machine.
        criterion : str, optional
            A name in ``CRITERIA``. It is computed while the kernel matrix is in memory; the
            method `criterion` then returns it at once.

        Returns
        -------
        list of SupportVectorMachine
            Fitted, in the order of ``param_list``.
        """
        if criterion is not None:
            get_criterion(criterion)
        machines = [clone(self).set_params(**params) for params in param_list]
        fit_machines(machines, X, y, criterion)
        return machines

    @classmethod
    def from_svc(cls, svc: Any) -> SupportVectorMachine:
        """The unfitted twin of an ``sklearn.svm.SVC``, with the same kernel and C.

        Replace ``gamma="scale"`` before fitting.
        """
        names = ("kernel", "C", "gamma", "degree", "coef0", "class_weight")
        return cls(**{name: getattr(svc, name) for name in names})

    def _scores(self, rows: Floats) -> Floats:
        if self._is_weighted_sum():  # the arithmetic of the form that a file holds
            return self._machine().scores(rows)
        grid = SVMGrid(
            models=self.models_,
            kernels=(self.models_[0].kernel,),
            Cs=np.full(len(self.models_), self.models_[0].C),
            X=self._store.X,
            y_signed=self.models_[0].y_signed,
        )
        return columns_of(list(grid.decision_function(rows)))

    @property
    def points_(self) -> Floats:
        """The training points of ``models_``."""
        return self._store.X

    def _is_weighted_sum(self) -> bool:
        """Whether the score is a weighted sum of the features, without any example."""
        return self.models_[0].kernel.name == "linear" and not self.center

    def _machine(self) -> Form:
        kernel, kept = self.models_[0].kernel, self.support_
        if self.center:  # the centre depends on all examples
            return self._closed(
                "`center` must be False for a machine to be written to a file, got True."
            )
        if not kernel.is_named:
            return self._closed_kernel(kernel)
        coef = np.column_stack([model.coef[kept] for model in self.models_])
        biases = [model.bias for model in self.models_]
        if self._is_weighted_sum():
            return linear_score(coef.T @ self._store.X[kept], biases)
        return kernel_expansion(kernel, self._store.X[kept], coef, biases)

    @property
    def kept_examples_(self) -> Ints:
        """Kept examples; none for a weighted sum, whose form contains no example."""
        return np.zeros(0, dtype=np.int64) if self._is_weighted_sum() else super().kept_examples_

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        refuse_balanced(self.class_weight)
        if self._stable_sets is None:
            self._stable_sets = [stable_set(model, self._store) for model in self.models_]
        return certify_models(
            self.models_, self._stable_sets, delta=delta, bound=bound, n_choices=n_choices
        )

    def criterion(self, name: str) -> Criterion:
        """A criterion of ``CRITERIA``; the mean over the machines for more than two classes."""
        check_is_fitted(self)
        if name not in self._criteria:
            entry = get_criterion(name)
            found = [entry(self._store.geometry(model)) for model in self.models_]
            mean = float(np.mean([criterion.value for criterion in found]))
            self._criteria[name] = replace(found[0], value=mean)
        return self._criteria[name]


def fit_machines(
    machines: Sequence[SupportVectorMachine], X: Any, y: Any, criterion: str | None = None
) -> None:
    """Fit all machines on the same data, with shared kernel matrices and warm starts along C."""
    groups: dict[tuple[Any, ...], list[SupportVectorMachine]] = {}
    checked: dict[bool, tuple[SupportVectorMachine, KernelStore, Ints]] = {}
    for machine in machines:
        machine._check_parameters()
        is_matrix = machine._is_pairwise()
        if is_matrix not in checked:
            points, labels = machine._validate(X, y)
            checked[is_matrix] = machine, KernelStore(points), labels
        machine._look_like(checked[is_matrix][0])
        weights = repr(machine.class_weight)
        settings = (machine.fit_intercept, machine.center, machine.tol, weights)
        kernel = kernel_of(machine, machine.n_features_in_)
        # Machines that differ in C alone share a kernel matrix and start from each other.
        key = (kernel, *settings, is_matrix)
        groups.setdefault(key, []).append(machine)
    with threadpool_limits(limits=1, user_api="blas"):
        for (kernel, *_, is_matrix), members in groups.items():
            _, store, labels = checked[is_matrix]
            _fit_kernel(members, kernel, store, labels)
            if criterion is not None:
                for machine in members:
                    machine.criterion(criterion)


def _fit_kernel(
    members: Sequence[SupportVectorMachine], kernel: Kernel, store: KernelStore, codes: Ints
) -> None:
    """Fit the machines of one kernel, which differ in C only; one path for each class."""
    first = members[0]
    K = store.kernel_matrix(kernel)
    if first.center:
        K = center_kernel(K)
    Cs = np.unique([float(machine.C) for machine in members])
    row_weights = class_weights(first.class_weight, first.classes_, codes)
    paths = [
        fit_kernel_path(
            K, signed, kernel, Cs, first.fit_intercept, first.center, first.tol, row_weights
        )
        for signed in first._signs(codes)
    ]
    for machine in members:
        index = int(np.searchsorted(Cs, float(machine.C)))
        machine._adopt(store, [path[index] for path in paths], codes)
