"""Estimators of other libraries in files: written by skops, named by a digest, checked again."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.validation import check_is_fitted

from handful import CertifiedClassifier, load_model
from handful.files import ModelFileError, Retraining, beside, save_model, untrusted_types
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model

pytest.importorskip("skops", reason="the extra handful[skops] is not installed")

PIPELINE = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
MENU = [("mine", PIPELINE), "score card", "one rule"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(160, 3)).round(2)
    ill = X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=160) > 0
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(ill, "ill", "well"))
    frame.loc[::17, "c"] = np.nan
    return frame


@pytest.fixture(scope="module")
def study(frame):
    return read_study(frame)


@pytest.fixture(scope="module")
def machine(study):
    return CertifiedClassifier(MENU).fit(study)


def rewritten(path, **changes):
    """The file with some fields of provenance or certificate changed, under a hash that fits."""
    document = json.loads(path.read_text())
    for name, value in changes.items():
        part, _, field = name.partition("__")
        document[part][field] = value
    path.write_text(to_text(document))


def test_every_row_round_trips_through_files(frame, study, machine, tmp_path):
    for name in machine.menu_.index:
        chosen = machine.choose(name)
        path = tmp_path / f"{name}.json"
        written = save_model(chosen, path, include_rows=True)
        assert written == [path, path.with_suffix(".skops")]  # the menu holds an estimator
        again = load_model(path)
        assert again.predict(frame).tolist() == chosen.predict(study.table).tolist()
        np.testing.assert_allclose(again.scores(frame), chosen.fitted_.scores(study.X))
        assert again.certificate == chosen.certificate_
        assert again.training.chosen == name


def test_a_menu_of_forms_needs_no_second_file(study, tmp_path):
    chosen = CertifiedClassifier(["one rule", "linear"]).fit(study)
    assert save_model(chosen, tmp_path / "m.json", include_rows=True) == [tmp_path / "m.json"]


@pytest.mark.parametrize("name", ["mine", "score card"])
def test_the_re_check_trains_again_and_recounts(name, frame, study, machine, tmp_path):
    path = tmp_path / "m.json"
    save_model(machine.choose(name), path, include_rows=True)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    names = [finding.name for finding in verdict.findings]
    assert "labels of the classifier, trained again" in names
    rewritten(path, certificate__n_errors=machine.choose(name).certificate_.n_errors - 1)
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "NOT VALID"


def test_another_estimator_is_not_the_one_that_was_trained(frame, study, machine, tmp_path):
    path, other = tmp_path / "m.json", tmp_path / "o.json"
    save_model(machine.choose("mine"), path, include_rows=True)
    weaker = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(C=1e-4))
    save_model(CertifiedClassifier([("mine", weaker)]).fit(study), other, include_rows=True)
    beside(path).write_bytes(beside(other).read_bytes())
    with pytest.raises(ModelFileError, match="its digest differs"):
        load_model(path)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert any("digest of the estimators" in text for text in verdict.differences)
    # an estimator that was trained on other rows, under its own digest
    fitted = machine.choose("mine").fitted_.machine.estimator
    fitted_elsewhere = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    fitted_elsewhere.fit(study.X, 1 - (study.y == "ill"))
    assert type(fitted) is type(fitted_elsewhere)
    from handful.files.beside import Estimators, digest_of, pack

    content = pack(Estimators((fitted_elsewhere,), {"mine": PIPELINE}))
    beside(path).write_bytes(content)
    rewritten(path, training__estimators_sha256=digest_of(content))
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert any("labels of the classifier" in text for text in verdict.differences)


def test_types_that_nobody_named_are_not_built(frame, study, tmp_path):
    path = tmp_path / "forest.json"
    forest = RandomForestClassifier(5, random_state=0)
    chosen = CertifiedClassifier([("trees", make_pipeline(SimpleImputer(), forest))]).fit(study)
    save_model(chosen, path, include_rows=True)
    with pytest.raises(ModelFileError, match=r"not trusted: sklearn\.tree\._tree\.Tree"):
        load_model(path)
    named = untrusted_types(path)
    assert load_model(path, trusted=named).predict(frame).tolist() == (
        chosen.predict(study.table).tolist()
    )
    closed = verify_model(path, frame, library=Retraining(path, frame))
    assert closed.status == "CONSISTENT, NOT VERIFIED", closed.differences
    assert any("stayed closed" in text for text in closed.unverified)
    opened = verify_model(path, frame, library=Retraining(path, frame, named))
    assert opened.status == "VALID", opened.differences
    rewritten(path, certificate__risk=chosen.certificate_.risk / 2)
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "NOT VALID"


def shout(X):
    """A function of this module, which skops must be told to trust."""
    return X


def test_functions_of_the_user_are_not_run_unasked(study, tmp_path):
    path = tmp_path / "m.json"
    mine = make_pipeline(FunctionTransformer(shout), SimpleImputer(), LogisticRegression())
    save_model(CertifiedClassifier([("mine", mine)]).fit(study), path, include_rows=True)
    with pytest.raises(ModelFileError, match="shout"):
        load_model(path)


def test_a_lost_or_damaged_file_is_said(study, machine, tmp_path):
    path = tmp_path / "m.json"
    save_model(machine.choose("mine"), path, include_rows=True)
    beside(path).unlink()
    with pytest.raises(FileNotFoundError, match="beside the model"):
        load_model(path)


def test_what_skops_cannot_write_is_said(study, tmp_path):
    class Local(LogisticRegression):
        def fit(self, X, y):
            self.odd_ = {(1, 2): 3}
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            check_is_fitted(self, "odd_")  # what predicts untrained is refused
            return np.zeros(len(X), dtype=int)

    chosen = CertifiedClassifier([("odd", Local())]).fit(study)
    with pytest.raises(TypeError, match="cannot be written by skops"):
        save_model(chosen, tmp_path / "m.json", include_rows=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_black_boxes_of_the_menu(frame, study, tmp_path):
    """A vote holds several estimators; a single forest one."""
    machine = CertifiedClassifier("all").fit(study)
    assert machine.menu_["reason"].eq("").all()
    for name in ("random forest", "gradient boosting", "vote"):
        path = tmp_path / f"{name}.json"
        save_model(machine.choose(name), path, include_rows=True)
        again = load_model(path, trusted=untrusted_types(path) if beside(path).exists() else ())
        assert again.predict(frame).tolist() == machine.choose(name).predict(study.table).tolist()
