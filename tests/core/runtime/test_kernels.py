"""Kernels: each compiled once, wherever the cache is, and someone is told."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import motionweave as mw
from motionweave.core.runtime import kernels

_SOURCE = Path(mw.__file__).parents[1]


def _kernels(*packages: str) -> dict[str, Any]:
    found = {}
    for package in packages:
        module = importlib.import_module(f"motionweave.{package}")
        names = [module.__name__]
        if hasattr(module, "__path__"):
            names += [m.name for m in pkgutil.walk_packages(module.__path__, f"{module.__name__}.")]
        for name in names:
            for key, value in vars(importlib.import_module(name)).items():
                if isinstance(value, Dispatcher) and value.py_func.__module__ == name:
                    found[f"{name}.{key}"] = value
    return found


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warm_up_leaves_nothing_to_compile_and_kernels_take_one_kind_of_arguments() -> None:
    mw.warm_up()
    assert mw.warm_up().compiled == ()
    found = _kernels("core", "io.bvh", "io.numbers", "methods.blending", "registration")
    assert len(found) >= 12
    # What leads to a cell fits into a byte, unless the slope limit is large.
    several = {f"motionweave.registration.dtw.{name}": 2 for name in ("_fill_back", "_walk_back")}
    for name, kernel in found.items():
        assert len(kernel.signatures) <= several.get(name, 1), (name, kernel.signatures)
    # Only means of three and more call this one.
    assert found["motionweave.core.averaging._settle"].signatures


def test_a_second_of_compiling_is_told_once() -> None:
    told = threading.Event()
    said = []

    def tell() -> None:
        said.append(1)
        told.set()

    heard = kernels.Compiling(tell, patience=0.05)
    heard.begin()
    heard.begin()  # a kernel that calls another
    heard.end("inner")
    assert told.wait(10.0)
    heard.end("outer")
    heard.begin()
    heard.end("next")
    assert said == [1]
    assert heard.kernels == ["inner", "outer", "next"]


def test_quick_compiling_is_not_worth_a_word() -> None:
    said: list[int] = []
    heard = kernels.Compiling(lambda: said.append(1), patience=60.0)
    for _ in range(3):
        heard.begin()
        heard.end("quick")
    assert not said
    assert heard.seconds < 60.0


def test_only_those_who_listen_hear() -> None:
    with kernels.compiling() as heard:
        assert heard in kernels._hearing
    assert heard not in kernels._hearing


def test_a_kernel_that_can_be_kept_nowhere_is_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    real = numba.njit

    def refusing(*given: Any, **options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")
        return real(*given, **options)

    monkeypatch.setattr(numba, "njit", refusing)

    @kernels.kernel()
    def double(value):  # type: ignore[no-untyped-def]
        return 2.0 * value

    assert double(2.0) == 4.0


def _doubled(values, result):  # type: ignore[no-untyped-def]
    rows, columns = values.shape
    for i in range(rows):
        for j in range(columns):
            result[i, j] = 2.0 * values[i, j]


@pytest.mark.parametrize("known", [True, False])
def test_a_bare_kernel_does_the_same_whatever_numba_can_leave_out(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not known:
        monkeypatch.setattr(kernels, "_BARE", {"an_option_of_no_version": True})
    values = np.arange(6.0).reshape(2, 3)
    result = np.empty_like(values)
    kernels.kernel(bare=True)(_doubled)(values, result)
    np.testing.assert_array_equal(result, 2.0 * values)


def test_nothing_of_numba_is_imported_to_listen() -> None:
    program = "import sys, motionweave.core.runtime.kernels; assert 'numba' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(_SOURCE)}, check=False
    )
    assert done.returncode == 0
