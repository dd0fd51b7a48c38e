"""`Certificate` and `Criterion`: the frozen, itemised results of bounds."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from handful.bounds.messages import Term, total_nats
from handful.bounds.statements import IID, MISCLASSIFIED, Assumption, Quantity, assume
from handful.codec import decode, encode, fail

RATE_SENTENCES = {
    "false_positive": "a new case is negative and called positive",
    "false_negative": "a new case is positive and called negative",
    "false_positive_given_negative": "a new negative case is called positive",
    "false_negative_given_positive": "a new positive case is called negative",
}
#: Rates that are one statement together: with the class, and given the class.
_RATE_PAIRS = (
    ("false_positive", "false_negative"),
    ("false_positive_given_negative", "false_negative_given_positive"),
)
UNITS = ("nats", "risk", "parts")
PARAMETERS = ("scale", "margin")


class NotCertifiableError(TypeError, AttributeError):
    """Raised if a number would look like a guarantee without being one.

    It is an AttributeError too: `hasattr` says that a machine without a certificate has no
    attribute ``certificate_``.
    """


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A guarantee on new cases: "with probability 1 - delta, at most ``risk``".

    Attributes
    ----------
    risk : float
        Upper bound on ``quantity``; equal to ``limit`` (1.0 for a probability) if vacuous.
    delta : float
        Allowed probability, over the draw of the training data, that the statement fails.
    bound : str
        Name of the bound in the registry ``BOUNDS``.
    n_samples : int
        Number of examples that the bound was computed from.
    n_errors, n_compressed : int or None
        Errors counted outside the compression set, and the size of that set.
    terms : tuple of Term
        The nats that the bound pays, or the summands of the risk (see ``unit``).
    unit : {"nats", "risk", "parts"}
        What ``terms`` add up to: an information cost ("nats") or the risk itself ("risk").
        "parts" are named ingredients that are not added.
    quantity : Quantity
        What ``risk`` bounds.
    limit : float
        The trivial value of ``quantity``; a certificate at the limit is vacuous.
    rates : tuple of (str, float)
        Upper bounds on the kinds of error (``RATE_SENTENCES``). Each pair, joint or
        class-conditional, is a separate statement that holds with probability 1 - delta. The
        risk and both pairs hold all at once with probability 1 - 3 delta (see ``n_statements``).
    assumptions : tuple of Assumption
        What the certificate assumes.
    parameters : tuple of (str, float)
        Values at which the bound was evaluated: ``scale`` or ``margin`` of a margin bound.
    reference : str

    Examples
    --------
    >>> from handful.bounds import compression_bound
    >>> certificate = compression_bound(615, 3, 15, message_nats=0.0)
    >>> print(certificate)
    risk <= 8.96 % with 95 % confidence (compression, 615 examples, 3 kept, 15 errors, 23.7 nats)
    >>> Certificate.from_dict(certificate.to_dict()) == certificate
    True
    """

    risk: float
    delta: float
    bound: str
    n_samples: int
    n_errors: int | None = None
    n_compressed: int | None = None
    terms: tuple[Term, ...] = ()
    unit: str = "nats"
    quantity: Quantity = MISCLASSIFIED
    limit: float = 1.0
    rates: tuple[tuple[str, float], ...] = ()
    assumptions: tuple[Assumption, ...] = IID
    parameters: tuple[tuple[str, float], ...] = field(default=(), metadata={"object": True})
    reference: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.limit) and self.limit > 0.0):
            raise ValueError(f"`limit` must be above 0 and finite, got {self.limit!r}.")
        if not 0.0 <= self.risk <= self.limit:
            raise ValueError(
                f"`risk` must be in [0, {self.limit:g}], got {self.risk!r}. "
                "A vacuous certificate carries its limit."
            )
        if not 0.0 < self.delta < 1.0:
            raise ValueError(f"`delta` must be in (0, 1), got {self.delta!r}.")
        if self.unit not in UNITS:
            raise ValueError(f"`unit` must be one of {UNITS}, got {self.unit!r}.")
        for name in ("n_samples", "n_errors", "n_compressed"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"`{name}` must be a count, got {getattr(self, name)!r}.")
        self._check_names()

    def _check_names(self) -> None:
        for name, value in self.rates:
            if name not in RATE_SENTENCES or not 0.0 <= value <= 1.0:
                raise ValueError(
                    f"`rates` must be probabilities named {tuple(RATE_SENTENCES)}, "
                    f"got {name!r}: {value!r}."
                )
        if unknown := {name for name, _ in self.parameters} - set(PARAMETERS):
            raise ValueError(f"`parameters` must be named {PARAMETERS}, got {sorted(unknown)}.")

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound is not below the trivial limit, so that it says nothing."""
        return self.risk >= self.limit

    def assumes(self, key: str) -> bool:
        """Whether the certificate has the assumption with this key."""
        return any(one.key == key for one in self.assumptions)

    def assuming(self, *more: str | Assumption) -> Certificate:
        """The same certificate with further assumptions."""
        return replace(self, assumptions=(*self.assumptions, *assume(*more)))

    @property
    def nats(self) -> float:
        """Total information cost in nats; NaN if ``unit`` is not "nats"."""
        return total_nats(self.terms) if self.unit == "nats" else math.nan

    def rate(self, name: str) -> float:
        """Upper bound on the kind of error with this name (see ``RATE_SENTENCES``)."""
        for key, value in self.rates:
            if key == name:
                return value
        have = ", ".join(key for key, _ in self.rates) or "none"
        raise KeyError(f"this certificate has no rate {name!r}; it has: {have}")

    def has_rate(self, name: str) -> bool:
        """Whether the certificate bounds the kind of error with this name."""
        return any(key == name for key, _ in self.rates)

    def explain(self, beside: Sequence[str] = ()) -> str:
        """The statement, its price and its assumptions in plain sentences.

        ``beside`` names other statements that are shown with the certificate; see `together`.
        """
        both = self.together(beside)
        rates = [*self._rates(), both] if both else self._rates()
        return "\n".join([self.statement(), *self._price(), *rates, *self._fine_print()])

    def statement(self) -> str:
        """One sentence: the quantity, its bound and the confidence."""
        confidence = f"With {confidence_text(self.delta)} confidence"
        if self.is_vacuous:
            return f"{confidence}, this bound says nothing about {self.quantity} (it is vacuous)."
        return f"{confidence}, {self.quantity} is at most {self._value(self.risk)}."

    def _price(self) -> list[str]:
        lines = []
        if self.n_compressed is not None and self.n_errors is not None:
            lines.append(
                f"Held back from the count: {self.n_compressed} of {self.n_samples} examples; "
                f"errors on those of the others that are counted: {self.n_errors}."
            )
        if self.terms:
            lines.append(
                {
                    "nats": f"What it pays ({self.nats:.3f} nats):",
                    "risk": "What it adds up:",
                    "parts": "What it is made of:",
                }[self.unit]
            )
            lines += [f"  {term.nats:10.4f}  {term.text}" for term in self.terms]
        return lines

    @property
    def n_statements(self) -> int:
        """Number of statements in the certificate, each with probability 1 - delta.

        The risk is one statement, each pair of rates is one more. A cost is computed from its
        pair of rates, so it is no statement of its own.
        """
        n_pairs = sum(any(name in pair for name, _ in self.rates) for pair in _RATE_PAIRS)
        return max(1, n_pairs + (self.bound != "cost"))

    def _rates(self) -> list[str]:
        lines = []
        for pair in _RATE_PAIRS:
            parts = [
                f"{RATE_SENTENCES[name]} is at most {percent_text(value)}"
                for name, value in self.rates
                if name in pair
            ]
            if parts:
                both = ", and that ".join(parts)
                lines.append(
                    f"With {confidence_text(self.delta)} confidence, the probability that {both}."
                )
        return lines

    def together(self, beside: Sequence[str] = ()) -> str:
        """A sentence: the confidence with which all statements hold at once; "" for only one.

        Parameters
        ----------
        beside : sequence of str
            Other statements that are shown beside the certificate, each with probability
            1 - delta: a table of points, answers outside of doubt.
        """
        n = self.n_statements + len(beside)
        if n == 1 or not (self.rates or beside):
            return ""
        among = f" ({' and '.join(beside)} among them)" if beside else ""
        if n * self.delta >= 1.0:
            return f"These {n} statements{among} hold each by itself, not all at once."
        # Union bound: n statements, each wrong with probability delta at most.
        joint = confidence_text(float(n * Decimal(repr(self.delta))))
        return (
            f"These {n} statements{among} hold with {confidence_text(self.delta)} confidence each, "
            f"and all at once with {joint}."
        )

    def _fine_print(self) -> list[str]:
        lines = ["It holds if: " + "; ".join(map(str, self.assumptions)) + "."]
        lines += list(self.notes)
        if self.reference:
            lines.append(f"Reference: {self.reference}")
        return lines

    def _value(self, value: float) -> str:
        return percent_text(value) if self.limit == 1.0 else f"{value:.6g}"

    def __str__(self) -> str:
        facts = [self.bound, f"{self.n_samples} examples"]
        if self.n_compressed is not None:
            facts.append(f"{self.n_compressed} kept")
        if self.n_errors is not None:
            facts.append(f"{self.n_errors} errors")
        if self.unit == "nats" and self.terms:
            facts.append(f"{self.nats:.1f} nats")
        if self.is_vacuous:
            facts.append("vacuous")
        value = self._value(self.risk)
        return f"risk <= {value} with {confidence_text(self.delta)} confidence ({', '.join(facts)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(term.text)}</td>"
            f"<td style='text-align:right'>{term.nats:.4f}</td></tr>"
            for term in self.terms
        )
        head, *rest = (html.escape(line) for line in [self.statement(), *self._rates()])
        body = "".join(f"<p>{line}</p>" for line in [*rest, *map(html.escape, self._fine_print())])
        return f"<div><p><b>{head}</b></p><table>{rows}</table>{body}</div>"

    def check_fields(self, where: str) -> None:
        """Refuse a file whose certificate pays a negative price."""
        for i, term in enumerate(self.terms):
            if term.nats < 0.0:
                raise fail(f"{where}.terms[{i}].nats", "not negative", term.nats)

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON. Floats survive the round trip to the last bit."""
        out: dict[str, Any] = encode(self)
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """A certificate from the result of ``to_dict``; other data raise ValueError."""
        made: Certificate = decode(cls, data, "certificate")
        return made


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A number to compare or reproduce, without a guarantee on new cases.

    Criteria are published bounds whose proofs fail, bounds on training errors, and selection
    scores. The ``warning`` says why the number is no guarantee.
    """

    value: float
    name: str
    warning: str
    terms: tuple[Term, ...] = ()
    reference: str = ""

    def explain(self) -> str:
        """The value, the warning and the terms in plain sentences."""
        lines = [
            f"{self.name} = {self.value:.6g}. This is a criterion, not a guarantee.",
            self.warning,
        ]
        lines += [f"  {term.nats:10.4f}  {term.text}" for term in self.terms]
        return "\n".join([*lines, f"Reference: {self.reference}"])

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON."""
        out: dict[str, Any] = encode(self)
        return out

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} (a criterion, not a guarantee)"


def _digits(number: Decimal) -> str:
    """Digits without exponent and without trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent_text(value: float, *, is_padded: bool = False) -> str:
    """A percentage, rounded up in its third significant digit.

    ``is_padded`` keeps trailing zeros, so that the numbers of a column have equal length.
    """
    # In decimals, so that the printed number is never below the certified one.
    scaled = 100 * Decimal(repr(value))
    place = max(0, 2 - scaled.adjusted()) if scaled else 0
    rounded = scaled.quantize(Decimal(1).scaleb(-place), ROUND_CEILING)
    return (f"{rounded:f}" if is_padded else _digits(rounded)) + " %"


def confidence_text(delta: float) -> str:
    """1 - delta as a percentage, rounded down; "1 - delta" for a delta below 1e-9."""
    if delta < 1e-9:
        return f"1 - {delta!r}"
    # Rounded down: the printed confidence must not promise more than 1 - delta.
    scaled = 100 * (1 - Decimal(repr(delta)))
    return _digits(scaled.quantize(Decimal("1e-10"), ROUND_FLOOR)) + " %"


def caution(
    certificate: Certificate,
    class_counts: Mapping[Any, int],
    *,
    n_errors: int,
    constant: Any = None,
) -> str:
    """A warning if the classifier is not shown to be better than a constant guess; else "".

    Parameters
    ----------
    certificate : Certificate
    class_counts : mapping of label to int
        Number of training examples of each class.
    n_errors : int
        Errors of the classifier on all training examples.
    constant : label, optional
        The label of every case, if the classifier is constant.

    Examples
    --------
    >>> from handful.bounds import held_out_bound
    >>> caution(held_out_bound(30, 12), {"sick": 12, "well": 18}, n_errors=12, constant="well")
    'The classifier is constant: it calls every case well, whatever its features.'
    """
    if constant is not None:
        return f"The classifier is constant: it calls every case {constant}, whatever its features."
    if certificate.limit != 1.0:  # a cost or another loss: no share of a class is comparable
        return ""
    n_samples = sum(class_counts.values())
    larger, n_larger = max(class_counts.items(), key=lambda pair: pair[1])
    # What the constant guess gets wrong of the same examples.
    n_blind = n_samples - n_larger
    guess = f"always naming the larger class, {larger},"
    if n_errors >= n_blind:
        return (
            f"The classifier is no better than {guess} on these examples: it makes {n_errors} "
            f"errors, the guess {n_blind}."
        )
    if certificate.risk >= n_blind / n_samples:
        return (
            f"There are too few examples to show that the classifier is better than {guess} "
            f"which errs on {percent_text(n_blind / n_samples)} of them."
        )
    return ""
