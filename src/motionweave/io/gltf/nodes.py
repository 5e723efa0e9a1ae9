"""Joints and curves in a glTF file: which nodes are joints, and how they move."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.checks import DEEPEST, MOST_FRAMES, size
from motionweave.core.checks import rate as checked_rate
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.io.gltf.container import Gltf
from motionweave.io.scene import note as notes
from motionweave.io.scene.animations import unasked
from motionweave.io.scene.curves import Curve
from motionweave.io.scene.note import Note
from motionweave.io.scene.rates import frame_rate

Curves = Mapping[tuple[int, str], Curve]

PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes of a file: parent of each, an order with parents first, local transforms.

    The last node is not in the file: it is the scene, which holds all that have no parent there.
    """

    gltf: Gltf
    nodes: list[dict[str, Any]]
    parents: list[int]
    order: list[int]

    @classmethod
    def of(cls, gltf: Gltf) -> Tree:
        nodes = gltf.items("nodes")
        if not nodes:
            raise gltf.fail("there are no nodes, and so no joints")
        scene = len(nodes)
        parents = [scene] * scene
        for index, node in enumerate(nodes):
            for child in gltf.get(node, "children", list, []):
                gltf.item("nodes", child)
                if parents[child] != scene:
                    raise gltf.fail(f"node {child} has two parents")
                parents[child] = index
        tops = [index for index, parent in enumerate(parents) if parent == scene]
        nodes, parents = [*nodes, {"name": "scene", "children": tops}], [*parents, -1]
        order, level = [scene], [0] * len(nodes)
        for index in order:
            for child in nodes[index].get("children", []):
                level[child] = level[index] + 1
                order.append(child)
        if len(order) != len(nodes):
            raise gltf.fail("the nodes contain a cycle")
        if max(level) > DEEPEST:
            raise gltf.fail(f"a chain of more than {DEEPEST} nodes")
        return cls(gltf, nodes, parents, order)

    @property
    def scene(self) -> int:
        """The number of the node that holds all others."""
        return len(self.nodes) - 1

    def name(self, index: int) -> str:
        return self.gltf.get(self.nodes[index], "name", str, "") or f"node{index}"

    def parents_among(self, joints: Sequence[int]) -> list[int]:
        """For each joint the place in ``joints`` of the next joint above, -1 if none."""
        place = {joint: index for index, joint in enumerate(joints)}
        # For each node the place of the next joint above, or of itself; -1 is the world.
        nearest = {-1: -1}
        for node in self.order:
            nearest[node] = place.get(node, nearest[self.parents[node]])
        return [nearest[self.parents[joint]] for joint in joints]

    def branches(self, wanted: Sequence[int]) -> tuple[int, set[int]]:
        """The lowest node above all ``wanted`` ones (or one of them) and all nodes on the way."""
        held = [0] * len(self.nodes)
        for node in wanted:
            held[node] = 1
        for node in reversed(self.order):
            if self.parents[node] >= 0:
                held[self.parents[node]] += held[node]
        # Parents come first, so that the last one that holds all is the lowest.
        top = [node for node in self.order if held[node] == len(wanted)][-1]
        between = {top}
        for node in self.order:
            if held[node] and self.parents[node] in between:
                between.add(node)
        return top, between

    def local(self, index: int) -> tuple[Array, Array, Array]:
        """Translation (3,), rotation (4,) and scale (3,) at rest."""
        gltf, node = self.gltf, self.nodes[index]
        if "matrix" in node:
            matrix = gltf.numbers(node, "matrix", [0.0] * 16).reshape(4, 4).T
            scale = np.linalg.norm(matrix[:3, :3], axis=0)
            if np.any(scale == 0.0):
                raise gltf.fail(f"the matrix of node {index} cannot be decomposed")
            if np.linalg.det(matrix[:3, :3]) < 0.0:
                scale[0] = -scale[0]
            return (
                matrix[:3, 3],
                rotations.from_matrix(rotations.orthogonal(matrix[:3, :3] / scale)),
                scale,
            )
        turn = gltf.numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0])
        if np.linalg.norm(turn) < 1e-6:
            raise gltf.fail(f"the rotation of node {index} is not a rotation")
        return (
            gltf.numbers(node, "translation", [0.0] * 3),
            rotations.normalize(turn),
            gltf.numbers(node, "scale", [1.0] * 3),
        )

    def globals(self, curves: Curves, times: Array) -> tuple[Array, Array]:
        """Positions ``(T, N, 3)`` and orientations ``(T, N, 4)`` of all nodes."""
        frames, count = len(times), len(self.nodes)
        size(frames, count, self.gltf.stored)
        places = np.zeros((frames, count, 3))
        linear = np.zeros((frames, count, 3, 3))
        for index in self.order:
            values = dict(zip(PATHS, self.local(index), strict=True))
            sampled = {
                what: curves[index, what].at(times) if (index, what) in curves else values[what]
                for what in PATHS
            }
            own = rotations.to_matrix(sampled["rotation"]) * sampled["scale"][..., None, :]
            above = self.parents[index]
            if above < 0:
                places[:, index], linear[:, index] = sampled["translation"], own
                continue
            move = np.broadcast_to(sampled["translation"], (frames, 3))
            places[:, index] = places[:, above] + np.einsum("tij,tj->ti", linear[:, above], move)
            linear[:, index] = linear[:, above] @ own
        if not (np.all(np.isfinite(linear)) and np.all(np.isfinite(places))):
            raise self.gltf.fail("transforms of nodes are out of range")
        return places, rotations.from_matrix(rotations.orthogonal(linear))


def find_joints(gltf: Gltf, tree: Tree, curves: Curves) -> tuple[list[int], Note | None]:
    """The nodes that are joints, parents first, and what a file written here notes."""
    skins = [_skin_joints(gltf, skin) for skin in gltf.items("skins")]
    note = None
    if skins:
        largest = max(range(len(skins)), key=lambda one: len(skins[one]))
        listed = skins[largest]
        skinned = {joint for skin in skins for joint in skin}
        wanted = _whole_body(tree, listed, skinned, _driven(gltf, tree)) if listed else []
        extras = gltf.items("skins")[largest].get("extras")
        said = extras.get(notes.KEY) if isinstance(extras, dict) else None
        note = notes.note_in(said, len(listed))
    else:
        moved = {index for index, _ in curves}
        wanted = [index for index in tree.order if index in moved]
        # Bare nodes are a skeleton; where things are to be seen, those between them are not.
        if len(curves) == 0 and not any("mesh" in node for node in tree.nodes):
            wanted = [
                index
                for index in tree.order
                if index != tree.scene and "camera" not in tree.nodes[index]
            ]
    if not wanted:
        raise gltf.fail("there is neither a skin with joints nor an animation of nodes")
    joints = connected(tree, wanted)
    # The note counts the joints of the skin.
    return joints, note if skins and joints == listed else None


def _skin_joints(gltf: Gltf, skin: dict[str, Any]) -> list[int]:
    listed = gltf.get(skin, "joints", list, [])
    for joint in listed:
        gltf.item("nodes", joint)
    return list(dict.fromkeys(listed))


def _driven(gltf: Gltf, tree: Tree) -> set[int]:
    """Nodes that any animation of the file moves or turns, without meshes and cameras."""
    found: set[int] = set()
    for entry in gltf.items("animations"):
        for channel in gltf.get(entry, "channels", list, []):
            target = channel.get("target") if isinstance(channel, dict) else None
            if isinstance(target, dict) and target.get("path") in ("translation", "rotation"):
                found |= {target["node"]} if isinstance(target.get("node"), int) else set()
    shown = ("mesh", "camera")
    return {
        node
        for node in tree.order
        if node in found and not any(one in tree.nodes[node] for one in shown)
    }


def _whole_body(
    tree: Tree, listed: Sequence[int], skinned: Collection[int], driven: Collection[int]
) -> list[int]:
    """The joints of a skin, and those of the same body that it lacks.

    Exporters give each mesh only the joints that bend it: those of the legs may be in the skin of
    the trousers, or in none if the file is made for its animations. A body begins with the highest
    joint above the skin's, or where what moves above them has another branch. Everything below that
    is a joint or moves belongs to it.

    Parameters
    ----------
    tree
        All nodes.
    listed
        The joints of the skin in question.
    skinned
        The joints of all skins.
    driven
        The nodes that animations move.
    """
    top = node = tree.branches(listed)[0]
    held = [int(one in skinned or one in driven) for one in range(len(tree.nodes))]
    for one in reversed(tree.order):
        if tree.parents[one] >= 0:
            held[tree.parents[one]] += held[one]
    linked = True
    while (above := tree.parents[node]) >= 0:
        linked &= above in driven
        if above in skinned or (linked and held[above] > held[node] + 1):
            top = above
        node = above
    below = {top}
    found = dict.fromkeys(listed)
    for one in tree.order:
        if one in below or tree.parents[one] in below:
            below.add(one)
            if one in skinned or one in driven:
                found[one] = None
    return list(found)


def connected(tree: Tree, wanted: Sequence[int]) -> list[int]:
    """Nodes and everything between them up to their common ancestor, parents first."""
    # Everything between the joints and their common ancestor is a joint, too.
    top, between = tree.branches(wanted)
    added = between - set(wanted)
    extra = [one for one in tree.order if one in added]
    waiting, joints, placed = [*extra, *wanted], [top], {top}
    waiting = [one for one in waiting if one != top]
    while waiting:
        # In the file's order as far as parents come first.
        held = []
        for one in waiting:
            if tree.parents[one] in placed:
                joints.append(one)
                placed.add(one)
            else:
                held.append(one)
        waiting = held
    return joints


# Animation


def animation_names(gltf: Gltf) -> list[str]:
    return [
        gltf.get(one, "name", str, "") or f"animation {index}"
        for index, one in enumerate(gltf.items("animations"))
    ]


def animation_note(motion: Motion) -> dict[str, Any]:
    """What is kept with an animation: its contacts, in seconds."""
    rows = [[c.kind, c.start / motion.fps, c.end / motion.fps] for c in motion.constraints]
    return {"contacts": rows} if rows else {}


def noted_contacts(gltf: Gltf, name: str | None, fps: float, frames: int) -> tuple[Constraint, ...]:
    """Contacts that were kept with the animation of that name, as far as they fit."""
    if name is None:
        return ()
    entry = gltf.items("animations")[animation_names(gltf).index(name)]
    extras = entry.get("extras")
    said = extras.get(notes.KEY) if isinstance(extras, dict) else None
    rows = said.get("contacts") if isinstance(said, dict) else None
    found = []
    for row in rows if isinstance(rows, list) else ():
        try:
            kind, start, end = row
            found.append(Constraint(float(start) * fps, float(end) * fps, str(kind)))
        except (TypeError, ValueError, MotionError):
            # Possibly edited by another program: anything that is not a contact is left out.
            continue
    return clipped(found, 0.0, frames - 1.0)


def read_animation(
    gltf: Gltf, which: str | int | None
) -> tuple[dict[tuple[int, str], Curve], str | None, list[str]]:
    """Curves by node and property, the animation's name, warnings."""
    names = animation_names(gltf)
    if not names:
        if which is not None:
            raise gltf.fail("there is no animation")
        return {}, None, unasked(names, -1)
    if which is None:
        index = _first_that_moves(gltf, len(names))
        return _curves(gltf, index, names[index]), names[index], unasked(names, index)
    if isinstance(which, str) and which in names:
        index = names.index(which)
    else:
        try:
            index = int(which)
        except ValueError:
            index = -1
        if not 0 <= index < len(names):
            raise gltf.fail(f"there is no animation {which!r}; there are {', '.join(names[:20])}")
    return _curves(gltf, index, names[index]), names[index], []


def _first_that_moves(gltf: Gltf, count: int) -> int:
    """The first of the animations that moves a joint of a skin, or anything if there is none.

    Files hold poses and animations of cameras and empties beside those of the body. The first of
    all if none moves one.
    """
    joints = {joint for skin in gltf.items("skins") for joint in _skin_joints(gltf, skin)}
    for index in range(count if count > 1 else 0):
        curves = _curves(gltf, index, str(index))
        if any(
            curve.changes for (node, _), curve in curves.items() if node in joints or not joints
        ):
            return index
    return 0


def _curves(gltf: Gltf, index: int, name: str) -> dict[tuple[int, str], Curve]:
    """The curves of an animation, by node and property."""
    entry = gltf.item("animations", index)
    samplers = gltf.get(entry, "samplers", list, [])
    curves = {}
    for channel in gltf.get(entry, "channels", list, []):
        target = gltf.get(channel, "target", dict, {}) if isinstance(channel, dict) else {}
        what, node = target.get("path"), target.get("node")
        if not isinstance(what, str) or what not in PATHS or node is None:
            continue
        gltf.item("nodes", node)
        number = gltf.get(channel, "sampler", int, -1)
        if not 0 <= number < len(samplers) or not isinstance(samplers[number], dict):
            raise gltf.fail(f"animation {name!r} has no sampler {number}")
        curves[node, what] = _curve(gltf, samplers[number], what)
    return curves


def _curve(gltf: Gltf, sampler: dict[str, Any], what: str) -> Curve:
    how = gltf.get(sampler, "interpolation", str, "LINEAR")
    if how not in _INTERPOLATIONS:
        raise gltf.fail(f"interpolation {how[:20]!r}: expected {', '.join(_INTERPOLATIONS)}")
    if not {"input", "output"} <= sampler.keys():
        raise gltf.fail("the animation has no keys, only names of what it moves; export it again")
    times = gltf.accessor(sampler.get("input"), "SCALAR")[:, 0]
    values = gltf.accessor(sampler.get("output"), PATHS[what])
    if np.any(np.diff(times) < 0.0):
        raise gltf.fail("the keys of an animation go back in time")
    if how == "CUBICSPLINE":
        if len(values) != 3 * len(times):
            raise gltf.fail(f"{len(times)} keys, but {len(values)} values and tangents")
        values = values.reshape(len(times), 3, -1)
    elif len(values) != len(times):
        raise gltf.fail(f"{len(times)} keys, but {len(values)} values")
    if what == "rotation":
        key = values[:, 1] if how == "CUBICSPLINE" else values
        if np.any(np.linalg.norm(key, axis=-1) < 1e-6):
            raise gltf.fail("an animation contains a rotation that is not valid")
        if how != "CUBICSPLINE":
            values = rotations.normalize(values)
    return Curve(times, values, how, what == "rotation")


def frame_times(
    gltf: Gltf,
    curves: Curves,
    rate: float | None,
    note: Note | None,
) -> tuple[Array, float]:
    """Seconds of the frames, and how many frames per second those are."""
    rate = None if rate is None else checked_rate(rate, "rate=")
    if not curves:
        return np.zeros(1), rate or (30.0 if note is None else note.fps)
    keys = [curve.times for curve in curves.values()]
    start, end = min(one[0] for one in keys), max(one[-1] for one in keys)
    fps = rate or (checked_rate(frame_rate(keys)) if note is None else note.fps)
    steps = (end - start) * fps
    # Times are kept in float32, and at the end of a long clip a frame may fall short.
    count = np.floor(steps + 1e-2 + steps * 2.0**-23) + 1.0
    if not count <= MOST_FRAMES:
        raise gltf.fail(f"the animation lasts {end - start:g} seconds, which is too long")
    return start + np.arange(int(count)) / fps, float(fps)
