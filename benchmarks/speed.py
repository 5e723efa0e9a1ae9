"""The rows of the speed table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import motionweave as mw
from benchmarks import clips, plain
from benchmarks.measure import Contender, Row, clocked, fixed, ours
from benchmarks.peers import peer
from motionweave.contacts.detect import DETECTED
from motionweave.core.averaging import mean_rotations
from motionweave.core.kinematics import forward
from motionweave.core.planar import Planar
from motionweave.measure.measures import turn_angle
from motionweave.methods.blending.clips import ClipStack
from motionweave.registration.clouds import PointClip
from motionweave.registration.cycles import REPETITIONS
from motionweave.registration.distance import distance_grid
from motionweave.registration.dtw import corner_path

POINTS = 40
# Of the table in the framespace paper.
_OPERATIONS = 1200
GAITS = [f"{style}{way}" for style in ("walk", "jog", "sneak") for way in ("", "_left", "_right")]


def afresh(work: Callable[..., Any], *clips: mw.Motion) -> Callable[[], Any]:
    """The work on clips that nothing is known of yet."""

    def run() -> Any:
        DETECTED.clear()
        REPETITIONS.clear()
        # What is kept with a clip is not kept with a copy.
        return work(*(replace(clip) for clip in clips))

    return run


def rows(folder: Path) -> list[Row]:
    """All rows; files that peers read are written into the folder."""
    return [
        *_loading(folder),
        *_kinematics(folder),
        *_grids(),
        *_warping_paths(folder),
        *_registration(),
        *_blending(),
        *_systems(),
    ]


def _loading(folder: Path) -> list[Row]:
    result = []
    for frames, six in ((500, False), (2000, False), (500, True), (2000, True)):
        path = folder / f"clip{frames}_{6 if six else 3}.bvh"
        motion = clips.noise(frames)
        if six:
            offsets = np.broadcast_to(motion.skeleton.offsets, (frames, clips.JOINTS, 3))
            motion = mw.Motion(
                skeleton=motion.skeleton,
                fps=30.0,
                root=motion.root,
                rotations=motion.rotations,
                translations=offsets + 0.001,
            )
        mw.save(motion, path)
        channels = 6 if six else 3
        result.append(
            Row(
                f"load a BVH, {frames} frames × {clips.JOINTS} joints of {channels} channels",
                [
                    ours(lambda path=path: lambda: mw.load(path, contacts=False)),
                    peer("pymotion", "load_pymotion", path=str(path)),
                    peer("bvhio", "load_bvhio", path=str(path)),
                    peer("fairmotion", "load_fairmotion", path=str(path)),
                ],
                seconds=4.0 if frames == 500 else 10.0,
                full=frames == 2000 or six,
            )
        )
    return result


def _kinematics(folder: Path) -> list[Row]:
    motion = clips.noise(10_000)
    path = folder / "forward.npz"
    data = (motion.skeleton.parents, motion.skeleton.offsets, motion.root, motion.rotations)
    np.savez(path, parents=data[0], offsets=data[1], root=data[2], rotations=data[3])
    return [
        Row(
            "forward kinematics, 10,000 × 31 joints",
            [
                ours(lambda: lambda: forward(*data)),
                peer("pymotion", "forward_pymotion", path=str(path)),
                ours(lambda: lambda: plain.forward(*data), "plain NumPy", kind="numpy"),
            ],
        )
    ]


def _cloud(frames: int, seed: int) -> PointClip:
    rng = np.random.default_rng(seed)
    points = rng.normal(scale=0.02, size=(frames, POINTS, 3)).cumsum(axis=0)
    return PointClip(points, 30.0, np.ones(POINTS))


def _by_cells(frames: int, part: int = 40) -> Contender:
    """Cell by cell a grid takes minutes: a part of it is timed and scaled up."""

    def prepare() -> Callable[[], float]:
        a = plain.window_clouds(_cloud(part, 1).points)
        b = plain.window_clouds(_cloud(part, 2).points)
        run = clocked(lambda: plain.grid_by_cells(a, b))
        return lambda: run() * (frames / part) ** 2

    note = f"scaled up from {part} × {part} cells"
    return Contender("NumPy, cell by cell", prepare, "numpy", note)


def _grids() -> list[Row]:
    result = []
    for frames in (600, 6000):

        def grid(n: int = frames) -> Callable[[], Any]:
            a, b = _cloud(n, 1), _cloud(n, 2)
            return lambda: distance_grid(a, b)

        def products(n: int = frames) -> Callable[[], Any]:
            a = plain.window_clouds(_cloud(n, 1).points)
            b = plain.window_clouds(_cloud(n, 2).points)
            return lambda: plain.grid_products(a, b)

        def single(n: int = frames) -> Callable[[], Any]:
            a, b = _cloud(n, 1).points, _cloud(n, 2).points
            return lambda: plain.grid_products(a, b)

        result.append(
            Row(
                f"distance grid {frames} × {frames}, {POINTS} points × 5 frames",
                [
                    ours(grid),
                    ours(products, "bare matrix products of windows", kind="other"),
                    ours(
                        single,
                        "bare matrix products of frames",
                        kind="limit",
                        note="still to be summed",
                    ),
                    _by_cells(frames),
                ],
                seconds=4.0 if frames == 600 else 15.0,
                full=frames == 6000,
            )
        )
    return result


def _warping_paths(folder: Path) -> list[Row]:
    path = folder / "cost.npy"
    a, b = clips.built_in("walk", duration=20.0), clips.built_in("jog", duration=20.0)
    cost = distance_grid(a, b)
    np.save(path, cost)
    shape = f"{cost.shape[0]} × {cost.shape[1]}"
    return [
        Row(
            f"slope-limited DTW with its path, {shape} given distances",
            [
                ours(lambda: lambda: corner_path(cost, 2)),
                peer("dtw-python", "dtw_python", "slope limited (symmetricP05)", path=str(path)),
                peer("librosa", "dtw_librosa", "no slope limit", path=str(path)),
                peer("tslearn", "dtw_tslearn", "no slope limit", path=str(path)),
                peer("dtaidistance", "dtw_dtaidistance", "one-dimensional series", path=str(path)),
            ],
        )
    ]


def _registration() -> list[Row]:
    def pair(ends: str) -> Callable[[], Any]:
        a, b = clips.built_in("walk", duration=20.0), clips.built_in("jog", duration=20.0)
        return afresh(lambda *pair: mw.register(*pair, ends=ends), a, b)

    def products() -> Callable[[], Any]:
        a = plain.window_clouds(_cloud(600, 1).points)
        b = plain.window_clouds(_cloud(600, 2).points)
        return lambda: plain.grid_products(a, b)

    def nine(cyclic: bool) -> Callable[[], Any]:
        gaits = [clips.built_in(name) for name in GAITS]
        ends = "cyclic" if cyclic else "fixed"
        return afresh(lambda *clips: mw.register(*clips, ends=ends), *gaits)

    paper = "Kovar & Gleicher 2003, 1.3 GHz Athlon"
    return [
        Row(
            "register two clips of 600 frames",
            [
                ours(lambda: pair("fixed")),
                ours(lambda: pair("auto"), "the same, ends found automatically", kind="other"),
                fixed("the paper", 3.46, paper),
                ours(products, "the grid's matrix products", kind="limit"),
            ],
        ),
        Row("register nine gaits", [ours(lambda: nine(False))], seconds=8.0),
        Row("register nine gaits as cycles", [ours(lambda: nine(True))], seconds=8.0),
    ]


def _blending() -> list[Row]:
    k, frames = 9, 10_000
    motions = [clips.noise(600, seed=seed) for seed in range(k)]
    rng = np.random.default_rng(3)
    stack = ClipStack.of(tuple(motions))
    at = np.linspace(0.0, 599.0, frames)[:, None].repeat(k, axis=1)
    weights = rng.dirichlet(np.ones(k), frames)
    inputs = np.stack([m.sample(at[:, 0]).rotations for m in motions])
    moves = Planar(np.zeros(at.shape))
    out = np.empty(inputs.shape[1:])
    curve = mw.register(*(clips.built_in(name) for name in GAITS), ends="cyclic")
    stepper = curve.stepper()
    row = rng.dirichlet(np.ones(k))
    one, one_weight = np.ascontiguousarray(inputs[:, :1]), weights[:1]
    one_out = np.empty(one.shape[1:])
    return [
        Row(
            "mean of rotations, 10,000 frames of 9 × 31 joints",
            [
                ours(lambda: lambda: mean_rotations(inputs, weights)),
                ours(
                    lambda: lambda: plain.nlerp_loop(inputs, weights, out),
                    "Numba nlerp loop",
                    kind="limit",
                    note="normalised sums, not exact means",
                ),
                ours(
                    lambda: lambda: plain.blend_log_exp(inputs, weights),
                    "plain NumPy",
                    kind="numpy",
                ),
            ],
            seconds=12.0,
        ),
        Row(
            "the same with sampling at fractional frames and roots",
            [ours(lambda: lambda: stack.average(at, weights, moves))],
        ),
        Row(
            "one live step of nine clips (22 joints): place, alignment, mean, contacts",
            [
                ours(lambda: lambda: stepper.step(row, 1.0 / 60.0)),
                ours(
                    lambda: lambda: plain.nlerp_loop(one, one_weight, one_out),
                    "Numba nlerp loop",
                    kind="limit",
                    note="the mean alone",
                ),
                ours(
                    lambda: lambda: plain.blend_log_exp(one, one_weight),
                    "plain NumPy",
                    kind="numpy",
                    note="the mean alone",
                ),
            ],
            seconds=3.0,
        ),
    ]


def _systems() -> list[Row]:
    def made(*names: str) -> list[mw.Motion]:
        return [clips.built_in(name) for name in names]

    def mixing(*names: str, matched: bool = False, clean: bool = True) -> Callable[[], Any]:
        from motionweave.methods.framespace.blend import Framespace

        motions = made(*names)
        # As many frames as the paper's table is about, which calls them operations.
        space = Framespace(motions)
        fps = 30.0 * _OPERATIONS / len(space.interpolate("concatenate", 6))
        if matched:
            return lambda: space.interpolate("concatenate", 6, fps=fps, clean=clean)
        return afresh(
            lambda *clips: Framespace(clips).interpolate("concatenate", 6, fps=fps, clean=clean),
            *motions,
        )

    def mixing_plainly(*names: str) -> Callable[[], Any]:
        motions = made(*names)
        at = np.linspace(0.0, min(len(m) for m in motions) - 1.0, _OPERATIONS)
        inputs = np.stack([m.sample(at).rotations for m in motions])
        weights = np.full((_OPERATIONS, len(motions)), 1.0 / len(motions))
        return lambda: plain.blend_log_exp(inputs, weights)

    def fitting() -> Callable[[], Any]:
        landing, jump = made("landing", "jump")
        return lambda: mw.subspace(landing, jump)

    def fitting_plainly() -> Callable[[], Any]:
        poses = np.concatenate([m.rotations.reshape(len(m), -1) for m in made("landing", "jump")])
        return lambda: plain.poses_and_field(poses, poses[:, :2])

    def joining() -> Callable[[], Any]:
        space = mw.subspace(*made("landing", "jump"))
        return lambda: space.transition(degree=4)

    def joining_longer() -> Callable[[], Any]:
        space = mw.subspace(*(clips.built_in(name, duration=10.0) for name in ("walk", "jog")))
        return space.transition

    def warping() -> Callable[[], Any]:
        walk = clips.built_in("walk")
        keys = [mw.Key(40, "spine", turn=(25.0, 0.0, 0.0)), mw.Key(60, "head", turn=(0, 30, 0))]
        return lambda: mw.warp(walk, keys, clean=False)

    def warping_plainly() -> Callable[[], Any]:
        walk = clips.built_in("walk")
        joints = [walk.skeleton.index(name) for name in ("Spine", "Head")]
        knots = np.array([[25.0, 40.0, 55.0], [45.0, 60.0, 75.0]])
        vectors = np.radians([[25.0, 0.0, 0.0], [0.0, 30.0, 0.0]])
        return lambda: plain.warp_by_frames(walk.rotations, joints, knots, vectors)

    def goal() -> Callable[[], Any]:
        jab = clips.built_in("jab")
        key = mw.Key(20, "left_hand", offset=(0.1, 0.15, 0.0))
        return lambda: mw.warp(jab, [key])

    def steering() -> Callable[[], Any]:
        space = mw.parametric(mw.register(*made("walk_left", "walk_right")), {"turn": turn_angle})
        return lambda: space.at(turn=20.0)

    def mixed_plainly(*names: str) -> Contender:
        return ours(
            lambda: mixing_plainly(*names), "plain NumPy", kind="numpy", note="the mean alone"
        )

    def given(*names: str) -> list[Contender]:
        return [
            ours(
                lambda: mixing(*names, clean=False), "the same, feet left as they are", kind="other"
            ),
            ours(lambda: mixing(*names, matched=True), "the same, events matched", kind="other"),
            ours(
                lambda: mixing(*names, matched=True, clean=False),
                "events matched, feet left as they are",
                kind="other",
            ),
        ]

    figures = "Ashraf & Wong 2000, 450 MHz"
    return [
        Row(
            "blend two clips (registered, 80 frames)",
            [ours(lambda: _blend_of(*made("walk", "jog")))],
        ),
        Row(
            "transition of two clips at the best place",
            [ours(lambda: _joined(*made("walk", "jog")))],
        ),
        Row(
            "places at which two clips can be joined (junctions)",
            [ours(lambda: _places(*made("walk", "jog")))],
        ),
        Row(
            "parametric request (turn of 20°)",
            [ours(steering)],
        ),
        Row(
            "framespace, two clips, 1200 operations (run, walk)",
            [
                ours(lambda: mixing("jog", "walk")),
                *given("jog", "walk"),
                fixed("the paper", 5.06, figures),
                mixed_plainly("jog", "walk"),
            ],
        ),
        Row(
            "framespace, four clips, 1200 operations",
            [
                ours(lambda: mixing("jog", "walk", "dance_a", "dance_b")),
                *given("jog", "walk", "dance_a", "dance_b"),
                fixed("the paper", 5.61, figures),
                mixed_plainly("jog", "walk", "dance_a", "dance_b"),
            ],
            seconds=8.0,
        ),
        Row(
            "subspace: fit two clips (144 frames)",
            [
                ours(fitting),
                fixed("the paper", 3.0, "“a few seconds”, Mukai"),
                ours(fitting_plainly, "one SVD and one solve", kind="limit"),
            ],
        ),
        Row("subspace: a spline transition, fit given", [ours(joining)]),
        Row("subspace: the same, two clips of 300 frames", [ours(joining_longer)]),
        Row(
            "warp a clip by two keys",
            [ours(warping), ours(warping_plainly, "NumPy, frame by frame", kind="numpy")],
        ),
        Row("warp a clip to a goal (inverse kinematics, feet kept)", [ours(goal)]),
        Row(
            "foot clean-up of a blend (80 frames)",
            [
                ours(_cleaning),
                ours(
                    _legs_plainly, "NumPy, frame by frame", kind="numpy", note="the two legs alone"
                ),
            ],
        ),
        Row("contact detection, 600 frames", [ours(_contacts)]),
        Row("find a cycle and close it (loop), 600 frames", [ours(lambda: _looped(600))]),
        Row("find a cycle and close it (loop), 4000 frames", [ours(lambda: _looped(4000))]),
        Row("retarget a clip of 600 frames to another body", [ours(_retargeted)]),
        Row("foot clean-up, 600 frames", [ours(_cleaned)]),
    ]


def _blend_of(a: mw.Motion, b: mw.Motion) -> Callable[[], Any]:
    curve = mw.register(a, b)
    return lambda: mw.blend(curve, [0.5, 0.5], clean=False)


def _joined(a: mw.Motion, b: mw.Motion) -> Callable[[], Any]:
    return lambda: mw.transition(a, b)


def _places(a: mw.Motion, b: mw.Motion) -> Callable[[], Any]:
    return afresh(mw.junctions, a, b)


def _cleaning() -> Callable[[], Any]:
    curve = mw.register(clips.built_in("walk"), clips.built_in("jog"))
    motion = mw.blend(curve, [0.5, 0.5], clean=False)
    return afresh(mw.clean_feet, motion)


def _legs_plainly() -> Callable[[], Any]:
    positions = clips.built_in("walk").positions()[:80]
    skeleton = clips.built_in("walk").skeleton
    legs = [
        [positions[:, skeleton.index(f"{side}{part}")] for part in ("UpLeg", "Leg", "Foot")]
        for side in ("Left", "Right")
    ]
    return lambda: [plain.legs_by_frames(*leg, leg[2] + [0.0, 0.01, 0.0]) for leg in legs]


def _looped(frames: int) -> Callable[[], Any]:
    walk = clips.built_in("walk", duration=frames / 30.0)
    return afresh(mw.loop, walk)


def _retargeted() -> Callable[[], Any]:
    walk = clips.built_in("walk", duration=20.0)
    bones = np.array(walk.skeleton.offsets)
    taller = replace(walk.skeleton, offsets=1.2 * bones)
    return lambda: mw.retarget(walk, taller)


def _cleaned() -> Callable[[], Any]:
    walk = clips.built_in("walk", duration=20.0)
    return afresh(mw.clean_feet, walk)


def _contacts() -> Callable[[], Any]:
    walk = clips.built_in("walk", duration=20.0)
    return afresh(mw.detect_contacts, walk)
