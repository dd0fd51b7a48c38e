"""The auditor's own bound for groups, beside the library's, and files of grouped tables."""

import json

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier
from handful.bounds import betting_bound
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import Choices, read_study
from handful.verify import verify_model
from handful.verify.arithmetic import MP, is_betting_limit


@pytest.mark.parametrize("n_warm", [0, 5])
def test_both_compute_the_same_limit(n_warm, rng):
    for _ in range(5):
        losses = rng.beta(2, 6, size=30).round(3).tolist()
        warm = rng.beta(2, 6, size=n_warm).tolist()
        risk = betting_bound(losses, warm_up=warm).risk
        exact = ([MP.mpf(v) for v in losses], [MP.mpf(v) for v in warm], MP.log(20))
        assert is_betting_limit(risk, *exact)
        assert not is_betting_limit(risk - 1e-6, *exact)
        assert not is_betting_limit(risk + 1e-6, *exact)


def test_a_grouped_file_is_wholly_checked_again(rng, tmp_path):
    who = np.repeat(np.arange(60), 6)
    level = rng.normal(size=360)
    ill = level + 0.8 * rng.normal(size=360) > 0
    frame = pd.DataFrame({"who": who, "level": level.round(3), "y": np.where(ill, "ill", "well")})
    choices = Choices(groups="who")
    study = read_study(frame, choices)
    machine = CertifiedClassifier(["one rule"]).fit(study)
    assert machine.certificate_.bound == "betting"  # errors within a group are mixed
    path = tmp_path / "m.json"
    save_model(machine, path)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", (verdict.differences, verdict.unverified)
    document = json.loads(path.read_text())
    document["certificate"]["risk"] -= 0.01
    path.write_text(to_text(document))
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "NOT VALID"
