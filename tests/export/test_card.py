"""The card decides and computes as the library does, and is one page that asks for nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_model, save_model
from handful.export import export_card
from handful.tables import read_study
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
    assert [None if k is None else classes[k] for k, *_ in found] == wanted
    assert len(set(wanted)) >= 2
    names = list(columns)
    said = [tuple(sorted(names[k] for k in gone)) for _, _, gone, _ in found]
    assert said == [tuple(sorted(gone)) for gone in model.missing(frame)]
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
