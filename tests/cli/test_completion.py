"""Completion: shell files are touched after a question only."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from handful.cli import app
from tests.cli.program import ENVIRONMENT, HANDFUL

runner = CliRunner()


@pytest.mark.parametrize("answer", ["n\n", "", "\n"])
def test_no_means_no(answer, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("mine\n")
    result = runner.invoke(app, ["--install-completion"], input=answer)
    assert result.exit_code == 1
    assert "Go on? [y/N]" in result.output
    assert (tmp_path / ".bashrc").read_text() == "mine\n"
    assert [path.name for path in tmp_path.iterdir()] == [".bashrc"]


def test_yes_installs(tmp_path):
    (tmp_path / ".bashrc").write_text("mine\n")
    words = " ".join(HANDFUL)
    ran = subprocess.run(
        ["bash", "-c", f"echo y | {words} --install-completion; exit $?"],
        env={**ENVIRONMENT, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / ".bashrc").read_text().startswith("mine\n")
    assert "source" in (tmp_path / ".bashrc").read_text()


def test_the_script_is_shown(tmp_path):
    ran = subprocess.run(
        ["bash", "-c", f"{' '.join(HANDFUL)} --show-completion; exit $?"],
        env={**ENVIRONMENT, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert "complete" in ran.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("handful cer", "certify"), ("handful certify --tar", "--target"), ("handful xyz", "")],
)
def test_the_tab_key_is_answered(typed, offered, tmp_path):
    """The script that is shown and installed, run as bash runs it."""
    program = tmp_path / "handful"
    program.write_text(f"#!{sys.executable}\nfrom handful.cli import main\nmain()\n")
    program.chmod(0o755)
    lines = [
        "handful --show-completion > script",
        "source ./script",
        f"COMP_WORDS=({typed}); COMP_CWORD={len(typed.split()) - 1}",
        "_handful_completion handful",
        'echo "${COMPREPLY[*]}"',
    ]
    path = f"{tmp_path}:{ENVIRONMENT['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        env={**ENVIRONMENT, "HOME": str(tmp_path), "PATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stderr == ""
    assert ran.stdout.strip() == offered
