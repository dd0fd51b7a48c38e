"""What a certificate must pay, as the auditor derives it, and as a file states it.

The same three fields as the library's own terms, with exact numbers instead of floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from handful.verify._arithmetic import MP, log
from handful.verify._audit import is_number

FIELDS = {"kind", "text", "nats"}


class Term(NamedTuple):
    """One item: a word for programs, words for people, a price (fifty digits, or a float)."""

    kind: str
    text: str
    nats: Any


Terms = list[Term]


def confidence(delta: float) -> Term:
    """The term that every price in nats has."""
    return Term("confidence", "confidence, ln(1/delta)", -log(MP.mpf(delta)))


def total(terms: Iterable[Term]) -> Any:
    """The sum of terms, to fifty digits."""
    return sum((MP.mpf(term.nats) for term in terms), MP.mpf(0))


def are_terms(found: Any, most: float = 1e300) -> bool:
    """Whether a file holds a list of terms, exactly their fields, no price negative."""
    return isinstance(found, list) and all(
        isinstance(item, dict)
        and set(item) == FIELDS
        and isinstance(item["kind"], str)
        and isinstance(item["text"], str)
        and is_number(item["nats"])
        and 0 <= item["nats"] <= most
        for item in found
    )


def stated(found: Any) -> Terms:
    """The terms of a file; ValueError where they are none."""
    if not are_terms(found):
        raise ValueError("terms must have a kind, a text and a price that is not negative")
    return [Term(item["kind"], item["text"], item["nats"]) for item in found]
