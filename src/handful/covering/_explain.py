"""Machines in words and tables."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.covering.columns import Columns
from handful.covering.learn import Learned
from handful.rules import OR_MISSING, AbstractRule, RuleList, RuleSet, Stump

if TYPE_CHECKING:
    import pandas as pd

Machine = RuleSet | RuleList
_OPPOSITE = {"below": "≥", "above": "≤", "equal": "≠", "unequal": "="}


def _named(rule: AbstractRule, columns: Columns | None) -> AbstractRule:
    """A stump on categories shows the category instead of its code."""
    if columns is None or not isinstance(rule, Stump):
        return rule
    known = columns.categories[rule.feature]
    return rule if known is None else replace(rule, category=known[int(rule.threshold)])


def condition(rule: AbstractRule, names: Sequence[str] | None, columns: Columns | None) -> str:
    """When the rule covers a case."""
    return _named(rule, columns).describe(names)


def _opposite(rule: AbstractRule, names: Sequence[str] | None, columns: Columns | None) -> str:
    """When the rule does not cover a case."""
    text = condition(rule, names, columns)
    symbol = {"below": "<", "above": ">", "equal": "=", "unequal": "≠"}[rule.side]
    head, _, tail = text.rpartition(f" {symbol} ")
    return f"{head} {_OPPOSITE[rule.side]} {tail}"


def explain_machine(
    machines: Sequence[tuple[Any, Machine]],
    classes: NDArray[Any],
    names: Sequence[str] | None,
    columns: Columns | None,
) -> str:
    """Each machine as a sentence."""
    texts = []
    for label, machine in machines:
        other = f"not {label}" if len(classes) > 2 else str(classes[0])
        if isinstance(machine, RuleList):
            texts.append(_list_text(machine, label, other, names, columns))
        else:
            texts.append(_set_text(machine, label, other, names, columns))
    if len(machines) > 1:
        texts.append("The class whose machine says yes with the largest distance wins.")
    return "\n".join(texts)


def _set_text(
    machine: RuleSet, label: Any, other: str, names: Sequence[str] | None, columns: Columns | None
) -> str:
    if not machine.rules:
        return f"Always predict {label if machine.sign > 0 else other}."
    if machine.kind == "conjunction":
        parts = [_opposite(rule, names, columns) for rule in machine.rules]
        joined = "\n  and ".join(parts)
    else:
        parts = [condition(rule, names, columns) for rule in machine.rules]
        joined = "\n  or  ".join(parts)
    return f"Predict {label} if\n      {joined};\notherwise {other}."


def _list_text(
    machine: RuleList, label: Any, other: str, names: Sequence[str] | None, columns: Columns | None
) -> str:
    words = {1: str(label), -1: other}
    lines = [
        f"{'if' if i == 0 else 'else if'} {condition(rule, names, columns)}: {words[output]}"
        for i, (rule, output) in enumerate(zip(machine.rules, machine.outputs, strict=True))
    ]
    return "\n".join([*lines, f"otherwise: {words[machine.default]}"])


def machine_html(machine: Any) -> str:
    """Rule and certificate of a fitted machine for notebooks; text from the data is escaped."""
    rule = html.escape(machine.explain().split("\n\n")[0])
    return (
        "<div style='max-width:60em'><pre style='white-space:pre-wrap;padding:.8em 1em;"
        "border-left:4px solid #5c7cfa;background:rgba(92,124,250,.08)'>"
        f"{rule}</pre>{machine.certificate_._repr_html_()}</div>"
    )


def rules_frame(
    machines: Sequence[tuple[Any, Machine]],
    classes: NDArray[Any],
    names: Sequence[str] | None,
    columns: Columns | None,
    X: Floats,
) -> pd.DataFrame:
    """One row a rule."""
    import pandas as pd

    rows = []
    for label, machine in machines:
        other = f"not {label}" if len(classes) > 2 else classes[0]
        more = OR_MISSING if machine.with_missing else ""
        for i, rule in enumerate(machine.rules):
            output = machine.outputs[i] if isinstance(machine, RuleList) else -machine.sign
            rows.append(
                {
                    "machine": label,
                    "position": i,
                    "type": type(rule).__name__,
                    "condition": condition(rule, names, columns) + more,
                    "output": label if output > 0 else other,
                    "examples": rule.examples,
                    "n_covered": int(machine.covers(rule, X).sum()),
                }
            )
    columns_ = ["machine", "position", "type", "condition", "output", "examples", "n_covered"]
    return pd.DataFrame(rows, columns=columns_)


def path_frame(learned: Sequence[Learned], classes: NDArray[Any], delta: float) -> pd.DataFrame:
    """All candidates, the chosen one marked."""
    import pandas as pd

    rows = []
    for k, part in enumerate(learned):
        for i, (candidate, risk) in enumerate(zip(part.candidates, part.risks, strict=True)):
            rows.append(
                {
                    "machine": classes[1] if len(learned) == 1 else classes[k],
                    "scheme": candidate.scheme,
                    "family": candidate.family,
                    "kind": candidate.kind,
                    "penalty": candidate.penalty,
                    "pool_size": candidate.pool_size,
                    "n_rules": candidate.n_rules,
                    "n_compressed": len(candidate.kept),
                    "n_errors": candidate.n_errors,
                    "n_training_errors": candidate.n_training_errors,
                    "nats": candidate.nats,
                    "certificate": float(risk),
                    "is_chosen": i == part.place,
                }
            )
    return pd.DataFrame(rows)


def equivalent_rules(
    machines: Sequence[tuple[Any, Machine]], X: Floats, columns: Columns | None
) -> list[list[AbstractRule]]:
    """For each rule the stumps, at values of the data, that cover exactly the same rows."""
    found = []
    for _, machine in machines:
        for rule in machine.rules:
            found.append(_same_cover(rule, rule.covers(X), X, columns))
    return found


def _same_cover(
    rule: AbstractRule, covered: NDArray[np.bool_], X: Floats, columns: Columns | None
) -> list[AbstractRule]:
    same: list[Stump] = []
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        is_categorical = columns is not None and columns.categories[j] is not None
        if is_categorical or not covered.any() or covered.all() or (covered & ~known).any():
            continue
        inside, outside = X[covered, j], X[~covered & known, j]
        if outside.size == 0:
            continue
        if inside.max() < outside.min():
            same.append(Stump(j, float(outside.min()), "below"))
        elif inside.min() > outside.max():
            same.append(Stump(j, float(outside.max()), "above"))
    own = rule.feature if isinstance(rule, Stump) else -1
    return [stump for stump in same if stump.feature != own]
