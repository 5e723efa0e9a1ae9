"""One clip after another without a visible seam: what all methods that join clips share.

A method decides which frames of the two clips are shown along the seam, and their weights. Here the
frames are cross-faded, the second clip is placed where the seam arrives, contacts are carried
across, and feet that stand there are planted.

Poses are averaged, positions are not: the *velocities* of the root over the floor and about the
vertical are averaged and integrated, each relative to the clip's own heading. Two clips at
different speeds thus change smoothly from one speed to the other, wherever they were aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motionweave.body.rig.roles import find_rig
from motionweave.body.soles import has_feet
from motionweave.contacts.clean.footskate import plant_between
from motionweave.contacts.clean.plants import clearance_between_stances
from motionweave.contacts.detect import estimate_floor
from motionweave.core import rotations
from motionweave.core.arrays import Array, sealed
from motionweave.core.averaging import consistent_signs, mean_rotations
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import joined as joined_contacts
from motionweave.core.intervals import covered
from motionweave.core.motion import Motion, local_translations
from motionweave.core.numerics.curves import hermite, smootherstep, smoothstep
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.measure.check import near_seams
from motionweave.methods.finish import Finished
from motionweave.methods.joining.feet import SolePoints, crossfaded_contacts
from motionweave.methods.joining.root_correction import cumulative, keep_supporting_feet
from motionweave.registration.distance import align

# The ends of contacts that are closer than this, in frames, are one contact.
_TOUCHING = 1.0
# Clips no longer keep in step in a seam that lasts longer than theirs by this share.
_IN_STEP = 0.5
# Seconds beyond the frames that may change that are looked at to plant feet, and those over which
# changes fade at their ends.
_BEYOND, _FADING = 0.25, 0.5


@dataclass(frozen=True, eq=False)
class Seam:
    """Which frames of two clips are shown where they meet.

    Parameters
    ----------
    first, second
        ``(n,)`` frames of the first and of the second clip, not falling.
    weight
        ``(n,)`` how much the second clip counts, from 0 to 1: the seam begins with a frame
        of the first clip and ends with one of the second.
    firm
        Whether supporting feet stay where they are even if the body then lags behind its clips, or
        runs ahead of them.
    """

    first: Array
    second: Array
    weight: Array
    firm: bool = False

    def __len__(self) -> int:
        return len(self.weight)

    def at_own_pace(self, share: float) -> Seam:
        """The same seam with clips nearer to their own speed; a share of 1 is all the way."""
        steps = np.arange(len(self), dtype=np.float64)
        first, second = self.first[0] + steps, self.second[-1] - steps[::-1]
        return Seam(
            self.first + share * (first - self.first),
            self.second + share * (second - self.second),
            self.weight,
        )

    def stretched_to(self, count: int) -> Seam:
        """The same frames stretched over ``count`` frames.

        The first clip slows to rest as it fades out, and the second starts from rest as it fades
        in; both keep their own speed where they are shown alone. The longer that takes, the less
        the clips are kept in step: one would rest while the other moves, then rush to catch up.
        """
        if count <= len(self):
            return self
        last, steps = len(self) - 1, np.arange(count, dtype=np.float64)
        own = min((count - 1 - last) / (_IN_STEP * last), 1.0)
        # The second clip is entered as the first is left, with time reversed.
        first, second = self.first - self.first[0], self.second[-1] - self.second[::-1]
        shown = [
            (1.0 - own) * _between(frames, _slowed(last, steps)) + own * _slowed(frames[-1], steps)
            for frames in (first, second)
        ]
        return Seam(
            self.first[0] + shown[0],
            self.second[-1] - shown[1][::-1],
            smoothstep(steps / (count - 1)),
        )


def _slowed(room: float, steps: Array) -> Array:
    """Places ``(n,)`` that begin one step apart and come to rest at ``room``."""
    power = max(steps[-1] / max(room, 1e-9), 1.0)
    return np.asarray(room * (1.0 - (1.0 - steps / steps[-1]) ** power))


def _between(frames: Array, places: Array) -> Array:
    """Ascending frames ``(n,)`` interpolated smoothly at ascending places ``(m,)``."""
    curve = hermite(np.arange(len(frames)), frames, np.gradient(frames), places)
    return np.maximum.accumulate(np.clip(curve, frames[0], frames[-1]))


@dataclass(frozen=True, eq=False)
class Spliced:
    """Two clips joined by a seam.

    Of many joins that are tried only one is used, so the whole motion is assembled on demand.

    Parameters
    ----------
    a, b
        Clips of one skeleton and frame rate.
    leave, enter
        The frame of ``a`` with which ``middle`` begins, and that of ``b`` with which it ends. Where
        one lies between two frames, the clip before or after the seam is sampled.
    middle
        The frames of the seam, at least one, with contacts; a single one is the frame entered.
    placed
        The planar move of ``b`` to where ``middle`` ends.
    """

    a: Motion
    b: Motion
    leave: float
    enter: float
    middle: Motion
    placed: Planar

    @property
    def start(self) -> int:
        """First frame of the seam in the motion: a frame of the first clip."""
        return int(self.leave)

    @property
    def end(self) -> int:
        """Last frame of the seam in the motion: a frame of the second clip."""
        return self.start + len(self.middle) - 1

    @cached_property
    def motion(self) -> Motion:
        """The first clip up to the seam, the seam, the second clip from there on."""
        before, after = self.start, int(len(self.b) - 1 - self.enter)
        head, tail, joined = self._joined(before, after)
        held = [
            *head.constraints,
            *(c.shifted(self.start) for c in self.middle.constraints),
            *(c.shifted(self.end) for c in tail.constraints),
        ]
        names = " to ".join(motion.name for motion in (self.a, self.b) if motion.name)
        joined = replace(joined, name=names, source=self.a.source)
        return joined.with_constraints(joined_contacts(held, _TOUCHING))

    def along(self, track: Callable[[Motion], Array], frames: int) -> tuple[Array, int]:
        """Points ``(n, ..., 3)`` of the seam with some frames on either side, and its first index.

        Parameters
        ----------
        track
            Gives the points ``(T, ..., 3)`` of a motion. It may cache those of the clips, which
            many joins share.
        frames
            How many frames on either side, at most.
        """
        before, after = min(self.start, frames), min(int(len(self.b) - 1 - self.enter), frames)
        parts = (
            _rows(track(self.a), self.leave - before, before),
            track(self.middle)[:-1],
            self.placed.apply(_rows(track(self.b), self.enter, after + 1)),
        )
        return np.concatenate(parts), before

    def _joined(self, before: int, after: int) -> tuple[Motion, Motion, Motion]:
        """Frames ``before`` the seam up to the one left, the frames from the one entered to those
        ``after`` the seam, and both joined by the seam, without contacts."""
        head = _frames(self.a, self.leave - before, self.leave)
        tail = _frames(self.b, self.enter, self.enter + after).moved(self.placed)
        parts = [head[:-1] if before else None, self.middle[:-1] if len(self.middle) > 1 else None]
        bare = [part.with_constraints(()) for part in (*parts, tail) if part is not None]
        return head, tail, concatenate(bare)


def given_clips(
    motions: Sequence[Motion | Iterable[Motion]], least: int, what: str
) -> list[Motion]:
    """Clips given as separate arguments or as one sequence.

    Parameters
    ----------
    motions
        The positional arguments of a function.
    least
        How many clips the function needs.
    what
        What is made of them, for the message.
    """
    clips: list[Motion] = []
    for one in motions:
        if isinstance(one, Motion):
            clips.append(one)
        elif isinstance(one, Sequence) and not isinstance(one, str):
            clips.extend(one)
        else:
            raise BlendError(f"{what} takes motions, not {type(one).__name__}")
    wrong = next((clip for clip in clips if not isinstance(clip, Motion)), None)
    if wrong is not None:
        raise BlendError(f"{what} takes motions, not {type(wrong).__name__}")
    if len(clips) < least:
        raise BlendError(f"{what} joins two clips or more; got {len(clips)}")
    return clips


def plant_near_seams(motion: Motion, seams: Iterable[tuple[int, int]]) -> Motion:
    """Plant the feet that stand during seams, given as first and last frames.

    Only frames near a seam change (see `near_seams`), and less and less with the distance from it:
    a foot that stands longer is held where it stands beyond.
    """
    seams = tuple(seams)
    near = [c for c in motion.constraints if any(c.end >= s and c.start <= e for s, e in seams)]
    if not near or not has_feet(motion.skeleton):
        return motion
    floor, last = estimate_floor(motion), len(motion) - 1
    bare = motion.with_constraints(near)
    root, quats = np.array(motion.root), np.array(motion.rotations)
    beyond, fading = round(_BEYOND * motion.fps), _FADING * motion.fps
    within = covered(seams, np.arange(len(motion)))
    for first, end in near_seams(seams, motion.fps, len(motion)):
        frames = np.arange(first, end + 1)
        inside = np.full(len(frames), np.inf)
        if first > 0:
            inside = np.minimum(inside, frames - first)
        if end < last:
            inside = np.minimum(inside, end - frames)
        part = slice(max(first - beyond, 0), end + beyond + 1)
        # The frames at both ends stay as they are, unless the motion itself ends there.
        stays = first - (first == 0) - part.start, end + (end == last) - part.start
        # Feet that go from a stance of one clip to one of the other would skim the floor.
        clearance = clearance_between_stances(motion[part], within[part])
        planted = plant_between(bare[part], *stays, floor, clearance)
        own = slice(first - part.start, end + 1 - part.start)
        root[frames], quats[frames] = planted.root[own], planted.rotations[own]
        share = smootherstep(inside / fading)
        edge, share = frames[share < 1.0], share[share < 1.0, None]
        root[edge] = motion.root[edge] + share * (root[edge] - motion.root[edge])
        quats[edge] = rotations.slerp(motion.rotations[edge], quats[edge], share)
    return replace(motion, root=sealed(root), rotations=sealed(quats))


def splice(a: Motion, b: Motion, seam: Seam) -> Spliced:
    """One clip after another, cross-faded along a seam.

    Parameters
    ----------
    a, b
        Clips of one skeleton and frame rate.
    seam
        Where it begins or ends between two frames, the clip before or after it is sampled.
    """
    parts = a.sample(seam.first), b.sample(seam.second)
    middle, placed = cross_fade(*parts, seam.weight, SolePoints.of(a), seam.firm)
    return Spliced(a, b, float(seam.first[0]), float(seam.second[-1]), middle, placed)


def _frames(motion: Motion, first: float, last: float) -> Motion:
    """The frames from ``first`` to ``last``, a whole number of frames apart."""
    if first == np.floor(first):
        return motion[int(first) : round(last) + 1]
    return motion.sample(first + np.arange(round(last - first) + 1))


def _rows(values: Array, first: float, count: int) -> Array:
    """Values ``(T, ...)`` from a fractional frame on, a frame apart."""
    whole = int(first)
    share = first - whole
    rows = values[whole : whole + count]
    return rows if share == 0.0 else rows + share * (values[whole + 1 : whole + count + 1] - rows)


def without_sliding(
    seam: Seam, made: Spliced, finished: Callable[[Spliced], Finished]
) -> tuple[Seam, Spliced, Finished]:
    """Two clips joined by a seam so that feet do not slide, if that can be had.

    A body that keeps to its supporting foot goes less far, or further, than its clips: it does so
    only if the foot would slide otherwise.

    Parameters
    ----------
    seam, made
        The seam, and the clips joined by it.
    finished
        Plants feet and looks for faults.
    """
    done = finished(made)
    if any(finding.kind == "slide" for finding in done.found):
        firm = replace(seam, firm=True)
        other = splice(made.a, made.b, firm)
        steadier = finished(other)
        if steadier.cost < done.cost:
            return firm, other, steadier
    return seam, made, done


def cross_fade(
    first: Motion, second: Motion, weight: Array, feet: SolePoints, firm: bool = False
) -> tuple[Motion, Planar]:
    """The average of two clips, and the planar move of the second to where it ends.

    Parameters
    ----------
    first, second
        n frames each, anywhere on the floor.
    weight
        ``(n,)`` of the second clip, from 0 to 1.
    feet
        Heels and toes of the character.
    firm
        As of a `Seam`.
    """
    laid = seam_alignment(first, second, weight)
    clips = (first, second.moved(laid))
    weights = np.stack([1.0 - weight, weight], axis=1)
    middle = int(np.argmin(np.abs(weight - 0.5)))
    paths = [_root_path(clip, middle) for clip in clips]
    path = integrated_path(paths, weights)
    poses = [
        clip.moved(Planar(-its_path.angle)) for clip, its_path in zip(clips, paths, strict=True)
    ]
    turned = np.stack([pose.rotations for pose in poses])
    # A joint that turns right round in one of the clips must keep its direction of turning.
    blended = mean_rotations(turned, weights, lambda: np.stack(consistent_signs(list(turned))))
    blended[:, 0] = path.turn(blended[:, 0])
    heights = np.stack([clip.root[:, 1] for clip in clips], axis=1)
    sliding = any(clip.translations is not None for clip in clips)
    moves = np.stack([local_translations(clip) for clip in clips]) if sliding else None
    result = replace(
        first,
        root=np.stack([path.x, np.sum(weights * heights, axis=1), path.z], axis=1),
        rotations=blended,
        translations=None if moves is None else np.einsum("tk,ktjc->tjc", weights, moves),
        constraints=crossfaded_contacts(first.constraints, second.constraints, weight),
    )
    result = keep_supporting_feet(result, path, clips, paths, weights, feet, firm)
    arrival = Planar(path.angle[-1], *result.root[-1, [0, 2]]) @ paths[1][-1].inverse()
    return result, arrival @ laid


def seam_alignment(first: Motion, second: Motion, weight: Array) -> Planar:
    """The planar move that aligns the second clip with the first, the middle counting most."""
    body = list(find_rig(first.skeleton).body)
    clouds = [motion.positions()[:, body] for motion in (first, second)]
    weights = np.repeat(weight * (1.0 - weight) + 1e-6, clouds[0].shape[1])
    flat = [cloud.reshape(-1, 3) for cloud in clouds]
    return align(flat[0], flat[1], weights / weights.sum())


def _root_path(motion: Motion, origin: int) -> Planar:
    """Place and heading ``(n,)`` of the root; the heading is zero at frame ``origin``.

    Turns are summed from frame to frame, so that a body in any attitude has a heading.
    """
    quats = motion.rotations[:, 0]
    turns = rotations.vertical_angle(rotations.multiply(quats[1:], rotations.inverse(quats[:-1])))
    heading = np.concatenate([[0.0], np.cumsum(turns)])
    return Planar(heading - heading[origin], motion.root[:, 0], motion.root[:, 2])


def integrated_path(paths: Sequence[Planar], weights: Array) -> Planar:
    """The path ``(n,)`` whose steps are the weighted means of the steps of other paths.

    A step is the planar move from one frame to the next, seen from the path itself: its turn and
    its shift are averaged, so that curved paths stay curved. The result begins where the path with
    the largest weight begins.

    Parameters
    ----------
    paths
        k paths ``(n,)``.
    weights
        ``(n, k)``, rows summing to one.
    """
    start = paths[int(np.argmax(weights[0]))][0]
    steps = [path[:-1].inverse() @ path[1:] for path in paths]
    between = 0.5 * (weights[:-1] + weights[1:])
    turn, x, z = (
        np.sum(between * np.stack([getattr(s, field) for s in steps], axis=1), axis=1)
        for field in ("angle", "x", "z")
    )
    angle = start.angle + np.concatenate([[0.0], np.cumsum(turn)])
    shift = Planar(angle[:-1]).apply_xz(np.stack([x, z], axis=1))
    place = np.array([start.x, start.z]) + cumulative(shift)
    return Planar(angle, place[:, 0], place[:, 1])
