"""Covering machines on groups: kept, priced and counted whole; valid; files are checked."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from handful import DecisionListMachine, SetCoveringMachine, load_dataset, load_model, save_model
from handful.candidates import Menu
from handful.verify import audit, verify_model
from tests.chance import n_allowed
from tests.covering.group_simulation import coin_groups, misses
from tests.oracles import bounds as oracle


def _grouped(rng, n_groups=40, n_classes=2):
    """Groups of one to six rows, some of them equal to rows of other groups."""
    groups = np.repeat(np.arange(n_groups), rng.integers(1, 7, n_groups))
    level = rng.normal(size=(n_groups, 2))[groups]
    X = np.round(level + 0.5 * rng.normal(size=level.shape), 1)
    y = (X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    return X, y + (X[:, 1] > 0.5) * (n_classes - 2), groups


def _by_hand(machine, X, y, groups):
    """Limit of a machine of few examples, from its rules' examples and its labels alone."""
    kept = {groups[i] for i in machine.cover_.chosen[0].named}
    is_wrong = machine.predict(X) != y
    order = machine.cover_.groups  # only the order of the losses is taken from the machine
    means = [float(np.mean(is_wrong[groups == g])) for g in sorted(set(groups) - kept)]
    assert sorted(means) == pytest.approx(sorted(order.losses.tolist()), abs=1e-15)
    terms = [t.nats for t in machine.cover_.chosen[0].terms if t.kind != "kept"]
    n_pool, d = machine.cover_.chosen[0].pool_size, len(kept)
    nats = math.fsum([*terms, math.log(math.comb(n_pool, d)), math.log(2.0), math.log(20.0)])
    betting = oracle.betting_limit(order.losses.tolist(), order.warm_up.tolist(), nats)
    tail = oracle.tail_inverse(order.n_first, len(means), -nats)
    return float(min(betting, tail))


@pytest.mark.parametrize("rules", ["stumps", "balls", "half-spaces", "two-point"])
def test_the_certificate_by_hand(rules, rng):
    X, y, groups = _grouped(rng)
    machine = SetCoveringMachine(rules, candidates=20, max_rules=2).fit(X, y, groups=groups)
    assert machine.cover_.chosen[0].scheme == "compression"
    kept = machine.cover_.chosen[0].named
    assert len({groups[i] for i in kept}) == len(kept)  # one row of each group
    held = np.isin(groups, groups[list(kept)])
    assert machine.held_back_.tolist() == np.flatnonzero(held).tolist()  # the whole groups
    assert machine.certificate_.risk == pytest.approx(_by_hand(machine, X, y, groups), abs=1e-9)
    assert "random case of a random new group" in machine.explain()


def test_any_error_of_a_group(rng):
    X, y, groups = _grouped(rng)
    machine = SetCoveringMachine("stumps", group_loss="any").fit(X, y, groups=groups)
    counted = np.setdiff1d(groups, groups[machine.held_back_])
    is_wrong = machine.predict(X) != y
    n_wrong = len(np.intersect1d(groups[is_wrong], counted))
    certificate = machine.certificate_
    assert (certificate.n_samples, certificate.n_errors) == (40, n_wrong)
    exact = oracle.tail_inverse(n_wrong, len(counted), -certificate.nats)
    assert certificate.risk == pytest.approx(float(exact), abs=1e-9)
    assert certificate.quantity.key == "group-any"


def test_groups_of_one_row_are_rows():
    """Another draw, but the same prices and the same bound: nearly the same certificates."""
    data = load_dataset("haberman-294")
    found = []
    for seed in range(6):
        rows = np.random.default_rng(seed).permutation(294)[:150]
        fits = [
            SetCoveringMachine("stumps", random_state=seed).fit(
                data.X[rows], data.y[rows], groups=g
            )
            for g in (None, np.arange(150))
        ]
        assert fits[1].certificate_.bound == "compression"
        terms = [{t.text for t in fit.certificate_.terms} for fit in fits]
        assert not any("one row of each" in text for text in terms[1])
        found.append([fit.certificate_.risk for fit in fits])
    alone, grouped = np.mean(found, axis=0)
    assert grouped == pytest.approx(alone, rel=0.05)
    data = load_dataset("breastw")
    all_rows = {"rules": "stumps", "candidates": None}  # nothing is drawn: the same number
    a = SetCoveringMachine(**all_rows).fit(data.X, data.y).certificate_
    b = SetCoveringMachine(**all_rows).fit(data.X, data.y, groups=range(len(data.y))).certificate_
    assert a.risk == b.risk


def test_rows_that_differ_are_worth_more_than_one_row_a_group(rng):
    """Betting on means is below one blind row of each group where errors are mixed."""
    groups = np.repeat(np.arange(80), 8)
    X = rng.normal(size=(640, 2))
    y = ((X[:, 0] > 0) ^ (rng.random(640) < 0.2)).astype(int)
    machine = SetCoveringMachine("stumps").fit(X, y, groups=groups)
    one = np.arange(80) * 8
    assert machine.certificate_.bound == "betting"
    alone = SetCoveringMachine("stumps").fit(X[one], y[one])
    assert machine.certificate_.risk < alone.certificate_.risk


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_coin_flips_of_groups_are_not_certified(delta, rng):
    """Without the price of the code, or row by row, the same fits miss far too often."""
    n_missed, n_unpaid, n_by_row = misses(
        rng, 30, 40, 10, delta, n_by_row=8, rules="stumps", penalty=1.0
    ).sum(axis=1)
    assert n_missed <= n_allowed(30, delta)
    assert n_by_row >= 7  # of 8: why groups must be said
    if delta == 0.5:
        assert n_unpaid > n_allowed(30, delta)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_coin_flips_of_groups_at_length(delta, rng):
    found = misses(rng, 2000, 40, 10, delta, rules="stumps").sum(axis=1)
    assert found[0] <= n_allowed(2000, delta)
    assert found[1] > n_allowed(2000, delta)


PROCEDURES = {
    "defaults": (SetCoveringMachine, {}, 64),
    "few groups": (SetCoveringMachine, {}, 30),
    "any": (SetCoveringMachine, {"rules": "stumps", "group_loss": "any"}, 64),
    "all half-spaces": (SetCoveringMachine, {"rules": "half-spaces", "candidates": None}, 30),
    "mixed": (SetCoveringMachine, {"rules": ["stumps", "balls"], "candidates": 20}, 30),
    "linear": (SetCoveringMachine, {"rules": "linear"}, 64),
    "lists": (DecisionListMachine, {}, 30),
    "seed": (SetCoveringMachine, {"rules": "two-point", "random_state": 3}, 30),
    "three classes": (SetCoveringMachine, {"rules": "stumps"}, 64),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", PROCEDURES)
def test_candidates_pay_what_they_owe(name, rng, monkeypatch, tmp_path):
    """Some candidate of every sort as if it had been the best: a file that its auditor accepts."""
    make, options, n_groups = PROCEDURES[name]
    X, y, groups = _grouped(rng, n_groups, 3 if name == "three classes" else 2)
    monkeypatch.setattr(audit, "TOLERANCE", 1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        candidates = make(**options).fit(X, y, groups=groups).cover_.parts[0].menu.candidates
        sorts = {(c.scheme, c.family, c.pool_size, c.n_rules): i for i, c in enumerate(candidates)}
        for i in list(sorts.values())[:: max(1, len(sorts) // 6)]:
            with monkeypatch.context() as patch:
                patch.setattr(Menu, "best", property(lambda menu, i=i: min(i, len(menu) - 1)))
                machine = make(**options).fit(X, y, groups=groups)
            path = tmp_path / "model.json"
            save_model(machine, path, include_rows=True)
            shuffled = rng.permutation(len(X))  # also equal rows of different groups
            for rows in (np.arange(len(X)), shuffled):
                verdict = verify_model(path, X[rows], y[rows], groups=groups[rows] + 5)
                assert verdict.is_valid, (machine.chosen_, verdict.differences)
            assert (load_model(path).predict(X) == machine.predict(X)).all()


def test_files_need_their_groups(rng, tmp_path):
    X, y, groups = _grouped(rng)
    path = tmp_path / "model.json"
    save_model(SetCoveringMachine("stumps").fit(X, y, groups=groups), path)
    assert verify_model(path, X, y, groups=groups).is_valid
    assert "must be given" in verify_model(path, X, y).differences[0]
    moved = groups.copy()
    moved[0] = groups[-1]
    assert not verify_model(path, X, y, groups=moved).is_valid
    save_model(SetCoveringMachine("stumps").fit(X, y), path)
    assert "knows none" in verify_model(path, X, y, groups=groups).differences[0]


def test_the_order_of_rows_does_not_matter(rng):
    X, y, groups = _grouped(rng)
    first = SetCoveringMachine("stumps").fit(X, y, groups=groups)
    rows = rng.permutation(len(X))
    second = SetCoveringMachine("stumps").fit(X[rows], y[rows], groups=groups[rows])
    assert first.certificate_ == second.certificate_
    assert first.fitted_.sentences() == second.fitted_.sentences()


def test_bounds_and_refusals(rng):
    X, y, groups = _grouped(rng)
    machine = SetCoveringMachine("stumps").fit(X, y, groups=groups)
    assert machine.certify(bound="compression-kl").risk >= 0.0
    assert machine.certify(0.5).risk < machine.certificate_.risk
    assert machine.certify(n_choices=3).risk > machine.certificate_.risk
    for bound in ("cost", "compression-closed-form"):
        with pytest.raises(ValueError, match="for groups"):
            machine.certify(bound=bound)
    with pytest.raises(ValueError, match="`costs` are not certified for groups"):
        SetCoveringMachine(costs=(1, 2)).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="`groups` must have shape"):
        SetCoveringMachine().fit(X, y, groups=groups[:5])
    mixed = groups.astype(object)
    mixed[3] = "p3"
    with pytest.raises(ValueError, match="`groups` must be words or numbers, got both"):
        SetCoveringMachine().fit(X, y, groups=mixed)
    gone = groups.astype(float)
    gone[3] = np.nan
    with pytest.raises(ValueError, match="got none in row 4"):
        SetCoveringMachine().fit(X, y, groups=gone)
    with pytest.raises(ValueError, match="two groups or more"):
        SetCoveringMachine().fit(X, y, groups=np.zeros(len(y)))
    with pytest.raises(ValueError, match="`group_loss` must be"):
        SetCoveringMachine(group_loss="median").fit(X, y, groups=groups)


def test_groups_by_metadata_routing_and_words(rng):
    X, y, groups = _grouped(rng)
    frame = pd.DataFrame({"a": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    with sklearn.config_context(enable_metadata_routing=True):
        routed = SetCoveringMachine().set_fit_request(groups=True)
        pipe = make_pipeline(FunctionTransformer(), routed).fit(frame, y, groups=groups)
    assert "random new group" in str(pipe[-1].certificate_.quantity)
    weighted = SetCoveringMachine("stumps").fit(X, y, np.ones(len(y)), groups=groups)
    plain = SetCoveringMachine("stumps").fit(X, y, groups=groups)
    assert weighted.certificate_ == plain.certificate_


def test_coin_groups_are_groups(rng):
    X, y, groups = coin_groups(rng, 5, 3)
    assert all(len(np.unique(y[groups == g])) == 1 for g in range(5))
    assert len(X) == 15
