"""What clean-up does to real clips: a table of counts.

    python -m benchmarks.feet [FOLDER ...] [--every 1] [--sample 150 --seed 0] [--detail]

By default on the clips that tests and settings were made with; a sample of other folders takes
as many clips of each. Every clip is taken as it is, at its own frame rate and with default
arguments. Lengths are those of a body 1.7 m tall, whose leg from hip to ankle is 83 cm.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, active
from motionweave.core.motion import Motion
from motionweave.measure.peaks import turning
from motionweave.measure.seams import find_seams

LEG = 83.0
# Degrees by which a knee may end up further back than it was recorded, or than straight.
TURNED = 3.0
# Accelerations (cm or degrees per second squared) below which something counts as still, and of a
# joint below which it was not captured.
HARDLY, NOT_CAPTURED = 100.0, 5.0
SLIP, FASTER, LOWERED = 1.0, 1.5, 1.0
# Centimetres that can be seen.
SEEN = 0.2
# Times as hard as recorded that a joint jerks at a seam that the clean-up made.
HARDER = 1.2

Clean = Callable[[Motion], Motion]


def usual_folders() -> list[Path]:
    """Where the clips are that tests use."""
    return [
        Path(os.environ.get(f"MOTIONWEAVE_{variable}", f"../shared/{folder}"))
        for variable, folder in (("MOCAP", "mocap"), ("WILD", "wild"))
    ]


def chosen(folders: Sequence[Path], every: int, sample: int, seed: int) -> list[Path]:
    """Every nth file of the folders, or so many at random, as many of each folder."""
    files = [sorted(folder.rglob("*.bvh")) for folder in folders]
    if not sample:
        return [path for paths in files for path in paths[::every]]
    draw = np.random.default_rng(seed)
    shares = [sample // len(files) + (i < sample % len(files)) for i in range(len(files))]
    return [
        paths[int(index)]
        for paths, share in zip(files, shares, strict=True)
        for index in draw.choice(len(paths), min(share, len(paths)), replace=False)
    ]


def clips(paths: Iterable[Path]) -> Iterator[tuple[str, Motion]]:
    """The clips of these files that have feet, with their folders' names."""
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                motion = mw.load(path)
            except mw.MotionweaveError as error:
                print(f"{path.name}: {error}")
                continue
        if has_feet(motion.skeleton):
            yield f"{path.parent.name}/{path.stem}", motion


def figures(before: Motion, after: Motion) -> dict[str, float]:
    """What clean-up changed, in cm, seconds and times the clip's own peak."""
    first = tpose_frames(before)
    floor = estimate_floor(before)
    scale = LEG / leg_length(before.skeleton)
    held = {kind: _held(before, kind)[first:] for kind in FOOT_KINDS}
    before, after = before[first:], after[first:]
    fps = before.fps
    # The soles of the clip as it was: what is measured is how the same points move.
    old, new = contact_points(before), contact_points(after, like=before)
    joints = _joints(before)
    deep = [np.stack([floor.above(points[k]) for k in FOOT_KINDS]) for points in (old, new)]
    sunk = [np.maximum(-d, 0.0) * scale for d in deep]
    down = (before.root - after.root)[:, 1] * scale
    flight = ~np.any(list(held.values()), axis=0)
    turns = [turning(motion)[1] for motion in (before, after)]
    swings = [np.stack([_acceleration(p[k], fps) for k in FOOT_KINDS]) for p in (old, new)]
    bends = [_bends(before, motion) for motion in (before, after)]
    size = leg_length(before.skeleton)
    return {
        "slip before": _slip(old, held, fps * scale),
        "slip": _slip(new, held, fps * scale),
        "knee back": float(np.max(np.minimum(bends[0], 0.0) - bends[1])),
        "knee": _times(turns, joints["shin"], joints["shin"]),
        "ankle": _times(turns, joints["ankle"], joints["shin"]),
        "foot": float(swings[1].max(initial=0.0) / max(swings[0].max(initial=0.0), HARDLY / scale)),
        "lowered": float(down.mean()),
        "lowered most": float(down.max()),
        "lowered in flight": float(down[flight].mean()) if flight.any() else 0.0,
        "sunk before": float(sunk[0].max()),
        "sunk": float(sunk[1].max()),
        "sunk mean before": float(sunk[0].mean()),
        "sunk mean": float(sunk[1].mean()),
        "seams before": float(len(find_seams(before, size))),
        "seams": float(len(find_seams(after, size))),
        "new seams": float(_new_seams(before, after, size, turns)),
    }


def failures(f: dict[str, float]) -> list[str]:
    """The goals that a clip misses."""
    missed = {
        "slip": f["slip"] > SLIP,
        "slip worse": f["slip"] > f["slip before"] + 0.01,
        "knee turned": f["knee back"] > TURNED,
        "knee acceleration": f["knee"] > FASTER,
        "ankle acceleration": f["ankle"] > FASTER,
        "foot acceleration": f["foot"] > FASTER,
        "lowered": f["lowered"] > LOWERED,
        "sunk": f["sunk"] > f["sunk before"] + SEEN,
        "sunk on average": f["sunk mean"] > f["sunk mean before"] + SEEN,
        "new seams": f["new seams"] > 0,
    }
    return [name for name, missing in missed.items() if missing]


def _new_seams(before: Motion, after: Motion, size: float, turns: list[Array]) -> int:
    """Seams at which a joint accelerates ``turns`` ``(T - 2, J)`` harder than it did as recorded.

    Where feet are still, a jerk of the recording stands out more than it did: `find_seams`
    compares with what is around. Such a jerk is no fault of the clean-up.
    """
    names = before.skeleton.names
    known = {(seam.frame, seam.what) for seam in find_seams(before, size)}
    count = 0
    for seam in find_seams(after, size):
        if (seam.frame, seam.what) in known:
            continue
        if seam.what in names:
            near = slice(max(seam.frame - 2, 0), seam.frame + 2)
            peaks = [turn[near, names.index(seam.what)].max(initial=0.0) for turn in turns]
            count += bool(peaks[1] > HARDER * peaks[0])
        else:
            count += 1
    return count


def _held(motion: Motion, kind: str) -> Array:
    return np.asarray(active(motion.constraints, kind, np.arange(len(motion))))


def _slip(points: dict[str, Array], held: dict[str, Array], per_second: float) -> float:
    steps = []
    for kind, mask in held.items():
        way = np.linalg.norm(np.diff(points[kind][:, [0, 2]], axis=0), axis=-1)
        steps.append(way[mask[1:] & mask[:-1]])
    every = np.concatenate(steps)
    return float(every.mean() * per_second) if len(every) else 0.0


def _joints(motion: Motion) -> dict[str, list[int]]:
    rig = find_rig(motion.skeleton)
    return {r: [rig.roles[f"{side}_{r}"] for side in SIDES] for r in ("thigh", "shin", "ankle")}


def _bends(of: Motion, motion: Motion) -> Array:
    """Bends of both knees ``(2, T)`` in degrees about the axes they have in ``of``."""
    hinges = find_hinges(of)
    return np.degrees([hinges[f"{side}_shin"].flexion(*motion.forward()) for side in SIDES])


def _acceleration(points: Array, fps: float) -> Array:
    return np.asarray(np.linalg.norm(np.diff(points, 2, axis=0), axis=-1) * fps**2)


def _times(turns: list[Array], joints: list[int], others: list[int]) -> float:
    """The hardest acceleration, times that of the same joint as recorded.

    A joint that did not move at all was not captured: it is compared with that of the other side,
    or with ``others`` if that was not captured, either.
    """
    if not len(turns[0]):
        return 1.0
    peaks = [turn[:, joints].max(axis=0) for turn in turns]
    for known in (peaks[0].max(), turns[0][:, others].max()):
        peaks[0] = np.where(peaks[0] < NOT_CAPTURED, known, peaks[0])
    return float(np.max(peaks[1] / np.maximum(peaks[0], HARDLY)))


def table(paths: Iterable[Path], clean: Clean = mw.clean_feet, *, detail: bool = False) -> str:
    """Counts of the goals missed, and the spread of every figure."""
    rows: list[tuple[str, dict[str, float]]] = []
    seconds, frames = 0.0, 0
    for name, motion in clips(paths):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            began = time.process_time()
            cleaned = clean(motion)
            seconds += time.process_time() - began
        frames += len(motion)
        told = any(issubclass(w.category, mw.QualityWarning) for w in caught)
        rows.append((name, figures(motion, cleaned) | {"warned": float(told)}))
    return report(rows, detail) + f"\n{1e6 * seconds / max(frames, 1):.1f} µs per frame"


def report(rows: list[tuple[str, dict[str, float]]], detail: bool) -> str:
    """The table of figures of clips."""
    lines = [f"{len(rows)} clips; failures:"]
    missed = [(name, failure) for name, f in rows for failure in failures(f)]
    kinds = list(dict.fromkeys(failure for _, failure in missed))
    lines += [f"  {kind:<20} {sum(one == kind for _, one in missed):4d}" for kind in kinds]
    lines.append(f"  {'any':<20} {len({name for name, _ in missed}):4d}")
    silent = [name for name, f in rows if failures(f) and not f["warned"]]
    lines.append(f"  {'of these silent':<20} {len(silent):4d}")
    lines.append(f"  {'right, with warning':<20} {_false_alarms(rows):4d}")
    lines.append(f"{'figure':<20} {'median':>9} {'mean':>9} {'95 %':>9} {'largest':>9}")
    for key in rows[0][1] if rows else ():
        values = np.array([f[key] for _, f in rows])
        lines.append(
            f"{key:<20} {np.median(values):9.3f} {values.mean():9.3f} "
            f"{np.quantile(values, 0.95):9.3f} {values.max():9.3f}"
            f"  {rows[int(values.argmax())][0]}"
        )
    if detail:
        for name, f in rows:
            if failures(f):
                lines.append(f"{name}: {', '.join(failures(f))}")
                lines.append("   " + ", ".join(f"{k} {v:.2f}" for k, v in f.items()))
    return "\n".join(lines)


def _false_alarms(rows: list[tuple[str, dict[str, float]]]) -> int:
    return sum(bool(f["warned"]) and not failures(f) for _, f in rows)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.feet", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", help="of BVH files")
    parser.add_argument("--every", type=int, default=1, help="take every nth clip")
    parser.add_argument("--sample", type=int, default=0, help="so many clips at random instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--detail", action="store_true", help="list the clips that fail")
    args = parser.parse_args()
    paths = chosen(args.folders or usual_folders(), args.every, args.sample, args.seed)
    print(table(paths, detail=args.detail))
    return 0


if __name__ == "__main__":
    sys.exit(main())
