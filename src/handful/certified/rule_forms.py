"""Forms made of conditions: one rule, rule sets and lists, covers by half-spaces and balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from handful.arrays import Floats, Ints, Mask
from handful.certified.training_pool import (
    Pool,
    Proposal,
    majority,
    need_folds,
    need_two_classes,
    select,
)
from handful.models import (
    Condition,
    Constant,
    Distance,
    OrderedRules,
    Rule,
    WeightedSum,
    as_floats,
)

# What a wrongly covered example counts against a rightly covered one.
PENALTIES = (0.7, 1.0, 1.5, 2.5, 5.0)
MAX_LIST, MAX_SET = 6, 4  # longer rules are hard to read
# Every candidate is tried on every fold: enough to choose from, few enough to be quick.
N_DIRECTIONS, N_CENTERS, N_CUTS = 160, 80, 12


def constant(pool: Pool) -> list[Proposal]:
    """The heaviest class."""
    label = majority(pool.y, pool.weight, pool.n_classes)
    guesses = np.full(len(pool), label, dtype=np.int64)
    return [Proposal("constant", Constant(label, pool.n_classes), guesses)]


@dataclass(frozen=True, eq=False)
class ConditionTable:
    """Conditions, and whether rows meet them: (n_conditions, n_rows) of 0 and 1.

    ``is_allowed`` says which labels a condition may give (n_conditions, 2); None allows all.
    """

    conditions: Sequence[Condition]
    is_met: NDArray[np.float32]
    is_allowed: Mask | None = None
    _taken: dict[bytes, NDArray[np.float32]] = field(default_factory=dict)

    def take(self, rows: Ints) -> NDArray[np.float32]:
        """Columns of some rows; the last ones are kept, because settings share them."""
        key = rows.tobytes()
        if key not in self._taken:
            self._taken.clear()
            self._taken[key] = np.take(self.is_met, rows, axis=1)
        return self._taken[key]


def cut_table(pool: Pool) -> ConditionTable:
    """Both sides of every cut."""
    if not len(pool.items):
        raise ValueError("no feature has two values in the pool.")
    above = pool.items.conditions
    known = (~np.isnan(pool.X.T)).astype(np.uint8)
    met = np.empty((2 * len(above), len(pool)), dtype=np.float32)
    met[: len(above)] = pool.items.is_met
    met[len(above) :] = known[pool.items.features] - pool.items.is_met
    is_allowed = None
    if pool.directions is not None:
        # "If it is high: ill" only rises, and so does "if it is low: well", in any list of these.
        sign = np.concatenate([pool.directions[pool.items.features]] * 2)
        sign[len(above) :] *= -1
        is_allowed = np.column_stack([sign <= 0, sign >= 0])
    sides = _BothSides(
        np.zeros((len(above), 1)), lambda i, _, up: above[i] if up else above[i].opposite
    )
    return ConditionTable(sides, met, is_allowed)


def plane_table(pool: Pool) -> ConditionTable:
    """Both sides of half-spaces whose direction joins two rows of different classes."""
    ones, zeros = np.flatnonzero(pool.y == 1), np.flatnonzero(pool.y == 0)
    k = np.arange(min(N_DIRECTIONS, len(ones) * len(zeros)))
    a = ones[k % len(ones)]
    b = zeros[(k + k // len(ones)) % len(zeros)]
    weights = (pool.scaled[a] - pool.scaled[b]) / pool.scale
    values = weights @ pool.filled.T
    fill = as_floats(pool.fill)

    def condition(i: int, cut: float, is_above: bool) -> Condition:
        return Condition(WeightedSum(as_floats(weights[i]), fill), ">=" if is_above else "<", cut)

    return _both_sides(values, condition)


def ball_table(pool: Pool) -> ConditionTable:
    """Insides and outsides of balls around rows of the pool."""
    centers = np.arange(min(N_CENTERS, len(pool)))
    values = cdist(pool.scaled[centers], pool.scaled)
    fill, scale = as_floats(pool.fill), as_floats(pool.scale)

    def condition(i: int, cut: float, is_above: bool) -> Condition:
        distance = Distance(as_floats(pool.filled[centers[i]]), scale=scale, fill=fill)
        return Condition(distance, ">=" if is_above else "<", cut)

    return _both_sides(values, condition)


Make = Callable[[int, float, bool], Condition]  # of a direction, a cut, and whether above it


def _both_sides(values: Floats, condition: Make) -> ConditionTable:
    """Both sides of cuts at quantiles of each direction."""
    n = values.shape[1]
    ordered = np.sort(values, axis=1)
    places = np.unique((np.arange(1, N_CUTS + 1) * n / (N_CUTS + 1)).astype(int))
    places = places[(places > 0) & (places < n)]
    cuts = 0.5 * (ordered[:, places - 1] + ordered[:, places])
    met = values[:, None, :] >= cuts[:, :, None]
    met = met.reshape(-1, n)
    return ConditionTable(_BothSides(cuts, condition), np.vstack([met, ~met]).astype(np.float32))


@dataclass(frozen=True, eq=False)
class _BothSides(Sequence[Condition]):
    """Conditions made when they are asked for: thousands are compared, a handful is kept."""

    cuts: Floats
    make: Make

    def __len__(self) -> int:
        return 2 * self.cuts.size

    def __getitem__(self, index: Any) -> Any:
        if index >= len(self):
            raise IndexError(index)
        i, k = divmod(index % self.cuts.size, self.cuts.shape[1])
        return self.make(i, float(self.cuts[i, k]), index < self.cuts.size)


def one_rule(pool: Pool) -> list[Proposal]:
    """A single condition, and a label for either answer."""
    need_folds(pool)
    table = cut_table(pool)
    guesses = np.zeros(len(pool), dtype=np.int64)
    for train, test in pool.folds:
        guesses[test] = _list_labels(_list_path(pool, table, train, 1.0, 1), table, test, 1)
    return [_list_proposal("one rule", pool, table, 1.0, 1, guesses)]


Step = tuple[int, int]  # condition, label
Steps = tuple[tuple[Step, ...], tuple[int, ...]]  # and the default of each prefix


def _list_path(pool: Pool, table: ConditionTable, rows: Ints, penalty: float, size: int) -> Steps:
    """A decision list: each step takes the condition with most right minus penalised wrong.

    The list of a smaller size is a prefix; its default is the heaviest class that it leaves.
    """
    weight = pool.weight[rows]
    M = table.take(rows)
    Y = (np.eye(pool.n_classes)[pool.y[rows]] * weight[:, None]).astype(np.float32)
    live = np.ones(len(rows), dtype=bool)
    steps: list[Step] = []
    defaults = [int(np.argmax(Y.sum(axis=0)))]
    for _ in range(size):
        counts = M @ (Y * live[:, None])
        rest = (Y * live[:, None]).sum(axis=0) - counts
        # class by class: numpy reduces along a short axis a hundred times slower
        total = reduce(np.add, counts.T)
        gain = (1.0 + penalty) * counts - penalty * total[:, None]
        gain += reduce(np.maximum, rest.T)[:, None]  # what the default gets right of the others
        gain[total <= 0] = -np.inf
        if table.is_allowed is not None:
            gain[~table.is_allowed] = -np.inf
        j, label = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if not np.isfinite(gain[j, label]):
            break
        steps.append((int(j), int(label)))
        live &= M[j] == 0
        defaults.append(int(np.argmax(rest[j])) if live.any() else int(label))
        if not live.any() or np.count_nonzero(rest[j]) < 2:
            break
    return tuple(steps), tuple(defaults)


def _list_labels(found: Steps, table: ConditionTable, rows: Ints, size: int) -> Ints:
    steps, defaults = found
    size = min(size, len(steps))
    out = np.full(len(rows), defaults[size], dtype=np.int64)
    for j, label in reversed(steps[:size]):
        out[table.is_met[j, rows] > 0] = label
    return out


def _list_proposal(
    form: str, pool: Pool, table: ConditionTable, penalty: float, size: int, guesses: Ints
) -> Proposal:
    steps, defaults = _list_path(pool, table, np.arange(len(pool)), penalty, size)
    default = defaults[-1]
    rules = [Rule((table.conditions[j],), label) for j, label in steps]
    while rules and rules[-1].label == default:  # says what the default says
        rules.pop()
    return Proposal(form, OrderedRules(tuple(rules), default, pool.n_classes), guesses)


def rule_list(pool: Pool) -> list[Proposal]:
    """An ordered list of conditions; penalty and length by cross-validation."""
    need_folds(pool)
    table = cut_table(pool)
    settings = [(p, s) for s in range(2, MAX_LIST + 1) for p in PENALTIES]
    guesses = np.zeros((len(settings), len(pool)), dtype=np.int64)
    for train, test in pool.folds:
        for penalty in PENALTIES:
            found = _list_path(pool, table, train, penalty, MAX_LIST)
            for size in range(2, MAX_LIST + 1):
                row = settings.index((penalty, size))
                guesses[row, test] = _list_labels(found, table, test, size)
    chosen = select(guesses, pool)
    made = _list_proposal("rule list", pool, table, *settings[chosen.best], chosen.guesses)
    return [replace(made, setting=(chosen.best,))]


def rule_set(pool: Pool) -> list[Proposal]:
    """Conditions on single features, joined by *and* or by *or*."""
    need_two_classes(pool)
    need_folds(pool)
    return [_cover("rule set", pool, cut_table(pool))]


def half_spaces(pool: Pool) -> list[Proposal]:
    """A set covering machine of half-spaces between two rows."""
    need_two_classes(pool)
    need_folds(pool)
    return [_cover("half-spaces", pool, plane_table(pool))]


def balls(pool: Pool) -> list[Proposal]:
    """A set covering machine of balls around rows."""
    need_two_classes(pool)
    need_folds(pool)
    return [_cover("balls", pool, ball_table(pool))]


def _cover(form: str, pool: Pool, table: ConditionTable) -> Proposal:
    """Conjunction or disjunction, penalty and size by cross-validation."""
    settings = [(p, label) for label in (1, 0) for p in PENALTIES]
    guesses = np.zeros((MAX_SET, len(settings), len(pool)), dtype=np.int64)
    for train, test in pool.folds:
        paths = _cover_paths(pool, table, train, settings)
        for i, ((_, label), chosen) in enumerate(zip(settings, paths, strict=True)):
            is_hit = np.zeros(len(test), dtype=bool)
            for size in range(MAX_SET):
                if size < len(chosen):
                    is_hit = is_hit | (table.is_met[chosen[size], test] > 0)
                guesses[size, i, test] = np.where(is_hit, label, 1 - label)
    found = select(guesses.reshape(-1, len(pool)), pool)
    size, place = divmod(found.best, len(settings))
    size, (penalty, label) = size + 1, settings[place]
    chosen = _cover_paths(pool, table, np.arange(len(pool)), [(penalty, label)])[0][:size]
    rules = tuple(Rule((table.conditions[j],), label) for j in chosen)
    machine = OrderedRules(rules, 1 - label, 2)
    return Proposal(form, machine, found.guesses, setting=(found.best,))


def _cover_paths(
    pool: Pool, table: ConditionTable, rows: Ints, settings: Sequence[tuple[float, int]]
) -> list[list[int]]:
    """Conditions any of which gives a label; each covers most of it, the others at a price.

    All settings (price, label) take a step together: what conditions cover of either class is
    then one product of matrices, and without weights a count without rounding.
    """
    M = table.take(rows)
    penalty = np.array([p for p, _ in settings])
    label = np.array([label for _, label in settings])
    is_own = pool.y[rows] == label[:, None]
    own = (is_own * pool.weight[rows]).astype(np.float32)
    others = (~is_own * pool.weight[rows]).astype(np.float32)
    chosen: list[list[int]] = [[] for _ in settings]
    active = np.arange(len(settings))
    for _ in range(MAX_SET):
        covered = M @ np.vstack([own[active], others[active]]).T
        gain = covered[:, : len(active)] - penalty[active] * covered[:, len(active) :]
        if table.is_allowed is not None:
            gain[~table.is_allowed[:, label[active]]] = -np.inf
        best = np.argmax(gain, axis=0)
        is_better = gain[best, np.arange(len(active))] > 0.0
        active, best = active[is_better], best[is_better]
        if not len(active):
            break
        for i, j in zip(active.tolist(), best.tolist(), strict=True):
            chosen[i].append(j)
        own[active] *= M[best] == 0
        others[active] *= M[best] == 0
    return chosen
