"""The real program: in a subprocess, in a pseudo-terminal, and interrupted."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from handful.cli import app
from tests.cli.program import ENVIRONMENT, HANDFUL


def _run(*words, cwd):
    return subprocess.run(
        [*HANDFUL, *words], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )


@pytest.mark.thorough
def test_from_a_table_to_a_checked_label(tmp_path):
    """Write data, certify, verify, predict, export: four files, all readable."""
    assert _run("datasets", "haberman", "--out", "data.csv", cwd=tmp_path).returncode == 0
    made = _run("certify", "data.csv", "--rules", "stumps", "--out", "results", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "With 95 % confidence" in made.stdout
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"model.json", "certificate.json"} <= written <= {
        "model.json", "certificate.json", "evidence.json", "report.html"
    }  # fmt: skip
    risk = json.loads((tmp_path / "results" / "certificate.json").read_text())["risk"]
    assert 0 < risk < 1
    checked = _run("verify", "results/model.json", "data.csv", cwd=tmp_path)
    assert checked.returncode == 0
    assert "VALID" in checked.stdout
    labels = _run("predict", "results/model.json", "data.csv", cwd=tmp_path)
    assert len(labels.stdout.splitlines()) == 295
    exported = _run("export", "results/model.json", "--to", "sql", cwd=tmp_path)
    assert exported.stdout.startswith("--")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "results"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 2),
        (["certify", "none.csv"], 1),
        (["certify", "--delta", "2"], 2),
        (["nonsense"], 2),
        (["--version"], 0),
    ],
)
def test_exit_codes(words, code, tmp_path):
    assert _run(*words, cwd=tmp_path).returncode == code
    assert list(tmp_path.iterdir()) == []


def test_every_command_has_a_guide_and_json():
    runner = CliRunner()
    guide = runner.invoke(app, ["--help"]).output
    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert len(names) >= 9
    for name in names:
        assert name in guide
        text = runner.invoke(app, [name, "--help"]).output
        assert "--json" in text, name
    assert "install-completion" in guide.replace("\n", "")


def _in_terminal(words, cwd, until=None, limit=300.0):
    """Run in a pseudo-terminal; send Ctrl-C once ``until`` is seen. Gives code and output."""
    child, handle = pty.fork()
    if child == 0:  # pragma: no cover
        os.chdir(cwd)
        os.execve(sys.executable, [*HANDFUL, *words], ENVIRONMENT)
    out, start = b"", time.monotonic()
    while True:
        if time.monotonic() - start > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail(f"not done after {limit:g} s: {out[-500:]!r}")
        if select.select([handle], [], [], 0.05)[0]:
            try:
                block = os.read(handle, 65536)
            except OSError:
                break
            if not block:
                break
            out += block
        if until is not None and until in out:
            os.write(handle, b"\x03")
            until = None
    _, status = os.waitpid(child, 0)
    os.close(handle)
    return os.waitstatus_to_exitcode(status), out.decode(errors="replace")


@pytest.mark.thorough
def test_in_a_terminal_it_is_coloured(tmp_path):
    code, out = _in_terminal(["certify", "--rules", "stumps"], tmp_path)
    assert code == 0
    assert "\x1b[" in out
    assert "With 95 % confidence" in out


@pytest.mark.thorough
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    words = ["compare", "--out", "results", "--folds", "10"]
    code, out = _in_terminal(words, tmp_path, until=b"fits")
    assert code in (1, 130, -signal.SIGINT), out
    assert "Traceback" not in out
    assert "fits" in out
    assert list(tmp_path.iterdir()) == []
