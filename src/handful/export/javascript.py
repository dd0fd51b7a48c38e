"""JavaScript over encoded features x0, x1, ...; a missing one is NaN."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from handful.models import Branch, Curve, Language, Op

_SIGNS: dict[Op, str] = {"=": "===", "≠": "!=="}


class JavaScript(Language):
    """Expressions of JavaScript; ``fill``, ``step`` and ``gap`` stand in the script of the page.

    Examples
    --------
    >>> JavaScript().condition(0, "≠", 2.0)
    '(x0 === x0 && x0 !== 2.0)'
    """

    both, either, absolute, exp, root = "&&", "||", "Math.abs", "Math.exp", "Math.sqrt"

    def __init__(self) -> None:
        self.signed: set[int] = set()  # features whose numbers may be below 0

    def number(self, value: float) -> str:
        # Both languages read the shortest decimal text of a float as that float.
        text = repr(float(value)) if math.isfinite(value) else f"{'-' * (value < 0)}Infinity"
        return f"({text})" if text.startswith("-") else text

    def value(self, feature: int) -> str:
        return f"x{feature}"

    def filled(self, feature: int, fill: float) -> str:
        self._note(feature, fill)
        return f"fill(x{feature}, {self.number(fill)})"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        x = self.value(feature)
        self._note(feature, limit)
        if op == "≠":  # NaN differs from everything, also from itself
            return f"({x} === {x} && {x} !== {self.number(limit)})"
        return f"{x} {_SIGNS.get(op, op)} {self.number(limit)}"

    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        text = otherwise
        # From the last branch inwards: the first condition ends up outside, so it is asked first.
        for test, value in reversed(branches):
            text = f"({test} ? {value} : {text})"
        return text

    def gap(self, value: str, cut: float, unit: float) -> str:
        return f"gap({value}, {self.number(cut)}, {self.number(unit)})"

    def extreme(self, values: Sequence[str], *, is_largest: bool) -> str:
        return f"Math.{'max' if is_largest else 'min'}({', '.join(values)})"

    def _note(self, feature: int, number: float) -> None:
        if number <= 0.0:
            self.signed.add(feature)

    def steps(self, curve: Curve, score: int) -> str:
        self._note(curve.feature, min(curve.cuts, default=1.0))
        cuts, values = (
            "[" + ", ".join(map(self.number, part)) + "]"
            for part in (curve.cuts, curve.values[score])
        )
        return f"step(x{curve.feature}, {cuts}, {values}, {self.number(curve.missing[score])})"


def literal(value: object) -> str:
    """Plain data as JavaScript that may stand in a page: no text in it ends the script.

    Examples
    --------
    >>> "<" in literal(["</script>"])
    False
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
