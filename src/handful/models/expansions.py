"""Weighted similarities to examples: prototypes, support vectors, pursuits, several kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from handful.arrays import Floats, Ints
from handful.codec import fail
from handful.kernels import Kernel, similarities
from handful.models.form import (
    Part,
    Places,
    as_floats,
    check_length,
    check_positive,
    check_within,
    filled,
    from_scores,
    lines_part,
    n_scores,
    some,
    used,
)
from handful.models.language import Language, added, own_formula, similarity_formula
from handful.models.scores import Score, check_matrix
from handful.models.words import Vocabulary, number

_BLOCK = 1 << 21  # entries of a kernel block: 16 MiB, within a cache shared by cores
_MAX_SHOWN = 16  # examples in the sentences of a part
_MAX_NUMBERS = 50_000  # in a formula; a longer one is better read from its file
MAX_TIE = 1e-6  # what counts as zero is a rounding error


@dataclass(frozen=True)
class KernelPart:
    """Coefficients times kernel values, of some columns or of all.

    Attributes
    ----------
    kernel : Kernel
    centers : tuple of tuple of float
        Examples in the units of the features.
    coefficients : tuple of tuple of float
        One row a centre, one column a score.
    columns : tuple of int or None
        The features that the kernel reads; None for all.
    is_normalised : bool
        k(x, z) is divided by the norms of x and z; it is 0 if one of them is.
    center, scale : tuple of float or None
        What is subtracted from every feature, then what it is divided by.
    fill : tuple of float or None
        What takes the place of missing values; None if no value may be missing.
    """

    kernel: Kernel
    centers: tuple[tuple[float, ...], ...]
    coefficients: tuple[tuple[float, ...], ...]
    columns: tuple[int, ...] | None = None
    is_normalised: bool = False
    center: tuple[float, ...] | None = None
    scale: tuple[float, ...] | None = None
    fill: tuple[float, ...] | None = None

    def _scaled(self, X: Floats) -> Floats:
        X = X if self.center is None else X - np.array(self.center)
        return X if self.scale is None else X / np.array(self.scale)

    def rows(self, X: Floats) -> Floats:
        """The features that the kernel reads, as it reads them."""
        X = X if self.columns is None else X[:, list(self.columns)]
        return self._scaled(X if self.fill is None else filled(X, self.fill))

    def weighted(self, width: int, n_sums: int) -> tuple[Floats, Floats]:
        """Centres as the kernel reads them, and their coefficients; norms are divided out."""
        n_read = width if self.columns is None else len(self.columns)
        # The norm of a centre does not depend on the row, so it is put into the coefficient.
        centers = self._scaled(np.array(self.centers).reshape(len(self.centers), n_read))
        coefficients = np.array(self.coefficients).reshape(len(centers), n_sums)
        return centers, coefficients * self.norms(centers)[:, None]

    def norms(self, rows: Floats) -> Floats:
        """1 / sqrt(k(x, x)) if the kernel is normalised, and 0 if that is 0."""
        if not self.is_normalised or self.kernel.name == "rbf":
            # k(x, x) = 1 for a Gaussian kernel: it is normalised by itself.
            return np.ones(len(rows))
        return self.kernel.inverse_norms(rows)

    @property
    def similarity(self) -> str:
        """What similarity means."""
        kernel = self.kernel
        gamma, shift = number(kernel.gamma), number(kernel.coef0)
        plain = self.center is None and (self.scale is None or set(self.scale) == {1.0})
        names = "" if plain else " of scaled features"
        text = {
            "rbf": f"exp(-{gamma} × squared scaled distance)",
            "linear": f"the inner product{names}",
        }.get(kernel.name, f"({gamma} × inner product{names} + {shift})^{kernel.degree}")
        return f"{text}, divided by both norms" if self.is_normalised else text

    def lines(self, words: Vocabulary, width: int) -> list[str]:
        """What similarity means, and one line an example; its values if rows are shown."""
        names = [words.names[j] for j in self.columns or range(width)]
        of = "" if self.columns is None else f" (by {', '.join(names)})"
        out = [f"Similarity{of} is {self.similarity}."]
        pairs = list(zip(self.centers, self.coefficients, strict=True))
        for i, (center, weights) in enumerate(pairs[:_MAX_SHOWN], 1):
            weight = ", ".join(number(w, sign=True) for w in weights)
            shown = replace(words, names=tuple(names)).row(center, f"kept example {i}")
            out.append(f"{weight} × similarity to {shown}")
        more = len(pairs) - _MAX_SHOWN
        return [*out, f"and {more} more examples."] if more > 0 else out

    def moved(self, places: Places) -> Self:
        """The same part over the features in ``places`` alone."""
        if self.columns is not None:
            return replace(self, columns=tuple(places[j] for j in self.columns))
        center, scale, fill = (
            None if values is None else some(values, places)
            for values in (self.center, self.scale, self.fill)
        )
        centers = tuple(some(row, places) for row in self.centers)
        return replace(self, centers=centers, center=center, scale=scale, fill=fill)

    def check(self, where: str, width: int, n_sums: int) -> None:
        """Raise `ModelFileError` if it does not fit ``width`` features and so many sums."""
        for j in self.columns or ():
            check_within(f"{where}.columns", j, width)
        n_read = width if self.columns is None else len(self.columns)
        check_matrix(f"{where}.centers", self.centers, len(self.centers), n_read)
        check_matrix(f"{where}.coefficients", self.coefficients, len(self.centers), n_sums)
        for name in ("center", "scale", "fill"):
            if getattr(self, name) is not None:
                check_length(f"{where}.{name}", getattr(self, name), n_read)
        check_positive(f"{where}.scale", self.scale or ())

    def formulas(self, language: Language, width: int) -> list[str]:
        """The similarities to the centres."""
        columns = tuple(range(width)) if self.columns is None else self.columns
        rows = [self._read(language, j, k) for k, j in enumerate(columns)]
        found = []
        for center in self.centers:
            if self.kernel.name == "rbf" and self.center is None:
                found.append(self._gaussian(language, center, columns))
                continue
            z = self._scaled(np.array([center]))[0].tolist()
            found.append(similarity_formula(self.kernel, rows, z, language))
        if not self.is_normalised or self.kernel.name == "rbf":
            return found
        own = own_formula(self.kernel, rows, language)
        zero, root = language.number(0.0), f"{language.root}({own})"
        exceeds = language.exceeds(own, zero)
        return [language.case([(exceeds, f"{text} / {root}")], zero) for text in found]

    def _gaussian(self, language: Language, center: Sequence[float], columns: Sequence[int]) -> str:
        say, scale = language.number, self.scale or (1.0,) * len(columns)
        gaps = [
            f"(({language.known(j, self.fill, k)} - {say(c)}) / {say(s)})"
            for k, (j, c, s) in enumerate(zip(columns, center, scale, strict=True))
        ]
        squares = added([f"{gap} * {gap}" for gap in gaps])
        return f"{language.exp}({say(-self.kernel.gamma)} * {squares})"

    def _read(self, language: Language, feature: int, k: int) -> str:
        text = language.known(feature, self.fill, k)
        if self.center is not None:
            text = f"({text} - {language.number(self.center[k])})"
        return text if self.scale is None else f"({text} / {language.number(self.scale[k])})"


@dataclass(frozen=True)
class Kernels(Score, tag="kernels"):
    """Sums of kernel parts; its sign, or its largest sum, gives the class.

    A sum that is closer to its rival than ``tie`` times the size of its summands equals it: the
    first class wins.

    Examples
    --------
    >>> part = KernelPart(Kernel("rbf"), ((0.0,), (2.0,)), ((1.0,), (-1.0,)))
    >>> Kernels((part,), (0.0,)).labels(np.array([[0.5], [1.5]]))
    array([1, 0])
    """

    parts: tuple[KernelPart, ...]
    intercepts: tuple[float, ...]
    tie: float = 0.0

    def _sums(self, X: Floats, *, is_size: bool = False) -> Floats:
        """One column a sum; with ``is_size``, the absolute summands are added."""
        take = np.abs if is_size else np.asarray
        start = take(np.array(self.intercepts))
        out = np.tile(start, (len(X), 1))
        for part in self.parts:
            centers, coefficients = part.weighted(X.shape[1], len(start))
            coefficients = take(coefficients)
            step = max(1, _BLOCK // max(1, len(centers)))
            for first in range(0, len(X), step):
                block = slice(first, first + step)
                rows = part.rows(X[block])
                K = take(similarities(part.kernel, rows, centers))
                if part.is_normalised:
                    K = K * part.norms(rows)[:, None]
                for j in range(len(centers)):  # in order, so that a row's sum is its own
                    out[block] += K[:, j, None] * coefficients[j]
        return out

    def scores(self, X: Floats) -> Floats:
        sums = self._sums(X)
        return sums[:, 0] if len(self.intercepts) == 1 else sums

    def labels(self, X: Floats) -> Ints:
        if not self.tie:
            return from_scores(self.scores(X))
        # Rounding errors are proportional to the absolute summands. Sums that differ by less are
        # equal, so that the order of addition decides no label.
        sums, slack = self._sums(X), self.tie * self._sums(X, is_size=True)
        if len(self.intercepts) == 1:
            return (sums[:, 0] > slack[:, 0]).astype(np.int64)
        lowest = sums.max(axis=1, keepdims=True) - slack.max(axis=1, keepdims=True)
        # The first class whose sum is not clearly below the largest.
        return np.asarray(np.argmax(sums >= lowest, axis=1), dtype=np.int64)

    @property
    def _width(self) -> int:
        """Number of features that the form reads, as far as its parts say."""
        whole = [part for part in self.parts if part.columns is None]
        rows = [row for p in whole for row in (*p.centers[:1], p.center, p.scale, p.fill) if row]
        places = [j for part in self.parts for j in part.columns or ()]
        return max([*map(len, rows), *(j + 1 for j in places)], default=0)

    def sentences(self, words: Vocabulary) -> list[str]:
        lines = [line for part in self.parts for line in part.lines(words, self._width)]
        if len(self.intercepts) == 1:
            threshold = number(-self.intercepts[0])
            return [*lines, f"Above {threshold}: {words.labels[1]}; else: {words.labels[0]}."]
        return [*lines, "One sum a class; the largest gives the class."]

    def sentences_at(self, words: Vocabulary, threshold: float) -> list[str]:
        return super().sentences_at(words, threshold - self.intercepts[0])

    def described(self, words: Vocabulary) -> list[Part]:
        return [lines_part(line) for line in self.sentences(words)[1:-1]]

    @property
    def size(self) -> int:
        return sum(len(part.centers) for part in self.parts)

    @property
    def features(self) -> tuple[int, ...]:
        own = [range(self._width) if p.columns is None else p.columns for p in self.parts]
        return used([j for columns in own for j in columns])

    @property
    def required(self) -> tuple[int, ...]:
        return () if all(part.fill is not None for part in self.parts) else self.features

    @property
    def n_training_rows(self) -> int:
        return len({(part.columns, row) for part in self.parts for row in part.centers})

    def moved(self, places: Places) -> Self:
        return replace(self, parts=tuple(part.moved(places) for part in self.parts))

    def check(self, where: str, width: int, n_classes: int) -> None:
        n = n_scores(n_classes)
        check_length(f"{where}.intercepts", self.intercepts, n)
        if not 0.0 <= self.tie <= MAX_TIE:
            raise fail(f"{where}.tie", f"a rounding error of at most {MAX_TIE:g}", self.tie)
        for i, part in enumerate(self.parts):
            part.check(f"{where}.parts[{i}]", width, n)

    def score_formulas(self, language: Language) -> list[str]:
        n_numbers = sum(len(row) for part in self.parts for row in part.centers)
        if n_numbers > _MAX_NUMBERS:
            raise ValueError(
                f"`machine` must have at most {_MAX_NUMBERS} numbers to be one formula, got "
                f"{n_numbers}. Use `handful predict`, or a machine that keeps fewer examples."
            )
        terms: list[list[str]] = [[language.number(start)] for start in self.intercepts]
        for part in self.parts:
            _, coefficients = part.weighted(self._width, len(terms))
            near = part.formulas(language, self._width)
            for k, column in enumerate(coefficients.T.tolist()):
                pairs = zip(column, near, strict=True)
                terms[k] += [f"{language.number(w)} * {text}" for w, text in pairs if w]
        return [added(parts) for parts in terms]


def kernel_expansion(
    kernel: Kernel, centers: Any, coefficients: Any, intercepts: Any, **more: Any
) -> Kernels:
    """The expansion of one kernel over examples; only those with a coefficient are kept.

    Parameters
    ----------
    kernel : Kernel
    centers : array (n_centers, n_features)
    coefficients : array (n_centers, n_sums)
    intercepts : array (n_sums,)
    **more
        ``center``, ``scale`` and ``fill`` of the part, ``tie`` of the sum.
    """
    weights = np.asarray(coefficients, dtype=np.float64)
    # An example without a coefficient in any sum changes nothing: it need not go out.
    kept = np.flatnonzero(weights.any(axis=1))
    vectors: dict[str, Any] = {
        name: None if more.get(name) is None else as_floats(more[name])
        for name in ("center", "scale", "fill")
    }
    part = KernelPart(
        kernel, as_floats(np.asarray(centers)[kept]), as_floats(weights[kept]), **vectors
    )
    return Kernels((part,), as_floats(intercepts), more.get("tie", 0.0))
