"""Every note has a code, a page, and stands wherever its table does."""

from __future__ import annotations

import copy
import json
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, verify_model
from handful.cli import app
from handful.files import Retraining
from handful.files.document import to_text
from handful.tables import (
    CODES,
    Choices,
    Note,
    TableCaution,
    load_table,
    plain_notes,
    read_frame,
    read_study,
)
from tests.messy import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "notes.md"


def test_every_code_has_a_page_and_every_page_a_code():
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    titles = [part.split("\n", 1)[0] for part in parts]
    assert titles == [f"{code} {title}" for code, title in CODES.items()]
    for part in parts:
        for head in ("*Seen:* ", "*Why it matters:* ", "*What to do:* "):
            assert len(part.split(head)[1].split("\n")[0]) > 5, part


@pytest.mark.parametrize("name", TABLES)
def test_every_note_has_a_known_code(name):
    messy = TABLES[name]()
    study = read_study(messy.frame, Choices(target=messy.target, **messy.choices))
    notes = [*study.all_notes, *study.questions]
    assert all(isinstance(note, Note) and note.code in CODES for note in notes)


def test_a_note_survives_copies():
    note = Note("H012", "Rows repeat.", "far apart")
    for same in (copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert (same, same.code, same.reason) == (note, "H012", "far apart")


def _leaky(rng, n=240):
    is_case = rng.random(n) < 0.3
    age = rng.integers(30, 90, n) + 8 * is_case
    return pd.DataFrame(
        {
            "age": age.astype(str),
            "cause_of_illness": np.where(is_case, rng.choice(["a", "b", "c"], n), ""),
            "icu_days": (rng.integers(0, 9, n) + 3 * is_case).astype(str),
            "outcome": np.where(is_case, "died", "alive"),
        }
    )


def test_a_column_whose_gaps_tell_the_outcome_is_asked_about(rng):
    frame = _leaky(rng)
    study = read_study(frame, Choices(target="outcome"))
    assert [note.code for note in study.questions] == ["H021", "H022"]
    frame["cause_of_illness"] = np.where(rng.random(len(frame)) < 0.3, "", ["a", "b"] * 120)
    study = read_study(frame, Choices(target="outcome"))
    assert [note.code for note in study.questions] == ["H022"]


def test_gaps_that_only_say_who_was_tested_are_no_leak(rng):
    frame = _leaky(rng)
    is_case = frame["outcome"] == "died"
    is_tested = rng.random(len(frame)) < np.where(is_case, 0.8, 0.3)
    frame["cause_of_illness"] = np.where(is_tested, rng.choice(["a", "b"], len(frame)), "")
    study = read_study(frame, Choices(target="outcome", exclude=("icu_days",)))
    assert not study.questions


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [
        *((name, True) for name in ("los", "LOS_hosp", "icu_days", "Liegedauer", "discharge_to")),
        *((name, True) for name in ("length of stay", "ventilation_hours", "treatment_after")),
        *((name, True) for name in ("Entlassungsart", "readmission", "days_to_death", "futime")),
        *((name, False) for name in ("glucose", "loss_of_weight", "stage", "post_code", "dose")),
        *((name, False) for name in ("afternoon_bp", "close", "temperature", "timepoint")),
    ],
)
def test_names_of_what_is_known_only_afterwards(name, is_asked, rng):
    frame = _leaky(rng)[["age", "icu_days", "outcome"]].rename(columns={"icu_days": name})
    study = read_study(frame, Choices(target="outcome"))
    assert [note.code for note in study.questions] == ["H022"] * is_asked


def test_an_unknown_outcome_is_asked_about_and_left_out(rng, tmp_path):
    frame = _leaky(rng)[["age", "outcome"]]
    frame.loc[::11, "outcome"] = "Unknown"
    study = read_study(frame, Choices(target="outcome"))
    assert [note.code for note in study.questions] == ["H023"]
    assert "--missing outcome=Unknown --drop-missing-target" in study.questions[0]
    choices = Choices(target="outcome", missing={"outcome": ("Unknown",)}, drop_missing_target=True)
    left = read_study(frame, choices)
    assert set(left.classes) == {"died", "alive"}
    assert len(left.y) == (frame["outcome"] != "Unknown").sum()
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    options = ["--missing", "outcome=unknown", "--drop-missing-target", "--candidates", "one rule"]
    out = str(tmp_path / "out")
    result = CliRunner().invoke(app, ["certify", str(path), "-o", out, *options])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(app, ["verify", f"{out}/model.json", str(path), "-t", "outcome"])
    assert result.exit_code == 0, result.output


def test_two_classes_of_which_one_is_unknown_are_no_question(rng):
    frame = _leaky(rng)[["age", "outcome"]].replace({"alive": "unknown"})
    assert not read_study(frame, Choices(target="outcome")).questions


def _certified(frame, folder, *more):
    frame.to_csv(folder / "t.csv", index=False)
    out = folder / f"out{len(more)}"
    words = ["certify", str(folder / "t.csv"), "-o", str(out), "--candidates", "one rule", *more]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.output, out


def test_the_leak_stands_at_the_top_of_the_report_and_in_the_file(rng, tmp_path):
    screen, out = _certified(_leaky(rng), tmp_path)
    page = (out / "report.html").read_text()
    top = page.split("</section>", 1)[0]
    assert "<b>H021 missing cells give the target.</b>" in top
    assert 'class="open"' in top
    noted = json.loads((out / "model.json").read_text())["provenance"]["notes"]
    assert {"H021", "H031"} <= {note["code"] for note in noted}
    assert "icu_days" not in (out / "model.json").read_text()  # the rule does not read it
    assert "H021" in screen
    assert "docs/guide/notes.md" in screen


def test_an_acknowledged_note_has_its_reason_everywhere_and_changes_no_number(rng, tmp_path):
    frame = _leaky(rng)
    reason = "the cause is coded at admission"
    _, plain = _certified(frame, tmp_path)
    screen, out = _certified(frame, tmp_path, "--acknowledge", f"H021={reason}")
    model, other = (json.loads((d / "model.json").read_text()) for d in (out, plain))
    assert model["certificate"] == other["certificate"]
    assert model["fitted"] == other["fitted"]
    assert model["data"]["reading"]["acknowledged"] == {"H021": reason}
    noted = {note["code"]: note["reason"] for note in model["provenance"]["notes"]}
    assert noted["H021"] == reason
    assert f"Acknowledged: {reason}." in (out / "report.html").read_text()
    assert "Acknowledged:" in screen
    read = load_table(tmp_path / "t.csv").frame
    verdict = verify_model(out / "model.json", read.drop(columns="outcome"), read["outcome"])
    assert not verdict.differences


def _verdict(model, table, folder, notes):
    """The verdict on the file with other notes, under a hash that fits."""
    path = folder / "forged.json"
    forged = {**model, "provenance": {**model["provenance"], "notes": notes}}
    path.write_text(to_text(forged))
    return verify_model(path, table, library=Retraining(path, table))


@pytest.mark.parametrize("more", [(), ("--rules", "stumps")], ids=["menu", "cover"])
def test_a_caution_that_is_removed_or_forged_is_not_valid(more, rng, tmp_path):
    _leaky(rng).to_csv(tmp_path / "t.csv", index=False)
    candidates = () if more else ("--candidates", "one rule")
    words = ["certify", str(tmp_path / "t.csv"), "-o", str(tmp_path / "out"), *candidates, *more]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    model = json.loads((tmp_path / "out" / "model.json").read_text())
    table, notes = load_table(tmp_path / "t.csv").frame, model["provenance"]["notes"]
    codes = {note["code"] for note in notes} - {"H060", "H061"}
    assert "H021" in codes
    honest = _verdict(model, table, tmp_path, notes)
    assert honest.status == "VALID", honest.differences
    assert "H021" not in honest.stated.get("notes", "")
    shuffled = table.sample(frac=1.0, random_state=1).reset_index(drop=True)
    assert _verdict(model, shuffled, tmp_path, notes).status == "VALID"
    kept = [note for note in notes if note["code"] != "H021"]
    caution = next(note for note in notes if note["code"] == "H021")
    harmless = {**caution, "text": "cause_of_illness: a few cells are empty"}
    answered = {**caution, "reason": "coded at admission"}
    renamed = {**caution, "code": "H060"}
    for forged in (kept, [], [*kept, harmless], [*kept, answered], [*kept, renamed], None):
        verdict = _verdict(model, table, tmp_path, forged)
        assert verdict.status == "NOT VALID", forged
    # how a file was read cannot be seen in its rows: such a note is stated alone
    told = [*notes, {**caution, "code": "H060", "text": "The file was read as UTF-8."}]
    verdict = _verdict(model, table, tmp_path, told)
    assert verdict.status == "VALID"
    assert "H060" in verdict.stated["notes"]


@pytest.mark.parametrize("name", TABLES)
def test_notes_depend_neither_on_the_order_of_rows_nor_on_the_kind_of_file(name, tmp_path):
    messy = TABLES[name]()
    messy.frame.to_csv(tmp_path / "t.csv", index=False)
    raw, typed = load_table(tmp_path / "t.csv").frame, read_frame(tmp_path / "t.csv")
    choices, told = Choices(target=messy.target, **messy.choices), []
    for frame in (raw, typed, raw.sample(frac=1.0, random_state=3).reset_index(drop=True)):
        study = read_study(frame, choices)
        read = [column.name for column in study.features]
        told.append(plain_notes(study.notes_on(read), for_others=True))
    assert told[0] == told[1] == told[2]


def test_python_warns_with_codes_until_the_reason_is_given(rng):
    frame = _leaky(rng)
    X, y = frame.drop(columns=["outcome", "icu_days"]), frame["outcome"]
    with pytest.warns(TableCaution, match="cause_of_illness: .*H021"):
        machine = CertifiedClassifier(["one rule"]).fit(X, y)
    assert "H021" in {note.code for note in machine.notes_}
    with warnings.catch_warnings():
        warnings.simplefilter("error", TableCaution)
        said = {"acknowledged": {"H021": "coded at admission"}}
        machine = CertifiedClassifier(["one rule"], columns=said).fit(X, y)
    assert any("Acknowledged: coded at admission." in note for note in machine.notes_)


@pytest.mark.parametrize("given", [{"H999": "no such code"}, {"H012": " "}])
def test_a_wrong_acknowledgement_is_refused(given):
    with pytest.raises(ValueError, match="`--acknowledge` must be a code of a note and a reason"):
        Choices(acknowledged=given)


def test_a_cell_as_it_was_written_stays_on_the_screen(rng, tmp_path):
    frame = _leaky(rng)[["age", "outcome"]]
    frame.loc[::40, "age"] = "Mr Smith"
    screen, out = _certified(frame, tmp_path)
    assert "Mr Smith" in re.sub(r"[\s│]+", " ", screen)
    for name in ("model.json", "report.html", "certificate.json"):
        assert "Smith" not in (out / name).read_text(), name


def test_marks_that_turn_the_writing_are_shown_in_the_report(rng, tmp_path):
    frame = _leaky(rng)[["age", "outcome"]].rename(columns={"age": "age\u202egnp"})
    _, out = _certified(frame, tmp_path)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "\u202e" not in page
    assert "age&lt;U+202E&gt;gnp" in page


@pytest.mark.parametrize("n_words", [3, 60])
def test_an_order_of_free_text_shows_three_words(n_words, rng, tmp_path):
    remarks = [f"remark{k:02d} on the ward of patient {k}" for k in range(n_words)]
    frame = _leaky(rng)[["age", "outcome"]]
    frame["note"] = [remarks[k % n_words] for k in range(len(frame))]
    screen, _ = _certified(frame, tmp_path, "--ordered", "note")
    shown = set(re.findall(r"remark\d\d", screen))
    assert len(shown) == 3
    study = read_study(frame, Choices(ordered=("note",)))
    note = next(note for note in study.all_notes if note.code == "H051")
    assert len(re.findall(r"remark\d\d", note)) == 3
    assert ("…" in note) == (n_words > 3)
