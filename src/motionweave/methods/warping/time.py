"""Time warps: which frame of the source an output frame shows, t = g(t')."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.constraints import carried
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import cardinal_tangents, hermite
from motionweave.errors import QualityWarning, WarpError

TimeKeys = Mapping[float, float] | Iterable[tuple[float, float]]

# How far (frames) time may run against its keys before there is a warning.
_SLACK = 1e-3
# Steps per span at which a cubic is searched for such a run.
_STEPS = 64


@dataclass(frozen=True)
class TimeCurve:
    """The function g: a Cardinal spline from output frames to source frames.

    Parameters
    ----------
    outputs, sources
        ``(n,)`` each: output frame ``outputs[i]`` shows source frame ``sources[i]``.
    tangents
        ``(n,)`` slopes dt/dt' there.
    """

    outputs: Array
    sources: Array
    tangents: Array

    def __call__(self, frames: Array) -> Array:
        """Source frames at output ``frames`` ``(m,)``."""
        return hermite(self.outputs, self.sources, self.tangents, frames)

    @property
    def length(self) -> int:
        """How many whole output frames there are, from 0 to the last key."""
        return int(np.floor(self.outputs[-1] + 1e-6)) + 1

    def reversals(self) -> list[tuple[float, float]]:
        """Output spans between two keys in which time runs against these keys.

        A span whose keys themselves go backwards is intended; an overshoot that runs the other way
        is not.
        """
        found = []
        for i in range(len(self.outputs) - 1):
            inside = np.linspace(self.outputs[i], self.outputs[i + 1], _STEPS + 1)
            way = 1.0 if self.sources[i + 1] >= self.sources[i] else -1.0
            course = way * self(inside)
            # Lost ground: how far below the furthest point reached so far.
            if np.max(np.maximum.accumulate(course) - course) > _SLACK:
                found.append((float(self.outputs[i]), float(self.outputs[i + 1])))
        return found


def time_curve(
    keys: TimeKeys, frames: int, tension: float = 0.0, monotone: bool = False
) -> TimeCurve:
    """The time warp through ``keys`` for a clip of this many ``frames``.

    Parameters
    ----------
    keys
        Pairs (t', t): the pose of source frame t is shown at output frame t'. Unless a key says
        otherwise the first frame stays the first, and after the last key time continues at its own
        speed to the end of the clip. Two keys with the same t are a pause; a smaller t later on is
        a reversal.
    tension
        Of the Cardinal spline, 0 to 1.
    monotone
        Limit the slopes so that time never runs against its keys.
    """
    pairs = sorted((float(a), float(b)) for a, b in time_pairs(keys))
    if not pairs:
        raise WarpError("time keys: expected at least one pair (output frame, source frame)")
    last = frames - 1
    for output, source in pairs:
        if not (np.isfinite(output) and output >= 0.0):
            raise WarpError(f"time key {output:g}: {source:g}: output frames start at 0")
        if not 0.0 <= source <= last + 1e-6:
            raise WarpError(
                f"time key {output:g}: {source:g}: the clip has source frames 0 to {last}"
            )
    outputs = np.array([p[0] for p in pairs])
    sources = np.array([p[1] for p in pairs])
    if np.any(np.diff(outputs) <= 0.0):
        twice = outputs[1:][np.diff(outputs) <= 0.0][0]
        raise WarpError(f"time keys: output frame {twice:g} has two source frames; keep one")
    if outputs[0] > 0.0:
        outputs, sources = np.concatenate([[0.0], outputs]), np.concatenate([[0.0], sources])
    forwards = len(sources) == 1 or sources[-1] >= sources[-2]
    rest = last - sources[-1]
    runs_on = forwards and rest > 0.0
    if runs_on:
        outputs = np.concatenate([outputs, [outputs[-1] + rest]])
        sources = np.concatenate([sources, [last]])
    tangents = _tangents(outputs, sources, tension)
    if runs_on and len(outputs) > 1:
        tangents[-1] = 1.0
    if monotone:
        tangents = _limited(outputs, sources, tangents)
    curve = TimeCurve(outputs, sources, tangents)
    for start, end in curve.reversals():
        warnings.warn(
            f"time runs backwards for a moment between output frames {start:g} and {end:g}, "
            "although its keys do not; add a key there, raise the tension, or pass "
            "monotone=True",
            QualityWarning,
            stacklevel=3,
        )
    return curve


def paced_curve(outputs: ArrayLike, sources: ArrayLike, first: float, last: float) -> TimeCurve:
    """A time warp that never runs backwards and has these speeds at its two ends.

    Parameters
    ----------
    outputs, sources
        ``(n,)`` each, both increasing.
    first, last
        Source frames per output frame, at the first and at the last key.
    """
    outputs = np.asarray(outputs, dtype=np.float64)
    sources = np.asarray(sources, dtype=np.float64)
    tangents = _tangents(outputs, sources, 0.0)
    tangents[0], tangents[-1] = first, last
    return TimeCurve(outputs, sources, _limited(outputs, sources, tangents))


def retime(motion: Motion, curve: TimeCurve) -> Motion:
    """The motion played along a time curve, at the same frame rate."""
    return motion.sample(output_frames(curve, len(motion)))


def output_frames(curve: TimeCurve, frames: int) -> Array:
    """Source frame of every output frame, kept inside a clip of this many frames."""
    return np.clip(curve(np.arange(curve.length, dtype=np.float64)), 0.0, frames - 1)


def retime_parts(
    motion: Motion,
    source: Motion,
    parts: Iterable[tuple[Iterable[int], Iterable[str], TimeCurve]],
) -> Motion:
    """``motion`` with some joints played along separate time curves.

    Parameters
    ----------
    motion
        The result so far, whose frames are the output frames.
    source
        The clip before any time warp.
    parts
        For each part its joints, the constraint kinds that go with them, and its
        time curve. Where the part's curve is shorter than the motion, it stays at
        its last frame.
    """
    from dataclasses import replace

    turned = np.array(motion.rotations)
    held = list(motion.constraints)
    outputs = np.arange(len(motion), dtype=np.float64)
    for joints, kinds, curve in parts:
        frames = np.clip(curve(outputs), 0.0, len(source) - 1)
        chosen, kinds = list(joints), set(kinds)
        turned[:, chosen] = kinematics.sample_rotations(source.rotations[:, chosen], frames)
        mine = [c for c in source.constraints if c.kind in kinds]
        held = [c for c in held if c.kind not in kinds] + list(carried(mine, frames))
    return replace(motion, rotations=turned, constraints=tuple(held))


def time_pairs(keys: TimeKeys) -> list[tuple[float, float]]:
    """Time keys as pairs (output frame, source frame)."""
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise WarpError(f"time keys: expected pairs (output frame, source frame), got {keys!r}")
    pairs = list(keys.items() if isinstance(keys, Mapping) else keys)
    for pair in pairs:
        if np.shape(pair) != (2,):
            raise WarpError(f"time key {pair!r}: expected a pair (output frame, source frame)")
    return pairs


def _tangents(outputs: Array, sources: Array, tension: float) -> Array:
    """Cardinal tangents whose ends continue the neighbouring span.

    They are zero at the ends of a pause and where time should reverse: otherwise the spline would
    sway around, or overshoot, the frame at which it should stop.
    """
    tangents = cardinal_tangents(outputs, sources, tension)
    if len(outputs) > 1:
        slopes = np.diff(sources) / np.diff(outputs)
        tangents[0], tangents[-1] = slopes[0], slopes[-1]
        still = np.flatnonzero(slopes == 0.0)
        tangents[still] = tangents[still + 1] = 0.0
        tangents[1:-1][slopes[1:] * slopes[:-1] < 0.0] = 0.0
    return tangents


def _limited(outputs: Array, sources: Array, tangents: Array) -> Array:
    """Tangents shortened so that every span runs one way (Fritsch & Carlson)."""
    tangents = tangents.copy()
    for i, slope in enumerate(np.diff(sources) / np.diff(outputs)):
        pair = tangents[i : i + 2]
        if slope == 0.0:
            pair[:] = 0.0
            continue
        # Both slopes within three times the span's own, and of its sign.
        pair[:] = slope * np.clip(pair / slope, 0.0, 3.0)
    return tangents
