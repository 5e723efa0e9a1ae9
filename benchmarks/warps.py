"""Whether warps look right on clips that nobody has tried them on.

    python -m benchmarks.warps FOLDER... [--every 1] [--recipes NAME ...]
    python -m benchmarks.warps FOLDER... --goals 500 [--seed 0] [--together]
    python -m benchmarks.warps FOLDER... --promises

All recipes of ``examples/warps`` are applied to every walk of the folders at its own frame
rate, with nothing but default arguments; or random goals of hands, feet and hips to random
clips. A warp is right if no knee bends backwards further than in the clip, no foot is 3 cm
(on a body of 1.7 m) deeper in the floor, or in the ground that is asked for, than in the clip,
no joint accelerates more than twice as hard, and the hips are not lowered by more than 0.15 leg
beyond what was asked for. A recipe that asks for more steps than a walk has is refused, which
is right, too. With ``--together``, two joints have goals: within half a second, or one of them
while a hand is held for a second. ``--promises`` measures what the texts of the recipes say, by the
figures of ``tests/methods/warping/test_promises.py``, on every walk.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import motionweave as mw
from benchmarks.trust import acceleration_ratio, clips_by_kind
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import estimate_floor
from motionweave.contacts.floors import ground_under

WARPS = Path(__file__).resolve().parents[1] / "examples" / "warps"
ACCELERATION, DEPTH, KNEE, LOWERED = 2.0, 0.036, 10.0, 0.15
SWINGING = ("left_hand", "right_hand", "left_foot", "right_foot", "hips", "head")


@dataclass
class Outcome:
    """What became of one warp; lengths are in leg lengths, the knee is in degrees."""

    recipe: str
    clip: str
    refused: str = ""
    knee: float = 0.0
    depth: float = 0.0
    acceleration: float = 0.0
    joint: str = ""
    lowered: float = 0.0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """What is wrong with the result."""
        bad = {
            "knee": self.knee > KNEE,
            "depth": self.depth > DEPTH,
            "acceleration": self.acceleration > ACCELERATION,
            "lowered": self.lowered > LOWERED,
        }
        return [name for name, wrong in bad.items() if wrong]


def deepest(motion: mw.Motion, clip: mw.Motion, ground: mw.Ground | None) -> float:
    """How far a heel or toe is below the clip's floor, or below other ground, at most."""
    floor = estimate_floor(clip) if ground is None else ground_under(ground, clip)
    points = contact_points(motion, like=clip).values()
    return max(0.0, *(-float(floor.above(each).min()) for each in points))


def knee_backwards(before: mw.Motion, after: mw.Motion) -> float:
    """Degrees by which a knee passes straight further than it does in the clip.

    The axis is that of the clip: where toes point says nothing once keys turn the feet.
    """
    worst = 0.0
    for role, hinge in find_hinges(before).items():
        if role.endswith("shin"):
            bends = [np.degrees(hinge.flexion(*m.forward())) for m in (before, after)]
            # A knee folded past half a turn has not come out in front.
            least = [min(0.0, float(b[b > -135.0].min(initial=0.0))) for b in bends]
            worst = max(worst, least[0] - least[1])
    return worst


def under(motion: mw.Motion, clip: mw.Motion, ground: mw.Ground | None) -> np.ndarray:
    """Height ``(T,)`` of the floor, or of other ground, below the lower foot."""
    floor = estimate_floor(clip)
    if ground is not None and motion is not clip:
        floor = ground_under(ground, clip)
    points = contact_points(motion, like=clip).values()
    return np.min([floor.at(each) for each in points], axis=0)


def judge(
    outcome: Outcome,
    before: mw.Motion,
    after: mw.Motion,
    asked: float = 0.0,
    ground: mw.Ground | None = None,
) -> None:
    """Fill in the figures.

    ``asked`` leg lengths is how far the hips are meant to go down, and ``ground`` what the
    feet are to stand on.
    """
    size = leg_length(before.skeleton)
    outcome.acceleration, outcome.joint = acceleration_ratio(after, [before])
    outcome.knee = knee_backwards(before, after)
    deep = deepest(after, before, ground) - deepest(before, before, None)
    outcome.depth = max(0.0, deep / size)
    low = [float(np.min(m.root[:, 1] - under(m, before, ground))) for m in (before, after)]
    down = (low[0] - low[1]) / size
    outcome.lowered = max(0.0, down - asked)


def warped(
    outcome: Outcome,
    before: mw.Motion,
    how: object,
    asked: float = 0.0,
    ground: mw.Ground | None = None,
) -> Outcome:
    """Carry out a warp, judge it and gather what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        began = time.process_time()
        try:
            after = how(before)  # type: ignore[operator]
        except mw.MotionweaveError as error:
            outcome.refused = str(error)
            return outcome
        outcome.seconds = time.process_time() - began
    outcome.warnings = [str(w.message) for w in caught]
    judge(outcome, before, after, asked, ground)
    return outcome


def asked_down(recipe: mw.Recipe) -> float:
    """Leg lengths by which a recipe lowers the hips."""
    downs = [
        -float(key.offset[1] if key.joint != "height" else key.offset)
        for key in recipe.keys
        if key.offset is not None and key.joint in ("hips", "height", "position")
    ]
    hands = any(key.joint.endswith("hand") and key.offset is not None for key in recipe.keys)
    return max([*downs, 0.3 if hands else 0.0])


def gallery(paths: Sequence[Path], names: Sequence[str]) -> list[Outcome]:
    """All recipes on all clips."""
    recipes = {name: mw.load_warp(WARPS / f"{name}.yaml") for name in names}
    outcomes = []
    for path in paths:
        clip = loaded(path)
        for name, recipe in recipes.items():
            one = Outcome(name, clip.name or path.stem)
            ground = recipe.options.get("ground")
            outcomes.append(warped(one, clip, recipe.apply, asked_down(recipe), ground))
            if one.faults:
                print(_line(one), file=sys.stderr)
    return outcomes


def loaded(path: Path) -> mw.Motion:
    """A clip without the T-pose that some begin with."""
    clip = mw.load(path)
    return clip[tpose_frames(clip) :]


def goals(paths: Sequence[Path], count: int, seed: int, *, together: bool = False) -> list[Outcome]:
    """Random goals, each within a third of a leg of where the joint is; or two ``together``."""
    draw = np.random.default_rng(seed)
    chosen = [paths[int(i)] for i in draw.choice(len(paths), min(len(paths), 50), replace=False)]
    outcomes = []
    for number, path in enumerate(chosen):
        clip = loaded(path)
        size = leg_length(clip.skeleton)
        roles = find_rig(clip.skeleton)
        joints = [name for name in SWINGING if roles.has(name.replace("foot", "ankle"))]
        for _ in range(count // len(chosen) + (number < count % len(chosen))):
            joint = joints[int(draw.integers(len(joints)))]
            frame = int(draw.integers(len(clip)))
            keys = [_goal(draw, joint, frame, size)]
            if together:
                keys = _two_goals(draw, clip, joints, size)
            downs = [-float(key.offset[1]) for key in keys if key.offset is not None]
            said = [
                f"{k.joint} at {k.frame} by {np.round(np.divide(k.offset, size), 2)}" for k in keys
            ]
            one = Outcome(" and ".join(said), path.stem)
            asked = max(0.0, *downs) / size
            outcomes.append(warped(one, clip, lambda m, k=keys: mw.warp(m, k), asked))
            if one.faults:
                print(_line(one), file=sys.stderr)
    return outcomes


def _goal(
    draw: np.random.Generator, joint: str, frame: int, size: float, until: int | None = None
) -> mw.Key:
    """A goal in a random direction."""
    way = draw.normal(size=3)
    reach = (0.15 if joint == "hips" else 0.33) * draw.uniform(0.3, 1.0)
    offset = reach * size * way / np.linalg.norm(way)
    if joint.endswith("foot"):
        offset[1] = abs(offset[1])
    return mw.Key(frame, joint, offset=offset, axes="world", until=until)


def _two_goals(
    draw: np.random.Generator, clip: mw.Motion, joints: Sequence[str], size: float
) -> list[mw.Key]:
    """Goals of two joints within half a second, or of one while a hand is held for a second."""
    first, second = (joints[int(i)] for i in draw.choice(len(joints), 2, replace=False))
    last = len(clip) - 1
    begin = int(draw.integers(len(clip)))
    until, at = None, begin + round(draw.uniform(0.0, 0.5) * clip.fps)
    if first.endswith("hand") and draw.random() < 0.5:
        until, at = min(begin + round(clip.fps), last), begin + round(0.5 * clip.fps)
    return [_goal(draw, first, begin, size, until), _goal(draw, second, min(at, last), size)]


def promises(paths: Sequence[Path], names: Sequence[str]) -> list[str]:
    """What the texts of recipes promise, and on how many walks it is kept, as Markdown rows."""
    from tests.methods.warping.gallery import scene_of
    from tests.methods.warping.test_promises import PROMISES

    found: list[list[float]] = [[] for _ in PROMISES]
    for path in paths:
        clip = loaded(path)
        for promise, values in zip(PROMISES, found, strict=True):
            scene = None
            if promise.recipe in names:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    scene = scene_of(promise.recipe, clip)
            if scene is None:
                continue
            try:
                value = promise.measure(scene)
            except mw.WarpError:
                # The walk has none of the steps that the figure is taken at.
                continue
            values.append(value)
            if not promise.least <= value <= promise.most:
                print(
                    f"{promise.recipe}: {promise.says}: {value:.3f} in {path.stem}", file=sys.stderr
                )
        scene_of.cache_clear()
    rows = [
        "| recipe | promise | from | to | walks | kept | least | median | most |",
        "| --- | --- |" + " ---: |" * 7,
    ]
    kept = measured = 0
    for promise, values in zip(PROMISES, found, strict=True):
        if values:
            within = sum(promise.least <= value <= promise.most for value in values)
            kept, measured = kept + within, measured + len(values)
            spread = " | ".join(f"{f(values):.3f}" for f in (min, np.median, max))
            rows.append(
                f"| {promise.recipe} | {promise.says} | {promise.least:g} | {promise.most:g} | "
                f"{len(values)} | {within} | {spread} |"
            )
    return [*rows, f"| all | | | | {measured} | {kept} | | | |"]


def _line(one: Outcome) -> str:
    told = "" if one.warnings else " SILENT"
    return (
        f"{one.recipe:16s} {one.clip:40s} {','.join(one.faults)}: knee {one.knee:.0f} depth "
        f"{one.depth:.3f} acc {one.acceleration:.2f} ({one.joint}) low {one.lowered:.2f}{told}"
    )


def table(outcomes: Sequence[Outcome], by: Sequence[str]) -> list[str]:
    """Counts as Markdown rows."""
    faults = ("knee", "depth", "acceleration", "lowered")
    rows = [
        "| warp | tried | refused | right | wrong, warned | wrong, silent | right, warned | "
        + " | ".join(faults)
        + " | ms |",
        "| --- |" + " ---: |" * (7 + len(faults)),
    ]
    for name in (*by, "all"):
        mine = [one for one in outcomes if name in ("all", one.recipe.split(" ")[0])]
        done = [one for one in mine if not one.refused]
        wrong = [one for one in done if one.faults]
        told = [one for one in wrong if one.warnings]
        alarms = [one for one in done if not one.faults and one.warnings]
        counts = Counter(fault for one in wrong for fault in one.faults)
        took = 1e3 * float(np.median([one.seconds for one in done])) if done else 0.0
        rows.append(
            f"| {name} | {len(mine)} | {len(mine) - len(done)} | {len(done) - len(wrong)} | "
            f"{len(told)} | {len(wrong) - len(told)} | {len(alarms)} | "
            + " | ".join(str(counts[fault]) for fault in faults)
            + f" | {took:.0f} |"
        )
    return rows


def main() -> None:
    """Run over the folders and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="take every n-th clip")
    parser.add_argument("--start", type=int, default=0, help="begin with this clip")
    parser.add_argument("--recipes", nargs="+", default=sorted(p.stem for p in WARPS.glob("*")))
    parser.add_argument("--goals", type=int, default=0, help="so many random goals instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--together", action="store_true", help="two goals at a time")
    parser.add_argument("--promises", action="store_true", help="measure what recipes promise")
    parser.add_argument("--json", type=Path, help="write every outcome to a file")
    args = parser.parse_args()
    by_kind = clips_by_kind(args.folders)
    if args.promises:
        print("\n".join(promises(by_kind["walk"][args.start :: args.every], args.recipes)))
        return
    if args.goals:
        paths = sorted(path for paths in by_kind.values() for path in paths)
        outcomes = goals(
            paths[args.start :: args.every], args.goals, args.seed, together=args.together
        )
        names: Sequence[str] = SWINGING
    else:
        outcomes = gallery(by_kind["walk"][args.start :: args.every], args.recipes)
        names = args.recipes
    print("\n".join(table(outcomes, names)))
    if args.json:
        rows = [{**asdict(one), "faults": one.faults} for one in outcomes]
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
