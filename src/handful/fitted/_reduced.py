"""What must go out with a machine and what need not: columns it does not read, training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from handful.fitted._additive import Additive
from handful.fitted._card import Card
from handful.fitted._columns import Columns
from handful.fitted._conditions import Ball, Condition, Cut, Plane
from handful.fitted._kernel import KernelExpansion
from handful.fitted._linear import LinearScore
from handful.fitted._machine import Machine
from handful.fitted._simple import Constant, OrderedRules, Vote
from handful.fitted._thresholded import Thresholded

Places = Mapping[int, int]  # of encoded features: where they were, and where they are


def n_training_rows(machine: Machine) -> int:
    """How many training rows a machine is made of, cell by cell.

    Examples
    --------
    >>> n_training_rows(KernelExpansion(((1.0,), (2.0,)), ((1.0,), (-1.0,)), (0.0,), 1.0, (1.0,),
    ...                                 (0.0,)))
    2
    """
    if isinstance(machine, KernelExpansion):
        return len(machine.centers)
    if isinstance(machine, OrderedRules):
        conditions = [c for rule in machine.rules for c in rule.conditions]
        return len({c.center for c in conditions if isinstance(c, Ball)})
    if isinstance(machine, Vote):
        return sum(n_training_rows(member) for member in machine.members)
    if isinstance(machine, Thresholded):
        return n_training_rows(machine.base)
    return 0


def reduced(columns: Columns, machine: Machine) -> tuple[Columns, Machine]:
    """The same classifier over the columns and words that it reads, and no others."""
    used = set(machine.features)
    places: dict[int, int] = {}
    kept, at = [], 0
    for i, column in enumerate(columns.columns):
        own = [j for j, source in enumerate(columns.sources) if source == i]
        if not used.intersection(own):
            continue
        n_words = len(own) - column.has_missing
        stays = [j for k, j in enumerate(own) if j in used or (column.words is None and k == 0)]
        words = column.words
        if words is not None:
            words = tuple(w for w, j in zip(words, own[:n_words], strict=True) if j in used)
        has_missing = column.has_missing and own[-1] in used
        kept.append(replace(column, words=words, has_missing=has_missing))
        places |= {j: at + k for k, j in enumerate(stays)}
        at += len(stays)
    return Columns(tuple(kept)), _moved(machine, places)


def _moved(machine: Machine, places: Places) -> Machine:
    if isinstance(machine, Constant):
        return machine
    if isinstance(machine, OrderedRules):
        rules = [
            replace(r, conditions=tuple(_moved_condition(c, places) for c in r.conditions))
            for r in machine.rules
        ]
        return replace(machine, rules=tuple(rules))
    if isinstance(machine, Card):
        items = [
            replace(i, condition=replace(i.condition, feature=places[i.condition.feature]))
            for i in machine.items
        ]
        return replace(machine, items=tuple(items))
    if isinstance(machine, LinearScore):
        weights = tuple(_some(row, places) for row in machine.weights)
        spread = _some(machine.spread, places) if machine.spread else ()
        return replace(machine, weights=weights, fill=_some(machine.fill, places), spread=spread)
    if isinstance(machine, Additive):
        curves = [replace(c, feature=places[c.feature]) for c in machine.curves]
        return replace(machine, curves=tuple(curves))
    if isinstance(machine, Thresholded):
        return replace(machine, base=_moved(machine.base, places))
    if isinstance(machine, Vote):
        members = tuple(_moved(member, places) for member in machine.members)
        return replace(machine, members=members)
    if isinstance(machine, KernelExpansion):
        return replace(
            machine,
            centers=tuple(_some(row, places) for row in machine.centers),
            scale=_some(machine.scale, places),
            fill=_some(machine.fill, places),
        )
    raise TypeError(f"{type(machine).__name__} is not made of plain data: nothing can be left out.")


def _moved_condition(condition: Condition, places: Places) -> Condition:
    if isinstance(condition, Cut):
        return replace(condition, feature=places[condition.feature])
    if isinstance(condition, Plane):
        weights, fill = _some(condition.weights, places), _some(condition.fill, places)
        return replace(condition, weights=weights, fill=fill)
    if isinstance(condition, Ball):
        return replace(
            condition,
            center=_some(condition.center, places),
            scale=_some(condition.scale, places),
            fill=_some(condition.fill, places),
        )
    raise TypeError(f"{type(condition).__name__} is not a condition of plain data.")


def _some(values: Sequence[float], places: Places) -> tuple[float, ...]:
    """The values of the features that stay, in their new order."""
    return tuple(values[j] for j in sorted(places, key=places.__getitem__))
