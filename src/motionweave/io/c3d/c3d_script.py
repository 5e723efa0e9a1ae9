"""What runs in a process of its own: a C3D file into plain arrays, by ezc3d.

ezc3d believes what a file says of itself, and on damaged files it may crash or ask for all
the memory there is; neither must happen to the program that wants to read one.

    python c3d_script.py INPUT.c3d OUTPUT.npz
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_MEMORY = 6 << 30


def run(source: str, target: str) -> None:
    _limit_memory()
    import ezc3d

    file = ezc3d.c3d(source)
    said = file["parameters"]["POINT"]
    labels = [str(one) for key in _series(list(said.keys())) for one in said[key]["value"]]
    np.savez(
        target,
        points=np.asarray(file["data"]["points"], dtype=np.float64),
        labels=np.array(labels, dtype=np.str_),
        rate=float(_first(said, "RATE", 0.0)),
        unit=str(_first(said, "UNITS", "")),
        vertical=str(_first(said, "Y_SCREEN", "")),
    )


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return  # Windows has no such limits.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    # A crash is expected here, and needs no picture of the memory on disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _series(keys: list[str]) -> list[str]:
    """LABELS, LABELS2, LABELS3, …: files with over 255 markers need several."""
    numbered = {key: key.removeprefix("LABELS") for key in keys if key.startswith("LABELS")}
    known = [key for key, rest in numbered.items() if rest == "" or rest.isdigit()]
    return sorted(known, key=lambda key: int(numbered[key] or 1))


def _first(said: Any, name: str, default: Any) -> Any:
    values = said[name]["value"] if name in list(said.keys()) else []
    return values[0] if len(values) else default


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])
