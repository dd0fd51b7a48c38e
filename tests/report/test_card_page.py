"""The card for the ward in a real browser: filled, read, darkened, printed; it asks for nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from handful import export_card
from handful.models import Card, Condition, Fitted, Item, RiskCurve
from handful.tables import Column, Columns
from tests.report.browser import luminance

pytestmark = pytest.mark.thorough

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
PLANTED = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
QUOTED = 'it\'s "blue" <b>'
TEXTS = (
    "[...document.querySelectorAll('#said, #why, #points, #risk, .state, .quiet, label, input')]"
)
#: Lowest contrast of the texts that are seen with what lies behind them.
CONTRASTS = """
(() => {
  const solid = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const back = getComputedStyle(at).backgroundColor;
      if (!/^rgba\\(.*, 0\\)$/.test(back)) return back;
    }
    return "rgb(255, 255, 255)";
  };
  return TEXTS.map((node) => [getComputedStyle(node).color, solid(node)]);
})()
""".replace("TEXTS", TEXTS)


class Machine:
    """A score card of three lines: a number, a word and a place on a scale."""

    certificate_ = None
    labels_ = np.array(["well", "ill"])
    fitted_ = Fitted(
        "score card",
        Columns(
            (
                Column("crp, mg/l"),
                Column("colour", kind="category", words=(QUOTED,)),
                Column("stage", kind="ordered", levels=("I", "II", "III")),
            )
        ),
        ("well", "ill"),
        Card(
            (
                Item(Condition.on(0, ">=", 12.5), 3),
                Item(Condition.on(1, ">=", 0.5), 2),
                Item(Condition.on(2, ">=", 1.0), 1),
            ),
            threshold=4,
        ),
        RiskCurve(0.8, 0.1),
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "card.html"
    path.write_text(export_card(Machine()), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page):
    browser.resize(390, 800)
    browser.prefer("light")
    browser.open(page)
    return browser


def put(browser, field, value):
    """Choose or write a value as a user does."""
    browser.run(
        f"(() => {{ const c = document.getElementById('f{field}'); c.value = {value!r};"
        "c.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def read(browser, place):
    return browser.run(f"document.getElementById('{place}').textContent")


@pytest.mark.parametrize("number", ["", "12.5", "12,4", "-3", ".5"])
@pytest.mark.parametrize("colour", ["", "0", "-1"])
def test_a_case_is_entered_and_the_decision_read(opened, number, colour):
    put(opened, 0, number)
    put(opened, 1, colour)
    put(opened, 2, "1")
    cells = [
        float(number.replace(",", ".")) if number else None,
        {"": None, "0": QUOTED, "-1": "green"}[colour],
        "II",
    ]
    frame = pd.DataFrame([cells], columns=["crp, mg/l", "colour", "stage"])
    fitted = Machine.fitted_
    assert read(opened, "said") == fitted.classes[fitted.labels(frame)[0]]
    points = fitted.machine.points(fitted.rows(frame))[0]
    assert read(opened, "points") == f"Points: {points} (4 or more: ill)"
    risk = f"Estimated risk of ill: {100 * fitted.risks(frame)[0]:.1f} %"
    assert read(opened, "risk") == risk
    states = opened.run("[...document.querySelectorAll('#lines .state')].map(s => s.textContent)")
    met = [item.condition.is_met(fitted.rows(frame))[0] for item in fitted.machine.items]
    assert [state == "met" for state in states] == met
    gone = [name for name, cell in zip(frame.columns, cells, strict=True) if cell is None]
    for name, state in zip(frame.columns, states, strict=True):
        assert (state == f"undecided, not known: {name}") == (name in gone)
    said = read(opened, "why")
    assert said == (
        f"{len(gone)} of 3 values are not known. They may change this decision." if gone else ""
    )
    assert opened.console == []


@pytest.mark.parametrize(("number", "said"), [("20", "above 99.9 %"), ("", "below 0.1 %")])
def test_no_risk_is_said_to_be_nothing_or_certain(browser, tmp_path, number, said):
    class Steep(Machine):
        fitted_ = replace(Machine.fitted_, risk=RiskCurve(50.0, 0.0))

    (tmp_path / "card.html").write_text(export_card(Steep()), encoding="utf-8")
    browser.open(tmp_path / "card.html")
    put(browser, 2, "2")
    put(browser, 0, number)
    assert read(browser, "risk") == f"Estimated risk of ill: {said}"


def test_nothing_is_decided_before_a_case_is_entered(opened):
    assert read(opened, "said") == "Enter a case."
    assert read(opened, "risk") == ""
    put(opened, 0, "20")
    assert read(opened, "said") == "well"
    opened.run("document.getElementById('clear').click()")
    assert read(opened, "said") == "Enter a case."


@pytest.mark.parametrize("text", ["twelve", "1,234", "1.2.3", "0x10", "1e999", "<0.5"])
def test_a_number_that_cannot_be_read_gives_no_decision(opened, text):
    put(opened, 1, "0")
    put(opened, 0, text)
    assert read(opened, "said") == "No decision: mend the marked values."
    assert opened.run("document.getElementById('f0').getAttribute('aria-invalid')") == "true"
    assert read(opened, "e0") != ""
    assert read(opened, "risk") == ""
    put(opened, 0, "1234")
    assert read(opened, "said") == "ill"


def test_it_asks_for_nothing_and_a_planted_script_does_not_run(opened, page, tmp_path):
    assert opened.requests == [page.as_uri()]
    planted = tmp_path / "planted.html"
    text = page.read_text(encoding="utf-8").replace("</main>", f"{PLANTED}</main>")
    planted.write_text(text, encoding="utf-8")
    opened.open(planted)
    assert opened.run("document.title") == "score card: well or ill"
    assert any("Content Security Policy" in line for line in opened.console)


def test_a_keyboard_reaches_every_field_and_every_field_has_a_name(opened):
    fields = "[...document.querySelectorAll('input, select')]"
    names = opened.run(f"{fields}.map(f => f.labels[0].textContent)")
    assert names == ["crp, mg/l", "colour", "stage"]
    seen = []
    for _ in range(8):
        for kind in ("keyDown", "keyUp"):
            opened.call("Input.dispatchKeyEvent", type=kind, key="Tab", windowsVirtualKeyCode=9)
        seen.append(opened.run("document.activeElement.id"))
    assert {"f0", "f1", "f2", "clear", "print", "shade"} <= set(seen)
    assert [name for name in seen if name.startswith("f")] == ["f0", "f1", "f2"]
    assert opened.run("document.querySelector('[role=status]').ariaLive") == "polite"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark_on_a_telephone(opened, scheme):
    opened.prefer(scheme)
    put(opened, 0, "20")
    put(opened, 2, "0")
    pairs = opened.run(CONTRASTS)
    assert len(pairs) > 8
    for ink, paper in pairs:
        low, high = sorted((luminance(ink), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (scheme, ink, paper)
    assert opened.run(OVERFLOW) <= 0


def test_print_leaves_the_rule_and_no_buttons(opened):
    opened.prefer("light", media="print")
    shown = "(id) => document.getElementById(id).getClientRects().length > 0"
    assert opened.run(f"['rule', 'certificate'].every({shown})")
    assert not opened.run(f"['case', 'result', 'print', 'shade'].some({shown})")
    put(opened, 0, "20")
    assert opened.run(f"['case', 'result', 'rule', 'certificate'].every({shown})")
    width = opened.run("document.querySelector('main').getBoundingClientRect().width")
    assert width <= 400
    opened.prefer("light")
