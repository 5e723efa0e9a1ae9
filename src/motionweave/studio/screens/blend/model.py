"""What the blend screen makes: its settings, the registration they ask for, and the blend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.blending.blend import finished_blend
from motionweave.methods.blending.linear import linear_blend
from motionweave.methods.blending.parametric import ParametricSpace, parametric
from motionweave.methods.blending.trace import assemble, trace_of
from motionweave.methods.blending.weights import Weights
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.distance import distance_grid
from motionweave.registration.register import Ends, register
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.screens.blend.keys import WeightKey, weights_at
from motionweave.studio.screens.screen import RESULT, series
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import stage
from motionweave.studio.work.memo import Memo
from motionweave.studio.work.remarks import doubts_of

# A measure and the value asked for; None for the middle of what the clips can give.
Wanted = tuple[str, float | None]

# Metres from the result to ghosts and to what it is compared with.
_GHOST_GAP = 0.95
_COMPARE_GAP = 0.75


@dataclass(frozen=True)
class BlendSettings:
    """What the blend screen makes.

    Parameters
    ----------
    clips, weights
        Ids of the clips and a weight for each.
    ends, cyclic, slope_limit
        How they are registered.
    mode
        ``"weights"``: constant; ``"time"``: they follow ``keys``; ``"parameters"``: they are
        found from what is asked for.
    keys
        Weights over time.
    duration
        Seconds, for motions that go round and for weights over time.
    wanted
        Name and value of each parameter.
    compare
        Show the linear blend beside the registered one.
    against
        The clip whose distances to the reference are shown.
    """

    clips: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    ends: str = "auto"
    cyclic: bool = False
    slope_limit: int = 2
    mode: str = "weights"
    keys: tuple[WeightKey, ...] = ()
    duration: float = 4.0
    wanted: tuple[Wanted, ...] = ()
    compare: bool = False
    against: str = ""


@dataclass(frozen=True, eq=False)
class Alone:
    """One input by itself along the curve, and where on it each of its frames lies: ``(T,)``."""

    motion: Motion
    u: Array


@dataclass(frozen=True, eq=False)
class Registered:
    """A registration, and what is shown of it.

    Parameters
    ----------
    curve
        The registration.
    grids
        The distances that it was found from: ``{clip: (Tref, Tclip)}``.
    alone
        The inputs by themselves, by the number of laps; filled when they are first shown.
    """

    curve: RegistrationCurve
    grids: dict[int, Array]
    alone: dict[int, tuple[Alone, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class BlendDetails:
    """What the widgets of the screen show of a result."""

    registered: Registered
    clips: tuple[ShelfClip, ...]
    weights: tuple[float, ...]
    ranges: dict[str, tuple[float, float]]
    reached: dict[str, float]


_registrations: Memo[Registered] = Memo()
_spaces: Memo[ParametricSpace] = Memo()


def parts(document: Document) -> tuple[list[ShelfClip], list[float]]:
    """The clips of the blend that are there, and their weights scaled to sum to one."""
    settings: BlendSettings = document.settings["blend"]
    given = dict(zip(settings.clips, settings.weights, strict=False))
    clips = document.usable(settings.clips)
    weights = [given.get(clip.id, 0.0) for clip in clips]
    total = sum(weights)
    if abs(total) < 1e-9:
        return clips, [1.0 / len(clips) for _ in clips]
    return clips, [w / total for w in weights]


def blended(document: Document, live: bool) -> Result:
    """The blend that the settings ask for, and what is shown beside it."""
    settings: BlendSettings = document.settings["blend"]
    clips, weights = parts(document)
    stage("Matching the clips", 0.0)
    motions = [clip.motion for clip in clips]
    found = registered(motions, settings)
    curve = found.curve
    stage("Blending", 0.5)
    clean = document.settings["common"].clean and not live
    ranges: dict[str, tuple[float, float]] = {}
    reached: dict[str, float] = {}
    used: Weights = weights
    duration = settings.duration if curve.cyclic else None
    if settings.mode == "parameters" and settings.wanted:
        space = _space(motions, settings, curve)
        point = space.solve(outside="nearest", **_within(settings.wanted, space.ranges))
        ranges, reached = space.ranges, point.values
        used = weights = [float(w) for w in point.weights]
        duration = None
    elif settings.mode == "time" and settings.keys:
        used = weights_at(settings.keys, len(clips))
        duration = settings.duration
    trace = trace_of(curve, used, duration=duration)
    motion = finished_blend(assemble(curve, trace), curve, clean=clean, whole=duration is None)
    motion = replace(motion, name=_title(clips, weights, settings.mode))
    ground = motions[0]
    looks = [Look("result", motion, RESULT, ground=ground)]
    if settings.compare:
        plain = linear_blend(curve.motions, used)
        looks = [
            Look("result", motion, RESULT, beside=_COMPARE_GAP, label="registered", ground=ground),
            Look(
                "linear",
                plain,
                "#b06a7c",
                beside=-_COMPARE_GAP,
                label="linear",
                ground=ground,
                before="linear blending",
            ),
        ]
    else:
        looks += _ghosts(found, clips, trace.u)
    details = BlendDetails(found, tuple(clips), tuple(weights), ranges, reached)
    verdict = curve.verdict
    remarks = doubts_of(verdict.doubts) if verdict is not None and verdict.doubtful else ()
    return Result(motion, tuple(looks), tuple(motions), details, remarks)


def registered(motions: Sequence[Motion], settings: BlendSettings) -> Registered:
    """The registration of the clips, remembered."""
    options = (settings.ends, settings.cyclic, settings.slope_limit)

    def make() -> Registered:
        curve = register(
            *motions,
            ends="cyclic" if settings.cyclic else cast(Ends, settings.ends),
            slope_limit=settings.slope_limit,
        )
        reference = curve.motions[curve.reference]
        grids = {
            j: np.sqrt(np.maximum(distance_grid(reference, motion), 0.0))
            for j, motion in enumerate(curve.motions)
            if j != curve.reference
        }
        return Registered(curve, grids)

    return _registrations.get(motions, options, make)


def as_found(clips: Sequence[ShelfClip], settings: BlendSettings) -> BlendSettings:
    """The settings with what was chosen automatically said outright."""
    curve = registered([clip.motion for clip in clips], settings).curve
    return replace(settings, cyclic=True) if curve.cyclic else settings


def asked_for(clips: Sequence[ShelfClip], settings: BlendSettings) -> dict[str, float]:
    """What is asked for by measure; nothing when the weights come from elsewhere."""
    if settings.mode != "parameters" or not settings.wanted:
        return {}
    motions = [clip.motion for clip in clips]
    space = _space(motions, settings, registered(motions, settings).curve)
    return _within(settings.wanted, space.ranges)


def _space(
    motions: Sequence[Motion], settings: BlendSettings, curve: RegistrationCurve
) -> ParametricSpace:
    names = tuple(name for name, _ in settings.wanted)
    options = (settings.ends, settings.cyclic, settings.slope_limit, names)
    return _spaces.get(
        motions,
        options,
        lambda: parametric(curve, names),
    )


def _within(wanted: Sequence[Wanted], ranges: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Wanted values; the middle of the range for one that was not said yet."""
    return {
        name: float(np.mean(ranges[name])) if value is None else value for name, value in wanted
    }


def _ghosts(found: Registered, clips: Sequence[ShelfClip], u: Array) -> list[Look]:
    """The inputs in a row on the result's far side, in step with its places ``u`` on the curve.

    Their motions are the same whatever the weights are, so that a drag leaves them be.
    """
    curve = found.curve
    period = curve.timewarp.end - curve.timewarp.start
    # In twos and fours, so that they are not made anew for every change of the length.
    laps = 2 ** int(np.ceil(np.log2(max((u[-1] - u[0]) / period, 1.0)))) if curve.cyclic else 1
    if laps not in found.alone:
        found.alone[laps] = _each_alone(curve, laps)
    return [
        Look(
            f"ghost{j}",
            one.motion,
            series(j),
            ghost=True,
            clock=tuple(np.interp(u, one.u, np.arange(len(one.u)))),
            beside=_GHOST_GAP * (j + 1),
            label=clip.name,
            ground=curve.motions[j],
            before=clip.name,
        )
        for j, (clip, one) in enumerate(zip(clips, found.alone[laps], strict=True))
    ]


def _each_alone(curve: RegistrationCurve, laps: int) -> tuple[Alone, ...]:
    """The inputs along the curve, for this many laps of a cyclic one."""
    found = []
    for weights in np.eye(len(curve)):
        trace = trace_of(curve, weights)
        if curve.cyclic:
            # A frame more than the laps take: the last one would otherwise fall short of the end.
            frames = laps * (len(trace.u) - 1) + 1
            trace = trace_of(curve, weights, duration=frames / trace.fps)
        found.append(Alone(assemble(curve, trace), trace.u))
    return tuple(found)


def _title(clips: Sequence[ShelfClip], weights: Sequence[float], mode: str) -> str:
    if mode == "time":
        return " to ".join(clip.name for clip in clips)
    shares = (f"{clip.name} {round(100 * w)}%" for clip, w in zip(clips, weights, strict=True))
    return ", ".join(shares)
