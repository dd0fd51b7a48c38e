"""What decided about each row, in the words in which the machine is printed."""

from __future__ import annotations

import numpy as np

from handful.fitted._additive import Additive
from handful.fitted._card import Card
from handful.fitted._linear import LinearScore
from handful.fitted._machine import Floats, Machine, Spoken, number
from handful.fitted._simple import Constant, OrderedRules
from handful.fitted._thresholded import Thresholded


def reasons(machine: Machine, X: Floats, words: Spoken) -> list[str]:
    """One text a row; empty where the form has no part that decides alone.

    Examples
    --------
    >>> from handful.fitted import Cut, Item
    >>> card = Card((Item(Cut(0, 127.0), 3), Item(Cut(1, 28.0), 1)), 4, 1.0, -3.5)
    >>> words = Spoken(("glucose", "age"), ("well", "ill"))
    >>> reasons(card, np.array([[130.0, 30.0], [90.0, 30.0]]), words)
    ['4 points: glucose ≥ 127 +3, age ≥ 28 +1', '1 point: age ≥ 28 +1']
    """
    if isinstance(machine, Constant):
        return ["always"] * len(X)
    if isinstance(machine, OrderedRules):
        texts = [" and ".join(c.describe(words) for c in r.conditions) for r in machine.rules]
        texts.append("otherwise" if machine.rules else "always")
        return [texts[i] for i in machine.first_rule(X)]
    if isinstance(machine, Card):
        return _points(machine, X, words)
    if isinstance(machine, LinearScore | Additive | Thresholded):
        scores = machine.scores(X)
        if scores.ndim == 2:
            best = np.argmax(scores, axis=1)
            return [f"largest sum: {words.labels[k]}" for k in best]
        return [f"score {number(float(s), sign=True)} {'>' if s > 0 else '≤'} 0" for s in scores]
    return [""] * len(X)


def _points(card: Card, X: Floats, words: Spoken) -> list[str]:
    texts = [f"{item.condition.describe(words)} {item.points:+d}" for item in card.items]
    is_met = [item.condition.is_met(X) for item in card.items]
    out = []
    for i, total in enumerate(card.points(X).tolist()):
        met = ", ".join(text for text, met in zip(texts, is_met, strict=True) if met[i])
        unit = "point" if abs(total) == 1 else "points"
        out.append(f"{total} {unit}" + (f": {met}" if met else ""))
    return out
