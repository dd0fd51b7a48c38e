"""Classifiers whose risk has a closed form, and how fitted estimators are recognised as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias, final

import numpy as np

from handful.checks import check_reals

Classifier: TypeAlias = Any
"""A fitted estimator with ``predict``, a callable ``X -> labels``, or the label -1 or +1."""


@final
@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """The half-space ``X @ weights + bias > 0``: +1 inside, -1 outside.

    Parameters
    ----------
    weights : sequence of float, length n_features
        The normal of the half-space.
    bias : float, default=0.0
        The offset.

    Examples
    --------
    >>> import numpy as np
    >>> LinearClassifier([1.0, -1.0], 0.5).predict(np.array([[0.0, 0.0], [0.0, 1.0]]))
    array([ 1, -1])
    """

    weights: Sequence[float] | np.ndarray
    bias: float = 0.0

    def __post_init__(self) -> None:
        weights = check_reals("weights", self.weights, "Pass one finite weight per feature.")
        (bias,) = check_reals("bias", [self.bias], "Pass one finite number.")
        object.__setattr__(self, "weights", np.array(weights))
        object.__setattr__(self, "bias", bias)

    @property
    def n_features(self) -> int:
        """Number of features the classifier reads."""
        return len(self.weights)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Labels in {-1, +1}."""
        return np.where(np.asarray(X) @ self.weights + self.bias > 0.0, 1, -1)


@final
@dataclass(frozen=True, eq=False)
class BoxClassifier:
    """Disjoint axis-parallel boxes with a label each, and one label everywhere else.

    A point lies in box i when ``lower[i] < x <= upper[i]`` holds in every feature. A
    constant classifier, a stump, a conjunction or a disjunction of thresholds and a
    decision tree are all of this form.

    Parameters
    ----------
    lower, upper : array of shape (n_boxes, n_features)
        The boxes; infinite sides are allowed. They must not overlap (a decision tree's
        leaves never do; this is not checked).
    labels : sequence of {-1, +1}, length n_boxes
        The label inside each box.
    default : {-1, +1}
        The label outside all boxes.

    Examples
    --------
    >>> import numpy as np
    >>> rule = BoxClassifier.from_thresholds(3, features=[0, 2], thresholds=[0.5, 0.2],
    ...                                      directions=[1, -1])
    >>> rule.predict(np.array([[0.6, 0.0, 0.1], [0.6, 0.0, 0.3]]))
    array([ 1, -1])
    """

    lower: np.ndarray
    upper: np.ndarray
    labels: np.ndarray
    default: int

    def __post_init__(self) -> None:
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        labels = np.asarray(self.labels, dtype=np.int64)
        if lower.ndim != 2 or lower.shape != upper.shape or labels.shape != lower.shape[:1]:
            raise ValueError(
                "`lower` and `upper` must have shape (n_boxes, n_features) and `labels` "
                f"(n_boxes,), got {lower.shape}, {upper.shape} and {labels.shape}. "
                "Pass one row per box."
            )
        if self.default not in (-1, 1) or not np.isin(labels, (-1, 1)).all():
            raise ValueError(
                f"`labels` and `default` must be -1 or +1, got {labels.tolist()} and "
                f"{self.default!r}. Recode the classes."
            )
        if np.isnan(lower).any() or np.isnan(upper).any():
            raise ValueError(
                "`lower` and `upper` must not be NaN. Use -inf and inf for open sides."
            )
        for name, value in (("lower", lower), ("upper", upper), ("labels", labels)):
            object.__setattr__(self, name, value)

    @property
    def n_features(self) -> int:
        """Number of features the classifier reads."""
        return int(self.lower.shape[1])

    @classmethod
    def constant(cls, label: int, n_features: int) -> BoxClassifier:
        """The classifier that always says ``label``."""
        empty = np.empty((0, n_features))
        return cls(empty, empty, np.empty(0, dtype=np.int64), label)

    @classmethod
    def from_thresholds(
        cls,
        n_features: int,
        *,
        features: Sequence[int],
        thresholds: Sequence[float],
        directions: Sequence[int],
        kind: str = "conjunction",
    ) -> BoxClassifier:
        """The conjunction or disjunction of ``x[f] > t`` (direction +1) or ``x[f] <= t`` (-1)."""
        if kind not in KINDS:
            raise ValueError(f"`kind` must be one of {KINDS}, got {kind!r}. Choose one of them.")
        # A disjunction is false in one box: where every one of its parts is false.
        is_and = kind == "conjunction"
        lower, upper = np.full((1, n_features), -np.inf), np.full((1, n_features), np.inf)
        for feature, threshold, direction in zip(features, thresholds, directions, strict=True):
            if (direction > 0) == is_and:
                lower[0, feature] = max(lower[0, feature], threshold)
            else:
                upper[0, feature] = min(upper[0, feature], threshold)
        label = 1 if is_and else -1
        return cls(lower, upper, np.array([label]), -label)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Labels in {-1, +1}."""
        X = np.asarray(X)
        predicted = np.full(X.shape[0], self.default)
        for lower, upper, label in zip(self.lower, self.upper, self.labels, strict=True):
            if label != self.default:
                predicted[((lower < X) & (upper >= X)).all(axis=1)] = label
        return predicted


KINDS = ("conjunction", "disjunction")

KnownForm: TypeAlias = LinearClassifier | BoxClassifier


def recognise(classifier: Classifier, n_features: int) -> KnownForm | None:
    """Return the closed form of ``classifier`` if it has one we know.

    Known are: the label -1 or +1 (a constant), our two records, and among fitted
    estimators constants (one class seen, or a constant dummy), decision trees, and
    everything with one row of ``coef_`` and ``intercept_``. Whoever calls compares the
    predictions of both on some points, since attributes promise nothing.
    """
    if isinstance(classifier, LinearClassifier | BoxClassifier):
        form: KnownForm | None = classifier
    elif isinstance(classifier, Integral) and not isinstance(classifier, bool):
        if classifier not in (-1, 1):
            raise ValueError(f"`classifier` must be -1 or +1 if a label, got {classifier}. Recode.")
        form = BoxClassifier.constant(int(classifier), n_features)
    elif hasattr(classifier, "predict"):
        form = _recognise_estimator(classifier, n_features)
    elif callable(classifier):
        form = None
    else:
        raise TypeError(
            "`classifier` must have `predict`, be a callable or be a label, got "
            f"{type(classifier).__name__}. Pass a fitted estimator."
        )
    if form is not None and form.n_features != n_features:
        raise ValueError(
            f"`classifier` must read {n_features} features, got one for {form.n_features}. "
            "Fit it on samples of this problem."
        )
    return _simplified(form) if isinstance(form, LinearClassifier) else form


def predict_labels(classifier: Classifier, X: np.ndarray) -> np.ndarray:
    """Predictions of any classifier, checked to be one label of {-1, +1} per row."""
    if isinstance(classifier, Integral):
        return np.full(X.shape[0], int(classifier))
    predict = classifier.predict if hasattr(classifier, "predict") else classifier
    labels = np.asarray(predict(X))
    if labels.shape != (X.shape[0],):
        raise ValueError(
            f"`classifier` must give one label per row, got shape {labels.shape} for "
            f"{X.shape[0]} rows. Return a vector."
        )
    if labels.dtype.kind not in "iuf" or not ((labels == 1) | (labels == -1)).all():
        raise ValueError(
            f"`classifier` must predict -1 or +1, got {np.unique(labels)[:5].tolist()}. "
            "Fit it on the labels that `sample` returns."
        )
    return labels.astype(np.int64)


def _recognise_estimator(classifier: Classifier, n_features: int) -> KnownForm | None:
    """The closed form of a fitted estimator, or None."""
    from sklearn.dummy import DummyClassifier

    classes = getattr(classifier, "classes_", None)
    if not isinstance(classes, np.ndarray) or not np.isin(classes, (-1, 1)).all():
        return None  # whatever it predicts will be checked there
    if classes.size == 1:
        return BoxClassifier.constant(int(classes[0]), n_features)
    if isinstance(classifier, DummyClassifier):
        if classifier.strategy not in ("constant", "most_frequent", "prior"):
            return None
        label = int(classifier.predict(np.zeros((1, n_features)))[0])
        return BoxClassifier.constant(label, n_features)
    if hasattr(classifier, "tree_") and getattr(classifier, "n_outputs_", 0) == 1:
        return _boxes_of_tree(classifier.tree_, classes)
    coef, intercept = getattr(classifier, "coef_", None), getattr(classifier, "intercept_", None)
    if coef is None or intercept is None or not isinstance(coef, np.ndarray):
        return None
    if coef.reshape(-1).size != n_features or np.size(intercept) != 1:
        return None
    return LinearClassifier(coef.reshape(-1), float(np.ravel(intercept)[0]))


def _boxes_of_tree(tree: Any, classes: np.ndarray) -> BoxClassifier:
    """The leaves of a scikit-learn tree as boxes."""
    lowers, uppers, labels = [], [], []
    stack = [(0, np.full(tree.n_features, -np.inf), np.full(tree.n_features, np.inf))]
    while stack:
        node, lower, upper = stack.pop()
        if tree.children_left[node] == -1:
            lowers.append(lower)
            uppers.append(upper)
            labels.append(int(classes[np.argmax(tree.value[node, 0])]))
            continue
        feature, threshold = tree.feature[node], tree.threshold[node]
        left_upper, right_lower = upper.copy(), lower.copy()
        left_upper[feature] = min(upper[feature], threshold)
        right_lower[feature] = max(lower[feature], threshold)
        stack.append((tree.children_left[node], lower, left_upper))
        stack.append((tree.children_right[node], right_lower, upper))
    return BoxClassifier(np.array(lowers), np.array(uppers), np.array(labels), -1)


def _simplified(form: LinearClassifier) -> KnownForm:
    """A half-space that reads at most one feature, as a box (equal but for the border)."""
    used = np.flatnonzero(form.weights)
    if used.size > 1:
        return form
    if used.size == 0:
        return BoxClassifier.constant(1 if form.bias > 0.0 else -1, form.n_features)
    weight = form.weights[used[0]]
    return BoxClassifier.from_thresholds(
        form.n_features,
        features=[int(used[0])],
        thresholds=[-form.bias / weight],
        directions=[1 if weight > 0.0 else -1],
    )
