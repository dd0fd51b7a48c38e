import numpy as np
import pytest

from handful.papers import mcm_2014, run_table


def test_the_published_numbers_are_complete():
    for name, n_columns in (("table2", 8), ("table3", 12), ("table4", 4)):
        table = mcm_2014.published(name)
        assert table.shape == (25, n_columns)
        assert set(mcm_2014.SPEC) <= set(table.index)
        assert len(set(table.index) - set(mcm_2014.SPEC)) == 3
        assert not table.isna().any().any()
    table = mcm_2014.published("table3")
    assert table.loc["crx", "n_support_std"] == 2 * table.loc["crx", "n_support"]
    assert mcm_2014.published("table2").loc["glass", "accuracy"] == 99.06


def test_doubts_name_published_cells():
    for table, name, column in mcm_2014.DOUBTS:
        assert np.isfinite(mcm_2014.published(table).loc[name, column])


def _table(name, **options):
    return run_table("mcm-2014", name, **options).set_index("dataset")


@pytest.mark.thorough
def test_quick_linear_table(data_dir):
    seen = []
    frame = _table("table-2", data_dir=data_dir, quick=True, progress=seen.append)
    assert list(frame.index) == list(mcm_2014.QUICK)
    assert len(seen) == len(mcm_2014.QUICK)
    # binary accuracies are what the paper averages; the fold draw is not known
    assert (frame["difference"].abs() < 6.0).all()
    assert frame.loc["fertility", "constant_folds"] == 5
    assert frame.loc["fertility", "accuracy"] == pytest.approx(frame.loc["fertility", "majority"])
    assert frame.attrs["notes"]


@pytest.mark.slow
def test_quick_kernel_tables(data_dir):
    frame = _table("table-3", data_dir=data_dir, quick=True)
    assert (frame["accuracy"] >= frame["majority"] - 3.0).all()
    assert "copied" in frame.loc["hayes", "doubts"]
    heights = _table("table-4", data_dir=data_dir, quick=True)
    assert (heights["kernel_h"] >= 1.0).all()


@pytest.mark.slow
def test_the_row_number_of_glass_gives_the_label_away(data_dir):
    frame = run_table("mcm-2014", "glass", data_dir=data_dir)
    without, numbered = frame["linear_svm_accuracy"]
    assert without < 75.0 < 90.0 < numbered
    assert (frame["linear_binary_accuracy"].diff()[1:] > 3.0).all()


@pytest.mark.slow
def test_quick_sparsity_table(data_dir):
    frame = _table("sparsity", data_dir=data_dir, quick=True, choices=("rank", 0.1))
    assert (frame["0.1 n_support"] < 80).all()


@pytest.mark.filterwarnings("ignore::handful.tables.FittedScalingWarning")  # as in the paper
def test_the_sweep_over_haberman_has_no_failures(data_dir):
    """Its narrowest kernel made a pivot of the interior point vanish."""
    X, y = mcm_2014.load(data_dir, "haberman")
    machine = mcm_2014.kernel_machines(3, "rank")["mcm"]["C=0.1 gamma=3.33"]
    for part in mcm_2014.folds(X, y, 0):
        machine.fit(*part[:2])
        assert machine.gap_[0] <= machine.tol
