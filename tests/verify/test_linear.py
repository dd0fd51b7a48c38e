"""A linear rule is judged by what it does to a case, not by the digits of its largest weight."""

import json

import numpy as np
import pytest

from handful import SetCoveringMachine, load_dataset
from handful.files import model_to_dict
from handful.files.document import to_text
from handful.verify import verify_model
from handful.verify.audit import Audit
from handful.verify.covers import check_linear
from tests.verify.cases import reseal


def test_two_columns_that_cancel_are_no_back_door(tmp_path):
    """Equal columns of 1e9 with weights of 3e-8 and -3e-8: 30 units on a case where one moves."""
    data = load_dataset("breastw")
    rng = np.random.default_rng(0)
    large = 1e9 * (1.0 + 0.1 * rng.random(len(data.X)))
    X = np.column_stack([data.X, large, large])
    rules = ["stumps", "linear", "half-spaces"]
    machine = SetCoveringMachine(rules, random_state=4).fit(X, data.y)
    document = json.loads(to_text(model_to_dict(machine)))
    assert document["training"]["codes"][0]["scheme"] == "plain"
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)))
    assert verify_model(path, X, data.y).is_valid
    (rule,) = document["fitted"]["machine"]["rules"]
    weights = rule["conditions"][0]["value"]["weights"]
    weights[-2] += 3e-8
    weights[-1] -= 3e-8
    path.write_text(reseal(json.dumps(document, indent=1)))
    verdict = verify_model(path, X, data.y)
    assert "weights" in " ".join(verdict.differences)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_rounding_passes_and_more_does_not(offset, rng):
    X = rng.normal(size=(200, 3)) + offset
    w = np.array([1.0, -2.0, 0.5])
    t = float(w.sum() * offset)
    near = w * (1.0 + 1e-15)
    shifted = t + float((near - w).sum() * offset)
    assert check_linear(Audit(), "rule", (near.tolist(), shifted), (w.tolist(), t), X)
    for step in (1e-6, -1e-6):
        other = w + np.array([step, 0.0, 0.0])
        assert not check_linear(Audit(), "rule", (other.tolist(), t), (w.tolist(), t), X)
    size = float(np.abs(X @ w - t).max())
    assert not check_linear(Audit(), "rule", (w.tolist(), t + 1e-5 * size), (w.tolist(), t), X)
    assert not check_linear(Audit(), "rule", (w[:2].tolist(), t), (w.tolist(), t), X)
