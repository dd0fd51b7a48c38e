"""The certificate as a statement: what it says, how it travels, what it refuses."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import (
    RATE_SENTENCES,
    Assumption,
    Certificate,
    Criterion,
    Message,
    Quantity,
    Term,
    compression_bound,
    confidence_text,
    half_space_message,
    percent_text,
    published_half_space_bound,
    selective_error_bound,
)

words = st.text(max_size=20)
prices = st.floats(0.0, allow_infinity=False)
kinds = st.sampled_from(["confidence", "kept", "rank"])
terms = st.lists(st.builds(Term, kinds, words, prices), max_size=4).map(tuple)
shares = st.floats(0.0, 1.0)
certificates = st.builds(
    Certificate,
    risk=shares,
    delta=st.floats(0.0, 1.0, exclude_min=True, exclude_max=True),
    bound=words,
    n_samples=st.integers(0, 2**53),
    n_errors=st.none() | st.integers(0, 2**53),
    n_compressed=st.none() | st.integers(0, 2**53),
    terms=terms,
    unit=st.sampled_from(["nats", "risk", "parts"]),
    quantity=st.sampled_from(["misclassified", "cost"]).map(Quantity),
    limit=st.floats(1.0, 1e300),
    rates=st.lists(st.tuples(st.sampled_from(sorted(RATE_SENTENCES)), shares), max_size=4).map(
        tuple
    ),
    assumptions=st.lists(
        st.sampled_from(["iid", "blind-pool"]).map(Assumption)
        | st.integers(0, 2**31).map(lambda seed: Assumption.of("seed", seed=seed)),
        max_size=3,
    ).map(tuple),
    parameters=st.dictionaries(
        st.sampled_from(["scale", "margin"]), st.floats(-1e300, 1e300), max_size=2
    ).map(lambda named: tuple(named.items())),
    reference=words,
    notes=st.lists(words, max_size=2).map(tuple),
)


@given(certificates)
def test_json_round_trip_is_exact(certificate):
    text = json.dumps(certificate.to_dict())
    again = Certificate.from_dict(json.loads(text))
    assert again == certificate
    assert json.dumps(again.to_dict()) == text
    assert again.risk.hex() == certificate.risk.hex()


GOOD = compression_bound(615, 3, 15).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nonsense": 1}, "an object with the fields"),
        ({"risk": "0.5"}, "`certificate.risk` must be a finite number"),
        ({"risk": True}, "`certificate.risk` must be a finite number"),
        ({"risk": math.nan}, "`certificate.risk` must be a finite number"),
        ({"risk": -0.1}, "`risk` must be in"),
        ({"risk": 1.5}, "`risk` must be in"),
        ({"delta": 0.0}, "`delta` must be in"),
        ({"delta": 1.0}, "`delta` must be in"),
        ({"delta": None}, "`certificate.delta` must be a finite number"),
        ({"limit": 0.0}, "`limit` must be above 0"),
        ({"limit": math.inf}, "`certificate.limit` must be a finite number"),
        ({"n_samples": 1.5}, "`certificate.n_samples` must be a whole number"),
        ({"n_samples": None}, "`certificate.n_samples` must be a whole number"),
        ({"n_errors": -1}, "`n_errors` must be a count"),
        ({"n_compressed": "3"}, "`certificate.n_compressed` must be a whole number"),
        ({"bound": 3}, "`certificate.bound` must be a text"),
        ({"terms": "ab"}, "`certificate.terms` must be a list"),
        ({"terms": [["kept", 1.0]]}, r"terms\[0\]` must be an object with the fields"),
        ({"terms": [{"kind": "kept", "nats": 1.0}]}, "an object with the fields kind, nats, text"),
        ({"terms": [{"kind": "kept", "text": "a", "nats": 1.0, "x": 0}]}, "an object with"),
        ({"terms": [{"kind": "kept", "text": "a", "nats": "1"}]}, "nats` must be a finite number"),
        ({"terms": [{"kind": "kept", "text": "a", "nats": -1.0}]}, "nats` must be not negative"),
        ({"terms": [{"kind": "kept", "text": 3, "nats": 1.0}]}, "text` must be a text"),
        ({"terms": [{"kind": "two words", "text": "a", "nats": 1.0}]}, "`kind` must be one word"),
        ({"rates": [["nonsense", 0.1]]}, "`rates` must be probabilities"),
        ({"rates": [["false_positive", 1.1]]}, "`rates` must be probabilities"),
        ({"assumptions": "trust me"}, "`certificate.assumptions` must be a list"),
        ({"assumptions": ["iid"]}, "an object with the fields key, values"),
        ({"assumptions": [{"key": "luck", "values": {}}]}, "`key` must be one of"),
        ({"assumptions": [{"key": "iid"}]}, "an object with the fields key, values"),
        ({"assumptions": [{"key": "seed", "values": {}}]}, "`values` must fit the key 'seed'"),
        ({"assumptions": [{"key": "seed", "values": {"seed": [1]}}]}, "must be a text"),
        ({"quantity": {"key": "luck", "values": {}}}, "`key` must be one of"),
        ({"parameters": [["scale", 1.0]]}, "`certificate.parameters` must be an object"),
        ({"parameters": {"scale": "wide"}}, "must be a finite number"),
        ({"parameters": {"luck": 1.0}}, "`parameters` must be named"),
        ({"notes": [1]}, r"notes\[0\]` must be a text"),
        ({"unit": "bits"}, "`unit` must be one of"),
    ],
)
def test_from_dict_refuses_junk(change, message):
    with pytest.raises(ValueError, match=message):
        Certificate.from_dict({**GOOD, **change})


def test_from_dict_refuses_what_is_missing_or_no_mapping():
    for name in GOOD:
        with pytest.raises(ValueError, match="must be an object with the fields"):
            Certificate.from_dict({k: v for k, v in GOOD.items() if k != name})
    with pytest.raises(ValueError, match="must be an object with the fields"):
        Certificate.from_dict([1, 2])


def test_frozen_equal_picklable():
    certificate = Certificate.from_dict(GOOD)
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.risk = 0.0
    assert pickle.loads(pickle.dumps(certificate)) == certificate
    assert copy.deepcopy(certificate) == certificate
    assert hash(certificate) == hash(Certificate.from_dict(GOOD))


def test_nats_add_up():
    certificate = compression_bound(615, 3, 15)
    assert certificate.nats == pytest.approx(math.fsum(term.nats for term in certificate.terms))
    assert math.isnan(selective_error_bound(100, 50, 1).nats)


def test_explain_says_everything():
    message = half_space_message(1, 1, 1, 1)
    certificate = compression_bound(615, 3, 15, message_nats=message, size_nats=0, n_choices=2)
    text = certificate.explain()
    for term in certificate.terms:
        assert term.text in text
        assert f"{term.nats:.4f}" in text
    for piece in (
        "With 95 % confidence",
        "misclassified is at most 8.82 %",
        "Held back from the count: 3 of 615 examples",
        "errors on those of the others that are counted: 15",
        f"{certificate.nats:.3f} nats",
        "choice among 2 families",
        f"It holds if: {certificate.assumptions[0]}",
        "Reference: Langford",
    ):
        assert piece in text, piece
    vacuous = compression_bound(5, 4, 1)
    assert vacuous.is_vacuous
    assert "says nothing" in vacuous.explain()
    assert "vacuous" in str(vacuous)
    assert "What it is made of" in selective_error_bound(100, 50, 1).explain()


def test_rates_are_found_by_name():
    certificate = Certificate(
        risk=0.1, delta=0.05, bound="x", n_samples=9, rates=(("false_positive", 0.25),)
    )
    assert certificate.rate("false_positive") == 0.25
    assert "a new case is negative and called positive is at most 25 %" in certificate.explain()
    assert certificate.n_statements == 2
    assert "all at once with 90 %" in certificate.explain()
    with pytest.raises(KeyError, match="no rate 'false_negative'; it has: false_positive"):
        certificate.rate("false_negative")


def test_html_is_escaped():
    certificate = Certificate(
        risk=0.1,
        delta=0.05,
        bound="x",
        n_samples=9,
        terms=(Term("kept", "<script>a</script>", 1.0),),
        notes=("<b>",),
        reference="A & B",
    )
    html = certificate._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;" in html
    assert "A &amp; B" in html
    assert "10 %" in html


@given(st.floats(0.0, 1.0))
def test_percent_never_rounds_down(value):
    text = percent_text(value)
    assert text.endswith(" %")
    shown = Decimal(text[:-2]) / 100
    assert shown >= Decimal(repr(value))
    assert shown <= Decimal(repr(value)) * Decimal("1.0101") + Decimal("5e-324")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.05, "5 %"),
        (0.0895632, "8.96 %"),
        (0.1230000001, "12.4 %"),
        (0.99901, "100 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (1.234e-7, "0.0000124 %"),
    ],
)
def test_percent(value, text):
    assert percent_text(value) == text


@given(st.floats(1e-9, 1.0, exclude_max=True))
def test_confidence_is_never_rounded_up(delta):
    shown = Decimal(confidence_text(delta)[:-2])
    assert shown <= 100 * (1 - Decimal(repr(delta)))
    assert shown < 100


def test_confidence():
    assert confidence_text(0.05) == "95 %"
    assert confidence_text(0.001) == "99.9 %"
    assert confidence_text(1e-12) == "1 - 1e-12"


def test_a_criterion_is_no_certificate():
    criterion = published_half_space_bound(215, 400, 1, 1, 1, 5, 10, 1)
    assert isinstance(criterion, Criterion)
    assert not isinstance(criterion, Certificate)
    assert float(criterion) == criterion.value
    assert "not a guarantee" in str(criterion)
    text = criterion.explain()
    assert "false" in text
    assert "compression_bound" in text
    assert json.loads(json.dumps(criterion.to_dict()))["value"] == criterion.value


def test_message_is_a_float_with_terms():
    message = Message([Term("kept", "a", 0.1), Term("size", "b", 0.2)])
    assert message == pytest.approx(0.3)
    assert isinstance(message, float)
    assert pickle.loads(pickle.dumps(message)).terms == message.terms
    assert copy.copy(message).terms == (Term("kept", "a", 0.1), Term("size", "b", 0.2))
