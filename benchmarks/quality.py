"""How good blends are: ours and what people use otherwise, on the same clips and places.

``python -m benchmarks.quality FOLDER...`` compares transitions of the walks, runs and sneaks of
folders of clips instead, each with the next one that has the same joints.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import motionweave as mw
from benchmarks import baselines, clips, joins, trust
from benchmarks.measure import say
from motionweave import samples
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import estimate_floor
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.errors import MotionweaveError
from motionweave.methods.blending.transition import Transition, make_transition
from motionweave.registration.curve import RegistrationCurve
from motionweave.retargeting import on_common_skeleton

Array = NDArray[np.float64]

FPS = 30.0
HALF = 15
# Height, in leg lengths, above which a foot may move as it likes: those of people who walk
# swing through little higher than that.
_NEAR = 0.015
_ENDS = ("heel", "toe")
# Frames of clips in folders that are looked at.
_LONGEST = 1500
# Seconds from which on it makes no difference how far apart strikes are. Such pairs count as this
# far apart: left out, they would favour whoever leaves them there.
_OTHER_STEP = 0.5
FIGURES = {
    "skate": "foot skate, % of leg length per second",
    "depth": "deepest foot in the floor, % of leg length",
    "path": "way of the root, off by % of what the clips go in the frames shown",
    "strikes": "heel strikes blended with each other, apart by ms",
    "acceleration": "hardest joint acceleration, times that of the clips",
}
TRANSITIONS = {
    "built-in": [("walk", "jog"), ("jog", "sneak"), ("walk_left", "walk_right")],
    "real": [
        ("cmu_16_15_walk_straight", "cmu_16_35_jog_straight"),
        ("cmu_16_11_walk_veer_left", "cmu_16_13_walk_veer_right"),
        ("cmu_16_35_jog_straight", "cmu_16_21_walk_fast_straight"),
        ("cmu_16_21_walk_fast_straight", "cmu_16_17_walk_turn90_left"),
    ],
}
INTERPOLATIONS = {
    "built-in": [("walk", "jog"), ("walk", "sneak"), ("walk_left", "walk_right")],
    "real": [
        ("cmu_16_15_walk_straight", "cmu_16_21_walk_fast_straight"),
        ("cmu_16_11_walk_veer_left", "cmu_16_13_walk_veer_right"),
        ("cmu_16_37_jog_veer_left", "cmu_16_39_jog_veer_right"),
        ("cmu_16_17_walk_turn90_left", "cmu_16_19_walk_turn90_right"),
    ],
}


@dataclass
class Tally:
    """Figures of one method, one a case."""

    values: dict[str, list[float]] = field(default_factory=lambda: {f: [] for f in FIGURES})

    def add(self, figures: dict[str, float]) -> None:
        """The figures of one more case; NaN where there is nothing to measure."""
        for name, value in figures.items():
            if np.isfinite(value):
                self.values[name].append(value)

    def medians(self) -> dict[str, float | None]:
        """Of all cases."""
        return {f: float(np.median(v)) if v else None for f, v in self.values.items()}


def table() -> list[dict[str, Any]]:
    """Medians of every method, for transitions and interpolations, of both sorts of clips."""
    found = []
    for work, pairs, do in (
        ("transition", TRANSITIONS, _transitions),
        ("transition out of step", TRANSITIONS, _out_of_step),
        ("interpolation", INTERPOLATIONS, _interpolation),
    ):
        for sort, names in pairs.items():
            tallies: dict[str, Tally] = {}
            cases = 0
            for pair in names:
                motions = [_clip(sort, name) for name in pair]
                if any(m is None for m in motions):
                    continue
                say(f"quality: {work} of {pair[0]} and {pair[1]}")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    cases += do(*motions, tallies)  # type: ignore[arg-type]
            if cases:
                found += [
                    {"work": work, "clips": sort, "cases": cases, "method": m, **t.medians()}
                    for m, t in tallies.items()
                ]
    return found


def _clip(sort: str, name: str) -> Motion | None:
    motion = clips.built_in(name) if sort == "built-in" else clips.real(name)
    return None if motion is None else motion.resample(FPS)


def of_folders(folders: Sequence[Path]) -> str:
    """A table of medians of every method, for transitions between the gaits of folders."""
    lines = []
    gaits = ("walk", "run", "sneak", "walk turn", "run turn")
    found = trust.clips_by_kind(folders)
    paths = sorted(p for kind, some in found.items() if kind.startswith(gaits) for p in some)
    groups: dict[tuple[Path, tuple[str, ...]], list[Path]] = {}
    for path in paths:
        groups.setdefault((path.parent, joins.joints_of(path)), []).append(path)
    pairs = [pair for group in groups.values() for pair in pairwise(group)]
    for what, do in (("at the best places", _transitions), ("out of step", _out_of_step)):
        tallies: dict[str, Tally] = {}
        cases = 0
        for pair in pairs:
            motions = [joins.loaded(path, _LONGEST).resample(FPS) for path in pair]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cases += do(*on_common_skeleton(motions), tallies)
        lines += [f"| {what}, {cases} cases | {' | '.join(FIGURES)} |", "|" + " --- |" * 6]
        for name, tally in tallies.items():
            cells = ("-" if x is None else f"{x:.3g}" for x in tally.medians().values())
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join([f"{len(pairs)} pairs", "", *lines])


# Transitions


def _transitions(a: Motion, b: Motion, tallies: dict[str, Tally]) -> int:
    """All methods at the best places."""
    a, b = _long_enough(a), _long_enough(b)
    best = mw.junctions(a, b, half_width=HALF, most=3)
    return _at_places(a, b, [(round(j.frames[0]), round(j.frames[1])) for j in best], tallies)


def _out_of_step(a: Motion, b: Motion, tallies: dict[str, Tally]) -> int:
    """All methods at places chosen without looking at the feet."""
    a, b = _long_enough(a), _long_enough(b)
    shares = ((0.4, 0.5), (0.5, 0.4), (0.6, 0.5))
    places = [(round(x * len(a)), round(y * len(b))) for x, y in shares]
    return _at_places(a, b, places, tallies)


def _long_enough(motion: Motion) -> Motion:
    if motion.name not in samples.names():
        return motion
    return clips.built_in(motion.name, duration=5.0).resample(FPS)


def _at_places(
    a: Motion, b: Motion, places: Sequence[tuple[int, int]], tallies: dict[str, Tally]
) -> int:
    done = 0
    for at in places:
        if min(at[0], at[1], len(a) - 1 - at[0], len(b) - 1 - at[1]) <= HALF:
            continue
        try:
            _transition(a, b, at, tallies)
        except MotionweaveError as error:
            say(f"quality: left out {at}: {error}")
            continue
        done += 1
    return done


def _transition(a: Motion, b: Motion, at: tuple[int, int], tallies: dict[str, Tally]) -> None:
    # Wide enough for every method's work, which not all do between the same frames.
    wide = 2 * HALF
    zone = slice(max(at[0] - wide, 0), at[0] + wide + 1)
    span = (at[0] - HALF, at[0] + HALF)
    equal = _apart(a, b, lambda frames: frames - at[0] + at[1], span)
    made = {
        clean: make_transition((a, b), at=at, half_width=HALF, clean=clean)
        for clean in (False, True)
    }
    shown = made[True].shown[0]
    # Beyond the seam both go on at their own pace.
    before, after = shown[0] - HALF, shown[-1] + HALF
    beside = np.concatenate([[before], shown, [after]])
    warped = _apart(a, b, lambda frames: np.interp(frames, *beside.T), span)
    results = {
        "linear cross-fade": (baselines.linear_transition(a, b, at, HALF), equal),
        "slerp cross-fade": (baselines.slerp_transition(a, b, at, HALF), equal),
        "inertialised switch": (baselines.inertialised_transition(a, b, at, HALF), equal),
        "motionweave": (made[False].motion, warped),
        "motionweave, feet cleaned": (made[True].motion, warped),
    }
    theirs = _Faded(span, (at[0] - HALF, at[1] + HALF), (HALF, HALF))
    ours = _ours(made[True])
    for name, (motion, apart) in results.items():
        where = slice(zone.start, min(zone.stop, len(motion)))
        faded = ours if name.startswith("motionweave") else theirs
        far = _too_far(motion, (a, b), at, faded)
        measured = figures(motion, where, (a, b), far)
        tallies.setdefault(name, Tally()).add({**measured, "strikes": apart})


@dataclass(frozen=True)
class _Faded:
    """Where a transition fades, and how much it shows of each clip.

    Parameters
    ----------
    seam
        First and last frame, in the result.
    ends
        The frame of the first clip that it leaves, and that of the second that it enters.
    shown
        How many frames of each clip it shows, weighed by how much they count.
    """

    seam: tuple[int, int]
    ends: tuple[int, int]
    shown: tuple[float, float]


def _ours(made: Transition) -> _Faded:
    """To get into step, one clip is shown at a slower pace, and the other at a faster one."""
    shown = made.shown[0]
    weight = smoothstep(np.linspace(0.0, 1.0, len(shown)))
    weight = 0.5 * (weight[1:] + weight[:-1])
    first, second = np.sum(np.diff(shown, axis=0).T * [1.0 - weight, weight], axis=1)
    ends = round(float(shown[0, 0])), round(float(shown[-1, 1]))
    return _Faded(made.seams[0], ends, (float(first), float(second)))


def _too_far(motion: Motion, clips: Sequence[Motion], at: tuple[int, int], faded: _Faded) -> float:
    """How many times as far the root goes around a seam as in the frames that are shown.

    That is what the clips go before and after the seam, and as many frames of each as the seam
    shows, at the pace that it has around the place. Whoever shows more frames of a runner
    than of a walker has to go further.
    """
    (start, end), (leave, enter) = faded.seam, faded.ends
    before, after = clips[0][max(leave - HALF, 0) : leave + 1], clips[1][enter : enter + HALF + 1]
    expected = _way(before) + _way(after)
    for clip, frame, count in zip(clips, at, faded.shown, strict=True):
        expected += count * _way(clip[frame - HALF : frame + HALF + 1]) / (2 * HALF)
    return _way(motion[start - len(before) + 1 : end + len(after)]) / expected


# Interpolations


def _interpolation(a: Motion, b: Motion, tallies: dict[str, Tally]) -> int:
    a, b = _alike(a, b)
    curve = mw.register(a, b)
    ends = (0.0, len(a) - 1.0)
    scale = (len(b) - 1.0) / (len(a) - 1.0)
    warped = _apart(a, b, lambda frames: _across(curve, frames), ends)
    made = {
        "linear blend": (baselines.linear_mean(a, b), _apart(a, b, lambda f: f, ends)),
        "slerp at stretched time": (
            baselines.slerp_mean(a, b),
            _apart(a, b, lambda f: f * scale, ends),
        ),
        "motionweave": (mw.blend(curve, [0.5, 0.5], clean=False), warped),
        "motionweave, feet cleaned": (mw.blend(curve, [0.5, 0.5], clean=True), warped),
    }
    for name, (motion, apart) in made.items():
        count = len(motion)
        parts = (a, b) if name != "linear blend" else (a[:count], b[:count])
        measured = figures(motion, slice(0, count), (a, b), far_from(motion, parts))
        tallies.setdefault(name, Tally()).add({**measured, "strikes": apart})
    inputs = [figures(m, slice(0, len(m)), (a, b), 1.0) for m in (a, b)]
    mean = {f: float(np.mean([one[f] for one in inputs])) for f in inputs[0]}
    tallies.setdefault("the clips themselves", Tally()).add(mean)
    return 1


def _alike(a: Motion, b: Motion) -> tuple[Motion, Motion]:
    """The stretches of two clips that show the same steps: the same ones for every method."""
    if a.name in samples.names():
        return a, b
    first, second = np.round(mw.register(a, b, ends="free").ranges).astype(int)
    return a[first[0] : first[1] + 1], b[second[0] : second[1] + 1]


# Figures


def figures(motion: Motion, zone: slice, inputs: Sequence[Motion], far: float) -> dict[str, float]:
    """What is wrong with a motion in a zone of frames.

    The floor is that of the first clip; the root goes ``far`` times as far as it should.
    """
    floor = estimate_floor(inputs[0])
    size = leg_length(motion.skeleton)
    feet = contact_points(motion)
    points = np.array([[feet[f"{side}_{end}"] for end in _ENDS] for side in ("left", "right")])
    height = floor.above(points) / size
    steps = slice(zone.start, zone.stop - 1)
    hardest = max(float(_acceleration(m).max()) for m in inputs)
    middle = slice(max(zone.start - 1, 0), zone.stop - 1)
    return {
        "skate": 100.0 * float(_skate(points / size, height)[:, steps].mean()) * motion.fps,
        "depth": 100.0 * float(np.maximum(-height[..., zone], 0.0).max()),
        # Medians of what is too long in one case and too short in another would be right.
        "path": 100.0 * abs(far - 1.0),
        "acceleration": float(_acceleration(motion)[middle].max()) / hardest,
    }


def _skate(points: Array, height: Array) -> Array:
    """How far the lower end of each foot goes from frame to frame, ``(2, T - 1)``.

    ``points`` ``(2, 2, T, 3)`` are heel and toe of each foot, ``height`` ``(2, 2, T)`` how far
    above the floor. It counts in full on the floor and not at all from `_NEAR` on. No contacts
    are asked for: they would have to be found in motions whose feet slide.
    """
    gone = np.linalg.norm(np.diff(points[..., [0, 2]], axis=2), axis=-1)
    # As a foot rolls, one end stands while the other goes up or comes down.
    high = np.maximum(np.maximum(height[..., 1:], height[..., :-1]), 0.0)
    near = np.maximum(2.0 - 2.0 ** (high / _NEAR), 0.0)
    lower = np.argmin(high, axis=1, keepdims=True)
    return np.take_along_axis(gone * near, lower, axis=1)[:, 0]


def far_from(motion: Motion, parts: Sequence[Motion]) -> float:
    """How many times as far the root goes as in the clips at their mean pace."""
    pace = np.mean([_way(part) for part in parts]) / np.mean([len(part) - 1 for part in parts])
    return float(_way(motion) / (pace * (len(motion) - 1)))


def _way(motion: Motion) -> float:
    return float(np.linalg.norm(np.diff(motion.root[:, [0, 2]], axis=0), axis=1).sum())


def _acceleration(motion: Motion) -> Array:
    """Of the joints with a role, ``(T - 2, J)``: fingers of real clips jump by themselves."""
    joints = sorted(set(find_rig(motion.skeleton).roles.values()))
    second = np.diff(motion.positions()[:, joints], n=2, axis=0) * motion.fps**2
    return np.asarray(np.linalg.norm(second, axis=-1))


def _across(curve: RegistrationCurve, frames: Array) -> Array:
    """Frames of the second clip that a curve puts beside frames of the first."""
    u = curve.timewarp.parameter(0, frames)
    return np.asarray(curve.timewarp.frames(np.atleast_1d(u))[:, 1])


def _apart(
    a: Motion, b: Motion, across: Callable[[Array], Array], span: tuple[float, float]
) -> float:
    """Mean time, in ms, between strikes of a foot that are blended with each other."""
    gaps = []
    for side in ("left", "right"):
        ours, theirs = _strikes(a, side), _strikes(b, side)
        ours = ours[(ours >= span[0]) & (ours <= span[1])]
        if len(ours) == 0 or len(theirs) == 0:
            continue
        gap = np.abs(across(ours)[:, None] - theirs).min(axis=1) / b.fps
        gaps += list(np.minimum(gap, _OTHER_STEP))
    return 1000.0 * float(np.mean(gaps)) if gaps else np.nan


def _strikes(motion: Motion, side: str) -> Array:
    """Frames at which a foot comes down, by heel or toe."""
    held = sorted(
        (c.start, c.end) for c in motion.constraints if c.kind in (f"{side}_heel", f"{side}_toe")
    )
    starts: list[float] = []
    until = -np.inf
    for start, end in held:
        if start > until and start > 0.0:
            starts.append(start)
        until = max(until, end)
    return np.array(starts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    print(of_folders(parser.parse_args().folders))
