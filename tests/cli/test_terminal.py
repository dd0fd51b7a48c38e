"""Standard error on a terminal, standard output in a file: the data arrive, and help is quick."""

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.cli.program import ENVIRONMENT, HANDFUL


def _run(words, cwd):
    """Output and code of a command whose standard error is a terminal; it is drained."""
    ours, theirs = pty.openpty()
    with (cwd / "out").open("wb") as out:
        program = subprocess.Popen(
            [*HANDFUL, *words], cwd=cwd, env=ENVIRONMENT, stdout=out, stderr=theirs
        )
        os.close(theirs)
        said = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            said += block
        code = program.wait(timeout=300)
    os.close(ours)
    assert code == 0, said
    return (cwd / "out").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    cwd = tmp_path_factory.mktemp("terminal")
    _run(["datasets", "haberman", "--out", "data.csv"], cwd)
    words = ["certify", "data.csv", "--rules", "stumps", "--max-rules", "1"]  # no constant
    _run([*words, "--out", "results"], cwd)
    return cwd


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("words", "start", "n_lines"),
    [
        (["predict", "results/model.json", "data.csv"], "row,label,score,decided by,missing", 295),
        (["export", "results/model.json"], "--", 5),
        (["export", "results/model.json", "--to", "python"], '"""', 5),
        (["datasets", "haberman"], "age,", 295),
        (["datasets"], "Data sets", 5),
        (["certify", "data.csv", "--rules", "stumps"], "data.csv: 265 rows", 10),
        (["verify", "results/model.json", "data.csv"], "╭", 3),
        (["demo"], "Breast cancer", 5),
        (["plan", "--target-risk", "0.1"], "", 5),
        (["bound", "held-out", "--n-samples", "100", "--n-errors", "3"], "╭", 3),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_redirected_output_holds_the_data(words, start, n_lines, folder):
    out = _run(words, folder)
    assert out.lstrip().startswith(start), out[:200]
    assert len(out.splitlines()) >= n_lines


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        ["export", "results/model.json"],
        ["datasets", "haberman"],
        ["datasets"],
        ["certify", "data.csv", "--rules", "stumps"],
        ["compare", "data.csv", "--machines", "decision-list", "--quick"],
        ["verify", "results/model.json", "data.csv"],
        ["demo"],
        ["plan", "--target-risk", "0.1"],
        ["bound", "held-out", "--n-samples", "100", "--n-errors", "3"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_redirected_json_is_json(words, folder):
    assert json.loads(_run([*words, "--json"], folder))


def test_redirected_json_rows(folder):
    out = _run(["predict", "results/model.json", "data.csv", "--json"], folder)
    assert [json.loads(line)["row"] for line in out.splitlines()] == list(range(1, 295))


HEAVY = ("numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "highspy", "pyarrow")
IMPORTED = f"""
import sys
from handful.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print([name for name in {HEAVY!r} if name in sys.modules])
"""


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "words",
    [["--version"], ["-V"], ["--help"], ["-h"], ["certify", "--help"], ["predict", "-h"],
     ["verify", "-h"], ["compare", "-h"], ["export", "-h"], ["datasets", "-h"], ["plan", "-h"],
     ["reproduce", "-h"]],
    ids=" ".join,
)  # fmt: skip
def test_help_imports_nothing_heavy(words):
    program = [sys.executable, "-c", IMPORTED, *words]
    ran = subprocess.run(program, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.thorough
def test_short_options_and_force(folder):
    words = ["certify", "data.csv", "-t", "label", "--rules", "stumps", "-d", "0.1", "-q", "-j"]
    assert json.loads(_run([*words, "-o", "short"], folder))["certificate"]["delta"] == 0.1
    ran = subprocess.run(
        [*HANDFUL, *words, "-o", "short"],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "exists already" in ran.stderr
    assert ran.stdout == ""
    _run([*words, "-o", "short", "-f"], folder)


@pytest.mark.thorough
@pytest.mark.parametrize("victim", ["data.csv", "results/model.json"])
def test_inputs_are_not_overwritten(victim, folder):
    before = (folder / victim).read_bytes()
    ran = subprocess.run(
        [*HANDFUL, "predict", "results/model.json", "data.csv", "--out", victim],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "exists already" in ran.stderr
    assert (folder / victim).read_bytes() == before
