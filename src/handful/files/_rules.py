"""Rules as plain data, and back, with every field checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handful._codec import fail
from handful.kernels import Kernel
from handful.rules import RULES, AbstractRule, RuleList, RuleSet, kind_of_rule
from handful.rules.fields import read_text


def rule_to_dict(rule: AbstractRule) -> dict[str, Any]:
    """Plain data of a rule."""
    out: dict[str, Any] = {"type": kind_of_rule(rule)}
    for field in rule.fields:
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
    fields = RULES[name].fields
    if set(data) != {"type", *fields}:
        raise fail(where, f"a rule with the fields {sorted(fields)}", sorted(map(str, data)))
    values = {field: read(data[field], f"{where}.{field}") for field, read in fields.items()}
    rule = RULES[name](**values)
    rule.check(where)
    return rule


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
