import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handful.scoring import make_items, quantile_cuts
from handful.scoring.solver import between


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
        assert low < between(low, high) <= high


def test_weights_are_repetitions(rng):
    x = rng.normal(size=60)
    weight = rng.integers(0, 4, size=60)
    assert quantile_cuts(x, 5, weight.astype(float)) == quantile_cuts(np.repeat(x, weight), 5)


def test_items_know_their_rows_and_neighbours():
    X = np.array([[1.0, np.nan], [2.0, 0.0], [3.0, 1.0]])
    items = make_items(X)
    assert [(c.features[0], c.cut) for c in items.conditions] == [(0, 2.0), (0, 3.0), (1, 0.5)]
    assert items.is_met.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 1]]
    assert items.neighbours.tolist() == [[1, -1], [0, -1], [-1, -1]]
    assert items.features.tolist() == [0, 0, 1]


def test_given_cuts_replace_quantiles():
    items = make_items(np.array([[1.0], [2.0], [3.0]]), cut_points={0: [2.5]})
    assert [c.cut for c in items.conditions] == [2.5]
