"""Sets are found by name, in the documented order; shared sets are as their manifest says."""

import json

import numpy as np
import pytest

from handful.datasets import list_datasets, load_dataset

EMBEDDED_NAMES = ["breastw", "bupa", "glass", "haberman"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that shadows an embedded name and adds one; the variable is not set."""
    monkeypatch.delenv("HANDFUL_DATA", raising=False)
    (tmp_path / "glass.csv").write_text("a,label\n1,7\n2,8\n")
    (tmp_path / "mine.csv").write_text("a,label\n1,1\n2,-1\n")
    return tmp_path


def test_embedded_names_need_no_folder(folder):
    assert list_datasets() == EMBEDDED_NAMES
    assert load_dataset("glass").n_samples == 163


def test_the_folder_wins_over_the_embedded_set(folder):
    assert load_dataset("glass", folder).class_counts == {7: 1, 8: 1}
    assert load_dataset("glass-2class", folder).n_samples == 163
    assert load_dataset("bupa", str(folder)).n_samples == 345
    assert list_datasets(folder) == ["breastw", "bupa", "glass", "haberman", "mine"]


def test_the_argument_wins_over_the_variable(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "glass.csv").write_text("a,label\n1,0\n2,0\n3,1\n")
    monkeypatch.setenv("HANDFUL_DATA", str(folder))
    assert load_dataset("glass").class_counts == {7: 1, 8: 1}
    assert load_dataset("glass", other).n_samples == 3
    assert load_dataset("mine", other).n_samples == 2
    assert "mine" in list_datasets()


def test_unknown_names_get_the_nearest(folder):
    with pytest.raises(
        ValueError, match=r"got 'Habermann'. Nearest: 'haberman'.*list_datasets\(\)"
    ):
        load_dataset("Habermann")
    with pytest.raises(ValueError, match=r"got 'BUPA'. Nearest: 'bupa'"):
        load_dataset("BUPA")
    with pytest.raises(ValueError, match=r"Nearest: 'mine'.*list_datasets\(data_dir\)"):
        load_dataset("mien", folder)
    with pytest.raises(ValueError, match=r"got 'xyzzy'. Nearest: 'breastw', 'bupa'.*HANDFUL_DATA"):
        load_dataset("xyzzy")
    with pytest.raises(ValueError, match=r"got '../glass'"):
        load_dataset("../glass", folder)
    with pytest.raises(TypeError, match=r"`name` must be a str, got int"):
        load_dataset(3)


def test_broken_files_are_named(folder):
    (folder / "broken.csv").write_text("a,label\n")
    with pytest.raises(ValueError, match=r"broken.csv has a header but no rows"):
        load_dataset("broken", folder)


def test_every_shared_set_is_as_its_manifest_says(data_dir):
    path = data_dir / "manifest.json"
    if not path.is_file():
        pytest.skip("the data folder has no manifest.json to compare with")
    entries = json.loads(path.read_text(encoding="utf-8"))["datasets"]
    names = list_datasets(data_dir)
    assert set(entries) <= set(names)
    for name, facts in entries.items():
        data = load_dataset(name, data_dir)
        assert data.X.shape == (facts["rows"], facts["features"]), name
        counts = {str(label): count for label, count in data.class_counts.items()}
        assert counts == facts["class_counts"], name
        assert np.isnan(data.X).sum() == facts["missing_cells"], name
        assert set(data.target_names) == set(data.class_counts), name
        assert data.categories == {}, name
        assert data.licence == facts["licence"], name
