"""The one guard of the command line: every error becomes a sentence and an exit code.

==== =========================================================================
code meaning
==== =========================================================================
0    done
1    the work failed: a file is missing, a model is NOT VALID, the disk is full
2    misuse: a bad option, a bad value, an unreadable table
3    an error of handful itself; a report file says what to send
4    done, and ``handful monitor`` has an alarm
128+ ended by a signal: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 141 broken pipe
==== =========================================================================
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from rich.markup import escape
from typer.core import TyperGroup

from handful._version import __version__
from handful.cli.console import errors, printable

FAILED, MISUSED, UNEXPECTED = 1, 2, 3  # 2 is what the parser of the command line ends with
ENOUGH_BYTES = 2**30  # of address space, for small tables
BROKEN_PIPE = 128 + 13  # what a shell reports of SIGPIPE
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_REPORTED = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "pyarrow", "typer", "rich")


class Ended(KeyboardInterrupt):
    """A signal asked the program to end; what Ctrl-C cleans up is cleaned up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class GuardedGroup(TyperGroup):
    """Commands whose errors are reported by the guard."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with guarded():
            if 0 < (limit := _memory_limit()) < ENOUGH_BYTES:
                # libraries below that get no memory may end the process without a word
                errors.print(
                    f"The limit of memory ({limit / 2**20:.0f} MB, ulimit -v) may be too small: "
                    f"{ENOUGH_BYTES / 2**30:g} GB are enough for small tables.",
                    highlight=False,
                )
            return super().invoke(ctx)


@contextmanager
def guarded() -> Iterator[None]:
    """End the program with a sentence and an exit code, whatever happens inside."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # here, not at the end of the interpreter, which would complain
    except (typer.Exit, typer.Abort, SystemExit):
        raise
    except KeyboardInterrupt as error:
        number = getattr(error, "number", signal.SIGINT)
        errors.print("Interrupted.", highlight=False)
        raise SystemExit(128 + number) from error
    except BrokenPipeError as error:
        _drop_output()
        raise SystemExit(BROKEN_PIPE) from error
    except Exception as error:
        _report(error)


def _report(error: Exception) -> NoReturn:
    """Say what happened, and end."""
    if hasattr(error, "format_message"):  # a wrong option: the parser shows it
        if "\n" not in str(getattr(error, "message", "")):
            error.message = printable(str(getattr(error, "message", "")))  # type: ignore[attr-defined]
        raise error
    text = str(error) or type(error).__name__
    if isinstance(error, MemoryError):
        _end("Failed", f"there is not enough memory ({text}). Use fewer rows or columns.", FAILED)
    if isinstance(error, OSError):
        _drop_output_if_gone()
        if error.errno in _FULL:
            text = f"the results cannot be written: {error.strerror}."
        _end("Failed", text, FAILED)
    if isinstance(error, ValueError) or (isinstance(error, TypeError) and _is_ours(error)):
        _end("Error", text, MISUSED)
    if isinstance(error, (RuntimeError, RecursionError)):
        _end("Failed", text, FAILED)
    place = _write_report(error)
    _end(
        "Unexpected error",
        f"{type(error).__name__}: {text[:300]} This is an error of handful, not yours. {place}",
        UNEXPECTED,
    )


def _memory_limit() -> int:
    """Bytes of address space that this process may use; 0 if there is no limit."""
    try:
        import resource
    except ImportError:  # not on this system
        return 0
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return 0 if limit == resource.RLIM_INFINITY else limit


def _end(title: str, text: str, code: int) -> NoReturn:
    with suppress(OSError):
        errors.print(f"[bold red]{title}:[/] {escape(text)}", highlight=False, soft_wrap=True)
    raise SystemExit(code)


def _is_ours(error: BaseException) -> bool:
    """Whether an error was raised in this package rather than in a library below it."""
    innermost = list(traceback.walk_tb(error.__traceback__))[-1][0]
    return str(innermost.f_globals.get("__name__", "")).startswith("handful.")


def _drop_output_if_gone() -> None:
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()


def _drop_output() -> None:
    """Send what is left in the buffers nowhere, so that the interpreter ends quietly."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write_report(error: BaseException) -> str:
    """A private file with what a maintainer needs; gives the sentence that names it."""
    import tempfile

    lines = [f"handful {__version__}, Python {sys.version}", sys.platform, *_versions()]
    lines += [f"command: {sys.argv}", "", *traceback.format_exception(error)]
    try:
        handle, path = tempfile.mkstemp(prefix="handful-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("\n".join(lines) + "\n")
    except OSError:
        return "No report could be written; run it again with a writable TMPDIR."
    return f"The details are in {path}: please report it with this file."


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in _REPORTED:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found


def end_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the program as Ctrl-C does; an ignored SIGHUP stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end_once)


def _end_once(number: int, frame: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not disturb the cleaning
    raise Ended(number)
