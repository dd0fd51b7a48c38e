"""A menu and its chosen row in sentences."""

from __future__ import annotations

import numpy as np

from handful.certified._menu import Menu
from handful.models import Fitted


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
