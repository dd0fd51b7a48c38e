"""A menu and its chosen row in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from handful.certified._menu import Menu
from handful.fitted import Additive, Card, Fitted, KernelExpansion, LinearScore, OrderedRules

if TYPE_CHECKING:
    import pandas as pd


def menu_lines(menu: Menu, chosen: int) -> list[str]:
    """The menu as a plain table, smallest certificate first."""
    rows = [("", "form", "size", "uses", "certificate")]
    for row in range(len(menu)):
        candidate = menu[row]
        mark = "→" if row == chosen else " "
        risk = f"{np.ceil(float(menu.risks[menu.order[row]]) * 1000.0) / 1000.0:.3f}"
        size = "?" if candidate.fitted.machine.size >= 10**6 else str(candidate.fitted.machine.size)
        rows.append((f"{mark} {row}", candidate.name, size, _uses(candidate.fitted), risk))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    lines = [line.rstrip() for line in lines]
    return lines + [f"  –  {failure.name}: {failure.reason}" for failure in menu.failures]


def _uses(fitted: Fitted) -> str:
    names = fitted.uses
    n_columns = len(fitted.columns.columns)
    if not names:
        return "?" if fitted.machine.size >= 10**6 else "nothing"
    if len(names) == n_columns and n_columns > 3:
        return f"all {n_columns}"
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} of {n_columns}"


def rules_frame(fitted: Fitted) -> pd.DataFrame:
    """The parts of a classifier: what is asked, and what it gives."""
    import pandas as pd

    rows = [{"form": fitted.form, **row} for row in _parts(fitted)]
    return pd.DataFrame(rows, columns=["form", "condition", "label", "value"])


def _parts(fitted: Fitted) -> list[dict[str, Any]]:
    machine, words = fitted.machine, fitted.words
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
