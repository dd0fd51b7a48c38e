"""The parts of a fitted classifier, one row each: what is asked, and what it gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.fitted._additive import Additive
from handful.fitted._card import Card
from handful.fitted._kernel import KernelExpansion
from handful.fitted._linear import LinearScore
from handful.fitted._machine import Machine, Spoken
from handful.fitted._simple import OrderedRules

PART_COLUMNS = ("form", "condition", "label", "value")


def parts_of(machine: Machine, words: Spoken) -> list[dict[str, Any]]:
    """Condition, label and value of each part."""
    if isinstance(machine, OrderedRules):
        parts = [
            {
                "condition": " and ".join(c.describe(words) for c in rule.conditions),
                "label": words.labels[rule.label],
                "value": 1.0,
            }
            for rule in machine.rules
        ]
        return [*parts, {"condition": "", "label": words.labels[machine.default], "value": 1.0}]
    if isinstance(machine, Card):
        return [
            {
                "condition": item.condition.describe(words),
                "label": words.labels[1],
                "value": float(item.points),
            }
            for item in machine.items
        ]
    if isinstance(machine, LinearScore):
        labels = words.labels[-len(machine.weights) :]
        return [
            {"condition": words.names[j], "label": label, "value": row[j]}
            for label, row in zip(labels, machine.weights, strict=True)
            for j in machine.features
        ]
    if isinstance(machine, Additive | KernelExpansion):
        lines = machine.sentences(words)[1:-1]
        return [{"condition": line, "label": "", "value": np.nan} for line in lines]
    return [{"condition": line, "label": "", "value": np.nan} for line in machine.sentences(words)]
