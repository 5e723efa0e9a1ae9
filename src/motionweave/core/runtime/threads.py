"""Matrix products on one thread.

Grids of distances are products of many small blocks. Threads hardly speed these up on an idle
machine; on a busy one each block waits until all of its threads have had their turn, and most of
the time is spent waiting.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_lock = threading.Lock()
_inside = 0
_limiter: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Make NumPy's and SciPy's linear algebra use one thread meanwhile; also a decorator.

    The number of threads belongs to the process: it is restored when the last of all threads
    that are inside leaves.
    """
    global _inside, _limiter
    with _lock:
        if _inside == 0:
            _limiter = _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limiter.restore_original_limits()
                _limiter = None


@lru_cache
def _controller(with_scipy: bool) -> Any:
    """The loaded libraries; SciPy has its own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
