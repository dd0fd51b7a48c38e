"""Most items, most points, and columns that every score card must ask for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from handful import CertifiedClassifier, ScoreCard, save_model
from handful.files import Retraining
from handful.files.document import to_text
from handful.scoring import integer_points, make_items, make_task, support_path
from handful.tables import read_study
from handful.verify import verify_model

CARDS = ("score card", "short score card", "other score card")


def draw(rng, n=300):
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=["a", "b", "c", "noise"])
    X["site"] = rng.choice(["north", "south"], n)
    ill = X["a"] - X["b"] + 0.5 * X["c"] + 0.7 * rng.normal(size=n) > 0
    return X, np.where(ill, "ill", "well")


def cards_of(machine):
    return [one.fitted for one in machine.candidates_ if one.fitted.form in CARDS]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("max_items", "max_points"), [(2, 1), (3, 2), (6, 3)])
def test_no_card_is_larger_than_allowed(max_items, max_points, rng):
    X, y = draw(rng)
    machine = CertifiedClassifier(["score card"], max_items=max_items, max_points=max_points).fit(
        X, y
    )
    cards = cards_of(machine)
    assert cards
    assert max(card.machine.size for card in cards) <= max_items
    # a card turns points around, so that they are positive: an item may add up to twice as much
    for card in cards:
        for item in card.machine.items:
            assert abs(item.points) <= max_points
    assert "the limits of score cards were named" in machine.explain()


@pytest.mark.sample(2)
@pytest.mark.parametrize("asked", [["noise"], ["site", "noise"], ["a"]])
def test_every_card_asks_what_it_must(asked, rng):
    X, y = draw(rng)
    machine = CertifiedClassifier(["score card"], columns={"must_ask": asked}).fit(X, y)
    cards = cards_of(machine)
    assert len(cards) > 1
    for card in cards:
        assert set(asked) <= set(card.uses)
    refit = machine.refit(X, y)
    assert set(asked) <= set(refit.fitted.uses)
    free = CertifiedClassifier(["score card"]).fit(X, y)
    assert not any("noise" in card.uses for card in cards_of(free)[:1])


def test_a_score_card_asks_what_it_must(rng):
    X, y = draw(rng)
    card = ScoreCard(4, columns={"must_ask": "noise"}).fit(X, y)
    assert "noise" in card.fitted_.uses
    assert "noise" not in ScoreCard(4).fit(X, y).fitted_.uses


def test_the_curve_of_a_forced_item_is_the_best_one(rng):
    """An item without a signal gets one point, and scale and offset fit the new totals."""
    X = rng.normal(size=(250, 3))
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=250) > 0).astype(float)
    items = make_items(X)
    asked = np.flatnonzero(items.features == 2)
    task = make_task(items, y, asked=[asked])
    *_, support = support_path(task, 3)
    assert set(support.items[:1]) <= set(asked.tolist())
    found = integer_points(task, support)
    assert any(item in asked for item in found.support)
    totals = found.totals(items)

    def loss(curve):
        z = curve[0] * totals + curve[1]
        return float(np.sum(np.logaddexp(0.0, z) - y * z))

    best = minimize(loss, [0.1, 0.0], tol=1e-10)
    assert loss([found.scale, found.offset]) <= best.fun + 0.05


def test_what_cannot_be_is_said(rng):
    X, y = draw(rng)
    with pytest.raises(ValueError, match="`--must-ask` must be a column of the table"):
        CertifiedClassifier(["score card"], columns={"must_ask": ["age"]}).fit(X, y)
    with pytest.raises(ValueError, match="must name columns that are used"):
        CertifiedClassifier(
            ["score card"], columns={"must_ask": ["noise"], "exclude": ["noise"]}
        ).fit(X, y)
    for name in ("max_items", "max_points"):
        with pytest.raises(ValueError, match=f"`{name}` must be at least 1"):
            CertifiedClassifier(**{name: 0}).fit(X, y)
    machine = CertifiedClassifier(
        ["one rule", "score card"], max_items=2, columns={"must_ask": ["a", "b", "noise"]}
    ).fit(X, y)
    assert [(f.name, "at least 3" in f.reason) for f in machine.failures_] == [("score card", True)]
    X["one"] = 1.0
    X.loc[X.index[0], "one"] = 2.0  # so that the column is not dropped as empty of news
    machine = CertifiedClassifier(
        ["one rule", "score card"], columns={"must_ask": ["a"], "decreasing": ["a"]}
    ).fit(X, y)  # the signal rises with it
    (failure,) = machine.failures_
    assert "no item on 'a', which must be asked" in failure.reason


def test_the_re_check_knows_the_limits(rng, tmp_path):
    X, y = draw(rng, 160)
    frame = X.assign(outcome=y)
    machine = CertifiedClassifier(
        ["score card"], max_items=4, max_points=3, columns={"must_ask": ["noise"]}
    ).fit(read_study(frame, _choices()))
    path = tmp_path / "m.json"
    save_model(machine, path)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    import json

    document = json.loads(path.read_text())
    document["training"]["max_points"] = 5
    path.write_text(to_text(document))
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "NOT VALID"


def _choices():
    from handful.tables import Choices

    return Choices(must_ask=("noise",))
