"""Conditions that a row meets or does not: a value of the row against a number.

A condition on a missing value is not met, and neither is its opposite. Values within ``tol`` of the
cut lie on neither strict side, so that rows equal to the example that gave the cut are treated
alike in training, rebuilding and prediction, whatever the order of floating-point operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.spatial.distance import cdist

from handful.arrays import Floats, Ints, Mask
from handful.codec import ModelFileError, Tagged, fail
from handful.kernels import Kernel, similarities
from handful.models.form import (
    Places,
    check_length,
    check_positive,
    check_within,
    filled,
    some,
    steady_product,
    used,
)
from handful.models.language import Entry, Language, added, own_formula, similarity_formula
from handful.models.words import OPPOSITES, Op, Vocabulary, number

METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
Metric = Literal["euclidean", "manhattan", "chebyshev"]
Roles = tuple[str, ...]
Named = Mapping[int, tuple[str, Roles]]

_BESIDE = ("below the threshold", "above the threshold")  # a cut halfway between two examples
_TINY = float(np.finfo(np.float64).tiny)
_HUGE = float(np.finfo(np.float64).max)


class Value(Tagged, ABC, field="kind"):
    """A number of each row: `FeatureValue`, `WeightedSum`, `Distance`, `KernelDifference`.

    ``rules`` says, by the number of examples that a rule names, what such a rule is called and what
    each of the examples does in it; without it, a rule may name any number.
    """

    rules: ClassVar[Named] = {}
    least: ClassVar[float] = -np.inf  # below it no value lies, and no cut

    @abstractmethod
    def of(self, X: Floats) -> Floats:
        """The value of each row, NaN if it is missing."""

    @property
    def unit(self) -> float:
        """Length of the boundary's normal: distances are differences of values by this."""
        return 1.0

    @abstractmethod
    def describe(self, words: Vocabulary, examples: Sequence[int]) -> str:
        """The value in the user's words; ``examples`` are those of the condition."""

    def said_missing(self, words: Vocabulary, condition: str) -> str:
        """The sentence that a value is missing, which a condition needs."""
        return f"a value is missing in {condition}"

    @property
    @abstractmethod
    def features(self) -> tuple[int, ...]:
        """Encoded features that it reads."""

    def feature_weights(self, spread: Floats) -> Floats:
        """Weight of each feature, given its spread; in any unit."""
        return spread

    @abstractmethod
    def moved(self, places: Places) -> Self:
        """The same value over the features in ``places`` alone."""

    def renumbered(self, order: Ints) -> Self:
        """The same value, if columns are examples whose numbers change."""
        return self

    @abstractmethod
    def check(self, where: str, width: int) -> None:
        """Raise `ModelFileError` if it does not fit ``width`` features."""

    def formula(self, language: Language) -> str:
        """The value in another language."""
        raise ModelFileError(f"the value {self.tag!r} has no formula. Export another model.")

    def comparison(self, language: Language, op: Op, limit: float) -> str:
        """Whether the value compares with a limit, in another language."""
        return language.compare(self.formula(language), op, limit)

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Training rows that it contains, cell by cell."""
        return ()

    @property
    def why_closed(self) -> str:
        """Why no file can hold it; empty if one can."""
        return ""


@dataclass(frozen=True)
class FeatureValue(Value, tag="feature"):
    """One encoded feature."""

    rules: ClassVar[Named] = {
        n: ("stump", roles) for n, roles in enumerate(((), ("threshold",), _BESIDE))
    }
    feature: int

    def of(self, X: Floats) -> Floats:
        return np.asarray(X[:, self.feature], dtype=np.float64)

    def describe(self, words: Vocabulary, examples: Sequence[int]) -> str:
        return words.names[self.feature]

    def said_missing(self, words: Vocabulary, condition: str) -> str:
        return f"{words.asked(self.feature).column or words.names[self.feature]} is missing"

    @property
    def features(self) -> tuple[int, ...]:
        return (self.feature,)

    def feature_weights(self, spread: Floats) -> Floats:
        return np.asarray(np.arange(len(spread)) == self.feature, dtype=np.float64)

    def moved(self, places: Places) -> Self:
        return replace(self, feature=places[self.feature])

    def check(self, where: str, width: int) -> None:
        check_within(f"{where}.feature", self.feature, width)

    def formula(self, language: Language) -> str:
        return language.value(self.feature)

    def comparison(self, language: Language, op: Op, limit: float) -> str:
        return language.condition(self.feature, op, limit)


_PAIRS = {2: ("two-point", ("a", "b")), 3: ("half-space", ("a", "b", "threshold"))}


@dataclass(frozen=True)
class WeightedSum(Value, tag="sum"):
    """A weighted sum of features, added in their order; features without a weight are not read.

    A missing value is replaced by ``fill``; without it, the sum is missing.
    """

    rules: ClassVar[Named] = {0: ("linear", ()), **_PAIRS, 4: ("linear", ("a", "b", *_BESIDE))}
    weights: tuple[float, ...]
    fill: tuple[float, ...] | None = None

    def of(self, X: Floats) -> Floats:
        full = X if self.fill is None else filled(X, self.fill)
        return np.asarray(steady_product(full, np.array(self.weights))[:, 0])

    @property
    def unit(self) -> float:
        weights = np.array(self.weights)
        largest = float(np.abs(weights).max(initial=0.0))  # so that no square overflows
        return largest * float(np.linalg.norm(weights / largest)) if largest else 0.0

    def describe(self, words: Vocabulary, examples: Sequence[int]) -> str:
        return words.score(np.array(self.weights))

    @property
    def features(self) -> tuple[int, ...]:
        return used(np.flatnonzero(self.weights).tolist())

    def feature_weights(self, spread: Floats) -> Floats:
        return np.asarray(np.abs(np.array(self.weights)) * spread)

    def moved(self, places: Places) -> Self:
        fill = None if self.fill is None else some(self.fill, places)
        return replace(self, weights=some(self.weights, places), fill=fill)

    def check(self, where: str, width: int) -> None:
        check_length(f"{where}.weights", self.weights, width)
        if self.fill is not None:
            check_length(f"{where}.fill", self.fill, width)

    def formula(self, language: Language) -> str:
        return language.total(language.weighted(self.weights, self.fill))


def distances(
    points: Floats,
    X: Floats,
    *,
    metric: str = "euclidean",
    scale: Sequence[float] | None = None,
    kernel: Kernel | None = None,
) -> Floats:
    """Distances of ``points`` (rows) to X (columns) in a metric, or those of a kernel's space."""
    if kernel is not None:
        # |a - x|^2 = k(a, a) + k(x, x) - 2 k(a, x) in the kernel's space; rounding may make it
        # negative.
        squares = kernel.diagonal(points)[:, None] + kernel.diagonal(X)[None, :]
        return np.sqrt(np.maximum(squares - 2.0 * similarities(kernel, X, points).T, 0.0))
    if scale is not None:
        points, X = points / np.array(scale), X / np.array(scale)
    found = np.asarray(cdist(points, X, METRICS[metric]))
    if metric == "chebyshev":  # the largest of some numbers and a missing one is not known
        found[:, np.isnan(X).any(axis=1)] = np.nan
    return found


@dataclass(frozen=True)
class Distance(Value, tag="distance"):
    """The distance to an example, features divided by ``scale``.

    Attributes
    ----------
    center : tuple of float
    metric : {"euclidean", "manhattan", "chebyshev"}
    scale : tuple of float or None
    kernel : Kernel or None
        The distance is that of the kernel's feature space.
    fill : tuple of float or None
        Replaces missing values; without it, their distance is missing. Differences are then divided
        by the scale; without it, both points are. The last bits decide ties.
    """

    rules: ClassVar[Named] = {
        0: ("ball", ()),
        2: ("ball", ("centre", "border")),
        3: ("ball", ("centre", "inside", "outside")),
    }
    least: ClassVar[float] = 0.0
    center: tuple[float, ...]
    metric: Metric = "euclidean"
    scale: tuple[float, ...] | None = None
    kernel: Kernel | None = None
    fill: tuple[float, ...] | None = None

    def of(self, X: Floats) -> Floats:
        if self.fill is not None:
            scale = 1.0 if self.scale is None else np.array(self.scale)
            gaps = (filled(X, self.fill) - np.array(self.center)) / scale
            return np.asarray(np.sqrt((gaps**2).sum(axis=1)))
        full = np.asarray(X, dtype=np.float64)
        how = {"metric": self.metric, "scale": self.scale, "kernel": self.kernel}
        return np.asarray(distances(np.array([self.center]), full, **how)[0])  # type: ignore[arg-type]

    def describe(self, words: Vocabulary, examples: Sequence[int]) -> str:
        known = f"kept example {examples[0] + 1}" if examples else ""
        return f"{self._name} to {known or words.row(self.center, 'a kept example')}"

    @property
    def _name(self) -> str:
        """Name of the distance in words; the usual ones are not named."""
        if self.kernel is not None:
            return f"{self.kernel.name}-distance"
        metric = "" if self.metric == "euclidean" else f"{self.metric} "
        return f"{metric}{'scaled ' if self.scale and not self.fill else ''}distance"

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(range(len(self.center)))

    def moved(self, places: Places) -> Self:
        scale, fill = (part and some(part, places) for part in (self.scale, self.fill))
        return replace(self, center=some(self.center, places), scale=scale, fill=fill)

    def check(self, where: str, width: int) -> None:
        for name in ("center", "scale", "fill"):
            part = getattr(self, name)
            if part is not None:
                check_length(f"{where}.{name}", part, width)
        if self.scale is not None:
            check_positive(f"{where}.scale", self.scale)
        if self.fill is not None and (self.metric, self.kernel) != ("euclidean", None):
            raise fail(f"{where}.fill", "null but for Euclidean distances", self.fill)

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        return (self.center,)

    @property
    def why_closed(self) -> str:
        return "" if self.kernel is None else self.kernel.why_closed

    def _sizes(self, language: Language) -> list[str]:
        """How far each feature is off, as absolute values."""
        return [f"{language.absolute}({gap})" for gap in self._gaps(language)]

    def _gaps(self, language: Language) -> list[str]:
        cells = [language.known(j, self.fill, j) for j in range(len(self.center))]
        if self.scale is None:
            pairs = zip(cells, self.center, strict=True)
            return [f"({cell} - {language.number(c)})" for cell, c in pairs]
        parts = zip(cells, self.center, self.scale, strict=True)
        say = language.number
        if self.fill is not None:
            return [f"(({x} - {say(c)}) / {say(s)})" for x, c, s in parts]
        # x / s - c / s, as `distances` divides, not (x - c) / s: the last bit may differ.
        return [f"({x} / {say(s)} - {say(c / s)})" for x, c, s in parts]

    def formula(self, language: Language) -> str:
        if self.kernel is not None:
            cells = [language.known(j, self.fill, j) for j in range(len(self.center))]
            own = language.number(float(self.kernel.diagonal(np.array([self.center]))[0]))
            between = similarity_formula(self.kernel, cells, self.center, language)
            squares = f"({own_formula(self.kernel, cells, language)} + {own} - 2.0 * {between})"
            return f"{language.root}({language.absolute}{squares})"
        if self.metric == "euclidean":
            return f"{language.root}({added([f'{gap} * {gap}' for gap in self._gaps(language)])})"
        if self.metric == "chebyshev":
            raise ModelFileError("balls in the largest coordinate have no single formula.")
        return added(self._sizes(language))

    def comparison(self, language: Language, op: Op, limit: float) -> str:
        """A comparison; for the largest coordinate, of every one."""
        if self.metric != "chebyshev" or self.kernel is not None:
            return super().comparison(language, op, limit)
        sizes = self._sizes(language)
        compared = [language.compare(size, op, limit) for size in sizes]
        if op in ("<", "<="):  # every coordinate within the radius
            return "(" + f" {language.both} ".join(compared) + ")"
        beyond = f" {language.either} ".join(compared)  # some beyond it, and none missing
        return f"(({beyond}) {language.both} {added(sizes)} >= {language.number(0.0)})"


@dataclass(frozen=True)
class KernelDifference(Value, tag="kernel difference"):
    """How much more similar a row is to example a than to b, by a kernel that is not linear.

    ``columns`` are the columns of a and b in a kernel matrix, if the kernel is precomputed; a and b
    then hold the kernel values of the two.
    """

    rules: ClassVar[Named] = {0: ("half-space", ()), **_PAIRS}
    a: tuple[float, ...]
    b: tuple[float, ...]
    kernel: Kernel
    columns: tuple[int, ...] | None = field(default=None, metadata={"file": False})

    def of(self, X: Floats) -> Floats:
        if self.columns is not None:
            return np.asarray(X[:, self.columns[0]] - X[:, self.columns[1]])
        X = np.asarray(X, dtype=np.float64)
        K = similarities(self.kernel, X, np.array([self.a, self.b]))
        return np.asarray(K[:, 0] - K[:, 1])

    @property
    def gram(self) -> Floats:
        """Kernel values of the two examples."""
        pair = np.array([self.a, self.b])
        return pair if self.columns is not None else similarities(self.kernel, pair, pair)

    @property
    def unit(self) -> float:
        K = self.gram  # the distance of the two examples in feature space
        return float(np.sqrt(max(K[0, 0] + K[1, 1] - 2.0 * K[0, 1], 0.0)))

    def describe(self, words: Vocabulary, examples: Sequence[int]) -> str:
        return f"{self.kernel.name}-similarity to a minus to b"

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(range(len(self.a))) if self.columns is None else used(self.columns)

    def feature_weights(self, spread: Floats) -> Floats:
        if self.columns is not None:
            return spread
        return np.asarray(np.abs(np.subtract(self.a, self.b)) * spread)

    def moved(self, places: Places) -> Self:
        if self.columns is not None:
            return replace(self, columns=tuple(places[j] for j in self.columns))
        return replace(self, a=some(self.a, places), b=some(self.b, places))

    def renumbered(self, order: Ints) -> Self:
        if self.columns is None:
            return self
        return replace(self, columns=tuple(int(order[j]) for j in self.columns))

    def check(self, where: str, width: int) -> None:
        for name in ("a", "b"):
            check_length(f"{where}.{name}", getattr(self, name), width)

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        return self.a, self.b

    @property
    def why_closed(self) -> str:
        return self.kernel.why_closed

    def formula(self, language: Language) -> str:
        cells = [language.value(j) for j in range(len(self.a))]
        first, second = (
            similarity_formula(self.kernel, cells, z, language) for z in (self.a, self.b)
        )
        return f"({first} - {second})"


@dataclass(frozen=True)
class Condition:
    """A value of a row against a number.

    Attributes
    ----------
    value : Value
    op : {"<", "<=", ">", ">=", "=", "≠"}
        The last two are for codes of words.
    cut : float
    tol : float
        Half the width of what counts as equal to the cut: ``<`` means below ``cut - tol``.
    examples : tuple of int
        Training examples that the condition is made of, if it names some.

    Examples
    --------
    >>> Condition.on(0, ">=", 28.0).is_met(np.array([[28.0], [3.0], [np.nan]]))
    array([ True, False, False])
    >>> Condition.on(1, ">", 2.0).describe(Vocabulary(("age", "nodes"), ("well", "ill")))
    'nodes > 2'
    >>> ball = Condition(Distance((0.0, 0.0)), ">", 1.0, 1e-10)
    >>> ball.is_met(np.array([[0.6, 0.8], [1.0, 1.0]]))
    array([False,  True])
    """

    value: Value
    op: Op
    cut: float
    tol: float = 0.0
    examples: tuple[int, ...] = ()

    @classmethod
    def on(cls, feature: int, op: Op, cut: float, examples: tuple[int, ...] = ()) -> Condition:
        """A condition on one encoded feature."""
        return cls(FeatureValue(feature), op, cut, 0.0, examples)

    def _answers(self, values: Floats) -> Mask:
        with np.errstate(invalid="ignore"):
            if self.op in ("=", "≠"):
                # NaN is within no tolerance, so it equals nothing; "≠" must exclude it by hand.
                is_equal = np.abs(values - self.cut) <= self.tol
                return is_equal if self.op == "=" else ~is_equal & ~np.isnan(values)
            limit = self.limit
            if self.op == "<":
                return np.asarray(values < limit)
            if self.op == "<=":
                return np.asarray(values <= limit)
            return np.asarray(values > limit if self.op == ">" else values >= limit)

    @property
    def limit(self) -> float:
        """The number that values are compared with: the cut, moved by its tolerance."""
        # One float for training, files and other languages: the last bits decide ties.
        if self.op in ("<", ">="):
            return self.cut - self.tol
        return self.cut + self.tol if self.op in (">", "<=") else self.cut

    def is_met(self, X: Floats) -> Mask:
        """Which rows meet it; a missing value meets no condition."""
        return self._answers(self.value.of(X))

    def score(self, X: Floats) -> Floats:
        """Distance of each row to the boundary, positive if the row meets the condition.

        It is never zero: its sign says what `is_met` says.
        """
        values = self.value.of(X)
        if self.op in ("=", "≠"):  # the numbers of words are not distances
            gaps = np.where(np.isnan(values), 0.0, 1.0)
        else:
            with np.errstate(invalid="ignore", over="ignore"):
                gaps = np.abs(values - self.cut) / max(self.value.unit, _TINY)
        # Never 0, so that the sign is the answer. A missing value fails every condition, by a hair.
        gaps = np.clip(np.where(np.isnan(gaps), 0.0, gaps), _TINY, _HUGE)
        return np.where(self._answers(values), gaps, -gaps)

    @property
    def opposite(self) -> Condition:
        """The condition that is met by all other rows whose value is known."""
        # A missing value meets neither: any comparison with NaN is false.
        return replace(self, op=OPPOSITES[self.op])

    def describe(self, words: Vocabulary) -> str:
        """The condition in the user's words."""
        if isinstance(self.value, FeatureValue):
            return words.compared(self.value.feature, self.op, self.cut)
        cut = 0.0 if abs(self.cut) <= self.tol else self.cut
        text = self.value.describe(words, self.examples)
        return f"{text} {words.mark(self.op)} {number(cut)}"

    def said_missing(self, words: Vocabulary) -> str:
        """The sentence that its value is missing."""
        return self.value.said_missing(words, self.describe(words))

    @property
    def kind(self) -> str:
        """Name of the kind of rule: stump, ball, half-space, two-point or linear."""
        return self._named[0]

    @property
    def roles(self) -> Roles:
        """Role of each example in the condition, in a word or two."""
        return self._named[1]

    @property
    def _named(self) -> tuple[str, Roles]:
        return self.value.rules.get(len(self.examples), (self.value.tag, ()))

    @property
    def features(self) -> tuple[int, ...]:
        """Encoded features that it reads."""
        return self.value.features

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Training rows that it contains, cell by cell."""
        return self.value.rows

    @property
    def asks_once(self) -> bool:
        """Whether it reads one feature, so that no name is needed for what it compares."""
        return isinstance(self.value, FeatureValue)

    def moved(self, places: Places) -> Self:
        """The same condition over the features in ``places`` alone."""
        return replace(self, value=self.value.moved(places))

    def renumbered(self, order: Ints) -> Self:
        """The same condition, whose example i is the user's row ``order[i]``."""
        examples = tuple(int(order[i]) for i in self.examples)
        return replace(self, value=self.value.renumbered(order), examples=examples)

    def check_fields(self, where: str) -> None:
        """Refuse what types cannot say: tolerances, words, and numbers of examples."""
        for name, least in (("tol", 0.0), ("cut", self.value.least)):
            if getattr(self, name) < least:
                raise fail(f"{where}.{name}", "not negative", getattr(self, name))
        if self.op in ("=", "≠") and not isinstance(self.value, FeatureValue):
            raise fail(f"{where}.op", "an order, as the value is no code of words", self.op)
        known = tuple(self.value.rules) or (len(self.examples),)
        if len(self.examples) not in known or min(self.examples, default=0) < 0:
            allowed = " or ".join(str(n) for n in known)
            raise fail(f"{where}.examples", f"{allowed} numbers from 0", self.examples)

    def check(self, where: str, width: int) -> None:
        """Raise `ModelFileError` if it does not fit ``width`` features."""
        self.value.check(f"{where}.value", width)

    def formula(self, language: Language) -> str:
        """The condition in another language."""
        return self.value.comparison(language, self.op, self.limit)

    def entry(
        self,
        words: Vocabulary,
        language: Language,
        *,
        adds: str = "",
        part: int = -1,
        label: int = -1,
    ) -> Entry:
        """The condition as a line, and what is met with it."""
        met, unmet = self.formula(language), self.opposite.formula(language)
        return Entry(self.describe(words), self.features, met, unmet, adds, part, label)

    def score_formula(self, language: Language) -> str:
        """The value of `score` in another language."""
        if self.op in ("=", "≠"):
            sides = [(self.formula(language), "1.0"), (self.opposite.formula(language), "-1.0")]
            return language.case(sides, language.number(-_TINY))
        gap = language.gap(self.value.formula(language), self.cut, max(self.value.unit, _TINY))
        return language.case([(self.formula(language), gap)], f"-{gap}")
