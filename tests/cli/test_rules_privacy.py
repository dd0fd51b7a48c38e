"""What goes out of ``handful certify --rules``: no rows, no identifiers, only columns in use."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model, save_model
from handful.cli import app

runner = CliRunner()
N = 160
FILES = ["certificate.json", "model.json", "report.html"]


def numbers(seed: int) -> pd.DataFrame:
    """Every cell of every column occurs once in the whole table; two columns decide."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(10 * N)[: 4 * N].reshape(N, 4)
    values = 1000.0 + cells + 0.015625 * rng.integers(1, 60, (N, 4))
    frame = pd.DataFrame(values, columns=["size", "dose", "lab one", "lab two"])
    frame["fixed"] = 7654.328125
    noise = 150.0 * rng.normal(size=N)
    frame["outcome"] = np.where(frame["size"] + frame["dose"] + noise > 3600.0, "sick", "well")
    return frame


def planted(seed: int) -> pd.DataFrame:
    """The same with identifiers, remarks and dates, each unlike any other text."""
    frame = numbers(seed)
    frame.insert(0, "patient", [f"patient-{seed}-{i:04d}" for i in range(N)])
    frame.insert(2, "remark", [f"remark number {i * 7919} on {seed}" for i in range(N)])
    frame.insert(
        3,
        "admitted",
        [
            f"20{10 + i % 9:02d}-0{1 + i % 9}-{10 + i % 18} 07:{i % 60:02d}:{i % 59:02d}.{i:03d}"
            for i in range(N)
        ],
    )
    frame.insert(4, "ward", ["ward-constant-xyz"] * N)
    return frame


def words_of(column: pd.Series) -> list[str]:
    """How a cell may be written: as it is, in six digits, in full."""
    found = [str(value) for value in column]
    if column.dtype.kind == "f":
        found += [f"{value:.6g}" for value in column] + [repr(float(value)) for value in column]
    return [text for text in dict.fromkeys(found) if len(text) > 5]


def certify(path, out, *options):
    words = ["certify", str(path), "--target", "outcome", "--out", str(out), "-q", *options]
    return runner.invoke(app, words)


def used_columns(document) -> list[str]:
    return [name for name in document["feature_names"] if name is not None]


@pytest.mark.parametrize(
    ("rules", "frame"),
    [
        ("stumps", planted(1)),
        ("auto", planted(2)),
        ("half-spaces", numbers(3)),
        ("two-point", numbers(4)),
        ("linear", numbers(5)),
        ("stumps,half-spaces", numbers(6)),
    ],
    ids=str,
)
def test_nothing_unused_goes_out(rules, frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = certify(tmp_path / "t.csv", tmp_path / "out", "--rules", rules)
    assert made.exit_code == 0, made.output
    texts = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert sorted(texts) == FILES
    document = json.loads(texts["model.json"])
    used = used_columns(document)
    for name in frame.columns.difference([*used, "outcome"]):
        cells = words_of(frame[name])
        assert cells
        for file, text in texts.items():
            assert [cell for cell in cells if cell in text] == [], (file, name)
    thresholds = [str(rule["threshold"]) for m in document["machines"] for rule in m["rules"]]
    for name in used:  # of used columns no cell but a threshold
        found = [cell for cell in words_of(frame[name]) if any(cell in t for t in texts.values())]
        assert set(found) <= {text for t in thresholds for text in (t, f"{float(t):.6g}")}, name
    model = load_model(tmp_path / "out" / "model.json")
    words = ["verify", str(tmp_path / "out" / "model.json"), str(tmp_path / "t.csv")]
    assert runner.invoke(app, words).exit_code == 0
    assert set(model.predict(model.encode(frame[used]))) <= {"sick", "well"}


@pytest.mark.parametrize("rules", ["balls"])
def test_forms_with_rows_need_leave(rules, tmp_path):
    frame = numbers(11)
    frame.to_csv(tmp_path / "t.csv", index=False)
    refused = certify(tmp_path / "t.csv", tmp_path / "no", "--rules", rules)
    assert refused.exit_code == 2
    text = refused.stderr.replace("\n", " ")
    assert "this form contains" in text
    assert "--include-rows" in text
    assert not (tmp_path / "no").exists()
    alone = certify(tmp_path / "t.csv", tmp_path / "no.json", "--rules", rules)
    assert alone.exit_code == 2
    assert not (tmp_path / "no.json").exists()
    shown = runner.invoke(
        app, ["certify", str(tmp_path / "t.csv"), "--target", "outcome", "--rules", rules, "-q"]
    )
    assert shown.exit_code == 0
    given = certify(tmp_path / "t.csv", tmp_path / "yes", "--rules", rules, "--include-rows")
    assert given.exit_code == 0, given.output
    model = load_model(tmp_path / "yes" / "model.json")
    words = ["verify", str(tmp_path / "yes" / "model.json"), str(tmp_path / "t.csv")]
    assert runner.invoke(app, words).exit_code == 0
    rows = {rule.center for machine in model.machines for rule in machine.rules}
    features = frame.drop(columns=["outcome", "fixed"])  # what never changes is not used
    table = [tuple(row) for row in features.to_numpy(dtype=float).tolist()]
    assert rows <= set(table)
    text = (tmp_path / "yes" / "model.json").read_text()
    kept = [i for i, row in enumerate(table) if row in rows]
    others = frame.drop(columns=["outcome", "fixed"]).drop(index=kept).to_numpy().ravel()
    assert [value for value in others if repr(float(value)) in text] == []


def test_with_leave_the_report_shows_kept_rows_in_used_columns_only(tmp_path):
    frame = planted(12)
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = certify(tmp_path / "t.csv", tmp_path / "out", "--rules", "stumps", "--include-rows")
    assert made.exit_code == 0, made.output
    used = used_columns(json.loads((tmp_path / "out" / "model.json").read_text()))
    page = (tmp_path / "out" / "report.html").read_text()
    for name in frame.columns.difference([*used, "outcome"]):
        assert [cell for cell in words_of(frame[name]) if cell in page] == [], name


def test_a_text_that_a_rule_names_is_the_only_one(tmp_path):
    """A column of words is used: the word of the condition goes out, its other words do not."""
    rng = np.random.default_rng(0)
    site = rng.choice([f"hospital-{k:02d}" for k in range(20)], 400)
    frame = pd.DataFrame({"site": site, "age": rng.normal(50, 9, 400).round(2)})
    y = np.where((site == "hospital-07") | (rng.random(400) < 0.02), "yes", "no")
    machine = SetCoveringMachine("stumps", max_rules=1).fit(frame, y)
    assert "hospital-07" in machine.explain()
    save_model(machine, tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    assert sorted(k for k in set(site) if k in text) == ["hospital-07"]
    model = load_model(tmp_path / "m.json")
    new = pd.DataFrame({"site": ["hospital-07", "hospital-03", "elsewhere", None]})
    assert (
        model.predict(model.encode(new)).tolist() == machine.predict(new.assign(age=1.0)).tolist()
    )


def test_rows_in_python_need_leave_too(tmp_path):
    frame = numbers(21)
    X, y = frame.drop(columns="outcome").to_numpy(), frame["outcome"]
    machine = SetCoveringMachine("balls", candidates=40, max_rules=2).fit(X, y)
    with pytest.raises(
        ValueError, match=r"this form contains \d training rows?\. Say `include_rows"
    ):
        save_model(machine, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())
    save_model(machine, tmp_path / "m.json", include_rows=True)
    kernel = SetCoveringMachine("half-spaces", kernel="rbf", gamma=1e-6, candidates=40, max_rules=1)
    with pytest.raises(ValueError, match="this form contains 2 training rows"):
        save_model(kernel.fit(X, y), tmp_path / "k.json")


@pytest.mark.parametrize("rules", ["stumps", "half-spaces", "two-point", "linear"])
def test_a_file_without_rows_predicts_to_the_last_bit(rules, tmp_path, rng):
    frame = numbers(31)
    X, y = frame.drop(columns="outcome").to_numpy(), frame["outcome"]
    machine = SetCoveringMachine(rules).fit(X, y)
    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    more = X[rng.integers(0, N, 2000)] + rng.normal(0, 200, (2000, X.shape[1]))
    np.testing.assert_array_equal(
        model.machines[0].decision_function(more), machine.decision_function(more)
    )
    np.testing.assert_array_equal(model.predict(X), machine.predict(X))
