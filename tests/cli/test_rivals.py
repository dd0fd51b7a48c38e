"""Who takes part."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

from handful.cli.contest import Contest, run_contest
from handful.cli.rivals import RIVALS, choose_rivals

HAS_EBM = importlib.util.find_spec("interpret") is not None


def test_all_or_those_named():
    assert len(choose_rivals(None)) == len(RIVALS) - (not HAS_EBM)
    assert [r.name for r in choose_rivals("tree, stumps,tree")] == ["tree", "stumps"]


@pytest.mark.parametrize(
    ("machines", "message"), [("stump", "must be among stumps"), (" , ", "at least one")]
)
def test_misuse(machines, message):
    with pytest.raises(ValueError, match=message):
        choose_rivals(machines)


def test_ebm_must_be_installed(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "ebm" not in {rival.name for rival in choose_rivals(None)}
    with pytest.raises(ValueError, match="needs interpret"):
        choose_rivals("ebm")


@pytest.mark.sample(6)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(RIVALS) - {"ebm"}))
def test_each_fits_predicts_and_has_a_size(name, rng):
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 0, "a", "b")
    rival = RIVALS[name]
    machine = rival.make(True, 0).fit(X, y)
    assert (machine.predict(X) == y).mean() > 0.6
    assert rival.size(machine) >= 1  # none is constant here
    assert hasattr(machine, "certify") == rival.is_ours
    for count in (rival.made_of, rival.held_back):
        assert count is None or 0 <= count(machine) <= 80


NEW = {"half-spaces", "balls", "score-card", "kernel-mcm", "mkl", "perceptron", "certified-menu"}


def test_all_families_take_part():
    assert set(RIVALS) >= NEW


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not HAS_EBM, reason="EBM needs the package interpret-core")
def test_the_explainable_boosting_machine_takes_part(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X["a"] > 0, "yes", "no")
    contest = Contest(X, y, 2, 0.05, True, 0)
    frame = run_contest(choose_rivals("ebm"), contest, n_jobs=1, report=str)
    row = frame.iloc[0]
    assert row["problem"] is None
    assert row["error"] < 0.3
    assert row["size"] >= 2
    assert np.isnan(row["certificate"]) or row["certificate"] is None
