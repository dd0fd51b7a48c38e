"""A reader of printed rules: evaluates the sentence alone, and a missing value meets nothing."""

import math
import re

OPERATORS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "≤": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "≠": lambda a, b: a != b,
}


def label_of(sentence, row):
    """The label that a printed rule gives to a row (a dict; None where a value is missing)."""
    if always := re.fullmatch(r"Always predict (.+)\.", sentence):
        return always[1]
    for line in sentence.replace("\n  and ", " and ").splitlines():
        head, label = re.fullmatch(r"(.+): (.+)\.", line).groups()
        asked = re.sub(r"^(If|Else if) ", "", head)
        if head == "Otherwise" or all(is_met(part, row) for part in asked.split(" and ")):
            return label
    raise AssertionError(sentence)


def is_met(condition, row):
    """Whether one printed condition holds."""
    left, mark, right = re.fullmatch(r"(.+) ([<>≤≥=≠]) (\S+)", condition).groups()
    value = quantity(left, row)
    if value is None:
        return False
    return OPERATORS[mark](value, right if isinstance(value, str) else float(right))


def quantity(text, row):
    """A feature, a weighted sum or a distance; None where a value it needs is missing."""
    if found := re.fullmatch(r"(?:(\S+) )?distance to \((.+)\)", text):
        pairs = [part.rsplit(" ", 1) for part in found[2].split(", ")]
        if any(row[name] is None for name, _ in pairs):
            return None
        gaps = [abs(row[name] - float(value)) for name, value in pairs]
        if found[1] == "chebyshev":
            return max(gaps)
        return sum(gaps) if found[1] == "manhattan" else math.sqrt(sum(g * g for g in gaps))
    if "·" not in text:
        return row[text]
    terms = [term.split("·") for term in text.split(" ")]
    if any(row[name] is None for _, name in terms):
        return None
    return sum(float(weight) * row[name] for weight, name in terms)
