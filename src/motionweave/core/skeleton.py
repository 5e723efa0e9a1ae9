"""The character: named joints in a tree, with the offsets of the rest pose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.core import checks
from motionweave.core.arrays import Array
from motionweave.errors import MotionError, RigError


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.array(array)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class Layout:
    """The joints of a file before some were hung elsewhere; see `body.normalize.detached_feet`.

    Parameters
    ----------
    order
        Names of all joints in the order of the file.
    moved
        Joints that the file hangs elsewhere: the name of each, that of its parent in the file, and
        its offset there.
    """

    order: tuple[str, ...]
    moved: tuple[tuple[str, str, tuple[float, float, float]], ...]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of J joints. In the rest pose no joint is rotated; up is +y.

    Parameters
    ----------
    names
        J joint names, unique.
    parents
        ``(J,)`` index of each joint's parent, -1 for the root, which is joint 0.
        A parent comes before its children.
    offsets
        ``(J, 3)`` position of each joint in its parent's frame. The root's own offset is kept for
        files, but a motion's root position replaces it.
    end_parents, end_offsets
        ``(E,)`` and ``(E, 3)``: tips of the last bones (BVH's end sites).
    roles
        Roles given by the user, role to joint name; they take precedence over names and shape.
        Empty for most skeletons; see `motionweave.find_rig`.
    layout
        The file's own layout if some joints were hung elsewhere; None if all hang as in the file.

    Examples
    --------
    >>> import motionweave as mw
    >>> skeleton = mw.sample("walk").skeleton
    >>> skeleton
    <Skeleton: 22 joints, Hips, LeftUpLeg, LeftLeg and 19 more>
    >>> [skeleton.names[joint] for joint in skeleton.chain(0, skeleton.index("LeftFoot"))]
    ['Hips', 'LeftUpLeg', 'LeftLeg', 'LeftFoot']
    """

    names: tuple[str, ...]
    parents: NDArray[np.intp]
    offsets: Array
    end_parents: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    end_offsets: Array = field(default_factory=lambda: np.zeros((0, 3)))
    roles: Mapping[str, str | tuple[str, ...] | int | None] = field(default_factory=dict)
    layout: Layout | None = None

    def __post_init__(self) -> None:
        names = checks.words(self.names, "joint names")
        count = len(names)
        if count == 0:
            raise MotionError("a skeleton needs at least one joint")
        if count > checks.MOST_JOINTS:
            raise MotionError(f"{count} joints: a skeleton has at most {checks.MOST_JOINTS}")
        if len(set(names)) != count:
            twice = [name for name, times in Counter(names).items() if times > 1]
            raise MotionError(
                f"joint names must be unique; these appear more than once: {_listed(sorted(twice))}"
            )
        parents = checks.indices(self.parents, "parents", (count,), -count, count)
        if parents[0] != -1 or np.any(parents[1:] < 0) or np.any(parents >= np.arange(count)):
            raise MotionError(
                "parents: joint 0 is the only root (-1), and parents come before children"
            )
        if count > checks.DEEPEST and checks.depth(parents.tolist()) > checks.DEEPEST:
            raise MotionError(
                f"a skeleton has at most {checks.DEEPEST} joints from its root to a tip"
            )
        end_parents = checks.indices(self.end_parents, "end_parents", (None,), 0, count - 1)
        ends = len(end_parents)
        if ends > checks.MOST_JOINTS:
            raise MotionError(f"{ends} end sites: a skeleton has at most {checks.MOST_JOINTS}")
        offsets = checks.array(self.offsets, "offsets", (count, 3))
        end_offsets = checks.array(self.end_offsets, "end_offsets", (ends, 3))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", _frozen(parents))
        object.__setattr__(self, "offsets", _frozen(offsets))
        object.__setattr__(self, "end_parents", _frozen(end_parents))
        object.__setattr__(self, "end_offsets", _frozen(end_offsets))
        if not isinstance(self.roles, Mapping):
            raise MotionError(f"roles {checks.shown(self.roles)}: expected a mapping")
        object.__setattr__(self, "roles", MappingProxyType(dict(self.roles)))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Skeleton: {len(self)} joints, {_listed(self.names, 3)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return self is other or (
            self.names == other.names
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.end_parents, other.end_parents)
            and np.array_equal(self.end_offsets, other.end_offsets)
            and self.roles == other.roles
            and self.layout == other.layout
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.parents.tobytes(), self.offsets.tobytes()))

    def __getstate__(self) -> dict[str, Any]:
        # A read-only view cannot be pickled; the mapping that it shows can. Names have other
        # hashes in another process.
        state = {**self.__dict__, "roles": dict(self.roles)}
        state.pop("_hash", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, roles=MappingProxyType(state["roles"]))

    def index(self, name: str) -> int:
        """Index of the joint ``name``; a `RigError` lists near names if there is none."""
        try:
            return self._indices[name]
        except (KeyError, TypeError):
            wanted = checks.shown(name)
            hint = checks.did_you_mean(wanted, self.names)
            raise RigError(f"the skeleton has no joint {wanted}{hint}") from None

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint the indices of its children."""
        lists: list[list[int]] = [[] for _ in self.names]
        for child, parent in enumerate(self.parents[1:], start=1):
            lists[parent].append(child)
        return tuple(tuple(row) for row in lists)

    def chain(self, ancestor: int, joint: int) -> tuple[int, ...]:
        """Joints from ``ancestor`` down to ``joint``, both included."""
        path = [joint]
        while path[-1] != ancestor:
            parent = int(self.parents[path[-1]])
            if parent < 0:
                raise RigError(f"{self.names[ancestor]!r} is not above {self.names[joint]!r}")
            path.append(parent)
        return tuple(reversed(path))

    @cached_property
    def rest_positions(self) -> Array:
        """``(J, 3)`` joint places in the rest pose, the root at its own offset."""
        positions = np.array(self.offsets)
        for joint, parent in enumerate(self.parents[1:], start=1):
            positions[joint] += positions[parent]
        positions.setflags(write=False)
        return positions

    @cached_property
    def rest_end_positions(self) -> Array:
        """``(E, 3)`` places of the end sites in the rest pose."""
        return np.asarray(self.rest_positions[self.end_parents] + self.end_offsets)

    @cached_property
    def height(self) -> float:
        """Body height in the file's unit: the vertical extent of the rest pose.

        For a rest pose that is not standing (all bones along one axis, a lying figure) the largest
        extent is used instead. Good for tolerances; the standing height of a body is
        `motionweave.body.size.body_height`.
        """
        points = np.concatenate([self.rest_positions, self.rest_end_positions])
        extents = np.ptp(points, axis=0)
        largest = float(extents.max())
        upright = float(extents[1])
        return upright if upright > 0.5 * largest else largest

    def same_joints(self, other: Skeleton) -> bool:
        """Whether names and tree of ``other`` are the same; bone lengths may differ."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)

    def difference(
        self, other: Skeleton, mine_is: str = "the first", other_is: str = "the second"
    ) -> str:
        """One line that says how the joints of two skeletons differ, or ``""``.

        Parameters
        ----------
        other
            The skeleton to compare with.
        mine_is, other_is
            How that line refers to the two.
        """
        if self.same_joints(other):
            return ""
        mine, theirs = set(self.names), set(other.names)
        parts = []
        if mine - theirs:
            parts.append(f"only in {mine_is}: {_listed(sorted(mine - theirs))}")
        if theirs - mine:
            parts.append(f"only in {other_is}: {_listed(sorted(theirs - mine))}")
        if not parts:
            moved = [
                name for name in self.names if self._parent_name(name) != other._parent_name(name)
            ]
            parts.append(
                f"attached elsewhere: {_listed(moved)}"
                if moved
                else "the same joints in a different order"
            )
        return "; ".join(parts)

    def _parent_name(self, name: str) -> str | None:
        parent = int(self.parents[self.index(name)])
        return None if parent < 0 else self.names[parent]


def _listed(names: Sequence[str], most: int = 8) -> str:
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
