"""SVG that takes its colours from the page and its words, escaped, from the data."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import pytest

from handful import BoundPathDisplay, RulesDisplay
from handful.report.page_pictures import draw_svg


@dataclass
class Hostile:
    """A display whose words come from somebody who is not a friend."""

    text: str

    def plot(self, ax):
        ax.plot([0, 1], [0, 1], label=self.text)
        ax.set_xlabel(self.text)
        ax.legend()


def _parse(svg):
    return ElementTree.fromstring(svg.replace("xlink:href", "href"))


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", "$x^{$", "a & b", "]]><b>", '#010203 url(#x) id="y"', "漢字"],
)
def test_words_are_escaped_and_kept(text):
    svg = draw_svg(Hostile(text), name="p", title=text)
    assert "<script" not in svg
    root = _parse(svg)
    words = ["".join(node.itertext()) for node in root.iter("text")]
    assert words.count(text) == 2
    assert root.find("title").text == text


def test_colours_come_from_the_page(fitted):
    machine, X, y = fitted("list")
    plane = RulesDisplay.from_estimator(machine, X, y)
    for display in (BoundPathDisplay.from_estimator(machine), plane):
        svg = draw_svg(display, name="p", title="t")
        assert "var(--ink)" in svg
        assert "var(--series-0)" in svg
        assert "#0102" not in svg
        assert not set(re.findall(r"#[0-9a-f]{6}\b", svg)) - {"#ffffff", "#808080"}


def test_identifiers_carry_the_name_and_exist(fitted):
    machine, _, _ = fitted("stumps")
    svg = draw_svg(BoundPathDisplay.from_estimator(machine), name="one", title="t")
    names = re.findall(r'\sid="([^"]+)"', svg)
    assert len(names) == len(set(names))
    assert all(name.startswith("one-") for name in names)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', svg)
    assert used
    assert set(used) <= set(names)


def test_the_same_picture_twice_is_the_same_text(fitted):
    machine, X, y = fitted("stumps")
    texts = {
        draw_svg(RulesDisplay.from_estimator(machine, X, y), name="p", title="t") for _ in range(2)
    }
    assert len(texts) == 1
