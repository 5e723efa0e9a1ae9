"""``.mwreg`` files: a registration curve with its clips in one file.

The file is a ZIP archive. ``registration.json`` says what it is, in which version, and
everything that is not an array; each array is a ``.npy`` member that it names. The clips
are in it, so that nothing else is needed to blend them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core import checks
from motionweave.core.arguments import check_arguments
from motionweave.core.motion import Motion
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.errors import RegistrationError
from motionweave.io.store.archive import Fetch, Keep, motion_from, motion_header
from motionweave.io.store.atomic import atomic_path
from motionweave.io.store.container import Container
from motionweave.registration.alignment import AlignmentCurve
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.matches import ConstraintMatch
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.verdict import Verdict

_CONTAINER = Container("registration", version=1)
# Frames by which a curve may miss the ends of its clips.
_ROUNDING = 1e-3


def save_registration(curve: RegistrationCurve, path: str | Path) -> None:
    """Write a registration curve to a ``.mwreg`` file.

    Parameters
    ----------
    curve
        The curve from `register`; its clips are written with it.
    path
        The file; it is written completely or not at all.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_registration(mw.register(mw.sample("walk"), mw.sample("jog")), "gaits.mwreg")
    """
    check_arguments(save_registration, locals(), RegistrationError)
    with atomic_path(path) as temporary:
        _CONTAINER.write(temporary, lambda keep: _header(curve, keep))


def load_registration(
    path: str | Path, motions: Sequence[Motion] | None = None
) -> RegistrationCurve:
    """Read a registration curve from a ``.mwreg`` file.

    Parameters
    ----------
    path
        The file.
    motions
        The clips that the file should belong to, in order. If it was made from others, that is an
        error. The curve uses the clips in the file in either case.

    Returns
    -------
    RegistrationCurve

    Raises
    ------
    FormatError
        If the file is not a registration, is damaged, or was written by a newer version.
    RegistrationError
        If it belongs to clips other than those given.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.register(mw.sample("walk"), mw.sample("jog")).save("gaits.mwreg")
    >>> len(mw.load_registration("gaits.mwreg"))
    2
    """
    check_arguments(load_registration, locals(), RegistrationError)
    curve = _CONTAINER.read(path, _curve)
    if motions is not None:
        _check_clips(curve, motions, path)
    return curve


def _check_clips(curve: RegistrationCurve, motions: Sequence[Motion], path: str | Path) -> None:
    if len(motions) != len(curve):
        raise RegistrationError(
            f"{path} registers {len(curve)} clips, but {len(motions)} were given"
        )
    for number, (known, motion) in enumerate(zip(curve.fingerprints, motions, strict=True)):
        if motion.fingerprint != known:
            was = curve.motions[number].name or f"clip {number}"
            raise RegistrationError(
                f"{path} was made from {was!r}, and {motion.name or f'clip {number}'!r} is not "
                "the same clip: register the clips again"
            )


def _header(curve: RegistrationCurve, keep: Keep) -> dict[str, Any]:
    return {
        "clips": [motion_header(m, f"clip{i}", keep) for i, m in enumerate(curve.motions)],
        "fingerprints": list(curve.fingerprints),
        "timewarp": {
            **_spline_header(curve.timewarp.spline, "timewarp", keep),
            "base": curve.timewarp.base,
            "epsilon": curve.timewarp.epsilon,
        },
        "alignment": _spline_header(curve.alignment.spline, "alignment", keep),
        "matches": [{"kind": m.kind, "u": m.intervals.tolist()} for m in curve.matches],
        "ranges": curve.ranges.tolist(),
        "reference": curve.reference,
        "distances": curve.distances.tolist(),
        "cyclic": curve.cyclic,
        "verdict": None if curve.verdict is None else curve.verdict.to_dict(),
    }


def _spline_header(spline: QuadraticSpline, name: str, keep: Keep) -> dict[str, Any]:
    return {
        "control": keep(name, spline.control),
        "start": spline.start,
        "end": spline.end,
        "period": None if spline.period is None else spline.period.tolist(),
    }


def _curve(header: dict[str, Any], array: Fetch) -> RegistrationCurve:
    motions = tuple(motion_from(clip, array) for clip in header["clips"])
    clips = len(motions)
    _check_bodies(motions)
    warp, cyclic = header["timewarp"], bool(header["cyclic"])
    said = header.get("verdict")
    reference = checks.whole(header["reference"], "reference", 0, clips - 1)
    timewarp = TimewarpCurve(
        _spline(warp, array, clips),
        np.array([motion.fps for motion in motions]),
        checks.whole(warp["base"], "base", 0, clips - 1),
        checks.number(warp["epsilon"], "epsilon", 1e-6, 1.0),
    )
    _check_frames(timewarp, motions, cyclic=cyclic)
    alignment = _spline(header["alignment"], array, 3 * clips)
    # That of cycles goes a round further on both sides.
    if alignment.start > timewarp.start + _ROUNDING or alignment.end < timewarp.end - _ROUNDING:
        raise RegistrationError("the alignment covers a different stretch than the timewarp")
    return RegistrationCurve(
        motions=motions,
        timewarp=timewarp,
        alignment=AlignmentCurve(alignment, reference),
        matches=tuple(_match(one, clips) for one in header["matches"]),
        ranges=np.array(checks.array(header["ranges"], "ranges", (clips, 2))),
        reference=reference,
        distances=np.array(checks.array(header["distances"], "distances", (clips,))),
        fingerprints=_fingerprints(header["fingerprints"], clips),
        cyclic=cyclic,
        verdict=None if said is None else Verdict.from_dict(said),
    )


def _check_bodies(motions: Sequence[Motion]) -> None:
    if len(motions) < 2:
        raise RegistrationError("fewer than two clips")
    for motion in motions[1:]:
        if not motions[0].skeleton.same_joints(motion.skeleton):
            how = motions[0].skeleton.difference(motion.skeleton)
            raise RegistrationError(f"clips of different skeletons: {how}")


def _check_frames(timewarp: TimewarpCurve, motions: Sequence[Motion], *, cyclic: bool) -> None:
    """Refuse a timewarp that leaves its clips."""
    if cyclic != (timewarp.spline.period is not None):
        raise RegistrationError("a closed curve needs a timewarp with a period")
    ends = timewarp.frames(np.array([timewarp.start, timewarp.end - 1e-9 * timewarp.end]))
    lasts = np.array([len(motion) - 1.0 for motion in motions])
    if np.any(ends < -_ROUNDING) or np.any(ends > lasts + _ROUNDING):
        raise RegistrationError("the timewarp leaves its clips")
    period = timewarp.spline.period
    if period is not None and np.any(np.abs(ends[0] + period - ends[1]) > _ROUNDING + 1e-3 * lasts):
        raise RegistrationError("the timewarp does not close")


def _match(header: dict[str, Any], clips: int) -> ConstraintMatch:
    kind = checks.name(header["kind"], "kind of a match")
    intervals = checks.array(header["u"], f"match of {kind}", (clips, 2))
    if np.any(intervals[:, 0] > intervals[:, 1]):
        raise RegistrationError(f"a match of {kind} ends before it begins")
    return ConstraintMatch(kind, intervals)


def _fingerprints(given: Any, clips: int) -> tuple[str, ...]:
    marks = checks.words(given, "fingerprints")
    if len(marks) != clips:
        raise RegistrationError(f"{len(marks)} fingerprints of {clips} clips")
    return marks


def _spline(header: dict[str, Any], array: Fetch, dimensions: int) -> QuadraticSpline:
    control = checks.array(array(header["control"]), "control points", (None, dimensions))
    return QuadraticSpline(control, header["start"], header["end"], header["period"])
