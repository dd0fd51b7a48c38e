"""Compiled inner loops of the solver. Ties go to the lowest index; inputs are finite.

The variables are u = alpha * y with bounds ``low <= u <= high``, and errors = K u - y. The flags
"nnan" and "nsz" let the minima and maxima vectorise; infinities keep their meaning.
"""

from __future__ import annotations

import numpy as np

from handful.compiled import njit

# No reassociation: sums keep their order, so results do not depend on the vector width.
_MINIMA = {"nnan", "nsz"}


@njit(cache=True, nogil=True, fastmath=_MINIMA)
def smallest_movable(errors, u, high):
    """Smallest error among the variables below their upper bound."""
    best = np.inf
    for t in range(errors.shape[0]):
        best = min(best, errors[t] if u[t] < high[t] else np.inf)
    return best


@njit(cache=True, nogil=True, fastmath=_MINIMA)
def pair_gains(errors, u, low, row, diagonal, error_i, diagonal_i, floor, gains):
    """Second-order gain of decreasing each variable while i grows, and the largest violation."""
    best = 0.0
    violation = 0.0
    for t in range(errors.shape[0]):
        difference = errors[t] - error_i
        # Equal rows have no curvature. The floor makes their step long; the bounds cut it.
        curvature = max(diagonal_i + diagonal[t] - 2.0 * row[t], floor)
        is_candidate = (u[t] > low[t]) and (difference > 0.0)
        gain = difference * difference / curvature if is_candidate else 0.0
        gains[t] = gain
        best = max(best, gain)
        violation = max(violation, difference if is_candidate else 0.0)
    return best, violation


@njit(cache=True, nogil=True, fastmath=_MINIMA)
def shift_errors(errors, row_i, row_j, step, u, high):
    """Add step * (row_i - row_j) to the errors; return the new smallest movable error."""
    best = np.inf
    for t in range(errors.shape[0]):
        error = errors[t] + step * (row_i[t] - row_j[t])
        errors[t] = error
        best = min(best, error if u[t] < high[t] else np.inf)
    return best


@njit(cache=True, nogil=True)
def smo_pairs(K, diagonal, low, high, u, errors, tol, max_steps, floor):
    """Sequential minimal optimisation with a bias: two variables in each step, chosen by gain.

    Returns the number of steps and the last violation (infinite if the steps ran out).
    """
    gains = np.empty(errors.shape[0])
    error_i = smallest_movable(errors, u, high)
    if error_i == np.inf:
        return 0, 0.0
    for step_number in range(max_steps):
        i = 0
        # The index is found by value: a minimum that keeps the index does not vectorise.
        while not (errors[i] == error_i and u[i] < high[i]):
            i += 1
        best, violation = pair_gains(
            errors, u, low, K[i], diagonal, error_i, diagonal[i], floor, gains
        )
        if violation <= tol:
            return step_number, violation
        j = 0
        while gains[j] != best:
            j += 1
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], floor)
        step = (errors[j] - error_i) / curvature
        room_i = high[i] - u[i]
        room_j = u[j] - low[j]
        step = min(step, room_i, room_j)
        # Set u to the bound itself: u + (high - u) may differ from high in floating point, and
        # the variable would stay movable by a rounding error.
        u[i] = high[i] if step == room_i else u[i] + step
        u[j] = low[j] if step == room_j else u[j] - step
        error_i = shift_errors(errors, K[i], K[j], step, u, high)
        if error_i == np.inf:
            return step_number + 1, 0.0
    return max_steps, np.inf


@njit(cache=True, nogil=True, fastmath=_MINIMA)
def single_gains(errors, u, low, high, diagonal, floor, gains):
    """Gain of moving each variable alone to its best value, and the largest violation."""
    best = 0.0
    violation = 0.0
    for t in range(errors.shape[0]):
        error = errors[t]
        # A negative error pulls u up, a positive one down.
        can_move = (u[t] < high[t]) if error < 0.0 else (u[t] > low[t])
        gain = error * error / max(diagonal[t], floor) if can_move else 0.0
        gains[t] = gain
        best = max(best, gain)
        violation = max(violation, abs(error) if can_move else 0.0)
    return best, violation


@njit(cache=True, nogil=True)
def smo_singles(K, diagonal, low, high, u, errors, tol, max_steps, floor):
    """Sequential minimal optimisation without a bias: each step moves the variable of most gain."""
    gains = np.empty(errors.shape[0])
    for step_number in range(max_steps):
        best, violation = single_gains(errors, u, low, high, diagonal, floor, gains)
        if violation <= tol:
            return step_number, violation
        i = 0
        while gains[i] != best:
            i += 1
        target = u[i] - errors[i] / max(diagonal[i], floor)
        target = min(max(target, low[i]), high[i])
        step = target - u[i]
        u[i] = target
        row = K[i]
        for t in range(errors.shape[0]):
            errors[t] += step * row[t]
    return max_steps, np.inf


@njit(cache=True, nogil=True)
def gather_lower(K, members, ridge):
    """Lower triangle of K on the members, with a ridge on the diagonal."""
    n = members.shape[0]
    block = np.empty((n, n))
    for a in range(n):
        # LAPACK reads the lower triangle only, and rows of K are contiguous.
        row = K[members[a]]
        for b in range(a + 1):
            block[a, b] = row[members[b]]
        block[a, a] += ridge
    return block


@njit(cache=True, nogil=True)
def move(K, members, direction, step, u, low, high, errors):
    """Move the members of u along the direction, clipped to the bounds, and update the errors."""
    for a in range(members.shape[0]):
        i = members[a]
        # Rounding of the step may leave the box; errors use the clipped change of u.
        target = min(max(u[i] + step * direction[a], low[i]), high[i])
        change = target - u[i]
        u[i] = target
        row = K[i]
        for t in range(errors.shape[0]):
            errors[t] += change * row[t]


@njit(cache=True, nogil=True)
def room_along(u, low, high, members, direction):
    """Largest step of each member along the direction until it meets a bound."""
    room = np.empty(members.shape[0])
    for a in range(members.shape[0]):
        i = members[a]
        if direction[a] > 0.0:
            room[a] = (high[i] - u[i]) / direction[a]
        elif direction[a] < 0.0:
            room[a] = (low[i] - u[i]) / direction[a]
        else:
            room[a] = np.inf
    return room
