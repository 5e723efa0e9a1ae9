"""A mesh that moves with a motion's joints: linear blend skinning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import RigError
from motionweave.io.gltf.mesh import SkinnedMesh, read_mesh
from motionweave.rendering.textures import Textures, decoded


@dataclass(frozen=True, eq=False)
class Skin:
    """A mesh bound to the joints of one skeleton.

    Parameters
    ----------
    joints
        ``(V, 4)`` joints of the skeleton that carry each vertex.
    weights
        ``(V, 4)`` how much, summing to one.
    offsets, normals
        ``(V, 4, 3)`` where the vertex is from each joint at rest, and its normal there.
    triangles
        ``(F, 3)`` vertices.
    colours
        ``(V, 3)`` linear, which tint the textures.
    places
        ``(V, 2)`` where a vertex is in the textures.
    sheet, holes
        ``(F,)`` the texture on each triangle, or -1, and whether it has holes.
    textures
        The textures.
    """

    joints: NDArray[np.intp]
    weights: Array
    offsets: Array
    normals: Array
    triangles: NDArray[np.intp]
    colours: Array
    places: Array
    sheet: NDArray[np.intp]
    holes: NDArray[np.bool_]
    textures: Textures

    @cached_property
    def extremes(self) -> tuple[NDArray[np.intp], Array]:
        """Joints ``(n,)`` and places ``(n, 3)`` from there of the vertices farthest out: along each
        axis of the joint that carries most of them."""
        rows, most = np.arange(len(self.joints)), self.weights.argmax(axis=1)
        joints, offsets = self.joints[rows, most], self.offsets[rows, most]
        chosen: set[int] = set()
        for joint in np.unique(joints):
            own = np.flatnonzero(joints == joint)
            for pick in (np.argmin, np.argmax):
                chosen.update(own[pick(offsets[own], axis=0)].tolist())
        picked = sorted(chosen)
        return joints[picked], offsets[picked]

    def at(self, positions: Array, orientations: Array) -> tuple[Array, Array]:
        """Vertices and normals ``(V, 3)`` for joints at ``(J, 3)`` oriented ``(J, 4)``."""
        turns = rotations.to_matrix(orientations)[self.joints]
        moved = np.einsum("vkij,vkj->vki", turns, self.offsets) + positions[self.joints]
        turned = np.einsum("vkij,vkj->vki", turns, self.normals)
        weights = self.weights[..., None]
        return (moved * weights).sum(axis=1), (turned * weights).sum(axis=1)


def bind(path: str | Path, motion: Motion) -> Skin | None:
    """The mesh of a glTF file bound to a motion's joints by name; None if it has none.

    Parameters
    ----------
    path
        The file.
    motion
        Its joints must have the names of the file's joints. Those that it lacks, such as a
        bone on the floor above the pelvis, are replaced by the pelvis.
    """
    mesh = read_mesh(path)
    if mesh is None:
        return None
    joints, base, scale = _carriers(mesh, motion)
    textures = decoded(mesh.images)
    sheet = _sheets(mesh, textures)
    return Skin(
        joints[mesh.joints],
        mesh.weights,
        scale * (mesh.vertices - base[mesh.joints]),
        mesh.normals,
        mesh.triangles,
        _tints(mesh, sheet),
        mesh.places,
        sheet,
        np.array([surface.holes for surface in mesh.surfaces], dtype=bool)[mesh.surface],
        textures,
    )


def _sheets(mesh: SkinnedMesh, textures: Textures) -> NDArray[np.intp]:
    """The texture ``(F,)`` on each triangle of a mesh, -1 without one that can be read."""
    known = [
        -1 if one.image is None or textures.sheets[one.image, 1] == 0 else one.image
        for one in mesh.surfaces
    ]
    return np.array(known, dtype=np.intp)[mesh.surface]


def _tints(mesh: SkinnedMesh, sheet: NDArray[np.intp]) -> Array:
    """Colours ``(V, 3)`` of a mesh: where there is a texture, only what tints it."""
    colours = np.array(mesh.colours)
    tints = np.array([surface.colour for surface in mesh.surfaces])
    textured = sheet >= 0
    for corner in range(3):
        vertices = mesh.triangles[textured, corner]
        colours[vertices] = tints[mesh.surface[textured]]
    return colours


def carried(mesh: SkinnedMesh, motion: Motion) -> tuple[NDArray[np.intp], Array]:
    """Which joints carry a mesh, and from where; like `bind`, for callers that do their own
    skinning.

    Parameters
    ----------
    mesh
        Of N joints.
    motion
        Its joints must have the names of the mesh's.

    Returns
    -------
    joints
        ``(N,)`` the joint of the motion that carries each joint of the mesh.
    binding
        ``(N, 3, 4)`` what takes a vertex of the file to where it is from that joint while no
        joint is turned, in the motion's unit.
    """
    joints, base, scale = _carriers(mesh, motion)
    binding = np.array(mesh.binding)
    binding[:, :, 3] -= base
    return joints, scale * binding


def _carriers(mesh: SkinnedMesh, motion: Motion) -> tuple[NDArray[np.intp], Array, float]:
    """For each joint of a mesh the joint ``(N,)`` that carries it, where that is at rest in the
    mesh ``(N, 3)``, and how many units of the motion one of the mesh's has."""
    known = {name: index for index, name in enumerate(motion.skeleton.names)}
    own = np.array([known.get(name, -1) for name in mesh.names], dtype=np.intp)
    if np.mean(own >= 0) < 0.5:
        raise RigError(
            f"the joints of the mesh ({', '.join(mesh.names[:4])} ...) are not those of the "
            "motion; give a mesh of the same character, or retarget the motion to it first"
        )
    # A missing joint is replaced by the pelvis, or else by the first known joint.
    zero = np.flatnonzero(own == 0)
    deputy = int(zero[0]) if len(zero) else int(np.flatnonzero(own >= 0)[0])
    anchor = np.where(own >= 0, np.arange(len(own)), deputy)
    return own[anchor], mesh.rest_positions[anchor], _scale(mesh, own, motion)


def _scale(mesh: SkinnedMesh, own: NDArray[np.intp], motion: Motion) -> float:
    """Units of the motion in one of the mesh's, from how far apart their joints are."""
    both = own >= 0
    a = mesh.rest_positions[both]
    b = motion.skeleton.rest_positions[own[both]]
    spread = [float(np.linalg.norm(one - one.mean(axis=0), axis=1).mean()) for one in (a, b)]
    return spread[1] / spread[0] if spread[0] > 0.0 else 1.0
