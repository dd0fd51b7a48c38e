"""Every candidate of a fit pays what its own formula says, to a billionth of a nat.

The re-check of model files prices codes by formulas of its own, counts errors by loops of its
own, and rebuilds rules and pools. Here it sees not only the machine that a fit prefers: each
candidate is taken in turn as if it had been the best.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from handful import save_model
from handful.candidates import Menu
from handful.verify import audit, verify_model
from tests.covering.coins import PROCEDURES


def _data(n_samples, n_classes):
    rng = np.random.default_rng(n_samples)
    X = rng.integers(0, 5, (n_samples, 3)).astype(float)
    X[:, 2] = rng.normal(size=n_samples)
    is_noisy = rng.random(n_samples) < 0.25
    y = np.where(is_noisy, rng.integers(0, 2, n_samples), X[:, 0] + X[:, 1] > 4)
    return X, y + (X[:, 2] > 0.5) * (n_classes - 2)


def _sorts(candidates, most):
    """One candidate of every scheme, family, kind, pool and size, at most so many."""
    first = {}
    # of equal constants, which differ by what they cost, a fit prefers the cheapest
    for i, c in sorted(enumerate(candidates), key=lambda pair: pair[1].nats):
        first.setdefault((c.scheme, c.family, c.kind, c.pool_size, c.n_rules), i)
    step = max(1, -(-len(first) // most))
    by_scheme = {key[:2] + key[3:4]: i for key, i in first.items()}
    return sorted({*list(first.values())[::step], *by_scheme.values()})


def _check(name, n_samples, most, monkeypatch, tmp_path):
    procedure = PROCEDURES[name]
    # Folds choose among the same candidates; here each is taken in turn by its certificate.
    options = {**procedure.options, "by": "certificate"}
    if procedure.options.get("by") == "cv":
        options["candidates"] = "wide"
    X, y = _data(n_samples, procedure.n_classes)
    monkeypatch.setattr(audit, "TOLERANCE", 1e-10)
    machine = procedure.make(**options).fit(X, y)
    limit = 1.0 if machine.costs is None else max(machine.costs)
    for i in _sorts(machine.cover_.parts[0].menu.candidates, most):
        monkeypatch.setattr(Menu, "best", property(lambda menu, i=i: min(i, len(menu) - 1)))
        taken = procedure.make(**options).fit(X, y)
        if procedure.n_classes == 2:
            risk = min(
                limit, taken.cover_.parts[0].menu.risks[i]
            )  # what the candidate was chosen by
            assert taken.certificate_.risk == pytest.approx(risk, abs=1e-12)
        save_model(taken, tmp_path / "model.json", include_rows=True)
        verdict = verify_model(tmp_path / "model.json", X, y)
        assert verdict.is_valid, (taken.cover_.parts[0].chosen, verdict.differences)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", PROCEDURES)
def test_candidates_pay_what_they_owe(name, monkeypatch, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constants are candidates too
        pooled = PROCEDURES[name].n_samples >= 60
        _check(name, 64 if pooled else 30, 12 if pooled else 100, monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["defaults", "lists", "costs", "three classes"])
def test_all_candidates_pay_what_they_owe(name, monkeypatch, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _check(name, 64, 10_000, monkeypatch, tmp_path)
