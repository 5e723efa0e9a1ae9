"""Motions inside archives: each array is a member, everything else is JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motionweave.core import checks
from motionweave.core.carrier import ANIMATED, FLOOR, STILL, Carrier
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Layout, Skeleton
from motionweave.errors import MotionError

# Stores an array under a name and returns the name of the member; and the way back.
Keep = Callable[[str, np.ndarray], str]
Fetch = Callable[[str], np.ndarray]


def motion_header(motion: Motion, name: str, keep: Keep, *, source: bool = False) -> dict[str, Any]:
    """A motion as JSON, its arrays handed to ``keep`` under names that begin with ``name``.

    ``source`` is whether to store how the file it came from was laid out.
    """
    skeleton = motion.skeleton
    contacts = clipped(motion.constraints, 0.0, len(motion) - 1.0)
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
        "constraints": [[c.start, c.end, c.kind] for c in contacts],
    }
    if motion.translations is not None:
        header["translations"] = keep(f"{name}/translations", motion.translations)
    if skeleton.layout is not None:
        header["layout"] = {
            "order": list(skeleton.layout.order),
            "moved": [[name, above, list(at)] for name, above, at in skeleton.layout.moved],
        }
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
        # Where the file lay on this machine is nobody else's business.
        layout = {key: value for key, value in motion.source.items() if key != "path"}
        header["source"] = _encoded(_storable(layout), f"{name}/source", keep)
    return header


def motion_from(header: Mapping[str, Any], fetch: Fetch) -> Motion:
    """The motion of a header."""
    skeleton = Skeleton(
        tuple(header["joints"]),
        header["parents"],
        fetch(header["offsets"]),
        header["end_parents"],
        fetch(header["end_offsets"]),
        layout=_layout_from(header["layout"]) if "layout" in header else None,
    )
    slides = header.get("translations")
    root = fetch(header["root"])
    source = _decoded(header["source"], fetch) if "source" in header else {}
    if not isinstance(source, dict):
        raise MotionError("the layout of the clip's file is broken")
    motion = Motion(
        skeleton,
        header["fps"],
        root,
        fetch(header["rotations"]),
        None if slides is None else fetch(slides),
        tuple(Constraint(start, end, kind) for start, end, kind in header["constraints"]),
        checks.clean_name(str(header["name"]), "")[: checks.LONGEST_NAME],
        source,
        _carrier_from(header["carrier"], fetch, skeleton) if "carrier" in header else None,
    )
    for contact in motion.constraints:
        if contact.start < 0.0 or contact.end > len(motion) - 1.0:
            raise MotionError(
                f"the contact {contact.kind} lasts from frame {contact.start:g} to "
                f"{contact.end:g}, but the clip from 0 to {len(motion) - 1}"
            )
    return motion


def _layout_from(header: Mapping[str, Any]) -> Layout:
    moved = []
    for name, above, offset in header["moved"]:
        x, y, z = checks.array(offset, "offset of a joint in its file", (3,)).tolist()
        joint, hook = checks.words((name, above), "joint names")
        moved.append((joint, hook, (x, y, z)))
    return Layout(checks.words(header["order"], "joint names"), tuple(moved))


def _carrier_from(header: Mapping[str, Any], fetch: Fetch, body: Skeleton) -> Carrier:
    above = motion_from(header["motion"], fetch)
    kept, ends = len(above.skeleton), len(above.skeleton.end_parents)
    if header["kind"] not in (STILL, FLOOR, ANIMATED):
        raise MotionError(f"a carrier of kind {checks.shown(header['kind'])}")
    # The pelvis is in both.
    joints = _places(header["joints"], kept, kept + len(body) - 1)
    end_places = _places(header["ends"], ends, ends + len(body.end_parents))
    pelvis = checks.whole(header["pelvis"], "pelvis", 0, kept - 1)
    return Carrier(above, pelvis, header["kind"], joints, end_places)


def _places(given: Any, count: int, total: int) -> Any:
    places = checks.indices(given, "places of a carrier", (count,), 0, total - 1)
    if len(np.unique(places)) != count:
        raise MotionError("two joints of a carrier have the same place")
    return places


def _storable(source: Mapping[str, Any]) -> dict[str, Any]:
    """A layout as far as an archive can hold it.

    One that is kept as objects (Acclaim's) is left out together with the name of its format,
    so that no writer takes a part of it for the whole.
    """
    if all(_is_plain(value) for value in source.values()):
        return dict(source)
    return {key: value for key, value in source.items() if key != "format" and _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str | np.generic | np.ndarray)


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
