import numpy as np

from handful.models import Additive, Curve, Vocabulary
from handful.tables import Feature

CURVE = Curve(1, (2.0, 5.0), ((-1.0, 0.0, 1.5),), (0.25,))


def by_hand(x):
    if np.isnan(x):
        return 0.25
    return -1.0 if x < 2.0 else 0.0 if x < 5.0 else 1.5


def test_steps_by_hand():
    x = np.array([1.9, 2.0, 4.9, 5.0, 9.0, np.nan])
    X = np.column_stack([np.zeros(6), x])
    score = Additive((CURVE,), (-0.1,))
    np.testing.assert_allclose(score.scores(X), [by_hand(v) - 0.1 for v in x])
    assert score.sentences(Vocabulary(("a", "b"), ("n", "p"))) == [
        "Start at -0.1 points.",
        "b: -1, from 2 +0, from 5 +1.5; missing +0.25",
        "Sum above 0: p; otherwise: n.",
    ]
    assert (score.size, score.features) == (2, (1,))


def test_a_word_reads_as_a_question():
    score = Additive((Curve(0, (0.5,), ((-0.2, 0.8),), (0.0,)),), (0.0,))
    asked = Feature.of_word("colour", "red")
    lines = score.sentences(Vocabulary((asked.name,), ("n", "p"), features=(asked,)))
    assert lines[1] == "colour = red: +0.8; else -0.2"


def test_more_classes():
    curve = Curve(0, (1.0,), ((0.0, 1.0), (1.0, 0.0), (0.2, 0.2)), (0.0, 0.0, 5.0))
    score = Additive((curve,), (0.0, 0.0, 0.0))
    assert score.labels(np.array([[0.0], [1.0], [np.nan]])).tolist() == [1, 0, 2]
    assert score.sentences(Vocabulary(("a",), ("r", "s", "t"))) == [
        "Start at +0 / +0 / +0 points, one sum a class (r / s / t).",
        "a: +0 / +1 / +0.2, from 1 +1 / +0 / +0.2; missing +0 / +0 / +5",
        "The largest sum gives the class, the first of equal ones.",
    ]
