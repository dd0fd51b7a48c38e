"""Counts outside the compression set; certificates of the library confirmed and refused."""

import pytest

from handful import bounds
from handful.bounds import ClassCounts, Message, compression_bound
from handful.verify.arithmetic import MP
from handful.verify.audit import Audit
from handful.verify.claims import (
    LANGFORD,
    Claim,
    Price,
    Rate,
    check_claim,
    check_record,
    confidence,
)

SETTINGS = {"delta": 0.05, "n_groups": 1}


@pytest.fixture
def certificate():
    classes = ClassCounts(
        n_positives=60, n_negatives=40, n_compressed_positives=1, n_compressed_negatives=0,
        n_false_positives=2, n_false_negatives=1,
    )  # fmt: skip
    message = Message([bounds.Term("rules", "number of rules", 1.5)])
    found = compression_bound(
        100, 1, 3, message_nats=message, size_nats=0.0, which_nats=0.0, counts=classes
    )
    return found.to_dict()


RATES = (
    Rate("false_positive", 2, 99),
    Rate("false_negative", 1, 99),
    Rate("false_positive_given_negative", 2, 40),
    Rate("false_negative_given_positive", 1, 59),
)


def _verdict(certificate, settings=SETTINGS):
    audit = Audit()
    prices = [Price("rules", "number of rules", MP.mpf(1.5)), confidence(settings["delta"])]
    assumptions = [one["key"] for one in certificate["assumptions"]]
    claim = Claim(
        "compression", "tail", prices, tuple(assumptions), LANGFORD, 100, 3, 1, 99,
        notes=tuple(certificate["notes"]), rates=RATES,
    )  # fmt: skip
    if check_record(audit, certificate):
        check_claim(audit, {"certificate": certificate, "training": settings}, claim)
    return audit.verdict()


def test_honest(certificate):
    verdict = _verdict(certificate)
    assert verdict.is_valid, verdict.differences


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("risk", 0.1), ("risk", 0.2), ("risk", "0.1"), ("delta", 0.5), ("delta", 2),
        ("n_errors", 2),
        ("n_samples", 101), ("n_compressed", 2), ("limit", 2.0), ("bound", "cost"),
        ("terms", [{"kind": "rules", "text": "number of rules", "nats": 1.5}]),
        ("rates", []), ("rates", [["false_positive", 0.01]] * 4),
    ],
)  # fmt: skip
def test_tampered(field, value, certificate):
    assert not _verdict({**certificate, field: value}).is_valid


@pytest.mark.parametrize("place", range(len(RATES)))
def test_every_rate_is_computed_again(place, certificate):
    rates = [list(pair) for pair in certificate["rates"]]
    rates[place][1] *= 0.9
    verdict = _verdict({**certificate, "rates": rates})
    assert f"certificate: rate {RATES[place].name}" in " ".join(verdict.differences)


def test_groups_of_settings_are_paid_for(certificate):
    verdict = _verdict(certificate, {**SETTINGS, "n_groups": 3})
    assert "certificate terms: kinds" in " ".join(verdict.differences)


def test_the_confidence_is_the_one_that_was_set(certificate):
    """A certificate that is right at its own delta, which nobody asked for."""
    verdict = _verdict(certificate, {**SETTINGS, "delta": 0.01})
    assert not verdict.is_valid
    assert "certificate: delta" in " ".join(verdict.differences)
