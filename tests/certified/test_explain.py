import numpy as np
import pytest

from handful import CertifiedClassifier, load_dataset

DATA = load_dataset("haberman-294")


@pytest.fixture(scope="module")
def machine():
    forms = ["constant", "one rule", "score card", "linear", "additive", "prototypes"]
    return CertifiedClassifier(forms).fit(DATA.X, DATA.y)


def test_the_menu_shows_every_row_and_never_less_than_the_certificate(machine):
    lines = machine.explain().splitlines()
    shown = {}
    for line in lines[1 : 1 + len(machine.menu_risks_)]:
        shown[line[5:].split("  ")[0].strip()] = float(line.split()[-1])
    assert set(shown) == set(machine.menu_.index)
    for name, value in shown.items():
        assert value >= machine.menu_["certificate"][name]
        assert value < machine.menu_["certificate"][name] + 0.0011
    assert sum(line.startswith("→") for line in lines) == 1


def test_the_chosen_classifier_is_printed_in_full(machine):
    for name in machine.menu_.index:
        other = machine.choose(name)
        text = other.explain()
        assert f"Chosen: {name}" in text
        for sentence in other.fitted_.sentences():
            assert sentence in text
        assert "With 95 % confidence" in text


def test_rules_as_a_frame(machine):
    card = machine.choose("score card").get_rules()
    assert list(card.columns) == ["form", "condition", "label", "value"]
    assert (card["value"] == np.round(card["value"])).all()
    assert len(machine.choose("linear").get_rules()) == 3
    rules = machine.choose("one rule").get_rules()
    assert rules["condition"].tolist()[-1] == ""
    assert len(machine.choose("constant").get_rules()) == 1
    for name in ("additive", "prototypes"):
        assert len(machine.choose(name).get_rules()) >= 1
