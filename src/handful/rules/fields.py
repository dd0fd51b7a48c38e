"""Fields of model files: readers that refuse what is not what it should be.

Each reader takes a value of a parsed document and the place where it stands, and gives the value
in its own type or raises `ModelFileError`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from handful._codec import fail
from handful.kernels import KERNELS, Kernel

SIDES = ("below", "above", "equal", "unequal")
MAX_VALUES = 1_000_000  # a damaged file must not make the reader build more
MAX_NUMBER = float(sys.float_info.max)
MAX_DEGREE, MAX_LEVEL = 50, 62  # higher powers overflow; finer fractions are no exact floats
_ORDERED = ("below", "above")
_KERNELS = tuple(name for name in KERNELS if name != "precomputed")  # known for new cases too

Reader = Callable[[Any, str], Any]


def read_float(value: Any, where: str) -> float:
    """A finite number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise fail(where, "a finite number", value)
    return float(value)


def read_size(value: Any, where: str) -> float:
    """A finite number that is not negative."""
    found = read_float(value, where)
    if found < 0.0:
        raise fail(where, "a number that is not negative", value)
    return found


def read_index(value: Any, where: str) -> int:
    """The number of an example or a feature, from 0."""
    found = read_int(value, where)
    if found < 0:
        raise fail(where, "a number from 0", value)
    return found


def read_within(low: int, high: int) -> Callable[[Any, str], int]:
    """A reader of whole numbers between two limits."""

    def read(value: Any, where: str) -> int:
        found = read_int(value, where)
        if not low <= found <= high:
            raise fail(where, f"a whole number from {low} to {high}", value)
        return found

    return read


def read_int(value: Any, where: str) -> int:
    """A whole number of reasonable size."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**53:
        raise fail(where, "a whole number", value)
    return value


def read_text(value: Any, where: str, choices: tuple[str, ...] | None = None) -> str:
    """A string, one of ``choices`` where they are given."""
    if not isinstance(value, str) or (choices is not None and value not in choices):
        raise fail(where, f"one of {choices}" if choices else "a text", value)
    try:
        value.encode()
    except UnicodeEncodeError as error:  # half of a character
        raise fail(where, "a text that can be written", value) from error
    return value


def read_floats(value: Any, where: str) -> tuple[float, ...]:
    """A list of finite numbers."""
    if not isinstance(value, list) or len(value) > MAX_VALUES:
        raise fail(where, f"a list of at most {MAX_VALUES} numbers", value)
    return tuple(read_float(v, f"{where}[{i}]") for i, v in enumerate(value))


def optional(reader: Reader) -> Reader:
    """A reader that lets null pass."""
    return lambda value, where: None if value is None else reader(value, where)


def read_indices(*sizes: int) -> Reader:
    """A reader of so many numbers of examples, or none."""

    def read(value: Any, where: str) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) not in (0, *sizes):
            allowed = " or ".join(str(n) for n in (0, *sizes))
            raise fail(where, f"a list of {allowed} whole numbers", value)
        return tuple(read_index(v, where) for v in value)

    return read


def read_side(value: Any, where: str) -> str:
    """Any side."""
    return read_text(value, where, SIDES)


def read_ordered_side(value: Any, where: str) -> str:
    """Below or above."""
    return read_text(value, where, _ORDERED)


def read_nothing(value: Any, where: str) -> None:
    """What is shown follows from what is evaluated; a second text could say something else."""
    if value is not None:
        raise fail(where, "null", value)


def read_scale(value: Any, where: str) -> tuple[float, ...]:
    """Positive numbers."""
    found = read_floats(value, where)
    if not all(part > 0.0 for part in found):
        raise fail(where, "a list of positive numbers", value)
    return found


def read_kernel(value: Any, where: str) -> Kernel:
    """A named kernel with its parameters."""
    if not isinstance(value, Mapping) or set(value) != {"name", "gamma", "degree", "coef0"}:
        raise fail(where, "a kernel with name, gamma, degree, coef0", value)
    gamma = read_size(value["gamma"], f"{where}.gamma")
    if gamma == 0.0:
        raise fail(f"{where}.gamma", "positive", value["gamma"])
    return Kernel(
        read_text(value["name"], f"{where}.name", _KERNELS),
        gamma=gamma,
        degree=read_within(1, MAX_DEGREE)(value["degree"], f"{where}.degree"),
        coef0=read_float(value["coef0"], f"{where}.coef0"),
    )
