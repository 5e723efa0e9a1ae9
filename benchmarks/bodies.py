"""Every body's motion on every other body: ``python -m benchmarks.bodies``, a table of counts.

One clip of each rig, of at most 300 frames and at most 60 frames per second, is put on all
others. Rigs come in two halves: what is tuned is tuned on pairs inside the first, and shown on
pairs that have a body of the second. ``--more`` adds a folder of further rigs, one of
each of its folders: bodies that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, Constraint, active
from motionweave.core.motion import Motion

# Bodies that may be looked at while tuning, and those that are kept for the test.
CHOSEN = {
    "cmu": "mocap/bvh/cmu_16_15_walk_straight.bvh",
    "accad": "wild/accad/Male1_B15_WalkTurnAround.bvh",
    "lafan1": "wild/lafan1_60fps/walk1_subject1_walk2_filtered.bvh",
    "xia": "wild/xia_style/neutral_01_000.bvh",
    "games": "wild/games105/walk_and_turn_left.bvh",
    "built-in": "",
}
KEPT = {
    "acclaim": "mocap/asf_amc/02_01.amc",
    "bandai": "wild/bandai_namco_1/dataset-1_walk_normal_001.bvh",
    "sfu": "wild/sfu/SlowTrot.bvh",
    "mixamo": "wild/games105/motion.bvh",
    "snu": "wild/snu_mss/walk.bvh",
    "makehuman": "wild/makehuman_blender",
}
SUFFIXES = (".bvh", ".amc", ".glb", ".gltf", ".vrma", ".fbx")
FRAMES, RATE = 300, 60.0
# What a pair has to reach: agreement of contacts; sliding, of the source's and in leg lengths
# more; leg lengths under the floor; times the source's largest acceleration of a knee.
AGREES, SLIDES, SLIDES_MORE, DEEP, JERKS = 0.95, 1.2, 0.001, 0.01, 1.5
# Radians per second squared below which a knee counts as still.
HARDLY = np.radians(100.0)
BONES = (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "ankle"))


@dataclass(frozen=True)
class Score:
    """What a motion became on another body.

    Parameters
    ----------
    agreement
        F1 of contacts found on the result with the source's.
    slide, slide_before
        Way over the floor of planted points, in leg lengths, mean over the contacts.
    deep
        How far a sole is below the floor at most, in leg lengths.
    jerk
        Largest acceleration of a knee, times the source's.
    bones
        Median angle in degrees between bones of the source and of the result.
    seconds
        CPU time.
    """

    agreement: float
    slide: float
    slide_before: float
    deep: float
    jerk: float
    bones: float
    seconds: float

    def missed(self) -> list[str]:
        """The goals that the pair misses."""
        goals = {
            "contacts": self.agreement < AGREES,
            "slide": self.slide > max(SLIDES * self.slide_before, self.slide_before + SLIDES_MORE),
            "depth": self.deep > DEEP,
            "knees": self.jerk > JERKS,
        }
        return [name for name, missing in goals.items() if missing]


def loaded(path: Path | None) -> Motion | None:
    """The clip of a file, or of the first file of a folder that can be used; None if none can."""
    if path is None:
        return mw.sample("walk")
    files = [path]
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix.lower() in SUFFIXES)
    for file in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                clip = mw.load(file, contacts=False, drop_tpose=True)
            except mw.MotionweaveError:
                continue
            if len(clip) < 15 or not has_feet(clip.skeleton):
                continue
            clip = clip[:: max(1, round(clip.fps / RATE))][:FRAMES]
            return clip.with_constraints(mw.detect_contacts(clip))
    return None


def bodies(names: Mapping[str, str]) -> dict[str, Motion]:
    """The clips of rigs, as far as they are at hand."""
    base = Path(os.environ.get("MOTIONWEAVE_WILD", "../shared/wild")).parent
    found = {name: loaded(base / path if path else None) for name, path in names.items()}
    return {name: clip for name, clip in found.items() if clip is not None}


def more(folder: Path) -> dict[str, Motion]:
    """One clip of each folder in a folder."""
    found = {each.name: loaded(each) for each in sorted(folder.iterdir()) if each.is_dir()}
    return {name: clip for name, clip in found.items() if clip is not None}


def score(motion: Motion, onto: Motion) -> Score:
    """A motion put on another body, measured."""
    began = time.process_time()
    result = mw.retarget(motion, onto)
    seconds = time.process_time() - began
    floor = mw.estimate_floor(result)
    size = leg_length(result.skeleton)
    low = min(float(floor.above(track).min()) for track in contact_points(result).values())
    return Score(
        agreement(motion, mw.detect_contacts(result)),
        _slide(result, motion),
        _slide(motion, motion),
        max(-low, 0.0) / size,
        float(np.max(_jerks(result) / np.maximum(_jerks(motion), HARDLY))),
        _apart(motion, result),
        seconds,
    )


def agreement(motion: Motion, found: Iterable[Constraint]) -> float:
    """F1 of the frames in which points of the feet are planted, with the motion's own."""
    frames, found = np.arange(len(motion)), tuple(found)
    given, seen = (
        np.array([active(each, kind, frames) for kind in FOOT_KINDS])
        for each in (motion.constraints, found)
    )
    if not (given.any() or seen.any()):
        return 1.0
    return float(2.0 * np.sum(given & seen) / (np.sum(given) + np.sum(seen)))


def _slide(result: Motion, motion: Motion) -> float:
    points = contact_points(result)
    ways = []
    for contact in motion.constraints:
        held = points[contact.kind][int(np.ceil(contact.start)) : int(contact.end) + 1, ::2]
        ways.append(np.linalg.norm(np.diff(held, axis=0), axis=1).sum())
    return float(np.mean(ways)) / leg_length(result.skeleton) if ways else 0.0


def _jerks(motion: Motion) -> Array:
    """The largest acceleration of the left and of the right knee's bend."""
    hinges = find_hinges(motion)
    bends = [hinges[f"{side}_shin"].flexion(*motion.forward()) for side in SIDES]
    return np.abs(np.diff(bends, 2, axis=-1)).max(axis=-1, initial=0.0) * motion.fps**2


def _apart(motion: Motion, result: Motion) -> float:
    rigs = [find_rig(each.skeleton) for each in (motion, result)]
    angles = []
    for side in SIDES:
        for upper, lower in BONES:
            roles = f"{side}_{upper}", f"{side}_{lower}"
            if all(rig.has(*roles) for rig in rigs):
                ways = [
                    np.diff(each.positions()[:, [rig.roles[role] for role in roles]], axis=1)[:, 0]
                    for each, rig in zip((motion, result), rigs, strict=True)
                ]
                turn = rotations.between_vectors(*ways)
                angles.append(rotations.angle_between(turn, rotations.IDENTITY))
    return float(np.degrees(np.median(angles)))


def table(scores: Mapping[tuple[str, str], Score], detail: bool) -> str:
    """Counts of the goals reached, and the spread of the figures."""
    count = len(scores)
    if not count:
        return "no pairs"
    rows = list(scores.values())
    lines = []
    for goal in ("contacts", "slide", "depth", "knees"):
        reached = sum(goal not in row.missed() for row in rows)
        lines.append(f"  {goal:<10} {reached:4d} of {count}")
    lines.append(f"  {'all':<10} {sum(not row.missed() for row in rows):4d} of {count}")
    for name in ("agreement", "deep", "jerk", "bones", "seconds"):
        values = np.array([getattr(row, name) for row in rows])
        spread = np.quantile(values, [0.0, 0.05, 0.5, 0.95, 1.0])
        lines.append(f"  {name:<10} " + " ".join(f"{value:8.3f}" for value in spread))
    if detail:
        for (one, other), row in scores.items():
            if row.missed():
                lines.append(f"  {one} on {other}: {', '.join(row.missed())}; {row}")
    return "\n".join(lines)


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bodies", description=__doc__)
    parser.add_argument("--more", type=Path, help="a folder of further rigs, one in each folder")
    parser.add_argument("--chosen", action="store_true", help="only what may be tuned on")
    parser.add_argument("--detail", action="store_true", help="list the pairs that fall short")
    args = parser.parse_args()
    chosen = bodies(CHOSEN)
    kept = {} if args.chosen else bodies(KEPT)
    further = more(args.more) if args.more and not args.chosen else {}
    clips = {**chosen, **kept, **further}
    groups: dict[str, dict[tuple[str, str], Score]] = {}
    for one, motion in clips.items():
        for other, onto in clips.items():
            if one != other:
                names = {one, other}
                group = (
                    "chosen on"
                    if names <= chosen.keys()
                    else "further"
                    if names & further.keys()
                    else "tested on"
                )
                groups.setdefault(group, {})[one, other] = score(motion, onto)
    for group, scores in groups.items():
        print(f"{group}: {len(scores)} pairs")
        print(table(scores, args.detail))
    return 0


if __name__ == "__main__":
    sys.exit(main())
