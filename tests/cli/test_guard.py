"""Every error ends with a sentence and a documented exit code."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from handful.cli import guard
from handful.cli.guard import GuardedGroup, guarded
from tests.cli.program import ENVIRONMENT, HANDFUL

runner = CliRunner()


@pytest.mark.parametrize(
    ("error", "code", "title"),
    [
        (ValueError("`n` must be [bold]small"), 2, "Error: `n` must be [bold]small"),
        (FileNotFoundError("there is no file x"), 1, "Failed: there is no file x"),
        (RuntimeError("the solver stopped"), 1, "Failed: the solver stopped"),
        (MemoryError(), 1, "Failed: there is not enough memory"),
        (RecursionError("too deep"), 1, "Failed: too deep"),
        (KeyError("secret"), 3, "Unexpected error: KeyError: 'secret'"),
        (AttributeError("no such thing"), 3, "Unexpected error: AttributeError: no such thing"),
        (AssertionError(), 3, "Unexpected error: AssertionError"),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (guard.Ended(signal.SIGTERM), 143, "Interrupted."),
        (BrokenPipeError(), 141, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_errors_have_a_sentence_and_a_code(error, code, title, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit) as caught, guarded():
        raise error
    assert caught.value.code == code
    said = capsys.readouterr().err
    assert said.startswith(title)
    assert "Traceback" not in said
    assert (code == 3) == bool(list(tmp_path.iterdir()))


def test_type_errors_of_libraries_are_unexpected(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit) as caught, guarded():
        len(3)  # raised here, which is not a module of the package
    assert caught.value.code == 3
    from handful.bounds import held_out_bound

    with pytest.raises(SystemExit) as caught, guarded():
        held_out_bound("many", 0)
    assert caught.value.code == 2


def test_the_report_is_private_and_says_what_is_needed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit), guarded():
        {}["absent"]
    (path,) = tmp_path.iterdir()
    said = capsys.readouterr().err.replace("\n", "")
    assert path.name in said
    text = path.read_text()
    for part in ("handful 0", "Python 3", "pandas", "Traceback", "KeyError: 'absent'", "command:"):
        assert part in text
    assert path.stat().st_mode & 0o077 == 0


def test_without_a_writable_place_it_is_said(monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    with pytest.raises(SystemExit), guarded():
        {}["absent"]
    assert "No report could be written" in capsys.readouterr().err


def test_wrong_options_are_left_to_the_parser_but_cleaned():
    app = typer.Typer(cls=GuardedGroup)
    app.callback()(lambda: None)

    @app.command()
    def hello():
        pass

    result = runner.invoke(app, ["hello", "evil\x1b[2J.csv"])
    assert result.exit_code == 2
    assert "evil" in result.output
    assert "\x1b[2J" not in result.output


def _shell(command, cwd):
    words = ["bash", "-c", f'handful() {{ {" ".join(HANDFUL)} "$@"; }}; {command}']
    return subprocess.run(
        words, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@pytest.mark.sample(2)
@needs_full
@pytest.mark.parametrize(
    "words",
    ["--version", "--help", "datasets haberman", "demo", "demo --json", "datasets banana --json"],
)
def test_a_full_disk_is_one_sentence(words, tmp_path):
    ran = _shell(f"handful {words} > /dev/full", tmp_path)
    assert ran.returncode == 1
    said = ran.stderr.replace("\n", " ").strip()
    assert said == "Failed: the results cannot be written: No space left on device."


@needs_full
def test_a_full_device_as_out(tmp_path):
    ran = _shell("handful datasets haberman --out /dev/full", tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("Failed: ")
    assert "No space left on device" in ran.stderr
    assert Path("/dev/full").is_char_device()


def test_a_small_limit_of_memory_is_said(tmp_path):
    ran = _shell("ulimit -v 500000; handful datasets haberman", tmp_path)
    assert "limit of memory (488 MB, ulimit -v) may be too small" in ran.stderr.replace("\n", " ")
    assert "Traceback" not in ran.stderr
    assert "limit of memory" not in _shell("handful datasets haberman", tmp_path).stderr


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.4])
def test_an_early_ctrl_c_is_one_word(seconds, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-c", EARLY, str(seconds)],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, said = program.communicate(timeout=60)
    assert (program.returncode, said) == (130, "Interrupted.\n")


def test_a_closed_pipe_is_quiet(tmp_path):
    command = "handful datasets banana --n-samples 200000 | head -1; echo ${PIPESTATUS[0]}"
    ran = _shell(command, tmp_path)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["x0,x1,label", "141"]


EARLY = """
import builtins, signal, sys, time
start, real = time.monotonic(), builtins.__import__
def slowly(name, *args, **more):
    if time.monotonic() - start > float(sys.argv[1]):
        builtins.__import__ = real
        signal.raise_signal(signal.SIGINT)
    time.sleep(0.01)
    return real(name, *args, **more)
from handful.__main__ import main
builtins.__import__, sys.argv[2:] = slowly, []
main()
"""

WAITING = """
import sys, time
from handful.writing import open_atomically
import handful.cli as cli

@cli.app.command()
def wait():
    with open_atomically("out.csv") as file:
        file.write(b"half")
        print("waiting", flush=True)
        time.sleep(60)

sys.argv = ["handful", "wait"]
cli.main()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_signals_clean_up_as_ctrl_c(name, code, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # whoever started the tests may ignore it, and that is inherited
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    assert program.stdout.readline() == "waiting\n"
    assert len(list(tmp_path.iterdir())) == 1
    program.send_signal(getattr(signal, name))
    _, said = program.communicate(timeout=60)
    assert program.returncode == code
    assert said == "Interrupted.\n"
    assert list(tmp_path.iterdir()) == []


def test_an_ignored_hangup_stays_ignored(tmp_path):
    done = WAITING.replace("time.sleep(60)", "time.sleep(1)")
    program = subprocess.Popen(
        ["nohup", sys.executable, "-c", done],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "waiting\n"
    program.send_signal(signal.SIGHUP)
    program.communicate(timeout=60)
    assert program.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_the_codes_are_documented():
    table = guard.__doc__
    for code in (guard.FAILED, guard.MISUSED, guard.UNEXPECTED):
        assert re.search(rf"^{code}    ", table, re.MULTILINE)
    assert str(guard.BROKEN_PIPE) in table
