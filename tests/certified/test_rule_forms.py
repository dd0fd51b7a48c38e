import numpy as np
import pytest

from handful.certified import rule_forms as forms
from tests.certified.cases import error, linear_pool, make_pool, three_classes


def test_constant_is_the_heaviest_class(rng):
    pool = make_pool(np.ones((10, 1)), np.array([0] * 3 + [1] * 7))
    (proposal,) = forms.constant(pool)
    assert proposal.machine.label == 1


def test_one_rule_finds_the_cut(rng):
    X = rng.normal(size=(200, 4))
    pool = make_pool(X, (X[:, 2] > 0.3).astype(int))
    (proposal,) = forms.one_rule(pool)
    assert proposal.machine.size == 1
    assert proposal.machine.features == (2,)
    assert error(proposal, pool) < 0.06


def test_one_rule_is_the_best_condition_of_all(rng):
    """Every condition of the table with every pair of labels, one at a time."""
    pool = linear_pool(rng, n=60)
    table = forms.cut_table(pool)
    best = min(
        np.mean(np.where(condition.is_met(pool.X), a, b) != pool.y)
        for condition in table.conditions
        for a in (0, 1)
        for b in (0, 1)
    )
    (proposal,) = forms.one_rule(pool)
    assert error(proposal, pool) == pytest.approx(best)


@pytest.mark.parametrize("table", [forms.cut_table, forms.plane_table, forms.ball_table])
def test_tables_hold_what_their_conditions_say(table, rng):
    pool = linear_pool(rng, n=50)
    made = table(pool)
    some = rng.choice(len(made.conditions), size=40, replace=False)
    for j in some:
        met = made.conditions[j].is_met(pool.X)
        assert np.mean(met != (made.is_met[j] > 0)) <= 0.02  # equal but for rounding at a cut


def test_shorter_lists_are_prefixes(rng):
    pool = linear_pool(rng, n=80)
    table, rows = forms.cut_table(pool), np.arange(80)
    long = forms._list_path(pool, table, rows, 1.5, 5)
    for size in (1, 2, 3):
        short = forms._list_path(pool, table, rows, 1.5, size)
        assert short[0] == long[0][:size]
        np.testing.assert_array_equal(
            forms._list_labels(short, table, rows, size),
            forms._list_labels(long, table, rows, size),
        )


def test_constant_features_give_no_rule():
    pool = make_pool(np.ones((20, 2)), np.arange(20) % 2)
    with pytest.raises(ValueError, match="no feature has two values"):
        forms.one_rule(pool)


def test_missing_values_meet_no_condition():
    X = np.array([[1.0], [np.nan], [3.0], [4.0]])
    pool = make_pool(X, np.array([0, 1, 0, 1]))
    table = forms.cut_table(pool)
    for condition, met in zip(table.conditions, table.is_met, strict=True):
        if condition.features[0] == 0:
            assert met[1] == 0.0


def test_covers_and_lists(rng):
    X = rng.normal(size=(300, 3))
    y = ((X[:, 0] > 0.5) | (X[:, 1] > 0.8)).astype(int)
    pool = make_pool(X, y)
    for learn in (forms.rule_set, forms.rule_list):
        (proposal,) = learn(pool)
        assert error(proposal, pool) < 0.1
        assert set(proposal.machine.features) <= {0, 1, 2}


def test_half_spaces_and_balls(rng):
    X = rng.normal(size=(200, 2))
    line = make_pool(X, (X[:, 0] + X[:, 1] > 0).astype(int))
    (proposal,) = forms.half_spaces(line)
    assert error(proposal, line) < 0.1
    ring = make_pool(X, (np.hypot(X[:, 0], X[:, 1]) < 1.0).astype(int))
    (proposal,) = forms.balls(ring)
    assert error(proposal, ring) < 0.15


def test_a_list_of_three_classes(rng):
    pool = three_classes(rng)
    (proposal,) = forms.rule_list(pool)
    assert error(proposal, pool) < 0.2
