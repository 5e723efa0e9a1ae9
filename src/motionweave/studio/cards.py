"""What the card of a clip shows, and which cards belong together."""

from __future__ import annotations

from collections.abc import Sequence

from motionweave.body.rig.roles import find_rig
from motionweave.studio.document import ShelfClip


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
    """The rigs of clips, as their groups are listed."""
    return list(dict.fromkeys(rig_of(clip) for clip in clips))


def rig_title(clips: Sequence[ShelfClip]) -> str:
    if clips[0].original is None:
        return "Could not be read"
    joints = len(clips[0].original.skeleton)
    others = f" and {len(clips) - 1} more" if len(clips) > 1 else ""
    return f"{joints} joints · {clips[0].name}{others}"


def facts(clip: ShelfClip) -> str:
    """One line about a clip: frames, length, rig, contacts."""
    assert clip.original is not None
    frames = len(clip.original) if clip.trim is None else clip.trim[1] - clip.trim[0] + 1
    fps = clip.original.fps
    rig = find_rig(clip.original.skeleton)
    legs = "" if rig.has("left_ankle", "right_ankle") else ", no legs found"
    return (
        f"{frames} frames · {(frames - 1) / fps:.2f} s · {fps:g} fps\n"
        f"{len(clip.original.skeleton)} joints{legs} · {len(clip.original.constraints)} contacts"
    )
