"""Motions inside archives: arrays in members of their own, everything else as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from motionweave.core.carrier import Carrier
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

# Stores an array under a name and returns the name of the member; and the way back.
Keep = Callable[[str, np.ndarray], str]
Fetch = Callable[[str], np.ndarray]


def motion_header(motion: Motion, name: str, keep: Keep, *, source: bool = False) -> dict[str, Any]:
    """A motion as JSON, its arrays handed to ``keep`` under names that begin with ``name``.

    ``source`` is whether to store how the file it came from was laid out.
    """
    skeleton = motion.skeleton
    header: dict[str, Any] = {
        "name": motion.name,
        "fps": motion.fps,
        "joints": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "end_parents": skeleton.end_parents.tolist(),
        "offsets": keep(f"{name}/offsets", skeleton.offsets),
        "end_offsets": keep(f"{name}/end_offsets", skeleton.end_offsets),
        "root": keep(f"{name}/root", motion.root),
        "rotations": keep(f"{name}/rotations", motion.rotations),
        "constraints": [[c.start, c.end, c.kind] for c in motion.constraints],
    }
    if motion.translations is not None:
        header["translations"] = keep(f"{name}/translations", motion.translations)
    if motion.carrier is not None:
        carrier = motion.carrier
        header["carrier"] = {
            "motion": motion_header(carrier.motion, f"{name}/carrier", keep),
            "pelvis": carrier.pelvis,
            "kind": carrier.kind,
            "joints": carrier.joints.tolist(),
            "ends": carrier.ends.tolist(),
        }
    if source:
        header["source"] = _encoded(dict(motion.source), f"{name}/source", keep)
    return header


def motion_from(header: Mapping[str, Any], fetch: Fetch) -> Motion:
    """The motion of a header."""
    skeleton = Skeleton(
        tuple(header["joints"]),
        np.array(header["parents"]),
        fetch(header["offsets"]),
        np.array(header["end_parents"], dtype=np.intp),
        fetch(header["end_offsets"]),
    )
    slides = header.get("translations")
    return Motion(
        skeleton,
        header["fps"],
        fetch(header["root"]),
        fetch(header["rotations"]),
        None if slides is None else fetch(slides),
        tuple(Constraint(start, end, kind) for start, end, kind in header["constraints"]),
        header["name"],
        MappingProxyType(_decoded(header["source"], fetch) if "source" in header else {}),
        _carrier_from(header["carrier"], fetch) if "carrier" in header else None,
    )


def _carrier_from(header: Mapping[str, Any], fetch: Fetch) -> Carrier:
    return Carrier(
        motion_from(header["motion"], fetch),
        int(header["pelvis"]),
        str(header["kind"]),
        np.array(header["joints"], dtype=np.intp),
        np.array(header["ends"], dtype=np.intp),
    )


def _encoded(value: Any, name: str, keep: Keep) -> Any:
    """Plain values as they are; what JSON does not know as an object with one name.

    Lists and tuples are told apart, because a layout read back must equal the one stored.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": keep(name, value)}
    if isinstance(value, Mapping):
        pairs = [
            [_encoded(k, f"{name}/k{i}", keep), _encoded(v, f"{name}/{i}", keep)]
            for i, (k, v) in enumerate(value.items())
        ]
        return {"map": pairs}
    if isinstance(value, list | tuple):
        rows = [_encoded(v, f"{name}/{i}", keep) for i, v in enumerate(value)]
        return rows if isinstance(value, list) else {"tuple": rows}
    raise TypeError(f"{type(value).__name__} cannot be stored in an archive")


def _decoded(value: Any, fetch: Fetch) -> Any:
    if isinstance(value, list):
        return [_decoded(v, fetch) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return fetch(content)
    if kind == "tuple":
        return tuple(_decoded(v, fetch) for v in content)
    return {_decoded(k, fetch): _decoded(v, fetch) for k, v in content}
