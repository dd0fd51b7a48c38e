import math

import numpy as np
import pytest

from handful.kernels import Kernel
from handful.models import Vocabulary, kernel_expansion

MACHINE = kernel_expansion(
    Kernel("rbf", gamma=0.5),
    [[0.0, 0.0], [4.0, 1.0]],
    [[1.0], [-2.0]],
    [0.1],
    scale=(2.0, 1.0),
    fill=(1.0, 0.0),
)


def test_sums_by_hand():
    X = np.array([[2.0, 1.0], [np.nan, 3.0]])
    expected = []
    for row in ((2.0, 1.0), (1.0, 3.0)):
        total = 0.1
        for center, weight in (((0.0, 0.0), 1.0), ((4.0, 1.0), -2.0)):
            square = ((row[0] - center[0]) / 2.0) ** 2 + (row[1] - center[1]) ** 2
            total += weight * math.exp(-0.5 * square)
        expected.append(total)
    assert MACHINE.scores(X).tolist() == pytest.approx(expected)
    assert MACHINE.labels(X).tolist() == [int(v > 0) for v in expected]


def test_a_row_has_the_same_score_in_any_company(rng):
    X = rng.normal(size=(50, 2))
    alone = np.concatenate([MACHINE.scores(row[None, :]) for row in X])
    np.testing.assert_array_equal(MACHINE.scores(X), alone)


def test_names_its_centres():
    words = Vocabulary(("a", "b"), ("n", "p"), shows_rows=True)
    assert MACHINE.sentences(words)[2] == "-2 × similarity to (a 4, b 1)"


def test_shows_no_row_unless_asked():
    lines = MACHINE.sentences(Vocabulary(("a", "b"), ("n", "p")))
    assert lines[2] == "-2 × similarity to kept example 2"
