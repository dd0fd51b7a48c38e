"""The same folds for everybody, and honest certificates."""

import dataclasses
import importlib.util

import numpy as np
import pandas as pd
import pytest

from handful.bounds import held_out_bound
from handful.cli.contest import Contest, check_folds, make_rival, run_contest, run_task
from handful.cli.rivals import RIVALS, choose_rivals


@pytest.fixture
def contest(rng):
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = np.where(X["a"] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
    return Contest(X, y, 3, 0.05, True, 0)


def test_one_row_a_rival(contest):
    stages = []
    rivals = choose_rivals("stumps,logistic")
    frame = run_contest(rivals, contest, n_jobs=1, report=stages.append)
    assert frame["machine"].tolist() == ["stumps", "logistic"]
    assert len(stages) == 2 * (3 + 2)
    assert frame["certificate"].notna().tolist() == [True, False]
    assert frame["held_out"].notna().all()
    assert frame["problem"].isna().all()


def test_errors_are_those_of_the_folds(contest):
    errors = []
    for k, (train, test) in enumerate(contest.folds()):
        model = make_rival(RIVALS["logistic"], contest)
        model.fit(contest.X.iloc[train], contest.y[train])
        wrong = (model.predict(contest.X.iloc[test]) != contest.y[test]).mean()
        found = run_task("logistic", contest, k)
        assert found["n_wrong"] / found["n_test"] == pytest.approx(wrong)
        errors.append(found["n_wrong"])
    row = run_contest([RIVALS["logistic"]], contest, n_jobs=1, report=str).iloc[0]
    rate = sum(errors) / 120
    assert row["error"] == pytest.approx(rate)
    assert row["error_se"] == pytest.approx(np.sqrt(rate * (1 - rate) / 120))
    held = run_task("logistic", contest, "held")["held_out"]
    assert held in [held_out_bound(36, k).risk for k in range(37)]


def test_words_and_missing_values_leave_no_certificate_to_scaled_machines(contest):
    X = contest.X.assign(d=np.where(contest.X["b"] > 0, "u", "v"))
    X.loc[3, "a"] = np.nan
    mixed = Contest(X, contest.y, 3, 0.05, True, 0)
    assert not mixed.is_plain
    assert contest.is_plain
    for name, has_own in (("stumps", True), ("one-norm-svm", False), ("tree", False)):
        found = run_task(name, mixed, "all")
        assert ("certificate" in found) == has_own, found
        found = run_task(name, mixed, 0)
        assert 0 <= found["n_wrong"] < 0.5 * found["n_test"]


def test_no_machine_of_ours_is_certified_behind_something_fitted(contest):
    """Whoever prints a certificate was fitted on the columns as they came."""
    for name, rival in RIVALS.items():
        if name == "ebm" and importlib.util.find_spec("interpret") is None:
            continue
        model = make_rival(rival, contest)
        is_bare = not hasattr(model, "steps")
        assert is_bare == (rival.is_ours and not rival.is_scaled), name
    found = run_task("kernel-mcm", contest, "all")
    assert found["is_scaled"]
    assert "certificate" not in found
    assert found["made_of"] > 0
    assert run_task("kernel-mcm", contest, "held")["held_out"] < 1.0


def test_scaled_rivals_have_no_certificate_even_if_their_machine_would(contest, monkeypatch):
    """A linear machine certifies itself on raw columns, and not behind the scaler."""
    bare = RIVALS["one-norm-svm"]
    assert "certificate" in run_task("one-norm-svm", contest, "all")
    monkeypatch.setitem(RIVALS, "one-norm-svm", dataclasses.replace(bare, is_scaled=True))
    assert "certificate" not in run_task("one-norm-svm", contest, "all")


def test_made_of_and_held_back_are_told_apart(contest):
    found = run_task("matching-pursuit", contest, "all")
    assert 0 < found["made_of"] < found["held_back"] < 120
    stumps = run_task("stumps", contest, "all")
    assert stumps["made_of"] <= stumps["held_back"]
    boosted = run_task("lpboost", contest, "all")
    assert "made_of" not in boosted
    assert "held_back" not in boosted


def test_the_certificate_is_that_of_the_machine_on_raw_columns(contest):
    machine = RIVALS["half-spaces"].make(True, 0).fit(contest.X, contest.y)
    found = run_task("half-spaces", contest, "all")
    assert found["certificate"] == machine.certify(0.05).risk
    assert found["held_back"] == len(machine.held_back_)


def test_a_failure_is_a_note(contest, monkeypatch):
    monkeypatch.setattr(
        "handful.cli.contest.make_rival", lambda *a: (_ for _ in ()).throw(ValueError("no way"))
    )
    assert run_task("tree", contest, 0)["problem"] == "no way"


def test_folds_must_fit_the_smallest_class():
    check_folds(np.array([0] * 5 + [1] * 9), 5)
    for n_folds in (1, 6):
        with pytest.raises(ValueError, match="between 2 and 5"):
            check_folds(np.array([0] * 5 + [1] * 9), n_folds)
