"""C3D, what motion-capture systems record: labelled markers, without a skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.checks import FASTEST, LARGEST, SLOWEST, size
from motionweave.core.markers import Markers
from motionweave.core.units import UNITS
from motionweave.errors import FormatError
from motionweave.io.apart.process import read_apart
from motionweave.io.axes import check_up, to_y_up
from motionweave.io.bvh.format import unique_names
from motionweave.io.registry import Format

_KEY = 0x50
_BLOCK = 512
_LARGEST_FILE = 1 << 31
_SCRIPT = Path(__file__).with_name("c3d_script.py")


def read_markers(path: str | Path, *, up: str | None = None, fps: float | None = None) -> Markers:
    """Read the markers of a C3D file, in the file's unit.

    Parameters
    ----------
    path
        The file.
    up
        ``"y"`` or ``"z"``, the axis that points up in the file; if None what it says
        itself (``POINT:Y_SCREEN``), else z, which nearly all systems use.
    fps
        Frames per second, instead of the rate that the file states.
    """
    path = Path(path)
    check_up(up, path)
    _check_header(path)
    arrays = read_apart(_SCRIPT, path, "a C3D file")
    points, rate = arrays["points"], float(arrays["rate"])
    unit, vertical = str(arrays["unit"]).strip(), str(arrays["vertical"])
    labels = [str(one) for one in arrays["labels"]]
    if points.ndim != 3 or points.shape[0] < 3 or 0 in points.shape:
        raise FormatError("there are no markers", path)
    size(points.shape[2], points.shape[1], path.stat().st_size)
    places = np.moveaxis(points[:3], 0, 2).transpose(1, 0, 2)
    places = np.where(np.abs(places) < LARGEST, places, np.nan)
    if fps is None and not SLOWEST <= rate <= FASTEST:
        raise FormatError("there is no frame rate (POINT:RATE); give it with fps=", path)
    up = up or ("y" if "Y" in vertical.upper() else "z")
    labels = [one.strip() or f"marker{k}" for k, one in enumerate(labels[: places.shape[1]])]
    labels += [f"marker{k}" for k in range(len(labels), places.shape[1])]
    source: dict[str, Any] = {"format": FORMAT.name, "up": up, "unit": unit}
    if unit.lower() in UNITS:
        source["metres_a_unit"] = UNITS[unit.lower()]
    return Markers(
        unique_names(labels),
        to_y_up(places) if up == "z" else places,
        rate if fps is None else fps,
        name=path.stem,
        source=source,
    )


FORMAT = Format("C3D", (".c3d",), read_markers=read_markers, extra="c3d", modules=("ezc3d",))


def _check_header(path: Path) -> None:
    """Refuse a file that is not C3D, or is shorter than it claims, before ezc3d reads it."""
    stored = path.stat().st_size
    if stored > _LARGEST_FILE:
        raise FormatError("the file is larger than 2 GB", path)
    with path.open("rb") as file:
        head = file.read(_BLOCK)
    if len(head) < _BLOCK or head[1] != _KEY:
        raise FormatError("this is not a C3D file", path)
    words = np.frombuffer(head[:20], "<u2")
    where, points, first, last = int(head[0]), int(words[1]), int(words[3]), int(words[4])
    if where == 0 or where * _BLOCK > stored:
        raise FormatError("the C3D file is cut off before its parameters", path)
    # Only with little-endian numbers, as nearly all files have, are these counts.
    frames = max(last - first + 1, 0)
    if points * frames * 8 > 4 * stored + (1 << 24):
        raise FormatError("the C3D file is cut off, or its header is broken", path)
