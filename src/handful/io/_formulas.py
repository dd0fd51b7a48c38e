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
    """How columns, texts and a few functions are spelled."""

    column: Callable[[int], str]
    text: Callable[[str], str]
    equal: str
    unequal: str
    exp: str
    absolute: str
    root: str
    both: str
    either: str
    is_known: Callable[[str], str]


def number(value: float) -> str:
    """Digits that give the same float again; negative ones in brackets."""
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _sum(terms: Sequence[str]) -> str:
    return "(" + " + ".join(terms) + ")" if terms else "0.0"


def weighted_sum(weights: Vector, dialect: Dialect) -> str:
    """Sum of weights times columns, without those of weight zero."""
    return _sum([f"{number(w)} * {dialect.column(j)}" for j, w in enumerate(weights) if w])


def _gaps(point: Vector, dialect: Dialect, scale: Vector | None = None) -> list[str]:
    out = []
    for j, value in enumerate(point):
        column = dialect.column(j)
        if scale is None:
            out.append(f"({column} - {number(value)})")
        else:
            out.append(f"({column} / {number(scale[j])} - {number(value / scale[j])})")
    return out


def _squares(gaps: Sequence[str]) -> str:
    return _sum([f"{gap} * {gap}" for gap in gaps])


def kernel_formula(kernel: Kernel, point: Vector, dialect: Dialect) -> str:
    """k(point, x) as a formula of the columns."""
    if kernel.name == "rbf":
        squares = _squares(_gaps(point, dialect))
        return f"{dialect.exp}({number(-kernel.gamma)} * {squares})"
    if kernel.name == "precomputed":
        raise ModelFileError("a rule on a precomputed kernel has no formula. Export another model.")
    products = weighted_sum(point, dialect)
    if kernel.name == "linear":
        return products
    base = f"({number(kernel.gamma)} * {products} + {number(kernel.coef0)})"
    return "(" + " * ".join([base] * kernel.degree) + ")"


def _own_kernel(kernel: Kernel, n_features: int, dialect: Dialect) -> str:
    """k(x, x) as a formula of the columns."""
    if kernel.name == "rbf":
        return "1.0"
    columns = [dialect.column(j) for j in range(n_features)]
    squares = _sum([f"{column} * {column}" for column in columns])
    if kernel.name == "linear":
        return squares
    base = f"({number(kernel.gamma)} * {squares} + {number(kernel.coef0)})"
    return "(" + " * ".join([base] * kernel.degree) + ")"


def value_formula(rule: AbstractRule, dialect: Dialect) -> str:
    """The number that a rule compares with its threshold."""
    if isinstance(rule, Stump):
        return dialect.column(rule.feature)
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
        own = number(float(rule.kernel.diagonal(center)[0]))
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


def condition_formula(rule: AbstractRule, dialect: Dialect, words: Sequence[Any] | None) -> str:
    """Whether a row is covered; a missing value is covered by nothing."""
    if isinstance(rule, Stump) and rule.side in ("equal", "unequal"):
        mark = dialect.equal if rule.side == "equal" else dialect.unequal
        column = dialect.column(rule.feature)
        value = number(rule.threshold)
        if words is not None:
            value = dialect.text(words[int(rule.threshold)])
        compared = f"{column} {mark} {value}"
        known = dialect.is_known(column)
        return f"({known} {dialect.both} {compared})" if known else compared
    if isinstance(rule, Ball) and rule.metric == "chebyshev" and rule.kernel is None:
        return _largest_condition(rule, dialect)
    low, high = number(rule.cut - rule.tolerance), number(rule.cut + rule.tolerance)
    value = value_formula(rule, dialect)
    return f"{value} < {low}" if rule.side == "below" else f"{value} > {high}"


def _largest_condition(rule: Ball, dialect: Dialect) -> str:
    """Every coordinate within the radius, or some beyond it (and none missing)."""
    sizes = [f"{dialect.absolute}({gap})" for gap in _gaps(rule.center, dialect, rule.scale)]
    if rule.side == "below":
        low = number(rule.cut - rule.tolerance)
        return "(" + f" {dialect.both} ".join(f"{size} < {low}" for size in sizes) + ")"
    high = number(rule.cut + rule.tolerance)
    some = f" {dialect.either} ".join(f"{size} > {high}" for size in sizes)
    return f"(({some}) {dialect.both} {_sum(sizes)} >= 0.0)"
