"""The pages that people read, and the blocks on them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts),
]
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>[^>]+) -->\n)?^```(?P<kind>\S+)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A block of a page; `why` says why it is not run, where it cannot be."""

    kind: str
    body: str
    why: str | None


def name_of(page: Path) -> str:
    """The page as a test names it."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    return [Block(found["kind"], found["body"], found["why"]) for found in BLOCK.finditer(text)]


def is_session(page: Path) -> bool:
    """Whether the page shows what its commands print."""
    return any(block.kind == "console" for block in blocks(page))
