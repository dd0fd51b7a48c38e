"""Write docs/performance.md from saved outputs of the benchmarks.

Save an output by ``python benchmarks/bench_x.py > benchmarks/results/bench_x.txt``; several runs
of one benchmark are ``bench_x-NAME.txt``. Then run ``python tools/performance_page.py``; with
``--check`` it only says whether the page is up to date.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
RESULTS = "results"
INTRODUCTION = """# Performance

Every number on this page was printed by a benchmark of the project: a ratio of two things timed in
turn in one process, with the peer named and its result checked to be equal or better. Ratios are
what to compare; seconds depend on the machine. The page is made by `python
tools/performance_page.py` from the outputs in `benchmarks/results`.
"""


def claim(path: Path) -> str:
    """The docstring of a benchmark, without the line that says how to run it."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    kept = [part for part in text.split("\n\n") if not re.match(r"(?i)(run|usage): ", part)]
    return re.sub(r"(?i)\s*(run|usage): .*", "", "\n\n".join(kept), flags=re.DOTALL).strip()


def section(path: Path, results: list[Path]) -> str:
    """One benchmark: what it claims, how to run it, what it printed."""
    first, *rest = claim(path).split("\n\n")
    title = " ".join(first.split()).removeprefix("Claim: ").rstrip(".")
    title = title[:1].upper() + title[1:]
    parts = [f"## {title}", *rest, f"`python benchmarks/{path.name}`"]
    for result in results:
        output = result.read_text(encoding="utf-8").rstrip().replace("```", "'''")
        parts.append(f"```text\n{output}\n```")
    return "\n\n".join(parts)


def number_of(entry: dict, folder: Path) -> float | None:
    """What a saved output says of one target; None where it says nothing."""
    path = folder / RESULTS / f"{entry['result']}.txt"
    found = (
        re.search(entry["pattern"], path.read_text(encoding="utf-8")) if path.is_file() else None
    )
    return float(found[1]) if found else None


def first_table(folder: Path) -> list[str]:
    """What, against whom, measured, target: one line each, from benchmarks/targets.toml."""
    path = folder / "targets.toml"
    if not path.is_file():
        return []
    lines = ["| what | against | measured | target | reached |", "|---|---|---|---|---|"]
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["target"]:
        unit, goal, value = entry["unit"], entry["target"], number_of(entry, folder)
        sign = "≥" if entry["at"] == "least" else "≤"
        if value is None:
            measured, reached = "not measured", ""
        else:
            measured = f"{value:g}{unit}"
            reached = (
                "yes" if (value >= goal if entry["at"] == "least" else value <= goal) else "no"
            )
        row = [entry["what"], entry["peer"], measured, f"{sign} {goal:g}{unit}", reached]
        lines.append("| " + " | ".join(row) + " |")
    return ["## At a glance", "\n".join(lines)]


def render(folder: Path) -> str:
    """The whole page from a folder of benchmarks."""
    measured, waiting = [], []
    for path in sorted(folder.glob("bench_*.py")):
        found = [
            *sorted((folder / RESULTS).glob(f"{path.stem}.txt")),
            *sorted((folder / RESULTS).glob(f"{path.stem}-*.txt")),
        ]
        if found:
            measured.append(section(path, found))
        else:
            first = " ".join(claim(path).split("\n\n")[0].split())
            waiting.append(f"- `{path.name}`: {first}")
    parts = [INTRODUCTION.strip(), *first_table(folder), *measured]
    if waiting:
        parts.append("## Without a saved result\n\n" + "\n".join(waiting))
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    text = render(ROOT / "benchmarks")
    is_fresh = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
    if "--check" in arguments:
        print("up to date" if is_fresh else f"stale: run python tools/{Path(__file__).name}")
        return 0 if is_fresh else 1
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
