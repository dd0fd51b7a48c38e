"""Pages of studies as they come: several classes, groups, silence, goals."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from typer.testing import CliRunner

from handful import ScoreCard
from handful.cli import app
from handful.scoring import ScoreCardDisplay

runner = CliRunner()


def tables():
    rng = np.random.default_rng(7)
    a, b, c = rng.normal(size=(3, 300)).round(2)
    flip = rng.random(300) < 0.1
    kind = np.where(a > 0.5, "viral", np.where(b > 0, "bacterial", "none of these"))
    kind[flip] = rng.permutation(kind)[flip]
    who = np.repeat(np.arange(60), 3)
    level = rng.normal(size=60)[who]
    late = np.where(level + rng.normal(size=180) > 0, "yes", "no")
    ill = np.where(a + b + 0.6 * rng.normal(size=300) > 0, "ill", "well")
    return {
        "classes": pd.DataFrame({"a": a, "b": b, "c": c, "y": kind}),
        "groups": pd.DataFrame({"who": who, "level": level.round(2), "y": late}),
        "two": pd.DataFrame({"a": a, "b": b, "c": c, "y": ill}),
    }


STUDIES = {
    "classes": ("classes", "--candidates", "one rule,rule list"),
    "groups": ("groups", "--groups", "who", "--candidates", "one rule"),
    "silence": ("two", "--candidates", "linear", "--abstain", "0.45"),
    "goal": ("two", "--candidates", "one rule,linear", "--goal", "sensitivity >= 0.5"),
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("studies"), {}
    for name, frame in tables().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    for name, (table, *words) in STUDIES.items():
        data = str(folder / f"{table}.csv")
        out = ["--out", str(folder / name)]
        made = runner.invoke(app, ["certify", data, "--target", "y", *words, *out])
        assert made.exit_code == 0, made.output
        page = (folder / name / "report.html").read_text(encoding="utf-8")
        checked = runner.invoke(app, ["verify", str(folder / name / "model.json"), data, "--json"])
        listed = runner.invoke(app, ["dossier", *out[1:], "--for", "tripod-ai", "--json"])
        items = {item["item"]: item["text"] for item in json.loads(listed.output)["items"]}
        found[name] = (" ".join(page.split()), json.loads(checked.output), items)
    return found


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_passes_the_re_check(name, studies):
    assert studies[name][1]["status"] == "VALID", studies[name][1]["findings"]


def _pasted(page):
    return " ".join(re.findall(r'<p class="paste"[^>]*>([^<]*)</p>', page))


def test_several_classes_have_a_table_of_errors_and_no_case(studies):
    page, *_ = studies["classes"]
    cells = re.findall(r'<td class="cell (right|wrong) d\d">(\d+) <small>(\d+)</small>', page)
    assert len(cells) == 9
    assert sum(int(n) for _, n, _ in cells) == 300
    wrong = sum(int(n) for kind, _, n in cells if kind == "wrong")
    assert f"called wrongly: {wrong}<" in page
    assert "The case is" not in page


def test_two_classes_say_which_is_the_case(studies):
    assert "The case is ill." in _pasted(studies["silence"][0])


def test_methods_name_what_turned_errors_into_a_limit(studies):
    pasted = {name: _pasted(page) for name, (page, *_) in studies.items()}
    assert "by betting against each larger risk" in pasted["groups"]
    assert "binomial tail" not in pasted["groups"]
    assert "one blindly drawn row of each group" in pasted["groups"]
    assert pasted["classes"].count("by inverting the binomial tail") == 1


def test_groups_are_called_groups(studies):
    page, *_ = studies["groups"]
    assert "<dt>groups counted</dt><dd>30</dd>" in page
    assert "of each group one blindly drawn row was counted" in page


def test_silence_is_stated_where_it_is_counted_among_the_statements(studies):
    page, *_ = studies["silence"]
    assert "the answers outside of doubt" in page
    assert re.search(r"Silent where the score is at most \S+ from the border: \d+ of \d+", page)
    assert "Silent where" not in studies["goal"][0]


def test_a_goal_is_named_and_is_what_chose(studies):
    page, *_ = studies["goal"]
    assert "reaches the goal (sensitivity &gt;= 0.5)" in page
    assert "of those that are certified to reach the goal" in _pasted(page)
    assert "the simplest form whose limit is within" not in _pasted(page)
    assert "the simplest form whose limit is within" in _pasted(studies["silence"][0])


def test_the_checklist_says_of_the_choice_what_the_methods_say(studies):
    assert "of those that are certified to reach the goal" in studies["goal"][2]["12c"]
    assert "of the smallest limit" not in studies["goal"][2]["12c"]
    assert "of the smallest limit" in studies["silence"][2]["12c"]


def test_limits_speak_of_no_probabilities_that_are_not_there(studies):
    page, *_ = studies["silence"]
    assert "The limits within the classes hold together with 95 % confidence.</p>" in page


def test_a_card_of_long_names_stays_within_its_cells(rng):
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=[f"{c}_{'long' * 12}" for c in "abc"])
    y = np.where(
        X.sum(axis=1) + rng.normal(size=120) > 0, "readmitted within thirty days of leaving", "well"
    )
    card = ScoreCard(max_items=2).fit(X, y)
    display = ScoreCardDisplay.from_estimator(card)
    canvas = FigureCanvasAgg(Figure(figsize=(7.2, 3.0), layout="constrained"))
    display.plot(canvas.figure.add_subplot())
    canvas.draw()
    renderer, (table,) = canvas.get_renderer(), display.axes_[0].tables
    for cell in table.get_celld().values():
        text = cell.get_text().get_window_extent(renderer)
        assert text.x1 <= cell.get_window_extent(renderer).x1 + 1.0
