"""The report says where it came from, in commands that run."""

import html
import re
import shutil
import subprocess
import sys

import pytest

from handful.cli.study_files import command_line
from handful.tables import load_table
from tests.cli.program import ENVIRONMENT, HANDFUL


def run_program(*words, cwd):
    subprocess.run([*HANDFUL, *words], cwd=cwd, env=ENVIRONMENT, check=True, capture_output=True)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a study")
    rows = "".join(f"{i % 7},{i % 5},{'ill' if i % 7 > 3 else 'well'}\n" for i in range(60))
    (folder / "my patients.csv").write_text("dose,age,outcome\n" + rows)
    words = ["certify", "my patients.csv", "--target", "outcome", "--rules", "stumps"]
    run_program(*words, "--out", "the result", cwd=folder)
    return folder, (folder / "the result" / "report.html").read_text(encoding="utf-8")


def _block(page, name):
    return html.unescape(re.search(rf'<pre class="code" id="{name}">(.*?)</pre>', page, re.S)[1])


@pytest.mark.thorough
def test_the_command_of_the_report_runs(study):
    folder, page = study
    command = _block(page, "verify-command")
    assert command.startswith("handful verify 'the result/model.json' 'my patients.csv' --target")
    shell = command.replace("handful", f"{sys.executable} -m handful", 1)
    run = subprocess.run(
        ["sh", "-c", shell], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "VALID" in run.stdout


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="the printed command needs sha256sum")
def test_the_digests_of_the_report_hold(study):
    folder, page = study
    run = subprocess.run(
        ["sh", "-c", _block(page, "digests")], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(": OK") == 2


def test_date_version_and_command_are_shown(study):
    _, page = study
    text = html.unescape(page)
    assert re.search(r"<dt>made</dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</dd>", text)
    assert re.search(r"<dt>handful</dt><dd>\d+\.\d+", text)
    assert "handful certify 'my patients.csv' --target outcome --rules stumps" in text


@pytest.mark.thorough
def test_embedded_data_are_named_by_no_file(tmp_path):
    run_program("certify", "--rules", "stumps", "--out", "out", cwd=tmp_path)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert _block(page, "verify-command") == "handful verify out/model.json"


def test_code_that_calls_the_program_has_no_command_line(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pytest", "tests"])
    assert command_line() is None


def test_digests_are_those_of_the_bytes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n")
    wanted = "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470"
    assert load_table(path).digests == ((str(path), wanted),)
