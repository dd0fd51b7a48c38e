"""Forms that add up: weighted sums, steps of single features, similarities to examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from handful.arrays import Floats
from handful.codec import fail
from handful.models.form import (
    Form,
    Part,
    Places,
    as_floats,
    check_length,
    check_positive,
    check_two,
    check_within,
    filled,
    lines_part,
    n_scores,
    score_reasons,
    some,
    steady_product,
    used,
)
from handful.models.language import Entry, Language
from handful.models.words import Vocabulary, in_full, number

_START = "start"  # of a sum: the number that every row gets


class Score(Form):
    """A form whose sums can be compared with any threshold."""

    @property
    def has_sums(self) -> bool:
        return True

    @property
    def has_thresholds(self) -> bool:
        return True

    def at(self, threshold: float) -> Form:
        return self if threshold == 0.0 else Thresholded(self, float(threshold))

    def sentences_at(self, words: Vocabulary, threshold: float) -> list[str]:
        """The sentences for two classes if the score is compared with another number than 0."""
        first, second = words.labels
        parts = self.sentences(words)[:-1]
        return [*parts, f"Above {number(threshold)}: {second}; otherwise: {first}."]


def linear_score(coef: Any, intercepts: Any) -> LinearScore:
    """The score of a machine that takes no missing values; one row of ``coef`` a score."""
    return LinearScore(as_floats(coef), as_floats(intercepts), ())


@dataclass(frozen=True)
class LinearScore(Score, tag="linear"):
    r"""One weight a feature; for more than two classes, one row of weights a class.

    Missing values are replaced by ``fill``; if it is empty, none may be missing. ``spread`` has
    the standard deviations of the features in the rows that it was learned from: terms are then
    printed in the order of weight times spread, the effect, which stands beside the weight.

    Examples
    --------
    >>> score = LinearScore(((1.0, -2.0),), (0.5,), fill=(0.0, 1.0), spread=(0.1, 3.0))
    >>> score.labels(np.array([[1.0, 0.0], [1.0, np.nan]]))
    array([1, 0])
    >>> print("\n".join(score.sentences(Vocabulary(("age", "nodes"), ("well", "ill")))))
    -2·nodes (effect -6)
    +1·age (effect +0.1)
    Sum > -0.5: ill; otherwise: well.
    """

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    fill: tuple[float, ...]
    spread: tuple[float, ...] = ()

    def scores(self, X: Floats) -> Floats:
        known = filled(X, self.fill) if self.fill else X
        # The intercept is added last, as in `score_formulas`: the order decides the last bit.
        out = steady_product(known, np.array(self.weights))
        out += np.array(self.intercepts)
        return out[:, 0] if len(self.weights) == 1 else out

    def sentences(self, words: Vocabulary) -> list[str]:
        """The sums; with a spread, largest effects first and every digit that is evaluated."""
        if len(self.weights) == 1:
            return self.sentences_at(words, 0.0)
        lines = [
            " ".join([f"{label}: {in_full(b)}", *self.terms(k, words)])
            if self.spread
            else f"{label}: {number(b)} {words.score(np.array(self.weights[k]))}"
            for k, (label, b) in enumerate(zip(words.labels, self.intercepts, strict=True))
        ]
        return [*lines, "The largest sum gives the class."]

    def sentences_at(self, words: Vocabulary, threshold: float) -> list[str]:
        first, second = words.labels
        # The printed sum has no intercept: it moves to the other side of the comparison.
        limit, end = threshold - self.intercepts[0], f"{second}; otherwise: {first}."
        if not self.spread:
            return [f"{words.score(np.array(self.weights[0]))} > {number(limit)}: {end}"]
        return [*(self.terms(0, words) or ["0"]), f"Sum > {in_full(limit)}: {end}"]

    def effects(self, k: int) -> Floats:
        """Weights of one sum times the spread of their features."""
        return np.array(self.weights[k]) * np.array(self.spread)

    def terms(self, k: int, words: Vocabulary) -> list[str]:
        """The terms of one sum in words, largest effects first."""
        weights, effects = self.weights[k], self.effects(k)
        return [
            f"{in_full(weights[j], sign=True)}·{words.names[j]}{words.numbered(j)}"
            f" (effect {effects[j]:+.3g})"
            # Equal effects stay in the order of the columns.
            for j in np.argsort(-np.abs(effects), kind="stable")
            if weights[j] != 0.0
        ]

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.weights))

    @property
    def features(self) -> tuple[int, ...]:
        return used(np.flatnonzero(np.any(self.weights, axis=0)).tolist())

    def described(self, words: Vocabulary) -> list[Part]:
        labels = words.labels[-len(self.weights) :]
        return [
            {"condition": words.names[j], "label": label, "value": row[j]}
            for label, row in zip(labels, self.weights, strict=True)
            for j in self.features
        ]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        return score_reasons(self.scores(X), words)

    def moved(self, places: Places) -> Self:
        weights = tuple(some(row, places) for row in self.weights)
        fill, spread = (some(part, places) if part else () for part in (self.fill, self.spread))
        return replace(self, weights=weights, fill=fill, spread=spread)

    @property
    def required(self) -> tuple[int, ...]:
        return () if self.fill else self.features

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_matrix(f"{where}.weights", self.weights, n_scores(n_classes), width)
        check_length(f"{where}.intercepts", self.intercepts, n_scores(n_classes))
        if self.fill:
            check_length(f"{where}.fill", self.fill, width)
        if self.spread:
            check_length(f"{where}.spread", self.spread, width)
            check_positive(f"{where}.spread", self.spread)

    def score_formulas(self, language: Language) -> list[str]:
        return [
            language.total([*language.weighted(weights, self.fill), language.number(intercept)])
            for weights, intercept in zip(self.weights, self.intercepts, strict=True)
        ]

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        weights = self.weights[0]
        features = [j for j, weight in enumerate(weights) if weight != 0.0]
        texts = (
            f"{in_full(weights[j], sign=True)}·{words.names[j]}{words.numbered(j)}"
            for j in features
        )
        terms = zip(features, texts, language.weighted(weights, self.fill), strict=True)
        start = Entry(_START, (), adds=language.number(self.intercepts[0]))
        return [start, *(Entry(text, (j,), adds=adds) for j, text, adds in terms)]


def check_matrix(where: str, rows: tuple[Any, ...], n_rows: int, n_columns: int) -> None:
    """Refuse a matrix of another shape."""
    check_length(where, rows, n_rows)
    for i, row in enumerate(rows):
        check_length(f"{where}[{i}]", row, n_columns)


@dataclass(frozen=True)
class Curve:
    """Steps of one feature: ``values[k][i]`` for class score k between cuts i - 1 and i.

    A value is counted to the step on the right of a cut that it equals. ``missing[k]`` is added
    if the value is missing.
    """

    feature: int
    cuts: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    missing: tuple[float, ...]

    def __call__(self, x: Floats) -> Floats:
        """Shape (n, number of scores)."""
        # From the right: a value that equals a cut is on the step that begins there. NaN comes
        # after the last cut, and its step is replaced by the value for missing cells.
        position = np.searchsorted(np.array(self.cuts), x, side="right")
        steps = np.array(self.values).T[position]
        return np.where(np.isnan(x)[:, None], np.array(self.missing), steps)

    def check_fields(self, where: str) -> None:
        """Refuse cuts that do not increase."""
        # A search by bisection in cuts that do not increase would give a wrong step silently.
        if list(self.cuts) != sorted(set(self.cuts)):
            raise fail(f"{where}.cuts", "increasing numbers", self.cuts)

    def describe(self, words: Vocabulary) -> str:
        """The steps in one line."""
        name = words.names[self.feature]
        first, *later = (_points(step) for step in zip(*self.values, strict=True))
        if words.asked(self.feature).is_flag:
            text = f"{name}: {later[-1] if later else first}; else {first}"
        else:
            steps = [
                f"from {words.value(self.feature, cut)} {points}"
                for cut, points in zip(self.cuts, later, strict=True)
            ]
            text = f"{name}: " + ", ".join([first, *steps])
        return text + (f"; missing {_points(self.missing)}" if any(self.missing) else "")


def _ends(curve: Curve, words: Vocabulary) -> str:
    """The points of the first and of the last step of a curve."""
    first, last = (f"{curve.values[0][place]:+g}" for place in (0, -1))
    if not curve.cuts:
        return f"{first} if it is known"
    if words.asked(curve.feature).is_flag:
        return f"{last} if so, {first} if not"
    low, high = (words.value(curve.feature, cut) for cut in (curve.cuts[0], curve.cuts[-1]))
    return f"{first} below {low}, {last} from {high}"


def _points(values: Iterable[float]) -> str:
    """One number a score."""
    return " / ".join(number(v, sign=True) for v in values)


@dataclass(frozen=True)
class Additive(Score, tag="additive"):
    """A sum of curves, one a feature; its sign, or its largest sum, gives the class.

    Examples
    --------
    >>> curve = Curve(0, (28.0, 40.0), ((-1.0, 0.5, 2.0),), (0.0,))
    >>> score = Additive((curve,), (0.2,))
    >>> score.scores(np.array([[20.0], [28.0], [50.0], [np.nan]]))
    array([-0.8,  0.7,  2.2,  0.2])
    """

    curves: tuple[Curve, ...]
    intercepts: tuple[float, ...]

    def scores(self, X: Floats) -> Floats:
        out = np.tile(np.array(self.intercepts), (len(X), 1))
        for curve in self.curves:
            out += curve(X[:, curve.feature])
        return out[:, 0] if len(self.intercepts) == 1 else out

    def sentences(self, words: Vocabulary) -> list[str]:
        lines = [curve.describe(words) for curve in self.curves]
        start = f"Start at {_points(self.intercepts)} points"
        if len(self.intercepts) == 1:
            end = f"Sum above 0: {words.labels[1]}; otherwise: {words.labels[0]}."
            return [f"{start}.", *lines, end]
        start = f"{start}, one sum a class ({' / '.join(words.labels)})."
        return [start, *lines, "The largest sum gives the class, the first of equal ones."]

    def outline(self, words: Vocabulary, bars: str) -> list[str]:
        """One bar a step, all on one scale, with the points of the first and of the last step.

        Examples
        --------
        >>> curve = Curve(0, (28.0, 40.0), ((-1.0, 0.5, 2.0),), (0.0,))
        >>> words = Vocabulary(("age",), ("well", "ill"))
        >>> Additive((curve,), (0.2,)).outline(words, "_-=#")
        ['age  _=#  -1 below 28, +2 from 40']
        """
        if len(self.intercepts) != 1:
            return []
        steps = [curve.values[0] for curve in self.curves]
        least = min((min(values) for values in steps), default=0.0)
        reach = max((max(values) for values in steps), default=0.0) - least or 1.0
        drawn = [
            "".join(bars[round((v - least) / reach * (len(bars) - 1))] for v in values)
            for values in steps
        ]
        names = [words.names[curve.feature] for curve in self.curves]
        wide, long = (max(map(len, texts), default=0) for texts in (names, drawn))
        return [
            f"{name:<{wide}}  {bar:<{long}}  {_ends(curve, words)}"
            for name, bar, curve in zip(names, drawn, self.curves, strict=True)
        ]

    @property
    def size(self) -> int:
        return sum(len(curve.cuts) for curve in self.curves)

    @property
    def features(self) -> tuple[int, ...]:
        return used([curve.feature for curve in self.curves])

    def described(self, words: Vocabulary) -> list[Part]:
        return [lines_part(curve.describe(words)) for curve in self.curves]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        return score_reasons(self.scores(X), words)

    def moved(self, places: Places) -> Self:
        curves = [replace(curve, feature=places[curve.feature]) for curve in self.curves]
        return replace(self, curves=tuple(curves))

    def as_curves(self, fill: Sequence[float]) -> Additive:
        curves = []
        for curve in self.curves:
            # The step on which the filled value stands is what a missing value adds.
            (steps,) = curve(np.array([fill[curve.feature]]))
            curves.append(replace(curve, missing=tuple(float(value) for value in steps)))
        return replace(self, curves=tuple(curves))

    def check(self, where: str, width: int, n_classes: int) -> None:
        n = n_scores(n_classes)
        check_length(f"{where}.intercepts", self.intercepts, n)
        for i, curve in enumerate(self.curves):
            place = f"{where}.curves[{i}]"
            check_within(f"{place}.feature", curve.feature, width)
            check_matrix(f"{place}.values", curve.values, n, len(curve.cuts) + 1)
            check_length(f"{place}.missing", curve.missing, n)

    def score_formulas(self, language: Language) -> list[str]:
        return [
            language.total(
                [language.number(start), *(language.steps(curve, k) for curve in self.curves)]
            )
            for k, start in enumerate(self.intercepts)
        ]

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        start = Entry(_START, (), adds=language.number(self.intercepts[0]))
        return [start] + [
            Entry(curve.describe(words), (curve.feature,), adds=language.steps(curve, 0))
            for curve in self.curves
        ]


@dataclass(frozen=True)
class Stumps:
    """A constant, and weights of stumps: 1 up to a threshold, -1 above, 0 if missing."""

    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    weights: tuple[float, ...]
    constant: float = 0.0

    def check_fields(self, where: str) -> None:
        """Refuse lists of different lengths."""
        if not len(self.features) == len(self.thresholds) == len(self.weights):
            raise fail(where, "lists of equal lengths", len(self.features))

    def steps(self, feature: int) -> tuple[Floats, Floats]:
        """Where the votes of a feature change, and what they are before and between."""
        own = (i for i, other in enumerate(self.features) if other == feature)
        # Left of all cuts every stump votes +1; each cut that is passed takes twice its weight
        # away.
        pairs = sorted((self.thresholds[i], self.weights[i]) for i in own)
        passed = np.concatenate([[0.0], np.cumsum([weight for _, weight in pairs])])
        return np.array([cut for cut, _ in pairs]), passed[-1] - 2.0 * passed


@dataclass(frozen=True)
class Votes(Score, tag="votes"):
    """Weighted votes of stumps, one vote for two classes, one a class for more.

    They add up to one curve a feature, which is what is evaluated and printed. A stump counts a
    value that equals its threshold to the left, a curve to the right: the cut is the next number.

    Examples
    --------
    >>> votes = Votes((Stumps((0,), (1.0,), (0.5,)),))
    >>> votes.scores(np.array([[1.0], [1.5], [np.nan]]))
    array([ 0.5, -0.5,  0. ])
    """

    votes: tuple[Stumps, ...]

    @cached_property
    def curves(self) -> Additive:
        """The votes as sums of step functions, one a feature."""
        curves = []
        for feature in self.features:
            steps = [vote.steps(feature) for vote in self.votes]
            cuts = np.unique(np.concatenate([at for at, _ in steps]))
            values = tuple(
                tuple(levels[[0, *np.searchsorted(at, cuts, side="right")]].tolist())
                for at, levels in steps
            )
            # "x <= threshold" of a stump is "x < next float" of a curve: the same rows on either
            # side.
            after = tuple(np.nextafter(cuts, np.inf).tolist())
            curves.append(Curve(feature, after, values, (0.0,) * len(self.votes)))
        return Additive(tuple(curves), tuple(vote.constant for vote in self.votes))

    def scores(self, X: Floats) -> Floats:
        return self.curves.scores(X)

    def as_curves(self, fill: Sequence[float]) -> Additive:
        return self.curves.as_curves(fill)

    def sentences(self, words: Vocabulary) -> list[str]:
        return self.curves.sentences(words)

    def described(self, words: Vocabulary) -> list[Part]:
        return self.curves.described(words)

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        return self.curves.reasons(X, words)

    @property
    def size(self) -> int:
        return self.curves.size

    @property
    def features(self) -> tuple[int, ...]:
        return used([j for vote in self.votes for j in vote.features])

    def moved(self, places: Places) -> Self:
        votes = [
            replace(vote, features=tuple(places[j] for j in vote.features)) for vote in self.votes
        ]
        return replace(self, votes=tuple(votes))

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_length(f"{where}.votes", self.votes, n_scores(n_classes))
        for i, vote in enumerate(self.votes):
            for j in vote.features:
                check_within(f"{where}.votes[{i}].features", j, width)

    def score_formulas(self, language: Language) -> list[str]:
        return self.curves.score_formulas(language)

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        return self.curves.entries(words, language)


@dataclass(frozen=True)
class Thresholded(Score, tag="thresholded"):
    """The second of two classes if the score of another form is above ``threshold``.

    Examples
    --------
    >>> machine = Thresholded(LinearScore(((1.0,),), (0.0,), (0.0,)), -2.0)
    >>> machine.labels(np.array([[-3.0], [-2.0], [-1.0]]))
    array([0, 0, 1])
    """

    base: Score
    threshold: float

    def scores(self, X: Floats) -> Floats:
        """How far the score is above the threshold; 0 only if they are equal."""
        return self.base.scores(X) - self.threshold

    def sentences(self, words: Vocabulary) -> list[str]:
        return self.base.sentences_at(words, self.threshold)

    def outline(self, words: Vocabulary, bars: str) -> list[str]:
        return self.base.outline(words, bars)

    @property
    def size(self) -> int:
        return self.base.size

    @property
    def features(self) -> tuple[int, ...]:
        return self.base.features

    @property
    def required(self) -> tuple[int, ...]:
        return self.base.required

    @property
    def inner(self) -> tuple[Form, ...]:
        return (self.base,)

    def with_inner(self, change: Callable[[Form], Form]) -> Form:
        base = change(self.base)
        assert isinstance(base, Score)
        return replace(self, base=base)

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        return score_reasons(self.scores(X), words)

    def moved(self, places: Places) -> Self:
        return replace(self, base=self.base.moved(places))

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_two(where, n_classes)
        if isinstance(self.base, Thresholded):
            raise fail(f"{where}.base", "a score", self.base.tag)
        self.base.check(f"{where}.base", width, n_classes)

    def score_formulas(self, language: Language) -> list[str]:
        (score,) = self.base.score_formulas(language)
        return [language.total([score, language.number(-self.threshold)])]

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        limit = Entry("threshold", (), adds=language.number(-self.threshold))
        return [*self.base.entries(words, language), limit]
