"""Progress of long work: a callback gets the names of its stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str], None]
_CALLBACK: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def watch_progress(report: Progress) -> Iterator[None]:
    """Within this context, call ``report`` with the name of each stage."""
    token = _CALLBACK.set(report)
    try:
        yield
    finally:
        _CALLBACK.reset(token)


def current_progress() -> Progress:
    """The current callback; a no-op if none is set. Other threads may call it."""
    return _CALLBACK.get() or (lambda stage: None)


def report_progress(stage: str) -> None:
    """Call the current callback with the name of a stage."""
    current_progress()(stage)
