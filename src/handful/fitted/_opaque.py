"""Estimators of other libraries: they predict, and that is all that is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._machine import Spoken


@dataclass(frozen=True, eq=False)
class Opaque:
    """A fitted scikit-learn classifier; ``takes`` says which rows it reads.

    Parameters
    ----------
    estimator : fitted classifier whose labels are class positions
    takes : {"table", "encoded", "filled"}
        Rows as the user gives them, encoded ones, or encoded ones without missing values.
    n_classes : int
    fill : tuple of float
        What takes the place of missing values where ``takes`` is "filled".
    """

    form: ClassVar[str] = "foreign"
    estimator: Any
    takes: str
    n_classes: int
    fill: tuple[float, ...] = ()

    def _rows(self, X: Any) -> Any:
        if self.takes != "filled":
            return X
        return np.where(np.isnan(X), np.array(self.fill), X)

    def labels(self, X: Any) -> Ints:
        """What the estimator predicts."""
        return np.asarray(self.estimator.predict(self._rows(X)), dtype=np.int64)

    def scores(self, X: Any) -> Floats:
        """Decision values or probabilities where it has them, labels otherwise."""
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

    def sentences(self, words: Spoken) -> list[str]:
        """Its name: nothing else can be read."""
        return [f"{' '.join(repr(self.estimator).split())} (not readable)."]

    @property
    def size(self) -> int:
        """Unknown, hence larger than that of anything readable."""
        return 10**6

    @property
    def features(self) -> tuple[int, ...]:
        """Unknown."""
        return ()
