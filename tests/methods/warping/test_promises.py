"""What the text of each recipe promises, measured on walks of several rigs at their own rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.methods.warping.moments import stances
from tests.methods.warping.gallery import REAL, SIDES, WARPS, WILD, Scene, scene_of
from tests.methods.warping.test_feet import foot

# Seconds of a walk that are warped; some takes are minutes long.
LONGEST = 8.0


@dataclass(frozen=True)
class Promise:
    """A sentence of a recipe, how it is measured, and between which figures it is kept."""

    recipe: str
    says: str
    measure: Callable[[Scene], float]
    least: float = -np.inf
    most: float = np.inf


def under_the_lintel(scene: Scene) -> float:
    """How far the highest joint passes below the lintel."""
    frame = scene.at("middle of 2nd left swing")
    lintel = scene.recipe.scene[0]["bottom"]
    floor = mw.estimate_floor(scene.before).at(scene.before.positions()[frame, 0])
    return float(lintel - (scene.after.positions()[frame, :, 1].max() - floor) / scene.leg)


def farthest_step(scene: Scene) -> float:
    """How far a standing ankle is from where it stood, at most."""
    return max(float(np.linalg.norm(scene.moved(f"{s}_ankle", f))) for s, f in scene.steps())


def head_against_back(scene: Scene) -> float:
    """How far the head is turned, as a share of what the back is bent."""
    key = "middle of 2nd left swing"
    return scene.turned("head", key) / scene.turned("chest", key)


def lifted(side: str, moment: str) -> Callable[[Scene], float]:
    """How far an ankle is from a lift of 0.3 legs straight up."""

    def miss(scene: Scene) -> float:
        return float(np.linalg.norm(scene.moved(f"{side}_ankle", moment) - [0.0, 0.3, 0.0]))

    return miss


def on_the_block(scene: Scene) -> float:
    """How far the left foot is from its height, on the block and off it."""
    rises = (foot(scene.after, "left") - foot(scene.before, "left"))[:, 1] / scene.leg
    misses = [
        np.abs(rises[int(np.ceil(first)) : int(np.floor(last))] - (0.2 if index == 1 else 0.0))
        for index, (first, last) in enumerate(stances(scene.before, "left")[:3])
    ]
    return float(max(miss.max(initial=0.0) for miss in misses))


def over_the_block(scene: Scene) -> float:
    middle = scene.at("middle of 2nd left stance")
    rise = foot(scene.after, "right") - foot(scene.before, "right")
    return float(rise[middle, 1]) / scene.leg


def turn_along(scene: Scene) -> float:
    """The smaller of the turns towards the post's side and back, in degrees."""
    turn = np.degrees(facing(scene.after) - facing(scene.before))
    middle = scene.at("50%")
    return float(min(turn[:middle].max(), -turn[middle:].min()))


def away_from_the_path(scene: Scene, frame: int) -> float:
    return float(np.linalg.norm((scene.after.root - scene.before.root)[frame])) / scene.leg


STEPS = (
    ("left", "middle of 1st left stance"),
    ("right", "middle of right stance after 1st left stance"),
    ("left", "middle of 2nd left stance"),
    ("right", "middle of right stance after 2nd left stance"),
    ("left", "middle of 3rd left stance"),
)


def worst_stair(scene: Scene) -> float:
    """How far an ankle is from its stair: each is 0.2 legs higher than the one before."""
    rises = [scene.moved(f"{side}_ankle", key)[1] for side, key in STEPS]
    return float(np.abs(np.array(rises) - 0.2 * np.arange(5)).max())


def off_the_ground(scene: Scene) -> float:
    """How far standing ankles are from their height over the ground, in the middle half."""
    apart = [abs(after - before) for before, after in scene.above_ground()]
    return float(np.median(apart))


def knee_peak(scene: Scene) -> float:
    bend = find_hinges(scene.before)["left_shin"].flexion
    before, after = (float(bend(*motion.forward()).max()) for motion in scene.both)
    return after / before


def lurch(scene: Scene) -> float:
    """How much further over the left leg the hips are in its stance than in the other's."""
    over = scene.aside("hips", "2nd left stance")
    return over - scene.aside("hips", "right stance after 1st left stance")


def height(scene: Scene) -> float:
    """How much higher the hips are, on average."""
    before, after = (float(motion.root[:, 1].mean()) for motion in scene.both)
    return (after - before) / scene.leg


def leaning(scene: Scene) -> float:
    return scene.lean(scene.after) - scene.lean(scene.before)


def least_lean(scene: Scene) -> float:
    return float((scene.leans(scene.after) - scene.leans(scene.before)).min())


def slower(scene: Scene) -> float:
    return scene.after.duration / scene.before.duration


def each_hand(
    measure: Callable[[Scene, str], float], worst: Callable[..., float] = min
) -> Callable[[Scene], float]:
    """The worse hand."""

    def measured(scene: Scene) -> float:
        return worst(measure(scene, f"{side}_hand") for side in SIDES)

    return measured


def in_front(scene: Scene, hand: str) -> float:
    return float(np.median(scene.seen(scene.after, hand)[:, 2]))


def raised(scene: Scene, hand: str) -> float:
    before, after = (np.median(scene.seen(motion, hand)[:, 1]) for motion in scene.both)
    return float(after - before)


def higher_steps(scene: Scene) -> float:
    return float(
        np.mean(
            [
                np.ptp(foot(scene.after, s)[:, 1]) / np.ptp(foot(scene.before, s)[:, 1])
                for s in SIDES
            ]
        )
    )


def heels_off(scene: Scene) -> float:
    """How much higher the lower ankle is when it is lowest."""
    lows = [[foot(motion, side)[:, 1].min() for motion in scene.both] for side in SIDES]
    return float(min(after - before for before, after in lows)) / scene.leg


def heel_contacts(scene: Scene) -> float:
    return sum(contact.kind.endswith("heel") for contact in scene.after.constraints)


def swings_of(limb: str, root: str) -> Callable[[Scene], float]:
    """How many times as far a pair of limbs swings, on average: the box that its end sweeps."""

    def wider(scene: Scene) -> float:
        before, after = (
            [
                np.linalg.norm(np.ptp(scene.seen(motion, f"{s}_{limb}", f"{s}_{root}"), axis=0))
                for s in SIDES
            ]
            for motion in scene.both
        )
        return float(np.mean(np.divide(after, before)))

    return wider


def nod(scene: Scene) -> float:
    """How much further forward than the chest the head has been turned, in degrees."""
    ahead = mw.Planar(facing(scene.before)).apply(np.tile([0.0, 0.0, 1.0], (len(scene.before), 1)))
    down = []
    for role in ("head", "chest"):
        before, after = (motion.forward()[1][:, scene.roles[role]] for motion in scene.both)
        faced = rotations.rotate(rotations.multiply(after, rotations.inverse(before)), ahead)
        down.append(np.degrees(np.arcsin(-faced[:, 1])).mean())
    return float(down[0] - down[1])


PROMISES = (
    Promise("low_doorway", "the head passes under the lintel", under_the_lintel, least=0.0),
    Promise(
        "low_doorway",
        "hips down",
        lambda scene: float(scene.moved("hips", "middle of 2nd left swing")[1]),
        -0.31,
        -0.25,
    ),
    Promise("low_doorway", "eyes ahead", head_against_back, most=0.8),
    Promise("low_doorway", "the feet step as before", farthest_step, most=0.03),
    Promise(
        "step_over",
        "the left foot is lifted",
        lifted("left", "middle of 2nd left swing"),
        most=5e-3,
    ),
    Promise(
        "step_over",
        "and then the right",
        lifted("right", "middle of right swing after 2nd left swing"),
        most=5e-3,
    ),
    Promise("block", "one stance of the left foot on the block", on_the_block, most=0.01),
    Promise("block", "the right foot clears it", over_the_block, least=0.19),
    Promise(
        "around_post",
        "the path is moved aside",
        lambda scene: away_from_the_path(scene, scene.at("50%")),
        0.68,
        0.72,
    ),
    Promise(
        "around_post", "and comes back", lambda scene: away_from_the_path(scene, -1), most=0.05
    ),
    Promise("around_post", "the body turns to face along it", turn_along, least=8.0),
    Promise("stairs", "each stance a step higher", worst_stair, most=0.01),
    Promise("stairs", "the trunk leans into the climb", leaning, least=3.0),
    Promise("staircase", "feet stand on the treads", off_the_ground, most=0.01),
    Promise("uphill", "every step lands on the slope", off_the_ground, most=0.01),
    Promise("limp", "the left knee stays stiff", knee_peak, most=0.94),
    Promise(
        "limp",
        "the hip is hiked to swing the leg",
        lambda scene: float(scene.moved("left_thigh", "right stance after 1st left stance")[1]),
        least=0.01,
    ),
    Promise("limp", "the body lurches over it", lurch, least=0.05),
    Promise("stoop", "one key, held from beginning to end", least_lean, least=10.0),
    Promise("tiptoe", "heels rise", heels_off, least=0.02),
    Promise("tiptoe", "heels are released", heel_contacts, most=0.0),
    Promise("tiptoe", "the hips go up a little", height, 0.02, 0.06),
    Promise(
        "heavy_weight",
        "arms that hardly swing",
        each_hand(lambda scene, hand: scene.wider(hand), max),
        most=0.5,
    ),
    Promise("heavy_weight", "in front of the belly", each_hand(in_front), 0.15, 0.5),
    Promise("heavy_weight", "everything slows down", slower, 1.22, 1.28),
    Promise("trucking", "the trunk leans far back", leaning, most=-12.0),
    Promise("trucking", "legs swing wide", swings_of("shin", "thigh"), least=1.03),
    Promise("trucking", "arms swing wide", swings_of("forearm", "upper_arm"), least=1.1),
    Promise("trucking", "the head nods ahead", nod, least=5.0),
    Promise("sneaky", "low hips", height, -0.25, -0.15),
    Promise("sneaky", "a bent back", leaning, least=12.0),
    Promise("sneaky", "hands up", each_hand(raised), least=0.15),
    Promise("sneaky", "in front of the chest", each_hand(in_front), least=0.25),
    Promise("sneaky", "slow", slower, 1.37, 1.43),
    Promise("sneaky", "high steps", higher_steps, least=1.1),
)


@pytest.fixture(
    scope="module",
    params=[
        "built-in",
        *(pytest.param(name, marks=pytest.mark.mocap) for name in REAL),
        *(pytest.param(name, marks=pytest.mark.wild) for name in WILD),
    ],
)
def walk(request: pytest.FixtureRequest) -> mw.Motion:
    if request.param == "built-in":
        return mw.sample("walk")
    if request.param in REAL:
        return mw.load(request.getfixturevalue("mocap") / "bvh" / f"{request.param}.bvh")[5:]
    (path, *_) = sorted(request.getfixturevalue("wild").rglob(f"*{request.param}.bvh"))
    clip = mw.load(path, drop_tpose=True)
    return clip[: round(LONGEST * clip.fps)]


@pytest.mark.parametrize(
    "promise", PROMISES, ids=lambda one: f"{one.recipe}: {one.says}".replace(" ", "_")
)
def test_a_recipe_keeps_what_it_promises(promise: Promise, walk: mw.Motion) -> None:
    scene = scene_of(promise.recipe, walk)
    if scene is None:
        # Two stairs for the same step of a short walk are refused; the message names both keys.
        with pytest.raises(mw.WarpError, match=r"^key at .* and key at .*: the clip has too few"):
            Scene(promise.recipe, walk)
        assert promise.recipe == "stairs"
        return
    assert promise.least <= promise.measure(scene) <= promise.most


def test_every_recipe_for_walks_has_promises_that_are_measured() -> None:
    names = {path.stem for path in WARPS.glob("*.yaml")}
    elsewhere = {name for name in names if name.startswith("swing_")} | {"stepping_stones"}
    assert {promise.recipe for promise in PROMISES} == names - elsewhere
