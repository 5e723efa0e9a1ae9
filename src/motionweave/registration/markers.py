"""Registration of recorded markers: all that needs no skeleton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.markers import Markers
from motionweave.core.planar import Planar
from motionweave.errors import RegistrationError
from motionweave.registration.alignment import AlignmentCurve
from motionweave.registration.clouds import REACH, JointWeights, PointClip
from motionweave.registration.pairing import Rules
from motionweave.registration.points import PairEnds, Range, register_points
from motionweave.registration.timewarp import TimewarpCurve


@dataclass(frozen=True, eq=False)
class MarkerCurve:
    """Which frames of k marker clips match, and how to align them.

    The fields are those of a `RegistrationCurve`; contacts and cycles need a skeleton.

    Parameters
    ----------
    motions
        The k clips, reduced to the markers that all of them have, without gaps.
    timewarp, alignment, ranges, reference, distances
        See `RegistrationCurve`.
    cyclic, displacement
        Always False and None: cycles need a skeleton.
    """

    motions: tuple[Markers, ...]
    timewarp: TimewarpCurve
    alignment: AlignmentCurve
    ranges: Array
    reference: int
    distances: Array
    cyclic: bool = False
    displacement: Planar | None = None


def register_markers(
    *clips: Markers,
    ends: PairEnds = ("fixed", "fixed"),
    anchors: Sequence[Sequence[float]] = (),
    keep: Sequence[Sequence[Range]] = (),
    rules: Rules = Rules(),  # noqa: B008 - immutable
    weights: JointWeights | None = None,
    reference: int | None = None,
    reach: float | None = None,
    window: int = 2 * REACH + 1,
) -> MarkerCurve:
    """Timing and alignment of clips of markers; the parameters are those of `register`.

    Markers that all clips have are used, whatever their order; gaps are bridged.
    """
    filled = [clip.filled() for clip in clips]
    common = [
        label for label in filled[0].labels if all(label in clip.labels for clip in filled[1:])
    ]
    if len(common) < 3:
        raise RegistrationError(
            f"the clips have {len(common)} markers in common, but three are needed: "
            "do they use the same marker set?"
        )
    shared = tuple(clip.only(common) for clip in filled)
    each = np.ones(len(common))
    if isinstance(weights, Mapping):
        each = np.array([weights.get(label, 1.0) for label in common])
    elif weights is not None:
        each = np.asarray(weights, dtype=np.float64)
    points = [
        PointClip(clip.points, clip.fps, each, name=clip.name, reach=window // 2) for clip in shared
    ]
    found = register_points(
        *points,
        ends=ends,
        anchors=anchors,
        keep=keep,
        rules=rules,
        reference=reference,
        reach=reach,
    )
    warp = found.timewarp
    return MarkerCurve(
        shared,
        warp,
        found.alignment,
        warp.frames(np.array([warp.start, warp.end])).T,
        found.reference,
        found.distances,
    )
