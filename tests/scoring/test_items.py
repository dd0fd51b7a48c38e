import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handful.models import short
from handful.scoring import make_items, quantile_cuts


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.integers(1, 9))
def test_cuts_separate_neighbouring_values(values, n_cuts):
    x = np.array(values, dtype=float)
    cuts = quantile_cuts(x, n_cuts)
    assert len(cuts) <= n_cuts
    for cut in cuts:
        assert (x >= cut).any()
        assert (x < cut).any()
    if len(np.unique(x)) - 1 <= n_cuts:
        assert len(cuts) == len(np.unique(x)) - 1


@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_short_cuts_stay_between(low, gap):
    high = low + gap
    if high > low:
        assert low < short(0.5 * low + 0.5 * high, low, high) <= high


@given(st.lists(st.integers(-3000, 3000), min_size=2, max_size=40), st.integers(1, 9))
def test_cuts_of_whole_numbers_are_whole(values, n_cuts):
    assert all(cut % 1.0 == 0.0 for cut in quantile_cuts(np.array(values, dtype=float), n_cuts))


def test_other_cuts_are_short():
    assert quantile_cuts(np.array([0.0, 0.5, 1.0]), 2) == [0.2, 0.8]


def test_weights_are_repetitions(rng):
    x = rng.normal(size=60)
    weight = rng.integers(0, 4, size=60)
    assert quantile_cuts(x, 5, weight.astype(float)) == quantile_cuts(np.repeat(x, weight), 5)


def test_items_know_their_rows_and_neighbours():
    X = np.array([[1.0, np.nan], [2.0, 0.0], [3.0, 1.0]])
    items = make_items(X)
    assert [(c.features[0], c.cut) for c in items.conditions] == [(0, 2.0), (0, 3.0), (1, 1.0)]
    assert items.is_met.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 1]]
    assert items.neighbours.tolist() == [[1, -1], [0, -1], [-1, -1]]
    assert items.features.tolist() == [0, 0, 1]


def test_given_cuts_replace_quantiles():
    items = make_items(np.array([[1.0], [2.0], [3.0]]), cut_points={0: [2.5]})
    assert [c.cut for c in items.conditions] == [2.5]
