"""The subspace that clips span, fitted to their frames (Mukai, section 2.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.soles import has_feet
from motionweave.contacts.detect import detect_contacts
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, all_checked
from motionweave.errors import BlendError, Kind
from motionweave.methods.subspace.embedding import (
    embed,
    features,
    rate_of_change,
    weighted,
)
from motionweave.methods.subspace.field import Field
from motionweave.methods.subspace.part import Part
from motionweave.methods.subspace.poses import PoseCode
from motionweave.methods.subspace.space import Subspace
from motionweave.retargeting import on_common_skeleton

# Frames of all clips up to which every one of them is a sample for kriging. Longer clips
# are thinned evenly: the curves are smooth, and the matrix grows with the square.
MOST_SAMPLES = 1200
# The most frames from which the subspace is fitted.
_MOST_FITTED = 6000


def subspace(
    a: Motion,
    b: Motion,
    *lending: Motion,
    dimensions: int | None = None,
    explained: float = 0.95,
    most_samples: int = MOST_SAMPLES,
    paper: bool = False,
    part: str | None = None,
) -> Subspace:
    """Clips as curves in one linear subspace, ready to be joined by splines.

    Parameters
    ----------
    a, b
        Clips with the same joints. If bone lengths or frame rates differ, ``b`` is converted to
        those of ``a``.
    *lending
        Further clips with the same joints that contribute their poses: what neither ``a`` nor ``b``
        contains, such as getting up between lying and standing.
    dimensions
        Number of dimensions of the subspace; None for the fewest that explain enough.
    explained
        Share of the squared dissimilarities between frames that the subspace keeps.
    most_samples
        Total number of frames that kriging uses; longer clips are thinned.
    paper
        Make transitions exactly as published: kriging alone gives poses, root velocity and speed
        along the spline, and only the feet are cleaned afterwards. By default, poses beyond the
        samples continue their trend, both ends match the clips' velocities, the root follows the
        supporting foot, and a transition takes at least as long as the poses need.
    part
        A part of the body that alone changes to ``b``, such as ``"upper"`` or ``"arms"``; see
        `layer`. The legs and the path of ``a`` go on below it.

    Returns
    -------
    Subspace
        Its method ``transition`` joins the clips.

    Raises
    ------
    BlendError
        If a clip has fewer than three frames, dimensions or explained is out of range, or the part
        contains legs.
    RigError
        If the skeleton has no such part.

    Examples
    --------
    >>> import motionweave as mw
    >>> space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    >>> quick = space.transition(11, 24, degree=2, length=1.0)
    >>> grand = space.transition(11, 24, degree=4, length=1.6)
    >>> grand.duration > quick.duration
    True
    """
    check_arguments(subspace, locals(), BlendError)
    a, b, *lent = all_checked((a, b, *lending))
    scale = a.fps / b.fps
    clips = [clip.resample(a.fps) for clip in on_common_skeleton((a, b, *lent))]
    for clip in clips:
        if len(clip) < 3:
            raise BlendError(
                f"a clip of {len(clip)} frames is too short for a subspace: at least 3 are needed",
                kind=Kind.TOO_SHORT,
            )
    moving = None if part is None else Part(clips[0], part)
    clips = [_with_contacts(clip) if moving is None else moving.alone(clip) for clip in clips]
    # A T-pose before the first frame is not part of the motion: it would be an outlier among
    # the samples, and the jump away from it the fastest thing that happens.
    skipped = [tpose_frames(clip) for clip in clips]
    cut = [clip[skip:] for clip, skip in zip(clips, skipped, strict=True)]
    seen = [features(clip) for clip in cut]
    total = sum(len(clip) for clip in cut)
    fitted = np.concatenate([rows[_thinned(len(rows), _MOST_FITTED / total)] for rows in seen])
    embedding = embed(fitted, dimensions, explained)
    curves = [embedding.project(rows) for rows in seen]
    velocities = [rate_of_change(curve, a.fps) for curve in curves]
    code = PoseCode.of(cut)
    rows = [code.encode(clip) for clip in cut]
    kept = [_thinned(len(clip), most_samples / total) for clip in cut]
    speeds = []
    for along, posed in zip(velocities, rows, strict=True):
        shape = weighted(code.places(posed), code.skeleton)
        rates = along, rate_of_change(shape, a.fps)
        speeds.append(np.stack([np.linalg.norm(rate, axis=1) for rate in rates], axis=1))
    offsets = np.cumsum([0, *(len(clip) for clip in clips[:-1])]) + skipped

    def chosen(parts: list[Array]) -> Array:
        return np.concatenate([part[which] for part, which in zip(parts, kept, strict=True)])

    return Subspace(
        a=clips[0],
        b=clips[1],
        embedding=embedding,
        curves=_padded(curves, skipped),
        velocities=_padded(velocities, skipped),
        rows=_padded(rows, skipped),
        samples=np.concatenate([at + which for at, which in zip(offsets, kept, strict=True)]),
        field=Field(code, chosen(curves), chosen(rows), chosen(speeds), plain=paper),
        enter_scale=scale,
        paper=paper,
        part=moving,
    )


def _with_contacts(clip: Motion) -> Motion:
    """The clip with contacts, detected if it has none and its skeleton has legs."""
    if clip.constraints or not has_feet(clip.skeleton):
        return clip
    return clip.with_constraints(detect_contacts(clip))


def _padded(parts: list[Array], skipped: list[int]) -> tuple[Array, Array]:
    """Rows of both clips, the first repeated for frames that were skipped before it."""
    first, second = (
        np.concatenate([part[:1].repeat(skip, axis=0), part])
        for part, skip in zip(parts[:2], skipped[:2], strict=True)
    )
    return first, second


def _thinned(frames: int, share: float) -> NDArray[np.intp]:
    """A share of the frames of a clip, evenly spaced, the first and the last included."""
    count = frames if share >= 1.0 else max(int(frames * share), 2)
    return np.linspace(0, frames - 1, count).round().astype(np.intp)
