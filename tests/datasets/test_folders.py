"""Folders of CSV files with and without a manifest."""

import json

import pytest

from handful.datasets.loading import find_tables, load_table, search_folders

TOY = "a,b,label\n1,2,1\n3,4,-1\n"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    monkeypatch.delenv("HANDFUL_DATA", raising=False)


def test_files_are_found_in_the_folder_and_in_its_csv(tmp_path):
    (tmp_path / "csv").mkdir()
    for name in ("one.csv", "two.csv.gz", "both.csv", "both.csv.gz", "notes.txt", "csv/one.csv"):
        (tmp_path / name).write_text(TOY)
    found = find_tables(tmp_path)
    assert sorted(found) == ["both", "one", "two"]
    assert found["one"] == tmp_path / "csv" / "one.csv"
    assert found["both"].name == "both.csv"


@pytest.mark.parametrize("given", ["parent", "csv"])
def test_the_manifest_is_used_from_either_side(tmp_path, given):
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "toy.csv").write_text(TOY)
    facts = {
        "original": "A toy", "preprocessing": "none", "licence": "CC0", "labels": {"1": "up"}
    }  # fmt: skip
    (tmp_path / "manifest.json").write_text(json.dumps({"datasets": {"toy": facts}}))
    folder = tmp_path if given == "parent" else tmp_path / "csv"
    data = load_table("toy", find_tables(folder)["toy"])
    assert data.description == "A toy. none"
    assert data.licence == "CC0"
    assert data.target_names == {-1: "-1", 1: "up"}
    assert data.source.endswith("toy.csv")


def test_ranges_of_labels_and_unusable_keys(tmp_path):
    (tmp_path / "digits.csv").write_text("a,label\n1,0\n2,9\n3,12\n")
    labels = {"0..9": "digit", "n": "any", "a..b": "odd"}
    (tmp_path / "manifest.json").write_text(
        json.dumps({"datasets": {"digits": {"labels": labels}}})
    )
    data = load_table("digits", tmp_path / "digits.csv")
    assert data.target_names == {0: "digit 0", 9: "digit 9", 12: "12"}


def test_without_a_manifest_labels_speak_for_themselves(tmp_path):
    (tmp_path / "toy.csv").write_text("a,label\n1,yes\n2,no\n")
    data = load_table("toy", tmp_path / "toy.csv")
    assert data.target_names == {"no": "no", "yes": "yes"}
    assert data.description == ""


@pytest.mark.parametrize("text", ["{", "[]", '{"datasets": []}', "{}"])
def test_broken_manifests_are_named(tmp_path, text):
    (tmp_path / "toy.csv").write_text(TOY)
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=r"manifest.json must be JSON with an object 'datasets'"):
        load_table("toy", tmp_path / "toy.csv")


def test_wrong_folders_are_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"`data_dir` must be an existing folder.*does not exist"):
        search_folders(tmp_path / "absent")
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(ValueError, match=r"`data_dir` must be an existing folder.*a file"):
        search_folders(tmp_path / "file.txt")
    with pytest.raises(ValueError, match=r"`data_dir` must hold .csv or .csv.gz files"):
        search_folders(tmp_path)
    with pytest.raises(TypeError, match=r"`data_dir` must be a path, got int"):
        search_folders(3)
    monkeypatch.setenv("HANDFUL_DATA", str(tmp_path / "absent"))
    with pytest.raises(ValueError, match=r"variable HANDFUL_DATA must be an existing folder"):
        search_folders(None)


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", "")
    assert search_folders(None) == []
