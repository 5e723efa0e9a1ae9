"""Compiled loops: how they are declared, and how compiling is announced.

Numba compiles a kernel when it is first called with new kinds of arguments, a few tenths of a
second each, and keeps the machine code in a folder for the next process. Kernels are handed
arrays of one kind each, so that each is compiled once. This module imports Numba only when a
kernel is declared.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Seconds of compiling that need no announcement.
_PATIENCE = 1.0
MESSAGE = "compiling, once on this machine …"


# What Numba need not do for bare loops: count references to arrays, and rewrite expressions.
_BARE = {"_nrt": False, "no_rewrites": True}


def kernel(*, bare: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel, compiled when it is first called.

    Numba refuses to declare one that it cannot cache anywhere: neither in ``NUMBA_CACHE_DIR``, nor
    beside the module, nor in the user's own cache folder. It is then compiled in every process.

    Parameters
    ----------
    bare
        Whether it only goes through arrays that it is given: it makes none, returns none, and takes
        no powers. Such kernels compile faster by a seventh.
    **options
        Of ``numba.njit``.
    """
    from numba import njit
    from numba.core.options import DefaultOptions

    _listen()
    # Nothing but Python and other kernels calls kernels: one of Numba's wrappers less to compile.
    # Divisions by zero give what NumPy gives: with Python's errors kernels take longer to compile.
    own = {"no_cfunc_wrapper": True, "error_model": "numpy", **options}
    if bare:
        own |= {name: value for name, value in _BARE.items() if hasattr(DefaultOptions, name)}

    def declare(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **own)(function)
        except RuntimeError as problem:
            if "cannot cache" not in str(problem):
                raise
            return njit(**own)(function)

    return declare


class Compiling:
    """What was compiled while listening.

    Parameters
    ----------
    tell
        Called once, from a separate thread, when compiling has taken ``patience``
        seconds altogether.
    patience
        Seconds.
    """

    def __init__(self, tell: Callable[[], object], patience: float = _PATIENCE) -> None:
        self.kernels: list[str] = []
        self.seconds = 0.0
        self._tell, self._patience = tell, patience
        # Kernels call kernels: only the outermost counts. Numba compiles in one thread at a time.
        self._began: list[float] = []
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """A kernel is being compiled from now on."""
        self._began.append(time.monotonic())
        if len(self._began) == 1 and self.seconds < self._patience:
            self._timer = threading.Timer(self._patience - self.seconds, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def end(self, name: str) -> None:
        """It has been compiled."""
        self.kernels.append(name)
        began = self._began.pop()
        if not self._began:
            self.seconds += time.monotonic() - began
            if self._timer is not None:
                self._timer.cancel()


_hearing: list[Compiling] = []
_listening = False


@contextmanager
def compiling(tell: Callable[[], object] = lambda: None) -> Iterator[Compiling]:
    """Listen for compilations in any thread; see `Compiling`."""
    heard = Compiling(tell)
    _hearing.append(heard)
    try:
        yield heard
    finally:
        _hearing.remove(heard)


def _listen() -> None:
    """Have Numba report what it compiles, from the first kernel on."""
    global _listening
    if _listening:
        return
    _listening = True
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if _own(event):
                for heard in tuple(_hearing):
                    heard.begin()

        def on_end(self, event: Any) -> None:
            if _own(event):
                for heard in tuple(_hearing):
                    heard.end(event.data["dispatcher"].py_func.__qualname__)

    event.register("numba:compile", Listener())


def _own(event: Any) -> bool:
    """Whether a kernel of this package is compiled: within it Numba compiles parts of its own."""
    return str(event.data["dispatcher"].py_func.__module__).startswith("motionweave.")
