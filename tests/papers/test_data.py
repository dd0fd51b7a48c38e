"""Where the papers' data sets are looked for, and what is said when they are missing."""

import importlib

import pytest

from handful.papers import PAPERS, run_table


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("HANDFUL_DATA", raising=False)


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_the_variable_is_enough(paper, data_dir, monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", str(data_dir))
    module = importlib.import_module(PAPERS[paper])
    monkeypatch.setattr(module, "TABLES", {"t": lambda run: _frame(module, run.data_dir)})
    assert len(run_table(paper, "t", data_dir=None)) > 50


def _frame(module, data_dir):
    import pandas as pd

    if hasattr(module, "read_data"):
        X, _ = module.read_data(data_dir, next(iter(module.SPEC.names)))
    elif hasattr(module, "load"):
        X, _ = module.load(data_dir, "haberman")
        assert len(X) == 306  # not the embedded one
    else:
        X = module.load_dataset("pima", data_dir=data_dir).X
    return pd.DataFrame(X)


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_all_that_is_missing_is_said_before_anything_runs(paper, no_folder):
    module = importlib.import_module(PAPERS[paper])
    with pytest.raises(ValueError, match=r"HANDFUL_DATA must name a folder with .*\.csv") as caught:
        run_table(paper, next(iter(module.TABLES)), data_dir=None)
    assert "got no folder" in str(caught.value)
    assert ("pima.csv" in str(caught.value)) == (paper in ("scm-2003", "nonconformity-2009"))


def test_a_smaller_set_of_the_same_name_is_not_taken(no_folder, tmp_path):
    """Embedded are a Glass of two classes and a Haberman of 294 rows."""
    (tmp_path / "other.csv").write_text("a,label\n1,0\n2,1\n")
    with pytest.raises(ValueError, match=r"haberman\.csv, got .* without them"):
        run_table("mcm-2014", "table-2", data_dir=tmp_path, quick=True)
    with pytest.raises(ValueError, match=r"must name a folder with .*glass\.csv"):
        run_table("mcm-2014", "glass", data_dir=tmp_path)


def test_embedded_sets_suffice_for_the_quick_tables(no_folder):
    frame = run_table("scm-2003", "svm", quick=True)
    assert frame["set"].tolist() == ["Haberman", "Glass"]
