import numpy as np
import pytest

from handful.certified.linear_forms import linear
from handful.certified.training_pool import (
    majority,
    need_folds,
    need_two_classes,
    on_first_rows,
    select,
)
from tests.certified.cases import linear_pool, make_pool, three_classes
from tests.oracles import menu as oracle


def test_honest_guesses_equal_the_oracle(rng):
    pool = linear_pool(rng, n=60)
    guesses = np.where(rng.random((7, 60)) < 0.3, 1 - pool.y, pool.y)
    found = select(guesses, pool)
    best, honest = found.best, found.guesses
    errors = [(g != pool.y).sum() for g in guesses]
    assert best == errors.index(min(errors))
    np.testing.assert_array_equal(honest, oracle.honest_guesses(guesses, pool.y, pool.fold))


def test_settings_are_compared_by_their_losses_where_there_are_some(rng):
    pool = linear_pool(rng, n=60)
    guesses = np.where(rng.random((7, 60)) < 0.3, 1 - pool.y, pool.y)
    losses = rng.integers(0, 9, size=(7, 60)).astype(float)
    scores = rng.normal(size=(7, 60))
    found = select(guesses, pool, losses, scores)
    best, honest = found.best, found.guesses
    assert best == int(np.argmin(losses.sum(axis=1)))
    expected = oracle.honest_guesses(guesses, pool.y, pool.fold, losses)
    np.testing.assert_array_equal(honest, expected)
    for fold in np.unique(pool.fold):  # scores are those of the same settings
        row = int(np.argmin(losses[:, pool.fold != fold].sum(axis=1)))
        some = pool.fold == fold
        np.testing.assert_array_equal(found.scores[some], scores[row, some])


def test_trying_many_settings_does_not_look_good(rng):
    """Two hundred coin-flip settings: the best has few errors, honest guesses have half."""
    pool = linear_pool(rng, n=100)
    guesses = rng.integers(0, 2, size=(200, 100))
    found = select(guesses, pool)
    best, honest = found.best, found.guesses
    assert np.mean(guesses[best] != pool.y) < 0.4
    assert np.mean(honest != pool.y) > 0.4


def test_majority_by_weight():
    assert majority(np.array([0, 0, 1]), np.array([1.0, 1.0, 3.0]), 2) == 1


def test_reasons(rng):
    with pytest.raises(ValueError, match="for two classes, got 3"):
        need_two_classes(three_classes(rng))
    with pytest.raises(ValueError, match="one class only"):
        need_folds(make_pool(np.ones((6, 1)), np.zeros(6, dtype=int)))
    with pytest.raises(ValueError, match="without one class"):
        need_folds(make_pool(np.ones((6, 1)), np.array([0, 0, 0, 0, 0, 1])))


def test_a_large_pool_is_learned_from_in_part_and_guessed_in_full(rng):
    pool = linear_pool(rng, n=200)
    (some,) = on_first_rows(linear, 80)(pool)
    (alone,) = linear(pool.first_rows(80))
    assert some.machine == alone.machine
    np.testing.assert_array_equal(some.guesses[:80], alone.guesses)
    np.testing.assert_array_equal(some.guesses[80:], alone.machine.labels(pool.X[80:]))
    (every,) = on_first_rows(linear, 200)(pool)
    assert every.machine == linear(pool)[0].machine
