"""A transition as its track shows it: both clips, and where they overlap."""

from __future__ import annotations

from typing import Any

from motionweave.methods.joining.junctions import UNLIKE
from motionweave.studio.screens.screen import series
from motionweave.studio.screens.transition.model import TransitionDetails


def drawn(
    details: TransitionDetails, *, fixed: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], float]:
    """Both clips and what they have in common, as `SequenceTrack` shows them."""
    motion, (start, end) = details.made.motion, details.made.seams[0]
    length = motion.duration
    spans = ((0.0, end / motion.fps), (start / motion.fps, length))
    blocks = [
        {
            "id": str(side),
            "name": name,
            "facts": f"joined at frame {frame:.0f}",
            "words": f"{name}, {first:.2f} to {last:.2f} s, joined at frame {frame:.0f}",
            "start": round(first, 4),
            "end": round(last, 4),
            "color": series(side),
        }
        for side, (name, (first, last), frame) in enumerate(
            zip(details.names, spans, details.chosen, strict=True)
        )
    ]
    apart = details.made.junctions[0].distance / details.unit
    seam = {
        "id": "overlap",
        "block": "0",
        "words": f"overlap of {(end - start) / motion.fps:.2f} s, poses {apart:.1%} of the height "
        f"apart{', very different' if apart > UNLIKE else ''}{', set by hand' if fixed else ''}",
        "start": blocks[1]["start"],
        "end": blocks[0]["end"],
        "doubtful": apart > UNLIKE,
        "fixed": fixed,
    }
    return blocks, [seam], length
