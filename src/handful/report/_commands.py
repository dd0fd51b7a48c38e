"""Commands that a page prints: they run as they stand in a POSIX shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

_END = "END"


def verify_command(model: str | None, data: str | None, target: str | None) -> str:
    """The command that checks a certificate again; capitals stand for what is not known."""
    words = ["handful", "verify", "MODEL" if model is None else _as_file(model)]
    if data == "":  # the embedded data need neither
        return shlex.join(words)
    words.append("DATA" if data is None else _as_file(data))
    column = "COLUMN" if target is None else target
    # a name that begins with a dash must not be read as an option
    words += [f"--target={column}"] if column.startswith("-") else ["--target", column]
    return shlex.join(words)


def check_digests(digests: Mapping[str, str]) -> str:
    """A here-document for ``sha256sum --check``; empty where there is nothing to check."""
    lines = [_line(name, digest) for name, digest in digests.items()]
    return "\n".join([f"sha256sum --check <<'{_END}'", *lines, _END]) if lines else ""


def _as_file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _line(name: str, digest: str) -> str:
    """A line as ``sha256sum`` writes it: backslashes and line ends in names are escaped."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{digest}  {escaped}"
