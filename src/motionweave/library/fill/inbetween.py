"""`inbetween`: a gap between two motions, filled from a library.

What the body does in the gap is predicted from hundreds of stretches of the library. Those that
fit the gap best are laid over it, each is warped so that it meets the poses on both sides, they are
blended, and the blend is bent until it does what was predicted; what the body was doing before the
gap goes on into it, and what it does after the gap begins in it. Feet stand while most of the
stretches stand, and stay where they stood before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.mirror import mirror
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.contacts.clean.footskate import plant_between
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core import checks, rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.averaging import mean_rotations
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import LibraryError, RigError
from motionweave.library.bodies import on_body
from motionweave.library.fill.confidence import interpolated, nearness, towards
from motionweave.library.fill.footsteps import contacts_in_gap, stepped
from motionweave.library.fill.full_body_ik import reached
from motionweave.library.fill.prediction import beside, predicted
from motionweave.library.fill.stretches import GapInTime, Span, nearest
from motionweave.library.index.features import RATE, as_seen, places_of, track
from motionweave.library.index.folder import IndexedFolder
from motionweave.methods.finish import finish

# Stretches from which is learned what happens in a gap, and those that are blended and bent to it.
_COMPARED, _BLENDED = 600, 32
# Seconds over which the velocity at the ends of a gap blends into that of the stretches.
_CARRY = 0.35
# Seconds around the gap that show what the body is doing.
_CONTEXT = 0.5
# Seconds of a gap beyond which the stretches tell when feet stand; in shorter ones a foot that
# stands is held by the poses around.
_LONG = 0.3


def inbetween(
    before: Motion,
    after: Motion,
    seconds: float,
    library: IndexedFolder,
    *,
    to: tuple[float, float] | None = None,
    heading: float | None = None,
    clean: bool = True,
) -> Motion:
    """Fill the gap between two motions, or a motion and a pose, from a library.

    Parameters
    ----------
    before
        What comes before the gap; it is not changed.
    after
        What comes after it: a motion, or a single frame. It is not changed either, except that
        ``to`` and ``heading`` move and turn it on the floor.
    seconds
        Duration from the last frame before the gap to the first after it.
    library
        The `motionweave.Library` to fill the gap from.
    to
        Place (x, z) of the root where ``after`` begins, in the unit of the body; by default where
        it already is.
    heading
        Facing direction there, in degrees; 0 is +z, 90 is +x. By default ``after`` is not turned.
    clean
        Plant the feet during the gap.

    Returns
    -------
    Motion
        ``before``, the filled gap, and ``after``, at the frame rate of ``before``.

    Raises
    ------
    LibraryError
        If the library has no stretch that is long enough on a usable body.

    Examples
    --------
    >>> import tempfile
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mw.save(walk, f"{folder}/walk.npz")
    ...     library = mw.Library(folder)
    ...     report = library.add()
    ...     filled = mw.inbetween(walk[:30], walk[50:], 0.7, library)
    ...     aside = mw.inbetween(walk[:30], walk[50:], 0.7, library, to=(0.2, 2.1), heading=10)
    >>> len(filled) == len(aside) == 30 + 20 + len(walk) - 50
    True
    >>> aside.root[50, [0, 2]]
    array([0.2, 2.1])
    """
    if not isinstance(library, IndexedFolder):
        raise LibraryError(f"library={checks.shown(library)}: expected a Library")
    check_arguments(inbetween, locals(), LibraryError)
    after = _put(on_body(after, before), to, heading)
    if len(after) > 1:
        after = after.resample(before.fps)
    after = replace(after, fps=before.fps)
    steps = round(seconds * before.fps)
    if steps < 2:
        raise LibraryError(f"a gap of {seconds:g} s has no frame in it at {before.fps:g} fps")
    floor = estimate_floor(concatenate([m.with_constraints(()) for m in (before, after)]))
    gap, clips, standing = _filled(before, after, steps, library, floor)
    clips += [part for part in (before, after) if len(part) > 2]
    whole = concatenate([before.with_constraints(()), gap, after.with_constraints(())])
    whole = replace(whole, name=f"{before.name or 'a clip'} to {after.name or 'a pose'}")
    first, last = len(before) - 1, len(before) - 1 + steps
    contacts = detect_contacts(whole)
    if seconds > _LONG:
        contacts = contacts_in_gap(whole, contacts, standing, first, floor)
    whole = whole.with_constraints(contacts)

    def plant(motion: Motion) -> Motion:
        return plant_between(stepped(motion, first, last, floor), first, last)

    return finish(whole, clips, clean=clean, plant=plant).reported(
        advice="make the gap longer or shorter, or add clips to the library that fill it better",
    )


def _put(motion: Motion, to: tuple[float, float] | None, heading: float | None) -> Motion:
    """A motion that begins at a place and with a heading, where these are given."""
    if to is None and heading is None:
        return motion
    here = motion.root[0, [0, 2]]
    place = here if to is None else [checks.number(value, "to") for value in to]
    turn = 0.0
    if heading is not None:
        turn = np.radians(checks.number(heading, "heading")) - facing(motion)[0]
    return motion.moved(Planar.onto(turn, here, place))


def _filled(
    before: Motion, after: Motion, steps: int, library: IndexedFolder, floor: Floor
) -> tuple[Motion, list[Motion], Array]:
    """The frames of the gap, the stretches that they were made of, and the share of these in
    which each foot stands."""
    around = _around(before, after, steps, floor)
    spans = nearest(library.index, around, _COMPARED)
    near, stretches, standing = _stretches(library, spans[:_BLENDED], before, steps)
    placed = [_met(stretch, before, after) for stretch in stretches]
    root = np.tensordot(near, np.stack([m.root for m in placed]), axes=1)
    share = np.repeat(near[None], steps + 3, axis=0)
    turns = mean_rotations(np.stack([m.rotations for m in placed]), share)
    mean = replace(placed[0], root=root, rotations=turns, constraints=(), translations=None)
    acts, trusted = predicted(library.index, around, spans, steps + 1)
    straight = interpolated(before, after, len(mean))
    acts = trusted * acts + (1.0 - trusted) * _acts(straight, floor)
    mean = _doing(towards(straight, mean, trusted), acts, floor)
    mean = _carried(mean, before, after)
    if before.translations is not None:
        moves = np.repeat(before.translations[-1:], steps + 3, axis=0)
        mean = replace(mean, translations=moves)
    stands = np.tensordot(near, standing, axes=1)
    return mean[2:-2], stretches, np.asarray(stands[:, 1:-1])


def _doing(blend: Motion, acts: Array, floor: Floor) -> Motion:
    """A blend bent until it does what it should beside going evenly from one end to the other."""
    lacks = acts - _acts(blend, floor)
    faced = facing(blend[1:-1])
    heading = np.linspace(faced[0], faced[-1], len(acts))
    shift = as_seen(lacks[:, None], np.zeros((1, 3)), -heading)[:, 0] * leg_length(blend.skeleton)
    inside = blend[2:-2]
    wanted = places_of(blend.skeleton, inside.positions()) + shift[1:-1]
    done = reached(inside, wanted)
    moved = done.root - inside.root
    turned = rotations.log(_from_to(inside.rotations, done.rotations))
    # At the ends nothing changes but the speed: in the frames outside, the changes go on backwards.
    moved, turned = (
        np.concatenate([-c[:1], 0 * c[:1], c, 0 * c[:1], -c[-1:]]) for c in (moved, turned)
    )
    return replace(
        blend,
        root=blend.root + moved,
        rotations=rotations.multiply(rotations.exp(turned), blend.rotations),
    )


def _acts(gap: Motion, floor: Floor) -> Array:
    """What a body does from the second to the last but one frame, as it is predicted."""
    own = track(replace(gap[1:-1], fps=RATE), floor)
    seen = as_seen(own.points[None], own.points[:1, 0], own.heading[:1])
    return beside(seen, own.heading[-1:] - own.heading[:1])[0]


def _around(before: Motion, after: Motion, steps: int, floor: Floor) -> GapInTime:
    """The gap as the library sees it, both sides on one floor."""
    frames = max(2, round(_CONTEXT * before.fps) + 1)
    # Samples are counted from the gap: backwards before it.
    step = before.fps / RATE
    at = len(before) - 1 - np.arange(0.0, min(frames, len(before)), step)[::-1]
    near = replace(before.with_constraints(()).sample(at), fps=RATE)
    samples = max(2, round(steps / before.fps * RATE))
    return GapInTime(track(near, floor), track(after[:frames], floor), samples)


def _stretches(
    library: IndexedFolder, spans: Sequence[Span], before: Motion, steps: int
) -> tuple[Array, list[Motion], Array]:
    """How much the stretches count that a body can use ``(k,)``, in sum 1, these stretches on that
    body and in its frame rate, and when their feet stand: ``(k, kinds, frames)``.

    Each has one more frame on either side, which shows its speed at the ends.
    """
    distances = []
    found: list[Motion] = []
    standing = []
    for span in spans:
        motion = library.load(span.clip, doubts=False)
        first = library.index.frame(span.clip, span.first)
        pace = span.samples / RATE * motion.fps / steps
        frames = np.asarray(first + np.arange(-1, steps + 2) * pace, dtype=np.float64)
        part = motion.sample(np.clip(frames, 0.0, len(motion) - 1.0))
        part = mirror(part) if span.mirrored else part
        try:
            found.append(replace(on_body(part, before, feet=False), fps=before.fps))
        except RigError:
            continue
        distances.append(span.distance)
        standing.append(_standing(motion, frames, span.mirrored))
    if not found:
        raise LibraryError(
            f"the library has no stretch of {steps / before.fps:.2f} s that can be retargeted to "
            "this body: add longer clips, or clips of the same character"
        )
    return nearness(np.array(distances)), found, np.stack(standing)


def _standing(motion: Motion, frames: Array, swapped: bool) -> Array:
    """Which of heels and toes stand ``(kinds, frames)`` at frames of a motion: 1 or 0."""
    held = np.zeros((len(FOOT_KINDS), len(frames)))
    for contact in motion.constraints:
        if contact.kind in FOOT_KINDS:
            side, _, part = contact.kind.partition("_")
            side = {"left": "right", "right": "left"}[side] if swapped else side
            inside = (frames >= contact.start) & (frames <= contact.end)
            held[FOOT_KINDS.index(f"{side}_{part}"), inside] = 1.0
    return held


def _met(stretch: Motion, before: Motion, after: Motion) -> Motion:
    """A stretch warped so that it meets the poses around the gap in its second and last but one
    frame."""
    turn = _turn(before.rotations[-1, 0], stretch.rotations[1, 0])
    placed = stretch.moved(Planar.onto(turn, stretch.root[1, [0, 2]], before.root[-1, [0, 2]]))
    share = (np.arange(len(stretch)) - 1.0) / (len(stretch) - 3)
    ends = ((before.root[-1], before.rotations[-1], 1), (after.root[0], after.rotations[0], -2))
    begin, end = (root - placed.root[at] for root, _, at in ends)
    # As each joint sees them: a bone that is twisted on one rig and not on another is so at all
    # times. From one change to the other the short way, however large both are.
    first, last = (
        rotations.multiply(rotations.inverse(placed.rotations[at]), turns) for _, turns, at in ends
    )
    change = rotations.exp(share[:, None, None] * rotations.log(_from_to(first, last)))
    return replace(
        placed,
        root=placed.root + begin + share[:, None] * (end - begin),
        rotations=rotations.multiply(placed.rotations, rotations.multiply(change, first)),
    )


def _turn(to: Array, of: Array) -> float:
    """The turn about the vertical from one orientation to another."""
    return float(rotations.vertical_angle(_from_to(of, to)))


def _carried(gap: Motion, before: Motion, after: Motion) -> Motion:
    """The gap with the velocities that the motions around it have where they meet it.

    Compared with what the gap itself does in the step before it begins, and in the one after it
    ends: what the stretches do at the same moment as the motions around.
    """
    into = np.arange(-1.0, len(gap) - 1.0)
    root, turns = np.array(gap.root), np.array(gap.rotations)
    span = min(_CARRY * gap.fps, len(gap) - 3.0)
    for outside, own, at in (
        (before[-2:], gap[:2], into),
        (
            after[:2].sample([1.0, 0.0]) if len(after) > 1 else after,
            gap[-2:].sample([1, 0]),
            into[::-1],
        ),
    ):
        if len(outside) < 2:
            continue
        # Begins with slope one and comes back to nothing, without a jump in slope.
        bump = np.maximum(at, 0.0) * np.clip(1.0 - at / span, 0.0, 1.0) ** 2
        root += bump[:, None] * (np.diff(outside.root, axis=0) - np.diff(own.root, axis=0))
        faster = [rotations.log(_from_to(*pair.rotations)) for pair in (outside, own)]
        change = rotations.exp(bump[:, None, None] * (faster[0] - faster[1]))
        turns = rotations.multiply(change, turns)
    return replace(gap, root=root, rotations=turns)


def _from_to(start: Array, end: Array) -> Array:
    """The turns that take orientations to others."""
    return rotations.multiply(end, rotations.inverse(start))
