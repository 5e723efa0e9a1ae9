"""Bones as Acclaim files have them, and the skeletons that they stand for.

A bone turns about where it begins, and its vector leads from there to where its
children begin; so bone j is joint j, and its vector is the offset of its children.
Where the children of a joint have different offsets, a connecting bone without
degrees of freedom leads to each of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton
from motionweave.io.bvh.format import unique_names

ROOT = "root"
MOVES = ("tx", "ty", "tz")
TURNS = ("rx", "ry", "rz")
_FREE = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Bone:
    """One bone as in the file; angles in degrees.

    Parameters
    ----------
    name
        ``"root"`` for the root, which has no vector.
    vector
        ``(3,)`` from where the bone begins to where it ends, in the axes of the rest pose.
    axis, order
        ``(3,)`` angles of the bone's own axes and the order in which they are applied:
        ``"XYZ"`` turns about x first.
    dof
        Channels in the order of their numbers, such as ``("rx", "rz")``.
    limits
        Lowest and highest value of each channel; empty if there are none.
    """

    name: str
    vector: Array
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    order: str = "XYZ"
    dof: tuple[str, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()

    @property
    def turn(self) -> Array:
        """The bone's own axes as a rotation ``(4,)``."""
        # Applied first means rightmost in the product, and from_euler reads from the left.
        by_letter = np.radians([self.axis["XYZ".index(letter)] for letter in self.order[::-1]])
        return rotations.from_euler(by_letter, self.order[::-1])


@dataclass
class Acclaim:
    """An ASF file: bones by name (the root first), and the parent of each.

    ``note`` is what a file written by motionweave says about its motion.
    """

    bones: dict[str, Bone] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    position: Array = field(default_factory=lambda: np.zeros(3))
    degrees: bool = True
    length_unit: float = 1.0
    text: str = ""
    note: dict[str, Any] = field(default_factory=dict)

    def children(self) -> dict[str, list[str]]:
        """Names of the children of each bone that has some."""
        children: dict[str, list[str]] = {}
        for child, parent in self.parents.items():
            children.setdefault(parent, []).append(child)
        return children

    def ordered(self) -> list[str]:
        """Names of all bones, parents before children."""
        children = self.children()
        order, stack = [], [ROOT]
        while stack:
            order.append(stack.pop())
            stack.extend(reversed(children.get(order[-1], [])))
        return order


def widened(bone: Bone, channels: Sequence[str]) -> Bone:
    """The bone with further channels, which have no limits."""
    added = tuple(one for one in channels if one not in bone.dof)
    limits = (*bone.limits, *((_FREE,) * len(added))) if bone.limits else ()
    return replace(bone, dof=(*bone.dof, *added), limits=limits)


def to_skeleton(asf: Acclaim) -> tuple[Skeleton, list[str]]:
    """The skeleton, and for each of its joints the bone that turns it."""
    known = asf.note.get("connectors")
    listed = [one for one in known if isinstance(one, str)] if isinstance(known, list) else []
    connectors = set(listed) & set(asf.bones) - {ROOT}
    known = asf.note.get("names")
    called = known if isinstance(known, dict) else {}
    order = asf.ordered()
    joints = [name for name in order if name not in connectors]
    index = {name: number for number, name in enumerate(joints)}
    parents, offsets = [], []
    ends: list[tuple[int, Array]] = []
    with_children = set(asf.parents.values())
    # For each bone the joint that it is or belongs to, and where it ends relative to that joint.
    reach: dict[str, tuple[int, Array]] = {}
    for name in order:
        bone = asf.bones[name]
        above, offset = reach[asf.parents[name]] if name in asf.parents else (-1, asf.position)
        joint = index.get(name)
        reach[name] = (above, offset + bone.vector) if joint is None else (joint, bone.vector)
        if joint is not None:
            parents.append(above)
            offsets.append(offset)
        if name not in with_children and np.any(bone.vector):
            ends.append(reach[name])
    names = [called.get(name, name) for name in joints]
    # Names from elsewhere may be none, or given twice; the bones' own never are.
    if not all(isinstance(name, str) for name in names) or unique_names(names) != tuple(names):
        names = list(unique_names(joints))
    return (
        Skeleton(
            tuple(names),
            np.array(parents),
            np.array(offsets),
            np.array([joint for joint, _ in ends], dtype=np.intp),
            np.array([vector for _, vector in ends]).reshape(-1, 3),
        ),
        joints,
    )


def from_skeleton(skeleton: Skeleton) -> tuple[Acclaim, list[str]]:
    """Bones for any skeleton, and for each joint the bone that turns it."""
    plain = [re.sub(r"[\s#:()]+", "_", name) or "bone" for name in skeleton.names]
    plain = [f"{name}_" if name.lower() in (ROOT, "begin", "end") else name for name in plain]
    bones = [ROOT, *unique_names([ROOT, *plain[1:]])[1:]]
    asf = Acclaim(position=skeleton.offsets[0])
    for joint, name in enumerate(bones):
        dof = (*MOVES, *TURNS) if joint == 0 else TURNS
        asf.bones[name] = Bone(name, np.zeros(3), dof=dof)
    connectors: list[str] = []

    def connect(name: str, above: str, vector: Array) -> str:
        for number in itertools.count(1):
            one = f"{name}{number}"
            if one not in asf.bones:
                break
        asf.bones[one] = Bone(one, vector)
        asf.parents[one] = above
        connectors.append(one)
        return one

    for joint, name in enumerate(bones):
        children = skeleton.children[joint]
        tips = skeleton.end_offsets[skeleton.end_parents == joint]
        vectors = np.concatenate([skeleton.offsets[list(children)].reshape(-1, 3), tips])
        if len(vectors) and joint > 0 and not (children and len(tips)) and _all_same(vectors):
            asf.bones[name] = replace(asf.bones[name], vector=vectors[0])
            asf.parents.update((bones[child], name) for child in children)
            continue
        for child in children:
            offset = skeleton.offsets[child]
            above = connect(f"{name}_to_{bones[child]}_", name, offset) if np.any(offset) else name
            asf.parents[bones[child]] = above
        for tip in tips:
            connect(f"{name}_tip_", name, tip)
    asf.note = {"connectors": connectors}
    renamed = dict(zip(bones, skeleton.names, strict=True))
    asf.note["names"] = {bone: name for bone, name in renamed.items() if bone != name}
    return asf, bones


def _all_same(vectors: Array) -> bool:
    return len(vectors) == 1 or bool(np.all(vectors == vectors[0]))
