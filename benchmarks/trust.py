"""Whether blends of alike clips come out right, and whether those that do not say so.

    python -m benchmarks.trust FOLDER... [--pairs 200] [--seed 0] [--json FILE]
                               [--framespace concatenate|blend]

Pairs of clips of one kind of motion (by the words in their names and catalogues) are drawn at
random from all sources, loaded, registered and blended half and half with nothing but default
arguments. A blend is right if no joint accelerates more than 1.5 times as hard as in the clips,
no knee bends backwards further than in them, no foot is 3 cm (on a body of 1.7 m) deeper than
theirs, and the path is within 15 % of what lies between theirs. The judgement is made here,
apart from the self-check of the library, whose warnings are counted against it. With
``--framespace`` the clips are matched by their events instead, and the length of the path, which
depends on how many cycles are played, does not count.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.hinges import Hinge, find_hinges
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points, has_feet

# Words that make two clips alike. The first row that fits counts.
KINDS = {
    "punch": r"punch|jab|cross|hook|backfist",
    "kick": r"kick|crescent|roundhouse",
    "block": r"block|duck|dodge",
    "crawl back": r"crawl.*back",
    "crawl": r"crawl",
    "jump": r"jump|hop|leap|skip",
    "sneak": r"sneak",
    "back": r"back",
    "side": r"side.?step|walk.(left|right)",
    "run turn": r"(run|jog).*(turn|veer|curve)",
    "walk turn": r"turn|veer|curve|circle",
    "run": r"run|jog|dash|trot",
    "walk": r"walk|strut|neutral_01|sexy_01|old_13|depressed_13",
    "crouch": r"crouch",
    "lift": r"pick.?up|lift",
}
# Of clips that go from one thing to another, no two are alike.
MIXED = (
    r"To[A-Z]|2[A-Z]|jog2walk|stop|obstacle|stairs|ChangeDirection|Spin|Rope|jump_over|RunForward"
)
# Of these kinds, left and right are not alike.
HANDED = ("punch", "kick", "block", "side", "run turn", "walk turn")
SUFFIXES = (".bvh", ".amc", ".fbx", ".glb", ".gltf", ".vrma")
# The blend is right within these bounds.
ACCELERATION, DEPTH, WAY, KNEE = 1.5, 0.036, 0.15, 10.0


@dataclass
class Outcome:
    """What became of one pair."""

    clips: tuple[str, str]
    kind: str
    seconds: float = 0.0
    refused: str = ""
    ends: str = ""
    acceleration: float = 0.0
    joint: str = ""
    depth: float = 0.0
    knee: float = 0.0
    way: float = 1.0
    sure: float = 1.0
    warnings: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """What is wrong with the blend."""
        bad = []
        if self.refused:
            bad.append("refused")
        if self.acceleration > ACCELERATION:
            bad.append("acceleration")
        if self.depth > DEPTH:
            bad.append("depth")
        if self.knee > KNEE:
            bad.append("knee")
        if abs(self.way - 1.0) > WAY:
            bad.append("way")
        return bad


def kind_of(path: Path, words: str) -> str | None:
    """The kind of motion that a clip's name and description speak of."""
    text = f"{path.stem} {words}"
    if re.search(MIXED, path.stem):
        return None
    return next((kind for kind, fits in KINDS.items() if re.search(fits, text, re.I)), None)


def clips_by_kind(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """All clips of the folders that have a kind."""
    found: dict[str, list[Path]] = {}
    for folder in folders:
        described = {}
        if (folder / "catalog.csv").exists():
            with (folder / "catalog.csv").open(encoding="utf-8", newline="") as rows:
                described = {
                    row["file"]: row.get("description", "") for row in csv.DictReader(rows)
                }
        for path in sorted(one for one in folder.rglob("*") if one.suffix.lower() in SUFFIXES):
            name = path.relative_to(folder).as_posix()
            kind = kind_of(path, described.get(name, ""))
            if kind in HANDED:
                side = re.search(r"left|right", path.stem, re.I)
                kind = f"{kind} {side[0].lower()}" if side else None
            if kind is not None:
                found.setdefault(kind, []).append(path)
    return found


def alike_pairs(folders: Sequence[Path], count: int, seed: int) -> list[tuple[str, Path, Path]]:
    """Pairs of one kind: half of them of one source, half of any two; kinds drawn evenly."""
    by_kind = clips_by_kind(folders)
    draw = random.Random(seed)
    inner, outer = [], []
    for kind, paths in sorted(by_kind.items()):
        for a, b in itertools.combinations(paths, 2):
            (inner if a.parent == b.parent else outer).append((kind, a, b))
    chosen: list[tuple[str, Path, Path]] = []
    for rows, most in ((inner, count - count // 2), (outer, count // 2)):
        draw.shuffle(rows)
        turns = Counter[str]()
        # The least drawn kind first, so that walks do not crowd out everything else.
        rows = sorted(rows, key=lambda row: (turns.update([row[0]]), turns[row[0]])[1])
        chosen += rows[:most]
    return chosen


def knee_bends(motion: mw.Motion, hinges: dict[str, Hinge]) -> float:
    """How far a knee bends backwards at worst, in degrees past straight; 0 if none does.

    The hinges are those of a recorded clip on the same skeleton: a result does not vouch for
    itself.
    """
    where = motion.forward()
    bends = [np.degrees(hinge.flexion(*where)) for role, hinge in hinges.items() if "shin" in role]
    # A fully bent knee passes half a turn; that is not backwards.
    return max((float(-bend[bend > -135.0].min(initial=0.0)) for bend in bends), default=0.0)


def acceleration_ratio(result: mw.Motion, clips: Sequence[mw.Motion]) -> tuple[float, str]:
    """The largest acceleration of a joint against its largest in the clips."""
    rate = min(result.fps, *(clip.fps for clip in clips))

    def peaks(motion: mw.Motion) -> np.ndarray:
        step = max(1, round(motion.fps / rate))
        x = motion.positions()
        change = x[2 * step :] - 2.0 * x[step:-step] + x[: -2 * step]
        peak = np.linalg.norm(change, axis=-1).max(axis=0, initial=0.0)
        return np.asarray(peak * (motion.fps / step) ** 2)

    # A stretch of two frames has no acceleration.
    limits = np.max([peaks(clip) for clip in clips], axis=0)
    limits = np.maximum(limits, max(0.3 * limits.max(), 1e-9))
    ratios = peaks(result) / limits
    joint = int(ratios.argmax())
    return float(ratios[joint]), result.skeleton.names[joint]


def path_length(motion: mw.Motion) -> float:
    """The way of the pelvis over the floor, noise left out."""
    step = max(1, round(0.1 * motion.fps))
    return float(np.linalg.norm(np.diff(motion.root[::step][:, [0, 2]], axis=0), axis=1).sum())


def tried(kind: str, paths: tuple[Path, Path], shape: str | None = None) -> Outcome:
    """Load, register and blend a pair with defaults, and judge what comes out.

    With a ``shape`` they are mixed in a framespace instead, along an interpolant of that shape.
    """
    outcome = Outcome((paths[0].stem, paths[1].stem), kind)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            clips = [mw.load(path) for path in paths]
            curve = mw.register(*clips) if shape is None else None
            result = mw.framespace(clips, shape) if curve is None else mw.blend(curve, [0.5, 0.5])
        except mw.MotionweaveError as error:
            outcome.refused = str(error)
            return outcome
        finally:
            outcome.seconds = time.process_time() - began
            outcome.warnings = [
                str(one.message) for one in caught if issubclass(one.category, mw.QualityWarning)
            ]
    if curve is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clips = mw.on_common_skeleton(clips)
        judge(outcome, result, [m[tpose_frames(m) :] for m in clips])
        outcome.way = 1.0
        return outcome
    outcome.ends = "cyclic" if curve.cyclic else "open"
    outcome.sure = curve.verdict.sure if curve.verdict else 1.0
    used = [
        motion if curve.cyclic else motion[round(a) : round(b) + 1]
        for motion, (a, b) in zip(curve.motions, curve.ranges, strict=True)
    ]
    judge(outcome, result, used)
    return outcome


def judge(outcome: Outcome, result: mw.Motion, used: Sequence[mw.Motion]) -> None:
    """Fill in the figures of a blend of clips that all are on its skeleton."""
    outcome.acceleration, outcome.joint = acceleration_ratio(result, used)
    hinges = [find_hinges(clip) for clip in used]
    backward = [knee_bends(clip, own) for clip, own in zip(used, hinges, strict=True)]
    outcome.knee = max(0.0, min(knee_bends(result, own) for own in hinges) - max(backward))
    if has_feet(result.skeleton):
        size = leg_length(result.skeleton)
        lows = [
            min(float(points[:, 1].min()) for points in contact_points(motion).values())
            for motion in (result, *used)
        ]
        outcome.depth = max(0.0, (min(lows[1:]) - lows[0]) / size)
        ways = [path_length(motion) / size for motion in (result, *used)]
        low, high = min(ways[1:]), max(ways[1:])
        inside = min(max(ways[0], low), high)
        outcome.way = (ways[0] + 1.0) / (inside + 1.0)


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The counts, as Markdown rows."""
    yield "| kind | pairs | right | wrong, warned | wrong, silent | right, warned |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    kinds = [*sorted({one.kind for one in outcomes}), "all"]
    for kind in kinds:
        rows = [one for one in outcomes if kind in ("all", one.kind)]
        right = [one for one in rows if not one.faults]
        wrong = [one for one in rows if one.faults]
        told = [one for one in wrong if one.warnings or one.refused]
        alarms = [one for one in right if one.warnings]
        yield (
            f"| {kind} | {len(rows)} | {len(right)} | {len(told)} | {len(wrong) - len(told)} "
            f"| {len(alarms)} |"
        )


def main() -> None:
    """Run over the folders and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--framespace", choices=("concatenate", "blend"), metavar="SHAPE")
    parser.add_argument("--json", type=Path, help="write every outcome to a file")
    args = parser.parse_args()
    outcomes = []
    for number, (kind, a, b) in enumerate(alike_pairs(args.folders, args.pairs, args.seed), 1):
        one = tried(kind, (a, b), args.framespace)
        outcomes.append(one)
        state = ", ".join(one.faults) or "right"
        print(f"{number:4d} {kind:6s} {a.stem} + {b.stem}: {state}", file=sys.stderr)
    print("\n".join(table(outcomes)))
    faults = Counter(fault for one in outcomes for fault in one.faults)
    print(f"\nfaults: {dict(faults.most_common())}")
    if args.json:
        rows = [{**asdict(one), "faults": one.faults} for one in outcomes]
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
