"""Forms of a menu as a Python module without dependencies: raw cells in, a label out."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from handful.export.named import check_common, decision_of
from handful.models import Branch, Curve, Fitted, Language, Op
from handful.tables import MISSING_MARKS, Column

RAW_CELLS = r'''MARKS = frozenset(@marks@)
_LIMIT = re.compile(r"^\s*(<=|>=|[<>≤≥~])\s*")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def _missing(cell):
    try:
        return cell is None or bool(cell != cell)
    except TypeError:
        return True


def _word(cell):
    """The normal form of a word: 3 for 3.0."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, (int, float)):
        is_whole = float(cell).is_integer() and abs(cell) < 2.0**53
        return str(int(cell)) if is_whole else repr(float(cell))
    text = str(cell).strip()
    is_whole = re.fullmatch(r"-?(0|[1-9][0-9]{0,14})\.0+", text)
    return str(int(text.split(".")[0])) if is_whole else text


def _gone(cell, marks):
    """Whether a raw cell says that nothing is known."""
    if _missing(cell):
        return True
    word = str(cell).strip().casefold()
    if word in marks or _word(cell).casefold() in marks:
        return True
    return isinstance(cell, str) and word in MARKS and "≠" + word not in marks


def _number(cell, style, marks):
    """A raw cell as a number; a missing one is NaN, which meets no condition."""
    if _gone(cell, marks):
        return math.nan
    if isinstance(cell, (bool, int, float)):
        return math.nan if math.isinf(cell) else float(cell)
    text = _LIMIT.sub("", str(cell)).strip().removesuffix("%").strip()
    if style == "thousands comma":
        text = text.replace(",", "")
    elif style == "thousands dot":
        text = text.replace(".", "").replace(",", ".")
    elif style == "decimal comma":
        text = text.replace(",", ".")
    value = float(text) if len(text) < 400 and _NUMBER.fullmatch(text) else math.nan
    return math.nan if math.isinf(value) else value


def _plain_number(cell):
    return math.nan if _missing(cell) else float(cell)


def _place(cell, words, marks, other):
    """The position of a raw cell among words; ``other`` for a word that is not among them."""
    if _gone(cell, marks):
        return math.nan
    known = [word.casefold() for word in words]
    word = _word(cell).casefold()
    return float(known.index(word)) if word in known else other


def _plain_place(cell, words):
    if _missing(cell):
        return math.nan
    word = _word(cell)
    return float(words.index(word)) if word in words else -1.0

'''.replace("@marks@", repr(sorted(MISSING_MARKS)))
_HEAD = r'''"""A classifier ({form}); needs nothing but Python.

{certificate}
"""

import math
import re
from bisect import bisect_right

{raw_cells}

def _is(place, k):
    """1 for the k-th word, 0 for another one, NaN where it is missing."""
    return math.nan if place != place else float(place == k)


def _fill(x, fill):
    return fill if x != x else x


def _step(x, cuts, values, missing):
    return missing if x != x else values[bisect_right(cuts, x)]


def _gap(x, cut, unit):
    """How far x is from a cut, in units; more than 0, also where x is missing."""
    return min(@huge@, max(@tiny@, abs(x - cut) / unit))


def predict(row):
    """The label of a row: a dict from names of columns to cells."""
'''.replace("@huge@", repr(sys.float_info.max)).replace("@tiny@", repr(sys.float_info.min))


class Python(Language):
    """Python over variables x0, x1, ... of encoded features."""

    both, either, absolute, exp, root = "and", "or", "abs", "math.exp", "math.sqrt"

    def number(self, value: float) -> str:
        text = repr(float(value))
        return f"({text})" if text.startswith("-") else text

    def value(self, feature: int) -> str:
        return f"x{feature}"

    def filled(self, feature: int, fill: float) -> str:
        return f"_fill(x{feature}, {float(fill)!r})"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        if op == "≠":
            return f"(x{feature} == x{feature} and x{feature} != {self.number(limit)})"
        return f"x{feature} {'==' if op == '=' else op} {self.number(limit)}"

    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        text = otherwise
        # From the last branch inwards: the first condition ends up outside, so it is asked first.
        for test, value in reversed(branches):
            text = f"({value} if {test} else {text})"
        return text

    def gap(self, value: str, cut: float, unit: float) -> str:
        return f"_gap({value}, {self.number(cut)}, {self.number(unit)})"

    def extreme(self, values: Sequence[str], *, is_largest: bool) -> str:
        return f"{'max' if is_largest else 'min'}({', '.join(values)})"

    def steps(self, curve: Curve, score: int) -> str:
        cuts, values = list(curve.cuts), list(curve.values[score])
        return f"_step(x{curve.feature}, {cuts!r}, {values!r}, {curve.missing[score]!r})"


def form_python(
    fitted: Fitted, certificate: str, outputs: Sequence[str], width: float | None = None
) -> str:
    """The text of the module."""
    small = fitted.reduced()
    head = _HEAD.format(
        form=small.form.replace("\\", " ").replace('"', " "),
        certificate=certificate.replace("\\", " ").replace('"', " "),
        raw_cells=RAW_CELLS.rstrip("\n"),
    )
    # NaN alone differs from itself.
    needed = [f"x{j} != x{j}" for j in small.machine.required]
    body = [f"    if {' or '.join(needed)}:", "        return None"] if needed else []
    if width is None:
        body += [f"    {line}" for line in small.machine.statements(outputs, Python())]
    else:
        body.append(f"    return {decision_of(small.machine, outputs, Python(), width, 'None')}")
    return head + "\n".join([*_reads(small), *body]) + "\n"


def _reads(fitted: Fitted) -> list[str]:
    """Encoded features from raw cells."""
    lines, feature = [], 0
    for i, column in enumerate(fitted.columns.columns):
        lines.append(f"    cell = row.get({column.name!r})")
        lines.append(f"    read{i} = {read_formula(column)}")
        for question in column.features:
            text = {
                "value": f"read{i}",
                "missing": f"float(read{i} != read{i})",
                "word": f"_is(read{i}, {_position(column, question.word)})",
            }[question.kind]
            lines.append(f"    x{feature} = {text}")
            feature += 1
    return lines


def _position(column: Column, word: str) -> int:
    return (column.words or ()).index(word) if word in (column.words or ()) else -1


def read_formula(column: Column) -> str:
    """The number, or the place among words, of a raw ``cell``."""
    marks = tuple(column.marks)
    check_common(column, "Python alone")
    if column.kind == "ordered":
        return f"_place(cell, {list(column.levels)!r}, {marks!r}, math.nan)"
    if column.words is not None:
        words = list(column.words)
        return (
            f"_plain_place(cell, {words!r})"
            if column.is_exact
            else f"_place(cell, {words!r}, {marks!r}, -1.0)"
        )
    if column.is_exact:
        return "_plain_number(cell)"
    return f"_number(cell, {column.style!r}, {marks!r})"
