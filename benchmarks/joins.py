"""Joins of random pairs of real clips, counted: what a user gets who leaves all defaults.

Run as ``python -m benchmarks.joins FOLDER ... [--pairs 200] [--method transition ...]``. The
folders hold clips (searched for ``*.bvh``); pairs are drawn at random, with a fixed seed,
among the clips of one folder that have the same joints. Everything is measured at the clips'
own frame rate, over the whole result, against the two clips themselves.

With ``--themselves N`` every Nth clip is joined to itself instead, its end to its beginning, and
its hardest acceleration is compared with the clip's own.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.pose.flexion import flexions
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import MotionweaveError, QualityWarning
from motionweave.retargeting import on_common_skeleton

METHODS: dict[str, Callable[[Motion, Motion], Motion]] = {
    "transition": mw.transition,
    "join": mw.join,
    "spline": mw.spline_transition,
}
# Seconds over which a sliding foot is followed, and the height, in leg lengths, up to which
# it is on the floor.
_WINDOW = 0.5
_LOW = 0.05
# What a joint and the hips of a body that stands count as doing at least: leg lengths per second
# squared and per second. Whoever stands differently in the two clips has to take a step.
STANDING_ACCELERATION, _STANDING_SPEED = 2.0, 0.5
# Share of a clip up to which a warning that about half of it is cut off is right.
_ABOUT_HALF = 0.55


@dataclass(frozen=True)
class Outcome:
    """What is wrong with one joined motion.

    Parameters
    ----------
    faults
        Each as the name of a column of the table.
    kept
        The smaller of the shares kept of the two clips, of their time or of the way of their limbs.
    upended
        Whether the trunk goes over by more than 45 degrees, as between lying and standing.
    warned
        Whether the method said so.
    seconds
        Time it took.
    """

    faults: tuple[str, ...]
    kept: float
    upended: bool
    warned: bool
    seconds: float

    @property
    def false_alarm(self) -> bool:
        """Whether there was nothing to warn of."""
        right = self.faults or self.upended or self.kept < _ABOUT_HALF
        return self.warned and not right


def pairs(folders: list[Path], count: int, seed: int = 16) -> Iterator[tuple[Path, Path]]:
    """Random pairs of clips with the same joints."""
    groups: dict[tuple[Path, tuple[str, ...]], list[Path]] = {}
    for path in sorted(p for folder in folders for p in folder.rglob("*.bvh")):
        groups.setdefault((path.parent, joints_of(path)), []).append(path)
    usable = [sorted(group) for group in groups.values() if len(group) > 1]
    sizes = np.array([len(group) for group in usable], dtype=float)
    random = np.random.default_rng(seed)
    for _ in range(count):
        group = usable[random.choice(len(usable), p=sizes / sizes.sum())]
        first, second = random.choice(len(group), 2, replace=False)
        yield group[first], group[second]


def joints_of(path: Path) -> tuple[str, ...]:
    """Names of the joints in a BVH file."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        words = (line.split() for line in lines)
        names = []
        for word in words:
            if word and word[0] == "MOTION":
                break
            if len(word) > 1 and word[0] in ("ROOT", "JOINT"):
                names.append(word[1])
    return tuple(names)


def outcome(a: Motion, b: Motion, method: Callable[[Motion, Motion], Motion]) -> Outcome:
    """Join two clips and measure the result."""
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        joined = method(a, b)
    seconds = time.perf_counter() - begin
    # As the methods see it, on the floor of the first clip.
    b = on_common_skeleton((a, b))[1].resample(a.fps)
    joints = sorted(set(find_rig(a.skeleton).roles.values())) or list(range(len(a.skeleton)))
    faults = []
    size = leg_length(a.skeleton) if has_feet(a.skeleton) else body_height(a.skeleton)
    own = np.maximum(*(_hardest(clip, joints) for clip in (a, b)))
    still = STANDING_ACCELERATION * size / a.fps**2
    if np.any(_hardest(joined, joints) > 2.0 * np.maximum(own, still)):
        faults.append("acceleration")
    slow = _STANDING_SPEED * size / a.fps
    if _hips_speed(joined) > 1.05 * max(_hips_speed(a), _hips_speed(b), slow):
        faults.append("hips speed")
    leave, after = _own(a, b, joined)
    if _slide_at_seam(a, b, joined, leave, after) > 0.1:
        faults.append("foot slides")
    if _straightest(joined) < min(_straightest(a), _straightest(b), 0.0) - np.radians(10.0):
        faults.append("knee")
    return Outcome(
        tuple(faults),
        _kept(a, b, joined, leave, after),
        _upended(joined, leave, after),
        any(issubclass(w.category, QualityWarning) for w in caught),
        seconds,
    )


def accelerations(motion: Motion, joints: list[int]) -> Array:
    """How much ``(T - 2, J)`` some joints change their velocity from one frame to the next."""
    second = np.diff(motion.positions()[:, joints], n=2, axis=0)
    return np.asarray(np.linalg.norm(second, axis=-1))


def _hardest(motion: Motion, joints: list[int]) -> Array:
    return accelerations(motion, joints).max(axis=0)


def _hips_speed(motion: Motion) -> float:
    return float(np.linalg.norm(np.diff(motion.root, axis=0), axis=1).max())


def _slide_at_seam(a: Motion, b: Motion, joined: Motion, leave: int, after: int) -> float:
    """Leg lengths that what carries the body slides within half a second of the seam.

    Whatever is declared: at each frame the slowest heel or toe on the floor counts. What the
    clips themselves slide at most in as long a time is taken off.
    """
    margin = round(0.25 * joined.fps)
    # Feet that the floor carries are those within reach of the floor of either clip.
    floors = [_floor(clip) for clip in (a, b)]
    seam = slice(max(leave - margin, 0), len(joined) - max(after - margin, 0))
    level = np.interp(np.arange(len(joined)), [leave, max(len(joined) - after, leave + 1)], floors)
    usual, made = (
        max(slides)
        for slides in (
            [
                _slide(clip, clip, np.full(len(clip), f))
                for clip, f in zip((a, b), floors, strict=True)
            ],
            # Few frames show soles badly: those of the clips are measured, whichever slide more.
            [_slide(joined[seam], clip, level[seam]) for clip in (a, b)],
        )
    )
    return made - usual


def _feet(motion: Motion, like: Motion) -> Array:
    points = contact_points(motion, hands=False, like=like)
    return np.stack(list(points.values()), axis=1)


def _floor(motion: Motion) -> float:
    try:
        return float(np.percentile(_feet(motion, motion)[..., 1].min(axis=1), 20))
    except MotionweaveError:
        return 0.0


def _slide(motion: Motion, like: Motion, floor: Array) -> float:
    """The longest way within half a second, in leg lengths, of what stands on a floor ``(T,)``.

    ``like`` is the clip whose soles are measured.
    """
    try:
        feet = _feet(motion, like)
    except MotionweaveError:
        return 0.0
    leg = leg_length(motion.skeleton)
    low = feet[..., 1] < floor[:, None] + _LOW * leg
    steps = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1) / leg
    slow = np.where(low[1:] & low[:-1], steps, np.inf).min(axis=1)
    covered = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(slow), slow, 0.0))])
    width = min(max(round(_WINDOW * motion.fps), 1), len(covered) - 1)
    return float((covered[width:] - covered[:-width]).max())


def _straightest(motion: Motion) -> float:
    bends = [curve.min() for name, curve in flexions(motion).items() if name.endswith(".K")]
    return float(min(bends, default=0.0))


def _own(a: Motion, b: Motion, joined: Motion) -> tuple[int, int]:
    """How many frames at the beginning are the first clip's own, and at the end the second's.

    Legs do not count: feet may be planted anew in frames that are shown otherwise as they are.
    """
    below = {find_rig(a.skeleton).roles.get(f"{side}_thigh") for side in ("left", "right")}
    for joint, parent in enumerate(a.skeleton.parents):
        if int(parent) in below:
            below.add(joint)
    rest = [joint for joint in range(1, len(a.skeleton)) if joint not in below]

    def own(mine: Array, theirs: Array) -> int:
        count = min(len(mine), len(theirs))
        apart = np.abs(np.abs(mine[:count, rest]) - np.abs(theirs[:count, rest])).max(axis=(1, 2))
        changed = np.flatnonzero(apart > 1e-6)
        return int(changed[0]) if len(changed) else count

    return (
        own(joined.rotations, a.rotations),
        own(joined.rotations[::-1], b.rotations[::-1]),
    )


def _upended(joined: Motion, leave: int, after: int) -> bool:
    """Whether the trunk points elsewhere at the end of a seam than at its beginning."""
    head = find_rig(joined.skeleton).roles.get("head")
    if head is None:
        return False
    ends = [max(leave - 1, 0), min(len(joined) - after, len(joined) - 1)]
    trunks = joined.positions()[ends, head] - joined.root[ends]
    lengths = np.linalg.norm(trunks, axis=1)
    return float(trunks[0] @ trunks[1]) < np.cos(np.radians(45.0)) * float(lengths.prod())


def _kept(a: Motion, b: Motion, joined: Motion, leave: int, after: int) -> float:
    """The smaller share of a clip that the result shows, of its time or of what its limbs do."""
    # The frames of the seam show both clips, one of them or the other more than half.
    half = 0.5 * max(len(joined) - leave - after, 0)
    left, right = min(leave + half, len(a) - 1.0), min(after + half, len(b) - 1.0)
    last = len(b) - 1.0
    return min(left / (len(a) - 1), right / last, _done(a, left), 1.0 - _done(b, last - right))


def _done(motion: Motion, frame: float) -> float:
    """The share of the way of all joints, seen from the root, that lies before a frame."""
    ways = np.diff(motion.positions() - motion.root[:, None], axis=0)
    done = np.cumsum([0.0, *np.linalg.norm(ways, axis=-1).sum(axis=1)])
    # A statue does the same everywhere.
    done += 1e-9 * motion.skeleton.height * np.arange(len(done))
    return float(np.interp(frame, np.arange(len(done)), done) / done[-1])


def themselves(
    folders: list[Path], every: int, first: int, methods: list[str], longest: int
) -> str:
    """A table of clips that were joined to themselves."""
    times: dict[str, list[float]] = {name: [] for name in methods}
    for path in sorted(p for folder in folders for p in folder.rglob("*.bvh"))[first::every]:
        clip = loaded(path, longest)
        if len(clip) < 3:
            continue
        joints = sorted(set(find_rig(clip.skeleton).roles.values())) or list(
            range(len(clip.skeleton))
        )
        # A statue has no acceleration of its own.
        own = max(float(_hardest(clip, joints).max()), 1e-4 * body_height(clip.skeleton))
        for name in methods:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                joined = METHODS[name](clip, clip)
            times[name].append(float(_hardest(joined, joints).max()) / own)
    lines = ["| method | clips | above 1.05 | largest |", "|" + " --- |" * 4]
    for name, ratios in times.items():
        over = sum(ratio > 1.05 for ratio in ratios)
        lines.append(f"| {name} | {len(ratios)} | {over} | {max(ratios):.3f} |")
    return "\n".join(lines)


def loaded(path: Path, longest: int) -> Motion:
    """The first frames of a clip, without a T-pose in front."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mw.load(path, drop_tpose=True)[:longest]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--method", choices=list(METHODS), nargs="+", default=list(METHODS))
    parser.add_argument("--list", action="store_true", help="name every pair that fails")
    parser.add_argument("--longest", type=int, default=4000, help="frames; longer clips are cut")
    parser.add_argument("--themselves", type=int, metavar="N", help="join every Nth clip to itself")
    parser.add_argument("--first", type=int, default=0, help="of these, the first clip")
    args = parser.parse_args()
    if args.themselves:
        print(themselves(args.folders, args.themselves, args.first, args.method, args.longest))
        return
    found: dict[str, list[Outcome]] = {name: [] for name in args.method}
    refused = dict.fromkeys(args.method, 0)
    for first, second in pairs(args.folders, args.pairs, args.seed):
        a, b = (loaded(path, args.longest) for path in (first, second))
        for name in args.method:
            try:
                result = outcome(a, b, METHODS[name])
            except MotionweaveError as error:
                refused[name] += 1
                if args.list:
                    print(f"{name}: {first.name} to {second.name}: {error}", flush=True)
                continue
            found[name].append(result)
            if args.list and (result.faults or result.kept < 0.5):
                said = "warned" if result.warned else "silent"
                faults = ", ".join(result.faults) or "kept"
                names = f"{first.parent.name}/{first.stem} to {second.stem}"
                print(f"{name}: {names}: {faults} ({said}), kept {result.kept:.0%}", flush=True)
    print(_table(found, refused))


def _table(found: dict[str, list[Outcome]], refused: dict[str, int]) -> str:
    columns = ("acceleration", "hips speed", "foot slides", "knee")
    lines = [
        f"| method | pairs | refused | {' | '.join(columns)} | any fault | of these silent | "
        "false alarms | median kept | under half | of these silent | median ms |",
        "|" + " --- |" * (len(columns) + 10),
    ]
    for name, rows in found.items():
        bad = [row for row in rows if row.faults]
        short = [row for row in rows if row.kept < 0.5]
        cells = [
            name,
            len(rows),
            refused[name],
            *(sum(column in row.faults for row in rows) for column in columns),
            len(bad),
            sum(not row.warned for row in bad),
            sum(row.false_alarm for row in rows),
            f"{np.median([row.kept for row in rows] or [np.nan]):.0%}",
            len(short),
            sum(not row.warned for row in short),
            f"{1e3 * np.median([row.seconds for row in rows] or [np.nan]):.0f}",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
