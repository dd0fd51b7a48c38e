"""Machines in words and tables."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.bounds import Certificate
from handful.covering.learn import Learned
from handful.models import PART_COLUMNS
from handful.rules import OR_MISSING, AbstractRule, RuleList, RuleSet, Stump, kind_of_rule

if TYPE_CHECKING:
    import pandas as pd

Machine = RuleSet | RuleList
Names = Sequence[str] | None
Words = Sequence[Sequence[str] | None] | None

_MORE_COLUMNS = ("machine", "position", "rule", "examples", "n_covered")


def machine_lines(
    machines: Sequence[tuple[Any, Machine]], classes: NDArray[Any], names: Names, words: Words
) -> list[str]:
    """Each machine as a sentence of several lines."""
    lines: list[str] = []
    for label, machine in machines:
        other = f"not {label}" if len(classes) > 2 else str(classes[0])
        if isinstance(machine, RuleList):
            lines += _list_lines(machine, str(label), other, names, words)
        else:
            lines += _set_lines(machine, str(label), other, names, words)
    if len(machines) > 1:
        lines.append("The class whose machine says yes with the largest distance wins.")
    return lines


def _set_lines(machine: RuleSet, label: str, other: str, names: Names, words: Words) -> list[str]:
    if not machine.rules:
        return [f"Always predict {label if machine.sign > 0 else other}."]
    is_conjunction = machine.kind == "conjunction"
    between = "  and " if is_conjunction else "  or  "
    texts = [r.describe(names, words=words, opposite=is_conjunction) for r in machine.rules]
    middle = [f"      {texts[0]}", *(between + text for text in texts[1:])]
    return [f"Predict {label} if", *middle[:-1], f"{middle[-1]};", f"otherwise {other}."]


def _list_lines(machine: RuleList, label: str, other: str, names: Names, words: Words) -> list[str]:
    says = {1: label, -1: other}
    lines = [
        f"{'if' if i == 0 else 'else if'} {rule.describe(names, words=words)}: {says[output]}"
        for i, (rule, output) in enumerate(zip(machine.rules, machine.outputs, strict=True))
    ]
    return [*lines, f"otherwise: {says[machine.default]}"]


def examples_text(n_made_of: int, n_held_back: int, n_samples: int) -> str:
    """How many examples a machine is made of, and how many were held back besides.

    Examples
    --------
    >>> examples_text(3, 205, 683)
    'It is made of 3 of 683 examples; 205 were held back: they proposed the rules and are not \
counted.'
    """
    text = f"It is made of {n_made_of} of {n_samples} examples"
    if n_held_back == n_made_of:
        return f"{text}, which are not counted."
    return f"{text}; {n_held_back} were held back: they proposed the rules and are not counted."


def machine_html(lines: Sequence[str], certificate: Certificate) -> str:
    """Rule and certificate of a fitted machine for notebooks; text from the data is escaped."""
    rule = html.escape("\n".join(lines))
    return (
        "<div style='max-width:60em'><pre style='white-space:pre-wrap;padding:.8em 1em;"
        "border-left:4px solid #5c7cfa;background:rgba(92,124,250,.08)'>"
        f"{rule}</pre>{certificate._repr_html_()}</div>"
    )


def rules_frame(
    form: str,
    machines: Sequence[tuple[Any, Machine]],
    n_covered: Sequence[Sequence[int]],
    classes: NDArray[Any],
    names: Names,
    words: Words,
) -> pd.DataFrame:
    """One row a rule."""
    import pandas as pd

    rows = []
    for (label, machine), counts in zip(machines, n_covered, strict=True):
        other = f"not {label}" if len(classes) > 2 else classes[0]
        more = OR_MISSING if machine.with_missing else ""
        for i, (rule, n) in enumerate(zip(machine.rules, counts, strict=True)):
            output = machine.outputs[i] if isinstance(machine, RuleList) else -machine.sign
            rows.append(
                {
                    "form": form,
                    "condition": rule.describe(names, words=words) + more,
                    "label": label if output > 0 else other,
                    "value": 1.0,
                    "machine": label,
                    "position": i,
                    "rule": kind_of_rule(rule),
                    "examples": rule.examples,
                    "n_covered": int(n),
                }
            )
    return pd.DataFrame(rows, columns=[*PART_COLUMNS, *_MORE_COLUMNS])


def path_frame(learned: Sequence[Learned], labels: Sequence[Any]) -> pd.DataFrame:
    """All candidates, the chosen one marked."""
    import pandas as pd

    return pd.DataFrame(
        {
            "machine": label,
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
        for label, part in zip(labels, learned, strict=True)
        for i, (candidate, risk) in enumerate(zip(part.candidates, part.risks, strict=True))
    )


def equivalent_rules(
    rules: Sequence[AbstractRule], X: Floats, words: Words
) -> list[list[AbstractRule]]:
    """For each rule the stumps, at values of the data, that cover exactly the same rows."""
    return [_same_cover(rule, rule.covers(X), X, words) for rule in rules]


def _same_cover(
    rule: AbstractRule, covered: NDArray[np.bool_], X: Floats, words: Words
) -> list[AbstractRule]:
    same: list[Stump] = []
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        is_categorical = words is not None and words[j] is not None
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
