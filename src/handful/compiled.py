"""Numba's ``njit`` for folders that may be read-only.

Compiled loops are stored beside the package or in the user's cache folder. In a container both
may be read-only, and numba then refuses to compile. In that case the loops are compiled in each
process, and one warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba

_NOTE = (
    "no folder for compiled loops is writable, so they are compiled anew in every process, which "
    "takes some seconds. Set NUMBA_CACHE_DIR to a writable folder to keep them."
)
_was_noted = False


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """The decorator ``numba.njit``, without a cache if none can be written."""

    def compile_lazily(function: Callable[..., Any]) -> Any:
        options.setdefault("no_cfunc_wrapper", True)  # for C callers: nobody, and slow to compile
        if not cache:
            return numba.njit(**options)(function)
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError as error:
            # Numba has no error class for this case; other errors are raised again.
            if "cannot cache function" not in str(error):
                raise
            _note_once()
            return numba.njit(**options)(function)

    return compile_lazily


def _note_once() -> None:
    global _was_noted
    if not _was_noted:
        _was_noted = True
        warnings.warn(_NOTE, RuntimeWarning, stacklevel=3)
