import numpy as np

from handful.fitted import LinearScore, Spoken

X = np.array([[1.0, 2.0], [np.nan, 0.0]])


def test_two_classes_by_hand():
    score = LinearScore(((2.0, -1.0),), (-0.5,), (3.0, 0.0))
    assert score.scores(X).tolist() == [2.0 - 2.0 - 0.5, 6.0 - 0.5]
    assert score.labels(X).tolist() == [0, 1]
    assert (score.size, score.features) == (2, (0, 1))


def test_more_classes_by_hand():
    score = LinearScore(((0.0, 1.0), (1.0, 0.0), (0.0, 0.0)), (0.0, 0.0, 1.5), (3.0, 0.0))
    assert score.labels(X).tolist() == [0, 1]
    assert score.sentences(Spoken(("a", "b"), ("x", "y", "z")))[-1] == (
        "The largest sum gives the class."
    )
