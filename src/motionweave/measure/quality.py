"""How good a motion is: whether feet slide, sink or float, and whether anything jumps.

Lengths are given as shares of leg length, which makes clips of different characters comparable;
speeds of the feet also in the clip's own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor
from motionweave.body.hinges import wrong_bends
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import HAND_KINDS, Constraint, active
from motionweave.core.motion import Motion, checked
from motionweave.errors import RigError
from motionweave.measure.quality_table import table
from motionweave.measure.seams import Jump, angular_velocity, find_seams

# Degrees per second (squared) below which a joint counts as still.
_HARDLY = 1.0
# Leg lengths below which a foot is low and above which it is in the floor; legs per second
# below which it is slow over the floor, and neither rises nor falls.
_LOW, _SUNK = 0.03, 0.01
_SLOW, _RISING = 0.6, 0.15


@dataclass(frozen=True)
class PlantQuality:
    """How well one plant holds.

    Parameters
    ----------
    kind, start, end
        As in the constraint.
    skate_mean, skate_max
        Distance moved over the floor per frame, in leg lengths.
    height
        Median height above the floor, or the level it stands on, in leg lengths.
    """

    kind: str
    start: float
    end: float
    skate_mean: float
    skate_max: float
    height: float


@dataclass(frozen=True)
class Peak:
    """The fastest rotation of a joint, absolute and relative to the inputs' peak.

    Parameters
    ----------
    joint
        Name.
    speed, acceleration
        Largest angular speed (degrees per second) and acceleration (degrees per second squared).
    speed_frame, acceleration_frame
        Where.
    speed_ratio, acceleration_ratio
        Against the largest of that joint in the inputs; None without inputs.
    """

    joint: str
    speed: float
    acceleration: float
    speed_frame: int
    acceleration_frame: int
    speed_ratio: float | None = None
    acceleration_ratio: float | None = None


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
    detected = False
    plants: tuple[PlantQuality, ...] = ()
    depths = np.zeros((1, 1))
    undeclared = np.zeros(0)
    size = body_height(motion.skeleton) or 1.0
    if has_feet(motion.skeleton):
        size = leg_length(motion.skeleton)
        hands = any(c.kind in HAND_KINDS for c in motion.constraints)
        points = contact_points(motion, hands)
        constraints = tuple(c for c in motion.constraints if c.kind in points)
        detected = not constraints
        if detected:
            constraints = detect_contacts(motion)
        if floor is None:
            floor = estimate_floor(body)
        plants = tuple(
            _plant(c, points[c.kind], floor, size)
            for c in constraints
            if np.floor(c.end) >= np.ceil(c.start)
        )
        feet = [points[kind][first:] for kind in points if kind not in HAND_KINDS]
        depths = np.maximum(-floor.above(np.stack(feet)), 0.0) / size
        undeclared = _undeclared(motion, points, constraints, floor, size, first)
    # Longer plants count for more: the mean is over frames, not over plants.
    frames = np.array([np.floor(p.end) - np.ceil(p.start) for p in plants])
    skate_mean = _mean(np.array([p.skate_mean for p in plants]), frames)
    skate_max = max((p.skate_max for p in plants), default=0.0)
    heights = np.array([max(p.height, 0.0) for p in plants if p.kind not in HAND_KINDS])
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
        skate_mean=skate_mean,
        skate_max=skate_max,
        skate_speed_mean=skate_mean * size * motion.fps,
        skate_speed_max=skate_max * size * motion.fps,
        penetration_mean=float(depths.mean()),
        penetration_max=float(depths.max()),
        floating_mean=float(heights.mean()) if len(heights) else 0.0,
        floating_max=float(heights.max(initial=0.0)),
        path_length=path_length,
        path_legs=path_length / size,
        heading_change=float(np.degrees(turn[-1] - turn[0])),
        undeclared_skate=float(undeclared.mean()) if len(undeclared) else 0.0,
        undeclared_frames=len(undeclared),
        sunk_frames=int((depths > _SUNK).any(axis=0).sum()),
        root_acceleration=jolt,
        root_acceleration_frame=jolt_frame + first,
        root_acceleration_ratio=jolt_ratio,
        hips_lowered_mean=None if lowered is None else float(lowered.mean()),
        hips_lowered_max=None if lowered is None else float(lowered.max()),
        plants=plants,
        seams=tuple(replace(seam, frame=seam.frame + first) for seam in jumps),
        peaks=_peaks(body, velocity, inputs, first),
        wrong_bends=tuple(
            WrongBend(motion.skeleton.names[joint], frames, worst, frame + first)
            for joint, (frames, worst, frame) in wrong_bends(body)
        ),
        detected=detected,
        has_feet=has_feet(motion.skeleton),
    )


def _plant(c: Constraint, point: Array, floor: Floor, size: float) -> PlantQuality:
    frames = slice(max(int(np.ceil(c.start)), 0), int(np.floor(c.end)) + 1)
    track = point[frames]
    steps = np.linalg.norm(np.diff(track[:, [0, 2]], axis=0), axis=-1) / size
    above = float(np.median(floor.above(track)))
    levels = np.array(floor.levels)
    height = (above - float(levels[np.abs(levels - above).argmin()])) / size
    mean = float(steps.mean()) if len(steps) else 0.0
    return PlantQuality(c.kind, c.start, c.end, mean, float(steps.max(initial=0.0)), height)


def _undeclared(
    motion: Motion,
    points: dict[str, Array],
    constraints: Sequence[Constraint],
    floor: Floor,
    size: float,
    first: int,
) -> Array:
    """Distances ``(n,)`` moved over the floor between frames in which a foot stands without a
    contact.

    Both its heel and its toe are low and do not rise or fall, it is slower over the floor
    than a swing, and neither is in a contact.
    """
    frames = np.arange(len(motion))
    slides = []
    for side in SIDES:
        kinds = (f"{side}_heel", f"{side}_toe")
        foot = np.stack([points[kind] for kind in kinds])
        steps = np.diff(foot, axis=1) / size
        level = np.linalg.norm(steps[..., [0, 2]], axis=-1)
        low = (floor.above(foot) < _LOW * size).all(axis=0)
        free = ~np.any([active(constraints, kind, frames) for kind in kinds], axis=0)
        still = (np.abs(steps[..., 1]) * motion.fps < _RISING).all(axis=0)
        slow = level.max(axis=0) * motion.fps < _SLOW
        stands = still & slow & (low & free)[1:] & (low & free)[:-1]
        stands[:first] = False
        slides.append(level.mean(axis=0)[stands])
    return np.concatenate(slides)


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


def _peaks(
    motion: Motion, velocity: Array, inputs: Sequence[Motion], first: int
) -> tuple[Peak, ...]:
    peaks = [_largest(values) for values in _turning(velocity, motion.fps)]
    ratios: list[list[float | None]] = [[None] * len(motion.skeleton)] * 2
    if inputs:
        bodies = [other[tpose_frames(other) :] for other in inputs]
        before = [[_largest(values)[0] for values in turning(body)] for body in bodies]
        limits = [np.max([one[i] for one in before], axis=0) for i in (0, 1)]
        ratios = [
            [_ratio(*pair) for pair in zip(peaks[i][0], limits[i], strict=True)] for i in (0, 1)
        ]
    (speeds, speed_at), (accelerations, acceleration_at) = peaks
    return tuple(
        Peak(
            name,
            float(speeds[j]),
            float(accelerations[j]),
            int(speed_at[j]) + first,
            int(acceleration_at[j]) + first,
            ratios[0][j],
            ratios[1][j],
        )
        for j, name in enumerate(motion.skeleton.names)
    )


def _largest(values: Array) -> tuple[Array, NDArray[np.intp]]:
    """The largest of each column of ``(n, J)``, and where; zeros of an empty one."""
    if len(values) == 0:
        return np.zeros(values.shape[1]), np.zeros(values.shape[1], dtype=np.intp)
    at = values.argmax(axis=0)
    return np.take_along_axis(values, at[None], axis=0)[0], at


def turning(motion: Motion) -> tuple[Array, Array]:
    """Angular speeds ``(T - 1, J)`` and accelerations ``(T - 2, J)``, in degrees and seconds."""
    return _turning(angular_velocity(motion), motion.fps)


def _turning(velocity: Array, fps: float) -> tuple[Array, Array]:
    """The same from angular velocities ``(T - 1, J, 3)`` in radians."""
    velocity = np.degrees(velocity)
    change = np.diff(velocity, axis=0) * fps
    return np.linalg.norm(velocity, axis=-1), np.linalg.norm(change, axis=-1)


def _ratio(value: float, limit: float) -> float | None:
    """A ratio is meaningless for a joint that hardly turned."""
    return float(value / limit) if limit > _HARDLY else None


def _mean(values: Array, weights: Array) -> float:
    total = float(weights.sum())
    return float((values * weights).sum() / total) if total > 0.0 else 0.0
