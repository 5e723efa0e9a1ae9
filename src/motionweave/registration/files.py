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

from motionweave.core.motion import Motion
from motionweave.core.splines import QuadraticSpline
from motionweave.errors import FormatError, MotionweaveError, RegistrationError
from motionweave.io.store.archive import Fetch, Keep, motion_from, motion_header
from motionweave.io.store.atomic import atomic_path
from motionweave.io.store.container import Container
from motionweave.registration.alignment import AlignmentCurve
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.matches import ConstraintMatch
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.verdict import Verdict

_CONTAINER = Container("registration", version=1)


def save_registration(curve: RegistrationCurve, path: str | Path) -> None:
    """Write a registration curve into a ``.mwreg`` file.

    Parameters
    ----------
    curve
        What `register` found; its clips are written along with it.
    path
        The file; it appears whole or not at all.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_registration(mw.register(mw.sample("walk"), mw.sample("jog")), "gaits.mwreg")
    """
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
        The clips it is expected to be of, in order. If the file was made from others,
        that is an error. The curve holds the clips of the file in either case.

    Returns
    -------
    RegistrationCurve

    Raises
    ------
    FormatError
        If the file is something else, is damaged, or was written by a newer version.
    RegistrationError
        If it belongs to other clips than those given.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.register(mw.sample("walk"), mw.sample("jog")).save("gaits.mwreg")
    >>> len(mw.load_registration("gaits.mwreg"))
    2
    """
    try:
        curve = _CONTAINER.read(path, _curve)
    except FormatError:
        raise
    except MotionweaveError as error:
        raise FormatError(f"damaged registration file: {error}", path) from None
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
    warp, said = header["timewarp"], header.get("verdict")
    return RegistrationCurve(
        motions=motions,
        timewarp=TimewarpCurve(
            _spline(warp, array),
            np.array([motion.fps for motion in motions]),
            int(warp["base"]),
            float(warp["epsilon"]),
        ),
        alignment=AlignmentCurve(_spline(header["alignment"], array), int(header["reference"])),
        matches=tuple(ConstraintMatch(m["kind"], m["u"]) for m in header["matches"]),
        ranges=np.array(header["ranges"], dtype=np.float64),
        reference=int(header["reference"]),
        distances=np.array(header["distances"], dtype=np.float64),
        fingerprints=tuple(header["fingerprints"]),
        cyclic=bool(header["cyclic"]),
        verdict=None if said is None else Verdict.from_dict(said),
    )


def _spline(header: dict[str, Any], array: Fetch) -> QuadraticSpline:
    period = header["period"]
    return QuadraticSpline(
        array(header["control"]),
        header["start"],
        header["end"],
        None if period is None else np.array(period),
    )
