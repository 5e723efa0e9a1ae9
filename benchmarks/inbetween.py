"""``python -m benchmarks.inbetween``: how well gaps are filled, by the published protocol.

The protocol is that of the LAFAN1 data set: 30 fps, 22 joints from the hips on, windows of 65
frames every 40, turned to face one way at the tenth frame; ten frames are known, then a gap of
5, 15, 30 or 45 frames, then one target frame. L2P is the distance of global positions, each
coordinate in units of its standard deviation in the training set; L2Q the distance of global
quaternions; NPSS compares power spectra of the quaternions. Subjects 1 to 4 are the library,
subject 5 is filled.

With the whole archive (a folder of its BVH files, or the zip) the archive and the two published
baselines are verified first. With other folders of clips the same is measured on what is
there, held-out clips chosen by ``--test``, a regular expression on file names.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.core import rotations
from motionweave.core.skeleton import Skeleton

PAST, WINDOW, STEP, TRAIN_WINDOW, TRAIN_STEP = 10, 65, 40, 50, 20
GAPS = (5, 15, 30, 45)
FILES = 77
# Published: rows of L2P, L2Q, NPSS by gap.
PUBLISHED = {
    "zero velocity": (
        (1.52, 3.69, 6.60, 9.33),
        (0.56, 1.10, 1.51, 1.81),
        (0.0053, 0.0522, 0.2318, 0.4918),
    ),
    "interpolation": (
        (0.37, 1.25, 2.32, 3.45),
        (0.22, 0.62, 0.98, 1.25),
        (0.0023, 0.0391, 0.2013, 0.4493),
    ),
}
OTHERS = {
    "Robust Motion In-betweening": ((0.23, 0.65, 1.28, 2.24), (0.17, 0.42, 0.69, 0.94), None),
    "Two-stage Transformers": (
        (0.105, 0.394, 0.895, 1.678),
        (0.099, 0.284, 0.545, 0.873),
        (0.0011, 0.0188, 0.1124, 0.3217),
    ),
}
Filler = Callable[[mw.Motion, mw.Motion, int], mw.Motion]


def from_hips(motion: mw.Motion) -> mw.Motion:
    """The motion from its hips on, at 30 fps: what lies above them is dropped."""
    step = motion.fps / 30.0
    whole = round(step)
    motion = motion[::whole] if abs(step - whole) < 0.01 else motion.resample(30.0)
    motion = replace(motion, fps=30.0, constraints=())
    # Cut clips come in metres or centimetres; the protocol's unit is the centimetre.
    power = round(np.log10(85.0 / leg_length(motion.skeleton)))
    motion = motion.scaled(10.0**power)
    skeleton = motion.skeleton
    hips = find_rig(skeleton).joint("hips", "the protocol")
    if hips == 0:
        return motion
    below = [hips]
    for joint in range(hips + 1, len(skeleton)):
        if int(skeleton.parents[joint]) in below:
            below.append(joint)
    positions, orientations = motion.forward()
    turns = np.array(motion.rotations[:, below])
    turns[:, 0] = orientations[:, hips]
    parents = [-1, *(below.index(int(skeleton.parents[j])) for j in below[1:])]
    ends = [i for i, joint in enumerate(skeleton.end_parents) if int(joint) in below]
    return mw.Motion(
        Skeleton(
            tuple(skeleton.names[j] for j in below),
            np.array(parents),
            skeleton.offsets[below],
            np.array([below.index(int(skeleton.end_parents[i])) for i in ends], dtype=int),
            skeleton.end_offsets[ends],
        ),
        30.0,
        positions[:, hips],
        turns,
        name=motion.name,
    )


def windows(motion: mw.Motion, length: int, step: int) -> list[mw.Motion]:
    """Windows of a clip, centred on the floor and turned as the protocol does."""
    found = []
    for low in range(0, len(motion) - length + 1, step):
        part = motion[low : low + length]
        angle = float(_facing(part)[PAST - 1])
        centre = part.root[:, [0, 2]].mean(axis=0)
        found.append(part.moved(mw.Planar.onto(-angle, centre, np.zeros(2))))
    return found


def _facing(motion: mw.Motion) -> np.ndarray:
    from motionweave.body.pose.heading import facing

    return facing(motion)


def interpolation(before: mw.Motion, target: mw.Motion, gap: int) -> mw.Motion:
    """The published baseline: straight lines and slerp."""
    share = np.arange(1, gap + 1) / (gap + 1)
    return replace(
        before,
        root=before.root[-1] + share[:, None] * (target.root[0] - before.root[-1]),
        rotations=rotations.slerp(before.rotations[-1:], target.rotations[:1], share[:, None]),
        constraints=(),
    )


def zero_velocity(before: mw.Motion, target: mw.Motion, gap: int) -> mw.Motion:
    """The other baseline: the last pose stays."""
    return before[-1].sample(np.zeros(gap))


def from_library(library: mw.Library) -> Filler:
    """What is measured."""

    def fill(before: mw.Motion, target: mw.Motion, gap: int) -> mw.Motion:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = mw.inbetween(before, target, (gap + 1) / 30.0, library)
        return whole[len(before) : len(before) + gap]

    return fill


def content(motion: mw.Motion) -> bytes:
    """What two copies of one recording have in common, whatever their names.

    Collections have the same recording under several names, and of several subjects: CMU's BVH
    conversion has 385 such pairs. From a copy, a gap would be filled with its own truth.
    """
    return hashlib.sha256(np.round(motion.rotations, 4).tobytes()).digest()


class Score:
    """Sums up how far fills are from the truth, for one gap."""

    def __init__(self, mean: np.ndarray, spread: np.ndarray):
        self._mean, self._spread = mean, spread
        self.places: list[float] = []
        self.turns: list[float] = []
        self.skate: list[tuple[float, float]] = []
        self._spectra: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, filled: mw.Motion, truth: mw.Motion, window: mw.Motion) -> None:
        """Compare the frames of a gap; the window that it was cut out of shows the floor."""
        pair = [motion.forward() for motion in (filled, truth)]
        apart = (pair[0][0] - pair[1][0]).reshape(len(truth), -1) / self._spread
        self.places.append(float(np.linalg.norm(apart, axis=1).mean()))
        turns = [rotations.unroll(one[1]) for one in pair]
        sign = np.sign(np.sum(turns[0] * turns[1], axis=-1, keepdims=True))
        flat = [(turns[0] * np.where(sign == 0, 1, sign)), turns[1]]
        both = [part.reshape(len(truth), -1) for part in flat]
        self.turns.append(float(np.linalg.norm(both[0] - both[1], axis=1).mean()))
        self._spectra.append((both[1], both[0]))
        floor = _toes(window, window.positions())[..., 1].min()
        ours, theirs = (_skate(_toes(truth, one[0]), floor) for one in pair)
        self.skate.append((ours, theirs))

    def rows(self) -> tuple[float, float, float, float]:
        """L2P, L2Q, NPSS, and how many times as much as in the truth feet slide."""
        truth, filled = (np.stack(parts) for parts in zip(*self._spectra, strict=True))
        skate = np.mean(self.skate, axis=0)
        return (
            float(np.mean(self.places)),
            float(np.mean(self.turns)),
            npss(truth, filled),
            float(skate[0] / max(skate[1], 1e-9)),
        )


def npss(truth: np.ndarray, filled: np.ndarray) -> float:
    """Normalised power spectrum similarity of signals ``(windows, frames, channels)``."""
    power = [np.square(np.real(np.fft.fft(one, axis=1))) for one in (truth, filled)]
    total = [one.sum(axis=1) for one in power]
    shares = [
        np.cumsum(one / np.maximum(whole, 1e-12)[:, None], axis=1)
        for one, whole in zip(power, total, strict=True)
    ]
    apart = np.abs(shares[0] - shares[1]).sum(axis=1)
    return float(np.average(apart, weights=total[0]))


def _toes(motion: mw.Motion, positions: np.ndarray) -> np.ndarray:
    """Both toes ``(frames, 2, 3)`` in leg lengths."""
    rig = find_rig(motion.skeleton)
    toes = positions[:, [rig.joint(f"{s}_toe", "skate") for s in ("left", "right")]]
    return toes / leg_length(motion.skeleton)


def _skate(toes: np.ndarray, floor: float) -> float:
    """Way over the floor of toes near it, weighted by how near, per frame, in leg lengths.

    The floor is where the lowest toe of the true window is, for the truth and for fills: a fill
    that never comes down to it does not skate, and one that sinks into it does all the way.
    """
    if len(toes) < 2:
        return 0.0
    height = np.maximum(toes[1:, :, 1] - floor, 0.0)
    way = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1)
    near = np.clip(2.0 - 2.0 ** (height / 0.03), 0.0, 1.0)
    return float((way * near).mean())


def statistics(train: Sequence[mw.Motion]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and spread ``(66,)`` of global positions in the training windows."""
    places = [
        window.positions().reshape(TRAIN_WINDOW, -1)
        for motion in train
        for window in windows(motion, TRAIN_WINDOW, TRAIN_STEP)
    ]
    stacked = np.concatenate(places)
    return stacked.mean(axis=0), stacked.std(axis=0)


def measure(
    fillers: dict[str, Filler],
    tests: Sequence[mw.Motion],
    stats: tuple[np.ndarray, np.ndarray],
    gaps: Sequence[int] = GAPS,
) -> dict[str, list[tuple[float, float, float, float]]]:
    """The table: filler to L2P, L2Q, NPSS and skate for each gap."""
    table: dict[str, list[tuple[float, float, float, float]]] = {}
    for name, fill in fillers.items():
        for gap in gaps:
            score = Score(*stats)
            for window in tests:
                before, truth = window[:PAST], window[PAST : PAST + gap]
                target = window[PAST + gap]
                score.add(fill(before, target, gap), truth, window)
            table.setdefault(name, []).append(score.rows())
    return table


def markdown(table: dict[str, list[tuple[float, float, float, float]]]) -> str:
    """The table as text."""
    lines = ["| | " + " | ".join(f"{g} frames" for g in GAPS) + " |", "| --- |" + " --- |" * 4]
    for which, label in enumerate(("L2P", "L2Q", "NPSS", "skate, times the truth's")):
        for name, rows in table.items():
            digits = 4 if label == "NPSS" else 3 if label != "skate, times the truth's" else 2
            values = " | ".join(f"{row[which]:.{digits}f}" for row in rows)
            lines.append(f"| {label}, {name} | {values} |")
    return "\n".join(lines)


def verify(
    files: Sequence[Path], table: dict[str, list[tuple[float, float, float, float]]]
) -> None:
    """Stop unless the archive is whole and the baselines come out as published."""
    if len(files) != FILES:
        sys.exit(f"the archive has {FILES} BVH files; found {len(files)}: not the whole archive")
    for name, published in PUBLISHED.items():
        for which, tolerance in ((0, 0.02), (1, 0.02), (2, 0.002)):
            for gap, row, value in zip(GAPS, table[name], published[which], strict=True):
                if abs(row[which] - value) > tolerance + 0.02 * value:
                    sys.exit(
                        f"{name} at {gap} frames comes out as {row[which]:.4f} instead of "
                        f"{value:.4f}: the protocol is not met"
                    )


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inbetween", description=__doc__)
    parser.add_argument("archive", type=Path, help="lafan1.zip, or a folder of clips")
    parser.add_argument("--test", default="subject5", help="which file names are held out")
    parser.add_argument("--leave-out", default="_mirror", help="which file names are not used")
    parser.add_argument("--most", type=int, help="windows that are filled at most")
    parser.add_argument("--partial", action="store_true", help="not the whole archive; no checks")
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        source = args.archive
        if source.suffix == ".zip":
            zipfile.ZipFile(source).extractall(folder + "/archive")
            source = Path(folder) / "archive"
        files = sorted(source.rglob("*.bvh"))
        names = [f for f in files if not re.search(args.leave_out, f.name)]
        held_out = [_loaded(f) for f in names if re.search(args.test, f.name)]
        tests = [window for motion in held_out for window in windows(motion, WINDOW, STEP)]
        if args.most and len(tests) > args.most:
            tests = [tests[int(i)] for i in np.linspace(0, len(tests) - 1, args.most)]
        train = [_loaded(f) for f in names if not re.search(args.test, f.name)]
        copies = {content(motion) for motion in held_out}
        others = [motion for motion in train if content(motion) not in copies]
        copied, train = len(train) - len(others), others
        stats = statistics(train)
        fillers: dict[str, Filler] = {
            "zero velocity": zero_velocity,
            "interpolation": interpolation,
        }
        table = measure(fillers, tests, stats)
        if not args.partial:
            verify(files, table)
        clips = Path(folder) / "library"
        clips.mkdir()
        for number, motion in enumerate(train):
            mw.save(motion, clips / f"{number:04d}.npz", contacts=False)
        library = mw.Library(clips)
        library.add()
        table |= measure({"motionweave": from_library(library)}, tests, stats)
        print(f"{len(train)} clips in the library, {len(tests)} windows filled")
        if copied:
            print(f"{copied} clips left out that are copies of a held-out one")
        print(markdown(table))
        gain = 1.0 - table["motionweave"][2][0] / table["interpolation"][2][0]
        print(f"L2P at 30 frames {gain:.0%} below interpolation; {time.monotonic() - began:.0f} s")
    return 0


def _loaded(path: Path) -> mw.Motion:
    return from_hips(mw.load(path, contacts=False, drop_tpose=True))


if __name__ == "__main__":
    sys.exit(main())
