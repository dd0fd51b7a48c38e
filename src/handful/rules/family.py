"""What a rule family is: its candidates, the sides they may take, their price, their rebuild.

There is one object a family, in a file of its own, entered in ``FAMILIES`` by `register_family`. It
says everything that sets one family apart from another. Its rules are conditions
(`handful.models.Condition`) that *cover* rows: a conjunction gives its class to the rows that no
rule covers, a disjunction to those that some rule covers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.bounds import Message
from handful.models import Condition, Rule, RuleList, RuleSet
from handful.rules.search_rows import Rows
from handful.rules.table import ABOVE, BELOW, CandidateTable, CodedRule, Geometry

if TYPE_CHECKING:
    from handful.rules.search.greedy import Step

# Label of the class that a rule of this kind must not cover.
KIND_SIGNS = {"conjunction": 1, "disjunction": -1}


def rule_set(covers: Sequence[Condition], kind: str) -> RuleSet:
    """The classifier of some covers, by class positions 0 and 1.

    A conjunction asks for the opposites of all covers, so that a missing value meets none of them.

    Examples
    --------
    >>> old = Condition.on(0, ">", 60.0)
    >>> rule_set([old], "conjunction").rules[0].conditions[0].op
    '<='
    """
    if kind == "disjunction":
        return RuleSet(tuple(Rule((cover,), 1) for cover in covers), default=0)
    # A row gets the class of a conjunction only if it is known to be outside of every cover.
    asked = tuple(cover.opposite for cover in covers)
    return RuleSet((Rule(asked, 1),), default=0) if asked else RuleSet((), default=1)


def as_list(machine: RuleSet, kind: str) -> RuleList:
    """The same covers as a list; it differs if a conjunction misses a value."""
    if kind == "disjunction":
        return RuleList(machine.rules, machine.default)
    covers = [condition.opposite for condition in machine.conditions]
    return RuleList(tuple(Rule((cover,), 0) for cover in covers), default=1)


def is_covered(cover: Condition, kind: str, X: Floats) -> Mask:
    """Which rows a cover takes; in a conjunction also those whose value is missing."""
    return cover.is_met(X) if kind == "disjunction" else ~cover.opposite.is_met(X)


@dataclass(frozen=True)
class CodedPath:
    """The rules of a path by their examples: all that its message and its rebuild may use."""

    rows: Rows
    family: Family
    geometry: Geometry
    kind: str
    rules: tuple[CodedRule, ...]

    @classmethod
    def of(cls, rows: Rows, table: CandidateTable, steps: Sequence[Step], kind: str) -> CodedPath:
        """A path over a table."""
        rules = tuple(table.coded(step.t, step.j, step.side, step.member) for step in steps)
        return cls(rows, table.family, table.geometry, kind, rules)

    @property
    def sign(self) -> int:
        """Label of the class that must not be covered."""
        return KIND_SIGNS[self.kind]

    @cached_property
    def firsts(self) -> set[int]:
        """Examples that come first in a direction."""
        return {rule.first for rule in self.rules if rule.first >= 0}

    @cached_property
    def seconds(self) -> set[int]:
        """Examples that come second in a direction."""
        return {rule.second for rule in self.rules if rule.second >= 0}

    @cached_property
    def members(self) -> set[int]:
        """Examples that give thresholds."""
        return {rule.member for rule in self.rules if rule.member >= 0}

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """All examples of the path, in order."""
        return tuple(sorted(self.firsts | self.seconds | self.members))

    @property
    def kept_rows(self) -> tuple[Floats, Ints]:
        """Features and labels of the kept examples: all that a rebuild may see."""
        at = self.rows.row_of[list(self.kept)]
        return self.rows.X[at], self.rows.y[at]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Places among the kept examples of the two examples of each direction."""
        place = self.kept.index
        return [(place(rule.first), place(rule.second)) for rule in self.rules]

    @property
    def is_threshold_only(self) -> list[bool]:
        """Which kept examples give no direction."""
        return [e not in self.firsts | self.seconds for e in self.kept]


class Family(ABC):
    """A family of rules made of training examples.

    Attributes
    ----------
    name : str
        What the user calls it.
    pool_sizes : tuple of int
        Sizes of candidate pools that the default mixture of codes offers.
    has_members : bool
        Thresholds are examples that must stay uncovered, so that a rebuild finds them.
    takes_words : bool
        It can use categories and missing values.
    once_a_direction : bool
        A message names a direction at most once.
    names_threshold : bool
        A rule keeps an example for its threshold although nothing forces which.
    proposed_as : str or None
        What a pool proposes if this family is wanted (`handful.rules.pooled`); None for nothing.
    levels : int array or None
        Dyadic level of each threshold; None if examples give the thresholds.
    """

    name: ClassVar[str]
    pool_sizes: ClassVar[tuple[int, ...]] = (40, 80)
    has_members: ClassVar[bool] = False
    takes_words: ClassVar[bool] = False
    once_a_direction: ClassVar[bool] = True
    names_threshold: ClassVar[bool] = False
    proposed_as: ClassVar[str | None] = None
    levels: ClassVar[Ints | None] = None

    def __reduce__(self) -> tuple[object, ...]:
        return (_registered, (self.name,))

    @abstractmethod
    def n_directions(self, pool_size: int, n_features: int) -> int:
        """Upper limit of the directions of a table; it does not depend on labels."""

    @abstractmethod
    def table(
        self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1
    ) -> CandidateTable:
        """Candidates over the (distinct) examples of a pool."""

    @abstractmethod
    def make_rule(self, table: CandidateTable, rows: Rows, rule: CodedRule) -> Condition:
        """The cover of a rule of a table, with the threshold of the table."""

    def placed_at(self, cover: Condition, X: Floats) -> Condition:
        """The same cover with its threshold at the single example X."""
        return replace(cover, cut=float(cover.value.of(X)[0]))

    @abstractmethod
    def empty_message(self) -> Message:
        """The message that there is no rule, with its price."""

    @abstractmethod
    def message(self, path: CodedPath) -> Message:
        """The message beside the kept examples, with its price."""

    @abstractmethod
    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        """The covers, from nothing but the kept examples and the message."""

    @abstractmethod
    def rule_nats(self, table: CandidateTable, j: int, n_kept: int, n_features: int) -> float:
        """Cost of one rule's examples, side and threshold, given the kept examples."""

    def sides(self, table: CandidateTable, rows: Rows, sign: int) -> Ints:
        """(direction, side) pairs that a machine of the given sign (+1 conjunction) may use."""
        t = np.arange(table.n_directions)
        return np.column_stack([t, np.full(t.shape, BELOW if sign > 0 else ABOVE)])

    def both_sides(self, table: CandidateTable, rows: Rows) -> Ints:
        """(direction, side) pairs of a list, whose rules take no missing value."""
        t = np.arange(table.n_directions)
        return np.column_stack([np.repeat(t, 2), np.tile([BELOW, ABOVE], len(t))])


FAMILIES: dict[str, Family] = {}
"""Every family by its name."""

Kind = TypeVar("Kind", bound=Family)


def register_family(family: Kind) -> Kind:
    """Register a family, so that ``rules=`` accepts its name."""
    if family.name in FAMILIES:
        raise ValueError(f"`name` must be new, got {family.name!r}.")
    FAMILIES[family.name] = family
    return family


def _registered(name: str) -> Family:
    """The one object of a family, for unpickling."""
    return FAMILIES[name]


def names_of(X: Floats, indices: Sequence[int] | None) -> list[int]:
    """Names of kept examples; by default, their positions."""
    return list(range(X.shape[0])) if indices is None else [int(i) for i in indices]
