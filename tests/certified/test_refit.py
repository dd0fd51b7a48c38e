"""The chosen row learned from all rows: same settings, no certificate, or one by disagreement."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from handful import CertifiedClassifier, load_model, save_model
from handful.certified import FORMS as FORMS_BY_NAME
from handful.certified.linear_forms import PENALTIES
from handful.cli import app
from handful.evidence import score_rows_needed
from handful.files import Retraining
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model
from tests.certified.cases import linear_pool

FORMS = ["one rule", "score card", "linear", "sparse linear"]


def draw(rng, n=160):
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(3), columns=["a", "b", "c"])
    ill = X["a"] - X["b"] + rng.normal(size=n) > 0
    return X, np.where(ill, "ill", "well")


@pytest.fixture
def fitted(rng):
    X, y = draw(rng)
    return CertifiedClassifier(FORMS).fit(X, y), X, y


def test_it_is_the_form_with_its_settings_learned_from_all_rows(fitted):
    machine, X, y = fitted
    machine = machine.choose("linear")
    refit = machine.refit(X, y)
    ((_, (place,)),) = machine.candidate_.recipe
    scaled = StandardScaler().fit_transform(X)
    other = LogisticRegression(C=1.0 / PENALTIES[place], tol=1e-8).fit(scaled, y)
    far = np.abs(other.decision_function(scaled)) > 0.05  # weights are rounded
    assert far.sum() > 130
    assert (other.predict(scaled)[far] == refit.predict(X)[far]).all()
    assert (refit.predict(X) != machine.predict(X)).any()
    assert refit.n_same == int((refit.predict(X) == machine.predict(X)).sum())
    assert refit.n_rows == len(X)
    wrong = [
        LogisticRegression(C=1.0 / PENALTIES[place], tol=1e-8)
        .fit(scaled[np.arange(160) % 5 != f], y[np.arange(160) % 5 != f])
        .score(scaled[np.arange(160) % 5 == f], y[np.arange(160) % 5 == f])
        for f in range(5)
    ]
    assert refit.error == pytest.approx(1.0 - np.mean(wrong), abs=0.06)  # of other folds
    size = machine.choose("sparse linear").candidate_.fitted.machine.size
    again = machine.choose("sparse linear").refit(X, y).fitted.machine
    assert np.count_nonzero(again.weights) == size


def test_a_pool_with_a_setting_takes_it(rng):
    """Penalties from strong to weak: weights grow, and guesses are those of that penalty alone."""
    pool = linear_pool(rng)
    found = [FORMS_BY_NAME["linear"].learn(replace(pool, setting=(k,)))[0] for k in (0, 3, 6)]
    size = [float(np.abs(one.machine.weights).sum()) for one in found]
    assert size == sorted(size)
    assert size[2] > 2.0 * size[0]
    assert [one.setting for one in found] == [(0,), (3,), (6,)]
    assert np.abs(found[0].scores).max() < np.abs(found[2].scores).max()


@pytest.mark.parametrize("form", ["one rule", "score card"])
def test_the_order_of_the_rows_does_not_matter(fitted, form, rng):
    machine, X, y = fitted
    order = rng.permutation(len(X))
    refit = machine.choose(0).refit(X, y)
    assert machine.choose(0).refit(X.iloc[order], y[order]).fitted == refit.fitted


@pytest.mark.thorough
def test_every_form_can_be_learned_again(rng):
    X, y = draw(rng)
    machine = CertifiedClassifier("all").fit(X, y)
    assert "vote" in [candidate.name for candidate in machine.candidates_]
    for row in range(len(machine.candidates_)):
        own = machine.choose(row)
        refit = own.refit(X, y)
        assert refit.fitted.form == own.candidate_.fitted.form
        assert 0.0 < refit.error < 0.6
        # from the pool alone the same classifier comes out again
        again = own._pool_of(*_study_of(own, X, y))
        assert (_labels(own, again) == own.candidate_.fitted.labels(again.table)).all()


def _study_of(machine, X, y):
    study = machine._read_again(X, y, None, None)
    return study, study.pool


def _labels(machine, pool):
    from handful.certified.learning import learned_again

    return learned_again(pool, machine.candidate_, machine.candidates)[0].labels(pool.table)


def test_it_says_first_that_it_is_not_certified(fitted):
    machine, X, y = fitted
    refit = machine.refit(X, y)
    first, second, *_ = refit.lines()
    assert first.startswith("NOT CERTIFIED")
    assert second.startswith("Estimate, not certified")
    assert refit.certificate is None
    needed = score_rows_needed(machine.certificate_.risk, refit.error)
    assert refit.rows_needed() == needed
    assert f"About {needed} new labelled rows" in " ".join(refit.lines())


def test_unlabelled_rows_add_two_limits(fitted, rng):
    machine, X, y = fitted
    new, _ = draw(rng, 300)
    for is_picked in (True, False):
        refit = machine.refit(X, y).certify(new, is_picked=is_picked)
        k, n = refit.n_disagreements, refit.n_unlabelled
        assert k == int((machine.predict(new) != refit.predict(new)).sum()) > 0
        mass = math.exp(-machine.candidate_.nats)
        counts = machine.candidate_.counts

        def limit(k, n, level):
            return stats.beta.isf(level, k + 1, n - k)

        own = limit(counts.n_errors, counts.n_counted, 0.025 * mass)
        other = limit(k, n, 0.025 * (mass if is_picked else 1.0))
        assert refit.certificate.risk == pytest.approx(own + other, rel=1e-9)
        said = [str(one) for one in refit.certificate.assumptions]
        assert any("had no part in training" in text for text in said)
        assert any("the compared row was named" in text for text in said) != is_picked
    assert "at most" in refit.lines()[1]


def test_columns_that_are_not_used_may_lack(rng):
    X, y = draw(rng)
    X.insert(0, "mrn", range(1000, 1160))
    machine = CertifiedClassifier(["linear"], columns={"id": "mrn"}).fit(X, y)
    new, _ = draw(rng, 100)
    refit = machine.refit(X, y)
    one = refit.certify(new.assign(ward="b")[["ward", "c", "b", "a"]])
    assert one.certificate.risk == refit.certify(new.assign(mrn=1)).certificate.risk
    with pytest.raises(ValueError, match="none named 'b'"):
        refit.certify(new.drop(columns="b"))


def test_rows_of_the_table_are_refused_as_unlabelled_rows(fitted):
    machine, X, y = fitted
    refit = machine.refit(X, y)
    with pytest.raises(ValueError, match="5 of 5 rows that the machine was trained on"):
        refit.certify(X.iloc[:5])


def test_other_rows_goals_and_groups_are_refused(fitted, rng):
    machine, X, y = fitted
    with pytest.raises(ValueError, match="must be the rows, in memory, that the machine"):
        machine.refit(X.iloc[1:], y[1:])
    with pytest.raises(ValueError, match="must be the rows, in memory, that the machine"):
        machine.refit(X, np.roll(y, 1))
    moved = machine.choose("linear").reach(sensitivity=0.3)
    with pytest.raises(ValueError, match="`goal` must be None for a refit"):
        moved.refit(X, y)
    groups = np.repeat(np.arange(80), 2)
    grouped = CertifiedClassifier(["linear"]).fit(X, y, groups=groups)
    refit = grouped.refit(X, y, groups=groups)
    assert 0.0 < refit.error < 0.5
    with pytest.raises(ValueError, match="got a machine of groups"):
        refit.certify(draw(rng, 20)[0])


def test_classes_that_the_pool_lacks_teach_nothing(rng):
    X, y = draw(rng, 80)
    y = y.astype(object)
    for i in range(80):  # a row outside the pool, which follows from the whole table
        other = y.copy()
        other[i] = "third"
        try:
            machine = CertifiedClassifier(["one rule"], classes=["well", "ill"]).fit(X, other)
            break
        except ValueError:  # it is in the pool
            continue
    assert machine.refit(X, other).n_rows == 79


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture
def written(rng, tmp_path):
    X, y = draw(rng)
    frame = X.assign(outcome=y)
    machine = CertifiedClassifier(FORMS).fit(read_study(frame))
    new, _ = draw(rng, 200)
    return machine.refit(read_study(frame)), new, frame, tmp_path / "refit.json"


def verdict_of(path, frame):
    return verify_model(path, frame, library=Retraining(path, frame))


def test_a_file_of_its_own(written):
    refit, new, frame, path = written
    save_model(refit, path)
    text = path.read_text()
    assert text.index("NOT CERTIFIED") < 150
    model = load_model(path)
    assert model.certificate is None
    assert (model.predict(new) == refit.predict(new)).all()
    verdict = verdict_of(path, frame)
    assert verdict.status == "NOT CERTIFIED", verdict.differences
    assert not verdict.is_valid
    assert verify_model(path, frame.drop(columns="outcome"), frame["outcome"]).status == (
        "NOT CERTIFIED"
    )


def test_a_certificate_by_disagreement_is_consistent(written):
    refit, new, frame, path = written
    for is_picked in (True, False):
        save_model(refit.certify(new, is_picked=is_picked), path)
        assert "NOT CERTIFIED" not in path.read_text()
        verdict = verdict_of(path, frame)
        assert verdict.status == "CONSISTENT, NOT VERIFIED", verdict.differences
        assert any("unlabelled" in text for text in verdict.unverified)


FORGERIES = {
    "risk": lambda d: d["certificate"].update(risk=0.9 * d["certificate"]["risk"]),
    "sentence": lambda d: d["training"].update(sentence="CERTIFIED: it never errs."),
    "picked": lambda d: d["training"].update(is_picked=False),
    "disagreements": lambda d: d["training"].update(n_disagreements=0),
    "errors": lambda d: d["training"].update(n_errors=0),
    "mass": lambda d: d["training"]["menu"].update(roles=[["named", 1]], rank=1),
    "rows": lambda d: d["training"].update(n_rows=10**6),
    "table": lambda d: d["data"].update(sha256="0" * 64),
    "assumptions": lambda d: d["certificate"]["assumptions"].pop(1),
    "no claim": lambda d: d.update(certificate=None),
    "parts": lambda d: d["certificate"]["terms"][1].update(nats=0.0),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", FORGERIES)
def test_forged_refits_are_not_valid(name, written):
    refit, new, frame, path = written
    save_model(refit.certify(new), path)
    document = json.loads(path.read_text())
    FORGERIES[name](document)
    path.write_text(to_text(document))
    assert verdict_of(path, frame).status == "NOT VALID"


def test_the_command_line(written, tmp_path, monkeypatch):
    _, new, frame, _ = written
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    new.to_csv("new.csv", index=False)
    forms = ["--candidates", "one rule"]

    def run(*words, code=0):
        found = CliRunner().invoke(app, list(words))
        assert found.exit_code == code, found.output
        return " ".join(found.output.split())

    said = run("certify", "t.csv", *forms, "--refit", "--out", "o")
    assert "NOT CERTIFIED: this rule was learned from the counted rows too" in said
    assert "o/refit.json" in said
    assert "NOT CERTIFIED" in run("verify", "o/refit.json", "t.csv", code=3)
    assert "VALID" in run("verify", "o/model.json", "t.csv")
    assert run("predict", "o/refit.json", "new.csv").startswith("NOT CERTIFIED")
    said = run("certify", "t.csv", *forms, "--refit", "--unlabelled", "new.csv", "--json")
    assert json.loads(said)["refit"]["n_unlabelled"] == 200
    said = run("certify", "t.csv", *forms, "--refit", "--unlabelled", "t.csv", code=2)
    assert "`--unlabelled` t.csv" in said  # rows of the table
    for words, message in (
        (["--unlabelled", "new.csv"], "say --refit too"),
        (["--refit", "--goal", "error <= 0.4"], "exclude each other"),
        (["--refit", "--out", "m.json"], "must be a folder"),
        (["--refit", "--rules", "stumps"], "`--refit` goes with a menu of forms"),
        (["--stability", "--rules", "stumps"], "`--stability` goes with a menu of forms"),
        (["--max-items", "3", "--rules", "stumps"], "go with score cards"),
        (["--must-ask", "a", "--rules", "stumps"], "`--must-ask` goes with a menu"),
    ):
        assert message in run("certify", "t.csv", *words, code=2)
