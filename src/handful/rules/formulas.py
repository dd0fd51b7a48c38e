"""Formulas that SQL and Python both read, up to the spelling of a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handful._codec import ModelFileError
from handful.kernels import Kernel

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


def sum_of(terms: Sequence[str]) -> str:
    """Terms added up."""
    return "(" + " + ".join(terms) + ")" if terms else "0.0"


def weighted_sum(weights: Vector, dialect: Dialect, *, with_zeros: bool = False) -> str:
    """Sum of weights times columns; those of weight zero matter only where they are missing."""
    return sum_of(
        [
            f"{dialect.number(w)} * {dialect.operand(j)}"
            for j, w in enumerate(weights)
            if w or with_zeros
        ]
    )


def gaps_of(point: Vector, dialect: Dialect, scale: Vector | None = None) -> list[str]:
    """Columns minus the coordinates of a point."""
    out = []
    for j, value in enumerate(point):
        column = dialect.operand(j)
        if scale is None:
            out.append(f"({column} - {dialect.number(value)})")
        else:
            unit, place = dialect.number(scale[j]), dialect.number(value / scale[j])
            out.append(f"({column} / {unit} - {place})")
    return out


def sum_of_squares(gaps: Sequence[str]) -> str:
    """Squares added up."""
    return sum_of([f"{gap} * {gap}" for gap in gaps])


def kernel_formula(kernel: Kernel, point: Vector, dialect: Dialect) -> str:
    """k(point, x) as a formula of the columns."""
    if kernel.name == "rbf":
        squares = sum_of_squares(gaps_of(point, dialect))
        return f"{dialect.exp}({dialect.number(-kernel.gamma)} * {squares})"
    if kernel.name == "precomputed":
        raise ModelFileError("a rule on a precomputed kernel has no formula. Export another model.")
    products = weighted_sum(point, dialect, with_zeros=True)
    return products if kernel.name == "linear" else _power(kernel, products, dialect)


def _power(kernel: Kernel, products: str, dialect: Dialect) -> str:
    base = f"({dialect.number(kernel.gamma)} * {products} + {dialect.number(kernel.coef0)})"
    return "(" + " * ".join([base] * kernel.degree) + ")"


def own_kernel_formula(kernel: Kernel, n_features: int, dialect: Dialect) -> str:
    """k(x, x) as a formula of the columns."""
    if kernel.name == "rbf":
        return "1.0"
    columns = [dialect.operand(j) for j in range(n_features)]
    squares = sum_of([f"{column} * {column}" for column in columns])
    return squares if kernel.name == "linear" else _power(kernel, squares, dialect)
