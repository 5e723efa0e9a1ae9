"""What the shelf tells about a clip, and which clips belong together."""

from __future__ import annotations

from collections.abc import Sequence

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig
from motionweave.core.checks import counted
from motionweave.studio.document.document import ShelfClip


def looks(clip: ShelfClip) -> tuple[object, ...]:
    """What a card shows of a clip."""
    edits = (clip.trim, clip.mirrored, clip.warnings, clip.error)
    return (clip.name, clip.origin, id(clip.original), *edits)


def strip_address(clip: ShelfClip) -> str:
    """Where the page finds the pose strip of a clip: another one after every edit.

    Browsers keep what they have fetched, also beyond a restart of the server.
    """
    content = "" if clip.original is None else clip.original.fingerprint
    edited = "" if clip.trim is None else f"{clip.trim[0]}-{clip.trim[1]}"
    return f"/strip/shelf/{clip.id}?of={content}.{edited}.{int(clip.mirrored)}"


def rig_of(clip: ShelfClip) -> tuple[str, ...]:
    """What clips of one rig have in common; nothing for files that could not be read."""
    return () if clip.original is None else clip.original.skeleton.names


def rigs_of(clips: Sequence[ShelfClip]) -> list[tuple[str, ...]]:
    """The rigs of clips, as their groups are listed: files that could not be read come last."""
    return sorted(dict.fromkeys(rig_of(clip) for clip in clips), key=lambda rig: not rig)


def rig_title(clips: Sequence[ShelfClip]) -> str:
    if clips[0].original is None:
        return "Could not be read"
    joints = len(clips[0].original.skeleton)
    others = f" and {len(clips) - 1} more" if len(clips) > 1 else ""
    return f"{joints} joints · {clips[0].name}{others}"


def edits(clip: ShelfClip) -> list[str]:
    """What was done to a clip on the shelf, or when it was put there."""
    found = []
    if clip.trim is not None and clip.original is not None:
        first, last = clip.trim
        posed = tpose_frames(clip.original)
        if posed and first > 0:
            found.append("T-pose left out")
        if clip.trim != (posed, len(clip.original) - 1):
            found.append(f"frames {first}–{last}")
    if clip.mirrored:
        found.append("mirrored")
    if clip.origin == "result":
        found.append("result")
    return found


def facts(clip: ShelfClip) -> str:
    """Two lines about a clip, each short enough for a narrow card: its time, and what it does."""
    motion = clip.motion
    legs = find_rig(motion.skeleton).has("left_ankle", "right_ankle")
    frames, contacts = counted(len(motion), "frame"), counted(len(motion.constraints), "contact")
    found = contacts if legs else "no legs found"
    return f"{frames} at {motion.fps:.4g} fps\n{motion.duration:.2f} s · {found}"
