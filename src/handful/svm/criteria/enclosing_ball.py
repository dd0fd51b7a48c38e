"""The smallest ball around points in feature space, exactly."""

from __future__ import annotations

import numpy as np

from handful._types import Floats
from handful.svm._solver import _FLOOR, _RIDGE, _SMO_STEPS, _newton, _State


def enclosing_ball(K: Floats, *, tol: float = 1e-8, max_rounds: int = 200) -> tuple[float, Floats]:
    """Radius of the smallest ball that holds all points, and the weights of its centre.

    The centre is sum_i weights_i x_i with weights >= 0 that sum to one. The returned radius is
    the largest distance from that centre, so all points are inside; it is within a relative
    ``tol`` of the smallest possible one.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix.
    tol : float
        Largest relative gap of the squared radius.
    max_rounds : int

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 4.0])
    >>> radius, weights = enclosing_ball(np.outer(x, x))
    >>> round(radius, 6)
    2.0
    """
    from handful.svm import _loops

    m = K.shape[0]
    diagonal = np.ascontiguousarray(np.diagonal(K))
    scale = max(float(diagonal.mean()), np.finfo(float).tiny)
    doubled = np.ascontiguousarray(2.0 * K)
    start = np.full(m, 1.0 / m)
    state = _State(
        K=doubled,
        diagonal=2.0 * diagonal,
        y=diagonal,
        u=start,
        errors=doubled @ start - diagonal,
        low=np.zeros(m),
        high=np.full(m, 2.0),
        scale=2.0 * scale,
        has_bias=True,
    )
    violation = 1e-3 * scale
    for _ in range(max_rounds):
        if _ball_gap(state)[0] <= tol * scale:
            break
        _loops.smo_pairs(
            doubled, state.diagonal, state.low, state.high, state.u, state.errors,
            violation, _SMO_STEPS, _FLOOR * scale,
        )  # fmt: skip
        _newton(state, violation, _RIDGE * scale)
        violation = max(0.3 * violation, 1e-14 * scale)
    return float(np.sqrt(max(_ball_gap(state)[1], 0.0))), state.u


def _ball_gap(state: _State) -> tuple[float, float]:
    """Gap of the squared radius, and the squared radius that holds all points."""
    image = state.errors + state.y
    norm2 = 0.5 * float(state.u @ image)
    inner = float(state.u @ state.y) - norm2
    outer = float(np.max(state.y - image)) + norm2
    return outer - inner, outer
