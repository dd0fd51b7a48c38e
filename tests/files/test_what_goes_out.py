"""What goes out of a fitted machine by any exit: no rows, no identifiers, only columns in use."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from typer.testing import CliRunner

import handful
from handful import SetCoveringMachine, load_model, save_model
from handful.cli import app
from handful.export import export_json, export_python, export_sql
from handful.files import model_to_dict
from handful.files.document import to_text
from handful.report import render_report
from handful.verify import verify_model
from tests.test_common import SMALL, VARIANTS

runner = CliRunner()
N = 160
FILES = ["certificate.json", "evidence.json", "model.json", "report.html"]


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
    words = ["certify", str(path), "--target", "outcome", "--out", str(out), *options]
    return runner.invoke(app, words)


def used_columns(document) -> list[str]:
    return [column["name"] for column in document["fitted"]["columns"]["columns"]]


@pytest.mark.sample(2)
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
    words = ["verify", str(tmp_path / "out" / "model.json"), str(tmp_path / "t.csv")]
    checked = runner.invoke(app, words)
    assert checked.exit_code == 0
    texts["verified"] = checked.output
    used = used_columns(document)
    for name in frame.columns.difference([*used, "outcome"]):
        cells = words_of(frame[name])
        assert cells
        for file, text in texts.items():
            assert [cell for cell in cells if cell in text] == [], (file, name)
        assert json.dumps(name) not in texts["model.json"]  # not even their names
    rules = document["fitted"]["machine"]["rules"]
    thresholds = [str(asked["cut"]) for rule in rules for asked in rule["conditions"]]
    for name in used:  # of used columns no cell but a threshold
        found = [cell for cell in words_of(frame[name]) if any(cell in t for t in texts.values())]
        assert set(found) <= {text for t in thresholds for text in (t, f"{float(t):.6g}")}, name
    model = load_model(tmp_path / "out" / "model.json")
    assert set(model.predict(frame[used])) <= {"sick", "well"}


def test_nothing_unused_goes_out_of_a_menu(tmp_path):
    """Identifiers, remarks, dates and constants of a raw table; cells of columns not in use."""
    frame = planted(7)
    frame["lab three"] = np.random.default_rng(7).normal(5.0, 1.0, N).round(6).astype(str)
    frame.loc[5, "lab three"], frame.loc[9, "lab three"] = "clotted-sample-17", "<0.7712345"
    frame.to_csv(tmp_path / "t.csv", index=False)
    forms = ["--candidates", "one rule,score card", "--choose", "one rule"]
    made = certify(tmp_path / "t.csv", tmp_path / "out", *forms)
    assert made.exit_code == 0, made.output
    assert "clotted-sample-17" in made.output.replace("\n", "")  # the screen is for the house
    texts = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert sorted(texts) == FILES
    used = used_columns(json.loads(texts["model.json"]))
    assert len(used) == 1
    for name in frame.columns.difference([*used, "outcome"]):
        for file, text in texts.items():
            assert [cell for cell in words_of(frame[name]) if cell in text] == [], (file, name)


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
    rows = {condition.value.center for condition in model.fitted.machine.conditions}
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
    assert model.predict(new).tolist() == machine.predict(new.assign(age=1.0)).tolist()


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
    np.testing.assert_array_equal(model.scores(more), machine.decision_function(more))
    np.testing.assert_array_equal(model.predict(X), machine.predict(X))


# -- every estimator, every exit --------------------------------------------------------------

CELLS = ["size", "dose", "lab one", "lab two"]


def examples() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers of five digits that each occur once, in rows whose index is an identifier."""
    rng = np.random.default_rng(41)
    digits = rng.permutation(np.arange(10_000, 100_000))[: 4 * N].reshape(N, 4)
    ids = [f"identifier-{i * 7919}" for i in range(N)]
    X = pd.DataFrame(digits / 1000.0, columns=CELLS, index=ids)
    noise = 8.0 * rng.normal(size=N)
    return X, np.where(X["size"] + 0.5 * X["dose"] + noise > 80.0, "sick", "well")


MACHINES = {
    **{name: getattr(handful, name)(**options) for name, options in SMALL.items()},
    **{
        f"{name} {' '.join(map(str, options.values()))}": getattr(handful, name)(**options)
        for name, options in VARIANTS
    },
    "SupportVectorMachine linear": handful.SupportVectorMachine("linear"),
    "SupportVectorMachine poly": handful.SupportVectorMachine("poly", gamma=1e-3, degree=2),
    "KernelPerceptron linear": handful.KernelPerceptron("linear", max_passes=5),
    "LinearProgrammingMachine rbf": handful.LinearProgrammingMachine("rbf", gamma=0.01),
    "MinimalComplexityMachine rbf": handful.MinimalComplexityMachine("rbf", gamma=0.01),
    "LPBoostMKL linear": handful.LPBoostMKL(["linear"], nu=0.8, tol=1e-3, centre=True),
    "SetCoveringMachine rbf": SetCoveringMachine(
        "half-spaces", kernel="rbf", gamma=1e-4, candidates=40, max_rules=1
    ),
    "PickToLearn svc": handful.PickToLearn(make_pipeline(StandardScaler(), SVC(gamma=0.1))),
    "PickToLearn linear svc": handful.PickToLearn(SVC(kernel="linear")),
    "NonconformityClassifier best": handful.NonconformityClassifier(
        param_grid={"gamma": [0.001, 0.01]}, calibration_size=0.3
    ),
    "BoundSearch svm": handful.BoundSearch(
        handful.SupportVectorMachine(), param_grid={"gamma": [0.001, 0.01]}
    ),
    "CertifiedClassifier prototypes": handful.CertifiedClassifier(["prototypes"]),
    "CertifiedClassifier supports": handful.CertifiedClassifier(["support vectors"]),
    "CertifiedClassifier balls": handful.CertifiedClassifier(["balls"]),
}


def fitted(name):
    X, y = examples()
    machine = clone(MACHINES[name])
    if isinstance(machine, handful.SparseKernelCCA):
        machine.fit(X[CELLS[:2]], X[CELLS[2:]])
    elif is_regressor(machine):
        machine.fit(X, X["size"].to_numpy() - X["dose"].to_numpy())
    else:
        machine.fit(X, y)
    return machine, X, y


def shown(exit_, *arguments, **options) -> str:
    """What comes out of an exit: a text, or the words of its refusal."""
    try:
        return str(exit_(*arguments, **options))
    except (AttributeError, TypeError, ValueError) as error:  # what cannot be written says so
        return f"{type(error).__name__}: {error}"


def exits(machine, X, y) -> dict[str, str]:
    """Everything that goes out of a fitted machine, without leave to show rows."""
    return {
        "file": shown(lambda: json.dumps(model_to_dict(machine))),
        "file with data": shown(lambda: json.dumps(model_to_dict(machine, data=(X, y)))),
        "certificate": shown(lambda: json.dumps(machine.certificate_.to_dict())),
        "explain": shown(lambda: machine.explain()),
        "rules": shown(lambda: machine.get_rules().to_csv()),
        "sentences": shown(lambda: "\n".join(machine.fitted_.sentences())),
        "report": shown(lambda: render_report(machine, X, y)),
        "SQL": shown(export_sql, machine, table="t"),
        "SQL of texts": shown(export_sql, machine, table="t", is_text=True),
        "Python": shown(export_python, machine),
        "JSON": shown(export_json, machine),
    }


def is_said(number: float, text: str, formats: tuple[str, ...] = ("{!r}", "{:.6g}")) -> bool:
    """Whether a number stands in a text by itself."""
    spelled = {pattern.format(float(number)) for pattern in formats}
    return any(re.search(rf"(?<![\d.]){re.escape(s)}(?!\d)", text) for s in spelled)


def unused_columns(machine, X) -> list[str]:
    """Columns whose values change nothing that the machine computes."""
    out = []
    for name in X.columns:
        other = X.assign(**{name: X[name].to_numpy()[::-1] + 3.0})
        scored = "decision_function" if hasattr(machine, "decision_function") else "predict"
        if not hasattr(machine, scored):
            continue
        if np.array_equal(getattr(machine, scored)(other), getattr(machine, scored)(X)):
            out.append(name)
    return out


@pytest.mark.sample(6)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_no_exit_of_any_estimator_shows_a_row_or_what_is_unused(name):
    machine, X, y = fitted(name)
    unused = unused_columns(machine, X)
    for exit_, text in exits(machine, X, y).items():
        assert "identifier-" not in text, exit_
        if "file" in exit_:
            assert [column for column in unused if json.dumps(column) in text] == []
        for column in unused:
            assert [v for v in X[column] if is_said(v, text)] == [], (exit_, column)
        rows = [
            row
            for row in X.itertuples()
            if all(is_said(v, text, ("{!r}", "{:.6g}", "{:.4g}")) for v in row[1:])
        ]
        assert rows == [], (exit_, rows[:2])


def test_the_search_for_values_finds_them():
    """A test that looks for values must see them where they are."""
    machine, X, y = fitted("SupportVectorMachine")
    text = json.dumps(model_to_dict(machine, include_rows=True))
    assert all(is_said(v, text) for v in X.iloc[machine.support_[0]])
    one = SetCoveringMachine("stumps", max_rules=1).fit(X, y)
    assert len(unused_columns(one, X)) == 3


REFUSED = [
    "CertifiedClassifier balls", "CertifiedClassifier prototypes", "CertifiedClassifier supports",
    "KernelMatchingPursuitClassifier", "KernelPerceptron", "LPBoostMKL", "LPBoostMKL linear",
    "LinearProgrammingMachine rbf", "MinimalComplexityMachine rbf", "NonconformityClassifier",
    "PickToLearn linear svc", "PickToLearn svc", "SetCoveringMachine balls None",
    "SetCoveringMachine rbf", "SupportVectorMachine", "SupportVectorMachine poly",
]  # fmt: skip


@pytest.mark.sample(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_made_of_rows_is_refused_by_the_same_words(name, tmp_path):
    machine, X, y = fitted(name)
    refusal = r"this form contains \d+ training rows?\. Say `include_rows=True` \(--include-rows\)"
    with pytest.raises(ValueError, match=refusal):
        save_model(machine, tmp_path / "m.json", data=(X, y))
    assert not list(tmp_path.iterdir())
    save_model(machine, tmp_path / "m.json", data=(X, y), include_rows=True)
    stored = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(stored.predict(X.to_numpy()), machine.predict(X))
    for subject in (machine, stored):
        for export in (export_sql, export_python, export_json):
            with pytest.raises(ValueError, match=refusal):
                export(subject)
        assert '"sentences"' in export_json(subject, include_rows=True)
        if not name.startswith("Nonconformity"):  # which has no formula at all
            assert "CASE" in export_sql(subject, table="t", include_rows=True)
            assert "def predict" in export_python(subject, include_rows=True)


@pytest.mark.parametrize(
    "machine",
    [
        handful.SupportVectorMachine("linear", C=0.3),
        handful.KernelPerceptron("linear", max_passes=7),
        handful.KernelPerceptron("linear", max_passes=3, fit_intercept=False),
        handful.LinearProgrammingMachine(C=0.3),
        handful.MinimalComplexityMachine(C=0.3),
    ],
    ids=lambda machine: f"{type(machine).__name__}",
)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_linear_kernels_are_weights_that_decide_the_same_to_the_last_bit(
    machine, n_classes, tmp_path, rng
):
    X, y = examples()
    X = (X - 50.0) / 10.0 * np.array([1.0, 1 / 3, 1 / 7, 0.9])  # sums that do round
    if n_classes == 3:
        y = np.where(X["lab one"] > 4.0 / 7, "odd", y)
    machine = clone(machine).fit(X, y)
    save_model(machine, tmp_path / "m.json", data=(X, y))
    model = load_model(tmp_path / "m.json")
    assert n_classes == len(model.classes)
    more = X.to_numpy()[rng.integers(0, N, 2000)] + rng.normal(0, 0.5, (2000, 4))
    scores = model.fitted.scores(model.rows(more))
    np.testing.assert_array_equal(scores, machine.decision_function(more))
    np.testing.assert_array_equal(model.predict(more), machine.predict(more))
    verdict = verify_model(tmp_path / "m.json", X, y)
    assert verdict.is_valid, (verdict.differences, verdict.unverified)


def test_kept_examples_are_named_by_digest_and_found_in_any_order(tmp_path, rng):
    X, y = examples()
    X = pd.concat([X, X.iloc[:9], X.iloc[:9]])  # equal rows have names of their own
    y = np.concatenate([y, y[:9], y[:9]])
    machine = handful.KernelPerceptron(gamma=0.01).fit(X, y)
    path = tmp_path / "m.json"
    save_model(machine, path, data=(X, y), include_rows=True)
    names = load_model(path).kept
    assert len(set(names)) == len(names) == len(machine.compression_set_)
    assert all(re.fullmatch(r"[0-9a-f]{64}(:[23])?", name) for name in names)
    order = rng.permutation(len(X))
    assert verify_model(path, X.iloc[order], y[order]).is_valid
    document = json.loads(path.read_text())
    document["kept"][0] = document["kept"][0][::-1]
    path.write_text(to_text(document))
    assert "kept examples" in " ".join(verify_model(path, X, y).differences)


def test_the_command_line_exports_rows_only_by_leave(tmp_path):
    X, y = examples()
    save_model(
        SetCoveringMachine("balls", candidates=40).fit(X, y), tmp_path / "m.json", include_rows=True
    )
    for to in ("sql", "python", "json"):
        words = ["export", str(tmp_path / "m.json"), "--to", to, "--out", str(tmp_path / "o")]
        refused = runner.invoke(app, words)
        assert refused.exit_code == 2
        assert "this form contains" in refused.stderr.replace("\n", " ")
        assert not (tmp_path / "o").exists()
        assert runner.invoke(app, [*words, "--include-rows", "--force"]).exit_code == 0
        (tmp_path / "o").unlink()
