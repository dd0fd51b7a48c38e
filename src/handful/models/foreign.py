"""Estimators of other libraries: they predict, and nothing else is known about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from handful.arrays import Floats, Ints
from handful.codec import fail
from handful.kernels import Kernel
from handful.models.expansions import Kernels, kernel_expansion
from handful.models.form import (
    Form,
    Places,
    as_floats,
    check_classes,
    check_length,
    check_within,
)
from handful.models.rules import MAX_MEMBERS
from handful.models.scores import LinearScore, linear_score
from handful.models.words import Vocabulary

TAKES = ("table", "encoded", "filled")


@dataclass(frozen=True, eq=False)
class Opaque(Form, tag="foreign"):
    """A fitted scikit-learn classifier; ``takes`` says which rows it reads.

    Parameters
    ----------
    estimator : fitted classifier whose labels are class positions
    takes : {"table", "encoded", "filled"}
        Rows as the user gives them, encoded ones, or encoded ones without missing values.
    n_classes : int
    fill : tuple of float
        What takes the place of missing values if ``takes`` is "filled".
    place : int
        Its place in the file of estimators beside a model file.
    why : str
        For a machine of ours, why it is not made of plain data.
    """

    estimator: Any = field(metadata={"file": False})
    takes: str
    n_classes: int
    fill: tuple[float, ...] = ()
    place: int = 0
    why: str = field(default="", metadata={"file": False})

    def _rows(self, X: Any) -> Any:
        if self.takes != "filled":
            return X
        return np.where(np.isnan(X), np.array(self.fill), X)

    def labels(self, X: Any) -> Ints:
        return np.asarray(self.estimator.predict(self._rows(X)), dtype=np.int64)

    def scores(self, X: Any) -> Floats:
        """Decision values or probabilities if it has them, labels otherwise."""
        rows = self._rows(X)
        known = np.asarray(getattr(self.estimator, "classes_", ()), dtype=np.int64)
        if self.n_classes == 2 and len(known) == 2:
            if hasattr(self.estimator, "decision_function"):
                return np.asarray(self.estimator.decision_function(rows), dtype=np.float64)
            if hasattr(self.estimator, "predict_proba"):
                return np.asarray(self.estimator.predict_proba(rows)[:, 1] - 0.5)
        if len(known) and hasattr(self.estimator, "predict_proba"):
            shares = np.zeros((len(X), self.n_classes))
            shares[:, known] = self.estimator.predict_proba(rows)
            return shares[:, 1] - shares[:, 0] if self.n_classes == 2 else shares
        sure = np.eye(self.n_classes)[self.labels(X)]
        return sure[:, 1] - sure[:, 0] if self.n_classes == 2 else sure

    def sentences(self, words: Vocabulary) -> list[str]:
        return [f"{' '.join(repr(self.estimator).split())} (not readable)."]

    @property
    def size(self) -> int:
        return 10**6  # unknown, hence larger than that of anything readable

    @property
    def features(self) -> tuple[int, ...]:
        return ()  # unknown

    @property
    def is_plain(self) -> bool:
        return False

    @property
    def why_closed(self) -> str:
        return self.why

    @property
    def reads_table(self) -> bool:
        return self.takes == "table"

    def moved(self, places: Places) -> Self:
        raise TypeError("an estimator of another library reads all columns: none can be left out.")

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_classes(where, self.n_classes, n_classes)
        if self.takes not in TAKES:
            raise fail(f"{where}.takes", f"one of {TAKES}", self.takes)
        check_within(f"{where}.place", self.place, MAX_MEMBERS)
        check_length(f"{where}.fill", self.fill, width if self.takes == "filled" else 0)


def as_form(estimator: Any) -> Form | None:
    """A fitted classifier as a form, if it is a formula: one of ours, or of scikit-learn.

    Of scikit-learn there are linear classifiers and support vector machines, alone or behind a
    StandardScaler.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    is_pipeline = isinstance(estimator, Pipeline)
    *before, last = [step for _, step in estimator.steps] if is_pipeline else [estimator]
    found = _sklearn_form(last) or getattr(getattr(last, "fitted_", None), "machine", None)
    if found is None or not before:
        return found
    if len(before) > 1 or not isinstance(before[0], StandardScaler):
        return None
    n = int(before[0].n_features_in_)
    center = np.zeros(n) if before[0].mean_ is None else before[0].mean_
    scale = np.ones(n) if before[0].scale_ is None else before[0].scale_
    return _unscaled(found, center, scale)


def _sklearn_form(model: Any) -> Form | None:
    """Linear classifiers and support vector machines of scikit-learn."""
    from sklearn import linear_model, svm

    linear = (
        svm.LinearSVC,
        linear_model.LogisticRegression,
        linear_model.Perceptron,
        linear_model.RidgeClassifier,
        linear_model.SGDClassifier,
    )
    if isinstance(model, linear):
        return linear_score(model.coef_, np.broadcast_to(model.intercept_, (len(model.coef_),)))
    is_vectors = isinstance(model, svm.SVC) and model.kernel in ("linear", "rbf", "poly")
    if not is_vectors or len(model.classes_) != 2:
        return None
    gamma = float(model._gamma) if model.kernel != "linear" else 1.0
    kernel = Kernel(model.kernel, gamma=gamma, degree=int(model.degree), coef0=float(model.coef0))
    return kernel_expansion(kernel, model.support_vectors_, model.dual_coef_.T, model.intercept_)


def _unscaled(form: Form, center: Floats, scale: Floats) -> Form | None:
    """A form of scaled features as one of the features themselves."""
    if isinstance(form, LinearScore):
        weights = np.array(form.weights) / scale
        return linear_score(weights, np.array(form.intercepts) - weights @ center)
    if isinstance(form, Kernels) and all(p.center is None and p.scale is None for p in form.parts):
        parts = [
            replace(
                part,
                centers=as_floats(np.array(part.centers) * scale + center),
                center=as_floats(center),
                scale=as_floats(scale),
            )
            for part in form.parts
        ]
        return replace(form, parts=tuple(parts))
    return None


def placed(form: Form, estimators: list[Any]) -> Form:
    """Move estimators of other libraries into a list; the form keeps their places."""
    if isinstance(form, Opaque):
        estimators.append(form.estimator)
        return replace(form, place=len(estimators) - 1)
    return form.with_inner(lambda member: placed(member, estimators))


def restored(form: Form, estimators: Sequence[Any]) -> Form:
    """Take estimators of other libraries from a list, by the places in the form."""
    if isinstance(form, Opaque):
        return replace(form, estimator=estimators[form.place])
    return form.with_inner(lambda member: restored(member, estimators))


def n_estimators(form: Form) -> int:
    """Length of the list of estimators that `restored` needs."""
    if isinstance(form, Opaque):
        return form.place + 1
    return max((n_estimators(member) for member in form.inner), default=0)
