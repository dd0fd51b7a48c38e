"""A class that the pool does not know: an error of every form, counted and said."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.cli import app
from handful.files import Retraining, save_model
from handful.tables import read_study
from handful.verify import verify_model
from tests.chance import n_allowed

RARE, CASES = 0.00207, 0.4  # of the third class, and of the second among the others


def _menus_that_miss(rng, n_draws, *, n=600, delta=0.5):
    """Menus of which some row claims less than its true risk.

    A rule tells a and b apart without error, so its risk is the share of the third class. The
    limit of no error among 360 rows is just below that share.
    """
    cells, truth = np.array([[0.0, 0.5], [1.0, 0.5]]), ("a", "b")
    n_missed = 0
    for _ in range(n_draws):
        is_b = rng.random(n) < CASES
        X = np.column_stack([is_b.astype(float), rng.random(n)])
        y = np.where(rng.random(n) < RARE, "c", np.where(is_b, "b", "a"))
        machine = CertifiedClassifier(["rule set", "constant"], delta=delta).fit(X, y)
        found = []
        for candidate, limit in zip(machine.candidates_, machine.menu_risks_, strict=True):
            words = [candidate.fitted.classes[k] for k in candidate.fitted.labels(cells)]
            right = [(1.0 - RARE) * (word == own) for word, own in zip(words, truth, strict=True)]
            risk = 1.0 - (1.0 - CASES) * right[0] - CASES * right[1]
            found.append(limit < risk)
        n_missed += any(found)
    return n_missed


@pytest.mark.thorough
def test_a_rare_class_does_not_choose_the_forms():
    """When classes were read off all rows: 505 misses of 800, where chance allows 444."""
    assert _menus_that_miss(np.random.default_rng(8), 800) <= n_allowed(800, 0.5)


def test_a_rare_class_does_not_choose_the_forms_in_a_few_draws():
    assert _menus_that_miss(np.random.default_rng(8), 40) <= n_allowed(40, 0.5)


def _counted_row(X, y, groups=None):
    """A row that is outside the pool, also if its label is 'zebra': labels are in the digest."""
    machine = CertifiedClassifier(["constant"], random_state=5)
    held = machine.fit(X, y, groups=groups).held_back_
    for row in np.setdiff1d(np.arange(len(y)), held).tolist():
        other = y.copy()
        other[row] = "zebra"
        if np.array_equal(machine.fit(X, other, groups=groups).held_back_, held):
            return row
    raise AssertionError


def _with_stranger(rng, n=120):
    """Rows, labels of two classes, and one counted row that may get a label of its own."""
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, "b", "a").astype(object)
    return X, y, _counted_row(X, y)


FORMS = ["constant", "one rule", "rule set", "score card", "linear"]


def test_forms_order_and_classes_come_from_the_pool(rng):
    X, y, row = _with_stranger(rng)
    before = CertifiedClassifier(FORMS, random_state=5).fit(X, y)
    other = y.copy()
    other[row] = "zebra"
    after = CertifiedClassifier(FORMS, random_state=5).fit(X, other)
    assert after.classes_.tolist() == ["a", "b"]
    assert [c.fitted for c in sorted(after.candidates_, key=lambda c: c.rank)] == [
        c.fitted for c in sorted(before.candidates_, key=lambda c: c.rank)
    ]
    wrong = {c.name: c.fitted.labels(X[[row]])[0] != (y[row] == "b") for c in before.candidates_}
    for candidate in after.candidates_:
        old = next(c for c in before.candidates_ if c.name == candidate.name)
        assert candidate.counts.n_counted == old.counts.n_counted
        assert candidate.counts.n_errors == old.counts.n_errors + (not wrong[candidate.name])
    said = "1 row has the label 'zebra', which the pool does not know: it counts as an error"
    assert said in after.certificate_.explain()
    assert said in after.explain()


def test_rates_and_bands_stand_on_the_classes_of_the_pool(rng):
    X, y, row = _with_stranger(rng)
    before = CertifiedClassifier(["linear"], random_state=5).fit(X, y)
    other = y.copy()
    other[row] = "zebra"
    after = CertifiedClassifier(["linear"], random_state=5).fit(X, other)
    k = ["a", "b"].index(y[row])
    found, old = after.candidate_.counts.by_class, before.candidate_.counts.by_class
    assert found[1 - k] == old[1 - k]
    assert found[k][0] == old[k][0] - 1
    assert len(after.certificate_.rates) == 2
    points, before_points = after.operating_points(), before.operating_points()
    names = ["n_negatives", "n_positives"]
    assert points[names[k]].tolist() == [n - 1 for n in before_points[names[k]]]
    assert points[names[1 - k]].tolist() == before_points[names[1 - k]].tolist()
    doubt, before_doubt = after.abstentions(), before.abstentions()
    assert (doubt["n_answered"] == before_doubt["n_answered"]).all()
    assert (doubt["n_errors"] >= before_doubt["n_errors"]).all()
    moved = after.reach(sensitivity=0.3)
    assert moved.candidate_.counts.n_counted == after.candidate_.counts.n_counted
    guess = moved.predict(X)
    counted = np.setdiff1d(np.arange(len(y)), moved.held_back_)
    assert moved.candidate_.counts.n_errors == int((guess[counted] != other[counted]).sum())


def test_several_classes_and_groups(rng):
    X, y, _ = _with_stranger(rng, 200)
    y[X[:, 1] > 0.7] = "c"
    groups = np.arange(200) // 2
    for given in (None, groups):
        other = y.copy()
        other[_counted_row(X, y, given)] = "zebra"
        machine = CertifiedClassifier(["constant", "linear"], random_state=5)
        machine.fit(X, other, groups=given)
        assert machine.classes_.tolist() == ["a", "b", "c"]
        assert any("'zebra'" in note for note in machine.certificate_.notes)
        assert machine.n_training_errors_ == int((machine.predict(X) != other).sum())


def test_classes_named_beforehand_are_the_classes(rng):
    X, y, row = _with_stranger(rng)
    machine = CertifiedClassifier(["constant", "linear"], classes=["b", "a"], random_state=5)
    assert machine.fit(X, y).fitted_.classes == ("b", "a")
    assert machine.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(machine.decision_function(X) > 0, machine.predict(X) == "b")
    np.testing.assert_array_equal(machine.decision_function(X), -machine.fitted_.scores(X))
    y[row] = "zebra"
    assert "'zebra'" in machine.fit(X, y).certificate_.explain()
    three = CertifiedClassifier(["constant"], classes=["a", "b", "zebra"], random_state=5)
    assert three.fit(X, y).classes_.tolist() == ["a", "b", "zebra"]
    assert not three.certificate_.notes
    y[machine.held_back_[:20]] = "yak"
    with pytest.raises(ValueError, match=r"`classes` must name the labels of the pool.*'yak'"):
        machine.fit(X, y)


def test_a_pool_of_one_class_gives_the_constant(rng):
    X, y, row = _with_stranger(rng)
    y[:] = "a"
    y[row] = "b"
    machine = CertifiedClassifier(["linear", "score card"], random_state=5).fit(X, y)
    assert machine.classes_.tolist() == ["a"]
    assert machine.menu_.index.tolist() == ["constant"]
    assert set(machine.predict(X)) == {"a"}
    assert machine.decision_function(X).shape == (len(X), 1)
    assert machine.candidate_.counts.n_errors == 1


def _study_with_stranger(rng):
    """A table whose rarest label is on one counted row; its digest decides, so it is looked for."""
    n = 160
    frame = pd.DataFrame({"age": rng.integers(30, 80, n), "crp": rng.gamma(2.0, 3.0, n).round(2)})
    frame["outcome"] = np.where(frame["age"] + rng.normal(0, 8, n) > 55, "Died", "alive")
    for row in range(n):
        other = frame.copy()
        other.loc[row, "outcome"] = "Unknown"
        study = read_study(other)
        if row not in study.pool:
            return other, study
    raise AssertionError


def test_a_study_says_so_and_verify_derives_the_same(rng, tmp_path):
    frame, study = _study_with_stranger(rng)
    assert study.classes == ("alive", "Died")
    assert any("1 row has the label 'unknown'" in note for note in study.notes)
    machine = CertifiedClassifier(["constant", "one rule", "linear"]).fit(study)
    path = tmp_path / "form.json"
    save_model(machine, path)
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "VALID"
    document = json.loads(path.read_text())
    assert document["fitted"]["classes"] == ["alive", "Died"]
    (note,) = document["certificate"]["notes"]
    assert note.startswith("1 row has the label 'unknown', which the pool does not know")


def test_a_study_with_a_pool_of_one_class_is_verified(rng, tmp_path):
    n = 60
    frame = pd.DataFrame({"age": rng.integers(30, 80, n), "outcome": "alive"})
    for row in range(n):
        other = frame.copy()
        other.loc[row, "outcome"] = "dead"
        study = read_study(other)
        if row not in study.pool:
            break
    assert study.classes == ("alive",)
    machine = CertifiedClassifier().fit(study)
    path = tmp_path / "form.json"
    save_model(machine, path)
    verdict = verify_model(path, other, library=Retraining(path, other))
    assert verdict.status == "VALID", verdict


def test_chunks_give_the_same_menu(rng):
    da = pytest.importorskip("dask.array", reason="the extra handful[dask] is not installed")
    X, y, row = _with_stranger(rng)
    y[row] = "zebra"
    y = y.astype(str)
    here = CertifiedClassifier(["constant", "linear"], random_state=5).fit(X, y)
    there = CertifiedClassifier(["constant", "linear"], random_state=5).fit(
        da.from_array(X, chunks=(50, -1)), da.from_array(y, chunks=50)
    )
    assert there.classes_.tolist() == here.classes_.tolist() == ["a", "b"]
    assert there.certificate_ == here.certificate_
    assert "'zebra'" in there.certificate_.explain()
    assert there.n_training_errors_ == here.n_training_errors_
    a, b = (m.choose("linear").abstentions() for m in (here, there))
    pd.testing.assert_frame_equal(a, b)


def test_the_screen_and_the_files_say_so(rng, tmp_path):
    frame, _ = _study_with_stranger(rng)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["certify", str(tmp_path / "t.csv"), "--candidates", "constant,one rule"]
    screen = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")])
    assert screen.exit_code == 0, screen.output
    said = "1 row has the label 'unknown', which the pool does not know"
    assert said in " ".join(screen.output.split())
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert any(note.startswith(said) for note in certificate["notes"])
    checked = CliRunner().invoke(
        app, ["verify", str(tmp_path / "out" / "model.json"), str(tmp_path / "t.csv")]
    )
    assert checked.exit_code == 0, checked.output
    assert "VALID" in checked.output
