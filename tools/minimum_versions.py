"""Print the lowest versions that pyproject.toml allows, as exact requirements for pip.

Run: python tools/minimum_versions.py [EXTRA ...]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """``numpy>=1.26`` becomes ``numpy==1.26``; what is exact already stays, and so do extras."""
    name, mark, version = re.fullmatch(
        r"([\w.-]+(?:\[[\w,.-]+\])?)(?:(>=|==)([\w.]+).*)?", requirement.replace(" ", "")
    ).groups()
    return f"{name}=={version}" if mark else name


def minimum(extras: list[str], project: Path = PROJECT) -> list[str]:
    """Requirements of the package itself and of the named extras."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    wanted = list(table["dependencies"])
    for extra in extras:
        wanted += table["optional-dependencies"][extra]
    return sorted({lowest(requirement) for requirement in wanted})


if __name__ == "__main__":
    print("\n".join(minimum(sys.argv[1:])))
