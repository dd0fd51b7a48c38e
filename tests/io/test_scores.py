"""Machines without rules: strict reading."""

import json

import numpy as np
import pytest

from handful.io._scores import score_from_dict, score_to_dict
from handful.rules.fields import ModelFileError
from tests.verify.test_scores import MACHINES


@pytest.mark.parametrize("machine", MACHINES, ids=["linear", "votes", "rbf", "poly", "constant"])
def test_round_trip(machine, rng):
    data = json.loads(json.dumps(score_to_dict(machine)))
    again = score_from_dict(data, "machine", 3)
    assert again == machine
    X = rng.normal(size=(10, 3))
    assert (again.predict(X) == np.where(machine.decision_function(X) > 0, 1, -1)).all()
    assert (again.first_rule(X) == -1).all()


@pytest.mark.parametrize(
    ("which", "change"),
    [
        (0, {"weights": [1.0]}),
        (0, {"weights": "abc"}),
        (0, {"intercept": None}),
        (0, {"more": 1}),
        (1, {"features": [0, 9, 0]}),
        (1, {"features": [0, 1]}),
        (1, {"features": 3}),
        (2, {"points": [[1.0]]}),
        (2, {"points": 7}),
        (2, {"coefficients": [1.0]}),
        (2, {"kernel": {"name": "precomputed", "gamma": 1.0, "degree": 3, "coef0": 0.0}}),
        (2, {"kernel": "rbf"}),
        (3, {"scale": [1.0]}),
    ],
)
def test_bad_fields(which, change):
    with pytest.raises(ModelFileError):
        score_from_dict({**score_to_dict(MACHINES[which]), **change}, "machine", 3)
