"""A motion begins at its pelvis, and a file gets back what stands above it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import motionweave as mw
from motionweave.body.normalize.pelvis import as_filed, at_pelvis, pelvis_of
from motionweave.core import rotations
from motionweave.io import registry
from tests.carriers import KINDS, carried, carriers


def _same_body(one: mw.Motion, other: mw.Motion, atol: float = 1e-6) -> None:
    assert one.skeleton.names == other.skeleton.names
    np.testing.assert_allclose(one.root, other.root, atol=atol)
    apart = rotations.angle_between(one.rotations, other.rotations)
    assert apart.max() < atol
    assert [c.kind for c in one.constraints] == [c.kind for c in other.constraints]
    np.testing.assert_allclose(
        [(c.start, c.end) for c in one.constraints],
        [(c.start, c.end) for c in other.constraints],
        atol=100.0 * atol,
    )


@given(above=carriers())
@settings(max_examples=20)
def test_taking_off_and_putting_back(above: dict[str, Any]) -> None:
    walk = mw.sample("walk")
    filed = carried(walk, **above)
    body = at_pelvis(filed)
    assert pelvis_of(body.skeleton) == 0
    assert body.carrier is not None
    assert body.carrier.kind == above["kind"]
    assert body.translations is None
    _same_body(body, walk, 1e-9)
    again = as_filed(body)
    assert again.skeleton == filed.skeleton
    np.testing.assert_array_equal(again.root, filed.root)
    np.testing.assert_array_equal(again.rotations, filed.rotations)
    np.testing.assert_array_equal(again.translations, filed.translations)


@given(above=carriers())
@settings(max_examples=8)
def test_time_and_place_take_the_carrier_along(above: dict[str, Any]) -> None:
    """What is done to the body is done to the whole: the body stays where it should be."""
    walk = mw.sample("walk")
    body = at_pelvis(carried(walk, **above))
    move = mw.Planar(0.7, 1.0, -2.0)
    changes = (
        lambda m: m[10:50],
        lambda m: m[::3],
        lambda m: m.sample(np.linspace(3.0, 60.0, 40)),
        lambda m: m.resample(47.0),
        lambda m: m.moved(move),
        lambda m: m.scaled(2.5),
        lambda m: mw.mirror(m),
        lambda m: mw.concatenate([m[:30], m[30:]]),
    )
    for change in changes:
        whole = as_filed(change(body))
        expected = change(walk)
        names = list(expected.skeleton.names)
        place = [whole.skeleton.index(name) for name in names]
        np.testing.assert_allclose(
            whole.positions()[:, place], expected.positions(), atol=1e-8 * 10
        )


def test_slices_of_a_recorded_carrier_are_the_records() -> None:
    filed = carried(mw.sample("walk"), "animated", deep=2, beside=True)
    part = as_filed(at_pelvis(filed)[20:40])
    np.testing.assert_array_equal(part.rotations, filed.rotations[20:40])
    np.testing.assert_array_equal(part.translations, filed.translations[20:40])


def test_a_still_carrier_stands_still_under_a_new_motion() -> None:
    walk, jog = (
        carried(mw.sample(name), "still", angle=0.4, place=(1.0, 0.0, 2.0))
        for name in ("walk", "jog")
    )
    made = mw.blend(mw.register(walk, jog), [0.5, 0.5])
    whole = as_filed(made)
    assert np.ptp(whole.positions()[:, 0], axis=0).max() == 0.0
    np.testing.assert_allclose(whole.positions()[:, 0], np.tile([1.0, 0.0, 2.0], (len(made), 1)))
    np.testing.assert_allclose(whole.positions()[:, 1], made.root, atol=1e-9)


def test_a_carrier_on_the_floor_follows_a_new_motion() -> None:
    clips = [carried(mw.sample(name), "floor") for name in ("walk_left", "walk_right")]
    made = mw.blend(mw.register(*clips), [0.7, 0.3])
    whole = as_filed(made)
    places, turns = whole.positions(), whole.orientations()
    np.testing.assert_allclose(places[:, 0, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(places[:, 1], made.root, atol=1e-9)
    # Below the pelvis but for its sway, and turned as it is but for its swing.
    apart = np.linalg.norm((places[:, 0] - made.root)[:, [0, 2]], axis=1)
    assert apart.max() < 0.06
    swing = rotations.vertical_angle(
        rotations.multiply(rotations.inverse(turns[:, 0]), made.rotations[:, 0])
    )
    assert np.abs(swing).max() < np.radians(20.0)
    up = rotations.rotate(turns[:, 0], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(up[:, 1], 1.0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["bvh", "npz", "glb", "usda", "amc"])
def test_files_keep_what_stands_above(kind: str, suffix: str, tmp_path: Path) -> None:
    if suffix == "usda":
        pytest.importorskip("pxr")
    filed = carried(mw.sample("walk"), kind, deep=2, beside=True, angle=0.5, place=(1.0, 0.2, 0.5))
    path = tmp_path / f"clip.{suffix}"
    mw.save(filed, path)
    body = mw.load(path)
    assert body.skeleton.names == mw.sample("walk").skeleton.names
    assert body.carrier is not None
    assert body.carrier.kind == kind
    assert body.carrier.names == ("above0", "above1", "prop")
    mw.save(body, tmp_path / f"again.{suffix}")
    first, second = (registry.read(tmp_path / f"{n}.{suffix}") for n in ("clip", "again"))
    assert first.skeleton.names == second.skeleton.names == filed.skeleton.names
    np.testing.assert_allclose(second.positions(), first.positions(), atol=1e-5)
    if suffix == "bvh":
        assert first.source["channels"] == second.source["channels"]
        np.testing.assert_array_equal(first.source["values"], second.source["values"])


def test_registration_files_keep_the_carrier(tmp_path: Path) -> None:
    clips = [carried(mw.sample(name), "floor") for name in ("walk", "jog")]
    curve = mw.register(*clips)
    mw.save_registration(curve, tmp_path / "gaits.mwreg")
    again = mw.load_registration(tmp_path / "gaits.mwreg")
    for kept, motion in zip(again.motions, curve.motions, strict=True):
        assert as_filed(kept).skeleton == as_filed(motion).skeleton


def test_hips_by_name_without_a_body_are_left_where_they_are() -> None:
    skeleton = mw.Skeleton(("root", "Hips", "arm"), [-1, 0, 0], np.eye(3))
    motion = mw.Motion(skeleton, 30.0, np.zeros((2, 3)), np.tile([0.0, 0, 0, 1], (2, 3, 1)))
    assert at_pelvis(motion) is motion


@pytest.mark.parametrize(
    "above",
    [("RootHips", "Hips_root"), ("Reference", "COG"), ("root", "Hips"), ("Armature", "pelvis_0")],
)
def test_whatever_the_joints_above_are_called(above: tuple[str, str]) -> None:
    walk = mw.sample("walk")
    filed = carried(walk, "still", deep=2)
    names = dict(zip(("above0", "above1"), above, strict=True))
    # The body's own hips are called so in full, to be told from a carrier of the same name.
    names["Hips"] = "Pelvis" if "Hips" in above else "Hips"
    skeleton = replace(
        filed.skeleton, names=tuple(names.get(name, name) for name in filed.skeleton.names)
    )
    body = at_pelvis(replace(filed, skeleton=skeleton))
    assert body.skeleton.names[0] == names["Hips"]
    assert body.carrier is not None
    assert body.carrier.names == above


# Every method gives the same result for a clip as it is and below a carrier


@lru_cache
def _clip(name: str) -> mw.Motion:
    return mw.sample(name)


_METHODS: dict[str, tuple[tuple[str, ...], Any]] = {
    "blend": (("walk", "jog"), lambda a, b: mw.blend(mw.register(a, b), [0.4, 0.6])),
    "cycles": (
        ("walk", "jog"),
        lambda a, b: mw.blend(mw.register(a, b, ends="cyclic"), [0.4, 0.6], duration=2.0),
    ),
    "transition": (("walk", "jog"), mw.transition),
    "join": (("walk", "jog"), mw.join),
    "framespace": (("jog", "walk"), lambda a, b: mw.framespace([a, b], "concatenate", cycles=3)),
    "spline": (
        ("landing", "jump"),
        lambda a, b: mw.subspace(a, b).transition(leave=24, enter=20, degree=2).motion,
    ),
    "warp": (("jab",), lambda a: mw.warp(a, [mw.Key(20, "left_hand", offset=(0, 0.2, 0))])),
    "heading": (("walk",), lambda a: mw.warp(a, [mw.Key(40, "heading", offset=30.0)])),
    "clean": (("walk",), mw.clean_feet),
    "mirror": (("walk_left",), mw.mirror),
    "layer": (("walk", "jab"), lambda a, b: mw.layer(a, b, start=5)),
    "loop": (("walk",), lambda a: mw.loop(a, 2)),
    "travel": (("walk",), lambda a: mw.travel(mw.in_place(mw.loop(a)))),
    "contacts": (
        ("walk",),
        lambda a: at_pelvis(replace(a, constraints=mw.detect_contacts(a))),
    ),
}


@lru_cache
def _plain(method: str) -> mw.Motion:
    names, run = _METHODS[method]
    result = run(*(_clip(name) for name in names))
    assert isinstance(result, mw.Motion)
    return result


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", _METHODS)
def test_methods_do_not_see_the_carrier(method: str, kind: str) -> None:
    names, run = _METHODS[method]
    above = {"deep": 2, "beside": True, "angle": 0.7, "place": (1.0, 0.5, -2.0)}
    made = run(*(carried(_clip(name), kind, **above) for name in names))
    _same_body(made, _plain(method), 1e-6)


@pytest.mark.parametrize("method", ["warp", "heading", "clean", "mirror"])
@given(above=carriers())
@settings(max_examples=4)
def test_no_carrier_whatever_makes_a_difference(method: str, above: dict[str, Any]) -> None:
    names, run = _METHODS[method]
    # A clip that was loaded has its carrier aside already; one made in Python has not.
    for form in (at_pelvis, lambda motion: motion):
        made = run(*(form(carried(_clip(name), **above)) for name in names))
        _same_body(made, _plain(method), 1e-6)


@given(above=carriers())
@settings(max_examples=3)
def test_measures_do_not_see_the_carrier(above: dict[str, Any]) -> None:
    walk = _clip("walk")
    filed = carried(walk, **above)
    plain, seen = mw.quality(walk), mw.quality(filed)
    for name, value in vars(plain).items():
        if isinstance(value, float):
            assert getattr(seen, name) == pytest.approx(value, rel=1e-6, abs=1e-6), name
    events, same = mw.find_events(walk).states, mw.find_events(filed).states
    assert len(events) == len(same)
    floor, under = mw.estimate_floor(walk), mw.estimate_floor(filed)
    assert under.height == pytest.approx(floor.height, abs=1e-6)
