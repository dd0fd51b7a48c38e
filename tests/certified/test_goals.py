"""Goals, silence in doubt, and probability tables: counted right, and they hold all at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from handful import CertifiedClassifier, load_dataset, load_model
from handful.bounds import binomial_tail_inverse
from handful.candidates import ThresholdGrid
from handful.certified.goals import positives_needed
from handful.export import export_python, export_sql
from handful.files import Retraining, save_model
from handful.tables import read_study
from handful.verify import verify_model
from tests.certified.simulation import law, n_allowed

FORMS = ["one rule", "score card", "linear", "additive", "prototypes"]
SCORED = ["score card", "linear", "additive", "prototypes"]

pytestmark = pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows


@pytest.fixture(scope="module")
def data():
    return load_dataset("breastw").named()


@pytest.fixture(scope="module")
def machine(data):
    return CertifiedClassifier(FORMS).fit(*data)


def counted_rows(machine, n):
    return np.setdiff1d(np.arange(n), machine.held_back_)


@pytest.mark.parametrize("name", SCORED)
def test_counts_are_those_of_the_rows_outside_the_pool(name, data, machine):
    X, y = data
    chosen = machine.choose(name)
    rows = counted_rows(machine, len(y))
    scores = chosen.decision_function(X)[rows]
    is_case = (
        (y == chosen.classes_[1])[rows]
        if not hasattr(y, "to_numpy")
        else (y.to_numpy() == chosen.classes_[1])[rows]
    )
    points = chosen.operating_points()
    assert 0.0 in points["threshold"].tolist()
    assert 2 <= len(points) <= 13
    for row in points.itertuples():
        assert row.n_false_negatives == np.sum(is_case & (scores <= row.threshold))
        assert row.n_false_positives == np.sum(~is_case & (scores > row.threshold))
        nats = chosen.candidate_.nats + np.log(2 * len(points) / 0.05)
        limit = binomial_tail_inverse(row.n_false_negatives, row.n_positives, -nats)
        assert row.sensitivity_at_least == pytest.approx(1 - float(limit), abs=1e-12)
    silent = chosen.abstentions()
    for row in silent.itertuples():
        said = np.abs(scores) > row.width
        assert row.n_answered == said.sum()
        assert row.n_errors == np.sum(said & ((scores > 0) != is_case))
        nats = chosen.candidate_.nats + np.log(2 * len(silent) / 0.05)
        limit = binomial_tail_inverse(row.n_errors, row.n_answered, -nats)
        assert row.errs_at_most == pytest.approx(float(limit), abs=1e-12)
    table = chosen.probability_table()
    assert table["n"].sum() == len(rows)
    for row in table.itertuples():
        inside = (scores > row.above) & (scores <= row.up_to)
        assert (row.n, row.n_events) == (inside.sum(), np.sum(inside & is_case))
        assert row.at_least <= row.rate <= row.at_most
        nats = chosen.candidate_.nats + np.log(2 * len(table) / 0.05)
        limit = binomial_tail_inverse(row.n_events, row.n, -nats)
        assert row.at_most == pytest.approx(float(limit), abs=1e-12)


def test_a_goal_moves_the_threshold_and_pays_for_it(data, machine):
    X, y = data
    reached = machine.reach(sensitivity=0.93)
    limits = dict(reached.certificate_.rates)
    assert 1 - limits["false_negative_given_positive"] >= 0.93
    kinds = [term.kind for term in reached.certificate_.terms]
    assert kinds == ["rank", "threshold", "confidence"]
    rows = counted_rows(machine, len(y))
    is_wrong = reached.predict(X) != np.asarray(y)
    assert reached.certificate_.n_errors == is_wrong[rows].sum()
    assert reached.n_training_errors_ == is_wrong.sum()
    assert dict(zip(reached.classes_, reached.candidate_.counts.n_said, strict=True)) == (
        {c: int((reached.predict(X) == c).sum()) for c in reached.classes_}
    )
    # no other row and threshold with that sensitivity has a better specificity
    best = 1 - limits["false_positive_given_negative"]
    for name in SCORED:
        points = machine.choose(name).operating_points()
        fit = points[points["sensitivity_at_least"] >= 0.93]
        assert (fit["specificity_at_least"] <= best + 1e-12).all()
    assert machine.reach(specificity=0.93).goal_ == ("specificity", 0.93)
    assert reached.choose("linear").goal_ is None


def test_a_goal_out_of_reach_says_what_is_missing(machine):
    with pytest.raises(ValueError, match=r"about \d+ more counted positives would do"):
        machine.reach(sensitivity=0.995)
    with pytest.raises(ValueError, match="needs one goal"):
        machine.reach()
    with pytest.raises(ValueError, match=r"`sensitivity` must be in \(0, 1\), got 1.5"):
        machine.reach(sensitivity=1.5)
    with pytest.raises(ValueError, match="has no thresholds"):
        machine.choose("one rule").operating_points()
    with pytest.raises(ValueError, match="`error` must be at least"):
        machine.choose("linear").abstain(1e-9)


def test_silence_in_doubt(data, machine):
    X, y = data
    chosen = machine.choose("score card")
    band = chosen.abstain(0.07)
    assert band.errs_at_most <= 0.07
    said = chosen.decide(X, band)
    is_silent = np.array([label is None for label in said])
    assert is_silent.any()
    assert (said[~is_silent] == chosen.predict(X)[~is_silent]).all()
    rows = counted_rows(machine, len(y))
    assert (~is_silent[rows]).sum() == band.n_answered


def test_groups_have_no_goals_by_rows(rng):
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    machine = CertifiedClassifier(["linear"]).fit(X, y, groups=np.repeat(np.arange(50), 4))
    with pytest.raises(ValueError, match="there is no threshold to move"):
        machine.reach(sensitivity=0.5)
    assert machine.probability_table()["n"].sum() == 25  # one row of each counted group


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SCORED)
def test_a_moved_row_round_trips_and_is_checked_again(name, data, tmp_path):
    X, y = data
    frame = X.assign(outcome=np.asarray(y))
    study = read_study(frame)
    machine = CertifiedClassifier([name]).fit(study).reach(sensitivity=0.9)
    assert machine.certificate_.terms[1].kind == "threshold"
    path = tmp_path / "m.json"
    save_model(machine, path, include_rows=True)
    again = load_model(path)
    wanted = [str(v) for v in machine.predict(study.table)]
    assert again.predict(frame).tolist() == wanted
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    module: dict = {}
    exec(export_python(again, include_rows=True), module)
    assert [module["predict"](row) for row in frame.head(40).to_dict("records")] == wanted[:40]
    assert export_sql(again, include_rows=True).startswith("-- ")
    document = json.loads(path.read_text())
    document["training"]["goal"] = None
    from handful.files.document import to_text

    path.write_text(to_text(document))
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "NOT VALID"


def test_a_card_prints_what_points_mean(machine):
    lines = machine.choose("score card").points_lines()
    assert len(lines) >= 3
    assert all("malignant" in line and " % to " in line for line in lines)
    assert lines[0] in machine.choose("score card").explain()
    assert machine.choose("linear").points_lines() == []


def test_positives_needed_are_the_fewest(rng):
    n = positives_needed(0, 30, 0.1, 5.0)
    assert binomial_tail_inverse(0, n, -5.0) <= 0.1 < binomial_tail_inverse(0, n - 1, -5.0)
    assert positives_needed(10, 30, 0.1, 5.0) is None


def test_counts_of_blocks_add_up(rng):
    scores, y = rng.normal(size=200), rng.integers(0, 2, 200)
    grid = ThresholdGrid.of(rng.normal(size=60))
    whole = grid.count(scores, y)
    parts = grid.count(scores[:70], y[:70]) + grid.count(scores[70:], y[70:])
    for name in ("n_classes", "wrong", "n_above", "answered", "bins"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


DELTAS = (0.05, 0.5)


def adversary(rng, n_draws, n, kind="rule"):
    """Misses of any limit of any row: points, doubt, bins; by delta. The law is known by cells."""
    problem = law(kind)
    found = np.zeros((len(DELTAS), n_draws, 3), dtype=bool)
    weight = np.column_stack([problem.frequency * (1 - problem.p), problem.frequency * problem.p])
    for i in range(n_draws):
        X, y = problem.draw(rng, n)
        if len(np.unique(y)) < 2:
            continue
        menu = CertifiedClassifier(["score card", "linear"]).fit(X, y)
        for name in menu.menu_.dropna(subset=["certificate"]).index:
            chosen = menu.choose(name)
            scores = chosen.decision_function(problem.cells)
            for k, delta in enumerate(DELTAS):  # counts are the same for all of them
                found[k, i] |= _misses_of(chosen, scores, weight, delta)
    return found.sum(axis=1)


def _misses_of(chosen, scores, weight, delta):
    """Whether a limit of thresholds, of widths of doubt, of bins claims too much."""
    points = doubt = bins = False
    for row in chosen.operating_points(delta).itertuples():
        above = scores > row.threshold
        sensitivity = weight[above, 1].sum() / weight[:, 1].sum()
        specificity = weight[~above, 0].sum() / weight[:, 0].sum()
        points |= sensitivity < row.sensitivity_at_least - 1e-12
        points |= specificity < row.specificity_at_least - 1e-12
    for row in chosen.abstentions(delta).itertuples():
        said = np.abs(scores) > row.width
        answered = weight[said].sum()
        wrong = weight[said & (scores > 0), 0].sum() + weight[said & (scores <= 0), 1].sum()
        doubt |= answered < row.answers_at_least - 1e-12
        doubt |= answered > 0 and wrong / answered > row.errs_at_most + 1e-12
    for row in chosen.probability_table(delta).itertuples():
        inside = (scores > row.above) & (scores <= row.up_to)
        if inside.any():
            rate = weight[inside, 1].sum() / weight[inside].sum()
            bins |= not row.at_least - 1e-12 <= rate <= row.at_most + 1e-12
    return np.array([points, doubt, bins], dtype=bool)


def test_all_limits_hold_at_once(rng):
    found = adversary(rng, 30, 80)
    for row, delta in zip(found, DELTAS, strict=True):
        assert (row <= n_allowed(30, delta)).all()
    assert found[1].sum() > 0  # there is something to miss


@pytest.mark.slow
def test_all_limits_hold_at_once_at_length(rng):
    for row, delta in zip(adversary(rng, 2000, 80), DELTAS, strict=True):
        assert (row <= n_allowed(2000, delta)).all()


def test_nothing_scolds_a_rule_for_reaching_its_goal(rng):
    """Finding nearly all of rare cases costs more errors than naming nobody."""
    X = rng.normal(size=(400, 2))
    y = (rng.random(400) < 1 / (1 + np.exp(2.5 - X[:, 0]))).astype(int)
    machine = CertifiedClassifier(["linear"]).fit(X, y)
    reached = machine.reach(sensitivity=0.5)
    assert reached.n_training_errors_ > y.sum()
    assert reached.caution() == ""
