import numpy as np

from handful.models import Condition, Constant, OrderedRules, Rule, Vocabulary, Vote

WORDS = Vocabulary(("age", "nodes"), ("well", "ill", "gone"))
X = np.array([[50.0, 1.0], [20.0, 9.0], [np.nan, 9.0], [20.0, np.nan]])


def by_hand(row):
    age, nodes = row
    if age >= 40.0 and nodes < 5.0:
        return 1
    if nodes >= 8.0:
        return 2
    return 0


def test_rules_are_evaluated_as_they_read():
    rules = OrderedRules(
        (
            Rule((Condition.on(0, ">=", 40.0), Condition.on(1, "<", 5.0)), 1),
            Rule((Condition.on(1, ">=", 8.0),), 2),
        ),
        0,
        3,
    )
    assert rules.labels(X).tolist() == [by_hand(row) for row in X] == [1, 2, 2, 0]
    assert rules.first_rule(X).tolist() == [0, 1, 1, -1]
    assert rules.scores(X).argmax(axis=1).tolist() == [1, 2, 2, 0]
    assert rules.sentences(WORDS) == [
        "If age ≥ 40 and nodes < 5: ill.",
        "Else if nodes ≥ 8: gone.",
        "Otherwise: well.",
    ]
    assert (rules.size, rules.features) == (3, (0, 1))


def test_a_constant():
    assert Constant(1).scores(X).tolist() == [1.0] * 4
    assert Constant(2, 3).labels(X).tolist() == [2] * 4
    assert Constant(1).sentences(WORDS) == ["Always predict ill."]
    assert OrderedRules((), 1).sentences(WORDS) == ["Always predict ill."]


def test_a_vote_takes_the_majority_and_the_earliest_of_equals():
    vote = Vote((Constant(2, 3), Constant(1, 3), Constant(0, 3)), 3)
    assert vote.labels(X).tolist() == [2] * 4
    vote = Vote((Constant(0), Constant(1), Constant(1)))
    assert vote.labels(X).tolist() == [1] * 4
    assert (vote.scores(X) > 0).all()
