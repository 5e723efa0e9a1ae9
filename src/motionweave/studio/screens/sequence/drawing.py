"""A sequence as its track shows it: blocks and seams along time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from motionweave.body.size import body_height
from motionweave.methods.blending.transition import Transition
from motionweave.methods.joining.junctions import UNLIKE
from motionweave.studio.screens.screen import series
from motionweave.studio.screens.sequence.model import PlayedBlock, SequenceSettings, seams_of

# What kinds of seams are called, and their symbols.
_SEAMS = {
    "transition": ("seam", "double_arrow"),
    "spline": ("spline", "gesture"),
    "fill": ("filled gap", "auto_fix_high"),
}
# Kinds that lead from the last frame of one block to the first of the next; others overlap them.
_BETWEEN = ("spline", "fill")
# Seconds of half a seam, at least and at most, where it is chosen by hand.
SHORTEST, LONGEST = 0.1, 2.0
# Seconds of a filled gap, at least and at most.
GAPS = (0.2, 3.0)


def half_seconds(made: Transition, index: int = 0) -> float:
    """Seconds from the middle of a seam to its ends."""
    start, end = made.seams[index]
    return 0.5 * (end - start) / made.motion.fps


@dataclass(frozen=True)
class DrawnTrack:
    """Blocks and seams as `SequenceTrack` takes them, and the seconds of the whole."""

    blocks: list[dict[str, Any]]
    seams: list[dict[str, Any]]
    length: float


def drawn(parts: Sequence[PlayedBlock], made: Transition, settings: SequenceSettings) -> DrawnTrack:
    """Where blocks and seams are in the result."""
    fps, last = made.motion.fps, len(made.motion) - 1
    between = [seam.kind in _BETWEEN for seam in seams_of(settings, parts)]
    places = list(zip(made.seams, between, strict=True))
    starts = [0, *(seam[1] if apart else seam[0] for seam, apart in places)]
    ends = [*(seam[0] if apart else seam[1] for seam, apart in places), last]
    clips = list(dict.fromkeys(part.clip.id for part in parts))
    blocks = []
    for number, (part, start, end) in enumerate(zip(parts, starts, ends, strict=True), start=1):
        edits = [
            *([f"{part.block.speed:g} ×"] if part.block.speed != 1.0 else []),
            *(["mirrored"] if part.block.mirrored else []),
            *([f"with {part.over.name}"] if part.over is not None else []),
        ]
        seconds = (end - start) / fps
        blocks.append(
            {
                "id": part.block.id,
                "name": part.clip.name,
                "facts": " · ".join([f"{seconds:.2f} s", *edits]),
                "words": (
                    f"{part.clip.name}, block {number} of {len(parts)}, "
                    f"{start / fps:.2f} to {end / fps:.2f} s"
                ),
                "start": round(start / fps, 4),
                "end": round(end / fps, 4),
                "color": series(clips.index(part.clip.id)),
            }
        )
    return DrawnTrack(blocks, _seams(parts, made, settings), last / fps)


def _seams(
    parts: Sequence[PlayedBlock], made: Transition, settings: SequenceSettings
) -> list[dict[str, Any]]:
    fps = made.motion.fps
    height = body_height(made.motion.skeleton) or 1.0
    found = []
    for (left, right), junction, (start, end) in zip(
        pairwise(parts), made.junctions, made.seams, strict=True
    ):
        chosen = settings.seam(left.block.id, right.block.id)
        # A fill leads from any pose to any other.
        unlike = junction.distance > UNLIKE * height and chosen.kind != "fill"
        fixed = chosen.at is not None
        called, icon = _SEAMS[chosen.kind]
        words = (
            f"{called} from {left.clip.name} into {right.clip.name}, "
            f"{start / fps:.2f} to {end / fps:.2f} s, "
            f"poses {junction.distance / height:.1%} of the height apart"
        )
        found.append(
            {
                "id": f"{left.block.id}>{right.block.id}",
                "block": left.block.id,
                "words": words
                + (", very different" if unlike else "")
                + (", set by hand" if fixed else ""),
                "start": round(start / fps, 4),
                "end": round(end / fps, 4),
                "doubtful": unlike,
                "fixed": fixed,
                "icon": icon,
                # A spline lasts as long as the body needs: its ends choose the frames it joins.
                "ends": [left.block.id, right.block.id] if chosen.kind == "spline" else None,
            }
        )
    return found
