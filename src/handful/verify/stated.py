"""What a verdict is about: the claim of a file in plain fields, and what it only states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

NUMBERS = ("risk", "delta", "bound", "quantity", "n_samples", "n_compressed", "n_errors")
_LARGEST = 1e9  # of a cost that a sentence states
_VERSIONS = ("handful", "python", "numpy", "scikit-learn")


def part(document: Any, *names: str) -> Any:
    """What stands at a place; None if there is no such place."""
    for name in names:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    return document


# What a certificate in a file can be about, in words.
_QUANTITIES = {
    "misclassified": "the probability that a new case is misclassified",
    "cost": "the expected cost of a new case",
    "accepted": "the error probability among accepted cases",
    "group-mean": "the probability that a random case of a random new group is misclassified",
    "group-any": "the probability that some case of a random new group is misclassified",
}


def claim_of(document: Any) -> dict[str, Any]:
    """Claim, form, target, case, counts and confidence of a file, as it says them."""
    certificate, data = part(document, "certificate"), part(document, "data")
    claim: dict[str, Any] = {name: part(certificate, name) for name in NUMBERS}
    n, kept = claim["n_samples"], claim["n_compressed"]
    are_counts = type(n) is int and type(kept) in (int, type(None))
    reading, form = part(data, "reading"), part(document, "training", "chosen")
    form = form or part(document, "training", "menu", "chosen")
    classes = part(document, "labels") or part(document, "fitted", "classes")
    return {
        "claim": _sentence(claim, part(certificate, "limit"))
        or part(document, "training", "sentence"),
        "form": form or part(document, "provenance", "estimator"),
        "target": part(reading, "target") or part(data, "target"),
        "case": part(reading, "positive"),
        "classes": classes,
        **claim,
        "n_counted": n - (kept or 0) if are_counts else None,
        "content_sha256": part(document, "content_sha256"),
    }


def stated_of(document: Any, compared: Collection[str] = ()) -> dict[str, Any]:
    """What a file says of its making, which was compared with nothing; codes of notes that were."""
    versions = part(document, "provenance", "versions")
    said = {name: part(versions, name) for name in _VERSIONS}
    said["data"] = part(document, "data", "file")
    notes = part(document, "provenance", "notes")
    told = {str(part(note, "code")) for note in notes} if isinstance(notes, list) else set()
    codes = sorted(told - set(compared))
    said["notes"] = " ".join(codes[:40]) or None
    return {name: value for name, value in said.items() if value is not None}


def _sentence(claim: Mapping[str, Any], limit: Any) -> str | None:
    risk, delta = claim["risk"], claim["delta"]
    are_numbers = type(risk) is float and type(delta) is float
    if not are_numbers or not 0 <= risk < _LARGEST or not 0 < delta < 1:
        return None
    sure = _percent(Decimal(repr(delta)))
    quantity = _QUANTITIES.get(str(part(claim["quantity"], "key")), "a quantity of another kind")
    return f"with {sure} % confidence, {quantity} is at most {value_text(risk, limit)}"


def _percent(delta: Decimal) -> str:
    """The confidence 1 - delta in percent, rounded down."""
    sure = (100 * (1 - delta)).quantize(Decimal("1e-10"), ROUND_FLOOR).normalize()
    return f"{sure + 0:f}"


def together(document: Any) -> tuple[str, ...]:
    """What ``certificate.json`` may say of all statements about a form or a cover at once.

    Errors, a pair of rates, a card's table of points and the answers outside of doubt fail on
    their own account each; the evidence about a row of a menu is one family more. A card says
    nothing of its points if a goal moved its threshold or groups were counted, so that either
    sentence is allowed there. Covers have neither.
    """
    certificate = part(document, "certificate")
    goal, silence = (part(document, "training", name) for name in ("goal", "band"))
    delta = Decimal(repr(certificate["delta"]))
    n = 1 + len({"given" in name for name, _ in certificate["rates"]})
    band = [] if silence is None else ["the answers outside of doubt"]
    is_card = part(document, "fitted", "machine", "machine") == "score card"
    is_sure = goal is None and part(document, "data", "reading", "groups") is None
    choices = [["the table of points", *band]] if is_card else [band]
    choices += [band] if is_card and not is_sure else []
    if part(document, "training", "after_looking"):  # the menu that was looked at held something
        choices = [["the errors of the menu before the goal", "its rates"]]
    if part(document, "training", "kind") == "menu":
        choices += [[*beside, "the evidence"] for beside in choices]
    return tuple(_all_at_once(n + len(beside), beside, delta) for beside in choices)


def _all_at_once(n: int, beside: list[str], delta: Decimal) -> str:
    if n == 1:
        return ""
    among = f" ({' and '.join(beside)} among them)" if beside else ""
    if n * delta >= 1:
        return f"These {n} statements{among} hold each by itself, not all at once."
    return (
        f"These {n} statements{among} hold with {_percent(delta)} % confidence each, and all at "
        f"once with {_percent(n * delta)} %."
    )


def value_text(risk: float, limit: Any) -> str:
    """A share in percent, rounded up in its third digit; a cost as it is.

    Examples
    --------
    >>> value_text(0.06541, 1.0), value_text(0.5, 1.0), value_text(1.25, 5.0)
    ('6.55 %', '50 %', '1.25')
    """
    if limit != 1.0:
        return f"{risk:.6g}"
    scaled = 100 * Decimal(repr(risk))
    place = max(0, 2 - scaled.adjusted()) if scaled else 0
    rounded = scaled.quantize(Decimal(1).scaleb(-place), ROUND_CEILING)
    return f"{rounded.normalize() + 0:f} %"
