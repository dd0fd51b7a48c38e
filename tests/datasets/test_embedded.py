"""The embedded sets: counts, attribution, and equality with the papers' copies."""

from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from handful.datasets import load_dataset
from handful.datasets.embedded import EMBEDDED, LICENCE, load_embedded, render_attribution

COUNTS = {
    "breastw": (683, 9, 239, 444),
    "haberman": (294, 3, 219, 75),
    "bupa": (345, 6, 145, 200),
    "glass": (163, 9, 87, 76),
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_counts(name):
    data = load_embedded(name)
    n_samples, n_features, n_positive, n_negative = COUNTS[name]
    assert data.X.shape == (n_samples, n_features)
    assert data.X.dtype == np.float64
    assert data.class_counts == {-1: n_negative, 1: n_positive}
    assert np.isfinite(data.X).all()
    assert data.feature_names == EMBEDDED[name].feature_names
    assert set(data.target_names) == {-1, 1}
    assert data.licence == LICENCE
    assert "https://doi.org/10.24432/" in data.source


def test_aliases_are_the_same_sets():
    assert set(EMBEDDED) == {*COUNTS, "haberman-294", "glass-2class"}
    np.testing.assert_array_equal(load_embedded("haberman-294").X, load_embedded("haberman").X)
    np.testing.assert_array_equal(load_embedded("glass-2class").X, load_embedded("glass").X)


def test_no_patient_of_haberman_contradicts_another():
    data = load_embedded("haberman")
    labels = {}
    for row, label in zip(map(tuple, data.X), data.y.tolist(), strict=True):
        assert labels.setdefault(row, label) == label


def test_known_rows():
    """First rows of the original files, as their documentation prints them."""
    breastw, glass = load_embedded("breastw"), load_embedded("glass")
    assert breastw.X[0].tolist() == [5, 1, 1, 1, 2, 1, 3, 1, 1]
    assert breastw.y[0] == -1
    assert glass.X[0].tolist() == [1.52101, 13.64, 4.49, 1.1, 71.78, 0.06, 8.75, 0, 0]
    assert glass.y[0] == 1


def test_the_attribution_file_is_up_to_date():
    text = files("handful.datasets").joinpath("data", "ATTRIBUTION.md").read_text("utf-8")
    assert text == render_attribution()
    for entry in EMBEDDED.values():
        assert entry.citation in text


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_rows_equal_the_papers_copies(name, data_dir):
    ours, entry = load_embedded(name), EMBEDDED[name]
    theirs = load_dataset((*entry.aliases, name)[0], data_dir)
    assert theirs.feature_names == ours.feature_names
    assert theirs.target_names == ours.target_names

    def rows(data):
        return Counter(map(tuple, np.column_stack([data.X, data.y]).tolist()))

    assert rows(ours) == rows(theirs)
