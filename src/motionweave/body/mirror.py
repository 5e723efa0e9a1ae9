"""Mirror images: left and right swapped.

Each joint has a counterpart: the joint at the same place on the other side, or itself in the
middle. Partners are paired from the root down (by the side in their names, by role, by shape), so
that the tree is the same seen in the mirror. The rest pose has a mirror plane found from the
offsets: most rigs have it at x = 0, some elsewhere. Rigs whose joints have axes that follow their
bones have none in common; each of their joints has one.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.heading import facing
from motionweave.body.rig.names import side_key
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, checked
from motionweave.core.skeleton import Skeleton
from motionweave.errors import QualityWarning

# A mirror plane this close (cosine) to a coordinate plane is that plane.
_ON_AXIS = np.cos(np.radians(15.0))
# Bones may miss their mirror image by this share of the body's height.
_SYMMETRIC = 0.1
# Reflections that miss bones by this share of what is allowed more than the best count as equal.
_EQUAL = 0.5
# Frames, at most about twice as many, from which a mean posture is taken.
_POSTURES = 200
# Weight of a known reflection beside the bones: it says only what these leave open.
_UNDECIDED = 1e-9


def mirror(motion: Motion) -> Motion:
    """The mirror image of the motion, with left and right swapped, reflected in the plane x = 0.

    The skeleton stays as it is, so that the result can be combined with other clips of
    the character; if its sides differ slightly, limbs keep the lengths of their own side. Mirroring
    twice returns the original motion.

    Parameters
    ----------
    motion
        A motion of a skeleton with two sides.

    Returns
    -------
    Motion
        Its contacts change sides, too.

    Warns
    -----
    QualityWarning
        If the skeleton's sides differ so much that the mirror image will not look right.

    Examples
    --------
    >>> import motionweave as mw
    >>> left = mw.sample("walk_left")
    >>> right = mw.mirror(left)
    >>> bool(abs(right.root[:, 0] + left.root[:, 0]).max() < 1e-9)
    True
    """
    check_arguments(mirror, locals())
    motion = at_pelvis(checked(motion))
    skeleton = motion.skeleton
    swap = partners(skeleton)
    reflections = rest_reflections(motion)
    missed = _missed(skeleton, swap, reflections)
    if missed.max() > _SYMMETRIC * body_height(skeleton):
        worst = skeleton.names[int(np.argmax(missed))]
        warnings.warn(
            f"the skeleton is not symmetric (joint {worst!r} has no mirrored counterpart), so the "
            "mirrored motion is only approximately the mirror image",
            QualityWarning,
            stacklevel=2,
        )
    kinds = {c.kind: other_side(c.kind) for c in motion.constraints}
    return _in_rest_planes(motion.mirrored(swap, kinds), reflections[swap])


def other_side(kind: str) -> str:
    """``right_toe`` for ``left_toe`` and so on; itself for what has no side."""
    for side, other in (("left", "right"), ("right", "left")):
        if kind == side or kind.startswith(f"{side}_"):
            return other + kind.removeprefix(side)
    return kind


@lru_cache(maxsize=64)
def partners(skeleton: Skeleton) -> NDArray[np.intp]:
    """``(J,)`` index of each joint's counterpart on the other side, itself in the middle."""
    swap = np.arange(len(skeleton))
    pairing = _Pairing(skeleton)
    for joint in range(len(skeleton)):
        # Children of a pair are paired across it; those of a middle joint among themselves.
        other = int(swap[joint])
        if other >= joint:
            for a, b in pairing.children(joint, other):
                swap[a], swap[b] = b, a
    swap.setflags(write=False)
    return swap


def rest_reflections(motion: Motion) -> Array:
    """``(J, 3, 3)`` reflections: from the axes of each joint's partner to the joint's own.

    One for all joints if that brings bones to those of their partners. Otherwise, where axes
    follow the bones, each joint has one that does; of those that do about equally well the one
    in which the body's mean posture is most similar on both sides. In its partner's axes it is
    the inverse, so that mirroring twice gives the motion back.
    """
    skeleton = motion.skeleton
    swap = partners(skeleton)
    normal = _rest_normal(skeleton, swap)
    common = np.eye(3) - 2.0 * np.outer(normal, normal)
    found = np.repeat(common[None], len(skeleton), axis=0)
    most = _SYMMETRIC * body_height(skeleton)
    if _missed(skeleton, swap, found).max() <= most:
        return found
    # Sides differ in one axis, or, where equal angles make equal poses, in all three.
    candidates = np.stack([common, *(np.diag(1.0 - 2.0 * row) for row in np.eye(3)), -np.eye(3)])
    postures = _mean_postures(motion)
    for joint in range(len(skeleton)):
        other = int(swap[joint])
        if other < joint:
            found[joint] = found[other].T
            continue
        ours, theirs = _bones(skeleton, joint, swap)
        images = np.einsum("kab,nb->kna", candidates, theirs)
        missed = np.linalg.norm(images - ours, axis=-1).max(axis=1, initial=0.0)
        alike = postures[joint].T @ np.diag([-1.0, 1.0, 1.0]) @ postures[other]
        score = np.einsum("kab,ab->k", candidates, alike)
        equal = missed <= missed.min() + _EQUAL * most
        best = candidates[np.where(equal, score, -np.inf).argmax()]
        found[joint] = _nearest_reflection(ours, theirs, best)
    return found


def _bones(skeleton: Skeleton, joint: int, swap: NDArray[np.intp]) -> tuple[Array, Array]:
    """Bones ``(n, 3)`` that begin at a joint, and those of its partner."""
    bones = list(skeleton.children[joint])
    ends, others = (np.flatnonzero(skeleton.end_parents == j) for j in (joint, swap[joint]))
    ours, theirs = skeleton.offsets[bones], skeleton.offsets[swap[bones]]
    if len(ends) == len(others):
        ours = np.concatenate([ours, skeleton.end_offsets[ends]])
        theirs = np.concatenate([theirs, skeleton.end_offsets[others]])
    return ours, theirs


def _mean_postures(motion: Motion) -> Array:
    """``(J, 3, 3)`` mean orientations of the joints, seen from where the body faces."""
    every = slice(None, None, max(len(motion) // _POSTURES, 1))
    turned = rotations.about_vertical(-facing(motion)[every])[:, None]
    seen = rotations.multiply(turned, motion.forward()[1][every])
    return np.asarray(rotations.to_matrix(seen).mean(axis=0))


def _missed(skeleton: Skeleton, swap: NDArray[np.intp], reflections: Array) -> Array:
    """``(J,)`` how far from its partner's place a joint lies in the mirror."""
    above = reflections[skeleton.parents]
    images = np.einsum("jab,jb->ja", above, skeleton.offsets[swap])
    missed = np.linalg.norm(images - skeleton.offsets, axis=1)
    missed[0] = 0.0
    return np.asarray(missed)


def _nearest_reflection(ours: Array, theirs: Array, known: Array) -> Array:
    """The reflection ``(3, 3)`` that brings ``theirs`` ``(n, 3)`` best to ``ours``.

    Turns about the bones, which these do not say, are as in ``known``. The orthogonal factor
    of the sum of products is the best one; the weakest direction decides that it reflects.
    """
    products = ours.T @ theirs
    size = np.linalg.norm(products)
    products = (products / size if size > 0.0 else products) + _UNDECIDED * known
    left, _, right = np.linalg.svd(products)
    left[:, -1] *= -np.sign(np.linalg.det(left @ right))
    return np.asarray(left @ right)


def _rest_normal(skeleton: Skeleton, swap: NDArray[np.intp]) -> Array:
    """Unit normal ``(3,)`` of the plane that exchanges the sides of the rest pose.

    The reflection I - 2 n n' that brings offsets best to those of their partners has as
    n the direction in which the products of partners' offsets are smallest.
    """
    ours, theirs = skeleton.offsets[1:], skeleton.offsets[swap][1:]
    products = ours.T @ theirs
    values, vectors = np.linalg.eigh(0.5 * (products + products.T))
    normal = vectors[:, 0]
    axis = int(np.argmax(np.abs(normal)))
    undecided = len(values) > 1 and values[1] - values[0] < 1e-9 * max(abs(values[-1]), 1e-300)
    if undecided:
        return np.array([1.0, 0.0, 0.0])
    if abs(normal[axis]) > _ON_AXIS:
        return np.asarray(np.eye(3)[axis])
    return np.asarray(normal * np.sign(normal[axis]))


def _in_rest_planes(image: Motion, reflections: Array) -> Motion:
    """A motion mirrored with local axes reflected in x, as if each joint's were by its own.

    With M the reflection in x and S that of a joint ``(J, 3, 3)``, global orientations must be
    M G S where they are M G M: all axes are turned by M S.
    """
    across = np.diag([-1.0, 1.0, 1.0])
    if np.array_equal(reflections, np.broadcast_to(across, reflections.shape)):
        return image
    turns = across @ reflections
    above = image.skeleton.parents[1:]
    quats = np.stack([rotations.from_matrix(turn) for turn in turns])
    local = rotations.multiply(image.rotations, quats[None])
    local[:, 1:] = rotations.multiply(rotations.inverse(quats[above])[None], local[:, 1:])
    moves = image.translations
    if moves is not None:
        moves = np.array(moves)
        moves[:, 1:] = np.einsum("tjb,jba->tja", moves[:, 1:], turns[above])
    return replace(image, rotations=local, translations=moves)


class _Pairing:
    """Pairs counterparts among the children of a joint or of a pair."""

    def __init__(self, skeleton: Skeleton):
        self.skeleton = skeleton
        self.keys = [side_key(name) for name in skeleton.names]
        # Roles on each branch: a joint without one (CMU's hip joints) leads to some.
        self.roles: list[set[str]] = [set() for _ in skeleton.names]
        for role, joint in find_rig(skeleton).roles.items():
            self.roles[joint].add(role)
        self.sizes = np.ones(len(skeleton), dtype=int)
        for joint in range(len(skeleton) - 1, 0, -1):
            self.sizes[skeleton.parents[joint]] += self.sizes[joint]
            self.roles[skeleton.parents[joint]] |= self.roles[joint]

    def children(self, a: int, b: int) -> list[tuple[int, int]]:
        """Pairs among the children of ``a`` and ``b``; ``a == b`` for a joint in the middle."""
        ours = list(self.skeleton.children[a])
        theirs = list(self.skeleton.children[b]) if a != b else ours
        pairs: list[tuple[int, int]] = []
        for alike in (self._same_role, self._same_name, self._same_shape):
            for one in list(ours):
                if one not in ours:
                    continue
                found = [other for other in theirs if other != one and alike(one, other, a == b)]
                if found:
                    other = min(found, key=lambda each, one=one: self._apart(one, each))  # type: ignore[misc]
                    pairs.append((one, other))
                    ours.remove(one)
                    theirs.remove(other)
                    if a == b:
                        ours = theirs = [j for j in ours if j not in (one, other)]
        return pairs

    def _same_role(self, one: int, other: int, middle: bool) -> bool:
        mine, theirs = self.roles[one], self.roles[other]
        return bool(mine) and theirs == {other_side(role) for role in mine}

    def _same_name(self, one: int, other: int, middle: bool) -> bool:
        (side, key), (other_s, other_key) = self.keys[one], self.keys[other]
        return key == other_key and {side, other_s} == {"left", "right"}

    def _same_shape(self, one: int, other: int, middle: bool) -> bool:
        """Like branches; in the middle they must also lie on different sides."""
        for joint in (one, other):
            if middle and self.keys[joint][0]:
                return False
        if self.sizes[one] != self.sizes[other]:
            return False
        lengths = np.linalg.norm(self.skeleton.offsets[[one, other]], axis=1)
        if abs(lengths[0] - lengths[1]) > 0.3 * max(lengths.max(), 1e-12):
            return False
        if not middle:
            return True
        across = self.skeleton.offsets[one, 0] * self.skeleton.offsets[other, 0]
        return bool(across < 0.0 and self._apart(one, other) < 0.3 * lengths.max())

    def _apart(self, one: int, other: int) -> float:
        """How far an offset misses the mirror image of the other one."""
        image = self.skeleton.offsets[other] * np.array([-1.0, 1.0, 1.0])
        return float(np.linalg.norm(self.skeleton.offsets[one] - image))
