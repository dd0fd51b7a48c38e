"""What a certificate pays for, item by item, and messages that are itemised so."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Term:
    """One item of what a certificate pays, or of what its risk adds up.

    Programs tell terms apart by ``kind``; ``text`` is for people and may change.

    Attributes
    ----------
    kind : str
        One word: "confidence", "kept", "size", "message", "choice", "code", "rank", "groups", ...
    text : str
        What is paid for, in words.
    nats : float
        The price. In a certificate whose ``unit`` is "risk" or "parts" it is a summand of the
        risk, or an ingredient of it.

    Examples
    --------
    >>> Term("kept", "which examples are kept", 7.5)
    Term(kind='kept', text='which examples are kept', nats=7.5)
    """

    kind: str
    text: str
    nats: float

    def __post_init__(self) -> None:
        if not (isinstance(self.kind, str) and self.kind.isalpha() and self.kind.islower()):
            raise ValueError(f"`kind` must be one word in lower case, got {self.kind!r}.")
        if not isinstance(self.text, str):
            raise TypeError(f"`text` must be words, got {self.text!r}.")
        object.__setattr__(self, "nats", as_float("nats", self.nats))

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON-ready)."""
        return {"kind": self.kind, "text": self.text, "nats": self.nats}


class Message(float):
    """What must be said beside the compression set, in nats, itemised by ``terms``.

    It is a float (the total), so it can be added to and passed wherever nats are expected.

    Examples
    --------
    >>> message = Message([Term("rules", "number of rules", 0.5), Term("pairs", "pairing", 0.25)])
    >>> message + 1.0
    1.75
    >>> [term.kind for term in message.terms]
    ['rules', 'pairs']
    """

    terms: tuple[Term, ...]

    def __new__(cls, terms: Iterable[Term]) -> Message:
        items = as_terms("terms", tuple(terms))
        message = super().__new__(cls, total_nats(items))
        message.terms = items
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return (Message, (self.terms,))


def as_float(name: str, value: Any) -> float:
    """The number as a float; anything that is no number raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"`{name}` must be a number, got {value!r}.")
    return float(value)


def total_nats(terms: Iterable[Term]) -> float:
    """The sum of terms, rounded once."""
    return math.fsum(term.nats for term in terms)


def confidence_term(delta: float) -> Term:
    """What the confidence 1 - delta costs."""
    return Term("confidence", "confidence, ln(1/delta)", -math.log(delta))


def itemise(nats: float, kind: str) -> tuple[Term, ...]:
    """The terms of a message; one term of this kind for a plain number, none for zero."""
    if isinstance(nats, Message):
        return nats.terms
    return (Term(kind, kind, float(nats)),) if nats else ()


def as_terms(name: str, terms: Any) -> tuple[Term, ...]:
    """Terms, also from the plain data of `Term.to_dict`; anything else raises."""
    rule = f"`{name}` must be terms with `kind`, `text` and `nats`"
    if not isinstance(terms, tuple | list):
        raise TypeError(f"{rule}, got {terms!r}.")
    out = []
    for term in terms:
        if isinstance(term, Mapping) and set(term) == {"kind", "text", "nats"}:
            term = Term(**term)
        if not isinstance(term, Term):
            raise TypeError(f"{rule}, got {term!r}.")
        out.append(term)
    return tuple(out)
