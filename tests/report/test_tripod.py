"""TRIPOD+AI and the paragraphs to paste: every number is the one that stands in the files."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import load_model
from handful.cli import app
from handful.report import page_text, render_tripod
from handful.report.study_texts import filled, study_texts
from handful.report.tripod import counts_of

runner = CliRunner()
TOOL = [
    *(f"12{k}" for k in "abcdefg"),
    "7",
    "13",
    "20a",
    "20b",
    "20c",
    "21",
    "22",
    "23a",
    "23b",
    "24",
]
NAMES = ("model.json", "certificate.json", "evidence.json")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def make_table(path, n=260):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "patient": [f"p-{i:04d}" for i in range(n)],
            "age": rng.integers(20, 95, n),
            "crp": rng.gamma(2.0, 20.0, n).round(1),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    risk = frame["crp"] / 40 + frame["age"] / 60 - 2.4 + rng.normal(0, 0.5, n)
    frame["outcome"] = np.where(risk > 0, "sepsis", "no sepsis").astype(object)
    frame.loc[rng.choice(n, 4, replace=False), "outcome"] = None
    frame.loc[rng.choice(n, 30, replace=False), "crp"] = np.nan
    frame.to_csv(path, index=False)


def certify(folder, *more):
    words = ["certify", str(folder / "t.csv"), "--target", "outcome", "--positive", "sepsis"]
    words += ["--drop-missing-target", "--out", str(folder / "out"), *more]
    made = runner.invoke(app, words)
    assert made.exit_code == 0, made.output
    return {name: json.loads((folder / "out" / name).read_text(encoding="utf-8")) for name in NAMES}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    make_table(folder / "t.csv")
    forms = ["--candidates", "one rule,score card", "--subgroups", "sex"]
    return folder, certify(folder, *forms)


@pytest.fixture(scope="module")
def items(study):
    return render_tripod(study[1], title="a study")[0]


def values_at(value, steps):
    """All values at a path of the files; a slow twin of the fields of a template."""
    for k, step in enumerate(steps):
        if step == "*":
            return [found for entry in value for found in values_at(entry, steps[k + 1 :])]
        value = value[int(step)] if isinstance(value, list) else value[step]
    return [value]


def numbers_in(value):
    """All numbers of a value, also those in its texts; of a list or mapping its length too."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, (int, float)):
        return [float(value)]
    if isinstance(value, str):
        return [float(found) for found in _NUMBER.findall(value)]
    parts = list(value.values()) if isinstance(value, dict) else value
    return [float(len(value)), *(number for part in parts for number in numbers_in(part))]


def is_of(shown, is_percent, found):
    """Whether a printed number is one of those found; what has decimals, but for its last digit."""
    value, (_, _, decimals) = float(shown), shown.partition(".")
    if "e" in shown:
        return any(abs(value - one) <= 1e-5 * abs(one) for one in found)
    unit = (1 + 1e-9) * 10.0 ** -len(decimals) if decimals or is_percent else 1e-9
    near = (abs(value - scale * one) <= unit for one in found for scale in (1.0, 100.0))
    return any(near) or any(abs(value - 100.0 * (1.0 - one)) < 1e-6 for one in found)


def check_sentence(sentence, documents):
    n_numbers = 0
    for piece in sentence.pieces:
        if not piece.source:
            free = piece.text.replace("SHA-256", "").replace("Table 1", "")
            assert not re.search(r"\d", free), f"a number without a source: {piece.text!r}"
            continue
        name, path = piece.source.split(": ")
        values = values_at(documents[name], path.split("."))
        if values == [piece.text]:  # a text as it stands in the file
            n_numbers += bool(re.search(r"\d", piece.text))
            continue
        found = [float(len(values)), *(n for one in values for n in numbers_in(one))]
        for shown in _NUMBER.findall(piece.text):
            n_numbers += 1
            after = piece.text[piece.text.index(shown) + len(shown) :]
            assert is_of(shown, after.startswith(" %"), found), (piece, shown)
    return n_numbers


def test_filled_items_hold_the_numbers_of_the_files(items, study):
    n_numbers = 0
    filled_items = [item for item in items if item.status == "filled"]
    assert sorted(item.item for item in filled_items) == sorted(TOOL)
    for item in filled_items:
        found = sum(check_sentence(sentence, study[1]) for sentence in item.sentences)
        assert found > 0, item.item
        assert item.sources
        n_numbers += found
    assert n_numbers > 100


def test_the_check_sees_a_changed_number(study):
    said = filled("{E:study.flow.n_read} rows, at most {C:risk|limit}.", study[1])
    assert check_sentence(said, study[1]) == 2
    other = json.loads(json.dumps(study[1]))
    other["evidence.json"]["study"]["flow"]["n_read"] += 1
    with pytest.raises(AssertionError):
        check_sentence(said, other)
    with pytest.raises(AssertionError, match="without a source"):
        check_sentence(filled("12 rows", {}), study[1])


def test_drafts_and_pasted_paragraphs_hold_them_too(items, study):
    for item in items:
        for sentence in item.sentences:
            check_sentence(sentence, study[1])
    texts = study_texts(study[1], page_text("study-texts.json"))
    n = sum(check_sentence(one, study[1]) for name in ("methods", "results") for one in texts[name])
    assert n > 20


def test_items_are_filled_drafted_or_asked(items):
    assert len({item.item for item in items}) == len(items) == 52
    assert counts_of(items)["filled"] == 17
    for item in items:
        assert item.status == "filled" or item.question.endswith((".", "?"))
        assert (item.status == "asked") == (not item.sentences)


def test_the_flow_adds_up(study):
    flow = study[1]["evidence.json"]["study"]["flow"]
    assert flow["n_read"] == 260
    assert flow["n_without_label"] == 4
    assert flow["taught"]["n_rows"] + flow["tested"]["n_rows"] == flow["n_labelled"] == 256
    counts = study[1]["evidence.json"]["counts"]
    wrong = flow["tested"]["errors_by_class"]
    assert wrong["sepsis"] == counts["cases_missed"]
    assert wrong["no sepsis"] == counts["others_flagged"]
    certificate = study[1]["certificate.json"]
    assert flow["tested"]["n_errors"] == certificate["n_errors"]
    assert flow["taught"]["n_rows"] == certificate["n_compressed"]


def test_the_specification_is_the_rule_of_the_model(items, study):
    lines = load_model(study[0] / "out" / "model.json").fitted.sentences()
    said = next(item for item in items if item.item == "22")
    assert str(said.sentences[0]).startswith("\n".join(lines))


def test_a_file_without_a_number_leaves_its_item_open(study):
    poor = json.loads(json.dumps(study[1]))
    poor["evidence.json"]["study"]["flow"] = {}
    poor["evidence.json"]["study"]["table_one"] = None
    found = {item.item: item for item in render_tripod(poor, title="x")[0]}
    for name in ("20a", "20b", "20c", "21"):
        assert found[name].status == "asked"
        assert found[name].question


def test_the_command_writes_both_files(study):
    folder = study[0]
    words = ["dossier", str(folder / "out"), "--for", "tripod-ai"]
    made = runner.invoke(app, [*words, "--out", str(folder / "list"), "--json"])
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [path.name for path in sorted((folder / "list").iterdir())] == [
        "tripod-ai.html",
        "tripod-ai.md",
    ]
    text = (folder / "list" / "tripod-ai.md").read_text(encoding="utf-8")
    page = (folder / "list" / "tripod-ai.html").read_text(encoding="utf-8")
    for item in found["items"]:
        assert f"**{item['item']}**" in text
        assert f">{item['item']}: " in page
    assert "p-0001" not in text + page
    again = runner.invoke(app, [*words, "--out", str(folder / "list")])
    assert again.exit_code == 1
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("evidence.json", {"model": "0" * 64}, "does not belong to this model.json"),
        ("certificate.json", {"risk": 0.001}, "is not that of model.json"),
        ("evidence.json", None, "there is no evidence.json"),
        ("evidence.json", {"study": {"flow": {"taught": 3}, "table_one": 4}}, "not usable"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(study, tmp_path, name, change, message):
    for part, content in study[1].items():
        if part != name:
            text = (study[0] / "out" / part).read_text(encoding="utf-8")
            (tmp_path / part).write_text(text, encoding="utf-8")
        elif change is not None:
            (tmp_path / part).write_text(json.dumps({**content, **change}), encoding="utf-8")
    made = runner.invoke(app, ["dossier", str(tmp_path), "--for", "tripod-ai"])
    assert made.exit_code in (1, 2), made.output
    assert message in made.stderr.replace("\n", " ")
    assert not (tmp_path / "tripod-ai.md").exists()


def test_words_of_the_table_stay_words(study):
    evil = "<script>alert(1)</script> | `x` [a](b)"
    odd = json.loads(json.dumps(study[1]))
    odd["model.json"]["data"]["target"] = evil
    odd["evidence.json"]["study"]["table_one"]["rows"][0]["column"] = evil
    _, text, page = render_tripod(odd, title=evil)
    assert "<script>alert" not in text + page
    assert "\\<script\\>alert(1)\\</script\\> \\| \\`x\\`" in text


def test_an_unknown_checklist_is_refused(study):
    made = runner.invoke(app, ["dossier", str(study[0] / "out"), "--for", "consort"])
    assert made.exit_code == 2
    assert "`--for` must be one of tripod-ai" in made.stderr.replace("\n", " ")


OTHER = (
    ["--rules", "stumps"],
    ["--candidates", "linear", "--goal", "sensitivity >= 0.8"],
    ["--candidates", "one rule", "--groups", "patient"],
)


@pytest.mark.thorough
@pytest.mark.parametrize("how", OTHER, ids=str)
def test_other_roads_hold_the_numbers_of_their_files(tmp_path, how):
    make_table(tmp_path / "t.csv")
    documents = certify(tmp_path, *how)
    items = render_tripod(documents, title="x")[0]
    n = sum(check_sentence(one, documents) for item in items for one in item.sentences)
    assert n > 60
    assert counts_of(items)["filled"] >= 16
