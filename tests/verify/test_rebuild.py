"""Rules against their examples."""

import numpy as np
import pytest

from handful.verify._audit import Audit
from handful.verify._rebuild import check_rules, named_examples

X = np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 5.0]])
Y = np.array([1, 1, -1])
NO_WORDS = np.zeros(2, dtype=bool)
STUMP = {
    "type": "stump", "feature": 0, "threshold": 2.0, "side": "above", "indices": [1]
}  # fmt: skip
BALL = {
    "type": "ball", "center": [3.0, 5.0], "radius": 26**0.5, "side": "below", "scale": None,
    "metric": "euclidean", "kernel": None, "indices": [2, 1],
}  # fmt: skip


def _findings(family, rule, kept, kind="conjunction"):
    audit = Audit()
    check_rules(audit, {"family": family, "kind": kind, "kept": kept}, [rule], X, Y, NO_WORDS)
    return audit.verdict()


def test_honest_rules():
    assert _findings("stumps", STUMP, [1]).is_valid
    assert _findings("balls", BALL, [1, 2]).is_valid
    assert _findings("stumps", STUMP, [1], kind="list").is_valid


@pytest.mark.parametrize(
    ("family", "rule", "kept", "words"),
    [
        ("stumps", {**STUMP, "threshold": 2.5}, [1], "threshold"),
        ("stumps", {**STUMP, "indices": [0]}, [1], "kept examples"),
        ("stumps", {**STUMP, "side": "equal"}, [1], "side"),
        ("stumps", {**STUMP, "indices": [1, 1]}, [1], "example: must be one"),
        ("stumps", STUMP, [0, 1], "kept examples"),
        ("balls", STUMP, [1], "of its family"),
        ("balls", {**BALL, "radius": 5.0}, [1, 2], "threshold"),
        ("balls", {**BALL, "center": [3.0, 4.0]}, [1, 2], "is not the row of example 2"),
        ("balls", {**BALL, "side": "above"}, [1, 2], "side"),
        ("balls", {**BALL, "indices": [2, 99]}, [1, 2], "kept examples"),
        ("balls", BALL, [0, 1, 2], "threshold"),
    ],
)
def test_tampered_rules(family, rule, kept, words):
    assert words in " ".join(_findings(family, rule, kept).differences)


def test_named_examples():
    assert named_examples(STUMP) == [1]
    assert named_examples({**STUMP, "indices": []}) == []
