"""``python -m benchmarks.sets``: what a plain engine makes of exported sets, and of raw clips.

An engine mixes clips joint by joint at one normalised time, and the steps of their root bones.
It does that here with sets that `export_set` wrote and that were read again, and with loops that
know nothing of each other.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import motionweave as mw
from benchmarks import clips
from benchmarks.quality import Tally, far_from, figures
from motionweave.core import rotations
from motionweave.core.motion import Motion, local_translations
from motionweave.core.planar import Planar
from motionweave.export.ground import with_ground_bone
from motionweave.io.gltf.format import read
from motionweave.registration.cycles import extract_cycle

PAIRS = {
    "built-in": [("walk", "jog"), ("walk", "sneak"), ("walk_left", "walk_right")],
    "real": [
        ("cmu_16_15_walk_straight", "cmu_16_21_walk_fast_straight"),
        ("cmu_16_15_walk_straight", "cmu_16_35_jog_straight"),
        ("cmu_16_11_walk_veer_left", "cmu_16_13_walk_veer_right"),
        ("cmu_16_37_jog_veer_left", "cmu_16_39_jog_veer_right"),
    ],
}
WEIGHTS = (0.25, 0.5, 0.75)
_ROUNDS = 3
SHOWN = {
    "skate": "foot skate, % of leg length per second",
    "depth": "deepest foot in the floor, % of leg length",
    "acceleration": "hardest acceleration, times the clips'",
}


def engine_blend(
    motions: Sequence[Motion], weights: Sequence[float], durations: Sequence[float]
) -> Motion:
    """What an engine plays: clips of one length with a root bone, mixed joint by joint.

    Rotations are summed and normalised, the steps of the root bones averaged; the speed is such
    that a round takes the weighted mean of the clips' durations.
    """
    share = np.asarray(weights)
    first = motions[0]
    turns = np.zeros_like(first.rotations)
    for motion, weight in zip(motions, share, strict=True):
        same = np.sign(np.sum(motion.rotations * first.rotations, axis=-1, keepdims=True))
        turns = turns + weight * np.where(same == 0.0, 1.0, same) * motion.rotations
    turns = rotations.normalize(turns)
    moves = sum(w * local_translations(m) for m, w in zip(motions, share, strict=True))
    angle, x, z = (
        sum(w * getattr(_steps(m), part) for m, w in zip(motions, share, strict=True))
        for part in ("angle", "x", "z")
    )
    count = len(first) - 1
    places, here = [Planar()], Planar()
    for step in range(_ROUNDS * count):
        i = step % count
        here = here @ Planar(angle[i], x[i], z[i])
        places.append(here)
    path = Planar(*(np.array([getattr(p, f) for p in places]) for f in ("angle", "x", "z")))
    rows = np.concatenate([np.arange(_ROUNDS * count) % count, [0]])
    turns, moves = turns[rows], np.asarray(moves)[rows]
    turns[:, 0] = rotations.about_vertical(path.angle)
    root = np.stack([path.x, 0.0 * path.x, path.z], axis=-1)
    rate = count / float(share @ np.asarray(durations))
    return replace(first, fps=rate, root=root, rotations=turns, translations=moves, constraints=())


def _steps(motion: Motion) -> Planar:
    """The moves ``(T - 1,)`` of a root bone from frame to frame."""
    path = Planar(
        np.unwrap(rotations.vertical_angle(motion.rotations[:, 0])),
        motion.root[:, 0],
        motion.root[:, 2],
    )
    return path[:-1].inverse() @ path[1:]


def without_bone(motion: Motion, like: Motion) -> Motion:
    """The motion from its pelvis on, on a skeleton without the root bone."""
    positions, orientations = motion.forward()
    turned = np.array(motion.rotations[:, 1:])
    turned[:, 0] = orientations[:, 1]
    return replace(like, fps=motion.fps, root=positions[:, 1], rotations=turned,
                   translations=None, constraints=())  # fmt: skip


def stretched(motion: Motion, frames: int) -> Motion:
    """A loop at as many frames as the others have: an engine's own synchronisation."""
    return replace(motion, constraints=()).sample(np.linspace(0.0, len(motion) - 1.0, frames))


def cases(a: Motion, b: Motion) -> list[tuple[str, Motion, Sequence[Motion]]]:
    """Every method's blends of a pair at all weights, and the clips that they are measured by."""
    curve = mw.register(a, b, ends="cyclic")
    with tempfile.TemporaryDirectory() as folder:
        told = mw.export_set(curve, folder)
        lasts = [one["duration"] for one in told["clips"]]
        names = [one["name"] for one in told["clips"]]
        set_clips = [read(Path(folder) / "set.glb", animation=name) for name in names]
    frames = told["frames"]
    in_phase = [with_ground_bone(stretched(m, frames), True) for m in curve.motions]
    loops = [extract_cycle(clip) for clip in (a, b)]
    raw = [with_ground_bone(stretched(m, frames), True) for m in loops]
    raw_lasts = [m.duration for m in loops]
    sources = list(curve.motions)
    found: list[tuple[str, Motion, Sequence[Motion]]] = []
    for weight in WEIGHTS:
        share = (1.0 - weight, weight)
        for name, given, seconds in (
            ("raw loops, engine blend", raw, raw_lasts),
            ("loops cut in phase, engine blend", in_phase, lasts),
            ("exported set, engine blend", set_clips, lasts),
        ):
            mixed = engine_blend(given, share, seconds)
            found.append((name, without_bone(mixed, sources[0]), sources))
        length = _ROUNDS * float(np.dot(share, lasts))
        for name, clean in (("motionweave", False), ("motionweave, feet cleaned", True)):
            made = mw.blend(curve, share, duration=length, clean=clean)
            found.append((name, made, sources))
    found += [("the clips themselves", clip, sources) for clip in sources]
    return found


def table() -> list[dict[str, object]]:
    """Medians of every method for both sorts of clips."""
    rows: list[dict[str, object]] = []
    for sort, pairs in PAIRS.items():
        tallies: dict[str, SimpleNamespace] = {}
        for pair in pairs:
            load = clips.built_in if sort == "built-in" else clips.real
            given = [load(name) for name in pair]
            if any(one is None for one in given):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for method, motion, sources in cases(*(m.resample(60.0) for m in given)):  # type: ignore[union-attr]
                    far = far_from(motion, sources)
                    found = figures(motion, slice(0, len(motion)), sources, far)
                    one = tallies.setdefault(method, SimpleNamespace(tally=Tally(), cases=0))
                    one.tally.add(found)
                    one.cases += 1
            print(f"{pair[0]}, {pair[1]}", file=sys.stderr)
        for method, one in tallies.items():
            rows.append(
                {"clips": sort, "method": method, "cases": one.cases, **one.tally.medians()}
            )
    return rows


def markdown(rows: Sequence[dict[str, object]]) -> str:
    """The table as text."""
    lines = [
        "| clips | method | cases | " + " | ".join(SHOWN.values()) + " |",
        "| --- | --- | ---: |" + " ---: |" * len(SHOWN),
    ]
    for row in rows:
        cells = [f"{row[name]:.2f}" if row[name] is not None else "–" for name in SHOWN]
        lines.append(f"| {row['clips']} | {row['method']} | {row['cases']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = markdown(table())
    Path(__file__).with_name("sets.md").write_text(text, encoding="utf-8")
    print(text)
