import numpy as np
import pandas as pd
import pytest

from handful import ScoreCard, load_dataset

DATA = load_dataset("haberman-294")


@pytest.fixture
def frame(rng):
    n = 300
    age = rng.integers(20, 80, size=n).astype(float)
    colour = rng.choice(["red", "green", "blue"], size=n)
    logit = 0.1 * (age - 50) + 1.5 * (colour == "red")
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "ill", "well")
    age[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "colour": colour}), y


def test_words_and_missing_values_are_items(frame):
    X, y = frame
    machine = ScoreCard(max_items=5).fit(X, y)
    text = machine.explain()
    assert "colour = red" in text or "colour ≠ red" in text
    assert text.startswith("age  ")
    assert "60 or more: +10" in text
    assert text.splitlines()[-1].endswith("ill; otherwise: well.")
    assert machine.score(X, y) > 0.7
    assert set(machine.predict(X)) == {"ill", "well"}


def test_prediction_is_the_card_read_aloud(frame):
    X, y = frame
    machine = ScoreCard(max_items=4).fit(X, y)
    totals = np.zeros(len(X), dtype=int)
    for item in machine.card_.items:
        name = machine.fitted_.columns.names[item.condition.features[0]]
        if name == "age":
            met = X["age"] >= item.condition.cut
        elif name == "age is missing":
            met = X["age"].isna()
        else:
            is_word = X["colour"] == name.removeprefix("colour = ")
            met = is_word if item.condition.op == ">=" else X["colour"].notna() & ~is_word
        totals += item.points * met.to_numpy()
    np.testing.assert_array_equal(machine.points(X), totals)
    labels = np.where(totals >= machine.card_.threshold, "ill", "well")  # the case
    np.testing.assert_array_equal(machine.predict(X), labels)
    proba = machine.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert ((proba[:, 1] > 0.5) == (labels == "well")).all()


def test_limits_are_kept():
    card = ScoreCard(max_items=3, max_points=2).fit(DATA.X, DATA.y).card_
    assert card.size <= 3
    assert all(0 < abs(item.points) <= 2 for item in card.items)


def test_given_cuts_and_directions(frame):
    X, y = frame
    machine = ScoreCard(cut_points={"age": [40.0]}, directions={"colour": 1}).fit(X, y)
    ages = [item.condition.cut for item in machine.card_.items if item.condition.features[0] == 0]
    assert set(ages) <= {40.0}
    with pytest.raises(ValueError, match="`weight` is not a column"):
        ScoreCard(directions={"weight": 1}).fit(X, y)
    with pytest.raises(ValueError, match="`directions` must be -1 or 1"):
        ScoreCard(directions={"age": 2}).fit(X, y)


@pytest.mark.parametrize("name", ["max_items", "max_points", "n_cuts"])
def test_numbers_are_checked(name):
    with pytest.raises(ValueError, match=f"`{name}` must be at least 1, got 0"):
        ScoreCard(**{name: 0}).fit(DATA.X, DATA.y)


def test_more_items_than_a_card_can_hold_are_refused():
    with pytest.raises(ValueError, match="`max_items` must be at most 60, got 61"):
        ScoreCard(max_items=61).fit(DATA.X, DATA.y)


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="for two classes, got 3"):
        ScoreCard().fit(np.eye(6), [0, 1, 2, 0, 1, 2])
