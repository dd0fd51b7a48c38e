"""Who watches, and what is going on: stages of long work, told to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str], None]
_WATCHER: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def watch_progress(report: Progress) -> Iterator[None]:
    """Call ``report`` with the name of each stage while machines are learned inside."""
    token = _WATCHER.set(report)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def current_progress() -> Progress:
    """Who watches now, to be told from other threads too; somebody deaf where nobody does."""
    return _WATCHER.get() or (lambda stage: None)


def report_progress(stage: str) -> None:
    """Tell who watches, if anybody does."""
    current_progress()(stage)
