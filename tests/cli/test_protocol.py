"""A protocol before the data: written, followed or deviated from, and verified."""

import copy
import hashlib
import json
import tomllib

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, SetCoveringMachine, load_dataset, load_model, save_model
from handful.cli import app
from handful.files import Protocol, Retraining, protocol_template
from handful.files.document import from_text, to_text
from handful.tables import Choices, read_study
from handful.verify import Verifier, verify_model

runner = CliRunner()
SAID = Choices(target="outcome", positive="ill", exclude=("site",), missing={"": ("-999",)})


def table(n=160):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, n)).round(2)
    site = rng.choice(["north", "south"], n)
    ill = a + 0.6 * rng.normal(size=n) > 0
    return pd.DataFrame({"a": a, "b": b, "site": site, "outcome": np.where(ill, "ill", "well")})


def protocol(**more):
    head = {"date": "2026-03-01", "planned_rows": 160, "columns": SAID}
    return Protocol(**{**head, "candidates": ("one rule", "linear"), "delta": 0.1, **more})


def run(*words):
    return runner.invoke(app, list(map(str, words)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    table().to_csv(place / "t.csv", index=False)
    protocol(title="A study", registration="NCT0123", pool_share=0.4).write(place / "p.toml")
    made = certify(place, "out")
    assert made.exit_code == 0, made.output
    return place


def certify(place, out, *more):
    words = ("certify", place / "t.csv", "--protocol", place / "p.toml", "--out", place / out)
    return run(*words, *more)


def documents(place, out):
    names = ("model.json", "evidence.json")
    return [json.loads((place / out / name).read_text(encoding="utf-8")) for name in names]


# -- the file --------------------------------------------------------------------------------------


def test_the_digest_is_that_of_the_file_and_is_printed(folder):
    wanted = hashlib.sha256((folder / "p.toml").read_bytes()).hexdigest()
    assert Protocol.read(folder / "p.toml").sha256 == wanted
    shown = run("protocol", "check", folder / "p.toml")
    assert wanted in shown.output.replace("\n", "")
    assert "before you see the data" in " ".join(shown.output.split())
    assert (
        json.loads(run("protocol", "check", folder / "p.toml", "--json").output)["sha256"] == wanted
    )


def test_a_new_protocol_is_complete_when_its_columns_are_filled_in(tmp_path):
    path = tmp_path / "protocol.toml"
    assert run("protocol", "new", path).exit_code == 0
    assert run("protocol", "new", path).exit_code == 1  # never replaced by itself
    assert "`target` must name the column" in run("protocol", "check", path).output
    text = path.read_text(encoding="utf-8").replace('target = ""', 'target = "outcome"')
    found = Protocol.of(text)
    plain = CertifiedClassifier().get_params()
    assert {name: plain[name] for name in found.settings()} == found.settings()
    assert found.columns == Choices(target="outcome")


def test_every_default_of_the_template_is_the_one_that_holds():
    keys = [line[2:] for line in protocol_template().splitlines() if line.startswith("# ")]
    lines = [line for line in keys if line.split(" = ")[0].replace("_", "").isalpha()]
    lines = [line for line in lines if " = " in line]
    shown = tomllib.loads("\n".join(lines))
    said = protocol(candidates="readable", delta=0.05, columns=Choices(target="y")).settings_said()
    assert len(shown) == 23
    assert {name: value or None for name, value in shown.items()} == {
        name: said[name] or None for name in shown
    }


@pytest.mark.parametrize(
    "more",
    [
        {}, {"title": 'a "b" \\ c', "goal": "error <= 0.1", "favourite": "linear"},
        {"pool_share": 0.3, "tolerance": 0.0, "group_loss": "any", "candidates": "all"},
        {"columns": Choices(target="x,y", positive="1", groups="who", weights="w", id=("k",),
                            not_missing={"scan": ("n.d.",)}, drop_missing_target=True,
                            increasing=("a",), decreasing=("b, c",))},
    ],
)  # fmt: skip
def test_what_is_written_is_read_again(more, tmp_path):
    said = protocol(**more)
    said.write(tmp_path / "p.toml")
    assert Protocol.read(tmp_path / "p.toml") == said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("delta = 0.1", "delta = 2", "`delta` must be in"),
        ("delta = 0.1", "delat = 0.1", "got 'delat'"),
        ("delta = 0.1", "delta = 0,1", "must be a file in TOML"),
        ("delta = 0.1", "delta = '0.1'", "`protocol.delta` must be a finite number"),
        ("protocol = 1", "protocol = 2", "must begin with protocol = 1"),
        ('"linear"', '"lineal"', "got 'lineal'"),
        ("planned_rows = 160", "planned_rows = -1", "must be at least 0"),
        ("date = 2026-03-01", 'date = "soon"', "must be a day"),
        ("[columns]", '[columns]\nsheet = "a"', "got 'sheet'"),
    ],
)
def test_errors_name_the_key(old, new, message):
    text = protocol().text
    assert old in text
    with pytest.raises(ValueError, match=message):
        Protocol.of(text.replace(old, new))


# -- certify follows it ----------------------------------------------------------------------------


def test_settings_come_from_the_protocol(folder):
    model, evidence = documents(folder, "out")
    training, reading = model["training"], model["data"]["reading"]
    assert (training["delta"], training["pool_share"]) == (0.1, 0.4)
    assert training["candidates"] == ["one rule", "linear"]
    assert (reading["exclude"], reading["missing"]) == (["site"], {"": ["-999"]})
    assert training["protocol"]["deviations"] == []
    assert (folder / "out" / "protocol.toml").read_bytes() == (folder / "p.toml").read_bytes()
    assert evidence["study"]["protocol"]["registration"] == "NCT0123"
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert training["protocol"]["sha256"] in page


def test_it_is_the_menu_of_the_same_options(folder):
    words = ("--target", "outcome", "--positive", "ill", "--exclude", "site", "--missing", "-999")
    words += ("--candidates", "one rule,linear", "--delta", "0.1", "--pool-share", "0.4")
    made = run("certify", folder / "t.csv", *words, "--out", folder / "plain")
    assert made.exit_code == 0, made.output
    plain, followed = documents(folder, "plain")[0], documents(folder, "out")[0]
    assert plain["certificate"] == followed["certificate"]
    assert plain["training"].pop("protocol") is None
    del followed["training"]["protocol"]
    assert plain["training"] == followed["training"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--delta", "0.05"), "`--delta` must be 0.1"),  # the default, too, if it is typed
        (("--candidates", "one rule"), '`--candidates` must be ["one rule", "linear"]'),
        (("--exclude", "b"), '`--exclude` must be ["site"]'),
        (("--id", "a"), "`--id` must be nothing"),
        (("--goal", "sensitivity >= 0.9"), "`--goal` must be nothing"),
        (("--goal", "sensitivity >= 0.5", "--after-looking"), "after looking"),
        (("--positive", "well"), '`--positive` must be "ill"'),
        (("--rules", "auto"), "goes with a menu of forms"),
        (("--delta", "0.05", "--deviate", " "), "`--delta` must be 0.1"),
    ],
)
def test_what_deviates_is_refused(words, message, folder):
    made = certify(folder, "refused", *words)
    assert made.exit_code == 2
    assert message in " ".join(made.output.split())
    assert not (folder / "refused").exists()


def test_what_is_paid_for_or_the_same_is_no_deviation(folder):
    made = certify(folder, "same", "--delta", "0.1", "--positive", "ill", "--choose", "one rule")
    assert made.exit_code == 0, made.output
    assert documents(folder, "same")[0]["training"]["protocol"]["deviations"] == []
    assert run("certify", folder / "t.csv", "--deviate", "why").exit_code == 2


def test_a_protocol_without_a_case_is_refused_for_two_classes(folder, tmp_path):
    protocol(columns=Choices(target="outcome")).write(tmp_path / "p.toml")
    made = run("certify", folder / "t.csv", "--protocol", tmp_path / "p.toml")
    assert made.exit_code == 2
    assert 'positive is "ill", the protocol says nothing' in " ".join(made.output.split())


@pytest.fixture(scope="module")
def deviating(folder):
    pd.concat([table(), table(20)]).to_csv(folder / "more.csv", index=False)
    made = run("certify", folder / "more.csv", "--protocol", folder / "p.toml", "--delta", "0.2",
               "--quiet", "--deviate", "the board asked", "--out", folder / "other")  # fmt: skip
    assert made.exit_code == 0, made.output
    return made.output


def test_deviations_are_printed_and_written(deviating, folder):
    said = " ".join(deviating.split())
    assert "Deviation from the protocol: delta is 0.2, the protocol says 0.1." in said
    assert "the board asked" in said
    assert "The protocol planned 160 rows, the table has 180." in said
    model, evidence = documents(folder, "other")
    record = model["training"]["protocol"]
    assert record["deviations"] == [{"setting": "delta", "said": "0.1", "used": "0.2"}]
    assert record["reason"] == "the board asked"
    page = (folder / "other" / "report.html").read_text(encoding="utf-8")
    assert page.count("delta is 0.2, the protocol says 0.1") == 2  # on top, and in its section
    assert evidence["study"]["protocol"]["deviations"] == record["deviations"]


def test_the_checklist_is_filled_from_the_protocol(deviating, folder):
    for out, wanted in (("other", "deviates from it in delta"), ("out", "follows it")):
        made = run("dossier", folder / out, "--for", "tripod-ai", "--out", folder, "-f", "--json")
        items = {item["item"]: item for item in json.loads(made.output)["items"]}
        assert (items["18c"]["status"], items["18d"]["status"]) == ("filled", "filled")
        assert wanted in items["18c"]["text"]
        assert "NCT0123" in items["18d"]["text"]
        assert items["18d"]["question"] == ""
    made = run("certify", folder / "t.csv", "--candidates", "one rule", "--out", folder / "none")
    made = run("dossier", folder / "none", "--for", "tripod-ai", "--json")
    items = {item["item"]: item for item in json.loads(made.output)["items"]}
    assert (items["18c"]["status"], items["18d"]["status"]) == ("asked", "asked")


# -- verify ----------------------------------------------------------------------------------------


def test_trust_in_the_options_becomes_trust_in_a_date(folder, deviating):
    plain = run("verify", folder / "out" / "model.json", folder / "t.csv", "--json")
    verdict = json.loads(plain.output)
    assert verdict["status"] == "VALID"
    trusted = " ".join(verdict["trusted"])
    digest = Protocol.read(folder / "p.toml").sha256
    assert f"its digest {digest} shows what it says, not when it was written" in trusted
    assert "the options" not in trusted
    other = run("verify", folder / "other" / "model.json", folder / "more.csv", "--json")
    verdict = json.loads(other.output)
    assert verdict["status"] == "VALID"
    trusted = " ".join(verdict["trusted"])
    assert "although the protocol says otherwise of delta" in trusted
    assert "the number of rows (180, planned were 160)" in trusted


@pytest.fixture(scope="module")
def checker(folder, deviating):
    made = {}
    for out, name in (("out", "t.csv"), ("other", "more.csv")):
        path, frame = folder / out / "model.json", pd.read_csv(folder / name)
        verifier = Verifier(frame, library=Retraining(path, frame))
        made[out] = (json.loads(path.read_text(encoding="utf-8")), verifier)
    return made


def text_of(record, old, new):
    """Another text of the protocol, with its own digest."""
    assert old in record["text"]
    record["text"] = record["text"].replace(old, new)
    record["sha256"] = hashlib.sha256(record["text"].encode()).hexdigest()


FORGERIES = {
    "digest": ("out", lambda r: r.update(sha256="0" * 64), "digest"),
    "text": ("out", lambda r: r.update(text=r["text"] + "\n"), "digest"),
    "date": ("out", lambda r: r.update(date="2025-03-01"), "date"),
    "setting": ("out", lambda r: text_of(r, "delta = 0.1", "delta = 0.05"), "deviations"),
    "share": ("out", lambda r: text_of(r, "pool_share = 0.4", "pool_share = 0.5"), "deviations"),
    "forms": ("out", lambda r: text_of(r, '"linear"]', '"linear", "balls"]'), "deviations"),
    "column": ("out", lambda r: text_of(r, 'exclude = ["site"]', "exclude = []"), "deviations"),
    "marks": ("out", lambda r: text_of(r, '["-999"]', '["-9"]'), "deviations"),
    "case": ("out", lambda r: text_of(r, 'positive = "ill"', 'positive = ""'), "deviations"),
    "goal": ("out", lambda r: text_of(r, '# goal = ""', 'goal = "error <= 0.3"'), "deviations"),
    "key": ("out", lambda r: text_of(r, "[columns]", "seed = 3\n[columns]"), "keys"),
    "no toml": ("out", lambda r: text_of(r, "delta = 0.1", "delta = "), "read"),
    "invented": ("out", lambda r: r.update(
        deviations=[{"setting": "delta", "said": "0.2", "used": "0.1"}], reason="x"), "deviations"),
    "blank reason": ("out", lambda r: r.update(reason=" "), "reason"),
    "reason alone": ("out", lambda r: r.update(reason="x"), "reason"),
    "removed": ("other", lambda r: r.update(deviations=[], reason=""), "deviations"),
    "altered": ("other", lambda r: r["deviations"][0].update(said="0.15"), "deviations"),
    "no reason": ("other", lambda r: r.update(reason=" "), "reason"),
    "field": ("other", lambda r: r.pop("reason"), "fields"),
    "more": ("other", lambda r: r.update(note=""), "fields"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_protocols(name, checker):
    out, change, said = FORGERIES[name]
    document, verifier = checker[out]
    assert verifier.check(document, document["content_sha256"]).is_valid
    forged = copy.deepcopy(document)
    change(forged["training"]["protocol"])
    verdict = verifier.check(from_text(to_text(forged)))
    assert verdict.status == "NOT VALID"
    assert said in " ".join(verdict.differences)


def test_settings_that_were_forged_without_the_deviation(checker):
    """A careful forger alters a setting that no number depends on."""
    document, verifier = checker["out"]
    for part, name, value in (("training", "tolerance", 0.02), ("training", "group_loss", "any")):
        forged = copy.deepcopy(document)
        forged[part][name] = value
        verdict = verifier.check(from_text(to_text(forged)))
        assert "protocol: deviations" in " ".join(verdict.differences)


def test_the_copy_in_the_folder_is_compared(folder, tmp_path):
    for name in ("model.json", "protocol.toml"):
        content = (folder / "out" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(content + "\n" * (name != "model.json"), encoding="utf-8")
    frame = pd.read_csv(folder / "t.csv")
    path = tmp_path / "model.json"
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.differences
    assert verdict.differences[0].startswith("protocol.toml: digest")


# -- Python ----------------------------------------------------------------------------------------


def test_python(tmp_path):
    said, path = protocol(columns=Choices(target="outcome", positive="ill")), tmp_path / "m.json"
    machine = said.learn(table())
    assert said.deviations(machine) == ()
    save_model(machine, path, protocol=said)
    assert load_model(path).training.protocol.sha256 == said.sha256
    assert verify_model(path, table(), library=Retraining(path, table())).is_valid
    other = CertifiedClassifier("one rule", delta=0.1).fit(read_study(table()))
    with pytest.raises(ValueError, match="got a study in which candidates is"):
        save_model(other, path, protocol=said)
    save_model(other, path, protocol=said, deviate="a first look")
    verdict = verify_model(path, table(), library=Retraining(path, table()))
    assert verdict.is_valid, verdict.differences
    data = load_dataset("haberman-294")
    machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    with pytest.raises(TypeError, match="goes with a CertifiedClassifier"):
        save_model(machine, path, protocol=said)


def test_a_damaged_record_is_not_read(folder, tmp_path):
    document = documents(folder, "out")[0]
    record = document["training"]["protocol"]
    for name, value in (("sha256", "0" * 64), ("reason", "x"), ("text", "a = "), ("date", 3)):
        forged = copy.deepcopy(document)
        forged["training"]["protocol"] = {**record, name: value}
        (tmp_path / "m.json").write_text(to_text(forged), encoding="utf-8")
        with pytest.raises(ValueError, match=r"training\.protocol"):
            load_model(tmp_path / "m.json")
