"""Run the pages of docs/ that show a session, and write what the commands print into them.

    python tools/transcripts.py [PAGE ...]

A session is a page with blocks of ``console``: lines after ``$`` are run in order, with the page's
Python blocks between them, in one empty folder. ``<!-- lines 1-5, 9-12 -->`` before a block keeps
these lines of its output. Times and digests differ between machines and are not compared.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from handful.cli import app

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(
    r"(?:<!-- lines (?P<lines>[\d, -]+) -->\n)?"
    r"^```(?P<kind>console|python)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
ALARM = 4  # exit code of `monitor`


def sessions() -> list[Path]:
    """Pages that show a session."""
    pages = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
    return [page for page in pages if "\n```console\n$ " in page.read_text(encoding="utf-8")]


def output_of(command: str) -> str:
    """What a command prints; its progress is left out."""
    words = shlex.split(command)
    if words[0] != "handful":
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    result = CliRunner().invoke(app, words[1:], env={"COLUMNS": "80"})
    if result.exit_code not in (0, ALARM):
        raise RuntimeError(f"{command}\n{result.output}\n{result.exception!r}")
    return result.output


def kept(output: str, wanted: str | None) -> list[str]:
    """The lines to show, without blanks at their ends; dots stand for those between."""
    lines = [line.rstrip() for line in output.splitlines() if not line.rstrip().endswith(" …")]
    if wanted is None:
        return lines
    shown: list[str] = []
    last = 0
    for part in wanted.split(","):
        first, end = (int(number) for number in part.split("-"))
        shown += ["..."] * (first > last + 1) + lines[first - 1 : end]
        last = end
    return shown + ["..."] * (last < len(lines))


def same_run(text: str) -> str:
    """The text without what differs from machine to machine: times, and digests of files."""
    return re.sub(r"\b\d+\.\d\s+s\.|\b[0-9a-f]{16,64}\b", "", text)


def run_page(text: str) -> str:
    """The page as it should be; it runs in the current folder."""
    names: dict[str, Any] = {}

    def replace(match: re.Match[str]) -> str:
        body = match["body"]
        if match["kind"] == "python":
            exec(compile(body, "page", "exec"), names)
            return match.group()
        parts = []
        for command in re.findall(r"^\$ (.*)$", body, re.MULTILINE):
            parts += [f"$ {command}", *kept(output_of(command), match["lines"])]
        new = match.group().replace(body, "\n".join(parts) + "\n")
        return match.group() if same_run(new) == same_run(match.group()) else new

    return BLOCK.sub(replace, text)


def main(pages: list[Path]) -> None:
    home = Path.cwd()
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            text = page.read_text(encoding="utf-8")
            page.write_text(run_page(text), encoding="utf-8")
            os.chdir(home)


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or sessions())
