"""The same folds for everybody, and honest certificates."""

import numpy as np
import pandas as pd
import pytest

from handful.bounds import held_out_bound
from handful.cli._contest import Contest, check_folds, make_rival, run_contest, run_task
from handful.cli._rivals import RIVALS, choose_rivals


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
        assert run_task("logistic", contest, k)["error"] == pytest.approx(wrong)
        errors.append(wrong)
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
        assert 0 <= run_task(name, mixed, 0)["error"] < 0.5


def test_a_failure_is_a_note(contest, monkeypatch):
    monkeypatch.setattr(
        "handful.cli._contest.make_rival", lambda *a: (_ for _ in ()).throw(ValueError("no way"))
    )
    assert run_task("tree", contest, 0)["problem"] == "no way"


def test_folds_must_fit_the_smallest_class():
    check_folds(np.array([0] * 5 + [1] * 9), 5)
    for n_folds in (1, 6):
        with pytest.raises(ValueError, match="between 2 and 5"):
            check_folds(np.array([0] * 5 + [1] * 9), n_folds)
