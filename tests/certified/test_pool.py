import numpy as np
import pytest

from handful.certified.training_pool import Pool, make_folds
from handful.models import Constant, Fitted
from handful.tables import Columns, pool_size
from tests.certified.cases import make_pool


def test_size_depends_on_the_number_of_rows_alone():
    assert [pool_size(n, 0.4) for n in (1, 20, 768, 10**7)] == [1, 8, 307, 10_000]


def test_folds_hold_every_class_in_turn(rng):
    y = rng.integers(0, 3, size=100)
    fold = make_folds(y)
    for label in range(3):
        sizes = np.bincount(fold[y == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_groups_stay_in_one_fold(rng):
    groups = rng.integers(0, 12, size=80)
    fold = make_folds(np.zeros(80, dtype=int), groups)
    assert all(len(np.unique(fold[groups == g])) == 1 for g in np.unique(groups))


def test_views_of_the_pool():
    X = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0], [8.0, 5.0]])
    pool = make_pool(X, np.array([0, 1, 0, 1]))
    assert pool.fill.tolist() == [3.0, 0.0, 5.0]  # age, age is missing, constant
    assert not np.isnan(pool.filled).any()
    np.testing.assert_allclose(pool.scaled.mean(axis=0), 0.0, atol=1e-12)
    assert pool.scale[2] == 1.0
    assert pool.n_scores == 1
    assert pool.scaled[:, 0].std() == pytest.approx(1.0)


def test_a_number_whose_name_looks_like_a_question_is_a_number():
    names = ["ratio = a/b", "dose is missing"]
    X = np.array([[1.0, 4.0], [3.0, np.nan], [np.nan, 6.0], [5.0, 8.0]])
    columns = Columns.of_numbers(names).asking(X)
    pool = Pool(
        table=X,
        X=columns.encode(X),
        y=np.array([0, 1, 0, 1]),
        weight=np.ones(4),
        fold=np.zeros(4, dtype=np.int64),
        n_classes=2,
        columns=columns,
    )
    assert pool.fill[[0, 2]].tolist() == [3.0, 6.0]  # medians, where words would get 0
    words = Fitted("one rule", columns, ("well", "ill"), Constant(0)).words
    assert words.compared(0, ">=", 3.0) == "ratio = a/b ≥ 3"
    assert words.compared(2, "<", 6.0) == "dose is missing < 6"
    assert words.compared(3, "<", 0.5) == "dose is missing is known"
