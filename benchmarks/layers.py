"""Layers of random pairs of real clips, counted: one clip's upper body over another's legs.

Run as ``python -m benchmarks.layers FOLDER ... [--pairs 200] [--seed 16]``. Pairs are drawn as
in `benchmarks.joins`. Every second layer begins with its base, the others somewhere in its first
half. A layer is wrong if a joint of the upper body accelerates more than 1.5 times as hard
as the same joint does in the clips; one that is still in both counts as in `benchmarks.joins`.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import motionweave as mw
from benchmarks.joins import STANDING_ACCELERATION, accelerations, loaded, pairs
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import find_rig
from motionweave.core.motion import Motion
from motionweave.errors import MotionweaveError, QualityWarning
from motionweave.measure.figures import unit_length
from motionweave.retargeting import brought_together

# How many times as hard as in the clips a joint may accelerate.
_HARDER = 1.5


@dataclass(frozen=True)
class Outcome:
    """What is wrong with one layer.

    Parameters
    ----------
    times
        How many times as hard as in the clips a joint of the upper body accelerates.
    joint, frame
        Which one, and where.
    warned
        What the method says about it.
    """

    times: float
    joint: str
    frame: int
    warned: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        """Whether it accelerates too hard."""
        return self.times > _HARDER


def outcome(base: Motion, over: Motion, start: float) -> Outcome:
    """Lay the upper body of one clip over another clip, and measure the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = mw.layer(base, over, start=start)
    over = brought_together((base, over))[1].resample(base.fps)
    rig = find_rig(base.skeleton)
    joints = sorted(set(part_joints("upper", rig)) & set(rig.roles.values()))
    still = STANDING_ACCELERATION * unit_length(base.skeleton) / base.fps**2
    own = np.max([accelerations(clip, joints).max(axis=0) for clip in (base, over)], axis=0)
    times = accelerations(made, joints) / np.maximum(own, still)
    frame, joint = np.unravel_index(int(times.argmax()), times.shape)
    said = [str(w.message) for w in caught if issubclass(w.category, QualityWarning)]
    return Outcome(
        float(times.max()), base.skeleton.names[joints[joint]], int(frame) + 1, tuple(said)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--list", action="store_true", help="name every layer that is wrong")
    parser.add_argument("--longest", type=int, default=1500, help="frames; longer clips are cut")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    found: list[Outcome] = []
    refused = 0
    for number, (first, second) in enumerate(pairs(args.folders, args.pairs, args.seed)):
        base, over = (loaded(path, args.longest) for path in (first, second))
        start = number % 2 * random.uniform(0.0, 0.5) * (len(base) - 1)
        try:
            result = outcome(base, over, start)
        except MotionweaveError as error:
            refused += 1
            if args.list:
                print(f"{first.stem}, {second.stem}: {error}", flush=True)
            continue
        found.append(result)
        if args.list and (result.wrong or result.warned):
            print(
                f"{second.stem} over {first.parent.name}/{first.stem} from {start:.1f}: "
                f"{result.joint} {result.times:.2f} times at frame {result.frame} "
                f"({'; '.join(result.warned) or 'silent'})",
                flush=True,
            )
    wrong = [one for one in found if one.wrong]
    cells = [
        len(found),
        refused,
        len(wrong),
        sum(not one.warned for one in wrong),
        sum(bool(one.warned) for one in found if not one.wrong),
        f"{max((one.times for one in found), default=0.0):.2f}",
    ]
    print("| layers | refused | wrong | of these silent | false alarms | worst |")
    print("|" + " --- |" * len(cells))
    print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
