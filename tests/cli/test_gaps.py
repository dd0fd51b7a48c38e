"""`handful predict` counts and names rows that lack values, and words that it cannot read."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, save_model
from handful.cli import app

STAGES = np.array(["I", "II", "III"])


@pytest.fixture
def made(rng, tmp_path):
    n = 160
    place = rng.integers(0, 3, n)
    age = rng.integers(30, 90, n)
    frame = pd.DataFrame({"stage": STAGES[place], "age": [f"{a}y" for a in age]})
    y = np.where(place + age / 40 + rng.normal(0, 0.2, n) > 2.5, "ill", "well")
    save_model(CertifiedClassifier(["linear"]).fit(frame, y), tmp_path / "m.json")
    new = frame.iloc[:20].copy()
    new.loc[new.index[:3], "stage"] = "IV"
    new.loc[new.index[5:9], "age"] = ""
    new.loc[new.index[9], "age"] = "700 months"
    new.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def _said(folder, *more):
    words = ["predict", str(folder / "m.json"), str(folder / "new.csv"), *more]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return re.sub(r"\s+", " ", result.stderr), result.stdout


def test_rows_that_lack_values_are_counted_and_named(made):
    said, rows = _said(made)
    assert "H070 8 rows lack a value that the rule reads (age in 5, stage in 3)." in said
    assert "--on-missing abstain gives them none" in said
    assert (
        "H071 Never seen, and counted as missing: stage 'IV' in 3, age '700 months' in 1." in said
    )
    assert rows.count("missing: ") == 8


def test_rows_may_get_no_label(made):
    said, rows = _said(made, "--on-missing", "abstain")
    assert "H070 8 rows lack a value" in said
    assert "They have no label." in said
    assert rows.count("abstains") == 8


def test_nothing_is_said_of_whole_rows_or_quietly(made):
    new = pd.read_csv(made / "new.csv")
    new = new[new["age"].notna() & (new["stage"] != "IV") & (new["age"] != "700 months")]
    assert "H07" in _said(made)[0]
    assert "H07" not in _said(made, "--quiet")[0]
    new.to_csv(made / "new.csv", index=False)
    assert "H07" not in _said(made)[0]
