"""Contacts: where the truth is known, on real clips, and what must not matter."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Constraint, Motion, Planar, RigError, Skeleton, samples
from motionweave.body.pose.heading import direction, facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points, soles
from motionweave.contacts import stillness
from motionweave.contacts.detect import detect_contacts, estimate_floor, steps
from motionweave.core import rotations
from motionweave.core.constraints import FOOT_KINDS, of_kind
from tests.conftest import clip_folder
from tests.rests import with_level_feet

FRAME = 1.0 / 30.0


def clip_paths() -> list[Path]:
    folder = clip_folder("mocap")
    return [] if folder is None else sorted((folder / "bvh").glob("*.bvh"))


@cache
def clip(stem: str) -> Motion:
    folder = clip_folder("mocap")
    assert folder is not None
    motion = mw.load(folder / "bvh" / f"{stem}.bvh", contacts=False)
    return motion[tpose_frames(motion) :]


def overlap(a: Constraint, b: Constraint) -> float:
    return min(a.end, b.end) - max(a.start, b.start)


def boundary_errors(
    truth: tuple[Constraint, ...], found: tuple[Constraint, ...], fps: float
) -> tuple[list[float], list[Constraint]]:
    """Worst boundary error of every true plant in seconds (inf if missed), and extra plants."""
    errors: list[float] = []
    extra: list[Constraint] = []
    for kind in FOOT_KINDS:
        true, seen = of_kind(truth, kind), of_kind(found, kind)
        for c in true:
            best = max(seen, key=lambda f, c=c: overlap(f, c), default=None)  # type: ignore[misc]
            if best is None or overlap(best, c) < 0:
                errors.append(np.inf)
            else:
                errors.append(max(abs(best.start - c.start), abs(best.end - c.end)) / fps)
        extra += [f for f in seen if all(overlap(f, c) < 0 for c in true)]
    return errors, extra


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0, 240.0])
def test_built_in_clips_are_detected_within_two_frames_at_thirty(fps: float) -> None:
    errors: list[float] = []
    extra: list[Constraint] = []
    for name in samples.names():
        made = samples.sample(name, fps=fps)
        more, unwanted = boundary_errors(made.constraints, detect_contacts(made), fps)
        errors += more
        extra += unwanted
    assert np.mean(np.array(errors) <= 2.0 * FRAME) >= 0.95
    assert len(extra) <= 0.02 * len(errors)


def seconds(constraints: tuple[Constraint, ...], fps: float) -> list[tuple[str, float, float]]:
    return sorted((c.kind, c.start / fps, c.end / fps) for c in constraints)


@pytest.mark.parametrize("name", ["walk_left", "jog", "sneak_right"])
def test_place_heading_unit_and_height_do_not_matter(name: str) -> None:
    motion = samples.sample(name)
    wanted = detect_contacts(motion)
    lifted = replace(motion, root=motion.root + np.array([0.0, 12.3, 0.0]))
    for changed in (
        motion.moved(Planar(2.1, 30.0, -7.0)),
        motion.scaled(100.0),
        motion.scaled(0.01),
        lifted,
    ):
        found = detect_contacts(changed)
        assert [c.kind for c in found] == [c.kind for c in wanted]
        for a, b in zip(found, wanted, strict=True):
            assert (a.start, a.end) == pytest.approx((b.start, b.end), abs=1e-6)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "stem", ["cmu_16_15_walk_straight", "cmu_16_35_jog_straight", "cmu_139_31_sneak_straight"]
)
@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 240.0])
def test_the_frame_rate_does_not_matter(stem: str, fps: float) -> None:
    motion = clip(stem)
    wanted = seconds(detect_contacts(motion), motion.fps)
    found = seconds(detect_contacts(motion.resample(fps)), fps)
    assert [kind for kind, *_ in found] == [kind for kind, *_ in wanted]
    apart = [max(abs(a[1] - b[1]), abs(a[2] - b[2])) for a, b in zip(found, wanted, strict=True)]
    # Linear in between, a clip of few frames a second is another motion by a little.
    assert np.mean(np.array(apart) < 1.01 * FRAME) > 0.8
    assert max(apart) <= 3.0 * FRAME


def sloping(motion: Motion, angle: float) -> Motion:
    """The same motion on a floor that rises towards +x."""
    tilt = rotations.about_axis("Z", angle)
    turned = np.array(motion.rotations)
    turned[:, 0] = rotations.multiply(tilt, turned[:, 0])
    return replace(motion, root=rotations.rotate(tilt, motion.root), rotations=turned)


@pytest.mark.parametrize("degrees", [2.0, 6.0])
@pytest.mark.parametrize("heading", [0.0, 1.2])
def test_a_sloping_floor_is_found_and_does_not_disturb(degrees: float, heading: float) -> None:
    motion = samples.sample("walk").moved(Planar(heading, 0.0, 0.0))
    uphill = sloping(motion.moved(Planar(np.pi / 2, 0.0, 0.0)), np.radians(degrees))
    floor = estimate_floor(uphill)
    found, wanted = detect_contacts(uphill), detect_contacts(motion)
    assert [c.kind for c in found] == [c.kind for c in wanted]
    if heading == 0.0:
        # Only the slope along the way shows in footprints that lie in a row.
        assert floor.tilt == pytest.approx(np.radians(degrees), abs=np.radians(1.0))
    assert floor.slope[0] > 0.0
    heels = contact_points(uphill)["left_heel"]
    stands = [int(round(c.start + c.end) / 2) for c in of_kind(found, "left_heel")]
    assert np.max(np.abs(floor.above(heels[stands]))) < 0.03 * leg_length(uphill.skeleton)


def test_a_level_floor_stays_level_and_at_its_height() -> None:
    motion = samples.sample("walk_left")
    floor = estimate_floor(replace(motion, root=motion.root + np.array([0.0, 3.0, 0.0])))
    assert floor.tilt == 0.0
    assert floor.levels == (0.0,)
    assert floor.height - estimate_floor(motion).height == pytest.approx(3.0)


def test_a_t_pose_in_front_changes_nothing() -> None:
    motion = samples.sample("walk")
    pose = np.zeros((1, len(motion.skeleton), 4))
    pose[..., 3] = 1.0
    with_pose = replace(
        motion,
        root=np.concatenate([motion.root[:1], motion.root]),
        rotations=np.concatenate([pose, motion.rotations]),
        constraints=(),
    )
    assert tpose_frames(with_pose)
    found = detect_contacts(with_pose)
    for a, b in zip(found, detect_contacts(motion), strict=True):
        assert a.kind == b.kind
        assert (a.start - 1, a.end - 1) == pytest.approx((b.start, b.end))


def test_short_and_still_clips_are_no_trouble() -> None:
    motion = samples.sample("walk")
    assert detect_contacts(motion[:1]) == ()
    detect_contacts(motion[:2])
    frozen = motion.sample(np.full(40, 4.0))
    held = {c.kind for c in detect_contacts(frozen)}
    assert held
    assert all((c.start, c.end) == (0, 39) for c in detect_contacts(frozen))


@pytest.mark.parametrize("seed", range(12))
def test_noise_gives_contacts_in_order_or_none(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames = int(rng.integers(1, 200))
    skeleton = samples.sample("walk").skeleton
    wander = np.cumsum(rng.normal(scale=10.0 ** -rng.uniform(1, 4), size=(frames, 3)), axis=0)
    turns = 10.0 ** -rng.uniform(0, 4) * np.cumsum(
        rng.normal(size=(frames, len(skeleton), 3)), axis=0
    )
    motion = Motion(skeleton, float(rng.uniform(1, 300)), wander, rotations.exp(turns))
    found = detect_contacts(motion, hands=True)
    for kind in {c.kind for c in found}:
        spans = of_kind(found, kind)
        assert all(a.end < b.start for a, b in pairwise(spans))
    assert all(0 <= c.start <= c.end <= frames - 1 for c in found)


# Soles


def test_heel_and_toe_are_level_when_the_foot_is_flat() -> None:
    motion = samples.sample("walk")
    size = leg_length(motion.skeleton)
    points = contact_points(motion)
    for side in SIDES:
        heel, toe = points[f"{side}_heel"], points[f"{side}_toe"]
        both = [
            int(np.ceil(max(a.start, b.start)))
            for a in of_kind(motion.constraints, f"{side}_heel")
            for b in of_kind(motion.constraints, f"{side}_toe")
            if overlap(a, b) > 2
        ]
        assert both
        assert np.max(np.abs(heel[both, 1] - toe[both, 1])) < 0.02 * size


def without_toes(skeleton: Skeleton, end_sites: bool) -> tuple[Skeleton, list[int]]:
    rig = find_rig(skeleton)
    toes = [rig.roles["left_toe"], rig.roles["right_toe"]]
    keep = [j for j in range(len(skeleton)) if j not in toes]
    place = {old: new for new, old in enumerate(keep)}
    ends = [rig.roles["left_ankle"], rig.roles["right_ankle"]] if end_sites else []
    return (
        Skeleton(
            tuple(skeleton.names[j] for j in keep),
            np.array([-1] + [place[int(skeleton.parents[j])] for j in keep[1:]]),
            skeleton.offsets[keep],
            np.array([place[j] for j in ends], dtype=np.intp),
            skeleton.offsets[toes] if end_sites else np.zeros((0, 3)),
        ),
        keep,
    )


@pytest.mark.parametrize(("end_sites", "known"), [(True, "end site"), (False, "proportions")])
def test_feet_without_toe_joints_still_have_toes(end_sites: bool, known: str) -> None:
    motion = samples.sample("walk")
    skeleton, keep = without_toes(motion.skeleton, end_sites)
    cut = Motion(skeleton, motion.fps, motion.root, motion.rotations[:, keep])
    assert {sole.known for sole in soles(cut).values()} == {known}
    errors, extra = boundary_errors(motion.constraints, detect_contacts(cut), cut.fps)
    assert not extra
    assert np.mean(np.array(errors) <= 3.0 * FRAME) > 0.9


@pytest.mark.parametrize("length", [0.05, 0.5])
def test_an_end_site_straight_below_the_ankle_is_no_toe(length: float) -> None:
    # Exporters give a bone without children the direction of its parent, and any length.
    motion = samples.sample("walk")
    skeleton, keep = without_toes(motion.skeleton, True)
    feet = [skeleton.index(f"{side}Foot") for side in ("Left", "Right")]
    ends = np.array(skeleton.end_offsets)
    ends[np.isin(skeleton.end_parents, feet)] = [0.0, -length * leg_length(skeleton), 0.0]
    skeleton = replace(skeleton, end_offsets=ends)
    cut = Motion(skeleton, motion.fps, motion.root, motion.rotations[:, keep])
    assert {sole.known for sole in soles(cut).values()} == {"proportions"}
    errors, extra = boundary_errors(motion.constraints, detect_contacts(cut), cut.fps)
    assert not extra
    assert np.mean(np.array(errors) <= 3.0 * FRAME) > 0.9


@pytest.mark.parametrize("away", [(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (-0.7, -0.7, 0.0)])
def test_an_end_site_that_is_not_ahead_of_the_ankle_is_no_toe(
    away: tuple[float, float, float],
) -> None:
    # Some exporters give the ends of all bones the same offset, whichever way the bones point.
    motion = samples.sample("walk")
    skeleton, keep = without_toes(motion.skeleton, True)
    feet = [skeleton.index(f"{side}Foot") for side in ("Left", "Right")]
    ends = np.array(skeleton.end_offsets)
    ends[np.isin(skeleton.end_parents, feet)] = 0.12 * leg_length(skeleton) * np.array(away)
    skeleton = replace(skeleton, end_offsets=ends)
    cut = Motion(skeleton, motion.fps, motion.root, motion.rotations[:, keep])
    assert {sole.known for sole in soles(cut).values()} == {"proportions"}
    # Its feet are as level on another body as the feet of the whole body are.
    jog = samples.sample("jog")
    toe = jog.skeleton.index("LeftToe")
    whole, other = (mw.retarget(each, jog.scaled(2.0)).positions() for each in (motion, cut))
    assert np.abs(other[:, toe] - whole[:, toe]).max() < 0.1 * leg_length(jog.skeleton)


def test_the_sole_is_found_from_the_motion_where_the_rest_pose_does_not_stand() -> None:
    motion = samples.sample("walk")
    skeleton = motion.skeleton
    # The same motion on a skeleton whose bones all lie along x in the rest pose.
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    offsets = np.column_stack([lengths, np.zeros((len(skeleton), 2))])
    for child, parent in enumerate(skeleton.parents[1:], start=1):
        if len(skeleton.children[parent]) > 1:
            offsets[child] = skeleton.offsets[child]
    lying = replace(skeleton, offsets=offsets)
    global_turn = motion.orientations()
    # What takes the lying bone of each joint's first child to where it really points.
    fix = np.tile([0.0, 0.0, 0.0, 1.0], (len(skeleton), 1))
    for joint, children in enumerate(skeleton.children):
        if len(children) == 1 and lengths[children[0]] > 0:
            fix[joint] = rotations.between_vectors(
                offsets[children[0]], skeleton.offsets[children[0]]
            )
    turned = rotations.multiply(global_turn, fix)
    local = np.array(turned)
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        local[:, joint] = rotations.multiply(rotations.inverse(turned[:, parent]), turned[:, joint])
    same = Motion(lying, motion.fps, motion.root, local)
    np.testing.assert_allclose(same.positions(), motion.positions(), atol=1e-9)
    before, after = contact_points(motion), contact_points(same)
    for kind in FOOT_KINDS:
        apart = np.linalg.norm(before[kind] - after[kind], axis=1)
        assert apart.max() < 0.02 * leg_length(skeleton)


def test_feet_at_right_angles_at_rest_stand_as_they_do_in_the_motion() -> None:
    walk = mw.sample("walk")
    level = with_level_feet(walk)
    toe = find_rig(level.skeleton).roles["left_toe"]
    assert abs(level.skeleton.offsets[toe, 1]) < 1e-9 * leg_length(walk.skeleton)
    np.testing.assert_allclose(level.positions(), walk.positions(), atol=1e-9)
    near = 0.01 * leg_length(walk.skeleton)
    expected = contact_points(walk)
    for kind, points in contact_points(level).items():
        np.testing.assert_allclose(points, expected[kind], atol=near)


def test_a_rig_without_legs_says_what_is_missing() -> None:
    snake = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [1, 0, 0]]))
    quats = np.zeros((9, 2, 4))
    quats[..., 3] = 1.0
    with pytest.raises(RigError, match="left_thigh"):
        detect_contacts(Motion(snake, 30.0, np.zeros((9, 3)), quats))


# Real clips


@pytest.mark.mocap
@pytest.mark.parametrize("path", clip_paths(), ids=lambda path: path.stem)
def test_every_real_clip_gets_roles_and_contacts(path: Path) -> None:
    motion = mw.load(path)
    assert len(find_rig(motion.skeleton).roles) == 20
    found = motion.constraints
    assert {c.kind.split("_")[0] for c in found} == {"left", "right"}
    first = tpose_frames(motion)
    assert all(first <= c.start < c.end <= len(motion) - 1 for c in found)
    for kind in FOOT_KINDS:
        spans = of_kind(found, kind)
        assert all(a.end < b.start for a, b in pairwise(spans))


@pytest.mark.mocap
def test_every_real_skeleton_is_found_without_names(mocap: Path) -> None:
    seen = set()
    for path in sorted((mocap / "bvh").glob("*.bvh")):
        subject = path.stem.split("_")[1]
        if subject in seen:
            continue
        seen.add(subject)
        skeleton = mw.load(path, contacts=False).skeleton
        nameless = replace(skeleton, names=tuple(f"joint{j}" for j in range(len(skeleton))))
        assert dict(find_rig(nameless).roles) == dict(find_rig(skeleton).roles)
    assert len(seen) == 20


def passings(motion: Motion) -> list[tuple[int, str]]:
    """When and which foot passes the other one, seen along the heading: one a step.

    Independent of heights, speeds and floor: only where the ankles are along the way the
    body faces counts, and a foot has passed once it is 15 % of the leg ahead.
    """
    rig = find_rig(motion.skeleton)
    positions = motion.positions()
    apart = positions[:, rig.roles["left_ankle"]] - positions[:, rig.roles["right_ankle"]]
    ahead = np.sum(apart[:, [0, 2]] * direction(facing(motion)), axis=1)
    ahead /= leg_length(motion.skeleton)
    found: list[tuple[int, str]] = []
    leading = 0.0
    for frame, value in enumerate(ahead):
        if abs(value) < 0.15 or np.sign(value) == leading:
            continue
        if leading:
            level = frame - int(np.argmax(ahead[frame::-1] * value <= 0.0))
            found.append((level, "left" if value > 0 else "right"))
        leading = np.sign(value)
    return found


GAITS = [
    path.stem
    for path in clip_paths()
    if any(word in path.stem for word in ("walk", "jog", "run_", "sneak"))
    and not any(word in path.stem for word in ("stop", "jump", "pauses", "turn180", "runup"))
]
# Clips that end in a stop have a last step that closes up and passes nothing.
CLOSING = {"cmu_104_35_walk_slow"}
# In this sharp turn one foot skids over the floor for a while before it holds.
SKIDDING = {"cmu_16_43_jog_turn90_right"}


@pytest.mark.mocap
@pytest.mark.parametrize("stem", GAITS)
def test_every_step_of_real_gaits_is_found_once(stem: str) -> None:
    motion = clip(stem)
    found = detect_contacts(motion)
    stands = {side: steps(found, side) for side in SIDES}
    strikes = sorted((start, side) for side in SIDES for start, _ in stands[side] if start > 0)
    passed = passings(motion)
    assert len(passed) >= 2
    # Feet take turns, in walks, runs and sneaks alike.
    order = [side for _, side in strikes]
    assert stem in SKIDDING or all(a != b for a, b in pairwise(order))
    assert all(a[1] != b[1] for a, b in pairwise(passed))
    for frame, side in passed:
        assert not any(start <= frame <= end for start, end in stands[side])
    # Exactly one strike between two passings, by the foot that passed.
    for (begin, side), (end, _) in pairwise(passed):
        struck = [foot for start, foot in strikes if begin <= start < end]
        assert stem in SKIDDING or struck == [side]
    # Before the first and after the last there is room for one more each.
    assert len(passed) - 1 <= len(strikes) <= len(passed) + 1 + (stem in CLOSING)


@pytest.mark.mocap
@pytest.mark.parametrize("stem", GAITS)
def test_runs_fly_and_walks_do_not(stem: str) -> None:
    motion = clip(stem)
    spans = [span for side in SIDES for span in steps(detect_contacts(motion), side)]
    frames = np.arange(len(motion))
    # The ends of a clip may cut a plant too short to be seen.
    inside = (frames > 0.06 * motion.fps) & (frames < len(motion) - 0.06 * motion.fps)
    down = np.zeros(len(motion), dtype=bool)
    for start, end in spans:
        down |= (frames >= start) & (frames <= end)
    flight = float(np.mean(~down[inside]))
    if "jog" in stem or "run" in stem:
        assert 0.2 < flight < 0.65
    else:
        assert flight == 0.0


@pytest.mark.mocap
def test_stairs_and_ladder_have_levels() -> None:
    stairs = estimate_floor(clip("cmu_83_34_stairs_up"))
    assert len(stairs.levels) == 4
    rises = np.diff(stairs.levels)
    assert rises.max() < 1.5 * rises.min()
    up_and_down = clip("cmu_113_19_stairs_up_down")
    assert len(estimate_floor(up_and_down).levels) == 3
    ladder = clip("cmu_13_33_climb_ladder")
    assert len(estimate_floor(ladder).levels) >= 3
    hands = [c for c in detect_contacts(ladder, hands=True) if c.kind.endswith("hand")]
    assert {c.kind for c in hands} == {"left_hand", "right_hand"}


@pytest.mark.mocap
@pytest.mark.parametrize(
    ("stem", "kicking"),
    [
        ("cmu_135_04_kick_front_right_1", "right"),
        ("cmu_135_04_kick_front_left", "left"),
        ("cmu_135_07_kick_roundhouse_right", "right"),
        ("cmu_135_07_kick_roundhouse_left", "left"),
    ],
)
def test_a_kick_is_no_plant(stem: str, kicking: str) -> None:
    motion = clip(stem)
    peak = int(np.argmax(contact_points(motion)[f"{kicking}_toe"][:, 1]))
    found = detect_contacts(motion)
    assert not any(start <= peak <= end for start, end in steps(found, kicking))
    assert len(steps(found, kicking)) == 2


@pytest.mark.mocap
@pytest.mark.parametrize("stem", ["cmu_16_01_jump_up", "cmu_16_03_jump_high"])
def test_a_jump_leaves_the_floor_once_with_both_feet(stem: str) -> None:
    motion = clip(stem)
    top = int(np.argmax(motion.root[:, 1]))
    found = detect_contacts(motion)
    for side in SIDES:
        stands = steps(found, side)
        assert len(stands) == 2
        assert stands[0][1] < top < stands[1][0]


@pytest.mark.mocap
def test_a_person_who_stands_has_one_plant_each() -> None:
    motion = clip("cmu_113_21_stand_still")
    found = detect_contacts(motion, hands=True)
    assert sorted(c.kind for c in found) == sorted(FOOT_KINDS)
    assert all((c.start, c.end) == (0, len(motion) - 1) for c in found)


def test_a_sidecar_goes_before_detection(tmp_path: Path) -> None:
    motion = samples.sample("walk").with_constraints(())
    path = tmp_path / "walk.bvh"
    mw.save(motion, path)
    assert mw.load(path).constraints
    given = {"contacts": [{"kind": "left_hand", "start": 1, "end": 2}]}
    (tmp_path / "walk.contacts.json").write_text(json.dumps(given))
    assert mw.load(path).constraints == (Constraint(1, 2, "left_hand"),)


def test_a_fast_runner_s_plants_last_as_long_as_the_foot_is_slow_for_a_run() -> None:
    """How fast a planted foot may be goes with the swing around it: the same foot, drifting at
    0.55 leg lengths per second, stands in a run and does not in a stroll."""
    fps, seconds, drift = 120.0, 4.0, 0.55
    at = np.arange(int(seconds * fps)) / fps

    def limit(swing: float) -> float:
        speed = np.where((at % 0.7) < 0.3, drift, swing)
        ticks = slice(None, None, int(fps / stillness.RATE))
        return float(np.median(stillness.limits(speed[ticks])))

    assert limit(swing=8.0) > drift > limit(swing=3.0)


def test_walking_in_place_does_not_lift_the_floor() -> None:
    # The only moment in which a foot rests is one in the air: it is held up for a while.
    walk = mw.in_place(mw.sample("walk"))
    rig = find_rig(walk.skeleton)
    floor = mw.estimate_floor(mw.sample("walk")).height
    turns = np.array(walk.rotations)
    hip, knee = rig.roles["left_thigh"], rig.roles["left_shin"]
    turns[20:50, hip] = rotations.exp(np.array([-1.0, 0.0, 0.0]))
    turns[20:50, knee] = rotations.exp(np.array([1.6, 0.0, 0.0]))
    held = replace(walk, rotations=turns, constraints=())
    size = leg_length(walk.skeleton)
    assert abs(mw.estimate_floor(held).height - floor) < 0.1 * size


def _carried_up(rise: float, aside: float) -> Motion:
    """A body that stands, goes up by ``rise`` leg lengths over a place ``aside``, stays there for a
    second, and returns the same way."""
    stand = mw.sample("stand").sample(np.zeros(150))
    size, frames = leg_length(stand.skeleton), np.arange(150.0)
    # Sideways while it is high, straight down onto the place, and the other way round.
    over = np.interp(frames, [0, 44, 52, 98, 106, 150], [0, 0, aside, aside, 0, 0])
    extra = 0.15 if aside else 0.0
    heights = [0, 0, rise + extra, rise + extra, rise, rise, rise + extra, rise + extra, 0, 0]
    up = np.interp(frames, [0, 30, 44, 52, 58, 92, 98, 106, 120, 150], heights)
    move = size * np.stack([over, up, np.zeros(150)], axis=-1)
    return replace(stand, root=stand.root + move, constraints=())


def _during(motion: Motion, first: float, last: float) -> set[str]:
    return {c.kind for c in detect_contacts(motion) if c.start < last and c.end > first}


@pytest.mark.parametrize("rise", [0.2, 0.5, 0.9])
def test_a_body_that_hangs_in_the_air_stands_on_nothing(rise: float) -> None:
    jump = _carried_up(rise, 0.0)
    assert not _during(jump, 62.0, 88.0)
    assert _during(jump, 0.0, 20.0) == _during(jump, 130.0, 149.0) == set(FOOT_KINDS)
    assert estimate_floor(jump).levels == (0.0,)


@pytest.mark.parametrize("rise", [0.2, 0.5, 0.9])
def test_a_body_that_comes_down_beside_the_place_it_left_stands_on_something(rise: float) -> None:
    box = _carried_up(rise, 0.6)
    assert _during(box, 62.0, 88.0) == set(FOOT_KINDS)
    size = leg_length(box.skeleton)
    np.testing.assert_allclose(estimate_floor(box).levels, (0.0, rise * size), atol=0.01 * size)


@pytest.mark.parametrize("degrees", [-120.0, 110.0, 180.0])
def test_feet_above_the_pelvis_stand_on_nothing(degrees: float) -> None:
    """A body on its shoulders, on its neck or on its hands, between two moments on its feet."""
    stand = mw.sample("stand").sample(np.zeros(150))
    turn = np.interp(np.arange(150.0), [0, 30, 50, 100, 120, 150], [0, 0, 1, 1, 0, 0])
    over = rotations.about_axis("X", np.radians(degrees) * turn)
    turns = np.array(stand.rotations)
    turns[:, 0] = rotations.multiply(over, turns[:, 0])
    low = np.array(stand.root)
    low[:, 1] -= 0.6 * turn * leg_length(stand.skeleton)
    tumble = replace(stand, root=low, rotations=turns, constraints=())
    assert not _during(tumble, 52.0, 98.0)
    assert _during(tumble, 0.0, 20.0) == _during(tumble, 130.0, 149.0) == set(FOOT_KINDS)
    upside_down = tumble[55:95]
    assert not detect_contacts(upside_down)


@pytest.mark.parametrize("depth", [0.1, 0.13])
def test_toes_that_point_through_the_floor_do_not_lower_it(depth: float) -> None:
    walk = mw.loop(mw.sample("walk"), 4)
    rig, size = find_rig(walk.skeleton), leg_length(walk.skeleton)
    floor = estimate_floor(walk).height
    stance = steps(detect_contacts(walk), "left")[2]
    # The toes turn down in one stance, as joints do that were fitted to a bad marker.
    positions, orientations = walk.forward()
    ankle, toe = rig.roles["left_ankle"], rig.roles["left_toe"]
    ahead = positions[:, toe] - positions[:, ankle]
    across = np.cross([0.0, 1.0, 0.0], ahead)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    angle = 1.45 * depth * size / np.linalg.norm(ahead, axis=1)
    inside = (np.arange(len(walk)) >= stance[0]) & (np.arange(len(walk)) <= stance[1])
    dip = rotations.exp(across * np.where(inside, angle, 0.0)[:, None])
    above = orientations[:, walk.skeleton.parents[ankle]]
    turned = np.array(walk.rotations)
    turned[:, ankle] = rotations.multiply(
        rotations.inverse(above), rotations.multiply(dip, orientations[:, ankle])
    )
    bad = replace(walk, rotations=turned, constraints=())
    lowest = contact_points(bad)["left_toe"][:, 1].min()
    assert floor - 0.15 * size < lowest < floor - 0.085 * size
    assert abs(estimate_floor(bad).height - floor) < 0.01 * size
