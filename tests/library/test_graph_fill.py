"""Graphs, walks, collections and fills."""

from __future__ import annotations

import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.floor import Floor
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.core.concatenation import concatenate
from motionweave.errors import Remedy
from motionweave.library import walk
from motionweave.library.bending import bent
from motionweave.library.engine import Here
from motionweave.library.features import TRACKED, places_of, track
from motionweave.library.fill import _met
from motionweave.library.graph import STAY, Graph, build, packed, unpacked
from motionweave.library.lines import Line
from motionweave.library.prediction import Process, beside
from motionweave.library.reaching import reached
from motionweave.library.stepping import _kept, _lifts, contacts_in_gap, stepped
from motionweave.library.trust import fits, interpolated, towards


@pytest.fixture(scope="module")
def graph(library: mw.Library) -> Graph:
    return library.graph(tolerance=2.0)


def test_from_every_junction_one_can_go_on(graph: Graph) -> None:
    assert len(graph) > 10
    for junction in range(len(graph)):
        clip, sample = int(graph.clips[junction, 1]), int(graph.samples[junction, 1])
        assert len(graph.leaving(clip, sample + STAY)) > 0 or sample + STAY <= 0


def test_junctions_are_near_and_few(graph: Graph) -> None:
    assert graph.distances.max() <= 2.0 * 0.30
    assert np.all(graph.samples >= 0)
    same = graph.clips[:, 0] == graph.clips[:, 1]
    assert np.all(np.abs(np.diff(graph.samples[same], axis=1)) > STAY)


def test_a_graph_is_kept_until_clips_change(library: mw.Library, graph: Graph) -> None:
    again = unpacked(packed(graph), library.index)
    np.testing.assert_array_equal(again.clips, graph.clips)
    np.testing.assert_array_equal(again.arrivals.x, graph.arrivals.x)


def test_words_that_no_clip_has_are_told_apart_from_clips_that_do_not_fit(
    library: mw.Library,
) -> None:
    with pytest.raises(mw.LibraryError, match="no clip of the library has these words"):
        library.graph(words="nonsense")


def test_progress_is_told_up_to_the_end(library: mw.Library) -> None:
    told: list[tuple[int, int]] = []
    build(
        library.index,
        library.store.folder,
        tolerance=2.0,
        executor=Here(),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))


def test_workers_give_the_same_graph(library: mw.Library, graph: Graph) -> None:
    with ProcessPoolExecutor(1) as pool:
        other = build(library.index, library.store.folder, tolerance=2.0, executor=pool)
    np.testing.assert_array_equal(other.samples, graph.samples)
    np.testing.assert_array_equal(other.distances, graph.distances)


def test_a_random_walk_is_as_long_as_asked_and_repeatable(
    library: mw.Library, graph: Graph
) -> None:
    walks = [library.walk(seconds=6.0, seed=3, graph=graph) for _ in range(2)]
    assert abs(walks[0].motion.duration - 6.0) < 2.5
    np.testing.assert_array_equal(walks[0].motion.root, walks[1].motion.root)


def test_a_doubtful_walk_names_a_remedy_of_walks(
    library: mw.Library, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubtful(*motions: mw.Motion, **_: object) -> mw.Motion:
        warnings.warn(mw.QualityWarning("a foot slides", None, [Remedy("at")]), stacklevel=2)
        return motions[0]

    monkeypatch.setattr(walk, "transition", doubtful)
    with pytest.warns(mw.QualityWarning, match=r"a foot slides; use seed=\.\.\.$"):
        library.walk(seconds=6.0, seed=3, graph=graph)


def test_a_walk_follows_a_straight_path(library: mw.Library, graph: Graph) -> None:
    walk = library.walk([(0.0, 0.0), (0.0, 5.0)], graph=graph)
    assert walk.error is not None
    assert walk.error < 0.5
    assert abs(walk.motion.root[-1, 2] - 5.0) < 1.0


def test_a_walk_needs_one_wish(library: mw.Library, graph: Graph) -> None:
    with pytest.raises(mw.LibraryError, match="a walk needs one of"):
        library.walk(graph=graph)
    with pytest.raises(mw.LibraryError, match="two or more places"):
        library.walk([(0.0, 0.0)], graph=graph)


def test_collecting_registers_a_kind(library: mw.Library) -> None:
    found = library.collect("walks/walk.npz", frames=(0, 40), limit=0.25)
    assert len(found) >= 2
    assert len(found.motions) == len(found) + 1
    curve = found.registered(["speed"], most=3)
    assert len(curve.motions) >= 2


def test_a_fill_meets_both_ends_exactly(library: mw.Library) -> None:
    walk = library.load("walks/walk.npz")
    for after in (walk[50:], walk[50]):
        filled = mw.inbetween(walk[:36], after, 15 / 30.0, library)
        assert len(filled) == 36 + 14 + len(after)
        np.testing.assert_allclose(filled.root[:36], walk.root[:36], atol=1e-12)
        np.testing.assert_allclose(filled.root[50:], after.root, atol=1e-12)
        np.testing.assert_allclose(
            np.abs(np.sum(filled.rotations[50:] * after.rotations, axis=-1)), 1.0, atol=1e-9
        )


def test_what_was_cut_out_of_a_clip_of_the_library_comes_back(library: mw.Library) -> None:
    """The stretch itself is the best fill, and nothing is done to it on the way."""
    for path in ("walks/walk.npz", "fights/kick_high.npz"):
        motion = library.load(path)
        filled = mw.inbetween(motion[:30], motion[45:], 16 / 30.0, library)
        apart = np.linalg.norm(filled.positions() - motion.positions(), axis=-1)
        assert apart.max() < 0.02


def test_a_fill_is_nearer_to_the_truth_than_a_straight_line(library: mw.Library) -> None:
    walk = mw.sample("walk", speed=1.35)
    truth = walk.positions()[30:60]
    filled = mw.inbetween(walk[:30], walk[60:], 31 / 30.0, library).positions()[30:60]
    share = (np.arange(1, 31) / 31)[:, None, None]
    ends = walk.positions()[[29, 60]]
    line = ends[0] + share * (ends[1] - ends[0])
    assert (
        np.linalg.norm(filled - truth, axis=-1).mean()
        < 0.6 * np.linalg.norm(line - truth, axis=-1).mean()
    )


@pytest.mark.parametrize("degrees", [30.0, 120.0, 180.0])
def test_a_bone_that_is_twisted_on_other_rigs_is_twisted_back(degrees: float) -> None:
    jog = mw.sample("jog")
    forearm = mw.find_rig(jog.skeleton).roles["left_forearm"]
    bone = jog.skeleton.offsets[list(jog.skeleton.parents).index(forearm)]
    twist = rotations.exp(np.radians(degrees) * bone / np.linalg.norm(bone))
    turned = np.array(jog.rotations)
    turned[:, forearm] = rotations.multiply(jog.rotations[:, forearm], twist)
    # From frame 10 to 30, with one more on either side.
    stretch = replace(jog, rotations=turned)[9:32].moved(mw.Planar(0.7, 1.0, 2.0))
    met = _met(stretch, jog[:11], jog[30:])
    angles = rotations.angle_between(met.rotations, jog[9:32].rotations)
    assert angles.max() < 1e-6


def test_a_foot_that_stands_before_a_gap_stays_where_it_is(library: mw.Library) -> None:
    walk = mw.sample("walk", speed=1.35)
    filled = mw.inbetween(walk[:30], walk[60], 31 / 30.0, library)
    points = contact_points(filled)
    across = [c for c in filled.constraints if c.kind in points and c.start < 28 and c.end > 33]
    assert across
    for contact in across:
        # The last frames of a contact are those in which the foot begins to leave.
        held = points[contact.kind][28 : int(contact.end) - 2]
        assert np.ptp(held[:, [0, 2]], axis=0).max() < 0.002 * leg_length(filled.skeleton)


def dragged() -> tuple[mw.Motion, int, int]:
    """A walk whose gap is interpolated, so that its feet are dragged over the floor."""
    walk = mw.sample("walk")
    first, last = 24, 42
    line = interpolated(walk[: first + 1], walk[last:], last - first + 3)[2:-2]
    return concatenate([walk[: first + 1], line, walk[last:]]), first, last


def test_feet_step_as_their_contacts_say() -> None:
    motion, first, last = dragged()
    floor = Floor(float(motion.positions()[..., 1].min()))
    # Whole feet cannot be held by toe and heel where the interpolation turns them.
    contacts = tuple(c for c in mw.sample("walk").constraints if c.kind.endswith("toe"))
    motion = motion.with_constraints(contacts)
    done = stepped(motion, first, last, floor)
    outside = np.r_[: first + 1, last : len(motion)]
    np.testing.assert_array_equal(done.root[outside], motion.root[outside])
    np.testing.assert_array_equal(done.rotations[outside], motion.rotations[outside])
    points, before = contact_points(done), contact_points(motion)
    crossing = [c for c in contacts if c.start < last - 2 and c.end > first + 2]
    assert len(crossing) == 2
    for contact in crossing:
        low, high = max(contact.start, first), min(contact.end, last)
        held = slice(int(np.ceil(low)), int(high) + 1)
        went, dragged_along = (
            np.ptp(one[contact.kind][held][:, [0, 2]], axis=0).max() for one in (points, before)
        )
        # Stiff legs of an interpolation do not reach all the way.
        assert went < 0.35 * dragged_along


def test_a_foot_is_lifted_to_step_by_as_much_as_the_step_is_long() -> None:
    stands, fixed = np.ones(40, dtype=bool), np.zeros(40, dtype=bool)
    stands[12:27] = False
    fixed[:6], fixed[36:] = True, True
    share = np.clip((np.arange(40) - 11) / 16.0, 0.0, 1.0)
    heights = []
    for length in (0.0, 0.1, 0.5):
        way = np.column_stack([0.0 * share, length * share])
        lifts = _lifts(way, np.zeros(40), stands, fixed, 30.0)
        np.testing.assert_array_equal(lifts[stands], 0.0)
        heights.append(lifts[19])
        # One that is high enough as it is stays there.
        np.testing.assert_array_equal(_lifts(way, np.full(40, 0.1), stands, fixed, 30.0), 0.0)
    assert heights[0] == 0.0
    assert 0.0 < heights[1] < 0.02
    assert 0.03 < heights[2] < 0.06


def test_a_foot_keeps_its_place_exactly_while_it_stands() -> None:
    rng = np.random.default_rng(5)
    points = np.cumsum(rng.normal(0.02, 0.01, (2, 40, 2)), axis=1)
    points[1] = points[0] + [0.0, 0.2]
    held = np.zeros((2, 40), dtype=bool)
    held[0, 3:12], held[1, 8:15] = True, True
    held[1, 22:30] = True
    fixed = np.zeros(40, dtype=bool)
    fixed[:6], fixed[36:] = True, True
    shift = _kept(points, held, fixed)
    np.testing.assert_array_equal(shift[fixed], 0.0)
    placed = points + shift
    np.testing.assert_allclose(placed[:, 5:15], placed[:, 5:6] + np.zeros((10, 1)), atol=1e-12)
    np.testing.assert_allclose(placed[1, 22:30], placed[1, 22] + np.zeros((8, 1)), atol=1e-12)
    # Where nothing tells where it should stand, it stands where it was in the mean.
    np.testing.assert_allclose(shift[22:30].mean(axis=0), 0.0, atol=1e-12)
    # It stands across the whole gap: what it drifts is spread evenly.
    held[:] = True
    steps = np.diff((points + _kept(points, held, fixed))[0, 5:37], axis=0)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-12)


def test_a_foot_that_stands_elsewhere_after_a_gap_has_made_a_step() -> None:
    motion, first, last = dragged()
    floor = Floor(float(motion.positions()[..., 1].min()))
    shares = np.ones((4, last - first + 1))
    shares[:, 10:13] = 0.8
    detected = (
        mw.Constraint(0.0, float(first), "left_toe"),
        mw.Constraint(float(last), len(motion) - 1.0, "left_toe"),
        mw.Constraint(0.0, float(first), "right_toe"),
        mw.Constraint(float(last), len(motion) - 1.0, "right_toe"),
    )
    found = contacts_in_gap(motion, detected, shares, first, floor)
    for side in ("left", "right"):
        stands = [c for c in found if c.kind == f"{side}_toe"]
        assert len(stands) == 2
        # It steps when the fewest of the stretches stand.
        assert stands[0].end < first + 10
        assert stands[1].start > first + 12
    still = replace(
        motion,
        root=np.repeat(motion.root[:1], len(motion), axis=0),
        rotations=np.repeat(motion.rotations[:1], len(motion), axis=0),
    )
    found = contacts_in_gap(still, detected, shares, first, floor)
    assert {(c.start, c.end) for c in found if "toe" in c.kind} == {(0.0, len(motion) - 1.0)}


def test_a_process_learns_what_depends_on_what_is_around() -> None:
    """What stretches do is linear in what is around them: so is the prediction, beside them all."""
    rng = np.random.default_rng(2)
    apart = rng.normal(0.4, 1.0, (300, 4))
    apart = apart[np.argsort(np.linalg.norm(apart, axis=1))]
    slopes = rng.normal(size=(4, 6))
    done = 1.0 + apart @ slopes
    clips = np.arange(300) // 3
    same = clips[:64, None] == clips
    process = Process(apart)
    np.testing.assert_allclose(process.shares @ done, 1.0, atol=0.05)
    assert np.abs(done[:32].mean(axis=0) - 1.0).max() > 0.1
    near = np.full(64, 1.0 / 64.0)
    assert process.trust(done, same, near) > 0.95
    # What nothing around explains is not trusted, ...
    assert process.trust(rng.normal(size=done.shape), same, near) < 0.2
    # ... except that of the very stretch that the gap was cut out of, which is taken alone.
    copied = Process(apart - apart[0])
    random = rng.normal(size=done.shape)
    np.testing.assert_allclose(copied.shares, np.eye(300)[0], atol=1e-6)
    assert copied.trust(random, same, near) > 0.999


def test_stretches_that_overlap_do_not_vouch_for_each_other() -> None:
    """It is as if those that count as the same were not in the library: by brute force."""
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(40, 3))
    apart = apart[np.argsort(np.linalg.norm(apart, axis=1))]
    clips = rng.integers(0, 12, 40)
    done = np.cos(apart) + rng.normal(size=apart.shape)
    unit = np.sum(apart[31] ** 2)
    inside = apart @ apart.T / unit
    squares = np.diag(inside)
    covariance = (
        1.0
        + np.exp(-0.25 * (squares[:, None] + squares - 2.0 * inside))
        + 0.1 * inside
        + np.diag(0.15 * squares + 1e-9)
    )
    guessed = explained = 0.0
    for number in range(8):
        others = np.flatnonzero(clips != clips[number])
        weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, number])
        guess = weights @ done[others]
        guessed, explained = guessed + guess @ guess, explained + guess @ done[number]
    trusted = Process(apart).trust(done, clips[:8, None] == clips, np.full(8, 1.0 / 8.0))
    assert 0.0 < trusted < 1.0
    assert trusted == pytest.approx((explained / guessed) ** 4)


def test_going_evenly_is_doing_nothing() -> None:
    """A pose that glides and turns evenly does nothing beside it, however it began."""
    pose = np.random.default_rng(4).normal(size=(len(TRACKED), 3))
    pose[0, [0, 2]] = 0.0
    share = np.linspace(0.0, 1.0, 9)
    turned = mw.Planar(0.8 * share[:, None]).apply(np.broadcast_to(pose, (9, *pose.shape)))
    seen = turned + share[:, None, None] * np.array([1.0, 0.0, 2.0])
    np.testing.assert_allclose(beside(seen[None], np.array([0.8])), 0.0, atol=1e-12)
    seen[4, 3] += [0.0, 0.1, 0.0]
    assert np.abs(beside(seen[None], np.array([0.8]))[0, 4, 3]).max() == pytest.approx(0.1)


def test_roles_come_to_where_they_are_wanted() -> None:
    walk = mw.sample("walk")[:20]
    places = places_of(walk.skeleton, walk.positions())
    same = reached(walk, places)
    np.testing.assert_allclose(same.positions(), walk.positions(), atol=1e-12)
    # Poses of the same walk a little later can be reached, the root's place included.
    later = mw.sample("walk")[3:23]
    wanted = places_of(walk.skeleton, later.positions())
    found = places_of(walk.skeleton, reached(walk, wanted).positions())
    before, after = (np.linalg.norm(one - wanted, axis=-1).mean() for one in (places, found))
    assert after < 0.3 * before


def test_what_is_far_for_how_little_the_body_moves_does_not_fit() -> None:
    walk = mw.sample("walk")
    straight = interpolated(walk[:20], walk[40:], 24)
    for at, end in ((1, walk[19]), (-2, walk[40])):
        np.testing.assert_allclose(straight.positions()[at], end.positions()[0], atol=1e-9)
    around = [track(walk[10:20], Floor(0.0))]
    assert fits(0.02, around) == 1.0
    still = [track(walk[10].sample(np.zeros(8)), Floor(0.0))]
    assert fits(0.02, still) < 1e-6
    # Of a single pose, nobody knows how fast it moves.
    assert fits(0.02, [track(walk[10], Floor(0.0))]) == 1.0
    halfway = towards(straight, walk[18:42], 0.5).root
    np.testing.assert_allclose(halfway, 0.5 * (straight.root + walk[18:42].root), atol=1e-12)


def test_a_library_without_anything_similar_leaves_the_interpolation(library: mw.Library) -> None:
    """A body that stands still and turns its trunk a little, between walks and kicks."""
    walk = mw.sample("walk")
    turned = np.array(walk.rotations[[20] * 50])
    spine = walk.skeleton.names.index("Spine")
    nod = rotations.about_vertical(np.linspace(0.0, 0.4, 50))
    turned[:, spine] = rotations.multiply(nod, turned[:, spine])
    still = replace(
        walk[:50], root=np.repeat(walk.root[20:21], 50, axis=0), rotations=turned, constraints=()
    )
    filled = mw.inbetween(still[:15], still[40:], 26 / 30.0, library, clean=False)
    apart = np.linalg.norm(filled.positions() - still.positions(), axis=-1)
    assert apart.max() < 0.02


def test_a_fill_says_what_is_wrong(library: mw.Library, tmp_path: Path) -> None:
    walk = library.load("walks/walk.npz")
    with pytest.raises(mw.LibraryError, match="no frame in it"):
        mw.inbetween(walk[:30], walk[40:], 0.01, library)
    with pytest.raises(mw.LibraryError, match="no stretch of"):
        mw.inbetween(walk[:30], walk[40:], 60.0, library)
    empty = mw.Library(tmp_path, executor=Here())
    with pytest.raises(mw.LibraryError, match="the library is empty"):
        mw.inbetween(walk[:30], walk[40:], 1.0, empty)


def test_a_live_walk_goes_on_where_it_was_and_follows_wishes(
    library: mw.Library, graph: Graph
) -> None:
    ends = []
    for wish in (60.0, -60.0):
        live = library.live(graph=graph)
        frames = 1
        for _ in range(7):
            before = live.motion
            step = live.step(heading=wish)
            frames += len(step)
            np.testing.assert_array_equal(live.motion.root[: len(before)], before.root)
        assert len(live.motion) == frames
        # Nothing pops where steps meet: no frame moves on further than the clips do.
        fastest = max(np.abs(np.diff(library.load(n).positions(), axis=0)).max() for n in range(6))
        assert np.abs(np.diff(live.motion.positions(), axis=0)).max() < 1.3 * fastest
        ends.append(live.heading)
    assert ends[0] > ends[1] + 20.0


def test_a_bent_walk_keeps_to_its_path(library: mw.Library) -> None:
    walk = library.load("walks/walk.npz")
    turn = np.linspace(0.0, 2.4, 90)
    unit = leg_length(walk.skeleton)
    line = Line(8.0 * np.column_stack([1.0 - np.cos(turn), np.sin(turn)]))
    walk = walk.moved(mw.Planar(0.0, *(-walk.root[0, [0, 2]])))
    curved = bent(walk, line, unit, np.radians(10.0))
    errors = [line.error(motion.root[:, [0, 2]] / unit) for motion in (walk, curved)]
    assert errors[1] < 0.15
    assert errors[1] < 0.2 * errors[0]
    # It is bent, not stretched: steps are as long as they were.
    steps = [np.linalg.norm(np.diff(m.root, axis=0), axis=1) for m in (walk, curved)]
    np.testing.assert_allclose(steps[0], steps[1], atol=1e-9)
    straight = bent(walk, Line(np.array([[0.0, 0.0], [0.0, 20.0]])), unit, 0.1)
    assert np.abs(straight.root - walk.root).max() < 0.05 * unit
