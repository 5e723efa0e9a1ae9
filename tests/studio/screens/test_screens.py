"""What the screens make, without a browser; and that copied code makes the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionweave.clips import load, save
from motionweave.core.motion import Motion
from motionweave.errors import MotionweaveError
from motionweave.measure import measures
from motionweave.methods.blending.blend import blend
from motionweave.methods.blending.trace import on_curve, walk
from motionweave.methods.blending.transition import transition
from motionweave.methods.joining.junctions import Junction
from motionweave.registration.register import register
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Common, Document, ShelfClip
from motionweave.studio.screens import SCREENS
from motionweave.studio.screens.blend.keys import shifted
from motionweave.studio.screens.blend.measures import unit_of
from motionweave.studio.screens.blend.model import BlendSettings, parts
from motionweave.studio.screens.blend.screen import BlendScreen
from motionweave.studio.screens.transition.model import TransitionSettings, why
from motionweave.studio.screens.transition.screen import TransitionScreen
from tests.studio.recipes import by_commands, by_python


def document(**settings: Any) -> Document:
    """Three gaits on the shelf, and all screens' first settings but for those given."""
    clips = tuple(
        ShelfClip(f"c{i}", name, sample(name), "sample", name)
        for i, name in enumerate(("walk", "jog", "sneak"))
    )
    first = {screen.name: screen.Settings() for screen in SCREENS}
    return Document(clips, {"common": Common(clean=False), **first, **settings})


BLEND = BlendSettings(("c0", "c1", "c2"), (0.5, 0.3, 0.2))
JOIN = TransitionSettings(("c0", "c1"))


def test_a_blend_is_what_the_library_gives() -> None:
    made = BlendScreen.make(document(blend=BLEND), False)
    curve = register(sample("walk"), sample("jog"), sample("sneak"))
    expected = blend(curve, [0.5, 0.3, 0.2], clean=False)
    np.testing.assert_array_equal(made.motion.rotations, expected.rotations)
    assert [look.id for look in made.looks] == ["result", "ghost0", "ghost1", "ghost2"]


def test_a_drag_makes_no_clean_up_but_its_end_does() -> None:
    settings = document(blend=BLEND, common=Common(clean=True))
    live = BlendScreen.make(settings, True).motion
    final = BlendScreen.make(settings, False).motion
    assert not np.array_equal(live.rotations, final.rotations)


def test_comparing_shows_both_ways() -> None:
    made = BlendScreen.make(document(blend=replace(BLEND, compare=True)), False)
    assert [look.label for look in made.looks] == ["registered", "linear"]
    assert not any(look.ghost for look in made.looks)


def test_weights_over_time_change_the_end_but_not_the_beginning() -> None:
    keys = ((0.0, (1.0, 0.0, 0.0)), (1.0, (1.0, 0.0, 0.0)), (3.0, (0.0, 1.0, 0.0)))
    steered = replace(BLEND, cyclic=True, mode="time", keys=keys, duration=4.0)
    made = BlendScreen.make(document(blend=steered), False).motion
    plain = BlendScreen.make(
        document(blend=replace(BLEND, cyclic=True, weights=(1.0, 0.0, 0.0), duration=4.0)), False
    ).motion
    np.testing.assert_allclose(made.root[:25], plain.root[:25], atol=1e-9)
    assert np.abs(made.root[-1] - plain.root[-1]).max() > 0.2


def test_a_measure_is_met() -> None:
    from motionweave.measure.measures import speed

    asked = replace(BLEND, mode="parameters", wanted=(("speed", 1.8),))
    made = BlendScreen.make(document(blend=asked), False)
    assert speed(made.motion) == pytest.approx(1.8, abs=0.02)
    low, high = made.details.ranges["speed"]
    assert low < 1.8 < high


@pytest.mark.parametrize("cyclic", [False, True])
def test_ghosts_show_the_frames_that_are_blended(cyclic: bool) -> None:
    """In step all the way, and the same motions whatever the weights are."""
    settings = replace(BLEND, cyclic=cyclic, weights=(0.2, 0.7, 0.1), duration=3.0)
    first = document(blend=settings)
    made = BlendScreen.make(first, True)
    curve = made.details.registered.curve
    start = curve.timewarp.start
    duration = 3.0 if cyclic else None
    rate = curve.motions[0].fps
    u, _ = walk(curve, settings.weights, start, duration, rate, 1, "durations")
    frames = curve.timewarp.frames(on_curve(curve, u))
    for j, look in enumerate(made.looks[1:]):
        assert len(look.clock) == len(made.motion)
        shown = look.motion.sample(np.asarray(look.clock))
        blended = curve.motions[j].sample(frames[:, j])
        # The root is turned along the curve.
        apart = np.abs(np.sum(shown.rotations * blended.rotations, axis=-1))[:, 1:]
        # Between frames of a ghost there is a straight line where the input has a curve.
        assert 2.0 * np.degrees(np.arccos(np.clip(apart, 0.0, 1.0))).max() < 4.0
    lighter = replace(settings, weights=(0.3, 0.6, 0.1))
    other = BlendScreen.make(replace(first, settings={**first.settings, "blend": lighter}), True)
    same = [a.motion is b.motion for a, b in zip(made.looks, other.looks, strict=True)]
    assert same == [False, True, True, True]


def test_a_clip_that_left_the_shelf_leaves_the_blend() -> None:
    settings = document(blend=BLEND).without_clip("c1")
    clips, weights = parts(settings)
    assert [clip.id for clip in clips] == ["c0", "c2"]
    assert weights == pytest.approx([0.5 / 0.7, 0.2 / 0.7])
    assert not BlendScreen.missing(settings)
    assert BlendScreen.missing(settings.without_clip("c0"))
    assert BlendScreen.missing(settings.without_clip("c0").without_clip("c2"))


def test_taking_clips_in_keeps_the_proportions_of_the_others() -> None:
    more = BlendScreen.with_clips(replace(BLEND, clips=("c0", "c1"), weights=(0.8, 0.2)), ("c0",))
    assert more.weights == (1.0,)
    three = BlendScreen.with_clips(BLEND, ("c0", "c1", "c2", "c3"))
    assert sum(three.weights) == pytest.approx(1.0)
    assert three.weights[0] / three.weights[1] == pytest.approx(0.5 / 0.3)
    assert three.weights[3] == pytest.approx(0.25)


def test_clips_taken_in_one_by_one_have_equal_shares() -> None:
    settings = replace(BLEND, clips=(), weights=())
    for count in (1, 2, 3, 4):
        settings = BlendScreen.with_clips(settings, tuple(f"c{i}" for i in range(count)))
        assert settings.weights == pytest.approx([1.0 / count] * count)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0, 1.7, -1.0])
def test_setting_one_weight_keeps_the_sum(value: float) -> None:
    for row in ((0.2, 0.3, 0.5), (1.0, 0.0, 0.0), (0.0, 0.5, 0.5)):
        got = shifted(row, 0, value)
        assert sum(got) == pytest.approx(1.0)
        assert min(got) >= 0.0
        assert got[0] == pytest.approx(min(max(value, 0.0), 1.0))


def test_a_transition_at_the_best_place_and_at_another() -> None:
    best = TransitionScreen.make(document(transition=JOIN), False)
    marked = [place.frames for place in best.details.places]
    assert best.details.chosen in marked
    another = marked[-1]
    assert another != best.details.chosen
    other = replace(JOIN, at=another, half_width=0.3)
    made = TransitionScreen.make(document(transition=other), False)
    assert made.details.chosen == another
    # The automatic choice is still known, but in a drag there is no time to look for it.
    assert made.details.places[0].frames != another
    assert TransitionScreen.make(document(transition=other), True).details.places == ()
    assert len(made.motion) != len(best.motion)


def test_the_place_that_is_marked_is_the_one_that_is_taken() -> None:
    """Of the best places the library takes one at which the transition is calm.

    It is the first that is listed, whatever the others look like before they are tried.
    """
    narrow = document(transition=replace(JOIN, half_width=0.4))
    made = TransitionScreen.make(narrow, False)
    first, second = made.inputs
    expected = transition(first, second, half_width=round(0.4 * first.fps), clean=False)
    np.testing.assert_allclose(made.motion.root, expected.root, atol=1e-9)
    places = made.details.places
    assert made.details.chosen == places[0].frames
    # Each place is listed once, also the one that was taken.
    far = [np.abs(np.subtract(a.frames, b.frames)).max() for a, b in combinations(places, 2)]
    assert min(far) > 2
    again = transition(first, second, at=made.details.chosen, half_width=12, clean=False)
    np.testing.assert_allclose(made.motion.root, again.root, atol=1e-9)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (((0.09, 0.3), (0.08, 0.4)), "no poses are closer"),
        (((0.05, 0.3),), "closer poses would cut off more of the clips."),
        (((0.05, 0.1),), "closer poses would make a rougher seam"),
        (((0.05, 0.3), (0.06, 0.1)), "cut off more of the clips, or make a rougher seam"),
    ],
)
def test_it_is_said_why_the_first_place_was_taken(
    others: tuple[tuple[float, float], ...], reason: str
) -> None:
    best = Junction(2 * 0.08, (10.0, 10.0), cost=0.2)
    places = [Junction(2 * far, (50.0, 9.0), cost=cost) for far, cost in others]
    assert reason in why((best, *places), 2.0)


@pytest.mark.parametrize("name", measures.names())
def test_measures_of_lengths_are_shown_in_metres_and_no_others(name: str) -> None:
    """Of a body twice as large a length is twice as long, and nothing else changes."""
    walk = sample("walk")
    measure = measures.named(name)
    twice = measure(walk.scaled(2.0)) / measure(walk)
    assert twice == pytest.approx(2.0 if " m" in unit_of(name) else 1.0)
    faster = measure(walk.faster(2.0)) / measure(walk)
    assert faster == pytest.approx({" m/s": 2.0, " s": 0.5}.get(unit_of(name), 1.0), rel=0.15)


def test_a_place_without_room_is_told() -> None:
    with pytest.raises(MotionweaveError, match="no room"):
        TransitionScreen.make(document(transition=replace(JOIN, at=(0.0, 9.0))), False)


CASES = {
    "blend": {"blend": BLEND},
    "blend, cleaned": {"blend": BLEND, "common": Common(clean=True)},
    "cycles": {"blend": replace(BLEND, cyclic=True, duration=2.5)},
    "free": {"blend": replace(BLEND, ends="free", slope_limit=3)},
    "over time": {
        "blend": replace(
            BLEND,
            cyclic=True,
            mode="time",
            keys=((0.0, (1.0, 0.0, 0.0)), (2.0, (0.0, 0.5, 0.5))),
            duration=3.0,
        )
    },
    "measure": {"blend": replace(BLEND, mode="parameters", wanted=(("speed", 1.7),))},
    "transition": {"transition": JOIN},
    "transition, there": {
        "transition": replace(JOIN, at=(42.0, 28.0), half_width=0.4),
        "common": Common(clean=True),
    },
}


def made_and_recipe(case: str) -> tuple[Motion, Any, Document]:
    settings = document(**CASES[case])
    screen: Any = TransitionScreen if "transition" in CASES[case] else BlendScreen
    return screen.make(settings, False).motion, screen.recipe(settings), settings


@pytest.mark.parametrize("case", CASES)
def test_copied_python_makes_the_same(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    motion, recipe, _ = made_and_recipe(case)
    again = by_python(recipe, tmp_path, monkeypatch)
    assert len(again) == len(motion)
    # Numbers are written with six digits.
    np.testing.assert_allclose(again.root, motion.root, atol=1e-4)
    np.testing.assert_allclose(again.rotations, motion.rotations, atol=1e-4)
    assert (tmp_path / "motion.bvh").exists()


@pytest.mark.parametrize("case", ["blend", "over time", "measure", "transition, there"])
def test_copied_commands_make_the_same(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    motion, recipe, _ = made_and_recipe(case)
    again = by_commands(recipe, tmp_path, monkeypatch)
    # The clips went through files with six decimals of a degree.
    assert len(again) == len(motion)
    np.testing.assert_allclose(again.root, motion.root, atol=2e-3)


def test_copied_commands_run_in_a_shell(tmp_path: Path) -> None:
    motion, recipe, _ = made_and_recipe("over time")
    # A file is among what is copied, as the shell takes it.
    assert "<<" in recipe.commands
    tool = tmp_path / "motionweave"
    tool.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c "
        "'import sys; from motionweave.cli.main import main; sys.exit(main())' \"$@\"\n"
    )
    tool.chmod(0o755)
    done = subprocess.run(
        ["sh", "-e"],
        input=f'PATH="{tmp_path}:$PATH"\n{recipe.commands}',
        text=True,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(load(tmp_path / "motion.bvh")) == len(motion)


def test_copied_code_names_edited_clips_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(sample("walk"), tmp_path / "class 1.bvh")
    file = load(tmp_path / "class 1.bvh")
    settings = document(blend=replace(BLEND, clips=("c0", "f"), weights=(0.5, 0.5)))
    jog = settings.clip("c1")
    assert jog is not None
    settings = settings.with_clip(
        ShelfClip("f", "class", file, "file", "class 1.bvh", trim=(3, 70), mirrored=True)
    )
    again = by_python(BlendScreen.recipe(settings), tmp_path, monkeypatch)
    motion = BlendScreen.make(settings, False).motion
    np.testing.assert_allclose(again.root, motion.root, atol=1e-4)
