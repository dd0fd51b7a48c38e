"""The page is whole, self-contained HTML that keeps what the data say as text."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from handful import SetCoveringMachine
from handful.report import render_report
from tests.report.conftest import CASES

ABSENT = {
    "menu": {"path"},
    "menu of three": {"path"},
    "svm": {"menu", "rule", "path"},
    "boosting": {"menu", "path", "examples"},
    "pursuit": {"menu", "rule", "path"},
}
VOID = {"meta", "br", "link", "img", "use", "path"}
SECTIONS = [
    "statement",
    "rule",
    "menu",
    "price",
    "path",
    "errors",
    "plane",
    "examples",
    "assumed",
    "recheck",
]


class Reader(HTMLParser):
    """Checks that tags nest, and collects tags, identifiers and text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        is_data = tag == "script" and facts.get("type") == "application/json"
        self.tags.append("data" if is_data else tag)
        self.ids += [facts["id"]] if "id" in facts else []
        self.links += [v for k, v in attrs if k in ("href", "src", "xlink:href", "action")]
        assert not any(name.startswith("on") for name in facts), "no handlers in tags"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def _read(page):
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_machine_has_a_page(fitted, name):
    machine, X, y = fitted(name)
    page = render_report(machine, X, y, title=f"About {name}", include_rows=True)
    reader = _read(page)
    found = [i for i in reader.ids if i in SECTIONS]
    absent = ABSENT.get(name, set())
    assert found == [section for section in SECTIONS if section not in absent]
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert reader.tags.count("script") == 1
    assert reader.tags.count("data") == 1  # the claim, which no browser runs


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", sorted(CASES))
def test_no_training_row_is_shown_unless_asked_for(fitted, name):
    machine, X, y = fitted(name)
    found = _read(render_report(machine, X, y)).ids
    assert {"plane", "examples"}.isdisjoint(found)


@pytest.mark.parametrize("name", ["stumps", "menu"])
def test_counts_give_the_same_table_as_rows(fitted, name):
    """A page that gets no rows shows right and wrong as the menu counted them."""
    machine, X, y = fitted(name)
    pages = (render_report(machine, X, y), render_report(machine, y=y))
    tables = [re.search(r'<table class="confusion">.*?</table>', page, re.S)[0] for page in pages]
    assert tables[0] == tables[1]
    assert 'id="errors"' in render_report(machine)


def test_words_of_the_data_stay_words(fitted):
    evil = "</script><script>alert(1)</script>\"'&"
    _, X, _ = fitted("stumps")
    frame = pd.DataFrame(X, columns=[f"{evil}{k}" for k in range(X.shape[1])])
    y = np.where(X[:, 0] > np.median(X[:, 0]), evil, f"not {evil}")
    machine = SetCoveringMachine(rules="stumps", candidates=None).fit(frame, y)
    page = render_report(machine, frame, y, title=evil, data_notes=[evil], provenance={evil: evil})
    reader = _read(page)
    assert reader.tags.count("script") == 1
    assert reader.tags.count("data") == 1  # the claim, which no browser runs
    assert "".join(reader.text).count(evil) > 10


def test_the_same_machine_gives_the_same_page(fitted):
    machine, X, y = fitted("list")
    assert render_report(machine, X, y) == render_report(machine, X, y)


def test_title_notes_and_provenance_are_shown(fitted):
    machine, X, y = fitted("stumps")
    page = render_report(
        machine, X, y, title="My title", data_notes=["two notes"], provenance={"seed": 7}
    )
    for text in ("<h1>My title</h1>", "two notes", "<dt>seed</dt><dd>7</dd>"):
        assert text in page
    assert "<h1>SetCoveringMachine</h1>" in render_report(machine, X, y)


def test_the_command_that_checks_again_names_the_column(fitted):
    machine, X, y = fitted("stumps")
    assert "handful verify MODEL DATA --target COLUMN<" in render_report(machine, X, y)
    page = render_report(
        machine,
        X,
        y,
        provenance={"target": "a b; rm"},
        model_file="out/my model.json",
        data_file="-odd.csv",
    )
    command = "handful verify 'out/my model.json' ./-odd.csv --target 'a b; rm'<"
    assert command.replace("'", "&#39;") in page


def test_rows_are_numbered_as_predict_numbers_them(fitted):
    machine, X, y = fitted("stumps")
    page = render_report(machine, X, y, include_rows=True)
    assert "Rows count from 1, as in" in page
    table = page[page.index('id="kept"') :]
    shown = re.findall(r'<tr><td class="n">(\d+)</td>', table)
    assert sorted(map(int, shown)) == [int(e) + 1 for e in sorted(machine.compression_set_)]
