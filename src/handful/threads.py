"""Linear algebra in one thread, so that the number of threads changes no bit of a result.

A matrix product splits its sums among threads, and the last bits depend on the split. Results that
enter a model file or decide a certificate are computed under `one_blas_thread`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_depth = 0  # number of contexts that hold the limit; the last one to end removes it
_limits: Any = None
_known: tuple[int, ThreadpoolController] | None = None


def thread_controller() -> ThreadpoolController:
    """What sets the number of threads of the libraries that are loaded.

    Looking for them takes milliseconds. They come with modules, so that one look is enough until
    another module is loaded.
    """
    from threadpoolctl import ThreadpoolController

    global _known
    if _known is None or _known[0] != len(sys.modules):
        _known = len(sys.modules), ThreadpoolController()
    return _known[1]


class one_blas_thread:  # noqa: N801 (a context manager, used like a function)
    """A context in which BLAS uses one thread. It may be nested, and several threads may enter it.

    The limit is one of the process. The first context sets it, and the last one removes it.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     float(np.ones((2, 2)).dot(np.ones(2))[0])
    2.0
    """

    def __enter__(self) -> None:
        global _depth, _limits
        with _lock:
            if _depth == 0:
                _limits = thread_controller().limit(limits=1, user_api="blas")
            _depth += 1

    def __exit__(self, *error: object) -> None:
        global _depth, _limits
        with _lock:
            _depth -= 1
            if _depth == 0:
                _limits.restore_original_limits()
                _limits = None


def in_one_blas_thread(function: Callable[P, T]) -> Callable[P, T]:
    """The function, run under `one_blas_thread`."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with one_blas_thread():
            return function(*args, **kwargs)

    return run
