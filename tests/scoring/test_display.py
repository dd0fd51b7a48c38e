"""The picture of a score card."""

import matplotlib
import pytest

from handful import CertifiedClassifier, ScoreCard, ScoreCardDisplay, load_dataset

matplotlib.use("Agg")


def test_items_and_certified_limits_are_drawn():
    X, y = load_dataset("breastw").named()
    menu = CertifiedClassifier(["score card"]).fit(X, y).choose("score card")
    display = ScoreCardDisplay.from_estimator(menu).plot()
    items = display.items()
    card = menu.fitted_.machine
    ranges = [part for _, parts in card.asked(menu.fitted_.words) for part in parts]
    assert [points for _, points in items] == [points for _, points in ranges]
    assert len(items) >= len(card.asked(menu.fitted_.words))
    cells = display.axes_[0].tables[0].get_celld()
    assert len(cells) == 2 * (len(items) + 2)
    assert len(display.axes_[1].collections) == len(menu.probability_table())
    alone = ScoreCardDisplay.from_estimator(ScoreCard(max_items=3).fit(X, y)).plot()
    assert alone.table is None
    assert not alone.axes_[1].collections


def test_other_forms_are_refused():
    X, y = load_dataset("haberman-294").named()
    with pytest.raises(TypeError, match=r"Call choose\('score card'\)"):
        ScoreCardDisplay.from_estimator(CertifiedClassifier(["one rule"]).fit(X, y))
