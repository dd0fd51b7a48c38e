"""What a certificate says follows from the bound and the settings, or the file is refused."""

import json

import pytest

from handful.verify import verify_model
from tests.verify.cases import MACHINES, case, reseal

MISCLASSIFIED = {"key": "misclassified", "values": {}}


def _verdict(name, change, tmp_path):
    document = json.loads(case(name).text)
    change(document["certificate"])
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    return verify_model(path, case(name).X, case(name).y)


def test_a_cost_is_not_a_probability(tmp_path):
    verdict = _verdict("pool-cost", lambda c: c.update(quantity=MISCLASSIFIED), tmp_path)
    assert verdict.status == "NOT VALID"
    assert "quantity" in " ".join(verdict.differences)


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", sorted(MACHINES))
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quantity", {"key": "accepted", "values": {}}),
        ("notes", ["Confirmed by an independent laboratory."]),
        ("assumptions", []),
        ("assumptions", [{"key": "iid", "values": {"seed": 1}}]),
        ("parameters", {"scale": 3.0, "margin": 0.5}),
        ("reference", "a letter"),
        ("unit", "parts"),
    ],
)
def test_other_words_are_refused(name, field, value, tmp_path):
    verdict = _verdict(name, lambda c: c.update({field: value}), tmp_path)
    assert field in " ".join(verdict.differences)


def test_a_machine_has_its_own_name(tmp_path):
    document = json.loads(case("stumps").text)
    document["provenance"]["estimator"] = "DecisionListMachine"
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    verdict = verify_model(path, case("stumps").X, case("stumps").y)
    assert "estimator" in " ".join(verdict.differences)
