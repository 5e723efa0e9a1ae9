"""Poses as rows of numbers that may be mixed freely, and back (Mukai, sections 2.2 and 2.3).

A row holds what the paper embeds with each sample: the joints' rotations, the root's
without its heading, and the root's travel and turn to the next frame, seen from the
character. Rotations are rotation vectors from the mean of all samples, where a weighted
sum of any weights, negative ones included, is a rotation and the samples are met exactly.

Two things are added so that the feet agree with the rest of the body. A row also holds
whether, how high and how fast each heel and toe is; root height and travel follow from
the feet that stand, and are the root's own only in flight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from motionweave.body.hinges import find_hinges
from motionweave.body.pose.heading import facing
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion, end_positions, local_translations
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton
from motionweave.methods.joining.feet import (
    SolePoints,
    firmness,
    smoothed_inside,
    weight_shares,
    with_steps,
)
from motionweave.methods.joining.root_correction import cumulative

# How often what is faster than the clips is taken off, each time without a sudden change.
_ROUNDS = 3


class Knee(NamedTuple):
    """A knee, in the frame of its thigh.

    Parameters
    ----------
    joint
        The joint that bends.
    axis
        ``(3,)`` unit vector about which it bends.
    upper, lower
        ``(3,)`` the thigh, and the shin in its own frame.
    least
        The least that it is bent in the clips, or straight; in radians.
    """

    joint: int
    axis: Array
    upper: Array
    lower: Array
    least: float

    def bend(self, quats: Array) -> Array:
        """How far ``(n,)`` it is bent in local rotations ``(n, J, 4)``."""
        shin = rotations.rotate(quats[:, self.joint], self.lower)
        sine = rotations.cross(self.upper, shin) @ self.axis
        return np.asarray(np.arctan2(sine, shin @ self.upper))


@dataclass(frozen=True, eq=False)
class PoseCode:
    """How frames of one skeleton are written as rows of F numbers.

    Parameters
    ----------
    skeleton
        The character, J joints.
    base
        ``(J, 4)`` rotations that the rotation vectors start from.
    feet
        Heels and toes; empty for a skeleton without legs.
    sliding
        Whether the joints have translations of their own.
    top
        How far the root goes from frame to frame in the clips, at most.
    knees
        Knees that do not bend further backwards than they do in the clips.
    """

    skeleton: Skeleton
    base: Array
    feet: SolePoints
    sliding: bool = False
    top: float = np.inf
    knees: tuple[Knee, ...] = ()

    @classmethod
    def of(cls, motions: Iterable[Motion]) -> PoseCode:
        """The code for clips of one skeleton, its base the mean of their rotations."""
        motions = tuple(motions)
        return cls(
            motions[0].skeleton,
            _middle([_without_heading(m, facing(m)) for m in motions]),
            SolePoints.of(motions[0]),
            any(m.translations is not None for m in motions),
            max(float(_length(_to_next(m.root)).max()) for m in motions),
            _knees(motions),
        )

    @cached_property
    def columns(self) -> dict[str, slice]:
        """What is where in a row."""
        joints, feet = len(self.skeleton), len(self.feet)
        sizes = {
            "rotations": 3 * joints,
            "translations": 3 * joints if self.sliding else 0,
            "height": 1,
            "travel": 2,
            "turn": 1,
            "foot_contact": feet,
            "foot_height": feet,
            "foot_travel": 2 * feet,
        }
        ends = np.cumsum(list(sizes.values()))
        return {
            name: slice(int(end) - size, int(end))
            for (name, size), end in zip(sizes.items(), ends, strict=True)
        }

    @cached_property
    def poses(self) -> list[int]:
        """The columns that say how the body is posed; the others are rates and contacts."""
        names = ("rotations", "translations", "height", "foot_height")
        every = range(self.columns["foot_travel"].stop)
        return [column for name in names for column in every[self.columns[name]]]

    @cached_property
    def rates(self) -> list[int]:
        """The columns that say how far the body and its feet move to the next frame."""
        every = range(self.columns["foot_travel"].stop)
        return [c for name in ("travel", "turn", "foot_travel") for c in every[self.columns[name]]]

    def encode(self, motion: Motion) -> Array:
        """Rows ``(T, F)`` of a motion. Travel and turn of a row lead to the next frame."""
        heading = facing(motion)
        frames = np.arange(len(motion), dtype=np.float64)
        feet = self.feet.points(motion)
        vectors = _long_log(
            rotations.multiply(rotations.inverse(self.base), _without_heading(motion, heading))
        )
        parts = [
            vectors.reshape(len(motion), -1),
            local_translations(motion).reshape(len(motion), -1)
            if self.sliding
            else np.zeros((len(motion), 0)),
            motion.root[:, 1:2],
            _steps(motion.root[:, None], heading).reshape(len(motion), -1),
            _to_next(heading)[:, None],
            *(
                firmness(motion.constraints, kind, frames, motion.fps)[:, None]
                for kind in self.feet.kinds
            ),
            feet[..., 1],
            _steps(feet, heading).reshape(len(motion), -1),
        ]
        return np.concatenate(parts, axis=1)

    def decode(
        self, rows: Array, like: Motion, start: tuple[float, float, float], *, footed: bool = True
    ) -> Motion:
        """The motion of rows ``(n, F)``, its root integrated from a starting place.

        Parameters
        ----------
        rows
            As from `encode`, or mixed from such rows.
        like
            A motion from which frame rate and name are taken.
        start
            Heading, x and z of the first frame.
        footed
            Whether the root follows the supporting foot, and feet that cannot stay take a step;
            otherwise the root is independent, as in the paper.
        """
        count, joints = len(rows), len(self.skeleton)
        part = {name: rows[:, where] for name, where in self.columns.items()}
        heading = start[0] + np.concatenate([[0.0], np.cumsum(part["turn"][:-1, 0])])
        quats = self._quaternions(rows)
        for knee in self.knees if footed else ():
            # Beyond the samples, the weights that mix poses may be negative.
            missing = np.maximum(knee.least - knee.bend(quats), 0.0)
            if not missing.any():
                continue
            turn = rotations.exp(smoothed_inside(missing, like.fps)[:, None] * knee.axis)
            quats[:, knee.joint] = rotations.multiply(turn, quats[:, knee.joint])
        quats[:, 0] = rotations.multiply(rotations.about_vertical(heading), quats[:, 0])
        root = np.zeros((count, 3))
        root[:, 1] = part["height"][:, 0]
        motion = replace(
            like,
            root=root,
            rotations=quats,
            translations=part["translations"].reshape(count, joints, 3) if self.sliding else None,
            constraints=(),
        )
        travel = Planar(heading).apply_xz(part["travel"])
        held = tuple(self.contacts(rows))
        if not (len(self.feet) and footed):
            root[:, [0, 2]] = np.asarray(start[1:]) + cumulative(travel[:-1])
            return replace(motion, root=root, constraints=held)
        points = self.feet.points(motion)
        stands = np.clip(part["foot_contact"], 0.0, 1.0)
        # Where all rows agree, as in the samples themselves, nothing is corrected.
        share = weight_shares(stands)
        lift = np.sum(share * (part["foot_height"] - points[..., 1]), axis=1)
        root[:, 1] += smoothed_inside(lift, like.fps)
        wanted = Planar(heading[:, None]).apply_xz(part["foot_travel"].reshape(count, -1, 2))
        slip = wanted - (_to_next(points[..., [0, 2]]) + travel[:, None])
        give = smoothed_inside(np.sum(share[..., None] * slip, axis=1), like.fps)
        # A leg that swings back quickly must not hurl the body forward.
        top = np.sqrt(np.maximum(self.top**2 - _to_next(root[:, 1]) ** 2, 0.0))
        for _ in range(_ROUNDS):
            speed = np.maximum(_length(travel + give), 1e-12)
            beyond = np.maximum(1.0 - top / speed, 0.0)
            if not beyond.any():
                break
            give = give - smoothed_inside(beyond[:, None] * (travel + give), like.fps)
        root[:, [0, 2]] = np.asarray(start[1:]) + cumulative((travel + give)[:-1])
        motion = replace(motion, root=root, constraints=held)
        return with_steps(motion, self.feet, cumulative((give[:, None] - slip)[:-1]))

    def places(self, rows: Array) -> Array:
        """Joints and end sites ``(n, J + E, 3)`` of rows, seen from the body: no heading."""
        skeleton = self.skeleton
        joints, ends = len(skeleton), len(skeleton.end_parents)
        places = np.empty((len(rows), joints + ends, 3))
        for part in kinematics.in_parts(len(rows)):
            own = rows[part]
            root = np.zeros((len(own), 3))
            root[:, 1] = own[:, self.columns["height"]][:, 0]
            moves = own[:, self.columns["translations"]].reshape(len(own), -1, 3)
            positions, orientations = kinematics.forward(
                skeleton.parents,
                skeleton.offsets,
                root,
                self._quaternions(own),
                moves if self.sliding else None,
            )
            places[part, :joints] = positions
            places[part, joints:] = end_positions(skeleton, positions, orientations)
        return places

    def _quaternions(self, rows: Array) -> Array:
        vectors = rows[:, self.columns["rotations"]].reshape(len(rows), -1, 3)
        return rotations.multiply(self.base, rotations.exp(vectors))

    def contacts(self, rows: Array) -> list[Constraint]:
        """Contacts from the rows: each foot is down where its value is above a half."""
        found: list[Constraint] = []
        values = rows[:, self.columns["foot_contact"]]
        for kind, value in zip(self.feet.kinds, values.T, strict=True):
            found += [Constraint(float(a), float(b), kind) for a, b in runs(value > 0.5)]
        return found


def _knees(motions: Sequence[Motion]) -> tuple[Knee, ...]:
    """The knees of the character that performs motions."""
    skeleton = motions[0].skeleton
    found = []
    for hinge in find_hinges(motions[0], arms=False).values():
        parents = skeleton.parents[[hinge.joint, hinge.end]].tolist()
        if parents == [hinge.upper, hinge.joint]:
            upper, lower = skeleton.offsets[[hinge.joint, hinge.end]]
            knee = Knee(hinge.joint, hinge.axis, upper, lower, 0.0)
            least = min(0.0, *(float(knee.bend(m.rotations).min()) for m in motions))
            found.append(knee._replace(least=least))
    return tuple(found)


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _without_heading(motion: Motion, heading: Array) -> Array:
    quats = np.array(motion.rotations)
    quats[:, 0] = Planar(-heading).turn(quats[:, 0])
    return quats


def _to_next(values: Array) -> Array:
    """Differences ``(T, ...)`` to the next frame; the last frame repeats the one before."""
    if len(values) == 1:
        return np.zeros_like(values)
    steps = np.diff(values, axis=0)
    return np.concatenate([steps, steps[-1:]])


def _steps(positions: Array, heading: Array) -> Array:
    """Travel ``(T, n, 2)`` in x and z to the next frame, seen from the body."""
    return Planar(-heading[:, None]).apply_xz(_to_next(positions[..., [0, 2]]))


def _middle(clips: Sequence[Array]) -> Array:
    """Rotations ``(J, 4)`` in the middle of what joints do in clips ``(T, J, 4)``.

    Quaternions continue through half a turn and past it, while the shortest rotation from one to
    another jumps to the other side there. So the mean is taken of quaternions whose signs follow
    the motion: a joint that turns far has its middle half-way.
    """
    total = np.zeros(clips[0].shape[1:])
    for quats in clips:
        mean = rotations.unroll(quats).mean(axis=0)
        total += mean * np.where(np.sum(mean * total, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    # A joint that keeps spinning has no middle; any of its rotations will do.
    aimless = np.linalg.norm(total, axis=-1, keepdims=True) < 1e-3
    return rotations.normalize(np.where(aimless, clips[0][0], total))


def _long_log(quats: Array) -> Array:
    """Rotation vectors ``(T, J, 3)`` that run on past half a turn instead of jumping there."""
    quats = rotations.unroll(quats)
    quats = quats * np.where(quats[..., 3].mean(axis=0) < 0.0, -1.0, 1.0)[:, None]
    sine = np.linalg.norm(quats[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quats[..., 3:])
    small = sine < 1e-12
    return np.asarray(quats[..., :3] * np.where(small, 2.0, angle / np.where(small, 1.0, sine)))
