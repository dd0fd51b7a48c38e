"""Every command that a page or a help text prints runs as it is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from handful.cli import app
from handful.datasets import load_dataset
from handful.files import Protocol
from handful.tables import Choices
from tests.pages import PAGES, blocks, name_of

# Words of usage lines, and names of files or folders that stand for them here.
STAND_INS = {"FOLDER": "folder", "DATA": "rows.csv", "DIR": "made"}
MAKE_RESULTS = "handful certify patients.csv --target outcome --rules stumps --out results"
runner = CliRunner()
# said by Dask of its own calls of pandas
pytestmark = pytest.mark.filterwarnings("default:The inplace keyword:DeprecationWarning")


def _lines(page):
    """Commands in the blocks of a page, then those in its sentences."""
    for block in blocks(page):
        # what a command printed, its hints how to go on among it, is no command of the page
        if block.kind in ("sh", "text") and not block.body.startswith("Breast Cancer"):
            for line in block.body.splitlines():
                for part in line.split("&&"):
                    if part.strip().startswith("handful "):
                        yield part.strip()
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for command in re.findall(r"`(handful [a-z]+ [^`]+)`", prose):
        yield " ".join(command.split())


def _helps():
    """Help texts by command; the program itself first."""
    program = typer.main.get_command(app)
    texts = {"": program.help or ""}
    for name in program.list_commands(None):
        texts[name] = program.get_command(None, name).help or ""
    return texts


def _bold(text):
    return [" ".join(c.split()) for c in re.findall(r"\*\*(handful .+?)\*\*", text, re.DOTALL)]


PRINTED = {name_of(page): list(_lines(page)) for page in PAGES if page.stem != "performance"}
PRINTED |= {f"handful {name} --help".replace("  ", " "): _bold(t) for name, t in _helps().items()}
PRINTED = {name: commands for name, commands in PRINTED.items() if commands}


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    X, y = load_dataset("haberman").named()
    X, y = X[:80], np.array(["died" if "died" in label else "alive" for label in y[:80]])
    patient = [f"P{i:03d}" for i in range(80)]
    X.assign(patient=patient, outcome=y).to_csv(tmp_path / "patients.csv", index=False)
    X.assign(column=y).to_csv(tmp_path / "my.csv", index=False)
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    X.assign(patient=range(80)).to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "rows").mkdir()
    for k in range(2):
        part = X.assign(label=y)[k::2]
        part.to_parquet(tmp_path / "rows" / f"{k}.parquet", index=False)
    (tmp_path / "folder").mkdir()
    from handful.papers import scm_2003

    for name in pd.read_csv(Path(scm_2003.__file__).parent / "expected" / "scm-2003.csv")["file"]:
        rows = X[:60].assign(label=np.where(y[:60] == "died", 1, -1))
        rows.to_csv(tmp_path / "folder" / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HANDFUL_DATA", raising=False)
    return tmp_path


def _words(command):
    words = shlex.split(command, comments=True)
    return [STAND_INS.get(word, word) for word in words[1:]]


def _run(command):
    result = runner.invoke(app, _words(command))
    assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"
    return result


def _fill_protocol():
    """A protocol that a person filled in, in place of the template or of no file."""
    columns = Choices(target="outcome", positive="died")
    Protocol(date="2026-03-01", columns=columns).write("protocol.toml", overwrite=True)


def _is_only_read(command):
    """Commands that need a cluster, or the papers' data sets, which are not part of the project."""
    needs_data = command.startswith("handful reproduce") and "--data-dir" not in command
    return "--scheduler" in command or needs_data


@pytest.mark.sample(2)
@pytest.mark.parametrize("page", PRINTED)
def test_printed_commands_run(page, scratch):
    commands = [c for c in PRINTED[page] if not _is_only_read(c)]
    makes_results = any("certify" in c and "--out results" in c for c in commands)
    if any(re.search(r"\bresults\b", c) for c in commands) and not makes_results:
        _run(MAKE_RESULTS)
    for command in commands:
        if "--to card" in command:  # a row of a menu, not a cover
            _run("handful certify patients.csv --target outcome --choose 0 --candidates "
                 "'score card' --out results --force")  # fmt: skip
        if "protocol.toml" in command and "protocol new" not in command:
            _fill_protocol()
        if "certify" in command and "--out results" in command and Path("results").exists():
            command += " --force"  # an example before it wrote there
        if "--unlabelled" in command:  # rows that had no part in training
            (pd.read_csv("new.csv") + 0.25).to_csv("new.csv", index=False)
        _run(command)
        if "--out" in (words := _words(command)):
            assert Path(words[words.index("--out") + 1]).exists(), command


@pytest.mark.parametrize("page", PRINTED)
def test_commands_that_cannot_run_here_are_understood(page):
    program = typer.main.get_command(app)
    for command in PRINTED[page]:
        if _is_only_read(command):
            name, *words = _words(command)
            program.get_command(None, name).make_context(name, words)


def test_a_report_is_written_by_the_command_of_the_readme(scratch):
    command = next(c for c in PRINTED["README.md"] if "--out study" in c)
    _run(command)
    names = {path.name for path in (scratch / "study").iterdir()}
    assert names >= {"model.json", "certificate.json", "report.html"}


def test_commands_are_found():
    assert len(PRINTED["README.md"]) >= 7
    assert "handful certify --help" in PRINTED
    assert _bold("a **handful x 'r/*.p'** b") == ["handful x 'r/*.p'"]
