"""A damaged table through the real application: menu, files, labels, re-check."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, load_model
from handful.cli import app

runner = CliRunner()
N = 150
FORMS = "constant,one rule,score card,linear,prototypes"


def table(n=N):
    """Every cell of every column is unlike any other text or number of the files."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 90, n)
    ill = age + rng.normal(0, 9, n) > 55
    unique = rng.choice(np.arange(10**7, 10**8), size=3 * n, replace=False)
    return pd.DataFrame(
        {
            "patient_id": [f"PAT{k}" for k in unique[:n]],
            "visit": pd.date_range("1987-03-01", periods=n).strftime("%d.%m.%Y"),
            "age": age,
            "crp": [f"{v:.1f}".replace(".", ",") for v in rng.gamma(2, 8, n)],
            "stage": rng.choice(["I", "II", "III"], n),
            "noise": unique[n : 2 * n] / 1e6,
            "comment": [f"secret{k}" for k in unique[2 * n :]],
            "constant": "the same throughout",
            "lab": np.where(rng.random(n) < 0.1, -999, rng.normal(50, 9, n).round(1)),
            "outcome": np.where(ill, np.where(rng.random(n) < 0.1, "died ", "Died"), "alive"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("menu")
    table().to_csv(folder / "t.csv", index=False, sep=";")
    return folder


def certify(folder, *words):
    options = ["--candidates", FORMS, "--missing", "lab=-999", "--quiet"]
    result = runner.invoke(app, ["certify", str(folder / "t.csv"), *options, *words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def found(folder):
    words = ["--choose", "score card", "--out", str(folder / "out"), "--json"]
    return json.loads(certify(folder, *words))


def test_columns_have_kinds_and_roles(found):
    roles = {column["name"]: (column["kind"], column["role"]) for column in found["columns"]}
    assert roles == {
        "patient_id": ("text", "id"),
        "visit": ("date", "ignored"),
        "age": ("number", "feature"),
        "crp": ("number", "feature"),
        "stage": ("ordered", "feature"),
        "noise": ("number", "feature"),
        "comment": ("text", "id"),
        "constant": ("constant", "ignored"),
        "lab": ("number", "feature"),
        "outcome": ("category", "target"),
    }
    (lab,) = (c for c in found["columns"] if c["name"] == "lab")
    assert lab["notes"] == ["missing where it says '-999' (12)"]


def test_every_row_has_a_certificate_and_the_chosen_one_is_printed(folder, found):
    names = [row["name"] for row in found["menu"]]
    risks = [row["certificate"] for row in found["menu"]]
    assert risks == sorted(risks)
    assert found["certificate"]["risk"] == risks[names.index("score card")]
    assert any(line.endswith("or more: Died; otherwise: alive.") for line in found["rule"])
    text = certify(folder, "--choose", str(names.index("one rule")))
    assert "Chosen: one rule" in text
    assert text.count("With 95 % confidence, the probability") == 1
    assert "all at once with 85 %" in text
    assert "nats" not in text
    assert "nats" in certify(folder, "--choose", "one rule", "--details")


def test_limits_are_those_of_the_certificate(found):
    rates = {rate["name"]: rate for rate in found["rates"]}
    limits = dict(found["certificate"]["rates"])
    assert rates["sensitivity"]["class"] == "Died"
    assert rates["sensitivity"]["at_least"] == 1 - limits["false_negative_given_positive"]
    assert rates["specificity"]["at_least"] == 1 - limits["false_positive_given_negative"]
    n_wrong = sum(rate["n"] - rate["n_right"] for rate in found["rates"])
    assert n_wrong == found["certificate"]["n_errors"]


def test_naming_the_case_changes_no_rule(folder, found):
    words = ["--choose", "score card", "--json", "--positive", "alive"]
    other = json.loads(certify(folder, *words))
    assert (other["rule"], other["certificate"]) == (found["rule"], found["certificate"])
    rates = {rate["name"]: rate for rate in other["rates"]}
    assert rates["sensitivity"]["class"] == "alive"
    assert rates["sensitivity"]["n"] == next(
        r["n"] for r in found["rates"] if r["class"] == "alive"
    )


def test_nothing_unused_goes_out(folder, found):
    """No identifier, no comment, no value of an unused column, in any file."""
    certify(folder, "--choose", "one rule", "--out", str(folder / "rule"))
    used = set(next(row["uses"] for row in found["menu"] if row["name"] == "one rule"))
    frame = table()
    texts = {path.name: path.read_text() for path in (folder / "rule").iterdir()}
    assert sorted(texts) == ["certificate.json", "evidence.json", "model.json", "report.html"]
    assert used == {"age"}
    planted = [str(v) for name in frame.columns.difference([*used, "outcome"]) for v in frame[name]]
    planted = [word for word in planted if len(word) > 5]
    assert len(planted) > 4 * N
    for name, text in texts.items():
        assert [word for word in planted if word in text] == [], name
    assert "The price of readability" in texts["report.html"]
    assert [c["name"] for c in json.loads(texts["model.json"])["fitted"]["columns"]["columns"]] == [
        name for name in frame.columns if name in used
    ]


def test_forms_with_training_rows_need_leave(folder, tmp_path):
    words = ["certify", str(folder / "t.csv"), "--candidates", "constant,prototypes", "-q"]
    shown = runner.invoke(app, [*words, "--choose", "prototypes"])
    assert "training rows. Say --include-rows" in shown.stdout.replace("\n", " ")
    assert "--choose 'constant' for a form without any" in " ".join(shown.stdout.split())
    assert "similarity to (" not in shown.stdout
    refused = runner.invoke(app, [*words, "--choose", "prototypes", "--out", str(tmp_path / "a")])
    assert refused.exit_code == 2
    assert "training rows. Say --include-rows" in refused.stderr.replace("\n", " ")
    for extra in ([], ["--out", str(tmp_path / "b")]):
        other = runner.invoke(app, [*words, "--tolerance", "0", *extra, "--json"])
        data = json.loads(other.stdout)
        assert data["menu"][0]["name"] == "prototypes"
        assert data["chosen"] == "constant"
        assert "takes the place of prototypes" in data["notes"][-1]
    given = [*words, "--choose", "prototypes", "--include-rows", "--out", str(tmp_path / "c.json")]
    assert runner.invoke(app, given).exit_code == 0
    assert load_model(tmp_path / "c.json").fitted.n_training_rows > 0


def predict(folder, new, *words):
    new.to_csv(folder / "new.csv", index=False)
    model = str(folder / "out" / "model.json")
    result = runner.invoke(app, ["predict", model, str(folder / "new.csv"), *words])
    assert result.exit_code == 0, result.output
    return result


def test_labels_of_raw_new_rows(folder, found):
    new = table().drop(columns=["outcome", "comment", "constant"]).head(20)
    new.loc[3, "age"] = None
    result = predict(folder, new, "--keep", "patient_id")
    assert "\r" not in result.stdout
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    shown = ["patient_id", "row", "label", "score", "risk", "decided by", "missing"]
    assert list(rows[0]) == shown
    assert [row["patient_id"] for row in rows] == list(new["patient_id"])
    model = load_model(folder / "out" / "model.json")
    assert [row["label"] for row in rows] == model.predict(new).tolist()
    assert all((float(r["score"]) > 0) == (r["label"] == "Died") for r in rows)
    assert all("point" in row["decided by"] for row in rows)
    gaps = [["age"] * (i == 3) + ["lab"] * (v == -999) for i, v in enumerate(new["lab"])]
    gaps = [[name for name in names if name in model.needs] for names in gaps]
    wanted = [f"missing: {', '.join(names)}" if names else "" for names in gaps]
    assert [row["missing"] for row in rows] == wanted
    assert wanted[3].startswith("missing: age")
    assert result.stderr.count("With 95 % confidence") == 1
    silent = predict(folder, new, "--on-missing", "abstain", "--json", "-q")
    answers = [json.loads(line) for line in silent.stdout.splitlines()]
    assert [answer["label"] == "" for answer in answers] == [bool(text) for text in wanted]


def test_results_are_not_replaced_unasked(folder, found):
    table().head(3).to_csv(folder / "n.csv", index=False)
    out = folder / "labels.csv"
    words = [
        "predict",
        str(folder / "out" / "model.json"),
        str(folder / "n.csv"),
        "--out",
        str(out),
    ]
    assert runner.invoke(app, words).exit_code == 0
    assert out.read_bytes().count(b"\n") == 4
    assert runner.invoke(app, words).exit_code != 0
    assert runner.invoke(app, [*words, "--force"]).exit_code == 0


def test_the_re_check_finds_rows_in_any_order(folder, found):
    model = str(folder / "out" / "model.json")
    result = runner.invoke(app, ["verify", model, str(folder / "t.csv"), "-q"])
    assert result.exit_code == 0, result.output
    assert "VALID" in result.stdout
    shuffled = table().sample(frac=1.0, random_state=3)
    shuffled.to_csv(folder / "s.csv", index=False)
    result = runner.invoke(app, ["verify", model, str(folder / "s.csv"), "-q"])
    assert result.exit_code == 0, result.output
    changed = table()
    changed.loc[0, "comment"] = "other"
    changed.to_csv(folder / "c.csv", index=False)
    result = runner.invoke(app, ["verify", model, str(folder / "c.csv"), "-q"])
    assert result.exit_code == 1
    assert "digest of the table" in result.stdout


def test_groups_are_drawn_whole_and_checked_again(tmp_path):
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(60), 3)
    level = rng.normal(size=60)[person] + rng.normal(0, 0.3, 180)
    sick = np.where(level + rng.normal(0, 0.3, 180) > 0, "yes", "no")
    frame = pd.DataFrame({"patient": person, "level": level.round(3), "y": sick})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = [
        "certify",
        str(tmp_path / "t.csv"),
        "--candidates",
        "constant,one rule",
        "--json",
        "-q",
    ]
    noted = json.loads(runner.invoke(app, words).stdout)
    assert any("--groups patient" in note for c in noted["columns"] for note in c["notes"])
    out = tmp_path / "m.json"
    data = json.loads(runner.invoke(app, [*words, "--groups", "patient", "--out", str(out)]).stdout)
    assert data["certificate"]["n_samples"] in (60, 30)  # one row a group, or bets on the counted
    assert data["certificate"]["quantity"]["key"] == "group-mean"
    result = runner.invoke(app, ["verify", str(out), str(tmp_path / "t.csv"), "-q"])
    assert result.exit_code == 0, result.output


def test_a_wrong_name_of_a_row_is_refused_before_learning(folder, monkeypatch):
    learned = []
    monkeypatch.setattr(CertifiedClassifier, "fit", lambda *_, **__: learned.append(1))
    result = asked(folder, "--choose", "scor card")
    assert result.exit_code != 0
    assert "Names like it: score card" in result.output
    assert not learned


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--choose", "oracle"], "`--choose` must be the number or the name of a row"),
        (["--choose", "scor card"], "Names like it: score card"),
        (["--choose", "Linear"], "Names like it: linear"),
        (["--choose", "vote"], "`choice` must be one of"),
        (["--candidates", "magic"], "`candidates` must be"),
        (["--tolerance", "2"], "`tolerance` must be in [0, 1)"),
        (["--exclude", "agee"], "Did you mean 'age'"),
        (["--seed", "3"], "`--seed` goes with --rules"),
    ],
)
def test_misuse(folder, words, message):
    options = ["--candidates", "constant", "-q"]
    result = runner.invoke(app, ["certify", str(folder / "t.csv"), *options, *words])
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")


@pytest.mark.thorough
def test_black_boxes_are_written_beside_their_certificate(folder, tmp_path):
    words = ["--candidates", "constant,random forest", "--choose", "random forest"]
    base = ["certify", str(folder / "t.csv"), "-q", *words, "--out", str(tmp_path / "o")]
    refused = runner.invoke(app, base)
    assert refused.exit_code == 2
    assert "may contain training rows" in refused.stderr.replace("\n", " ")
    assert runner.invoke(app, [*base, "--include-rows"]).exit_code == 0
    model = str(tmp_path / "o" / "model.json")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "certificate.json", "evidence.json", "model.json", "model.skops", "report.html",
    ]  # fmt: skip
    closed = runner.invoke(app, ["predict", model, str(folder / "t.csv"), "-q"])
    assert closed.exit_code != 0
    assert "not trusted: sklearn.tree._tree.Tree" in closed.stderr.replace("\n", " ")
    trust = ["--trust", "sklearn.tree._tree.Tree", "-q"]
    opened = runner.invoke(app, ["predict", model, str(folder / "t.csv"), *trust])
    assert opened.exit_code == 0
    assert opened.stdout.count("\n") == N + 1
    closed = runner.invoke(app, ["verify", model, str(folder / "t.csv"), "-q"])
    assert (closed.exit_code, "NOT VERIFIED" in closed.stdout) == (3, True)
    opened = runner.invoke(app, ["verify", model, str(folder / "t.csv"), *trust])
    assert opened.exit_code == 0, opened.output


def test_a_form_leaves_as_sql_and_python(folder, found):
    model = str(folder / "out" / "model.json")
    sql = runner.invoke(app, ["export", model, "--table", "t", "--text", "-q"]).stdout
    assert 'FROM "t";' in sql
    text = runner.invoke(app, ["export", model, "--to", "python", "-q"]).stdout
    module: dict = {}
    exec(text, module)
    rows = pd.read_csv(folder / "t.csv", sep=";", dtype=str).to_dict(orient="records")
    wanted = load_model(folder / "out" / "model.json").predict(table().astype(str))
    assert [module["predict"](row) for row in rows] == wanted.tolist()


def rates_of(data):
    return {rate["name"]: rate for rate in data["rates"]}


def asked(folder, *words):
    forms = ["certify", str(folder / "t.csv"), "--candidates", "score card,linear", "-q"]
    return runner.invoke(app, [*forms, *words])


GOAL = ["--goal", "sensitivity >= 0.6"]


@pytest.mark.parametrize("when", [[], ["--after-looking"]])
def test_goals_choose_row_and_threshold(folder, tmp_path, when):
    words = [*GOAL, *when]
    data = json.loads(asked(folder, *words, "--json").stdout)
    assert rates_of(data)["sensitivity"]["at_least"] >= 0.6
    assert data["goal"] == ["sensitivity", 0.6]
    assert data["after_looking"] == bool(when)
    assert ("the goal" in data["named_beforehand"]) == (not when)
    assert ("the menu before the goal" in data["together"]) == bool(when)
    assert "threshold" in [term["kind"] for term in data["certificate"]["terms"]]
    other = json.loads(asked(folder, *words, "--positive", "alive", "--json").stdout)
    assert other["goal"] == ["specificity", 0.6]  # of the class that is second
    found = rates_of(other)["sensitivity"]
    assert (found["class"], found["at_least"] >= 0.6) == ("alive", True)
    for case in ([], ["--positive", "alive"]):
        out = tmp_path / f"m{len(case)}.json"
        assert asked(folder, *words, *case, "--out", str(out)).exit_code == 0
        checked = runner.invoke(app, ["verify", str(out), str(folder / "t.csv"), "-q"])
        assert checked.exit_code == 0, checked.output


def test_a_named_goal_stands_in_the_menu_and_in_the_box(folder):
    result = asked(folder, *GOAL, "--choose", "linear", "--favourite", "linear")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    data = json.loads(asked(folder, *GOAL, "--choose", "linear", "--json").stdout)
    limits = {name: f"{100 * rate['at_least']:.1f} %" for name, rate in rates_of(data).items()}
    assert "finds clears" in text  # over the two columns
    row = next(line for line in result.stdout.splitlines() if line.startswith(" → "))
    assert row.count(" %") == 3  # errors, what is found, what is cleared
    assert limits["sensitivity"] == "60.0 %"
    assert "60.0 %" in row
    assert "the forms, the favourite and the goal were named" in " ".join(result.output.split())
    assert data["chosen"] == "linear"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([*GOAL, "--after-looking", "--choose", "0"], "exclude each other"),
        (["--after-looking"], "say the goal"),
        (["--goal", "sensitivity >= 0.93"], "more counted positives would do"),
        (["--goal", "sensitivity >= 0.93", "--after-looking"], "more counted positives would do"),
        (["--goal", "error <= 0.3", "--after-looking"], "goes with a goal for one class"),
        (["--goal", "a lot"], "`goal` must be such as"),
        (["--favourite", "balls"], "`favourite` must be one of the candidates"),
        (["--rules", "stumps", *GOAL], "`--goal` goes with a menu of forms"),
    ],
)
def test_goals_that_do_not_go(folder, bad, message):
    result = asked(folder, *bad)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_card_says_what_points_mean(folder, found):
    at = found["rule"].index("")
    assert found["rule"][at + 1] == "With 95 % confidence, all at once:"
    assert all("% are Died (" in line for line in found["rule"][at + 2 :])


def test_any_case_of_a_group(tmp_path):
    rng = np.random.default_rng(6)
    person = np.repeat(np.arange(50), 3)
    level = rng.normal(size=150)
    frame = pd.DataFrame(
        {"who": person, "level": level.round(2), "y": level > rng.normal(size=150)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["certify", str(tmp_path / "t.csv"), "--groups", "who", "-q", "--json"]
    words += ["--candidates", "constant,one rule", "--choose", "one rule"]
    mean = json.loads(runner.invoke(app, words).stdout)["certificate"]
    data = json.loads(runner.invoke(app, [*words, "--group-loss", "any"]).stdout)
    assert data["certificate"]["quantity"]["key"] == "group-any"
    assert data["certificate"]["risk"] > mean["risk"]
