"""Margin distributions as data and as a plot."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.display import Display, legend_above


class MarginDisplay(Display):
    """Distribution of the margins of boosted machines.

    Parameters
    ----------
    margins : dict of str to ndarray
        Margins y f(x) over the sum of the weights, by the name of the machine.

    Examples
    --------
    >>> import numpy as np
    >>> display = MarginDisplay({"mine": np.array([0.5, -0.25])})
    >>> display.frame()["share"].tolist()
    [0.5, 1.0]
    """

    def __init__(self, margins: dict[str, Floats]) -> None:
        if not margins:
            raise ValueError("`margins` must hold at least one machine, got none.")
        self.margins = {name: np.sort(np.ravel(values)) for name, values in margins.items()}

    @classmethod
    def from_estimators(cls, **estimators: Any) -> MarginDisplay:
        """Margins on the training examples of fitted machines, named by the keywords.

        With several classes the margin of an example is the smallest over its machines.
        """
        for estimator in estimators.values():
            check_is_fitted(estimator, "margins_")
        return cls({name: _smallest(e.margins_) for name, e in estimators.items()})

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None) -> MarginDisplay:
        """Margins of one fitted machine, on the training examples or on ``X`` and ``y``."""
        name = type(estimator).__name__
        if X is None:
            return cls.from_estimators(**{name: estimator})
        check_is_fitted(estimator, "margins_")
        scores = np.asarray(estimator.decision_function(X))
        scores = scores[:, None] if scores.ndim == 1 else scores
        totals = np.array([vote.total or 1.0 for vote in estimator.machines_])
        positives = estimator.classes_[1:] if scores.shape[1] == 1 else estimator.classes_
        signs = np.where(np.asarray(y)[:, None] == positives[None, :], 1.0, -1.0)
        return cls({name: _smallest(signs * scores / totals)})

    def _columns(self) -> dict[str, Any]:
        """Machine, margin and share of the examples up to it."""
        sizes = [values.size for values in self.margins.values()]
        return {
            "machine": np.repeat(np.array([*self.margins], dtype=object), sizes),
            "margin": np.concatenate([*self.margins.values()]),
            "share": np.concatenate([np.arange(1, size + 1) / size for size in sizes]),
        }

    def plot(self, ax: Any = None, **line: Any) -> MarginDisplay:
        """Draw the cumulative distributions.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line
            Passed to ``ax.step``.
        """
        ax = self._axes(ax)
        for name, values in self.margins.items():
            share = np.arange(1, values.size + 1) / values.size
            ax.step(values, share, where="post", label=name, **line)
        ax.axvline(0.0, color="0.7", linewidth=0.8)
        ax.set(xlabel="margin", ylabel="share of examples up to it", ylim=(0.0, 1.02))
        legend_above(ax)
        return self


def _smallest(margins: Floats) -> Floats:
    return margins if margins.ndim == 1 else margins.min(axis=1)
