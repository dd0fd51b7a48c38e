"""Scores that exist already: certificates, evidence, groups, bad input."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from handful import load_dataset, validate
from handful.bounds import NotCertifiableError
from handful.validation import Comparison, card_from_dict, fixed_score
from tests.chance import n_allowed


def _table(rng, n=200, noise=1.0):
    score = rng.integers(0, 5, n)
    risk = 1 / (1 + np.exp(-(1.2 * score - 3) / noise))
    y = np.where(rng.random(n) < risk, "yes", "no")
    site = rng.choice(["A", "B"], n)
    return pd.DataFrame(
        {"qsofa": score, "old": rng.integers(0, 5, n), "risk": risk, "site": site}
    ), y


def test_the_limit_is_clopper_and_pearsons(rng):
    X, y = _table(rng)
    found = validate("qsofa >= 2", X, y)
    k = int(((X["qsofa"] >= 2) != (y == "yes")).sum())
    assert found.certificate_.n_errors == k
    assert found.certificate_.risk == pytest.approx(beta.isf(0.05, k + 1, 200 - k), rel=1e-9)
    assert found.certificate_.assumes("fixed-score")


def test_several_scores_share_delta(rng):
    X, y = _table(rng)
    alone = validate("qsofa >= 2", X, y, delta=0.025)
    both = validate(["qsofa >= 2", "old >= 2"], X, y, delta=0.05)
    assert both.certificate_.risk == pytest.approx(alone.certificate_.risk, rel=1e-12)
    first = validate(["qsofa >= 2", "old >= 2", "qsofa > 3"], X, y, favourite="qsofa >= 2")
    assert first.certificate_.risk == pytest.approx(alone.certificate_.risk, rel=1e-12)
    assert len(first.pairs_) == 2
    pair = both.pairs_[0].difference
    wrong = [(X[c] >= 2).to_numpy() != (y == "yes") for c in ("qsofa", "old")]
    assert pair.estimate == pytest.approx(wrong[0].mean() - wrong[1].mean())
    assert pair.upper < 0 < -pair.lower


@pytest.mark.thorough
def test_the_best_of_several_scores_is_paid_for(rng):
    """A person takes the best of five scores, which know nothing: its limit fails too often."""
    n_draws, delta, paid = 20, 0.1, 0
    scores = [f"s{j} >= 1" for j in range(5)]
    for _ in range(n_draws):
        X = pd.DataFrame({f"s{j}": rng.integers(0, 2, 60) for j in range(5)})
        found = validate(scores, X, (rng.random(60) < 0.5).astype(int), delta=delta)
        paid += min(one.risk for one in found.certificates_) < 0.5
    assert paid <= n_allowed(n_draws, delta)
    best = rng.binomial(60, 0.5, (400, 5)).min(axis=1)
    unpaid = int((beta.isf(delta, best + 1, 60 - best) < 0.5).sum())
    assert unpaid > n_allowed(400, delta)


def test_one_row_of_a_patient_counts(rng):
    X, y = _table(rng, 60)
    copies = pd.concat([X] * 5, ignore_index=True)
    found = validate("qsofa >= 2", copies, np.tile(y, 5), groups=np.tile(np.arange(60), 5))
    alone = validate("qsofa >= 2", X, y)
    assert found.n_counted == 60
    assert found.certificate_.risk == alone.certificate_.risk
    assert found.certificate_.quantity.key == "group-mean"
    assert found.certificate_.assumes("iid-groups")


def test_the_order_of_rows_does_not_matter(rng):
    X, y = _table(rng, 150)
    found = validate("risk", X, y, threshold=0.3, subgroups=["site"])
    back = validate("risk", X[::-1], y[::-1], threshold=0.3, subgroups=["site"])
    assert found.to_dict() == back.to_dict()


def test_case_control_says_nothing_about_errors(rng):
    X, y = _table(rng)
    found = validate("qsofa >= 2", X, y, case_control=True)
    assert not hasattr(found, "certificate_")
    with pytest.raises(NotCertifiableError, match="drawn by class"):
        _ = found.certificate_
    assert found.evidence().rates.ppv is None
    assert found.evidence().ledger.is_case_control
    json.dumps(found.to_dict(), allow_nan=False)


def test_models_and_estimators(rng, tmp_path):
    from sklearn.linear_model import LogisticRegression

    from handful import SetCoveringMachine, load_model, save_model

    data = load_dataset("haberman-294")
    half = np.arange(len(data.y)) % 2 == 0
    machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X[half], data.y[half])
    model = load_model(save_model(machine, tmp_path / "model.json")[0])
    found = validate(model, data.X[~half], data.y[~half], positive=1)
    wrong = model.predict(data.X[~half]) != data.y[~half]
    assert found.certificate_.n_errors == wrong.sum()
    with pytest.raises(ValueError, match="had no part in training"):
        validate(model, data.X[half], data.y[half], positive=1)
    fitted = LogisticRegression().fit(data.X[half], data.y[half])
    found = validate(fitted, data.X[~half], data.y[~half], positive=1)
    assert found.evidence().calibration is not None
    assert found.certificate_.n_errors == (fitted.predict(data.X[~half]) != data.y[~half]).sum()


def test_columns_of_another_name(rng):
    X, y = _table(rng)
    renamed = X.rename(columns={"qsofa": "points"})
    found = validate(fixed_score("qsofa >= 2", columns={"qsofa": "points"}), renamed, y)
    assert found.certificate_.risk == validate("qsofa >= 2", X, y).certificate_.risk


def test_rows_without_a_score():
    X = pd.DataFrame({"qsofa": [0, 3, None, 1, 2] * 20})
    y = ["no", "yes", "yes", "no", "yes"] * 20
    with pytest.raises(ValueError, match="no value in row 3"):
        validate("qsofa >= 2", X, y)
    found = validate(fixed_score("qsofa >= 2", missing="leave out"), X, y)
    assert found.n_counted == 80
    assert found.certificate_.assumes("complete")
    card = {"card": 1, "name": "c", "threshold": 1, "missing": "no points"}
    item = {"points": 1, "when": ["qsofa >= 2"]}
    assert validate(card_from_dict({**card, "item": [item]}), X, y).n_counted == 100


@pytest.mark.parametrize(
    ("score", "more", "message"),
    [
        ("qsofa", {}, "must be a comparison, got 'qsofa'"),
        ("nope >= 2", {}, "which the table does not have"),
        ("site >= 2", {}, "must hold numbers, got '[AB]' in row 1"),
        ("site is yes", {}, "must say yes or no, got '[ab]' in row 1"),
        ("qsofa >= high", {}, "with a number, got 'high'"),
        ("qsofa", {"threshold": 0.2}, "must hold risks from 0 to 1"),
        ("qsofa >= 2", {"subgroups": ["risk", "nope"]}, "must have the column 'nope'"),
        ("qsofa >= 2", {"delta": 1.0}, "`delta` must be in"),
        ("qsofa >= 2", {"positive": "dead"}, "must be one of"),
        (["qsofa >= 2", "qsofa >= 2"], {}, "different names"),
        (["qsofa >= 2", "old >= 2"], {"favourite": "x"}, "`favourite` must be one of"),
        ([], {}, "at least one score"),
        (np.zeros(3), {"threshold": 1.0}, "one number a row"),
        (np.zeros(200), {}, "`threshold` must say"),
    ],
)
def test_bad_input(rng, score, more, message):
    X, y = _table(rng)
    with pytest.raises(ValueError, match=message):
        validate(score, X, y, **more)


def test_labels_that_do_not_say_the_case(rng):
    X, _ = _table(rng, 60)
    with pytest.raises(ValueError, match="one value only"):
        validate("qsofa >= 2", X, ["no"] * 60)
    with pytest.raises(ValueError, match=r"which of .* is the case"):
        validate("qsofa >= 2", X, ["blue", "green"] * 30)
    with pytest.raises(ValueError, match="two classes"):
        validate("qsofa >= 2", X, ["a", "b", "c"] * 20)
    with pytest.raises(ValueError, match="one label a row"):
        validate("qsofa >= 2", X, ["no", "yes"])


@pytest.mark.parametrize("op", [">=", ">", "<=", "<"])
def test_both_sides_of_a_threshold(op):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    met = Comparison.parse(f"x {op} 2").met(frame)[0].tolist()
    assert met == [bool(eval(f"{v} {op} 2")) for v in (1.0, 2.0, 3.0)]


def test_files_hold_no_rows(rng, tmp_path):
    X, y = _table(rng)
    X["name"] = [f"patient-{i}" for i in range(200)]
    found = validate(["risk <= 0.4", "qsofa >= 2"], X, y, positive="yes", subgroups=["site"])
    paths = found.save(tmp_path / "out")
    assert [path.name for path in paths] == ["validation.json", "report.html"]
    page, text = paths[1].read_text("utf-8"), paths[0].read_text("utf-8")
    assert "patient-" not in page + text
    assert found.certificate_.statement() in page
    assert json.loads(text)["scores"][0]["sha256"] == found.scores[0].digest
    with pytest.raises(FileExistsError):
        found.save(tmp_path / "out")


def test_the_digest_covers_what_is_fixed():
    digests = {fixed_score(text).digest for text in ("x >= 2", "x > 2", "x >= 3", "y >= 2")}
    digests |= {fixed_score("x >= 2", missing="leave out").digest}
    digests |= {fixed_score("x >= 2", columns={"x": "z"}).digest}
    assert len(digests) == 6
