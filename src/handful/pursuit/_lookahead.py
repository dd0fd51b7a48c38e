"""One driver for greedy choices whose scores need a product with the kernel matrix each round.

A round needs A' w for the deflated column w of the example it chooses. One pass over the kernel
matrix costs nearly the same for one w as for a dozen, so the driver guesses the next choices on a
cheap approximation of the matrix, computes the exact products of all of them in one pass, and then
replays the rounds exactly. A wrong guess costs another pass and changes no result. Where the
matrix is stored, a product is cheaper than a guess and rounds are taken one by one.
"""

from __future__ import annotations

import copy
from typing import Protocol, TypeVar

import numpy as np

from handful._types import Floats
from handful.pursuit._columns import Indices, KernelColumns

FIRST_BATCH = 8  # before it is known how good guesses are
LARGEST_BATCH = 32  # columns multiplied in one pass over the matrix
TIE = 1e-12  # gains equal up to rounding: the first candidate wins, whatever the blocks
State = TypeVar("State")


class Pursuit(Protocol):
    """What the driver needs of a greedy method; ``position`` counts among the candidates."""

    @property
    def is_finished(self) -> bool:
        """Whether enough was chosen."""

    def choose(self) -> int:
        """Position of the best candidate, ties to the lowest; -1 where none is left."""

    def deflate(self, W: Floats, positions: int | Indices) -> Floats:
        """Raw columns W (or one column) of the candidates with earlier choices taken out."""

    def absorb(self, position: int, w: Floats, product: Floats) -> tuple[Floats, Floats] | None:
        """Take the candidate with deflated column w and product A' w; None if it is refused.

        Returns the direction u taken out of the others and its product A' u.
        """

    def share(self, u: Floats, W: Floats, positions: Indices) -> Floats:
        """How much of u each deflated column of W holds: W - u share' is deflated by u too."""

    def fork(self) -> Pursuit:
        """A copy to guess with."""


def fork_state(state: State) -> State:
    """A copy that shares nothing that the original will change."""
    twin = copy.copy(state)
    for name, value in vars(state).items():
        if isinstance(value, np.ndarray | list):
            setattr(twin, name, value.copy())
    return twin


def first_best(values: Floats) -> int:
    """Index of the largest value; of values equal up to rounding, the first.

    Examples
    --------
    >>> import numpy as np
    >>> first_best(np.array([1.0, 3.0, 3.0 + 1e-15]))
    1
    """
    i = int(values.argmax())
    best = float(values[i])
    return int((values[: i + 1] >= best - TIE * abs(best)).argmax())


def pursue(pursuit: Pursuit, columns: KernelColumns) -> int:
    """Run a pursuit to its end; returns the number of passes over the kernel matrix."""
    if columns.is_stored:
        return _walk(pursuit, columns)
    factor, n_passes, batch_size = columns.landmark_factor(), 0, FIRST_BATCH
    while not pursuit.is_finished:
        batch = _guess(pursuit, columns, factor, batch_size)
        if not len(batch):
            break
        n_done = _replay(pursuit, columns, batch)
        n_passes += 1
        batch_size = min(max(2 * n_done, 2), LARGEST_BATCH)
    return n_passes


def _walk(pursuit: Pursuit, columns: KernelColumns) -> int:
    """One product a round."""
    n_passes = 0
    while not pursuit.is_finished:
        position = pursuit.choose()
        if position < 0:
            break
        w = pursuit.deflate(columns.column(position), position)
        pursuit.absorb(position, w, columns.product(w))
        n_passes += 1
    return n_passes


def _guess(pursuit: Pursuit, columns: KernelColumns, factor: Floats, batch_size: int) -> Indices:
    """Positions the next rounds will probably choose; the first is certain."""
    guess = pursuit.fork()
    guesses: list[int] = []
    at_candidates = factor[columns.candidates]
    while len(guesses) < batch_size and not guess.is_finished:
        position = guess.choose()
        if position < 0:
            break
        guesses.append(position)
        raw = factor @ at_candidates[position]
        w = guess.deflate(raw, position)
        guess.absorb(position, w, at_candidates @ (factor.T @ w))
    return np.array(guesses, dtype=np.intp)


def _replay(pursuit: Pursuit, columns: KernelColumns, batch: Indices) -> int:
    """Absorb exact choices as long as they are in the batch; returns how many."""
    W = pursuit.deflate(columns.columns(batch), batch)
    products = columns.products(W)
    where = {int(position): i for i, position in enumerate(batch)}
    n_done = 0
    while not pursuit.is_finished:
        i = where.get(pursuit.choose())
        if i is None:
            break
        taken = pursuit.absorb(int(batch[i]), W[:, i], products[:, i])
        if taken is not None:
            n_done += 1
            u, product = taken
            share = pursuit.share(u, W, batch)
            W -= u[:, None] * share
            products -= product[:, None] * share
    return n_done
