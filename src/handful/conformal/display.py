"""The filtering curve: the error among accepted cases, for every threshold of doubt."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.arrays import Floats
from handful.bounds import NotCertifiableError
from handful.display import Display, legend_above


class FilteringDisplay(Display):
    """Error among the cases with doubt at most a threshold, for every threshold.

    The last point is the overall error. The curve need not be monotone.

    Parameters
    ----------
    thresholds : ndarray
        Distinct values of doubt among the cases, ascending.
    errors : ndarray
        Share of errors among the accepted cases: those with doubt at most the threshold.
    accepted : ndarray
        Share of accepted cases.
    certified : ndarray, optional
        Upper bounds on the error probability among accepted cases, valid for all thresholds at
        once with probability 1 - delta over the calibration examples.
    name : str
        Name of the doubt on the axis.

    Examples
    --------
    >>> import numpy as np
    >>> doubt = np.array([0.0, 0.0, 0.2, 0.4])
    >>> is_error = np.array([False, False, True, False])
    >>> FilteringDisplay.from_predictions(doubt, is_error).errors
    array([0.        , 0.33333333, 0.25      ])
    """

    def __init__(
        self,
        thresholds: Floats,
        errors: Floats,
        accepted: Floats,
        certified: Floats | None = None,
        name: str = "doubt",
    ):
        self.thresholds = thresholds
        self.errors = errors
        self.accepted = accepted
        self.certified = certified
        self.name = name

    @classmethod
    def from_predictions(
        cls, doubt: Any, is_error: Any, *, name: str = "doubt"
    ) -> FilteringDisplay:
        """The curve from the doubt and the error of each case."""
        doubt = np.asarray(doubt, dtype=np.float64)
        is_error = np.asarray(is_error, dtype=bool)
        if doubt.ndim != 1 or doubt.shape != is_error.shape or not doubt.size:
            raise ValueError(
                f"`doubt` and `is_error` must be vectors of equal length above 0, got shapes "
                f"{doubt.shape} and {is_error.shape}."
            )
        order = np.argsort(doubt, kind="stable")
        thresholds, first = np.unique(doubt[order], return_index=True)
        # Cases of equal doubt are accepted together: one point of the curve for each threshold.
        n_accepted = np.append(first[1:], doubt.size)
        errors = np.cumsum(is_error[order])[n_accepted - 1] / n_accepted
        return cls(thresholds, errors, n_accepted / doubt.size, name=name)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, delta: float = 0.05
    ) -> FilteringDisplay:
        """The curve of a fitted `NonconformityClassifier`, with certificates if it has them."""
        doubt = estimator.doubt(X)
        is_error = estimator.predict(X) != np.asarray(y)
        display = cls.from_predictions(doubt, is_error)
        try:
            certificates = [
                estimator.selective_certificate(threshold, delta)
                for threshold in display.thresholds
            ]
        except NotCertifiableError:
            return display
        display.certified = np.array([certificate.risk for certificate in certificates])
        return display

    def _columns(self) -> dict[str, Any]:
        columns = {"threshold": self.thresholds, "error": self.errors, "accepted": self.accepted}
        return columns if self.certified is None else {**columns, "certified": self.certified}

    def plot(self, ax: Any = None) -> FilteringDisplay:
        ax = self._axes(ax)
        ax.step(self.thresholds, self.errors, where="post", marker="o", label="error")
        if self.certified is not None:
            ax.step(
                self.thresholds, self.certified, where="post", linestyle="--", label="certified"
            )
        ax.set_xlabel(f"accept cases with {self.name} at most")
        ax.set_ylabel("error among accepted cases")
        ax.set_ylim(bottom=0.0)
        legend_above(ax)
        return self
