"""`export_set`: the clips of a blend space as files that any engine can blend."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from motionweave.core.arguments import check_arguments
from motionweave.core.checks import check_choice
from motionweave.errors import FormatError, MotionError
from motionweave.export.align import AlignedClip, aligned_clips, contact_rows
from motionweave.export.ground import with_ground_bone
from motionweave.export.guide import readme
from motionweave.io.bvh.format import unique_names
from motionweave.io.gltf.format import write_several
from motionweave.io.scene.units import metres_a_unit
from motionweave.io.store.atomic import atomic_path
from motionweave.registration.curve import RegistrationCurve

RootBone: TypeAlias = Literal["motion", "in place"]
_SET = "set.glb"


def export_set(
    curve: RegistrationCurve,
    folder: str | Path,
    *,
    names: Sequence[str] | None = None,
    fps: float | None = None,
    root: RootBone = "motion",
) -> dict[str, Any]:
    """Write the clips of a registration curve as a set for game engines.

    Engines blend clips frame by frame, so all clips are sampled along the registration: they get
    the same length, and each frame shows the same phase in all of them. A bone on the floor
    carries the travel.

    Parameters
    ----------
    curve
        The curve from `register`; for a blend space of gaits, a cyclic one.
    folder
        Created if needed. It receives ``set.glb`` with all clips as animations, a GLB file for each
        clip, ``set.json`` and ``README.md``. Files of these names are replaced.
    names
        Names of the clips; the motions' own names by default.
    fps
        Frames per second; the highest of the clips, at least 30, if None.
    root
        ``"motion"``: the bone on the floor travels. ``"in place"``: it does not move, and the game
        moves the character.

    Returns
    -------
    dict
        The contents of ``set.json``: for each clip its file, its recorded duration, its parameters
        ``speed`` (metres per second) and ``turn``, contacts and sync markers.

    Raises
    ------
    MotionError
        If an argument makes no sense.
    FormatError
        If the folder cannot be written.

    Examples
    --------
    >>> import motionweave as mw, tempfile
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"), ends="cyclic")
    >>> told = mw.export_set(curve, tempfile.mkdtemp())
    >>> [clip["name"] for clip in told["clips"]]
    ['walk', 'jog']
    """
    check_arguments(export_set, locals())
    check_choice(root, RootBone, "root")
    if names is not None and len(names) != len(curve):
        raise MotionError(f"{len(names)} names for {len(curve)} clips")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be made: {error.strerror or error}", folder) from error
    if (folder / "README.md").exists() and not (folder / "set.json").exists():
        raise FormatError("the folder contains another README.md; give a new folder", folder)
    clips = aligned_clips(curve, fps)
    titles = unique_names(
        _file_name(name or f"clip {i + 1}")
        for i, name in enumerate(names or [one.motion.name for one in clips])
    )
    unit = metres_a_unit(curve.motions[0], None)
    motions = [
        replace(with_ground_bone(one.motion, curve.cyclic, in_place=root == "in place"), name=title)
        for one, title in zip(clips, titles, strict=True)
    ]
    told: dict[str, Any] = {
        "format": "motionweave set",
        "version": 1,
        "fps": motions[0].fps,
        "frames": len(motions[0]),
        "length": motions[0].duration,
        "loop": curve.cyclic,
        "root": root,
        "root_joint": motions[0].skeleton.names[0],
        "clips": [_told(one, title) for one, title in zip(clips, titles, strict=True)],
    }
    extras = [_extras(told, one) for one in told["clips"]]
    with atomic_path(folder / _SET) as temporary:
        write_several(motions, temporary, unit=unit, extras=extras)
    for motion, one, extra in zip(motions, told["clips"], extras, strict=True):
        with atomic_path(folder / one["file"]) as temporary:
            write_several([motion], temporary, unit=unit, extras=[extra])
    with atomic_path(folder / "set.json") as temporary:
        temporary.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    with atomic_path(folder / "README.md") as temporary:
        temporary.write_text(readme(", ".join(titles), told, _SET), encoding="utf-8")
    return told


def _told(clip: AlignedClip, title: str) -> dict[str, Any]:
    motion = clip.motion
    last = len(motion) - 1.0
    return {
        "name": title,
        "file": f"{title}.glb",
        "duration": clip.duration,
        "parameters": {"speed": clip.speed, "turn": clip.turn},
        "contacts": contact_rows(motion.constraints, motion.fps),
        "markers": [
            {"name": name, "time": round(at / motion.fps, 5), "phase": round(at / last, 5)}
            for name, at in clip.markers()
        ],
    }


def _extras(told: dict[str, Any], clip: dict[str, Any]) -> dict[str, Any]:
    """What an animation in a glTF file says about itself; its contacts are added on writing."""
    return {
        "loop": told["loop"],
        "duration": clip["duration"],
        "parameters": clip["parameters"],
        "markers": clip["markers"],
    }


def _file_name(name: str) -> str:
    """A name that is valid in file systems and differs from that of the set."""
    plain = "".join(c if c.isalnum() or c in "-_ ." else "_" for c in name).strip(" .")
    return f"{plain}_clip" if plain.lower() in ("set", "") else plain
