from dataclasses import replace

import numpy as np
import pytest

from handful.models import Condition, Distance, Vocabulary, WeightedSum
from handful.tables import Feature

ASKED = (Feature("age"), Feature.of_word("colour", "red"), Feature.of_missing("age"))
WORDS = Vocabulary(tuple(q.name for q in ASKED), ("well", "ill"), features=ASKED, shows_rows=True)
X = np.array([[30.0, 1.0, 0.0], [20.0, 0.0, 0.0], [np.nan, np.nan, 1.0]])
BALL = Distance((30.0, 1.0, 0.0), scale=(10.0, 1.0, 1.0), fill=(30.0, 1.0, 0.0))
CONDITIONS = [
    (Condition.on(0, ">=", 28.0), [True, False, False], "age ≥ 28"),
    (Condition.on(0, "<", 28.0), [False, True, False], "age < 28"),
    (Condition.on(1, ">=", 0.5), [True, False, False], "colour = red"),
    (Condition.on(1, "<", 0.5), [False, True, False], "colour ≠ red"),
    (Condition.on(2, "<", 0.5), [True, True, False], "age is known"),
    (
        Condition(WeightedSum((1.0, 10.0, 0.0), (34.0, 0.0, 0.0)), ">=", 35.0),
        [True, False, False],
        "+1·age +10·colour = red ≥ 35",
    ),
    (
        Condition(BALL, "<", 1.0),
        [True, False, False],
        "distance to (age 30, colour = red 1, age is missing 0) < 1",
    ),
]


@pytest.mark.parametrize(("condition", "met", "text"), CONDITIONS)
def test_met_as_it_reads_and_never_by_a_missing_value(condition, met, text):
    assert condition.is_met(X).tolist() == met
    assert condition.describe(WORDS) == text


def test_a_ball_shows_its_row_only_where_rows_are_shown():
    ball, hidden = CONDITIONS[-1][0], replace(WORDS, shows_rows=False)
    assert ball.describe(hidden) == "distance to a kept example < 1"


def test_features():
    assert CONDITIONS[5][0].features == (0, 1)
    assert CONDITIONS[6][0].features == (0, 1, 2)
