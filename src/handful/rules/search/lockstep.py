"""The lock-step engine: many machines (penalties, folds) advance together over all half-spaces.

Each pair of examples is sorted once. The order is kept for the next rounds as far as
``MEMORY_BUDGET`` allows and computed again beyond it. A machine that does not see a row (another
fold, or covered already) gives it no worth, so one order serves all machines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Ints
from handful.rules.search.histogram import MANY, Map, Problem, State, scaled_worth

if TYPE_CHECKING:
    from handful.rules.search.exact_loops import Case
    from handful.rules.search.lockstep_loops import Machines, Orders, Pairs

MAX_ROWS = 2**16 - 1  # orders are stored in two bytes
MEMORY_BUDGET = 512 * 2**20  # bytes that stored orders may take
_BLOCK_BYTES = 8 * 2**20  # codes of one block of pairs: what a core's cache holds
_LARGEST_DENOMINATOR = 100  # penalties like 0.7 become whole numbers: comparisons without rounding


class LockStep:
    """All pairs of a problem and the orders that fit into the memory budget."""

    def __init__(self, problem: Problem) -> None:
        from handful.rules.search.lockstep_loops import Pairs

        own, other = np.flatnonzero(problem.is_own), np.flatnonzero(~problem.is_own)
        self.problem = problem
        self.rows: Ints = np.concatenate([own, other])
        self.pairs: Pairs = Pairs(
            problem.K[np.ix_(own, self.rows)],
            problem.K[np.ix_(other, self.rows)],
            problem.tolerances(own, other),
        )
        row_bytes = 2 * len(other) * len(self.rows)
        n_blocks = max(1, -(-len(own) * row_bytes // _BLOCK_BYTES))
        # Each block takes every n-th example, so that good half-spaces are met early.
        self.blocks = [np.arange(i, len(own), n_blocks) for i in range(min(n_blocks, len(own)))]
        self.known: dict[int, Orders] = {}
        self.budget = MEMORY_BUDGET

    def round(self, states: list[State], run: Map, n_threads: int) -> None:
        """Find the best half-space of each state and advance it."""
        from handful.rules.search.lockstep_loops import sort_block, walk_block

        machines = self._machines(states)
        values = np.zeros(len(states))
        counts = np.zeros((len(states), 6), np.int64)
        counts[:, 0] = MANY if self.problem.stop_on_nonpositive else 0
        counts[:, 2] = -1
        counts[:, 5] = -1

        def work(block: int) -> tuple[int, Orders, Any, Any]:
            orders = self.known.get(block)
            if orders is None:
                orders = sort_block(self.pairs, self.blocks[block])
            mine, my_counts = values.copy(), counts.copy()
            walk_block(self.pairs, orders, machines, mine, my_counts)
            return block, orders, mine, my_counts

        for start in range(0, len(self.blocks), n_threads):
            wave = range(start, min(start + n_threads, len(self.blocks)))
            for block, orders, found, found_counts in list(run(work, wave)):
                self._remember(block, orders)
                _merge(values, counts, found, found_counts)
        for state, count in zip(states, counts, strict=True):
            self._advance(state, count)

    def _remember(self, block: int, orders: Orders) -> None:
        if block not in self.known and orders.rows.nbytes <= self.budget:
            self.known[block] = orders
            self.budget -= orders.rows.nbytes

    def _machines(self, states: list[State]) -> Machines:
        from handful.rules.search.exact_loops import Case
        from handful.rules.search.lockstep_loops import MAX_LANES, Machines

        n_same, n_rows = self.pairs.own.shape
        n_chunks = -(-len(states) // MAX_LANES)
        n_lanes = -(-len(states) // (8 * n_chunks)) * 8
        worth = _aligned_zeros((n_chunks, n_rows + 1, n_lanes))
        scale, is_ordinal = np.zeros(len(states)), np.zeros(len(states), bool)
        n_kept = np.array([len(state.kept) for state in states])
        kept = np.zeros((len(states), max(n_kept)), np.int64)
        position = np.argsort(self.rows)
        weight = np.array([(state.weight * state.is_live)[self.rows] for state in states])
        for s, state in enumerate(states):
            kept[s, : n_kept[s]] = position[state.kept]
            case = Case(weight[s], n_same, kept[s, : n_kept[s]], state.penalty, False)
            lane = worth[s // n_lanes, :n_rows, s % n_lanes]
            lane[:], scale[s], is_ordinal[s] = lane_worth(case)
        folds = np.array([state.fold for state in states])
        return Machines(
            worth=worth,
            is_seen=(worth[:, :n_rows] != 0).any(axis=2).astype(np.uint8),
            scale=scale,
            is_ordinal=is_ordinal,
            most=weight[:, n_same:].sum(axis=1),
            weight=weight,
            is_there=np.array([state.weight[self.rows[n_same:]] > 0 for state in states]),
            kept=kept,
            n_kept=n_kept,
            penalty=np.array([state.penalty for state in states]),
            names=self.problem.names[np.ix_(folds, self.rows)],
            is_mirrored=self.problem.is_mirrored,
        )

    def _advance(self, state: State, count: Ints) -> None:
        n_other, n_same, _, own, other, c = (int(k) for k in count)
        if c < 0:
            state.is_done = True
            return
        o, t = int(self.rows[own]), int(self.rows[self.pairs.own.shape[0] + other])
        u = self.problem.K[o] - self.problem.K[t]
        equal = self.problem.is_own & state.is_live & (u == u[self.rows[c]])
        names = self.problem.names[state.fold]
        first = min(np.flatnonzero(equal), key=lambda x: names[x])
        state.advance(self.problem, n_other, n_same, o, t, int(first))


def lane_worth(case: Case) -> tuple[Any, float, bool]:
    """Scaled worth of each row, its scale, and whether it orders half-spaces completely.

    It does if the penalty is a simple fraction: then worths are multiples of a step, the step is
    scaled to exceed the largest cover, and each covered row of the other class adds one.
    """
    n, weight = case.n_same, case.weight
    same, other = int(weight[:n].sum()), int(weight[n:].sum())
    penalty = Fraction(other + 1 if case.penalty > other else case.penalty)
    simple = penalty.limit_denominator(_LARGEST_DENOMINATOR)
    scale = simple.denominator * (other + 1)
    loss, ban = int(simple * scale), (scale + 1) * (other + 1)
    is_close = abs(simple - penalty) <= penalty / 10**12
    if not is_close or ban + loss * same + ban * len(case.kept) >= 2**31:
        return *scaled_worth(case), False
    worth = weight * (scale + 1)
    worth[:n] = -weight[:n] * loss
    worth[case.kept] = -ban
    return worth, float(scale), True


def _aligned_zeros(shape: tuple[int, int, int]) -> NDArray[np.int32]:
    """Zeros that start at a cache line."""
    size = shape[0] * shape[1] * shape[2]
    room = np.zeros(size + 16, np.int32)
    start = -room.ctypes.data // 4 % 16
    return room[start : start + size].reshape(shape)


def _merge(values: Any, counts: Any, found: Any, found_counts: Any) -> None:
    """Take over what is better: larger worth, larger cover, earlier pair."""
    for s in range(len(values)):
        old = (values[s], counts[s, 0], -counts[s, 2])
        if (found[s], found_counts[s, 0], -found_counts[s, 2]) > old:
            values[s], counts[s] = found[s], found_counts[s]
