"""The set covering machine paper, on the embedded data sets."""

import numpy as np
import pytest

from handful.papers import run_table
from handful.papers.scm_2003 import PENALTIES, paper_folds


@pytest.fixture(scope="module")
def quick_tables():
    return {
        name: run_table("scm-2003", name, quick=True)
        for name in ("table-1", "svm", "slides", "slides-svm")
    }


def _noise(errors):
    """What another order of the rows, which the paper does not print, may do to its errors.

    Over random orders the cross-validated errors of machines like these have a standard deviation
    of 0.2 to 0.3 root counts (measured on both sets); this is four times the larger.
    """
    return 1.25 * np.sqrt(errors)


@pytest.mark.thorough
def test_table_1_errors_are_those_of_the_paper_within_its_noise(quick_tables):
    frame = quick_tables["table-1"]
    assert set(frame["set"]) == {"Haberman", "Glass"}
    assert (frame["difference"].abs() <= _noise(frame["errors_paper"])).all(), frame
    assert (frame["certificate"] > frame["errors"]).all()
    assert any("no guarantee" in note for note in frame.attrs["notes"])


@pytest.mark.thorough
def test_slides(quick_tables):
    frame = quick_tables["slides"]
    assert (frame["difference"].abs() <= _noise(frame["errors_slides"])).all(), frame


@pytest.mark.thorough
def test_support_vector_machines_are_those_of_the_paper(quick_tables):
    """Sizes hardly depend on the folds, which the order of rows decides; errors do."""
    frame = quick_tables["svm"]
    assert (frame["size_difference"].abs() <= 0.02 * frame["size_paper"]).all(), frame
    assert (frame["difference"].abs() <= 6).all(), frame


@pytest.mark.thorough
def test_slides_have_bounds_and_support_vector_machines(quick_tables):
    frame = quick_tables["slides"]
    ratio = frame["folk_bound"] / frame["bound_slides"]
    assert ratio.between(0.8, 1.3).all(), frame
    assert (frame["certificate"] < frame["folk_bound"]).all()
    machines = quick_tables["slides-svm"]
    assert (machines["soft"] < machines["hard"]).all()
    assert machines["soft_difference"].abs().max() <= 6
    # solved to the optimum; a solver that stops early leaves more errors, not fewer
    assert machines["hard"].between(0.8 * machines["hard_slides"], machines["hard_slides"]).all()


@pytest.mark.slow
def test_the_best_settings_are_at_least_as_good_as_the_papers(quick_tables):
    best = run_table("scm-2003", "best", quick=True).set_index(["set", "rules"])
    given = quick_tables["table-1"].set_index(["set", "rules"])
    assert (best["errors"] <= given["errors"]).all()


def test_folds_are_balanced_and_fixed():
    fold = paper_folds(163)
    assert np.bincount(fold).tolist() == [17] * 3 + [16] * 7
    assert (fold == paper_folds(163)).all()
    assert len(PENALTIES) == 15


def test_unknown_names():
    with pytest.raises(ValueError, match="`paper` must be one of"):
        run_table("scm", "table-1")
    with pytest.raises(
        ValueError, match="`table` must be one of table-1, svm, best, balls, table-2"
    ):
        run_table("scm-2003", "3")


@pytest.mark.slow
def test_all_tables_on_all_sets(data_dir):
    frame = run_table("scm-2003", "table-1", data_dir=data_dir)
    assert len(frame) == 12
    assert (frame["difference"].abs() <= 3 * np.sqrt(frame["errors_paper"])).all()
    certificates = run_table("scm-2003", "certificates", data_dir=data_dir)
    assert (certificates["certificate"] < certificates["published_bound"]).all()
    run_table("scm-2003", "table-2", data_dir=data_dir, quick=True)


@pytest.mark.slow
def test_balls_chosen_inside_the_training_parts():
    """What is chosen on the test folds errs least on them; nested choice sees none of them."""
    frame = run_table("scm-2003", "balls", quick=True)
    assert (frame["on_the_test_folds"] <= frame[["as_printed", "nested"]].min(axis=1)).all()
    assert frame.set_index("set").loc["Glass", "nested"] <= 36  # the paper's 33, chosen honestly
