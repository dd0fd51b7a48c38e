"""The report in a real browser: it renders, sorts, darkens, prints, and runs nothing from data."""

from __future__ import annotations

import io
import os

import numpy as np
import pandas as pd
import pytest

from handful import DecisionListMachine, SetCoveringMachine
from handful.datasets import make_axis_rules
from handful.report import render_report
from tests.report.browser import luminance
from tests.report.conftest import CASES

pytestmark = pytest.mark.thorough

EVIL = "<script>document.title='owned'</script>"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
IMAGE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A machine on hostile names: features, labels, title, notes."""
    X, codes = make_axis_rules(160, random_state=0)
    names = [EVIL, IMAGE, "a & b", "$x^{$", *(f"f{k}" for k in range(X.shape[1] - 4))]
    frame = pd.DataFrame(X, columns=names[: X.shape[1]])
    y = np.where(codes > 0, EVIL, "'\"</style>")
    machine = SetCoveringMachine(rules="stumps", candidates=None, random_state=0).fit(frame, y)
    text = render_report(
        machine,
        frame,
        y,
        include_rows=True,
        title=f"A title {EVIL}",
        data_notes=[IMAGE],
        provenance={EVIL: IMAGE, "file": "a.csv"},
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def _pixels(png):
    from matplotlib import image

    return image.imread(io.BytesIO(png), format="png")


@pytest.fixture
def opened(browser, page):
    browser.prefer("light")
    browser.open(page)
    return browser


def test_it_renders_without_a_word_from_the_console(opened):
    assert opened.console == []
    assert (
        len(opened.run("[...document.querySelectorAll('section h2')].map(h => h.textContent)")) >= 7
    )
    assert opened.run("document.querySelectorAll('figure.picture svg path').length") > 10
    pictures = "[...document.querySelectorAll('figure.picture svg')]"
    assert min(opened.run(f"{pictures}.map(s => s.getBoundingClientRect().height)")) > 100
    assert opened.run(OVERFLOW) <= 0


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_machine_renders_on_screens_wide_and_narrow(browser, tmp_path, fitted, name):
    machine, X, y = fitted(name)
    path = tmp_path / "report.html"
    path.write_text(render_report(machine, X, y, include_rows=True), encoding="utf-8")
    browser.open(path)
    for width in (1100, 380):
        browser.resize(width, 800)
        assert browser.run(OVERFLOW) <= 0
    assert browser.console == []


def test_it_asks_for_nothing_but_itself(opened, page):
    assert opened.requests == [page.as_uri()]


def test_nothing_from_the_data_runs(opened):
    assert opened.run("document.title").startswith("A title <script>")
    running = "[...document.scripts].filter(s => s.type !== 'application/json').length"
    assert opened.run(running) == 1
    assert opened.run("document.images.length") == 0
    assert EVIL in opened.run(
        "document.querySelector('#rule').textContent + document.body.textContent"
    )
    assert EVIL in opened.run("document.querySelector('#errors').textContent")
    assert IMAGE in opened.run("document.querySelector('#statement').textContent")  # a note


def test_even_a_planted_script_does_not_run(browser, page, tmp_path):
    """The policy of the page allows its own script by hash; any other is refused."""
    planted = tmp_path / "planted.html"
    text = page.read_text(encoding="utf-8")
    planted.write_text(text.replace("</main>", f"{EVIL}{IMAGE}</main>"), encoding="utf-8")
    browser.open(planted)
    assert browser.run("document.title").startswith("A title")
    assert any("Content Security Policy" in line for line in browser.console)


def test_tables_sort_by_their_headings(opened):
    read = (
        "[...document.querySelectorAll('#path table tbody tr')]"
        ".map(r => Number(r.cells[r.cells.length - 1].textContent))"
    )
    click = "document.querySelector('#path thead th:last-child button').click()"
    opened.run(click)
    values = opened.run(read)
    assert len(values) > 3
    assert values == sorted(values)
    assert opened.run("document.querySelector('#path th:last-child').ariaSort") == "ascending"
    opened.run(click)
    assert opened.run(read) == sorted(values, reverse=True)
    words = "[...document.querySelectorAll('#path tbody tr')].map(r => r.cells[1].textContent)"
    opened.run("document.querySelector('#path thead th:nth-child(2) button').click()")
    found = opened.run(words)
    assert found == sorted(found)


def test_numbers_sort_as_numbers_and_missing_values_stay_last(browser, tmp_path, rng):
    x = rng.normal(size=(60, 2)) * 50
    x[:4, 1] = np.nan
    y = np.where(x[:, 0] > 0, "yes", "no")
    machine = DecisionListMachine(max_rules=1, random_state=0).fit(x, y)
    path = tmp_path / "numbers.html"
    path.write_text(render_report(machine, x, y, include_rows=True), encoding="utf-8")
    browser.open(path)
    column = browser.run("document.querySelectorAll('#kept thead th').length")
    read = (
        "[...document.querySelectorAll('#kept tbody tr')]"
        f".map(r => r.cells[{column - 1}].textContent)"
    )
    for is_up in (True, False):
        browser.run(f"document.querySelectorAll('#kept thead button')[{column - 1}].click()")
        cells = browser.run(read)
        numbers = [float(cell) for cell in cells if cell != "–"]
        assert numbers == sorted(numbers, reverse=not is_up)
        assert "–" not in cells[: len(numbers)]


def test_the_page_computes_its_own_certificate_again(opened):
    assert "as stated" in opened.run("document.getElementById('tail').textContent")
    assert opened.run("document.getElementById('tail').className") == "check good"


def test_the_page_notices_a_changed_risk(browser, page, tmp_path):
    text = page.read_text(encoding="utf-8")
    start = text.index('data-risk="') + len('data-risk="')
    end = text.index('"', start)
    better = repr(float(text[start:end]) * 0.99)
    altered = tmp_path / "altered.html"
    altered.write_text(text[:start] + better + text[end:], encoding="utf-8")
    browser.open(altered)
    assert browser.run("document.getElementById('tail').className") == "check bad"


def _background(browser):
    return browser.run("getComputedStyle(document.body).backgroundColor")


def test_dark_mode_follows_the_system_and_the_button(browser, page):
    browser.prefer("light")
    browser.open(page)
    light, bright = _background(browser), _pixels(browser.screenshot()).mean()
    browser.run("document.getElementById('theme').click()")
    dark, dim = _background(browser), _pixels(browser.screenshot()).mean()
    assert dark != light
    assert dim < bright / 2
    browser.prefer("dark")
    browser.open(page)
    assert _background(browser) == dark
    text = "getComputedStyle(document.querySelector('figure.picture svg text')).fill"
    ink = "getComputedStyle(document.body).color"
    assert _lightness(browser.run(text)) > 100
    assert _lightness(browser.run(ink)) > 200
    browser.run("document.getElementById('theme').click()")
    assert _background(browser) == light
    assert _lightness(browser.run(text)) < 130
    assert browser.console == []


def _lightness(colour):
    return np.mean([float(part) for part in colour.strip("rgba()").split(",")[:3]])


def test_print_is_light_and_unfolds(browser, page):
    browser.prefer("dark", media="print")
    browser.open(page)
    assert _lightness(_background(browser)) > 240
    assert browser.run("getComputedStyle(document.querySelector('header.top')).display") == "none"
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run("[...document.querySelectorAll('details')].every(d => d.open)")
    browser.prefer("light")


def test_it_fits_a_telephone(opened):
    opened.resize(380, 800)
    assert opened.run(OVERFLOW) <= 0


def test_a_screenshot_shows_something(browser, page):
    browser.prefer("light")
    browser.open(page)
    png = browser.screenshot()
    folder = os.environ.get("HANDFUL_SCREENSHOTS")
    if folder:
        with open(os.path.join(folder, "report.png"), "wb") as file:
            file.write(png)
    pixels = _pixels(png)[..., :3]
    assert pixels.shape[:2] == (3000, 1100)
    assert pixels.std() > 0.05
    coloured = np.ptp(pixels, axis=2) > 0.3
    assert coloured.mean() > 0.005


def test_contrast_of_text_is_readable(browser, page):
    """WCAG AA: 4.5 to 1 for ink and muted text on the card, in both schemes."""
    probe = (
        "(name => { const d = document.createElement('i'); d.style.color = `var(--${name})`;"
        "document.body.append(d); const c = getComputedStyle(d).color; d.remove(); return c; })"
    )
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(page)
        card = luminance(browser.run(f"{probe}('card')"))
        for name in ("ink", "muted", "accent", "good", "bad"):
            ink = luminance(browser.run(f"{probe}('{name}')"))
            high, low = max(card, ink), min(card, ink)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (scheme, name)
