"""Where results came from: date, command line, files and their digests, for the report."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def read_origin(
    data: Path | None, read: Iterable[tuple[str, str]], model: Path, model_text: str
) -> dict[str, Any]:
    """What `render_report` is told of files and of the run.

    ``read`` has the data files with the digests of what was read; they may have changed since.
    The model is given as text: its file is written together with the report.
    """
    digests = {str(model): hashlib.sha256(model_text.encode("utf-8")).hexdigest(), **dict(read)}
    facts = {"made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")}
    if command := command_line():
        facts["command"] = command
    return {
        "model_file": str(model),
        "data_file": "" if data is None else str(data),
        "digests": digests,
        "provenance": facts,
    }


def command_line() -> str | None:
    """The command as it was typed; None where the program was called from other code."""
    words = sys.argv[1:]
    return shlex.join(["handful", *words]) if "certify" in words else None
