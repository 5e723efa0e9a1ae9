"""`load` and `save`: a motion from any file and into any file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal, get_args

from motionweave.body.normalize.defects import broken_frame, missing_root_motion, stands_still
from motionweave.body.normalize.pelvis import as_filed, at_pelvis
from motionweave.body.normalize.quadrupeds import as_quadruped
from motionweave.body.pose.heading import sides_exchanged
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.override import Given, Override, joints_of, read_override
from motionweave.body.rig.roles import find_rig, with_rig
from motionweave.body.soles import has_feet
from motionweave.contacts.detect import detect_contacts
from motionweave.core.arguments import check_arguments
from motionweave.core.checks import path_of
from motionweave.core.markers import Markers
from motionweave.core.motion import Motion, checked
from motionweave.errors import FormatError, MotionError, QualityWarning
from motionweave.io import registry
from motionweave.io.store import sidecar

Broken = Literal["warn", "raise"]
# Frames per second below which a file is probably wrong about its rate: tools that know none
# write a second per frame.
_SLOWEST = 5.0
# Up to this many equal frames are a pose, as virtual worlds have them; more should be a motion.
_POSE = 10


def load(
    path: str | Path,
    *,
    contacts: bool | str | Path = True,
    up: str | None = None,
    drop_tpose: bool = False,
    fps: float | None = None,
    rig: Override | str | Path | None = None,
    **options: Any,
) -> Motion:
    """Load a motion from a file of any supported format.

    Parameters
    ----------
    path
        The file; its suffix determines the format.
    contacts
        True for the contacts in the sidecar ``NAME.contacts.json`` beside the clip; if there is
        none, they are detected, provided the rig has legs. False for no contacts. A path for the
        contacts in that file.
    up
        ``"y"`` or ``"z"``: the file's up axis, if the format does not state it; ``"-y"`` or
        ``"-z"`` for one that points down. Detected by default.
    drop_tpose
        Leave out frame 0 if it is a T-pose that the motion jumps away from, and the frames that
        lead from it into the motion.
    fps
        Frames per second, instead of the rate that the file states. The frames stay the same, so
        the motion becomes faster or slower.
    rig
        Which joint has which role, as in `with_rig`: a mapping or a JSON file. A file that has none
        of these joints follows another convention and is read without it.
    **options
        Further options for the reader of the format.

    Returns
    -------
    Motion
        With +y up, in the file's unit. Its root is the pelvis; anything that the file has above it
        is in ``carrier``, and `save` restores it.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the line and the reason.
    RigError
        If ``rig`` names some joints that the file has and some that it does not have.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save(mw.sample("walk"), "walk.bvh")
    >>> mw.load("walk.bvh", drop_tpose=True)
    <Motion 'walk': ...>
    """
    check_arguments(load, locals(), FormatError)
    path = path_of(path)
    # Some formats do not state their frame rate; their readers need it.
    reader_takes_fps = registry.accepts(registry.reader_of(path).read, "fps")
    motion = registry.read(path, up=up, fps=fps if reader_takes_fps else None, **options)
    if fps is not None and not reader_takes_fps:
        motion = replace(motion, fps=fps)
    if rig is not None:
        motion = _with_rig(motion, read_override(rig))
    motion = as_quadruped(at_pelvis(motion))
    for message in _doubts(motion, given_rate=fps is not None):
        warnings.warn(f"{path}: {message}", QualityWarning, stacklevel=2)
    beside = sidecar.beside(path) if isinstance(contacts, bool) else path_of(contacts)
    annotated = not isinstance(contacts, bool) or (contacts and beside.exists())
    if annotated:
        motion = motion.with_constraints(sidecar.load_contacts(beside, frames=len(motion)))
    # Only now: the sidecar counts the frames of the file.
    if drop_tpose:
        motion = motion[tpose_frames(motion) :]
    if not contacts:
        return motion.with_constraints(())
    if not annotated and not motion.constraints and has_feet(motion.skeleton):
        motion = motion.with_constraints(detect_contacts(motion))
    return motion


def _doubts(motion: Motion, given_rate: bool) -> Iterator[str]:
    """What is probably wrong with a file, and what to do about it."""
    yield from motion.source.get("warnings", ())
    still = stands_still(motion)
    if still and len(motion) > _POSE:
        yield (
            f"nothing moves in its {len(motion)} frames: the file contains one pose; if it should "
            "contain more, export the animation with keys for all frames"
        )
    if motion.fps < _SLOWEST and not given_rate and len(motion) > 2 and not still:
        yield (
            f"the file states a frame rate of {motion.fps:.3g} fps, which is hardly that of a "
            "recorded motion; give the true one with --input-fps (fps= in Python)"
        )
    broken = broken_frame(motion)
    if broken is not None:
        yield (
            f"from frame {broken[0]} to the next the body is thrown {broken[1]:.3g} times "
            "its height away: the frames there are broken; leave them out (motion[first:last], or "
            "motionweave convert --trim FIRST:LAST)"
        )
    if find_rig(motion.skeleton).has("hips") and not motion.skeleton.offsets[1:].any():
        yield (
            "the bones have no length: the file contains rotations alone; take them from the file "
            "of the character that they were made for"
        )
    hanging = missing_root_motion(motion)
    if hanging is not None:
        yield (
            "the pelvis keeps its height in all frames, and both feet leave the floor by up to "
            f"{hanging:.0%} of a leg length: if the body should stand, crouch or sit down there, "
            "the file lacks the movement of its root; export it with root motion"
        )
    if sides_exchanged(motion):
        yield (
            "the feet point backwards, so left and right seem to be exchanged in the "
            "names of the joints; give the right ones in a JSON file (--rig FILE, or "
            "mw.load(..., rig=FILE))"
        )


def _with_rig(motion: Motion, rig: Given) -> Motion:
    named = joints_of(rig)
    if named and named.isdisjoint(motion.skeleton.names):
        return motion
    return replace(motion, skeleton=with_rig(motion.skeleton, rig))


def load_all(
    where: str | Path | Iterable[str | Path], *, broken: Broken = "warn", **options: Any
) -> list[Motion]:
    """Load all motion files of a folder or of patterns.

    Parameters
    ----------
    where
        A folder, which is searched recursively; a file; a pattern such as
        ``"clips/**/*_walk*.bvh"``; or several of these.
    broken
        What to do with a file that cannot be read: ``"warn"`` leaves it out with a
        `QualityWarning` that names the reason, ``"raise"`` stops with the error.
    **options
        Options of `load`, used for every file.

    Returns
    -------
    list[Motion]
        Sorted by path, each file once.

    Raises
    ------
    FormatError
        If there is no motion file at all, or with ``broken="raise"`` for the first that
        cannot be read.

    Examples
    --------
    >>> import motionweave as mw
    >>> for name in ("walk", "jog"):
    ...     mw.save(mw.sample(name), f"{name}.bvh")
    >>> [clip.name for clip in mw.load_all("*.bvh")]
    ['jog', 'walk']
    """
    check_arguments(load_all, locals(), FormatError)
    if broken not in get_args(Broken):
        raise MotionError(f"broken={broken!r}: expected {' or '.join(get_args(Broken))}")
    motions = []
    for path in motion_files(where):
        try:
            motions.append(load(path, **options))
        except FormatError as error:
            if broken == "raise":
                raise
            warnings.warn(f"left out: {error}", QualityWarning, stacklevel=2)
    return motions


def motion_files(where: str | Path | Iterable[str | Path]) -> list[Path]:
    """Motion files of folders, patterns and files, sorted, each once.

    Files that are named are taken as they are; in folders and patterns, those of a
    suffix that can be read. Hidden files and folders, such as a library's own, are left out.

    Raises
    ------
    FormatError
        If one of them leads to no motion file.
    """
    readable = registry.suffixes()
    found: dict[Path, None] = {}
    for one in [where] if isinstance(where, str | Path) else where:
        path = Path(one)
        if path.is_file():
            found[path] = None
            continue
        paths = _inside(path) if path.is_dir() else map(Path, glob(str(one), recursive=True))
        chosen = [p for p in sorted(paths) if p.suffix.lower() in readable and p.is_file()]
        if not chosen:
            if not (path.exists() or has_magic(str(one))):
                raise FormatError("there is no such file or folder", one)
            what = "the folder holds" if path.is_dir() else "there is"
            raise FormatError(f"{what} no motion file ({', '.join(readable)})", one)
        found.update(dict.fromkeys(chosen))
    return list(found)


def _inside(folder: Path) -> list[Path]:
    """What is in a folder and the folders inside, as `glob` sees it: nothing hidden."""
    return [Path(folder, name) for name in glob("**/*", root_dir=folder, recursive=True)]


def load_markers(path: str | Path, *, up: str | None = None, fps: float | None = None) -> Markers:
    """Load recorded markers from a C3D file.

    Parameters
    ----------
    path
        The file.
    up
        ``"y"`` or ``"z"``: the file's up axis, if the file does not state it and it is not z.
    fps
        Frames per second, instead of the rate that the file states.

    Returns
    -------
    Markers
        With +y up, in the file's unit. `register` and `blend` take them.

    Raises
    ------
    FormatError
        If the file cannot be read, or the format has no markers.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.load_markers("take.c3d")
    Traceback (most recent call last):
    ...
    motionweave.errors.FormatError: take.c3d: there is no such file
    """
    check_arguments(load_markers, locals(), FormatError)
    return registry.read_markers(path, up=up, fps=fps)


def save(
    motion: Motion | Sequence[Motion],
    path: str | Path,
    *,
    contacts: bool = True,
    **options: Any,
) -> None:
    """Save a motion; the suffix of the path determines the format.

    Parameters
    ----------
    motion
        What to save. Several motions of one skeleton become the animations of one glTF file,
        with their contacts inside; ``load(path, animation="walk")`` reads one of them.
    path
        Where to save it. The file is written completely or not at all.
    contacts
        Whether the motion's contacts are saved too, in the sidecar ``NAME.contacts.json`` beside
        the file. If it has none, a sidecar of a replaced clip of another length is removed.
    **options
        Options of the format's writer.

    Raises
    ------
    FormatError
        If the format cannot represent the motion, or the file cannot be written.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save(mw.sample("walk"), "walk.glb")
    """
    check_arguments(save, locals(), FormatError)
    path = path_of(path)
    if isinstance(motion, Sequence) and not isinstance(motion, str):
        kept = [one if contacts else one.with_constraints(()) for one in map(checked, motion)]
        registry.write([as_filed(one) for one in kept], path, **options)
        return
    motion = checked(motion)
    rate = registry.format_of(path, writing=True).rate
    if rate is not None:
        # Contacts are counted in the frames of the file.
        motion = motion.resample(options.get("fps", rate))
    registry.write(as_filed(motion), path, **options)
    if contacts and motion.constraints:
        sidecar.save_contacts(motion, sidecar.beside(path), clip=path.name)
    elif contacts:
        sidecar.remove_stale(sidecar.beside(path), frames=len(motion))
