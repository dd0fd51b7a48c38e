import numpy as np

from handful.models import Card, Condition, Item, Vocabulary

CARD = Card(
    (Item(Condition.on(0, ">=", 127.0), 3), Item(Condition.on(1, "<", 28.0), -2)),
    1,
)
X = np.array([[130.0, 20.0], [130.0, 40.0], [100.0, np.nan], [np.nan, 20.0]])


def test_points_by_hand():
    assert CARD.points(X).tolist() == [1, 3, 0, -2]
    assert CARD.labels(X).tolist() == [1, 1, 0, 0]
    assert (CARD.scores(X) > 0).tolist() == [True, True, False, False]
    assert CARD.totals.tolist() == [-2, -1, 0, 1, 2, 3]


def test_prints_as_a_card():
    text = CARD.show(Vocabulary(("glucose", "age"), ("well", "ill")))
    assert text.splitlines() == [
        "glucose ≥ 127    +3",
        "age < 28         -2",
        "1 point or more: ill; otherwise: well.",
    ]


def test_an_empty_card_is_a_constant():
    words = Vocabulary((), ("well", "ill"))
    assert Card((), 0).sentences(words) == ["Always predict ill."]
    assert Card((), 1).sentences(words) == ["Always predict well."]
