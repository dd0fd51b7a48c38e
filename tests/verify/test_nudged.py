"""Numbers of a form moved by a part in ten million: the errors that are counted change."""

import json

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_dataset
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model
from tests.verify.forging import best_nudges


def _epochs():
    """A column of epoch seconds within ten minutes: a part in ten million is a hundred seconds."""
    rng = np.random.default_rng(1)
    n = 400
    seconds = 1_600_000_000 + rng.integers(0, 600, n)
    b = rng.normal(size=n).round(2)
    ill = rng.random(n) < np.where(seconds % 600 < 300, 0.75, 0.25)
    return pd.DataFrame({"seen": seconds, "b": b, "y": np.where(ill, "ill", "well")})


def _embedded():
    X, y = load_dataset("breastw").named()
    return X.assign(y=y)


@pytest.mark.parametrize(
    ("table", "form"),
    [
        (_epochs, "one rule"),
        (_epochs, "rule list"),
        (_epochs, "score card"),
        (_embedded, "rule set"),  # of the others no nudge saves an error there
        pytest.param(_embedded, "additive", marks=pytest.mark.thorough),
    ],
)
def test_a_nudge_that_saves_errors_is_not_valid(table, form, tmp_path):
    frame, path = table(), tmp_path / "m.json"
    study = read_study(frame)
    machine = CertifiedClassifier([form]).fit(study)
    save_model(machine, path, include_rows=True)
    retrain = Retraining(path, frame)
    assert verify_model(path, frame, library=retrain).status == "VALID"
    honest = json.loads(path.read_text())
    forged = best_nudges(
        honest, path, frame, study.y, machine.held_back_,
        lambda v: [v * (1 + s * 9.9e-8) for s in (-1, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1)],
    )  # fmt: skip
    path.write_text(to_text(forged))
    before, after = honest["certificate"], forged["certificate"]
    said = (
        f"{before['n_errors']} to {after['n_errors']}, {before['risk']:.4f} to {after['risk']:.4f}"
    )
    assert after["risk"] < before["risk"]
    assert verify_model(path, frame, library=retrain).status == "NOT VALID", said
