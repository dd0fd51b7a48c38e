"""What machines without rules share with those that have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats


class Plain:
    """A machine that is a score: positive for its class."""

    rules: tuple[()] = ()

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """Values of the rows, and how far they may be off by rounding."""
        raise TypeError("a machine must give scores")

    def decision_function(self, X: Floats) -> Floats:
        """Values of the rows; positive for the machine's class."""
        return self.scores(X)[0]

    def predict(self, X: Floats) -> NDArray[np.int64]:
        """Labels in {-1, +1}."""
        values, tolerances = self.scores(X)
        return np.where(values > tolerances, 1, -1)

    def first_rule(self, X: Floats) -> NDArray[np.int64]:
        """No rule fires."""
        return np.full(X.shape[0], -1, dtype=np.int64)
