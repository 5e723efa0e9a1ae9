"""Loops: one cycle cut out of a clip and closed; and walking on the spot or over the floor."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Literal

import numpy as np

from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.heading import direction, facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.soles import has_feet
from motionweave.contacts.clean.footskate import clean_feet
from motionweave.contacts.detect import detect_contacts
from motionweave.contacts.treadmill import belt
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.cycles import closed, displacement, is_closed, repeat
from motionweave.core.motion import Motion, checked
from motionweave.core.planar import Planar
from motionweave.errors import MotionError, QualityWarning, Remedy
from motionweave.measure.check import check
from motionweave.registration.cycles import extract_cycle, find_cycle

# Seconds over which the way on the floor of a clip that is not closed is smoothed.
_SMOOTH = 0.6
# Faults that are left alone if feet are.
_OF_FEET = ("drift", "contacts")


def loop(
    motion: Motion,
    rounds: int = 1,
    *,
    frames: tuple[int, int] | Literal["whole"] | None = None,
    in_place: bool = False,
    clean: bool = True,
) -> Motion:
    """One cycle of a repeating motion, closed without a seam.

    Parameters
    ----------
    motion
        A clip with a part that repeats, or a clip that is one cycle.
    rounds
        How many times the result plays the cycle.
    frames
        First and last frame of the cycle; ``"whole"`` means that the clip is one cycle; None finds
        the cycle whose ends are most similar.
    in_place
        Whether to remove the root motion, as on a treadmill; see `in_place`.
    clean
        Whether to plant the feet again, because closing a cycle moves them slightly.

    Returns
    -------
    Motion
        Its last frame is its first one, moved on the floor by the distance that one cycle covers;
        leave out the last frame to play it forever.

    Raises
    ------
    MotionError
        If the motion does not repeat itself, or the frames are not in the clip.

    Warns
    -----
    QualityWarning
        If closing the cycle made it clearly worse than the clip, with frame and joint.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.loop(mw.sample("walk"), rounds=4)
    >>> len(walk) == 4 * (len(mw.loop(mw.sample("walk"))) - 1) + 1
    True
    """
    check_arguments(loop, locals())
    if rounds != int(rounds) or rounds < 1:
        raise MotionError(f"rounds {rounds}: expected a whole number, 1 or more")
    motion = at_pelvis(checked(motion))
    if frames is None:
        ends = find_cycle(motion, remedies=[Remedy("frames", "whole")])
    elif isinstance(frames, str):
        if frames != "whole":
            raise MotionError(f"frames={frames!r}: expected two frames or 'whole'")
        ends = (tpose_frames(motion), len(motion) - 1)
    else:
        ends = int(frames[0]), int(frames[1])
    cycle = extract_cycle(motion, ends)
    if clean and cycle.constraints and has_feet(cycle.skeleton):
        cycle = _planted(cycle)
    for finding in check(repeat(cycle, 2), [motion]):
        if finding.kind not in _OF_FEET or clean:
            # The frame may be one of the second round.
            reason = finding.message if rounds > 1 else f"played twice, {finding.message}"
            warning = QualityWarning(reason, finding, [Remedy("frames")])
            warnings.warn(warning, stacklevel=2)
    if in_place:
        cycle = _on_the_spot(cycle)
    return repeat(cycle, int(rounds))


def in_place(motion: Motion) -> Motion:
    """The motion without its root motion, as on a treadmill.

    Parameters
    ----------
    motion
        A clip that travels. A loop stays a loop; from other clips the smoothed path is removed, and
        the sway of the body stays.

    Returns
    -------
    Motion
        Without contacts, because planted feet now slide. `travel` restores both.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.in_place(mw.loop(mw.sample("walk")))
    >>> bool(abs(walk.root[-1] - walk.root[0]).max() < 1e-9)
    True
    """
    check_arguments(in_place, locals())
    motion = at_pelvis(checked(motion))
    return _on_the_spot(motion) if is_closed(motion) else _off_its_way(motion)


def travel(motion: Motion, speed: float | None = None) -> Motion:
    """An in-place motion made to travel over the floor.

    Parameters
    ----------
    motion
        A clip as on a treadmill, in which planted feet slide backwards.
    speed
        Speed in the clip's unit per second; by default as fast as the planted feet slide. It
        travels opposite to their slide, or in the facing direction.

    Returns
    -------
    Motion
        With newly detected contacts.

    Raises
    ------
    MotionError
        If the speed is not a finite number, or if the skeleton has no feet and no speed is given.

    Examples
    --------
    >>> import motionweave as mw
    >>> on_the_spot = mw.in_place(mw.loop(mw.sample("walk"), rounds=3))
    >>> walk = mw.travel(on_the_spot)
    >>> bool(walk.constraints)
    True
    """
    check_arguments(travel, locals())
    if speed is not None and not np.isfinite(speed):
        raise MotionError(f"speed {speed}: expected a number")
    motion = at_pelvis(checked(motion))
    feet = has_feet(motion.skeleton)
    if not feet and speed is None:
        raise MotionError(
            f"{motion.name or 'the clip'} has no feet from which to measure its speed: "
            "give the speed"
        )
    velocity = -belt(motion) if feet else np.zeros(2)
    if speed is not None:
        pace = float(np.linalg.norm(velocity))
        angle = facing(motion)
        ahead = direction(np.arctan2(np.mean(np.sin(angle)), np.mean(np.cos(angle))))
        velocity = speed * (velocity / pace if pace > 0.0 else ahead)
    shift = np.arange(len(motion))[:, None] / motion.fps * velocity
    moved = motion.moved(Planar(0.0, shift[:, 0], shift[:, 1]))
    return moved.with_constraints(detect_contacts(moved)) if feet else moved


def _planted(cycle: Motion) -> Motion:
    """A closed cycle with planted feet, still closed: the middle one of three rounds."""
    length = len(cycle) - 1
    three = clean_feet(repeat(cycle, 3), warn=False)
    step = displacement(cycle)
    middle = three[length : 2 * length + 1].moved(step.inverse())
    result = closed(middle, displacement(middle))
    return result.with_constraints(cycle.constraints)


def _on_the_spot(cycle: Motion) -> Motion:
    """A closed cycle whose move on the floor is taken off evenly."""
    step, place = displacement(cycle), np.linspace(0.0, 1.0, len(cycle))
    still = replace(cycle.moved(_share_of(step, place).inverse()), constraints=())
    root, turns = np.array(still.root), np.array(still.rotations)
    # To the last digit.
    root[-1], turns[-1] = root[0], turns[0]
    return replace(still, root=root, rotations=turns)


def _share_of(step: Planar, place: Array) -> Planar:
    """The moves ``(T,)`` that do shares of a move: along a line, or about a point."""
    if abs(step.angle) < 1e-6:
        return Planar(step.angle * place, step.x * place, step.z * place)
    # The point that stays where it is: (1 - R) p = shift.
    cos, sin = np.cos(step.angle), np.sin(step.angle)
    centre = np.linalg.solve([[1.0 - cos, -sin], [sin, 1.0 - cos]], [step.x, step.z])
    return Planar.about(centre, step.angle * place)


def _off_its_way(motion: Motion) -> Motion:
    """A motion without its smoothed path over the floor."""
    way = motion.root[:, [0, 2]]
    reach = min(len(way) - 1, max(1, round(2.0 * _SMOOTH * motion.fps)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (_SMOOTH * motion.fps)) ** 2)
    # Beyond its ends the path continues in the same direction: mirrored about the end point.
    padded = np.concatenate(
        [2.0 * way[0] - way[reach:0:-1], way, 2.0 * way[-1] - way[-2 : -reach - 2 : -1]]
    )
    smooth = np.stack(
        [np.convolve(column, kernel / kernel.sum(), mode="valid") for column in padded.T], axis=1
    )
    shift = way[0] - smooth
    moved = motion.moved(Planar(0.0, shift[:, 0], shift[:, 1]))
    return replace(moved, constraints=())
