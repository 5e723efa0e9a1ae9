"""Runs in a separate process: a C3D file into plain arrays, by ezc3d.

Started by `motionweave.io.apart.worker`; it imports nothing of motionweave.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def prepare() -> None:
    """Load what every file needs."""
    import ezc3d  # noqa: F401


def read(path: str, options: dict[str, Any]) -> dict[str, Any]:
    import ezc3d

    file = ezc3d.c3d(path)
    said = file["parameters"]["POINT"]
    labels = [str(one) for key in _series(list(said.keys())) for one in said[key]["value"]]
    return {
        "points": np.asarray(file["data"]["points"], dtype=np.float64),
        "labels": np.array(labels, dtype=np.str_),
        "rate": float(_first(said, "RATE", 0.0)),
        "unit": str(_first(said, "UNITS", "")),
        "vertical": str(_first(said, "Y_SCREEN", "")),
    }


def _series(keys: list[str]) -> list[str]:
    """LABELS, LABELS2, LABELS3, …: files with over 255 markers need several."""
    numbered = {key: key.removeprefix("LABELS") for key in keys if key.startswith("LABELS")}
    known = [key for key, rest in numbered.items() if rest == "" or rest.isdigit()]
    return sorted(known, key=lambda key: int(numbered[key] or 1))


def _first(said: Any, name: str, default: Any) -> Any:
    values = said[name]["value"] if name in list(said.keys()) else []
    return values[0] if len(values) else default
