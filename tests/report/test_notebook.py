"""A machine at the end of a notebook's cell shows its rule, its limit and its menu."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from handful import BoundSearch, CertifiedClassifier, SetCoveringMachine
from handful.bounds import percent_text
from tests.report.conftest import CASES

COLOUR = re.compile(r"(?:^|[;\s])(?:color|background|background-color):\s*([^;']+)")


class Balance(HTMLParser):
    """Checks that tags nest."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("br", "input", "img", "meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def own_part(machine):
    """What stands under scikit-learn's diagram."""
    whole = machine._repr_html_()
    assert machine._repr_mimebundle_()["text/html"].endswith(machine._fitted_html())
    assert whole.endswith(machine._fitted_html())
    return machine._fitted_html()


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_machine_shows_its_rule_and_its_certificate(fitted, name):
    machine = fitted(name)[0]
    text = own_part(machine)
    reader = Balance()
    reader.feed(text)
    assert reader.open == []
    for line in machine.fitted_.sentences()[:3]:
        assert html.escape(line) in text
    assert html.escape(machine.certificate_.statement()) in text
    styles = re.findall(r"style='([^']*)'", text)
    found = [colour for style in styles for colour in COLOUR.findall(style)]
    assert len(found) >= 2
    # see-through or inherited: ink of the notebook stays readable, light or dark
    assert all(colour == "inherit" or colour.startswith("rgba(") for colour in found)


@pytest.mark.parametrize("name", ["menu", "stumps"])
def test_a_menu_shows_all_its_rows(fitted, name):
    machine = fitted(name)[0]
    text = own_part(machine)
    rows = re.findall(r"<tr>(.*?)</tr>", text.rsplit("<table>", 1)[1])
    assert len(rows) == 1 + len(machine.candidates_)
    for risk, row in zip(machine.menu_risks_.tolist(), rows[1:], strict=True):
        assert percent_text(risk, is_padded=True) in row
    assert sum("(chosen)" in row for row in rows) == 1


def test_an_unfitted_machine_shows_none_of_it():
    for machine in (SetCoveringMachine(), CertifiedClassifier()):
        assert machine._fitted_html() == ""


def test_a_caution_stands_before_the_certificate(rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    text = own_part(CertifiedClassifier(["one rule"]).fit(X, y))
    assert 0 < text.index("too few examples") < text.index("With 95 % confidence, the")


def test_a_search_shows_its_best_machine(rng):
    X = rng.normal(size=(80, 2))
    search = BoundSearch(SetCoveringMachine("stumps", candidates=None), {"penalty": [1.0, 2.0]})
    search.fit(X, X[:, 0] > 0)
    text = own_part(search)
    assert html.escape(search.fitted_.sentences()[0]) in text
    assert html.escape(search.certificate_.statement()) in text
