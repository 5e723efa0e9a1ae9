"""Operators: the library's results, in a new action, and nothing else changed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionweave as mw
from tests.blender.extension.conftest import (
    activate,
    apart,
    imported,
    motion_of,
    part,
    take_of,
)
from tests.docs.blocks import ROOT, blocks

CLOSE = 1e-5
BOTH = [{"name": "walk", "weight": 0.3}, {"name": "jog", "weight": 0.7}]


def _state(pair: SimpleNamespace) -> tuple[Any, ...]:
    """All that an operator must leave as it is, but for the action being played."""
    curves = part("bridge.actions").curves_for
    return (
        pair.bpy.context.scene.frame_current,
        tuple(np.round(np.array(pair.owner.matrix_world), 6).ravel()),
        tuple(
            (c.data_path, c.array_index, tuple(v for k in c.keyframe_points for v in k.co))
            for action in (pair.walk, pair.jog)
            for c in curves(action, pair.owner)
        ),
        tuple(bone.rotation_mode for bone in pair.owner.pose.bones),
    )


def _made(pair: SimpleNamespace, operator: str, **values: Any) -> mw.Motion:
    """What an operator makes, as a motion; that it changes nothing else is checked."""
    before, known = _state(pair), set(pair.bpy.data.actions)
    assert getattr(pair.bpy.ops.motionweave, operator)(**values) == {"FINISHED"}
    assert _state(pair) == before
    (new,) = set(pair.bpy.data.actions) - known
    assert pair.owner.animation_data.action == new
    return motion_of(pair.bpy, pair.owner, new)


@pytest.fixture
def motions(pair: SimpleNamespace) -> list[mw.Motion]:
    """What motionweave sees of the two actions."""
    takes = [take_of(pair.bpy, pair.owner, action) for action in (pair.walk, pair.jog)]
    return part("compute.convert").to_motions(takes)


def test_motions_are_those_of_the_files(
    pair: SimpleNamespace, motions: list[mw.Motion], clips: Path
) -> None:
    for motion, name in zip(motions, ("walk", "jog"), strict=True):
        filed = mw.load(clips / f"{name}.bvh")
        # The importer sets the clip on z = up as it is: same places, same skeleton.
        assert motion.skeleton.same_joints(filed.skeleton)
        # A BVH file has six digits.
        assert apart(motion, filed) < 5 * CLOSE
        assert [c.kind for c in motion.constraints] == [c.kind for c in filed.constraints]


def test_blend(pair: SimpleNamespace, motions: list[mw.Motion], clips: Path) -> None:
    made = _made(pair, "blend", clips=BOTH)
    assert apart(made, mw.blend(mw.register(*motions), [0.3, 0.7])) < CLOSE
    filed = [mw.load(clips / f"{name}.bvh") for name in ("walk", "jog")]
    assert apart(made, mw.blend(mw.register(*filed), [0.3, 0.7])) < 10 * CLOSE


def test_blend_along_keyframes(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    scene = pair.bpy.context.scene
    for action in ("walk", "jog"):
        pair.bpy.ops.motionweave.clip_add(name=action)
    scene.frame_end = 60
    for frame, weight in ((1, 0.0), (60, 1.0)):
        scene.motionweave.clips[1].weight = weight
        scene.motionweave.clips[1].keyframe_insert("weight", frame=frame)
        scene.motionweave.clips[0].weight = 1.0 - weight
        scene.motionweave.clips[0].keyframe_insert("weight", frame=frame)
    made = _made(pair, "blend", along="KEYS")
    rows = []
    for frame in range(1, 61):
        scene.frame_set(frame)
        rows.append([clip.weight for clip in scene.motionweave.clips])
    table = np.array(rows)

    def weights(t: float) -> list[float]:
        return [float(np.interp(30 * t, np.arange(60), column)) for column in table.T]

    assert apart(made, mw.blend(mw.register(*motions), weights)) < CLOSE


def test_blend_along_a_property(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    pair.owner["blend"] = 0.25
    made = _made(pair, "blend", clips=BOTH, along="PROPERTY")
    assert apart(made, mw.blend(mw.register(*motions), lambda t: [0.75, 0.25])) < CLOSE


def test_the_live_blend_follows_its_sliders(
    pair: SimpleNamespace, motions: list[mw.Motion]
) -> None:
    live, chosen = part("operators.live"), pair.bpy.context.scene.motionweave
    for action in ("walk", "jog"):
        pair.bpy.ops.motionweave.clip_add(name=action)
    _made(pair, "blend")
    action, count = chosen.live_action, len(pair.bpy.data.actions)
    chosen.clips[0].weight, chosen.clips[1].weight = 0.9, 0.1
    # Blender's timers need a window; their steps do not.
    while live.update(pair.bpy.context):
        time.sleep(0.01)
    made = motion_of(pair.bpy, pair.owner, action)
    assert apart(made, mw.blend(mw.register(*motions), [0.9, 0.1])) < CLOSE
    assert len(pair.bpy.data.actions) == count


def test_parametric(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    from motionweave.measure.measures import named

    space = mw.parametric(mw.register(*motions), {"speed": named("speed")})
    value = float(np.mean(space.ranges["speed"]))
    made = _made(pair, "parametric", clips=BOTH, measure="speed", value=value)
    assert apart(made, space.at(speed=np.float32(value)).motion) < 10 * CLOSE


def test_transition(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    assert apart(_made(pair, "transition", clips=BOTH), mw.transition(*motions)) < CLOSE
    made = _made(pair, "transition", clips=BOTH, given=True, leave=51.0, enter=21.0)
    assert apart(made, mw.transition(*motions, at=(50, 20))) < CLOSE


def test_transition_as_strips(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    """The strips one after the other show what the one action shows."""
    whole = take_of(pair.bpy, pair.owner, _action(pair, "transition"))
    before = _state(pair)
    assert pair.bpy.ops.motionweave.transition(clips=BOTH, result="NLA") == {"FINISHED"}
    assert _state(pair) == before
    (track,) = pair.owner.animation_data.nla_tracks
    assert len(track.strips) == 3
    assert track.strips[0].action == pair.walk
    for number in range(0, len(whole), 7):
        pair.bpy.context.scene.frame_set(int(whole.start) + number)
        world = np.array(pair.owner.matrix_world) @ part("bridge.sampling").pose_of(pair.owner)
        assert np.abs(world - whole.world()[number]).max() < 1e-4


def _action(pair: SimpleNamespace, operator: str) -> Any:
    assert getattr(pair.bpy.ops.motionweave, operator)(clips=BOTH) == {"FINISHED"}
    return pair.owner.animation_data.action


def test_clean_feet(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    made = _made(pair, "clean_feet", action="walk")
    assert apart(made, mw.clean_feet(motions[0])) < CLOSE


def test_loop(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    made = _made(pair, "loop", action="walk", rounds=2)
    assert apart(made, mw.loop(motions[0], rounds=2)) < CLOSE


def test_in_place_and_back(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    made = _made(pair, "place", action="walk", way="in_place")
    assert apart(made, mw.in_place(motions[0])) < CLOSE
    again = _made(pair, "place", way="travel")
    assert apart(again, mw.travel(mw.in_place(motions[0]))) < 1e-3


def test_root_motion(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    """The same motion in the world; the object goes, the body stays on it."""
    made = _made(pair, "place", action="walk", way="root_motion")
    assert apart(made, motions[0]) < 1e-4
    take = take_of(pair.bpy, pair.owner, pair.owner.animation_data.action)
    hips = take.poses[:, 0, :3, 3]
    assert np.ptp(take.objects[:, :2, 3], axis=0).max() > 1.0
    assert np.ptp(hips, axis=0).max() < 0.5


def test_warp(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    bpy, owner = pair.bpy, pair.owner
    part("bridge.actions").assign(owner, pair.walk)
    bpy.context.scene.frame_set(40)
    name = motions[0].skeleton.names[motions[0].skeleton.names.index("LeftUpLeg") - 1]
    bone = owner.pose.bones["Head"] if "Head" in owner.pose.bones else owner.pose.bones[name]
    bone.rotation_euler.x += 0.5
    bpy.context.view_layer.update()
    posed = part("bridge.sampling").posed(bpy.context, owner, "posed")
    assert bpy.ops.motionweave.mark_pose() == {"FINISHED"}
    made = _made(pair, "warp", action="walk")
    target = part("compute.convert").to_motion(posed, contacts=False)
    joint = made.skeleton.index(bone.name)
    key = mw.Key(39.0, bone.name, rotation=target.rotations[0, joint])
    assert apart(made, mw.warp(motions[0], [key])) < CLOSE
    assert np.abs(made[39].positions() - target.positions()).max() < 1e-4


def test_contacts(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    assert pair.bpy.ops.motionweave.contacts(action="walk") == {"FINISHED"}
    marked = take_of(pair.bpy, pair.owner, pair.walk).contacts
    found = mw.detect_contacts(motions[0])
    assert len(marked) == len(found)
    for (first, last, kind), contact in zip(marked, sorted(found), strict=True):
        assert (kind, first, last) == (contact.kind, round(contact.start), round(contact.end))


def test_quality(pair: SimpleNamespace, capfd: pytest.CaptureFixture[str]) -> None:
    assert pair.bpy.ops.motionweave.quality(action="walk") == {"FINISHED"}
    assert "skat" in capfd.readouterr().out.lower()


def test_retarget(pair: SimpleNamespace, motions: list[mw.Motion], clips: Path) -> None:
    bpy = pair.bpy
    other = imported(bpy, clips / "jog.glb")
    other.scale = (0.6, 0.6, 0.6)
    bpy.context.view_layer.update()
    onto = motion_of(bpy, other, other.animation_data.action)
    result = bpy.ops.motionweave.retarget(source=pair.owner.name, action="walk")
    assert result == {"FINISHED"}
    made = motion_of(bpy, other, other.animation_data.action)
    assert apart(made, mw.retarget(motions[0], onto)) < CLOSE


def test_find(pair: SimpleNamespace, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part("operators.library"), "library_folder", lambda _: str(clips))
    assert pair.bpy.ops.motionweave.find(action="walk") == {"FINISHED"}
    found = pair.bpy.context.scene.motionweave.found[0]
    assert "walk" in found.name
    first, last = int(np.floor(found.first)), int(np.ceil(found.last))
    onto = motion_of(pair.bpy, pair.owner, pair.owner.animation_data.action)
    with mw.Library(clips) as library:
        clip = library.load(found.name)[first : last + 1].resample(onto.fps)
    made = _made(pair, "fetch", number=0)
    assert apart(made, mw.retarget(clip, onto.with_constraints(()))) < CLOSE
    # An armature that plays nothing shows in its rest pose how it is built.
    pair.owner.animation_data.action = None
    assert pair.bpy.ops.motionweave.fetch(number=0) == {"FINISHED"}


def test_what_the_documentation_says(pair: SimpleNamespace) -> None:
    """Its page is not run with the others: it needs Blender."""
    (block,) = blocks(ROOT / "docs" / "blender.md")
    count = len(pair.bpy.data.actions)
    exec(block.text, {})
    assert len(pair.bpy.data.actions) == count + 4


# The same jobs in a process beside Blender


def test_beside_blender(pair: SimpleNamespace, motions: list[mw.Motion]) -> None:
    python = os.environ.get("MOTIONWEAVE_OTHER_PYTHON")
    if not python:
        pytest.skip("make test-blender names another Python")
    engine = part("compute.engine")
    takes = [take_of(pair.bpy, pair.owner, action) for action in (pair.walk, pair.jog)]
    try:
        answer = engine.Task(python, "blend", takes, {"weights": [0.3, 0.7]}).result()
        made = part("compute.convert").to_motion(answer.takes[0])
        assert apart(made, mw.blend(mw.register(*motions), [0.3, 0.7])) < 1e-6
        with pytest.raises(engine.Problem, match="weights"):
            engine.Task(python, "blend", takes, {"weights": [0.3, 0.7, 1.0]}).result()
    finally:
        engine.end_process()


# What goes wrong


def _refused(pair: SimpleNamespace, message: str, operator: str, **values: Any) -> None:
    before, known = _state(pair), set(pair.bpy.data.actions)
    playing = pair.owner.animation_data.action
    with pytest.raises(RuntimeError, match=message):
        getattr(pair.bpy.ops.motionweave, operator)(**values)
    assert _state(pair) == before
    assert set(pair.bpy.data.actions) == known
    assert pair.owner.animation_data.action == playing


def test_no_armature(pair: SimpleNamespace) -> None:
    pair.bpy.context.view_layer.objects.active = None
    _refused(pair, "Select an armature", "blend", clips=BOTH)


def test_one_action(pair: SimpleNamespace) -> None:
    _refused(pair, "2 actions are needed, and the list has 1", "blend", clips=BOTH[:1])
    _refused(pair, "and the list has 0", "transition")
    _refused(pair, "no action 'run'", "loop", action="run")


def test_an_empty_action(pair: SimpleNamespace) -> None:
    pair.bpy.data.actions.new("empty")
    _refused(pair, "no keyframes on bones", "clean_feet", action="empty")
    _refused(
        pair, "no keyframes on bones", "blend", clips=[BOTH[0], {"name": "empty", "weight": 1.0}]
    )


def test_two_armatures(pair: SimpleNamespace, clips: Path) -> None:
    bpy = pair.bpy
    other = imported(bpy, clips / "jog.glb")
    activate(bpy, pair.owner)
    other.select_set(True)
    _refused(pair, "2 armatures are selected", "blend", clips=BOTH)
    other.select_set(False)
    for bone in other.data.bones:
        bone.name = f"other {bone.name}"
    name = other.animation_data.action.name
    _refused(pair, "bones that .* does not have", "clean_feet", action=name)
    _refused(pair, "Choose the source armature", "retarget")


def test_weights_of_nothing(pair: SimpleNamespace) -> None:
    none = [{"name": "walk", "weight": 0.0}, {"name": "jog", "weight": 0.0}]
    _refused(pair, "All weights are 0", "blend", clips=none)
    _refused(pair, "no custom property", "blend", clips=BOTH, along="PROPERTY")
    _refused(pair, "No pose of", "warp", action="walk")
    _refused(pair, "No library is chosen", "find", action="walk")


def test_no_motionweave(pair: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = part("compute.engine")
    monkeypatch.setattr(engine, "inside_problem", lambda: "no module named motionweave")
    monkeypatch.delenv(engine.VARIABLE, raising=False)
    _refused(pair, "motionweave is not installed|Motionweave is not", "blend", clips=BOTH)


def test_a_function_that_this_version_lacks() -> None:
    library = part("compute.library")
    with pytest.raises(mw.MotionweaveError, match="install a newer"):
        library.function("not_there_yet")
    with pytest.raises(mw.MotionweaveError, match="no option 'shake'"):
        library.options(mw.warp, shake=1)


def test_a_process_that_dies(pair: SimpleNamespace, tmp_path: Path) -> None:
    engine = part("compute.engine")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho something is wrong >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(engine.Problem, match="something is wrong"):
        engine.Task(str(broken), "check", [], {}).result()
    engine.end_process()


@pytest.mark.parametrize("after", [5, 150, 195])
def test_a_cancelled_job(pair: SimpleNamespace, after: int) -> None:
    """Given up while actions are read, or while the blend is computed."""
    before, known = _state(pair), set(pair.bpy.data.actions)
    playing = pair.owner.animation_data.action
    operator = part("operators.combine").MOTIONWEAVE_OT_blend
    clips = [SimpleNamespace(**one) for one in BOTH]
    job = SimpleNamespace(clips=clips, along="NOW", report=lambda *_: None)
    for name in ("chosen", "weights", "taken", "computed", "made", "_weights"):
        setattr(job, name, getattr(operator, name).__get__(job))
    steps = operator.steps(job, pair.bpy.context)
    for _ in range(after):
        if next(steps, None) is None:
            break
    else:
        steps.close()
        assert set(pair.bpy.data.actions) == known
        assert pair.owner.animation_data.action == playing
    assert _state(pair) == before


class _Window:
    """Stands for what a window has to offer, and remembers how it was used."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.told.append((name, *values))


@pytest.mark.parametrize("escape", [False, True])
def test_a_click_runs_in_slices_with_progress(pair: SimpleNamespace, escape: bool) -> None:
    """There is no window here; the modal part is driven by the events that one would send."""
    known = set(pair.bpy.data.actions)
    operator = part("operators.edit").MOTIONWEAVE_OT_clean_feet
    job = SimpleNamespace(action="walk", report=lambda *_: None, _timer="timer")
    for name in ("chosen", "taken", "computed", "made", "modal", "_ended"):
        setattr(job, name, getattr(operator, name).__get__(job))
    job._steps = operator.steps(job, pair.bpy.context)
    manager, workspace = _Window(), _Window()
    context = SimpleNamespace(window_manager=manager, workspace=workspace)
    answers = []
    while not answers or answers[-1] == {"RUNNING_MODAL"}:
        assert job.modal(context, SimpleNamespace(type="MOUSEMOVE")) == {"RUNNING_MODAL"}
        late = escape and len(answers) == 1
        answers.append(job.modal(context, SimpleNamespace(type="ESC" if late else "TIMER")))
    assert answers[-1] == ({"CANCELLED"} if escape else {"FINISHED"})
    assert len(set(pair.bpy.data.actions) - known) == (0 if escape else 1)
    shares = [one[1] for one in manager.told if one[0] == "progress_update"]
    assert shares
    assert all(0.0 <= share <= 100.0 for share in shares)
    # Whatever the end, the timer and the text in the status bar are gone.
    assert ("event_timer_remove", "timer") in manager.told
    assert manager.told[-1] == ("progress_end",)
    assert workspace.told[-1] == ("status_text_set", None)


def test_undo(pair: SimpleNamespace) -> None:
    bpy, name = pair.bpy, pair.owner.name
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    known = set(bpy.data.actions.keys())
    playing = pair.owner.animation_data.action.name
    bpy.ops.motionweave.clean_feet(action="walk")
    bpy.ops.ed.undo_push(message="after")
    assert set(bpy.data.actions.keys()) != known
    bpy.ops.ed.undo()
    assert set(bpy.data.actions.keys()) == known
    assert bpy.data.objects[name].animation_data.action.name == playing
