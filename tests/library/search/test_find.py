"""Finding: exact copies, moved and retimed ones, other bodies, parts, poses, measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.engine import Here
from motionweave.library.index.features import TRACKED, track
from motionweave.library.search.find import exact, find


def test_a_stretch_is_found_where_it_was_cut(library: mw.Library) -> None:
    # A walk is found one cycle later just as well.
    for number in (0, 1):
        motion = library.load(number)
        first, last = len(motion) // 4, 3 * len(motion) // 4
        best = library.find(motion, frames=(first, last), most=1)[0]
        assert best.clip == library.clips[number].path
        assert best.distance < 0.05
        assert abs(best.first - first) <= 3
        assert abs(best.last - last) <= 3


def test_place_heading_size_and_tempo_do_not_matter(library: mw.Library) -> None:
    kick = library.load("fights/kick_high.npz")
    moved = kick.moved(mw.Planar(2.0, 7.0, -3.0)).scaled(1.4)
    found = [library.find(one, most=1)[0] for one in (kick, moved)]
    assert [one.clip for one in found] == ["fights/kick_high.npz"] * 2
    np.testing.assert_allclose(found[0].distance, found[1].distance, atol=1e-4)
    slow = kick.sample(np.arange(0.0, len(kick) - 1.0, 0.7))
    assert library.find(slow, most=1)[0].clip == "fights/kick_high.npz"


def test_the_index_finds_what_the_exact_search_finds(library: mw.Library) -> None:
    wanted, got = 0, 0
    for number in range(len(library)):
        example = library.index.track(number, 5, 50)
        everything = sorted(
            (one for clip in range(len(library)) for one in exact(library.index, example, clip)),
            key=lambda one: one.distance,
        )[:8]
        found = find(library.index, example, most=12)
        wanted += len(everything)
        got += sum(any(one.overlaps(other) for other in found) for one in everything)
    assert got >= 0.95 * wanted


def test_an_example_in_the_library_does_not_find_itself(library: mw.Library) -> None:
    found = library.find("walks/walk.npz", frames=(10, 40), most=10)
    assert all(not m.overlaps("walks/walk.npz", 10, 40) for m in found)


def test_an_example_given_as_a_motion_is_left_out_if_it_is_not_wanted(library: mw.Library) -> None:
    clip = "fights/kick_high.npz"
    kick = library.load(clip)
    example = kick[4:41]
    every = library.find(example, most=10)
    assert every[0].overlaps(clip, 4, 40)
    others = library.find(example, most=10, itself=False)
    assert not any(match.overlaps(clip, 4, 40) for match in others)
    assert others[0].distance == every[1].distance
    assert len(library.find(example, most=1, itself=False)) == 1
    # The same kick of a larger body is another, and so is its mirror image.
    for other in (example.scaled(1.3), mw.mirror(example)):
        found = library.find(other, most=1, itself=False, mirrored=True)
        assert found[0].clip == clip


def test_what_is_similar_to_a_mirror_image_is_found_and_mirrored(library: mw.Library) -> None:
    example = "walks/walk_left.npz"
    found = library.find(example, frames=(20, 120), most=40, mirrored=True)
    sides = {(match.clip, match.mirrored) for match in found}
    assert ("walks/walk_right.npz", True) in sides
    # Nothing is found twice, on either side.
    for number, one in enumerate(found):
        assert not any(one.overlaps(two.clip, two.first, two.last) for two in found[:number])
    nearest = next(match for match in found if match.mirrored)
    ours, theirs = track(library.load(example)[20:121]).heading, track(nearest.load()).heading
    np.testing.assert_allclose(theirs[-1] - theirs[0], ours[-1] - ours[0], atol=0.1)


def test_one_pose_is_found(library: mw.Library) -> None:
    kick = library.load("fights/kick_high.npz")
    at = len(kick) // 2
    best = library.find(kick[at], most=1)[0]
    assert best.clip == "fights/kick_high.npz"
    assert abs(best.first - at) <= 2


def test_arms_alone(library: mw.Library) -> None:
    punch = library.load("fights/punch.npz")
    assert library.find(punch, part="arms", most=1)[0].clip == "fights/punch.npz"
    with pytest.raises(mw.RigError, match="no part of the body"):
        library.find(punch, part="tail")


def test_by_measures(library: mw.Library) -> None:
    turning = {m.clip for m in library.find(measures={"turn": (20.0, None)})}
    assert turning == {"walks/walk_left.npz", "jogs/jog_left.npz"}
    with pytest.raises(mw.LibraryError, match="there is no measure 'fun'"):
        library.find(measures={"fun": (0.0, None)})


def test_through_others_reaches_further_and_says_how(library: mw.Library) -> None:
    near = library.find("walks/walk.npz", frames=(0, 45), limit=0.06, most=50)
    far = library.find("walks/walk.npz", frames=(0, 45), limit=0.06, most=50, through_others=True)
    assert len(far) >= len(near)
    for match in far:
        assert match.distance <= 0.06
        assert match.path.shape[1] == 2
        assert np.all(np.diff(match.path[:, 0]) > 0)
        assert np.all(np.diff(match.path[:, 1]) >= 0)


def test_a_track_is_blind_to_unit_and_frame_rate() -> None:
    walk = mw.sample("walk", fps=30.0)
    a, b = track(walk), track(mw.sample("walk", fps=60.0).scaled(100.0))
    assert a.points.shape[1] == len(TRACKED)
    n = min(len(a), len(b))
    np.testing.assert_allclose(a.points[:n], b.points[:n], atol=0.02)


@pytest.mark.wild
def test_bodies_of_many_sources_find_their_own_kind(wild: Path, tmp_path: Path) -> None:
    """The nearest clip to a run is a run, a punch's a punch, across styles and takes."""
    folder = wild / "bandai_namco_1"
    library = mw.Library(folder, store=tmp_path / "store", executor=Here())
    library.add()
    right = 0
    examples = [e.path for e in library.clips if "_run_" in e.path or "_punch_" in e.path]
    for path in examples:
        best = library.find(path, most=1)[0]
        # To dash is to run.
        kinds = [one.split("_")[1].replace("dash", "run") for one in (best.clip, path)]
        right += kinds[0] == kinds[1]
    assert right >= len(examples) - 1
