"""The nonconformity paper: what is read, what is run, what is compared."""

from __future__ import annotations

import numpy as np
import pytest

from handful.papers import nonconformity_2009 as paper
from handful.papers import run_table
from handful.papers.paper_registry import expected


def fake_rows(names):
    rng = np.random.default_rng(0)
    methods = ("nonconformity", "nonconformity, vote", "largest-margin", "cross-validation")
    seconds = {"nonconformity": 1.0, "largest-margin": 0.5, "cross-validation": 8.0}
    return [
        {
            "data": name,
            "scaled": scaled,
            "seed": seed,
            "fold": fold,
            "method": method,
            "error": rng.random(),
            "seconds": seconds.get(method, np.nan),
        }
        for name in names
        for scaled in (False, True)
        for seed in (0, 100)
        for fold in range(4)
        for method in methods
    ]


def test_published_rows_agree_with_the_published_means():
    rows = expected("nonconformity-2009-table3").to_dict("records")
    for method in ("nonconformity", "cross-validation", "largest-margin"):
        own = [row for row in rows if row["method"] == method]
        *parts, overall = own
        assert overall["data"] == "Overall"
        assert {row["data"] for row in parts} == set(paper.FILES)
        for key, tolerance in (("error", 1e-4), ("spread", 1e-4), ("seconds", 0.02)):
            mean = np.mean([row[key] for row in parts])
            assert mean == pytest.approx(overall[key], abs=tolerance)


def test_table_3_puts_ours_beside_theirs():
    rows = fake_rows(["Glass", "Bupa"])
    frame = paper.tabulate(rows).set_index(["data", "method"])
    own = [row for row in rows if (row["data"], row["method"]) == ("Bupa", "nonconformity")]
    errors = np.array([row["error"] for row in own if not row["scaled"]]).reshape(2, 4)
    scaled = [row["error"] for row in own if row["scaled"]]
    got = frame.loc[("Bupa", "nonconformity")]
    assert got["error (ours)"] == pytest.approx(np.mean(errors))
    assert got["error, scaled (ours)"] == pytest.approx(np.mean(scaled))
    assert got["spread (ours)"] == pytest.approx(np.std(errors, axis=1, ddof=1).mean())
    assert got["seeds (ours)"] == pytest.approx(np.std(errors.mean(axis=1), ddof=1))
    assert got["seconds (ours)"] == 4.0  # of one draw of the folds
    assert got["error (theirs)"] == 0.2753
    assert got["error (difference)"] == pytest.approx(np.mean(errors) - 0.2753)
    assert np.isnan(frame.loc[("Bupa", "nonconformity, vote")]["error (theirs)"])
    assert "Overall" not in frame.index.get_level_values("data")


def test_overall_needs_every_data_set_and_ratios_are_totals():
    frame = paper.tabulate(fake_rows(paper.FILES))
    overall = frame[frame["data"] == "Overall"].set_index("method")
    assert overall.loc["nonconformity", "error (theirs)"] == 0.1905
    notes = frame.attrs["notes"]
    assert "(ours), nonconformity : cross-validation : largest margin = 1 : 8.00 : 0.50" in notes[0]
    assert "1 : 7.30 : 0.86" in notes[1]


def test_table_1(data_dir):
    frame = run_table("nonconformity-2009", "table-1", data_dir=data_dir).set_index("data")
    for name in ("Glass", "Haberman", "Bupa", "Credit", "BreastW", "Ionosphere"):
        assert (frame.loc[name].filter(like="difference") == 0).all()
    assert frame.loc["Pima", "positives (difference)"] == -1


def test_figure_2(data_dir):
    frame = run_table("nonconformity-2009", "figure-2", data_dir=data_dir)
    assert frame["accepted"].iloc[-1] == 1.0
    assert 0.15 < frame["error"].iloc[-1] < 0.5
    assert (frame["published value"] > 3).all()
    assert frame.attrs["display"].name == "epsilon_crit"


def test_one_fold_runs_every_method(data_dir):
    X, y = paper.read_data(data_dir, "Glass")
    rows = np.random.default_rng(0).permutation(y.size)
    fold = paper.run_fold(X, y, rows[20:], rows[:20], n_inner_folds=2, seed=0)
    assert sorted(row["method"] for row in fold) == [
        "best-validation",
        "cross-validation",
        "largest-margin",
        "nonconformity",
        "nonconformity, vote",
        "span",
    ]
    assert all(0.0 <= row["error"] <= 0.5 for row in fold)


@pytest.mark.slow
def test_quick_table_is_near_the_paper(data_dir):
    said = []
    frame = run_table(
        "nonconformity-2009", "table-3", data_dir=data_dir, quick=True, progress=said.append
    )
    assert said[0] == "Glass, seed 0: fold 1 of 3"
    assert frame["error (difference)"].abs().max() < 0.1
