"""glTF: what is written is read again, here and by others; what others write is read."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

import motionweave as mw
from motionweave import samples
from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.io.gltf.onto import write_onto
from tests.io.files import apart, assert_same_tree, damaged, only_format_errors, sliding
from tests.strategies import motions, random_motion, random_quaternions

_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


# Round trips


@_settings
@given(motions(), st.sampled_from([".glb", ".gltf"]), st.booleans())
def test_motions_come_back(tmp_path: Path, motion: mw.Motion, suffix: str, slides: bool) -> None:
    motion = sliding(motion) if slides else motion
    path = tmp_path / f"clip{suffix}"
    mw.save(motion, path)
    read = mw.load(path, contacts=False)
    assert read.skeleton.names == motion.skeleton.names
    np.testing.assert_array_equal(read.skeleton.parents, motion.skeleton.parents)
    assert apart(motion, read) < 1e-5
    assert read.fps == motion.fps
    if len(motion) > 1 or not slides:
        np.testing.assert_allclose(read.skeleton.offsets, motion.skeleton.offsets, atol=1e-12)
        assert (read.translations is None) == (not slides or len(motion.skeleton) == 1)


@_settings
@given(motions(min_frames=2), st.integers(0, 2**32 - 1))
def test_joints_that_are_turned_at_rest(tmp_path: Path, motion: mw.Motion, seed: int) -> None:
    """As files from elsewhere have them; writing them back turns them again."""
    from dataclasses import replace

    turned = random_quaternions(np.random.default_rng(seed), len(motion.skeleton))
    source = {
        "format": "glTF",
        "joints": motion.skeleton.names,
        "rest_orientations": turned,
    }
    mw.save(replace(motion, source=source), tmp_path / "a.glb")
    nodes = _json(tmp_path / "a.glb")["nodes"]
    given_back = rotations.angle_between(nodes[0].get("rotation", [0, 0, 0, 1]), turned[0])
    assert given_back < 1e-9
    read = mw.load(tmp_path / "a.glb", contacts=False)
    assert apart(motion, read) < 1e-5
    np.testing.assert_allclose(read.skeleton.offsets, motion.skeleton.offsets, atol=1e-6)
    mw.save(read, tmp_path / "b.glb")
    again = _json(tmp_path / "b.glb")["nodes"]
    for one, other in zip(nodes, again, strict=True):
        assert one.keys() == other.keys()
        if "rotation" in one:
            assert rotations.angle_between(one["rotation"], other["rotation"]) < 1e-6
        if "translation" in one:
            np.testing.assert_allclose(one["translation"], other["translation"], atol=1e-6)


def test_lengths_are_metres_and_the_unit_comes_back(tmp_path: Path) -> None:
    walk = samples.sample("walk")
    rest = np.concatenate([walk.skeleton.rest_positions, walk.skeleton.rest_end_positions])
    hips = rest[0, 1] - rest[:, 1].min()
    for unit, metres in (("m", 1.0), ("cm", 0.01), ("cmu", 0.0254 / 0.45), ("in", 0.0254)):
        clip = walk.scaled(1.0 / metres)
        mw.save(clip, tmp_path / "clip.glb")
        node = _json(tmp_path / "clip.glb")["nodes"][0]
        assert node["translation"][1] == pytest.approx(hips, abs=1e-6), unit
        read = mw.load(tmp_path / "clip.glb", contacts=False)
        assert read.skeleton.height == pytest.approx(clip.skeleton.height)
        assert apart(clip, read) < 1e-6
    mw.save(walk, tmp_path / "small.glb", unit="mm")
    inside = _json(tmp_path / "small.glb")["nodes"][1]["translation"]
    np.testing.assert_allclose(inside, walk.skeleton.offsets[1] / 1000.0)
    with pytest.raises(mw.FormatError, match="unit 'mile'"):
        mw.save(walk, tmp_path / "far.glb", unit="mile")


@pytest.mark.mocap
def test_every_real_clip_by_way_of_glb(mocap: Path, tmp_path: Path) -> None:
    paths = sorted((mocap / "bvh").glob("*.bvh"))
    assert len(paths) == 70
    for path in paths:
        clip = mw.load(path, contacts=False)[::16]
        mw.save(clip, tmp_path / "clip.glb")
        read = mw.load(tmp_path / "clip.glb", contacts=False)
        mw.save(read, tmp_path / "clip.bvh")
        again = mw.load(tmp_path / "clip.bvh", contacts=False)
        assert again.skeleton.names == clip.skeleton.names
        assert again.fps == clip.fps
        assert apart(clip, again) < 1e-5, path.name


# Others


def test_another_reader_sees_the_same(tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib")
    clip = samples.sample("jog")
    mw.save(clip, tmp_path / "clip.glb")
    gltf = pygltflib.GLTF2().load(str(tmp_path / "clip.glb"))
    skin = gltf.skins[0]
    assert [gltf.nodes[joint].name for joint in skin.joints] == list(clip.skeleton.names)

    def numbers(index: int) -> np.ndarray:
        accessor = gltf.accessors[index]
        view = gltf.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor.type]
        data = gltf.binary_blob()[view.byteOffset :][: 4 * width * accessor.count]
        return np.frombuffer(data, "<f4").reshape(accessor.count, width)

    # The plain way: matrices down the tree, from rest values and channels.
    animation = gltf.animations[0]
    moves = {}
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        np.testing.assert_allclose(numbers(sampler.input)[:, 0], np.arange(len(clip)) / clip.fps)
        moves[channel.target.node, channel.target.path] = numbers(sampler.output)
    frame = len(clip) // 2
    world: dict[int, np.ndarray] = {}
    for joint, parent in enumerate(clip.skeleton.parents):
        node = gltf.nodes[joint]
        matrix = np.eye(4)
        turn = moves.get((joint, "rotation"))
        if turn is not None:
            matrix[:3, :3] = Rotation.from_quat(turn[frame]).as_matrix()
        place = moves.get((joint, "translation"))
        matrix[:3, 3] = node.translation if place is None else place[frame]
        world[joint] = matrix if parent < 0 else world[int(parent)] @ matrix
    seen = np.array([world[joint][:3, 3] for joint in range(len(clip.skeleton))])
    assert np.abs(seen - clip.positions()[frame]).max() < 1e-5
    # The skin is at rest where the nodes are.
    inverse = numbers(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    for joint in range(len(clip.skeleton)):
        rest = np.eye(4)
        one = joint
        while one >= 0:
            rest[:3, 3] += gltf.nodes[one].translation
            one = int(clip.skeleton.parents[one])
        np.testing.assert_allclose(inverse[joint] @ rest, np.eye(4), atol=1e-6)


# Files from elsewhere


class _File:
    """A glTF file, put together by hand."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "accessors": [],
            "bufferViews": [],
        }
        self.data = b""

    def view(self, data: bytes, **more: Any) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        place = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)}
        self.json["bufferViews"].append({**place, **more})
        self.data += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, kind: str, component: int = 5126, **more: Any) -> int:
        dtype = {5126: "<f4", 5120: "i1", 5122: "<i2", 5123: "<u2"}[component]
        rows = np.asarray(values).astype(dtype)
        entry = {"bufferView": self.view(rows.tobytes()), "componentType": component}
        self.json["accessors"].append({**entry, "count": len(rows), "type": kind, **more})
        return len(self.json["accessors"]) - 1

    def animation(self, name: str, *curves: tuple[int, str, Any, Any, str]) -> None:
        samplers, channels = [], []
        for node, what, times, values, how in curves:
            kind = "VEC4" if what == "rotation" else "VEC3"
            output = values if isinstance(values, int) else self.accessor(values, kind)
            samplers.append(
                {"input": self.accessor(times, "SCALAR"), "output": output, "interpolation": how}
            )
            target = {"node": node, "path": what}
            channels.append({"sampler": len(samplers) - 1, "target": target})
        one = {"name": name, "samplers": samplers, "channels": channels}
        self.json.setdefault("animations", []).append(one)

    def save(self, path: Path) -> Path:
        encoded = base64.b64encode(self.data).decode()
        uri = f"data:application/octet-stream;base64,{encoded}"
        self.json["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
        path.write_text(json.dumps(self.json))
        return path


def _arm() -> _File:
    file = _File()
    file.json["nodes"] = [
        {"name": "shoulder", "children": [1], "translation": [0, 1, 0]},
        {"name": "elbow", "translation": [1, 0, 0], "children": [2]},
        {"name": "wrist", "translation": [1, 0, 0]},
    ]
    file.json["skins"] = [{"joints": [0, 1, 2]}]
    return file


_TIMES = np.array([0.0, 0.5, 0.6, 2.0])


def test_linear_step_and_cubic_curves(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    turns = random_quaternions(rng, 4)
    places, tangents = rng.normal(size=(4, 3)), rng.normal(size=(4, 2, 3))
    cubic = np.stack([tangents[:, 0], places, tangents[:, 1]], axis=1)
    smooth = np.stack([np.zeros((4, 4)), turns, np.zeros((4, 4))], axis=1)
    file = _arm()
    file.animation(
        "all",
        (0, "translation", _TIMES, cubic.reshape(-1, 3), "CUBICSPLINE"),
        (0, "rotation", _TIMES, turns, "LINEAR"),
        (1, "rotation", _TIMES, turns, "STEP"),
        (2, "rotation", _TIMES, smooth.reshape(-1, 4), "CUBICSPLINE"),
    )
    read = mw.load(file.save(tmp_path / "a.gltf"), contacts=False, rate=100)
    assert read.fps == 100.0
    assert len(read) == 201
    at = np.arange(201) / 100.0
    slerp = Slerp(_TIMES, Rotation.from_quat(turns))(at)
    assert rotations.angle_between(read.rotations[:, 0], slerp.as_quat()).max() < 1e-5
    expected = turns[np.searchsorted(_TIMES, at + 1e-6, side="right") - 1]
    assert rotations.angle_between(read.rotations[:, 1], expected).max() < 1e-5
    # Between two keys a glTF spline takes the tangent out of the one and into the other.
    for k in range(3):
        inside = (at > _TIMES[k] + 1e-6) & (at < _TIMES[k + 1] - 1e-6)
        slopes = [tangents[k, 1], tangents[k + 1, 0]]
        spline = CubicHermiteSpline(_TIMES[k : k + 2], places[k : k + 2], slopes)
        np.testing.assert_allclose(read.root[inside], spline(at[inside]), atol=1e-5)
        flat = CubicHermiteSpline(_TIMES[k : k + 2], turns[k : k + 2], np.zeros((2, 4)))
        around = rotations.normalize(flat(at[inside]))
        assert rotations.angle_between(read.rotations[inside, 2], around).max() < 1e-5
    assert read.translations is None


@pytest.mark.parametrize(
    ("times", "fps", "frames"),
    [
        (np.arange(50) / 24, 24.0, 50),
        (np.arange(50) * 1001 / 30000 + 5.0, 30000 / 1001, 50),
        (np.arange(7) / 17.0, 17.0, 7),
        ([0.0, 1.0 / 3.0, 1.0, 2.5], 24.0, 61),
        ([0.0, 0.1234, 0.777, 1.0], 60.0, 61),
        ([0.0, 1.0], 24.0, 25),
        ([0.5], 30.0, 1),
    ],
)
def test_the_frame_rate_follows_the_keys(
    tmp_path: Path, times: Any, fps: float, frames: int
) -> None:
    file = _arm()
    turns = random_quaternions(np.random.default_rng(0), len(times))
    file.animation("a", (1, "rotation", times, turns, "LINEAR"))
    read = mw.load(file.save(tmp_path / "a.gltf"), contacts=False)
    assert read.fps == pytest.approx(fps, rel=1e-9)
    assert len(read) == frames


def test_several_animations(tmp_path: Path) -> None:
    file = _arm()
    for name, angle in (("walk", 0.5), ("run", 1.0), ("walk", 1.5)):
        turn = rotations.about_axis("Z", np.array([0.0, angle]))
        file.animation(name, (1, "rotation", [0.0, 1.0 / 30.0], turn, "LINEAR"))
    path = file.save(tmp_path / "a.gltf")

    def angle(**options: Any) -> float:
        clip = mw.load(path, contacts=False, **options)
        return float(rotations.angle_between(clip.rotations[0, 1], clip.rotations[1, 1]))

    with pytest.warns(mw.QualityWarning, match="first of 3 animations .walk, run, walk"):
        assert angle() == pytest.approx(0.5, abs=1e-6)
    assert angle(animation="run") == pytest.approx(1.0, abs=1e-6)
    assert angle(animation=2) == pytest.approx(1.5, abs=1e-6)
    assert mw.load(path, contacts=False, animation="run").name == "run"
    for wrong in ("jump", 3, -1):
        with pytest.raises(mw.FormatError, match="there are walk, run, walk"):
            angle(animation=wrong)


def test_the_first_animation_that_moves_the_body_is_read(tmp_path: Path) -> None:
    file = _arm()
    file.json["nodes"].append({"name": "Empty"})
    times = [0.0, 1.0 / 30.0]
    still, turned = (rotations.about_axis("Z", np.array([0.3, 0.3 + way])) for way in (0.0, 0.5))
    empty = len(file.json["nodes"]) - 1
    file.animation("prop", (empty, "rotation", times, turned, "LINEAR"))
    file.animation("T-pose", (1, "rotation", times, still, "LINEAR"))
    file.animation("walk", (1, "rotation", times, turned, "LINEAR"))
    path = file.save(tmp_path / "a.gltf")
    with pytest.warns(mw.QualityWarning, match="'walk' of 3 animations"):
        clip = mw.load(path, contacts=False)
    assert rotations.angle_between(clip.rotations[0, 1], clip.rotations[1, 1]) > 0.4
    posed = mw.load(path, contacts=False, animation="T-pose")
    assert rotations.angle_between(posed.rotations[0, 1], posed.rotations[-1, 1]) < 1e-6


def test_what_stands_above_the_joints_counts(tmp_path: Path) -> None:
    """A z-up figure in centimetres under a node that turns and shrinks it."""
    turn = rotations.about_axis("Y", np.linspace(0.0, 1.0, 5))
    plain, nested = _arm(), _arm()
    plain.animation("a", (1, "rotation", np.arange(5) / 30, turn, "LINEAR"))
    quarter = rotations.about_axis("X", -np.pi / 2)
    nodes = [
        {"name": "Scene", "children": [1]},
        {"name": "Armature", "children": [2], "scale": [0.01] * 3, "rotation": quarter.tolist()},
        {"name": "shoulder", "children": [3], "translation": [0, 0, 100]},
        # What is no joint itself, but between joints, is needed too.
        {"name": "twist", "children": [4], "matrix": np.eye(4).reshape(-1).tolist()},
        {"name": "elbow", "translation": [100, 0, 0], "children": [5]},
        {"name": "wrist", "translation": [100, 0, 0]},
    ]
    nested.json["nodes"] = nodes
    nested.json["skins"] = [{"joints": [5, 4, 2]}]
    about_z = rotations.about_axis("Z", np.linspace(0.0, 1.0, 5))
    nested.animation("a", (4, "rotation", np.arange(5) / 30, about_z, "LINEAR"))
    one = mw.load(plain.save(tmp_path / "a.gltf"), contacts=False)
    other = mw.load(nested.save(tmp_path / "b.gltf"), contacts=False)
    assert other.skeleton.names == ("shoulder", "twist", "elbow", "wrist")
    seen = other.positions()[:, [0, 2, 3]]
    np.testing.assert_allclose(seen, one.positions(), atol=1e-6)
    # At rest nothing is turned, in this file as in the other.
    np.testing.assert_allclose(other.skeleton.offsets[3], [1, 0, 0], atol=1e-9)
    assert rotations.angle_between(other.rotations[0], rotations.IDENTITY).max() < 1e-6
    mw.save(other, tmp_path / "c.glb")
    assert apart(other, mw.load(tmp_path / "c.glb", contacts=False)) < 1e-6


def test_nodes_without_a_skin(tmp_path: Path) -> None:
    file = _arm()
    del file.json["skins"]
    file.json["nodes"].append({"name": "lamp"})
    turn = rotations.about_axis("Z", np.array([0.0, 1.0]))
    file.animation(
        "a",
        (0, "rotation", [0.0, 0.04], turn, "LINEAR"),
        (2, "rotation", [0.0, 0.04], turn, "LINEAR"),
    )
    read = mw.load(file.save(tmp_path / "a.gltf"), contacts=False)
    assert set(read.skeleton.names) == {"shoulder", "elbow", "wrist"}
    assert read.fps == 25.0
    del file.json["animations"]
    with pytest.warns(mw.QualityWarning, match="rest pose"):
        rest = mw.load(file.save(tmp_path / "b.gltf"), contacts=False)
    assert len(rest) == 1
    assert rest.skeleton.names == ("scene", "shoulder", "lamp", "elbow", "wrist")


def test_a_scene_without_a_skeleton_is_refused(tmp_path: Path) -> None:
    """Furniture: nodes that hold meshes, and none of them moves."""
    file = _arm()
    del file.json["skins"]
    file.json["nodes"][2]["mesh"] = 0
    file.json["meshes"] = [{"primitives": []}]
    with pytest.raises(mw.FormatError, match="neither a skin with joints nor an animation"):
        mw.load(file.save(tmp_path / "a.gltf"))


def test_joints_without_a_common_root_hang_on_the_scene(tmp_path: Path) -> None:
    """As in game engines: hips and a target beside them, and a body that walks away."""
    file = _arm()
    file.json["nodes"].append({"name": "target", "translation": [0, 0, 3]})
    file.json["skins"] = [{"joints": [3, 0, 1, 2]}]
    walk = np.linspace([0.0, 1.0, 0.0], [0.0, 1.0, 2.0], 5)
    file.animation("a", (0, "translation", np.arange(5) / 30, walk, "LINEAR"))
    path = file.save(tmp_path / "a.gltf")
    read = mw.load(path, contacts=False)
    assert read.skeleton.names == ("scene", "target", "shoulder", "elbow", "wrist")
    assert read.skeleton.parents.tolist() == [-1, 0, 0, 2, 3]
    at = read.positions()
    np.testing.assert_allclose(at[:, 2], walk, atol=1e-6)
    np.testing.assert_allclose(at[:, 1], np.tile([0, 0, 3], (5, 1)), atol=1e-6)
    # The character can perform what was read of it, and what is written is the same motion.
    write_onto(read, path, tmp_path / "b.glb")
    for again in (tmp_path / "b.glb", tmp_path / "c.glb"):
        if again.name == "c.glb":
            mw.save(read, again)
        assert apart(read, mw.load(again, contacts=False)) < 1e-6


def test_packed_and_sparse_numbers(tmp_path: Path) -> None:
    turn = rotations.about_axis("Z", np.array([0.0, 0.4, 0.8]))
    file = _arm()
    packed = file.accessor(np.round(turn * 32767), "VEC4", 5122, normalized=True)
    sparse = file.accessor(np.tile([1.0, 0.0, 0.0], (3, 1)), "VEC3")
    file.json["accessors"][sparse]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": file.view(struct.pack("<H", 2)), "componentType": 5123},
        "values": {"bufferView": file.view(struct.pack("<3f", 2, 0, 0))},
    }
    # Two properties in one view, side by side.
    rows = np.concatenate([turn, np.full((3, 1), 7.0)], axis=1).astype("<f4")
    view = file.view(rows.tobytes(), byteStride=20)
    entry = {"bufferView": view, "componentType": 5126, "count": 3, "type": "VEC4"}
    file.json["accessors"].append(entry)
    times = np.arange(3) / 30
    file.animation(
        "a",
        (0, "rotation", times, packed, "LINEAR"),
        (1, "translation", times, sparse, "LINEAR"),
        (1, "rotation", times, len(file.json["accessors"]) - 1, "LINEAR"),
    )
    read = mw.load(file.save(tmp_path / "a.gltf"), contacts=False)
    assert rotations.angle_between(read.rotations[:, 0], turn).max() < 1e-4
    assert rotations.angle_between(read.rotations[:, 1], turn).max() < 1e-4
    assert read.translations is not None
    np.testing.assert_allclose(read.translations[:, 1, 0], [1, 1, 2], atol=1e-6)


def test_a_buffer_beside_the_file(tmp_path: Path) -> None:
    file = _arm()
    turn = rotations.about_axis("Z", np.array([0.0, 1.0]))
    file.animation("a", (1, "rotation", [0.0, 0.04], turn, "LINEAR"))
    file.save(tmp_path / "a.gltf")
    (tmp_path / "the data.bin").write_bytes(file.data)
    file.json["buffers"][0]["uri"] = "the%20data.bin"
    (tmp_path / "a.gltf").write_text(json.dumps(file.json))
    assert len(mw.load(tmp_path / "a.gltf", contacts=False)) == 2
    for uri, reason in (("none.bin", "missing"), ("../x.bin", "beside"), ("/etc/x", "beside")):
        file.json["buffers"][0]["uri"] = uri
        (tmp_path / "a.gltf").write_text(json.dumps(file.json))
        with pytest.raises(mw.FormatError, match=reason):
            mw.load(tmp_path / "a.gltf")


# Broken files


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda j: j.pop("asset"), "no asset"),
        (lambda j: j["asset"].update(version="1.0"), "only version 2"),
        (lambda j: j.update(nodes=[]), "no nodes"),
        (lambda j: j.update(nodes=3), "nodes: expected list"),
        (lambda j: j["nodes"][2].update(children=[0]), "cycle"),
        (lambda j: j["nodes"][0].update(children=[1, 2]), "two parents"),
        (lambda j: j["nodes"][0].update(children=[9]), "no number 9 in nodes"),
        (lambda j: j["nodes"][0].update(rotation=[0, 0, 0, 0]), "not a rotation"),
        (lambda j: j["nodes"][0].update(scale=[1, 2]), "scale: expected 3 numbers"),
        (lambda j: j["nodes"][0].update(translation=["a", 1, 2]), "translation: expected 3"),
        (lambda j: j["skins"][0].update(joints=[0, 7]), "no number 7 in nodes"),
        (lambda j: j["animations"][0]["samplers"][0].clear(), "the animation has no keys"),
        (lambda j: j["skins"][0].update(joints=[]), "neither a skin"),
        (lambda j: j["accessors"][0].update(count=10**9), "accessor"),
        (lambda j: j["accessors"][0].update(count=-1), "accessor"),
        (lambda j: j["accessors"][0].update(componentType=7), "component type 7"),
        (lambda j: j["accessors"][0].update(type="VEC3"), "expected VEC4"),
        (lambda j: j["bufferViews"][0].update(byteOffset=10**12), "does not fit"),
        (lambda j: j["bufferViews"][0].update(byteStride=1), "does not fit"),
        (lambda j: j["buffers"][0].pop("uri"), "no data"),
        (lambda j: j["buffers"][0].update(uri="data:,%%%"), "base64"),
        (lambda j: j["animations"][0]["channels"][0].update(sampler=5), "no sampler 5"),
        (lambda j: j["animations"][0]["samplers"][0].update(interpolation="X"), "interpolation"),
        (lambda j: j["animations"][0]["samplers"][0].update(input=None), "accessors"),
    ],
)
def test_broken_json(tmp_path: Path, change: Any, reason: str) -> None:
    file = _arm()
    turn = rotations.about_axis("Z", np.array([0.0, 1.0]))
    file.animation("a", (1, "rotation", [0.0, 0.04], turn, "LINEAR"))
    file.save(tmp_path / "a.gltf")
    change(file.json)
    (tmp_path / "a.gltf").write_text(json.dumps(file.json))
    with pytest.raises(mw.FormatError, match=reason):
        mw.load(tmp_path / "a.gltf")


@pytest.mark.parametrize(
    ("times", "values", "reason"),
    [
        ([0.0, -1.0], np.eye(4)[:2], "back in time"),
        ([0.0, 1.0], np.zeros((2, 4)), "rotation that is not valid"),
        ([0.0, 1.0], np.eye(4)[:3], "2 keys, but 3 values"),
        ([0.0, np.nan], np.eye(4)[:2], "not finite"),
        ([0.0, 1e11], np.eye(4)[:2], "too long"),
    ],
)
def test_broken_curves(tmp_path: Path, times: Any, values: Any, reason: str) -> None:
    file = _arm()
    file.animation("a", (1, "rotation", times, values, "LINEAR"))
    with pytest.raises(mw.FormatError, match=reason):
        mw.load(file.save(tmp_path / "a.gltf"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
@given(st.integers(0, 2**32 - 1), st.sampled_from([".glb", ".gltf"]))
def test_damaged_files(tmp_path: Path, seed: int, suffix: str) -> None:
    whole = tmp_path / f"whole{suffix}"
    if not whole.exists():
        mw.save(random_motion(np.random.default_rng(1), 4, 3), whole)
    data = whole.read_bytes()
    rng = np.random.default_rng(seed)
    # The interesting part is the JSON, which comes first in a GLB and last nowhere.
    cut = rng.choice([200, 2000, len(data)])
    only_format_errors(mw.load, tmp_path / f"broken{suffix}", damaged(data[:cut], rng) + data[cut:])


def test_trees_of_other_orders(tmp_path: Path) -> None:
    motion = random_motion(np.random.default_rng(3), 3, 7)
    mw.save(motion, tmp_path / "a.gltf")
    content = json.loads((tmp_path / "a.gltf").read_text())
    content["skins"][0]["joints"].reverse()
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    read = mw.load(tmp_path / "a.gltf", contacts=False)
    assert_same_tree(read.skeleton, motion.skeleton)
    by_name = [read.skeleton.index(name) for name in motion.skeleton.names]
    np.testing.assert_allclose(read.positions()[:, by_name], motion.positions(), atol=1e-5)


def _json(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return dict(json.loads(data[20 : 20 + length]))


def test_several_motions_in_one_file(tmp_path: Path) -> None:
    clips = [samples.sample("walk"), samples.sample("jog")]
    mw.save(clips, tmp_path / "two.glb")
    for clip in clips:
        again = mw.load(tmp_path / "two.glb", animation=clip.name)
        np.testing.assert_allclose(again.positions(), clip.positions(), atol=1e-5)
        assert [c.kind for c in again.constraints] == [c.kind for c in clip.constraints]
        assert mw.load(tmp_path / "two.glb", animation=clip.name, contacts=False).constraints == ()
    with pytest.raises(mw.FormatError, match="only one motion"):
        mw.save(clips, tmp_path / "two.bvh")
    with pytest.raises(mw.RigError, match="different bone lengths"):
        mw.save([clips[0], clips[1].scaled(1.1)], tmp_path / "two.glb")


def test_neighbouring_rotations_are_on_one_side(tmp_path: Path) -> None:
    """Engines mix neighbouring keys component by component: q beside -q would turn a joint
    all the way round in between."""
    walk = mw.sample("walk")
    flipped = np.array(walk.rotations)
    flipped[::3] *= -1.0
    mw.save(replace(walk, rotations=flipped), tmp_path / "walk.glb")
    written = pygltflib.GLTF2().load(str(tmp_path / "walk.glb"))
    blob = written.binary_blob()
    seen = 0
    for channel in written.animations[0].channels:
        if channel.target.path != "rotation":
            continue
        accessor = written.accessors[written.animations[0].samplers[channel.sampler].output]
        view = written.bufferViews[accessor.bufferView]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        quats = np.frombuffer(blob, "<f4", 4 * accessor.count, start).reshape(-1, 4)
        assert np.all(np.sum(quats[1:] * quats[:-1], axis=1) > 0.0)
        seen += 1
    assert seen > 10


def _upper_body_only(tmp_path: Path, change: Any) -> mw.Motion:
    """A walk whose skin has only the joints of the trunk, in a file that ``change`` alters."""
    walk = mw.sample("walk")
    mw.save(walk, tmp_path / "a.gltf")
    content = json.loads((tmp_path / "a.gltf").read_text())
    skin = content["skins"][0]
    rig = find_rig(walk.skeleton)
    chest = {rig.roles[role] for role in ("chest", "neck", "head")}
    names = [content["nodes"][node]["name"] for node in skin["joints"]]
    of = dict(zip(names, skin["joints"], strict=True))
    kept = [of[name] for joint, name in enumerate(walk.skeleton.names) if joint in chest]
    others = [node for node in skin["joints"] if node not in kept]
    content["skins"][0] = {"joints": kept}
    change(content, others)
    for node in content["nodes"]:
        node.pop("mesh", None)
        node.pop("skin", None)
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    return mw.load(tmp_path / "a.gltf", contacts=False)


def test_limbs_that_no_skin_has_belong_to_the_body_if_an_animation_moves_them(
    tmp_path: Path,
) -> None:
    whole = _upper_body_only(tmp_path, lambda content, others: None)
    walk = mw.sample("walk")
    assert set(whole.skeleton.names) == set(walk.skeleton.names)
    order = [whole.skeleton.index(name) for name in walk.skeleton.names]
    near = 1e-5 * float(np.abs(walk.positions()).max())
    np.testing.assert_allclose(whole.positions()[:, order], walk.positions(), atol=near)
    assert find_rig(whole.skeleton).names() == find_rig(walk.skeleton).names()


def test_limbs_in_the_skin_of_another_mesh_belong_to_the_body(tmp_path: Path) -> None:
    def trousers(content: dict[str, Any], others: list[int]) -> None:
        for node in others:
            content["skins"].append({"joints": [node]})
        del content["animations"]

    with pytest.warns(mw.QualityWarning, match="no animation"):
        still = _upper_body_only(tmp_path, trousers)
    assert set(still.skeleton.names) == set(mw.sample("walk").skeleton.names)


def test_of_two_bodies_in_a_file_one_is_read(tmp_path: Path) -> None:
    file = _arm()
    file.json["nodes"] += [
        {"name": "other", "children": [4]},
        {"name": "hand", "translation": [0, 1, 0]},
        {"name": "stage", "children": [0, 3]},
    ]
    file.json["skins"].append({"joints": [3, 4]})
    turns = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    both = [(node, "rotation", [0.0, 1.0], turns, "LINEAR") for node in (1, 4)]
    file.animation("wave", *both)
    motion = mw.load(file.save(tmp_path / "a.gltf"), contacts=False)
    assert len(motion.skeleton) == 3
    assert "hand" not in motion.skeleton.names
