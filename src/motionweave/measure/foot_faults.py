"""Faults of feet: they sink into the floor, slide over it, or lose their contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.motion import Motion
from motionweave.measure.figures import Figures, slides_of, sole_tracks
from motionweave.measure.finding import DEPTH, Finding
from motionweave.measure.support import WINDOW

# A foot may slide this much further than in the clips: factor, slack (leg lengths).
_SLIDE = 1.25
_SLIDE_SLACK = 0.4
# Where clips are joined, the supporting foot may slide this many leg lengths further than in the
# clips, and how exactly the height of the floor is known, in leg lengths.
_CARRIED, _JUST = 0.08, 0.002
# A planted point may drift this far (leg lengths), or half as far again as the worst of the clips.
_DRIFT = 0.08


def foot_faults(
    part: Motion,
    made: Figures,
    before: Sequence[Figures],
    seams: Sequence[tuple[int, int]],
    floor: ArrayLike,
) -> list[Finding]:
    """What the feet of a part of a result do worse than in the clips.

    Parameters
    ----------
    part
        Of a body with legs.
    made
        Its figures.
    before
        Those of the clips that have legs.
    seams
        First and last frames of the whole result between which clips are joined, if they are.
    floor
        Height of the floor, or of that under every frame of the part, in leg lengths.
    """
    sliding = _sliding(made, before, seams)
    found = [_deeper(made, before), sliding, _drifting(made, before)]
    if seams and sliding is None:
        found.append(_carried(_support_slides(part, before, floor), made, before, seams))
    return [finding for finding in found if finding is not None]


def lost_contacts(result: Motion, clips: Sequence[Motion]) -> Finding | None:
    """Feet without contacts, although those of all clips have some."""

    def feet(motion: Motion) -> bool:
        return any(c.kind in FOOT_KINDS for c in motion.constraints)

    if feet(result) or not all(feet(clip) for clip in clips):
        return None
    return Finding(
        "contacts",
        "the feet of all clips have contacts, but those of the result have none: they cannot be "
        "planted; check which contacts of the clips match",
        None,
        None,
        0.0,
        1.0,
    )


def _deeper(made: Figures, before: Sequence[Figures]) -> Finding | None:
    """A heel or a toe that is deeper than in any of the clips."""
    limit = min(one.lowest for one in before) - DEPTH
    if made.lowest >= limit:
        return None
    kind = min(made.tracks, key=lambda one: float(made.tracks[one][0].min()))
    frame = made.first + int(made.tracks[kind][0].argmin())
    depth = limit + DEPTH - made.lowest
    return Finding(
        "floor",
        f"the {_in_words(kind)} is {depth:.1%} of a leg length deeper than in the clips at frame "
        f"{frame}",
        frame,
        kind,
        -made.lowest,
        -limit,
    )


def _sliding(
    made: Figures, before: Sequence[Figures], seams: Sequence[tuple[int, int]]
) -> Finding | None:
    """A foot that slides low over the floor although it is not marked as planted; where clips are
    joined, only within the seams: what it does before and behind them is its clip's own way."""
    limit = _SLIDE * max(one.longest_slide for one in before) + _SLIDE_SLACK
    slides = [
        slide
        for slide in made.clear_slides
        if not seams or any(slide.first <= last and slide.last >= first for first, last in seams)
    ]
    longest = max(slides, default=None)
    if longest is None or longest.distance <= limit:
        return None
    return Finding(
        "slide",
        f"the {longest.side} foot slides {longest.distance:.0%} of a leg length over the floor "
        f"from frame {longest.first} on, further than in the clips",
        longest.first,
        f"{longest.side}_toe",
        longest.distance,
        limit,
    )


def _support_slides(made: Motion, before: Sequence[Figures], floor: ArrayLike) -> Array:
    """Leg lengths ``(n,)`` that the supporting foot of a part of joined clips slides in each half
    second, on a floor ``(T,)`` or of one height: by the soles of whichever clip shows it more.

    Where the sole is decides whether it is on the floor, and a mixture of clips does not show it.
    """
    pose = made.forward()
    tracks = [sole_tracks(made, pose, one.soles) for one in before]
    # A point that just touches the floor, or just does not, must not decide.
    floors = np.asarray(floor), np.asarray(floor) + _JUST
    return np.max([slides_of(each, made.fps, on) for each in tracks for on in floors], axis=0)


def _carried(
    slides: Array, made: Figures, before: Sequence[Figures], seams: Sequence[tuple[int, int]]
) -> Finding | None:
    """A supporting foot that slides where clips are joined; see `_support_slides`."""
    limit = max(one.farthest_carried for one in before) + _CARRIED
    near = np.zeros(len(slides), dtype=bool)
    width = round(WINDOW * made.fps)
    margin = round(0.5 * WINDOW * made.fps)
    for first, last in seams:
        first, last = first - margin - made.first, last + margin - width - made.first
        near[max(first, 0) : max(last, 0) + 1] = True
    frame = int(np.argmax(np.where(near, slides, 0.0)))
    value = float(slides[frame])
    if not near[frame] or value <= limit:
        return None
    frame += made.first
    return Finding(
        "slide",
        f"the feet slide {value:.0%} of a leg length over the floor from frame {frame} on, "
        "where the clips are joined",
        frame,
        None,
        value,
        limit,
    )


def _drifting(made: Figures, before: Sequence[Figures]) -> Finding | None:
    """Points that are planted and move nevertheless."""
    limit = max(_DRIFT, 1.5 * max(one.drift[0] for one in before))
    value, kind, frame = made.drift
    if value <= limit:
        return None
    return Finding(
        "drift",
        f"the planted {_in_words(kind)} drifts by {value:.0%} of a leg length, most of all at "
        f"frame {frame}: check its contacts there",
        frame,
        kind,
        value,
        limit,
    )


def _in_words(kind: str) -> str:
    return kind.replace("_", " ")
