"""Rules as formulas that SQL and Python both read, up to the spelling of a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.io._rules import ModelFileError
from handful.kernels import Kernel
from handful.rules import AbstractRule, Ball, HalfSpace, LinearRule, Stump, TwoPointHalfSpace

Vector = Sequence[float]


@dataclass(frozen=True)
class Dialect:
    """How columns, texts and a few functions are spelled.

    ``column`` is a column to compare, ``operand`` the same for arithmetic, ``word`` the
    comparison of a column with a word (equal or not), false where the value is missing.
    """

    column: Callable[[int], str]
    operand: Callable[[int], str]
    number: Callable[[float], str]
    word: Callable[[int, str, bool], str]
    equal: str
    unequal: str
    exp: str
    absolute: str
    root: str
    both: str
    either: str
    is_known: Callable[[int], str]


def number(value: float) -> str:
    """Digits that give the same float again; negative ones in brackets."""
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _sum(terms: Sequence[str]) -> str:
    return "(" + " + ".join(terms) + ")" if terms else "0.0"


def weighted_sum(weights: Vector, dialect: Dialect, *, with_zeros: bool = False) -> str:
    """Sum of weights times columns; those of weight zero matter only where they are missing."""
    return _sum(
        [
            f"{dialect.number(w)} * {dialect.operand(j)}"
            for j, w in enumerate(weights)
            if w or with_zeros
        ]
    )


def _gaps(point: Vector, dialect: Dialect, scale: Vector | None = None) -> list[str]:
    out = []
    for j, value in enumerate(point):
        column = dialect.operand(j)
        if scale is None:
            out.append(f"({column} - {dialect.number(value)})")
        else:
            unit, place = dialect.number(scale[j]), dialect.number(value / scale[j])
            out.append(f"({column} / {unit} - {place})")
    return out


def _squares(gaps: Sequence[str]) -> str:
    return _sum([f"{gap} * {gap}" for gap in gaps])


def kernel_formula(kernel: Kernel, point: Vector, dialect: Dialect) -> str:
    """k(point, x) as a formula of the columns."""
    if kernel.name == "rbf":
        squares = _squares(_gaps(point, dialect))
        return f"{dialect.exp}({dialect.number(-kernel.gamma)} * {squares})"
    if kernel.name == "precomputed":
        raise ModelFileError("a rule on a precomputed kernel has no formula. Export another model.")
    products = weighted_sum(point, dialect, with_zeros=True)
    return products if kernel.name == "linear" else _power(kernel, products, dialect)


def _power(kernel: Kernel, products: str, dialect: Dialect) -> str:
    base = f"({dialect.number(kernel.gamma)} * {products} + {dialect.number(kernel.coef0)})"
    return "(" + " * ".join([base] * kernel.degree) + ")"


def _own_kernel(kernel: Kernel, n_features: int, dialect: Dialect) -> str:
    """k(x, x) as a formula of the columns."""
    if kernel.name == "rbf":
        return "1.0"
    columns = [dialect.operand(j) for j in range(n_features)]
    squares = _sum([f"{column} * {column}" for column in columns])
    return squares if kernel.name == "linear" else _power(kernel, squares, dialect)


def value_formula(rule: AbstractRule, dialect: Dialect) -> str:
    """The number that a rule compares with its threshold."""
    if isinstance(rule, Stump):  # only between 0 and 1 may the column hold True and False
        make = dialect.operand if 0.0 <= rule.threshold <= 1.0 else dialect.column
        return make(rule.feature)
    if isinstance(rule, LinearRule):
        return weighted_sum(rule.weights, dialect)
    if isinstance(rule, (HalfSpace, TwoPointHalfSpace)):
        if rule.kernel.name == "linear":
            return weighted_sum(np.subtract(rule.a, rule.b).tolist(), dialect)
        first = kernel_formula(rule.kernel, rule.a, dialect)
        return f"({first} - {kernel_formula(rule.kernel, rule.b, dialect)})"
    assert isinstance(rule, Ball)
    return _distance_formula(rule, dialect)


def _distance_formula(rule: Ball, dialect: Dialect) -> str:
    if rule.kernel is not None:
        center = np.array([rule.center])
        own = dialect.number(float(rule.kernel.diagonal(center)[0]))
        between = kernel_formula(rule.kernel, rule.center, dialect)
        squares = f"({_own_kernel(rule.kernel, len(rule.center), dialect)} + {own}"
        return f"{dialect.root}({dialect.absolute}({squares} - 2.0 * {between})))"
    gaps = _gaps(rule.center, dialect, rule.scale)
    if rule.metric == "euclidean":
        return f"{dialect.root}({_squares(gaps)})"
    sizes = [f"{dialect.absolute}({gap})" for gap in gaps]
    if rule.metric == "manhattan":
        return _sum(sizes)
    raise ModelFileError("balls in the largest coordinate have no single formula.")


def condition_formula(
    rule: AbstractRule, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
) -> str:
    """Whether a row is covered, or its opposite; neither is met by a missing value."""
    if isinstance(rule, Stump) and rule.side in ("equal", "unequal"):
        return _equality(rule, dialect, words, (rule.side == "equal") != opposite)
    if isinstance(rule, Ball) and rule.metric == "chebyshev" and rule.kernel is None:
        return _largest_condition(rule, dialect, opposite)
    mark, cut = _comparison(rule, dialect, opposite)
    return f"{value_formula(rule, dialect)} {mark} {cut}"


def _comparison(rule: AbstractRule, dialect: Dialect, opposite: bool) -> tuple[str, str]:
    """The mark and the number on its right."""
    if rule.side == "below":
        return (">=" if opposite else "<"), dialect.number(rule.cut - rule.tolerance)
    return ("<=" if opposite else ">"), dialect.number(rule.cut + rule.tolerance)


def _equality(rule: Stump, dialect: Dialect, words: Sequence[Any] | None, is_equal: bool) -> str:
    if words is not None:
        return dialect.word(rule.feature, words[int(rule.threshold)], is_equal)
    mark = dialect.equal if is_equal else dialect.unequal
    compared = f"{dialect.column(rule.feature)} {mark} {dialect.number(rule.threshold)}"
    known = dialect.is_known(rule.feature)
    return f"({known} {dialect.both} {compared})" if known else compared


def _largest_condition(rule: Ball, dialect: Dialect, opposite: bool) -> str:
    """Every coordinate within the radius, or some beyond it (and none missing)."""
    sizes = [f"{dialect.absolute}({gap})" for gap in _gaps(rule.center, dialect, rule.scale)]
    mark, cut = _comparison(rule, dialect, opposite)
    compared = [f"{size} {mark} {cut}" for size in sizes]
    if mark in ("<", "<="):
        return "(" + f" {dialect.both} ".join(compared) + ")"
    some = f" {dialect.either} ".join(compared)
    return f"(({some}) {dialect.both} {_sum(sizes)} >= {dialect.number(0.0)})"
