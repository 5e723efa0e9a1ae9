"""Clips of any body in a common form: positions of roles, and descriptors for search.

A clip is stored as a `ClipTrack`: the positions of eighteen roles at 30 samples per second, in leg
lengths above the floor. Search, graph and fill need nothing else to compare bodies of different
rigs. A descriptor describes one moment wherever it takes place: the roles relative to the body, and
how they move 0.2 s before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import Rig, find_rig, leg_length
from motionweave.contacts.detect import estimate_floor
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError
from motionweave.registration.clouds import PointClip

# Samples per second that are kept of a clip.
RATE = 30.0
# Samples from one descriptor to the next: ten descriptors per second.
STRIDE = 3
# Samples before and after a moment that show how the body moves.
REACH = 6
SIDES = ("left", "right")
TRACKED = (
    "hips",
    "chest",
    "neck",
    "head",
    *(f"{side}_{part}" for side in SIDES for part in ("thigh", "shin", "ankle", "toe")),
    *(f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm", "hand")),
)
# If a rig lacks a role, the nearest substitute.
_INSTEAD: dict[str, tuple[str, ...]] = {
    "hips": ("left_thigh", "right_thigh"),
    "chest": ("left_upper_arm", "right_upper_arm"),
    "neck": ("chest",),
    "head": ("neck",),
    **{f"{side}_toe": (f"{side}_ankle",) for side in SIDES},
    **{f"{side}_hand": (f"{side}_forearm",) for side in SIDES},
}
# How much roles count: hands and feet more than the trunk that carries them.
_COUNT = {"hand": 1.5, "ankle": 1.5, "toe": 1.0, "hips": 1.0, "head": 1.0}
_COUNT_OF_OTHERS = 0.7
# How much the movement 0.2 s before and after counts compared with the pose.
_DYNAMICS = 1.0
# A foot slower than the first speed rests, faster than the second it moves (leg lengths/s).
_AT_REST, _MOVING = 0.3, 0.8
# How many numbers are kept of a pose and of its dynamics.
POSE_DIMENSIONS, DYNAMIC_DIMENSIONS = 20, 16

# For each role the one on the other side, and the effect of a reflection on a position.
_OTHER_SIDE = [
    TRACKED.index(role.replace("left", "?").replace("right", "left").replace("?", "right"))
    for role in TRACKED
]
_ACROSS = np.array([-1.0, 1.0, 1.0], dtype=np.float32)

PARTS: dict[str, tuple[str, ...]] = {
    "body": TRACKED,
    "arms": tuple(r for r in TRACKED if r.rpartition("_")[2] in ("arm", "forearm", "hand")),
    "legs": tuple(r for r in TRACKED if r.rpartition("_")[2] in ("thigh", "shin", "ankle", "toe")),
    "left arm": ("left_upper_arm", "left_forearm", "left_hand"),
    "right arm": ("right_upper_arm", "right_forearm", "right_hand"),
    "upper body": tuple(
        r
        for r in TRACKED
        if r.rpartition("_")[2] in ("chest", "neck", "head", "arm", "forearm", "hand")
    ),
}


@dataclass(frozen=True, eq=False)
class ClipTrack:
    """A clip in the library's form.

    Parameters
    ----------
    points
        ``(n, 18, 3)`` positions of `TRACKED` in leg lengths, the floor at 0, single precision.
    heading
        ``(n,)`` radians, as `motionweave.body.pose.heading.facing`.
    """

    points: Array
    heading: Array

    @classmethod
    def from_rows(cls, rows: Array) -> ClipTrack:
        """The track that was stored as `rows`."""
        rows = np.asarray(rows)
        return cls(rows[:, :-1].reshape(len(rows), -1, 3), rows[:, -1])

    @property
    def rows(self) -> Array:
        """``(n, 55)`` a row for each sample, as it is stored: the positions, then the heading."""
        return np.column_stack([self.points.reshape(len(self), -1), self.heading])

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, samples: slice) -> ClipTrack:
        return ClipTrack(self.points[samples], self.heading[samples])

    def slowed(self, factor: float) -> ClipTrack:
        """The same, slowed down by a factor."""
        at = np.linspace(0.0, len(self) - 1.0, round((len(self) - 1) * factor) + 1)
        before = np.minimum(at.astype(np.int64), len(self) - 2)
        share = at - before
        points = _between(self.points[before], self.points[before + 1], share[:, None, None])
        heading = _between(self.heading[before], self.heading[before + 1], share)
        return ClipTrack(points.astype(np.float32), heading.astype(np.float32))

    def cloud(self, roles: Sequence[str] = TRACKED) -> PointClip:
        """The track as points that registration can compare."""
        columns = [TRACKED.index(role) for role in roles]
        return PointClip(self.points[:, columns], RATE, role_weights(roles))


def _between(one: Array, other: Array, share: Array) -> Array:
    return np.asarray(one + share * (other - one))


def mirrored(track: ClipTrack) -> ClipTrack:
    """The track with left and right exchanged, reflected in the plane x = 0."""
    return ClipTrack(mirrored_places(track.points), -track.heading)


def mirrored_places(places: Array) -> Array:
    """Places ``(..., 18, 3)`` of `TRACKED` with left and right exchanged."""
    return np.asarray(places[..., _OTHER_SIDE, :] * _ACROSS)


def role_weights(roles: Sequence[str] = TRACKED) -> Array:
    """How much each of the roles counts, ``(R,)``, in sum 1."""
    weights = np.array([_COUNT.get(r.rpartition("_")[2], _COUNT_OF_OTHERS) for r in roles])
    return weights / weights.sum()


def roles_of(part: str | Sequence[str] | None) -> tuple[str, ...]:
    """Roles of a part of the body by its name, or as listed; all for None.

    Raises
    ------
    RigError
        If the part or a role is not known.
    """
    if part is None:
        return TRACKED
    if isinstance(part, str):
        if part in PARTS:
            return PARTS[part]
        part = (part,)
    wrong = [role for role in part if role not in TRACKED]
    if wrong or not part:
        known = ", ".join((*PARTS, *TRACKED))
        raise RigError(f"there is no part of the body {wrong or part!r}; there are: {known}")
    return tuple(part)


def at_rate(motion: Motion) -> Motion:
    """The motion at 30 samples per second; whole frames are taken where they fall on them."""
    step = motion.fps / RATE
    if step >= 1.0 and abs(step - round(step)) < 1e-3:
        return motion[:: round(step)]
    return motion.resample(RATE)


def track(motion: Motion, floor: Floor | None = None) -> ClipTrack:
    """A motion in the library's form.

    Parameters
    ----------
    motion
        Of a body with legs and arms.
    floor
        What it stands on, if that is known; a single frame stands on its lowest joint.

    Raises
    ------
    RigError
        If the body has no legs or arms that could be compared; the message names the role.
    """
    sampled = at_rate(motion)
    size = leg_length(motion.skeleton)
    places = places_of(motion.skeleton, sampled.positions())
    if floor is None:
        # The floor of a single pose cannot be estimated from its movement.
        floor = estimate_floor(sampled) if len(sampled) > 1 else Floor(places[..., 1].min())
    places[..., 1] = floor.above(places)
    return ClipTrack((places / size).astype(np.float32), facing(sampled).astype(np.float32))


def places_of(skeleton: Skeleton, positions: Array) -> Array:
    """Positions ``(n, R, 3)`` of `TRACKED` from those of all joints ``(n, J, 3)``.

    Of a unit matrix ``(J, J)``: how much of each joint there is in each role, ``(J, R)``.
    """
    rig = find_rig(skeleton)
    return np.stack([_place(rig, positions, role) for role in TRACKED], axis=1)


def _place(rig: Rig, positions: Array, role: str) -> Array:
    if rig.has(role):
        return positions[:, rig.roles[role]]
    if role not in _INSTEAD:
        return positions[:, rig.joint(role, "the library")]
    return np.mean([_place(rig, positions, other) for other in _INSTEAD[role]], axis=0)


def local_points(
    points: Array,
    heading: Array,
    at: NDArray[np.int64],
    offsets: Sequence[int],
    roles: Sequence[str],
) -> Array:
    """Roles ``(m, len(offsets), R, 3)`` around samples ``at`` ``(m,)``, relative to the body there.

    The hips' place on the floor is the origin and the body faces +z. Samples beyond the ends of
    the track are its ends.
    """
    columns = [TRACKED.index(role) for role in roles]
    frames = np.clip(at[:, None] + np.asarray(offsets), 0, len(points) - 1)
    return as_seen(points[frames][:, :, columns], points[at][:, 0], heading[at])


def as_seen(places: Array, origin: Array, heading: Array) -> Array:
    """Places ``(m, k, R, 3)`` as bodies at ``origin`` ``(m, 3)`` facing ``heading`` ``(m,)`` see
    them."""
    origin = origin[:, None, None]
    x = places[..., 0] - origin[..., 0]
    z = places[..., 2] - origin[..., 2]
    # The inverse of `Planar(heading)`, written out: this runs over millions of samples.
    cos, sin = (f(heading)[:, None, None] for f in (np.cos, np.sin))
    return np.stack([cos * x - sin * z, places[..., 1], sin * x + cos * z], axis=-1)


def descriptors(track: ClipTrack, roles: Sequence[str] = TRACKED) -> tuple[Array, Array]:
    """Poses ``(m, 3 R)`` and their dynamics ``(m, 6 R)`` at every third sample.

    Squared differences of these are mean square distances in leg lengths, weighted by role.
    """
    at = np.arange(0, len(track), STRIDE)
    local = local_points(track.points, track.heading, at, (-REACH, 0, REACH), roles)
    scale = np.sqrt(role_weights(roles)).astype(np.float32)[:, None]
    pose = (local[:, 1] * scale).reshape(len(at), -1)
    ways = (local[:, [0, 2]] - local[:, 1:2]) * scale * np.float32(np.sqrt(_DYNAMICS / 2.0))
    return pose, ways.reshape(len(at), -1)


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The directions in which descriptors of a library vary most.

    Parameters
    ----------
    pose_mean, pose_axes, dynamic_mean, dynamic_axes
        ``(3 R,)``, ``(3 R, a)``, ``(6 R,)``, ``(6 R, b)``; axes are orthonormal.
    """

    pose_mean: Array
    pose_axes: Array
    dynamic_mean: Array
    dynamic_axes: Array

    @property
    def poses(self) -> int:
        """How many of the leading numbers of a feature are the pose's."""
        return self.pose_axes.shape[1]

    @property
    def dimensions(self) -> int:
        """Numbers of a feature."""
        return self.pose_axes.shape[1] + self.dynamic_axes.shape[1]

    def project(self, pose: Array, dynamics: Array) -> Array:
        """Features ``(m, a + b)`` of descriptors, single precision."""
        parts = (
            (pose - self.pose_mean) @ self.pose_axes,
            (dynamics - self.dynamic_mean) @ self.dynamic_axes,
        )
        return np.concatenate(parts, axis=1).astype(np.float32)


def fit_basis(moments: Moments) -> PrincipalAxes:
    """The principal axes of all accumulated descriptors."""
    parts = []
    for which, wanted in ((0, POSE_DIMENSIONS), (1, DYNAMIC_DIMENSIONS)):
        mean = moments.sums[which] / moments.count
        products = moments.products[which] / moments.count
        _, axes = np.linalg.eigh(products - np.outer(mean, mean))
        largest = axes[:, ::-1][:, :wanted]
        # The sign of an axis is arbitrary; fix it, so that results do not depend on the machine.
        sign = np.sign(largest[np.argmax(np.abs(largest), axis=0), np.arange(largest.shape[1])])
        parts += [mean.astype(np.float32), (largest * sign).astype(np.float32)]
    return PrincipalAxes(*parts)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums and products of poses and of dynamics, enough to find their principal axes."""

    count: int
    sums: tuple[Array, Array]
    products: tuple[Array, Array]

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.count + other.count,
            (self.sums[0] + other.sums[0], self.sums[1] + other.sums[1]),
            (self.products[0] + other.products[0], self.products[1] + other.products[1]),
        )


def moments(track: ClipTrack) -> Moments:
    """What one track adds to the statistics of a library."""
    both = [part.astype(np.float64) for part in descriptors(track)]
    return Moments(
        len(both[0]),
        (both[0].sum(axis=0), both[1].sum(axis=0)),
        (both[0].T @ both[0], both[1].T @ both[1]),
    )


def measures(track: ClipTrack) -> dict[str, float]:
    """Measures of a whole clip; lengths in leg lengths, times in seconds, angles in degrees."""
    points = np.asarray(track.points, dtype=np.float64)
    seconds = max(len(track) - 1, 1) / RATE
    hips = points[:, 0]
    way = np.linalg.norm(np.diff(hips[:, [0, 2]], axis=0), axis=1)
    feet = points[:, [TRACKED.index(f"{s}_{p}") for s in SIDES for p in ("ankle", "toe")], 1]
    hands = points[:, [TRACKED.index(f"{s}_hand") for s in SIDES]]
    shoulders = points[:, [TRACKED.index(f"{s}_upper_arm") for s in SIDES]]
    # Both feet are in the air when even the lowest of their joints is above its standing height.
    lowest = feet.min(axis=1)
    return {
        "duration": (len(track) - 1) / RATE,
        "speed": float(way.sum() / seconds),
        "travel": float(np.hypot(*(hips[-1] - hips[0])[[0, 2]])),
        "turn": float(np.degrees(track.heading[-1] - track.heading[0])),
        "jump": float(lowest.max() - np.median(lowest)),
        "reach": float(np.linalg.norm(hands - shoulders, axis=2).max()),
        "hand_height": float(hands[..., 1].max()),
        "steps": float(sum(_steps(points, side) for side in SIDES)),
    }


def _steps(points: Array, side: str) -> int:
    """How often a foot comes to rest on the floor after it has moved."""
    toe = points[:, TRACKED.index(f"{side}_toe")]
    if len(toe) < 2:
        return 0
    speed = np.linalg.norm(np.gradient(toe, axis=0), axis=1) * RATE
    # Two limits, so that a foot that jitters around one of them is not counted twice.
    state = np.where(speed < _AT_REST, 1, np.where(speed > _MOVING, -1, 0))
    known = state[state != 0]
    return int(np.sum((known[1:] == 1) & (known[:-1] == -1)))
