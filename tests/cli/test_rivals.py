"""Who takes part."""

import importlib.util

import numpy as np
import pytest

from handful.cli._rivals import RIVALS, choose_rivals

HAS_EBM = importlib.util.find_spec("interpret") is not None


def test_all_or_those_named():
    assert len(choose_rivals(None)) == len(RIVALS) - (not HAS_EBM)
    assert [r.name for r in choose_rivals("tree, stumps,tree")] == ["tree", "stumps"]


@pytest.mark.parametrize(
    ("machines", "message"), [("stump", "must be among stumps"), (" , ", "at least one")]
)
def test_misuse(machines, message):
    with pytest.raises(ValueError, match=message):
        choose_rivals(machines)


def test_ebm_must_be_installed(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "ebm" not in {rival.name for rival in choose_rivals(None)}
    with pytest.raises(ValueError, match="needs interpret"):
        choose_rivals("ebm")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(RIVALS) - {"ebm"}))
def test_each_fits_predicts_and_has_a_size(name, rng):
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=80) > 0, "a", "b")
    rival = RIVALS[name]
    machine = rival.make(True, 0).fit(X, y)
    assert (machine.predict(X) == y).mean() > 0.6
    assert rival.size(machine) >= 0
    assert hasattr(machine, "certify") == rival.is_ours
