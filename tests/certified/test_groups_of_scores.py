"""Tables of points and silence in doubt with groups: one blindly drawn row of each counts."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, save_model
from handful.candidates import ThresholdGrid
from handful.files import Retraining
from handful.files.document import to_text
from handful.scoring import ScoreCardDisplay
from handful.tables import Choices, read_study
from handful.verify import verify_model
from tests.certified.simulation import coin_groups, n_allowed

FORMS = ["score card", "linear"]


def draw(rng, n_groups=160, size=3):
    group = np.repeat(np.arange(n_groups), size)
    shared = np.repeat(rng.normal(size=(n_groups, 3)), size, axis=0)
    X = pd.DataFrame((shared + rng.normal(size=shared.shape)).round(2), columns=list("abc"))
    ill = X["a"] + X["b"] + rng.normal(size=len(X)) > 0
    return X, np.where(ill, "ill", "well"), group


def test_each_group_counts_once(rng):
    X, y, groups = draw(rng)
    machine = CertifiedClassifier(FORMS).fit(X, y, groups=groups).choose("score card")
    table, band = machine.probability_table(), machine.abstain(0.4)
    n = 160 - len(np.unique(groups[machine.held_back_]))
    assert table["n"].sum() == n
    assert band.n_answered <= n
    points = machine.operating_points()
    at_zero = points[points["threshold"] == 0.0].iloc[0]
    assert at_zero["n_positives"] + at_zero["n_negatives"] == n
    wrong = at_zero["n_false_positives"] + at_zero["n_false_negatives"]
    assert wrong == machine.candidate_.counts.groups.n_first  # as the error by single rows
    assert "one blindly drawn row of each group" in machine.explain()
    assert len(machine.points_lines()) == len(table)
    assert ScoreCardDisplay.from_estimator(machine) is not None
    with pytest.raises(ValueError, match="no threshold to move"):
        machine.reach(sensitivity=0.5)


def test_the_re_check_counts_the_answers_again(rng, tmp_path):
    X, y, groups = draw(rng)
    frame = X.assign(patient=groups, outcome=y)
    machine = CertifiedClassifier(FORMS).fit(read_study(frame, Choices(groups="patient")))
    machine = machine.choose("linear")
    path = tmp_path / "m.json"
    save_model(machine, path, band=machine.abstain(0.3))
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    document = json.loads(path.read_text())
    band = document["training"]["band"]
    for name, value in (("n_errors", 0), ("errs_at_most", 0.9 * band["errs_at_most"])):
        changed = {**document, "training": {**document["training"], "band": {**band, name: value}}}
        path.write_text(to_text(changed))
        verdict = verify_model(path, frame, library=Retraining(path, frame))
        assert verdict.status == "NOT VALID"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")
def test_points_of_patients_with_one_coin_flip_each(rng):
    """Half of all cases are ill, whatever the score: row by row, a table would fail too often."""
    delta, n_draws = 0.5, 80
    missed = np.zeros(2, dtype=int)
    for _ in range(n_draws):
        X, y, groups = coin_groups(rng, 50, 8, 1.0)
        machine = CertifiedClassifier(["linear"], delta=delta).fit(X, y, groups=groups)
        table = machine.probability_table()
        missed[0] += bool(((table["at_least"] > 0.5) | (table["at_most"] < 0.5)).any())
        fitted, held = machine.candidate_.fitted, machine.held_back_
        counted = np.setdiff1d(np.arange(len(y)), held)
        grid = ThresholdGrid.of(fitted.scores(X[held]))
        rows = grid.count(fitted.scores(X[counted]), y[counted])
        wide = rows.probability_table(machine.candidate_.nats - np.log(delta))
        missed[1] += bool(((wide["at_least"] > 0.5) | (wide["at_most"] < 0.5)).any())
    assert missed[0] <= n_allowed(n_draws, delta)
    assert missed[1] > 0.8 * n_draws
