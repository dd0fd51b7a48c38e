"""Candidates of a menu of forms: their price by role, their row, the menu in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import Assumption, Certificate, Term
from handful.candidates import Menu, Offered, ThresholdCounts, ThresholdGrid
from handful.certified.masses import ALONE, Roles
from handful.certified.named_goals import Chain, Goal
from handful.certified.training_pool import Recipe
from handful.models import Fitted

CANDIDATES, POOL_SHARE, DELTA = "readable", 0.5, 0.05  # the defaults of a menu
UNITS = {  # what the size of a form counts
    "rule set": "conditions",
    "rule list": "conditions",
    "score card": "items",
    "short score card": "items",
    "other score card": "items",
    "sparse linear": "weights",
    "linear": "weights",
    "additive": "steps",
    "half-spaces": "half-spaces",
    "balls": "balls",
    "prototypes": "prototypes",
    "support vectors": "support vectors",
}


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of the counted rows, or labels if there are none (`Tally.scores`).

    Of groups one blindly drawn row of each. The second of two classes is said above ``cut``.
    """

    scores: Floats
    cut: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class FormCandidate(Offered):
    """A form that was learned from the pool.

    Attributes
    ----------
    name : str
        Its name in the menu; unique.
    held_back : ndarray of int
        Rows that are not counted: the pool, of which every form is made.
    rank : int
        Position in the pool's order, 1 for the favourite.
    roles : Roles
        Who holds which share of delta. Forms that could not be counted afterwards are among these.
    pool_error : float
        Cross-validated error on the pool: an estimate, by which it was ranked.
    simplicity : int
        Position of its form in the fixed order of forms, 0 for the simplest.
    thresholds, pool_thresholds : ThresholdCounts or None
        Counts at other thresholds, widths of doubt and bins on the counted rows, and on those of
        the pool; None if the form has no score for two classes.
    singles : ThresholdCounts or None
        Of groups, the same on one blindly drawn row of each, if the table is in memory.
    scored : Scored or None
        The scores of the counted rows, in blind order, if the table is in memory.
    chain : Chain or None
        The thresholds that were tested for a goal, if it was named before looking.
    recipe : Recipe
        What learns it again from other rows, with the same settings.
    """

    rank: int = 1
    roles: Roles = ALONE
    pool_error: float = 0.0
    simplicity: int = 0
    thresholds: ThresholdCounts | None = None
    pool_thresholds: ThresholdCounts | None = None
    singles: ThresholdCounts | None = None
    scored: Scored | None = None
    chain: Chain | None = None
    recipe: Recipe = ()

    @property
    def tie_break(self) -> tuple[int, ...]:
        return self.simplicity, self.fitted.machine.size

    def in_words(self) -> str:
        size, unit = self.fitted.machine.size, UNITS.get(self.fitted.form)
        if unit is None or self.name == unit:
            return self.name if unit is None else f"{self.name} ({size})"
        return f"{self.name}, {size} {unit if size != 1 else unit.removesuffix('s')}"

    def shown(self, risk: float) -> dict[str, Any]:
        fitted = self.fitted
        return {
            "name": self.name,
            "form": fitted.form,
            "size": fitted.machine.size,
            "uses": ", ".join(fitted.uses) or ("–" if self.is_readable else "?"),
            "n_errors": self.counts.n_errors,
            "certificate": risk,
            "price": self.nats,
            "pool_error": self.pool_error,
            "seconds": self.seconds,
            "simplicity": self.simplicity,
            "is_readable": self.is_readable,
            "reason": "",
        }

    def toward(self, goal: Goal, log_delta: float) -> FormCandidate:
        """The candidate at the last threshold that its chain accepts for a goal named beforehand.

        A form without a score stays as it is: its one threshold is a chain of its own.
        """
        if self.thresholds is None or goal.position is None:
            return self
        nats = self.nats - log_delta
        chain = Chain.of(goal, self.thresholds, self.fitted.machine, nats)
        return replace(self.at(chain.grid_place), chain=chain)

    def with_singles(self, pool: Floats, y: Ints) -> FormCandidate:
        """Of groups: counts on one row of each, whose classes are ``y``, at places of the pool."""
        machine = self.fitted.machine
        if self.scored is None or not machine.has_thresholds:
            return self
        grid = ThresholdGrid.of(machine.scores(pool))
        return replace(self, singles=grid.count(self.scored.scores, y))

    def stated(self, made: Certificate) -> Certificate:
        """Rates of a threshold that a chain accepted pay for the row alone, once."""
        if self.chain is None:
            return made
        paid = [term.nats for term in made.terms if term.kind != "threshold"]
        return replace(made, rates=self.chain.rates(math.fsum(paid)))

    def at(self, place: int) -> FormCandidate:
        """The candidate at another threshold, which pays for being one of several."""
        if self.thresholds is None or self.pool_thresholds is None:
            raise ValueError(f"{self.name!r} has no thresholds.")
        counted, pool = self.thresholds, self.pool_thresholds
        by_class, n_unknown = counted.by_class(place), counted.n_unknown
        n_errors = sum(n_wrong for _, n_wrong in by_class) + n_unknown
        n_in_pool = sum(n_wrong for _, n_wrong in pool.by_class(place)) + pool.n_unknown
        said = zip(counted.n_said(place), pool.n_said(place), strict=True)
        n = len(counted.grid.thresholds)
        term = Term("threshold", f"one of {n} thresholds from the pool", math.log(n))
        return replace(
            self,
            fitted=self.fitted.at(counted.grid.thresholds[place]),
            code=replace(self.code, terms=(*self.code.terms, term)),
            counts=replace(
                self.counts,
                n_errors=n_errors,
                by_class=by_class,
                n_errors_all=n_errors + n_in_pool,
                n_said=tuple(a + b for a, b in said),
            ),
            thresholds=None,
            pool_thresholds=None,
            scored=self.scored and replace(self.scored, cut=counted.grid.thresholds[place]),
        )


def named_settings(
    candidates: Any, favourite: Any, pool_share: float, has_limits: bool = False
) -> tuple[str, ...]:
    """Settings of a menu that are not the defaults, in words.

    Fitting the row that one likes alone, after a look at the whole menu, drops its price.

    Examples
    --------
    >>> named_settings(["one rule"], None, POOL_SHARE)
    ('the forms',)
    """
    is_default = isinstance(candidates, str) and candidates == CANDIDATES
    other = {
        "the forms": not is_default,
        "the favourite": favourite is not None,
        "the share of the pool": pool_share != POOL_SHARE,
        "the limits of score cards": has_limits,
    }
    return tuple(name for name, is_named in other.items() if is_named)


def named_beforehand(names: Sequence[str]) -> Assumption:
    """The assumption that goes with settings of one's own.

    Examples
    --------
    >>> print(named_beforehand(("the forms", "delta")))
    the forms and delta were named before any certificate was seen
    """
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    is_many = len(names) > 1 or names[0] in ("the forms", "the limits of score cards")
    verb = "were" if is_many else "was"
    return Assumption.of("named", names=listed, verb=verb)


def menu_lines(menu: Menu[FormCandidate], chosen: int) -> list[str]:
    """The menu as a plain table, smallest certificate first."""
    rows = [("", "form", "size", "uses", "certificate")]
    for row in range(len(menu)):
        candidate = menu[row]
        mark = "→" if row == chosen else " "
        risk = f"{np.ceil(float(menu.risks[menu.order[row]]) * 1000.0) / 1000.0:.3f}"
        size = "?" if candidate.fitted.machine.size >= 10**6 else str(candidate.fitted.machine.size)
        rows.append((f"{mark} {row}", candidate.name, size, _uses(candidate.fitted), risk))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    lines = [line.rstrip() for line in lines]
    equal = [menu[row].equals_in_words() for row in range(len(menu))]
    lines += [f"  =  {words}" for words in equal if words]
    return lines + [f"  –  {failure.name}: {failure.reason}" for failure in menu.failures]


def _uses(fitted: Fitted) -> str:
    names = fitted.uses
    n_columns = len(fitted.columns.columns)
    if not names:
        return "?" if fitted.machine.size >= 10**6 else "nothing"
    if len(names) == n_columns and n_columns > 3:
        return f"all {n_columns}"
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} of {n_columns}"
