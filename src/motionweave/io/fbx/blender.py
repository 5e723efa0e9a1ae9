"""An installed Blender as a converter for formats that nothing else handles reliably."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from motionweave.errors import FormatError

VARIABLE = "MOTIONWEAVE_BLENDER"
_SECONDS = 900.0
# The last line of a traceback: "RuntimeError: Error: Version 6100 unsupported".
_RAISED = re.compile(r"^([\w.]+Error): (?:Error: )?(.*\S)", re.MULTILINE)
# What the script itself says about a file that Blender has read.
_OWN = "UnreadableError"


def blender_command() -> list[str] | None:
    """How to run a script in Blender; None if there is none.

    The one that the environment variable ``MOTIONWEAVE_BLENDER`` names (Blender, or a Python that
    has the package ``bpy``), otherwise ``blender`` on the path, otherwise this Python's ``bpy``.
    """
    named = os.environ.get(VARIABLE) or shutil.which("blender")
    if named:
        if "python" in Path(named).name.lower():
            return [named, "-I"]
        return [named, "--background", "--factory-startup", "--python-exit-code", "1", "--python"]
    if importlib.util.find_spec("bpy") is not None:
        return [sys.executable, "-I"]
    return None


def convert(
    source: Path,
    target: Path,
    path: Path,
    *,
    fps: float | None = None,
    animation: str | int | None = None,
) -> None:
    """Make Blender read one file and write another.

    Parameters
    ----------
    source, target
        The files; a ``.npz`` target gets the joints as arrays, see `blender_script`.
    path
        The user's file, for messages.
    fps
        The scene's frames per second before reading, for formats that do not say it.
    animation
        Name or number of the animation, of several; the one that Blender shows if None.
    """
    command = blender_command()
    if command is None:
        raise FormatError(
            "FBX files are read and written by Blender, and there is none: install it from "
            f"blender.org, or say where it is with the environment variable {VARIABLE}",
            path,
        )
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        job = Path(folder) / "job.json"
        wanted = {
            "input": str(source.resolve()),
            "output": str(target.resolve()),
            "fps": fps,
            "animation": animation,
        }
        job.write_text(json.dumps(wanted), encoding="utf-8")
        # A copy: the modules beside the original must not be taken for Python's own.
        script = Path(folder) / "blender_script.py"
        shutil.copyfile(Path(__file__).with_name("blender_script.py"), script)
        apart = [] if command[-1] == "-I" else ["--"]
        try:
            done = subprocess.run(
                [*command, str(script), *apart, str(job)],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise FormatError(f"Blender was not done after {_SECONDS:g} seconds", path) from None
    if done.returncode != 0 or not target.exists() or target.stat().st_size == 0:
        raise FormatError(_why(done.stdout, done.stderr, done.returncode, source), path)


def _why(out: str, err: str, code: int, source: Path) -> str:
    """Why Blender failed, from what it printed.

    It prints errors of scripts to either, and puts lines of its own after them.
    """
    for text in (err, out):
        if raised := _RAISED.findall(text):
            kind, reason = raised[-1]
            if kind == _OWN:
                return str(reason)[:400]
            # Messages name the file already.
            reason = reason.replace(f" '{source.resolve()}'", "")
            return f"Blender could not convert it: {reason[:160]}"
    said = [line.strip() for line in err.splitlines() if line.strip()]
    reason = said[-1][:160] if said else f"it ended with code {code}"
    return f"Blender could not convert it: {reason}"
