"""Items and cuts over resamples of the pool."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.certified import stability_lines
from handful.cli import app


def draw(rng, n=300):
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=["signal", "b", "c", "d"])
    X["site"] = rng.choice(["north", "south"], n)
    ill = (X["signal"] > 0.5) ^ (rng.random(n) < 0.05)
    return X, np.where(ill, "ill", "well")


def test_a_planted_rule_is_found_every_time_with_its_cut(rng):
    X, y = draw(rng)
    machine = CertifiedClassifier(["one rule"]).fit(X, y)
    frame = machine.stability(X, y, n_resamples=12)
    assert frame.loc["signal", "n"] == frame.loc["signal", "of"] == 12
    assert bool(frame.loc["signal", "in_rule"])
    assert 0.1 < frame.loc["signal", "lowest_cut"] <= frame.loc["signal", "middle_cut"]
    assert frame.loc["signal", "middle_cut"] <= frame.loc["signal", "highest_cut"] < 0.9
    lines = stability_lines(frame)
    assert lines[0].startswith("A description, not certified")
    assert lines[1].startswith("signal: in 12 of 12, cut")


def test_noise_comes_and_goes(rng):
    X, y = draw(rng, 120)
    y[rng.random(120) < 0.2] = "ill"
    machine = CertifiedClassifier(["score card"], max_items=4).fit(X, y)
    frame = machine.stability(X, y)
    assert frame.loc["signal", "n"] == 20
    others = frame.drop(index="signal")
    assert others["n"].min() < 20
    assert (frame["n"] <= frame["of"]).all()
    assert frame["in_rule"].tolist() == sorted(frame["in_rule"], reverse=True)
    again = machine.stability(X, y)
    pd.testing.assert_frame_equal(frame, again)  # nobody chooses a seed


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was shown."""

    shown: set[float] = set()  # noqa: RUF012

    def fit(self, X, y):
        Spy.shown |= set(np.asarray(X)[:, 0].tolist())
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_counted_rows_are_not_touched(rng):
    X, y = np.arange(200.0)[:, None], rng.integers(0, 2, 200)
    machine = CertifiedClassifier([("spy", Spy())]).fit(X, y)
    pool = set(machine.held_back_.tolist())
    Spy.shown.clear()
    machine.stability(X, y, n_resamples=3)
    assert Spy.shown
    assert Spy.shown <= pool
    Spy.shown.clear()
    machine.refit(X, y)
    assert len(Spy.shown) == 200  # a refit looks at all of them


def test_whole_groups_are_drawn(rng):
    groups = np.repeat(np.arange(60), 3)
    X, y = np.repeat(np.arange(60.0), 3)[:, None], rng.integers(0, 2, 180)
    machine = CertifiedClassifier(["one rule"]).fit(X, y, groups=groups)
    assert machine.stability(X, y, groups=groups, n_resamples=4)["of"].max() == 4
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1"):
        machine.stability(X, y, groups=groups, n_resamples=0)


def test_screen_file_and_report(rng, tmp_path):
    X, y = draw(rng, 120)
    y[rng.random(120) < 0.2] = "ill"
    X.assign(outcome=y).to_csv(tmp_path / "t.csv", index=False)
    words = ["certify", str(tmp_path / "t.csv"), "--candidates", "score card", "--stability"]
    words += ["--max-items", "3", "--out", str(tmp_path / "o")]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.output
    assert "signal: in 20 of 20" in run.output
    others = [line.strip().split(":")[0] for line in run.output.splitlines()
              if "not in this rule" in line]  # fmt: skip
    assert others
    said = json.loads((tmp_path / "o" / "evidence.json").read_text())["study"]["stability"]
    page = (tmp_path / "o" / "report.html").read_text()
    assert said[1] in page
    assert "How stable the rule is" in page
    for name in others:  # columns that the rule does not read are named on the screen alone
        assert not any(line.startswith(f"{name}:") for line in said)
        assert f"{name}:" not in page
    verify = ["verify", str(tmp_path / "o" / "model.json"), str(tmp_path / "t.csv")]
    assert CliRunner().invoke(app, verify).exit_code == 0
