"""Carriers put above the pelvis of clips that have none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import motionweave as mw
from motionweave.core import rotations
from motionweave.core.motion import local_translations

KINDS = ("still", "floor", "animated")


def carried(
    motion: mw.Motion,
    kind: str,
    *,
    deep: int = 1,
    beside: bool = False,
    angle: float = 0.0,
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> mw.Motion:
    """The motion below ``deep`` joints that stand still, follow on the floor or roam.

    Parameters
    ----------
    motion
        A clip that begins at its pelvis.
    kind
        One of `KINDS`; joints above the last one always stand still.
    deep
        How many joints there are above the pelvis.
    beside
        Whether a prop with an end site hangs beside the pelvis.
    angle, place
        By how much the carrier is turned about an oblique axis (about the vertical, on
        the floor), and where it is.
    """
    count, extra = len(motion), deep + int(beside)
    positions, turns = _path(motion, kind, angle, np.array(place))
    body = motion.skeleton
    names = [f"above{i}" for i in range(deep)] + ["prop"] * beside
    parents = [i - 1 for i in range(deep)] + [deep - 1] * beside
    offsets = np.zeros((extra, 3))
    offsets[deep:] = [0.3, 0.4, 0.5]
    skeleton = mw.Skeleton(
        (*names, *body.names),
        np.array([*parents, deep - 1, *(body.parents[1:] + extra)]),
        np.concatenate([offsets, body.offsets]),
        np.concatenate([[deep] * beside, body.end_parents + extra]).astype(int),
        np.concatenate([np.ones((int(beside), 3)), body.end_offsets]),
    )
    local = np.tile(rotations.IDENTITY, (count, len(skeleton), 1))
    moves = np.tile(skeleton.offsets, (count, 1, 1))
    local[:, extra:], moves[:, extra:] = motion.rotations, local_translations(motion)
    local[:, deep - 1] = turns
    moves[:, deep - 1] = positions
    if beside:
        local[:, deep] = rotations.about_axis("X", np.linspace(0.0, 1.0, count))
    back = rotations.inverse(turns)
    local[:, extra] = rotations.multiply(back, motion.rotations[:, 0])
    moves[:, extra] = rotations.rotate(back, motion.root - positions)
    return replace(
        motion,
        skeleton=skeleton,
        root=positions if deep == 1 else np.zeros((count, 3)),
        rotations=local,
        translations=moves,
    )


def _path(
    motion: mw.Motion, kind: str, angle: float, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    count = len(motion)
    oblique = rotations.exp(angle * np.array([0.6, 0.0, 0.8]))
    t = np.arange(count) / motion.fps
    if kind == "still":
        return np.tile(place, (count, 1)), np.tile(oblique, (count, 1))
    if kind == "floor":
        heading = rotations.vertical_angle(motion.rotations[:, 0])
        return (
            motion.root * [1.0, 0.0, 1.0] + place * [1.0, 0.0, 1.0],
            rotations.about_vertical(heading + angle),
        )
    roam = np.stack([np.sin(t), 0.3 * np.cos(2.0 * t), 0.5 * t], axis=-1)
    wobble = rotations.exp(np.outer(np.sin(t), [0.3, 0.2, -0.4]))
    return place + roam, rotations.multiply(wobble, oblique)


@st.composite
def carriers(draw: st.DrawFn) -> dict[str, object]:
    """Arguments of `carried`."""
    coordinate = st.floats(-2.0, 2.0)
    return {
        "kind": draw(st.sampled_from(KINDS)),
        "deep": draw(st.integers(1, 3)),
        "beside": draw(st.booleans()),
        "angle": draw(st.floats(-3.0, 3.0)),
        "place": (draw(coordinate), draw(coordinate), draw(coordinate)),
    }
