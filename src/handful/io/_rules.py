"""Rules as plain data, and back, with every field checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from handful.kernels import KERNELS, Kernel
from handful.rules import (
    AbstractRule,
    Ball,
    HalfSpace,
    LinearRule,
    RuleList,
    RuleSet,
    Stump,
    TwoPointHalfSpace,
)
from handful.rules.ball import METRICS
from handful.rules.rule import SIDES

MAX_VALUES = 1_000_000
MAX_NUMBER = float(sys.float_info.max)
MAX_DEGREE, MAX_LEVEL = 50, 62
_ORDERED = ("below", "above")
_KERNELS = tuple(name for name in KERNELS if name != "precomputed")  # known for new cases too
_ORIGINS = (
    "logistic regression on the pool (ridge 1)",
    "logistic regression on the pool (ridge 10)",
    "half-space between two examples of the pool",
)


class ModelFileError(ValueError):
    """A model file that is not what it should be; the message says where."""


def fail(where: str, rule: str, value: Any) -> ModelFileError:
    """The error for a value that is not what it should be."""
    shown = repr(value)
    return ModelFileError(f"`{where}` must be {rule}, got {shown[:80]}. The file is not usable.")


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


def _read_within(low: int, high: int) -> Callable[[Any, str], int]:
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


def _optional(reader: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, where: None if value is None else reader(value, where)


def _read_indices(n: int) -> Callable[[Any, str], Any]:
    def read(value: Any, where: str) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) != n:
            raise fail(where, f"a list of {n} whole numbers", value)
        return tuple(read_index(v, where) for v in value)

    return read


def _read_side(value: Any, where: str) -> str:
    return read_text(value, where, SIDES)


def _read_ordered_side(value: Any, where: str) -> str:
    return read_text(value, where, _ORDERED)


def _read_origin(value: Any, where: str) -> str:
    return read_text(value, where, _ORIGINS)


def _read_nothing(value: Any, where: str) -> None:
    """What is shown follows from what is evaluated; a second text could say something else."""
    if value is not None:
        raise fail(where, "null", value)


def _read_scale(value: Any, where: str) -> tuple[float, ...]:
    found = read_floats(value, where)
    if not all(part > 0.0 for part in found):
        raise fail(where, "a list of positive numbers", value)
    return found


def _read_metric(value: Any, where: str) -> str:
    return read_text(value, where, tuple(METRICS))


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
        degree=_read_within(1, MAX_DEGREE)(value["degree"], f"{where}.degree"),
        coef0=read_float(value["coef0"], f"{where}.coef0"),
    )


RULES: dict[str, type[AbstractRule]] = {
    "stump": Stump,
    "ball": Ball,
    "half-space": HalfSpace,
    "two-point": TwoPointHalfSpace,
    "linear": LinearRule,
}
RULE_FIELDS: dict[str, dict[str, Callable[[Any, str], Any]]] = {
    "stump": {
        "feature": read_index,
        "threshold": read_float,
        "side": _read_side,
        "example": _optional(read_index),
        "category": _read_nothing,
    },
    "ball": {
        "center": read_floats,
        "radius": read_size,
        "side": _read_ordered_side,
        "metric": _read_metric,
        "scale": _optional(_read_scale),
        "kernel": _optional(read_kernel),
        "indices": _optional(_read_indices(2)),
    },
    "half-space": {
        "a": read_floats,
        "b": read_floats,
        "threshold": read_float,
        "side": _read_ordered_side,
        "kernel": read_kernel,
        "indices": _optional(_read_indices(3)),
    },
    "two-point": {
        "a": read_floats,
        "b": read_floats,
        "numerator": read_index,
        "level": _read_within(1, MAX_LEVEL),
        "side": _read_ordered_side,
        "kernel": read_kernel,
        "indices": _optional(_read_indices(2)),
    },
    "linear": {
        "weights": read_floats,
        "threshold": read_float,
        "side": _read_ordered_side,
        "origin": _read_origin,
        "tol": read_size,
    },
}
_NAMES = {cls: name for name, cls in RULES.items()}


def rule_to_dict(rule: AbstractRule) -> dict[str, Any]:
    """Plain data of a rule."""
    name = _NAMES[type(rule)]
    out: dict[str, Any] = {"type": name}
    for field in RULE_FIELDS[name]:
        value = getattr(rule, field)
        if isinstance(value, Kernel):
            value = value.to_dict()
        out[field] = list(value) if isinstance(value, tuple) else value
    return out


def rule_from_dict(data: Any, where: str) -> AbstractRule:
    """The rule that ``rule_to_dict`` described."""
    if not isinstance(data, Mapping):
        raise fail(where, "a rule", data)
    name = read_text(data.get("type"), f"{where}.type", tuple(RULES))
    fields = RULE_FIELDS[name]
    if set(data) != {"type", *fields}:
        raise fail(where, f"a rule with the fields {sorted(fields)}", sorted(map(str, data)))
    values = {field: read(data[field], f"{where}.{field}") for field, read in fields.items()}
    if name == "two-point" and not (
        values["numerator"] % 2 and values["numerator"] < 2 ** values["level"]
    ):
        raise fail(f"{where}.numerator", "odd and below 2^level", values["numerator"])
    return RULES[name](**values)


def machine_to_dict(machine: RuleSet | RuleList) -> dict[str, Any]:
    """Plain data of a set or list of rules."""
    out: dict[str, Any] = {"rules": [rule_to_dict(rule) for rule in machine.rules]}
    if isinstance(machine, RuleList):
        return {"kind": "list", "outputs": list(machine.outputs), "default": machine.default, **out}
    return {"kind": machine.kind, **out}


def machine_from_dict(data: Any, where: str) -> RuleSet | RuleList:
    """The machine that ``machine_to_dict`` described."""
    if not isinstance(data, Mapping) or not isinstance(data.get("rules"), list):
        raise fail(where, "a machine with rules", data)
    if len(data["rules"]) > 10_000:
        raise fail(f"{where}.rules", "at most 10000 rules", len(data["rules"]))
    rules = tuple(
        rule_from_dict(rule, f"{where}.rules[{i}]") for i, rule in enumerate(data["rules"])
    )
    kinds = ("conjunction", "disjunction", "list")
    kind = read_text(data.get("kind"), f"{where}.kind", kinds)
    known = {"kind", "rules", "outputs", "default"} if kind == "list" else {"kind", "rules"}
    if set(data) != known:
        raise fail(where, f"a machine with the fields {sorted(known)}", sorted(map(str, data)))
    if kind != "list":
        return RuleSet(rules, kind)
    outputs = data["outputs"]
    labels = [data["default"], *(outputs if isinstance(outputs, list) else [None])]
    is_signed = all(type(label) is int and label in (-1, 1) for label in labels)
    if not is_signed or len(labels) != len(rules) + 1:
        raise fail(f"{where}.outputs", "one of -1, 1 a rule, and a default", labels)
    return RuleList(rules, tuple(labels[1:]), labels[0])
