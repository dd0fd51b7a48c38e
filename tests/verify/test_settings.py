"""Settings and certificates that cannot be: refused before any of their numbers is used."""

import json

import pytest

from handful.verify import verify_model
from handful.verify.audit import Audit
from handful.verify.claims import check_record
from handful.verify.cover_check import check_settings
from tests.verify.cases import case, reseal


def _verdict(name, change, tmp_path):
    document = json.loads(case(name).text)
    change(document)
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    return verify_model(path, case(name).X, case(name).y)


def _hundredth_of_a_group(document):
    """The choice among 0.01 groups is worth -4.6 nats: the risk falls with every negative nat."""
    document["training"]["n_groups"] = 0.01
    terms = document["certificate"]["terms"]
    text = "choice among 0.01 groups of settings"
    terms[-1] = {"kind": "groups", "text": text, "nats": -4.605170185988091}


def test_a_price_below_zero_is_refused(tmp_path):
    verdict = _verdict("search", _hundredth_of_a_group, tmp_path)
    assert not verdict.is_consistent
    assert "n_groups" in " ".join(verdict.differences)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_groups", 0), ("n_groups", 1.0), ("n_groups", True), ("n_groups", 10**12),
        ("n_kernels", 0), ("n_kernels", 0.5), ("delta", 0.0), ("delta", 1), ("delta", "0.05"),
        ("costs", [1.0]), ("costs", [-1.0, 2.0]), ("costs", [0.0, 0.0]), ("costs", [1.0, True]),
        ("candidates", 0), ("candidates", -3), ("candidates", 2.5), ("candidates", "some"),
        ("family_sets", []), ("family_sets", [[]]), ("family_sets", [["stumps", "stumps"]]),
        ("family_sets", [["trees"]]), ("pool_families", ["trees"]), ("pool_families", None),
        ("kinds", []), ("kinds", ["list", "conjunction"]), ("kinds", ["conjunction"] * 2),
    ],
)  # fmt: skip
def test_settings(field, value):
    training = json.loads(case("search").text)["training"]
    settings = {k: v for k, v in training.items() if k not in ("kind", "codes")}
    audit = Audit()
    assert check_settings(audit, settings)
    assert not check_settings(audit, {**settings, field: value})


@pytest.mark.parametrize("field", ["n_groups", "kinds", "costs", "group_loss"])
def test_settings_lack_no_field(field, tmp_path):
    verdict = _verdict("search", lambda document: document["training"].pop(field), tmp_path)
    assert "training: fields" in " ".join(verdict.differences)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_samples", 0), ("n_samples", 10**12), ("n_samples", 683.0), ("n_errors", -1),
        ("n_errors", 684), ("n_errors", 1.5), ("n_compressed", -1), ("n_compressed", 10**6),
        ("risk", -0.1), ("risk", 1.1), ("risk", 0.0), ("risk", None), ("delta", 0), ("limit", 0.0),
        ("terms", [{"kind": "code", "text": "which code is used", "nats": -1.0}]),
        ("terms", [["which code is used", 1.0]]), ("terms", None),
        ("terms", [{"kind": "code", "text": "which code is used", "nats": 1.0, "note": ""}]),
        ("rates", [["false_positive", 1.5]]),
    ],
)  # fmt: skip
def test_certificates(field, value):
    certificate = json.loads(case("pool").text)["certificate"]
    audit = Audit()
    assert check_record(audit, certificate)
    assert not check_record(audit, {**certificate, field: value})


def test_a_family_that_was_not_offered_has_no_price(tmp_path):
    def change(document):
        document["training"]["family_sets"] = [["balls"]]

    assert not _verdict("stumps", change, tmp_path).is_consistent
