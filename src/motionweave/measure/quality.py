"""How good a motion is: whether feet slide, sink or float, and whether anything jumps.

Lengths are given as shares of leg length, which makes clips of different characters comparable;
speeds of the feet also in the clip's own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.hinges import wrong_bends
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import has_feet
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, checked
from motionweave.errors import RigError
from motionweave.measure.foot_quality import FootQuality, PlantQuality, foot_quality
from motionweave.measure.peaks import Peak, peaks
from motionweave.measure.quality_table import table
from motionweave.measure.seams import Jump, angular_velocity, find_seams


@dataclass(frozen=True)
class WrongBend:
    """A knee or elbow that bends the wrong way: only a hint, because rigs differ."""

    joint: str
    frames: int
    worst: float
    worst_frame: int


@dataclass(frozen=True)
class Quality:
    """The figures measured by `quality`. ``str()`` gives a table.

    Parameters
    ----------
    name, frames, fps, leg_length
        The clip; the leg in its unit. For a body without legs and feet, its height stands for the
        leg in all figures.
    skate_mean, skate_max
        Distance that planted points slide over the floor per frame, in leg lengths.
    skate_speed_mean, skate_speed_max
        The same in the clip's unit per second.
    penetration_mean, penetration_max
        Depth of heels and toes below the floor, over all frames, in leg lengths.
    floating_mean, floating_max
        Height of planted points above what they stand on, in leg lengths.
    path_length, path_legs
        Length of the root's path over the floor, in the clip's unit and in leg lengths.
    heading_change
        Degrees by which the body has turned from the first frame to the last.
    undeclared_skate, undeclared_frames
        Distance per frame, in leg lengths, that feet slide which look planted (low, slow, and not
        rising) but have no contact, and in how many frames.
    sunk_frames
        Number of frames in which a heel or a toe is below the floor by more than 1 % of leg length.
    root_acceleration, root_acceleration_frame, root_acceleration_ratio
        Largest acceleration of the root in leg lengths per second squared, its frame, and its ratio
        to the inputs' largest (None without inputs).
    hips_lowered_mean, hips_lowered_max
        How much lower the hips are than in the input, in leg lengths; None unless there is
        one input of the same number of frames to compare with, such as the clip before
        clean-up.
    plants, seams, peaks, wrong_bends
        The details; peaks are one per joint, in the order of the skeleton.
    detected
        Whether contacts had to be detected because the motion has none.
    has_feet
        Whether the body has legs and feet; figures about feet are 0 without.
    """

    name: str
    frames: int
    fps: float
    leg_length: float
    skate_mean: float
    skate_max: float
    skate_speed_mean: float
    skate_speed_max: float
    penetration_mean: float
    penetration_max: float
    floating_mean: float
    floating_max: float
    path_length: float
    path_legs: float
    heading_change: float
    undeclared_skate: float
    undeclared_frames: int
    sunk_frames: int
    root_acceleration: float
    root_acceleration_frame: int
    root_acceleration_ratio: float | None
    hips_lowered_mean: float | None
    hips_lowered_max: float | None
    plants: tuple[PlantQuality, ...]
    seams: tuple[Jump, ...]
    peaks: tuple[Peak, ...]
    wrong_bends: tuple[WrongBend, ...]
    detected: bool
    has_feet: bool

    @property
    def fastest(self) -> Peak:
        """The joint with the largest angular speed."""
        return max(self.peaks, key=lambda peak: peak.speed)

    @property
    def hardest(self) -> Peak:
        """The joint with the largest angular acceleration, relative to the inputs' if given."""
        return max(
            self.peaks,
            key=lambda p: (p.acceleration_ratio or 0.0, p.acceleration),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings, lists and dictionaries, ready for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        called = f" of {self.name!r}" if self.name else ""
        return (
            f"<Quality{called}: skate {self.skate_mean:.2%} of a leg per frame, "
            f"{len(self.seams)} seams, {len(self.wrong_bends)} joints bent the wrong way>"
        )

    def __str__(self) -> str:
        rows = table(self)
        wide = [max(len(row[i]) for row in rows) for i in (0, 1)]
        lines = [f"  {a:<{wide[0]}}  {b:>{wide[1]}}  {c}".rstrip() for a, b, c in rows]
        return "\n".join([self.name or "motion", *lines])


def quality(
    motion: Motion, inputs: Sequence[Motion] = (), *, floor: Floor | None = None
) -> Quality:
    """Measure a motion.

    Parameters
    ----------
    motion
        Its own contacts are used, or detected if it has none. For a rig without legs, only figures
        that need no feet are measured.
    inputs
        The clips it was made from, with the same joints; speeds and accelerations are then compared
        with theirs.
    floor
        What it stands on; estimated by default. Give it to compare before and after.

    Returns
    -------
    Quality
        All figures at the motion's own frame rate.

    Raises
    ------
    RigError
        If an input has different joints from the motion.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> found = mw.quality(mw.clean_feet(walk), [walk])
    >>> found.skate_max < 0.001, found.undeclared_frames, len(found.seams)
    (True, 0, 0)
    """
    check_arguments(quality, locals())
    motion, inputs = at_pelvis(checked(motion)), [at_pelvis(checked(one)) for one in inputs]
    for other in inputs:
        if not motion.skeleton.same_joints(other.skeleton):
            raise RigError(
                "quality against inputs needs the same joints: "
                f"{motion.skeleton.difference(other.skeleton)}"
            )
    # A T-pose in front is not part of the motion; frames keep their numbers.
    first = tpose_frames(motion)
    body = motion[first:]
    footed = has_feet(motion.skeleton)
    if footed:
        size = leg_length(motion.skeleton)
        feet = foot_quality(motion, floor, size, first)
    else:
        size = body_height(motion.skeleton) or 1.0
        feet = FootQuality()
    jolt, jolt_frame, jolt_ratio = _root_acceleration(body, inputs, size)
    lowered = _lowered(motion, inputs, first, size)
    path_length = float(np.linalg.norm(np.diff(body.root[:, [0, 2]], axis=0), axis=-1).sum())
    turn = facing(body)
    velocity = angular_velocity(body)
    jumps = find_seams(body, size, velocity)
    return Quality(
        name=motion.name,
        frames=len(motion),
        fps=motion.fps,
        leg_length=size,
        skate_mean=feet.skate_mean,
        skate_max=feet.skate_max,
        skate_speed_mean=feet.skate_mean * size * motion.fps,
        skate_speed_max=feet.skate_max * size * motion.fps,
        penetration_mean=float(feet.depths.mean()),
        penetration_max=float(feet.depths.max()),
        floating_mean=float(feet.heights.mean()) if len(feet.heights) else 0.0,
        floating_max=float(feet.heights.max(initial=0.0)),
        path_length=path_length,
        path_legs=path_length / size,
        heading_change=float(np.degrees(turn[-1] - turn[0])),
        undeclared_skate=float(feet.undeclared.mean()) if len(feet.undeclared) else 0.0,
        undeclared_frames=len(feet.undeclared),
        sunk_frames=feet.sunk_frames,
        root_acceleration=jolt,
        root_acceleration_frame=jolt_frame + first,
        root_acceleration_ratio=jolt_ratio,
        hips_lowered_mean=None if lowered is None else float(lowered.mean()),
        hips_lowered_max=None if lowered is None else float(lowered.max()),
        plants=feet.plants,
        seams=tuple(replace(seam, frame=seam.frame + first) for seam in jumps),
        peaks=peaks(body, velocity, inputs, first),
        wrong_bends=tuple(
            WrongBend(motion.skeleton.names[joint], frames, worst, frame + first)
            for joint, (frames, worst, frame) in wrong_bends(body)
        ),
        detected=feet.detected,
        has_feet=footed,
    )


def _root_acceleration(
    body: Motion, inputs: Sequence[Motion], size: float
) -> tuple[float, int, float | None]:
    """The largest acceleration of the root, its frame, and its ratio to the inputs' largest."""
    values = _accelerations(body) / size
    if len(values) == 0:
        return 0.0, 0, None
    frame = int(values.argmax())
    own = [
        float((_accelerations(other[tpose_frames(other) :]) / size).max(initial=0.0))
        for other in inputs
    ]
    ratio = float(values[frame]) / max(own) if own and max(own) > 0.0 else None
    return float(values[frame]), frame + 1, ratio


def _accelerations(motion: Motion) -> Array:
    change = np.diff(motion.root, n=2, axis=0) * motion.fps**2
    return np.asarray(np.linalg.norm(change, axis=-1))


def _lowered(motion: Motion, inputs: Sequence[Motion], first: int, size: float) -> Array | None:
    """How much lower the root is than in the only input, ``(T,)`` in leg lengths."""
    if len(inputs) != 1 or len(inputs[0]) != len(motion):
        return None
    return np.asarray((inputs[0].root - motion.root)[first:, 1] / size)
