"""Rules against their examples."""

import numpy as np
import pytest

from handful.verify.audit import Audit
from handful.verify.covers import Cover, check_rules

X = np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 5.0]])
Y = np.array([1, 1, -1])
NO_WORDS = np.zeros(2, dtype=bool)
STUMP = Cover("stump", {"kind": "feature", "feature": 0}, ">", 2.0, 0.0, [1])
CENTER = {
    "kind": "distance", "center": [3.0, 5.0], "scale": None, "metric": "euclidean", "kernel": None,
    "fill": None,
}  # fmt: skip
BALL = Cover("ball", CENTER, "<", 26**0.5, 1e-10 * 26**0.5, [2, 1])


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
        ("stumps", STUMP._replace(cut=2.5), [1], "threshold"),
        ("stumps", STUMP._replace(examples=[0]), [1], "kept examples"),
        ("stumps", STUMP._replace(op="="), [1], "side"),
        ("stumps", STUMP._replace(examples=[1, 1]), [1], "example: must be one"),
        ("stumps", STUMP, [0, 1], "kept examples"),
        ("balls", STUMP, [1], "of its family"),
        ("balls", BALL._replace(cut=5.0), [1, 2], "threshold"),
        (
            "balls",
            BALL._replace(value={**CENTER, "center": [3.0, 4.0]}),
            [1, 2],
            "is not the row of example 2",
        ),
        ("balls", BALL._replace(op=">"), [1, 2], "side"),
        ("balls", BALL._replace(examples=[2, 99]), [1, 2], "kept examples"),
        ("balls", BALL, [0, 1, 2], "threshold"),
    ],
)
def test_tampered_rules(family, rule, kept, words):
    assert words in " ".join(_findings(family, rule, kept).differences)
