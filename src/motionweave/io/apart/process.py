"""A foreign reader in a process of its own: a crash or a hang there is an error here.

Compiled readers believe what a file says of itself, and on damaged files they may crash, run
without end or ask for all the memory there is. None of it must happen to the program that
wants to read one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.errors import FormatError

# What a reader needs for a small file, and how much more for each byte of a large one.
_MEMORY, _MEMORY_PER_BYTE = 1 << 30, 40
# Seconds of computing; a loaded machine may take many times as long to give them.
_SECONDS, _BYTES_PER_SECOND = 4, 1 << 20
_PATIENCE = 15.0
# Libraries that would reserve memory for every core of the machine.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PXR_WORK_THREAD_LIMIT": "1",
}


def read_apart(
    script: Path, path: Path, what: str, options: dict[str, Any] | None = None
) -> dict[str, NDArray[Any]]:
    """Arrays that a script makes of a file; see `motionweave.io.apart.worker`.

    Parameters
    ----------
    script
        A Python file with a function ``read(path, options)``.
    path
        The file to be read.
    what
        What it is expected to be, such as ``"a C3D file"``.
    options
        Plain values for the script.

    Raises
    ------
    FormatError
        If the reader refuses the file, crashes, or takes too long or too much memory.
    """
    size = path.stat().st_size
    memory, seconds = _MEMORY + _MEMORY_PER_BYTE * size, _SECONDS + size // _BYTES_PER_SECOND
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        target = Path(folder) / "arrays.npz"
        worker = Path(__file__).with_name("worker.py")
        # -P: the modules beside the script must not be taken for Python's own.
        command = [sys.executable, "-P", str(worker), str(script), str(path.resolve()), str(target)]
        command += [str(memory), str(seconds), json.dumps(options or {})]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_PATIENCE * seconds,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD},
            )
        except subprocess.TimeoutExpired:
            raise FormatError("reading it takes too long: it is broken", path) from None
        if done.returncode != 0 or not target.is_file():
            said = done.stderr.strip().splitlines()
            reason = f": {said[-1][-160:]}" if said and done.returncode > 0 else ""
            raise FormatError(f"this is not {what}, or it is broken{reason}", path)
        with np.load(target, allow_pickle=False) as arrays:
            return dict(arrays)
