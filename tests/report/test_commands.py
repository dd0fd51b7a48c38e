"""Commands that the page prints can be pasted into a shell."""

import hashlib
import shlex
import shutil
import subprocess

import pytest

from handful.report.page import check_digests, verify_command


def test_unknown_names_are_capitals():
    assert verify_command(None, None, None) == "handful verify MODEL DATA --target COLUMN"


def test_embedded_data_need_neither_file_nor_column():
    assert verify_command("m.json", "", "class") == "handful verify m.json"


@pytest.mark.parametrize("name", ["a b", "-x", "it's", "$(rm)", "größe"])
def test_names_arrive_as_they_are(name):
    words = shlex.split(verify_command(f"{name}.json", f"{name}.csv", name))
    assert words[:2] == ["handful", "verify"]
    assert [word.removeprefix("./") for word in words[2:4]] == [f"{name}.json", f"{name}.csv"]
    assert " ".join(words[4:]).replace("=", " ", 1) == f"--target {name}"
    assert not any(word.startswith("-") for word in words[2:4])


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not here")
def test_sha256sum_accepts_the_digests_and_notices_a_change(tmp_path):
    names = ["a.json", "b c's $HOME.csv", "back\\slash.csv"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    text = check_digests({n: hashlib.sha256(n.encode()).hexdigest() for n in names})
    run = subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(": OK") == 3
    (tmp_path / "a.json").write_bytes(b"changed")
    assert subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True).returncode == 1


def test_nothing_to_check_is_no_command():
    assert check_digests({}) == ""
