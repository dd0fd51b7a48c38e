"""The card decides and computes as the library does, and is one page that asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import (
    AdaBoost,
    CertifiedClassifier,
    DecisionListMachine,
    ScoreCard,
    SetCoveringMachine,
    SupportVectorMachine,
    load_model,
    save_model,
)
from handful.cli import app
from handful.export import export_card
from handful.models import (
    Condition,
    Constant,
    LinearScore,
    Rule,
    RuleList,
    RuleSet,
    Thresholded,
    Vote,
)
from handful.models import Fitted as FittedForm
from handful.tables import Column, Columns, read_study
from tests.export.test_form_export import CHOICES, raw_table

FORMS = ("one rule", "rule list", "rule set", "score card", "linear", "sparse linear", "additive")
RUNNER = """
const fs = require("fs"), vm = require("vm");
const [script, cases] = JSON.parse(fs.readFileSync(0, "utf8"));
const context = vm.createContext({});
vm.runInContext(script, context);
const found = cases.map((cells) => context.answer(cells));
console.log(JSON.stringify(found.map((a) => [a.label, a.risk, a.gone, a.lines.map((l) => l[0])])));
"""


def script_of(page):
    (script,) = re.findall(r"<script>(.*)</script>", page, flags=re.DOTALL)
    return script


def plain_of(page):
    return json.loads(re.search(r"^const CARD = (.*);$", script_of(page), flags=re.MULTILINE)[1])


def in_node(page, cases):
    """What the page's own function answers."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: install it to evaluate the page's script")
    run = subprocess.run(
        [node, "-e", RUNNER],
        input=json.dumps([script_of(page), cases]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(run.stdout)


def cuts_in(document):
    """All numbers that a form compares with, or puts for missing ones, from its document."""
    if isinstance(document, list):
        return [cut for part in document for cut in cuts_in(part)]
    if not isinstance(document, dict):
        return []
    own = [np.ravel(document[name]) for name in ("cut", "cuts", "fill") if document.get(name)]
    return [*np.concatenate([[], *own]), *cuts_in(list(document.values()))]


def random_cases(page, fitted, n, rng):
    """Cells by field: missing ones, numbers at cuts and beside them, words and other words."""
    near = np.array([*cuts_in(fitted.to_document()), 0.0, 50.0])
    near = np.concatenate([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
    columns = {}
    for field in plain_of(page)["fields"]:
        if field["kind"] == "number":
            marks = np.array(field["marks"] or [1.0])
            kind = rng.integers(4, size=n)
            values = np.choose(
                kind,
                [rng.choice(near, n), rng.normal(50, 30, n), rng.integers(-5, 99, n),
                 rng.choice(marks, n)],
            )  # fmt: skip
            is_gone = rng.random(n) < 0.2
            cells = [None if k else float(v) for v, k in zip(values, is_gone, strict=True)]
        else:
            words = [*field["words"], "no such word", None]
            cells = [words[k] for k in rng.integers(len(words), size=n)]
        columns[field["name"]] = cells
    return columns


def check_equal(model, page, n, rng):
    columns = random_cases(page, model.fitted, n, rng)
    cases = [list(cells) for cells in zip(*columns.values(), strict=True)]
    found = in_node(page, cases)
    frame = pd.DataFrame(columns)
    wanted = [None if label is None else str(label) for label in model.decide(frame)]
    classes = [str(label) for label in model.classes]
    # counted, not compared as lists: the difference of two long lists takes minutes to print
    told = [None if k is None else classes[k] for k, *_ in found]
    n_other = sum(one != other for one, other in zip(told, wanted, strict=True))
    assert n_other == 0
    assert len(set(wanted)) >= 2
    names = list(columns)
    said = [tuple(sorted(names[k] for k in gone)) for _, _, gone, _ in found]
    lacks = [tuple(sorted(gone)) for gone in model.missing(frame)]
    n_other = sum(one != other for one, other in zip(said, lacks, strict=True))
    assert n_other == 0
    risks = model.risks(frame)
    if risks is None:
        assert all(risk is None for _, risk, _, _ in found)
    else:
        np.testing.assert_allclose([risk for _, risk, _, _ in found], risks, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Every readable form of two classes, from a raw table with words, marks and quotes."""
    frame = raw_table(np.random.default_rng(4))
    machine = CertifiedClassifier(list(FORMS)).fit(read_study(frame, CHOICES))
    out, folder = {}, tmp_path_factory.mktemp("models")
    for name in machine.menu_.index:
        path = folder / f"{name}.json"
        save_model(machine.choose(name), path)
        out[name] = load_model(path)
    return out


@pytest.mark.parametrize("name", FORMS)
def test_it_says_what_predict_says(name, models, rng):
    check_equal(models[name], export_card(models[name]), 1500, rng)


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORMS)
def test_it_says_what_predict_says_of_very_many_cases(name, models, rng):
    check_equal(models[name], export_card(models[name]), 100_000, rng)


def test_the_comparison_sees_one_changed_sign(models, rng):
    page = export_card(models["score card"])
    changed = re.sub(r"(x\d+) >= ", r"\1 > ", page)
    assert changed != page
    with pytest.raises(AssertionError):
        check_equal(models["score card"], changed, 1500, rng)


def _fitted(machine, columns, classes=("well", "ill")):
    return FittedForm("form", Columns(columns), classes, machine)


class Holder:
    """What has a classifier and labels, as every machine of the library."""

    certificate_ = None

    def __init__(self, fitted):
        self.fitted_, self.labels_ = fitted, np.array(fitted.classes)


MACHINES = {
    "votes of stumps": AdaBoost(n_rounds=8),
    "stumps": SetCoveringMachine("stumps"),
    "list": DecisionListMachine("stumps"),
    "half-spaces": CertifiedClassifier(["half-spaces"]),
}


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_machines_say_on_the_card_what_they_predict(name, tmp_path, rng):
    X = pd.DataFrame(rng.normal(size=(160, 3)).round(1), columns=["a", "b", "c"])
    y = np.where(X["a"] - X["b"] + 0.3 * rng.normal(size=160) > 0, "ill", "well")
    save_model(MACHINES[name].fit(X, y), tmp_path / "m.json", data=(X, y))
    model = load_model(tmp_path / "m.json")
    columns = rng.normal(size=(1000, 3)).round(1)
    columns[rng.random(columns.shape) < 0.2] = np.nan
    frame = pd.DataFrame(columns, columns=list(X))[list(model.needs)].drop_duplicates()
    cases = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    found = in_node(export_card(model), cases)
    assert [model.classes[label] for label, *_ in found] == model.decide(frame).tolist()
    assert {label for label, *_ in found} == {0, 1}


def test_a_sum_that_needs_all_its_values_is_undecided_without_one():
    machine = Thresholded(LinearScore(((1.0, -2.0),), (0.5,), ()), 0.25)
    page = export_card(Holder(_fitted(machine, (Column("a"), Column("b")))))
    found = in_node(page, [[1.0, 0.0], [1.0, None], [None, None], [0.0, 1.0]])
    assert [label for label, *_ in found] == [1, None, None, 0]
    assert [gone for _, _, gone, _ in found] == [[], [1], [0, 1], []]


def test_a_score_in_doubt_has_no_label(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)).round(1), columns=["a", "b", "c"])
    y = np.where(X["a"] - X["b"] + rng.normal(size=400) > 0, "ill", "well")
    machine = CertifiedClassifier(["score card", "linear"]).fit(X, y).choose("linear")
    band = next(band for band in machine.bands() if band.width > 0.2)
    save_model(machine, tmp_path / "m.json", band=band)
    model = load_model(tmp_path / "m.json")
    cases = X.drop_duplicates()[list(model.needs)]
    labels = [label for label, *_ in in_node(export_card(model), cases.to_numpy().tolist())]
    wanted = [None if v is None else list(model.classes).index(v) for v in model.decide(cases)]
    assert labels == wanted
    assert None in wanted
    assert {0, 1} < {*wanted}


def test_a_constant_says_the_same_always():
    page = export_card(Holder(_fitted(Constant(1), (Column("a"),))))
    assert plain_of(page)["fields"] == []
    assert in_node(page, [[]]) == [[1, None, [], [True]]]


def test_rules_of_numbers_that_a_user_calls_missing():
    rules = RuleSet((Rule((Condition.on(0, "<", 5.0),), 1),), default=0)
    page = export_card(Holder(_fitted(rules, (Column("lab", marks=("-999", "gone")),))))
    found = in_node(page, [[-999.0], [4.9], [5.0], [None]])
    assert [(label, gone) for label, _, gone, _ in found] == [(0, [0]), (1, []), (0, []), (0, [0])]


def test_it_is_small_and_asks_for_nothing(models):
    for name, model in models.items():
        page = export_card(model)
        assert len(page.encode()) < 100_000, name
        digest = base64.b64encode(hashlib.sha256(script_of(page).encode()).digest()).decode()
        assert (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
        )
        assert not re.search(r"https?:|src=|@import|url\(", page)


def test_it_names_the_columns_of_the_rule_and_no_others(models):
    page, used = export_card(models["one rule"]), set(models["one rule"].needs)
    assert {field["name"] for field in plain_of(page)["fields"]} == used
    others = {"age", "crp, mg/l", "stage", "colour", "site", "lab", "day", "class"} - used
    assert len(others) >= 6
    for name in others:
        assert not re.search(rf"[\">]{re.escape(name)}[\"<]", page)


def test_names_and_words_cannot_end_the_script():
    evil = "</script><script>alert(1)</script>\u202e"
    rules = RuleList((Rule((Condition.on(0, ">=", 0.5),), 1),), default=0)
    column = Column(evil, kind="category", words=(evil,))
    page = export_card(Holder(_fitted(rules, (column,), ("well", evil))))
    assert page.count("<script") == 1
    assert "\u202e" not in page
    assert "alert(1)" in page


def test_what_a_card_cannot_show_is_refused(models):
    rules = RuleList((Rule((Condition.on(0, ">=", 0.5),), 1),), default=0)
    with pytest.raises(ValueError, match="column 'day' holds dates, which a card does not read"):
        export_card(Holder(_fitted(rules, (Column("day", kind="date"),))))
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    with pytest.raises(ValueError, match="two classes to be a card, got 3"):
        export_card(CertifiedClassifier(["one rule"]).fit(X, y))
    with pytest.raises(ValueError, match="hold no training rows to be a card"):
        export_card(SupportVectorMachine("rbf", gamma=0.5).fit(X, y > 0))
    with pytest.raises(ValueError, match="lines that a reader can work through"):
        export_card(Holder(_fitted(Vote((Constant(0),)), (Column("a"),))))
    with pytest.raises(TypeError, match="must be a model or a fitted classifier"):
        export_card("model.json")


def test_the_command_writes_it(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 2)).round(1)
    machine = ScoreCard(max_items=2).fit(X, np.where(X[:, 0] > 0, "ill", "well"))
    save_model(machine, tmp_path / "m.json")
    words = ["export", str(tmp_path / "m.json"), "--to", "card", "--out", str(tmp_path / "c.html")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / "c.html").read_text(encoding="utf-8") == export_card(
        load_model(tmp_path / "m.json")
    )
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 1
    assert "--force" in again.stderr
