import numpy as np

from handful.models import LinearScore, Vocabulary

X = np.array([[1.0, 2.0], [np.nan, 0.0]])


def test_two_classes_by_hand():
    score = LinearScore(((2.0, -1.0),), (-0.5,), (3.0, 0.0))
    assert score.scores(X).tolist() == [2.0 - 2.0 - 0.5, 6.0 - 0.5]
    assert score.labels(X).tolist() == [0, 1]
    assert (score.size, score.features) == (2, (0, 1))


def test_more_classes_by_hand():
    score = LinearScore(((0.0, 1.0), (1.0, 0.0), (0.0, 0.0)), (0.0, 0.0, 1.5), (3.0, 0.0))
    assert score.labels(X).tolist() == [0, 1]
    assert score.sentences(Vocabulary(("a", "b"), ("x", "y", "z")))[-1] == (
        "The largest sum gives the class."
    )


def test_terms_are_ordered_by_their_effects_and_printed_in_full():
    score = LinearScore(
        ((0.5, -0.0123, 0.0, 123456.78),), (-1 / 3,), (0.0,) * 4, (1.0, 100.0, 1.0, 1e-6)
    )
    words = Vocabulary(("a", "b", "c", "d"), ("no", "yes"))
    assert score.sentences(words) == [
        "-0.0123·b (effect -1.23)",
        "+0.5·a (effect +0.5)",
        "+123456.78·d (effect +0.123)",
        "Sum > 0.3333333333333333: yes; otherwise: no.",
    ]
    bare = LinearScore(score.weights, score.intercepts, score.fill)
    assert bare.sentences(words) == [
        "+0.5·a -0.0123·b +1.235e+05·d > 0.333333: yes; otherwise: no."
    ]


def test_nothing_is_left_out_of_many_terms():
    weights = tuple(0.1 + j for j in range(50))
    score = LinearScore((weights,), (0.0,), (0.0,) * 50, (1.0,) * 50)
    names = tuple(f"column {j}" for j in range(50))
    lines = score.sentences(Vocabulary(names, ("no", "yes")))
    assert len(lines) == 51
    assert all(any(name in line for line in lines) for name in names)
