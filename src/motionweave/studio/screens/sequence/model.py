"""A sequence: parts of clips in a row, each running over into the next; plain values only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from motionweave.body.mirror import mirror
from motionweave.core.motion import Motion
from motionweave.methods.layering import layer
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.screens.parts import Part
from motionweave.studio.work.memo import Memo

# The fewest frames of a clip that a block may show, and how many blocks there may be.
LEAST, MOST_BLOCKS = 4, 200
_SPEEDS = (0.25, 4.0)

SeamKind = Literal["transition", "spline", "fill"]


@dataclass(frozen=True)
class Over:
    """A part of the body that plays another clip over a block.

    Parameters
    ----------
    clip
        Id of that clip on the shelf.
    part
        Of the body.
    start
        Seconds into the block at which the clip begins.
    weight
        How much of it is seen, 0 to 1.
    """

    clip: str
    part: Part = "upper"
    start: float = 0.0
    weight: float = 1.0


@dataclass(frozen=True)
class Block:
    """A clip in the sequence, and what is shown of it.

    Parameters
    ----------
    id
        Unique in the sequence: a clip may be there several times.
    clip
        Id of the clip on the shelf.
    trim
        First and last frame of the clip that may be shown; None for all.
    speed
        How many times as fast as it was recorded.
    mirrored
        Whether left and right are exchanged.
    over
        What a part of the body plays instead; None for nothing else.
    """

    id: str
    clip: str
    trim: tuple[int, int] | None = None
    speed: float = 1.0
    mirrored: bool = False
    over: Over | None = None


@dataclass(frozen=True)
class ChosenSeam:
    """How one block runs over into another, where that is not left to be found.

    It holds while the two are neighbours, and again when they are neighbours again.

    Parameters
    ----------
    blocks
        Ids of the block that is left and of the one that is entered.
    at
        The frame of each clip at the seam; None for the best place.
    half_width
        Seconds from the middle of a transition to its ends; None for the usual.
    kind
        ``"transition"``, ``"spline"`` or ``"fill"``. A transition overlaps the blocks around its
        middle; the others leave the first block at one frame and enter the second at another.
    gap
        Seconds that a fill lasts.
    degree, length, bias
        Of a spline, see `Subspace.transition`; its length is None for as long as the body needs.
    """

    blocks: tuple[str, str]
    at: tuple[float, float] | None = None
    half_width: float | None = None
    kind: SeamKind = "transition"
    gap: float = 0.6
    degree: int = 4
    length: float | None = None
    bias: float = 0.0


@dataclass(frozen=True)
class SequenceSettings:
    """What the sequence screen makes.

    Parameters
    ----------
    blocks
        In the order in which they are played.
    seams
        Those that were chosen by hand.
    keep
        ``"most"`` to look for the best places, ``"all"`` to let clips meet at their ends.
    """

    blocks: tuple[Block, ...] = ()
    seams: tuple[ChosenSeam, ...] = ()
    keep: str = "most"

    @property
    def clips(self) -> tuple[str, ...]:
        """Ids of the clips, in order."""
        return tuple(block.clip for block in self.blocks)

    def block(self, block_id: str) -> Block | None:
        """The block with that id."""
        return next((one for one in self.blocks if one.id == block_id), None)

    def seam(self, left: str, right: str) -> ChosenSeam:
        """How one block runs over into another."""
        found = (seam for seam in self.seams if seam.blocks == (left, right))
        return next(found, ChosenSeam((left, right)))

    def with_seam(self, seam: ChosenSeam) -> SequenceSettings:
        """The settings with a seam chosen."""
        others = tuple(one for one in self.seams if one.blocks != seam.blocks)
        plain = seam == ChosenSeam(seam.blocks)
        return replace(self, seams=others if plain else (*others, seam))

    def with_block(self, block: Block) -> SequenceSettings:
        """The settings with a block in the place of the one with its id."""
        blocks = tuple(block if one.id == block.id else one for one in self.blocks)
        return replace(self, blocks=blocks)

    def inserted(self, block: Block, index: int) -> SequenceSettings:
        """The settings with a block at a place in the row."""
        return replace(self, blocks=(*self.blocks[:index], block, *self.blocks[index:]))

    def moved(self, block_id: str, index: int) -> SequenceSettings:
        """The settings with a block elsewhere: at that place among the others."""
        block = self.block(block_id)
        if block is None:
            return self
        others = tuple(one for one in self.blocks if one.id != block_id)
        return replace(self, blocks=others).inserted(block, min(max(index, 0), len(others)))

    def without(self, block_id: str) -> SequenceSettings:
        """The settings without a block."""
        return replace(
            self,
            blocks=tuple(one for one in self.blocks if one.id != block_id),
            seams=tuple(one for one in self.seams if block_id not in one.blocks),
        )

    def new_id(self) -> str:
        """An id that no block has."""
        taken = {block.id for block in self.blocks}
        return next(f"b{n}" for n in range(1, len(taken) + 2) if f"b{n}" not in taken)


@dataclass(frozen=True, eq=False)
class PlayedBlock:
    """A block whose clip is on the shelf, with the motion that it plays.

    Parameters
    ----------
    block, clip
        What it is.
    motion
        The frames that may be shown, at their speed.
    over
        The clip that a part of the body plays, if it is on the shelf.
    """

    block: Block
    clip: ShelfClip
    motion: Motion
    over: ShelfClip | None = None

    @property
    def trim(self) -> tuple[int, int]:
        """First and last frame of the clip, inside a clip that may have been cut since."""
        return inside(self.block.trim, len(self.clip.motion))

    def own_frame(self, frame: float) -> float:
        """A frame of what is played as a frame of the clip."""
        return self.trim[0] + frame * self.block.speed

    @property
    def over_start(self) -> int:
        """The frame of what is played at which the clip over it begins."""
        assert self.block.over is not None
        return min(round(self.block.over.start * self.motion.fps), len(self.motion) - 1)

    def played_frame(self, frame: float) -> float:
        """A frame of the clip as a frame of what is played, at its ends at most."""
        at = (frame - self.trim[0]) / self.block.speed
        return min(max(at, 0.0), len(self.motion) - 1.0)


def inside(trim: tuple[int, int] | None, frames: int) -> tuple[int, int]:
    """A stretch in a clip of that many frames, never shorter than a block may be."""
    first, last = trim or (0, frames - 1)
    last = min(max(last, LEAST - 1), frames - 1)
    return max(0, min(first, last - LEAST + 1)), last


_played: Memo[Motion] = Memo(size=64)


def parts_of(document: Document) -> list[PlayedBlock]:
    """The blocks whose clips are on the shelf, as they are played."""
    settings: SequenceSettings = document.settings["sequence"]
    found = []
    for block in settings.blocks:
        clip = document.clip(block.clip)
        if clip is not None and clip.usable:
            part = PlayedBlock(block, clip, _motion(block, clip.motion))
            found.append(part if block.over is None else _with_over(part, document))
    return found


def seams_of(settings: SequenceSettings, parts: Sequence[PlayedBlock]) -> list[ChosenSeam]:
    """How each block that is played runs over into the next."""
    return [settings.seam(left.block.id, right.block.id) for left, right in pairwise(parts)]


_layered: Memo[Motion] = Memo(size=16)


def _with_over(part: PlayedBlock, document: Document) -> PlayedBlock:
    """A block with what a part of the body plays over it."""
    over = part.block.over
    assert over is not None
    clip = next(iter(document.usable((over.clip,))), None)
    if clip is None:
        return part
    start, weight = part.over_start, min(max(over.weight, 0.0), 1.0)
    lent, base = clip.motion, part.motion
    made = _layered.get(
        (base, lent),
        (over.part, start, weight),
        lambda: layer(base, lent, over.part, start=start, weight=weight),
    )
    return replace(part, motion=replace(made, name=base.name), over=clip)


def _motion(block: Block, whole: Motion) -> Motion:
    first, last = inside(block.trim, len(whole))
    speed = min(max(block.speed, _SPEEDS[0]), _SPEEDS[1])

    def made() -> Motion:
        motion = whole if (first, last) == (0, len(whole) - 1) else whole[first : last + 1]
        motion = mirror(motion) if block.mirrored else motion
        return motion.faster(speed)

    motion = _played.get((whole,), (first, last, speed, block.mirrored), made)
    return motion if motion.name == whole.name else replace(motion, name=whole.name)
