"""The skinned mesh of a glTF file, in the pose in which no joint of a motion is turned."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.numerics.vectors import unit
from motionweave.io.bvh.format import unique_names
from motionweave.io.gltf.container import Gltf, open_gltf
from motionweave.io.gltf.nodes import Tree
from motionweave.io.scene import note as notes

_TRIANGLES = 4
_IMAGES = ("image/png", "image/jpeg", "image/webp")
_GREY = (0.45, 0.45, 0.45)


@dataclass(frozen=True)
class Surface:
    """What triangles look like.

    Parameters
    ----------
    colour
        Linear, which tints the picture if there is one.
    image
        Number of the picture on it; None without.
    both_sides
        Whether it is seen from behind.
    holes
        Whether transparent parts of the picture are invisible.
    """

    colour: tuple[float, float, float] = _GREY
    image: int | None = None
    both_sides: bool = False
    holes: bool = False


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """Triangles that move with joints, in the file's unit.

    Parameters
    ----------
    names
        N joint names of the skin.
    rest_positions
        ``(N, 3)`` where the joints are in the rest pose.
    joints, weights
        ``(V, 4)`` which joints carry a vertex, and how much; the weights sum to one.
    vertices, normals
        ``(V, 4, 3)`` in the rest pose, as each of the four joints carries them. (The pose in
        which a mesh was bound may differ from the rest pose.)
    triangles
        ``(F, 3)`` vertices.
    colours
        ``(V, 3)`` linear.
    bare, bare_normals
        ``(V, 3)`` as they are in the file.
    binding
        ``(N, 3, 4)`` what takes a vertex of the file to where a joint carries it at rest.
    places
        ``(V, 2)`` where a vertex is in the pictures.
    surfaces, surface
        What triangles look like, and ``(F,)`` which of these each is.
    images
        Kind, such as ``"image/png"``, and content of the pictures.
    """

    names: tuple[str, ...]
    rest_positions: Array
    joints: NDArray[np.intp]
    weights: Array
    vertices: Array
    normals: Array
    triangles: NDArray[np.intp]
    colours: Array
    bare: Array
    bare_normals: Array
    binding: Array
    places: Array
    surfaces: tuple[Surface, ...]
    surface: NDArray[np.intp]
    images: tuple[tuple[str, bytes], ...] = field(repr=False)


def read_mesh(path: str | Path) -> SkinnedMesh | None:
    """The meshes of a character in a glTF file as one: those of its largest skin, and of all that
    share joints with it.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    SkinnedMesh or None
        None if no mesh has a skin, or the only one is the simple body that motionweave adds. A
        joint to which meshes are bound in different ways is listed once for each.
    """
    gltf = open_gltf(Path(path))
    skins = gltf.items("skins")
    if not skins:
        return None
    listed = [gltf.get(skin, "joints", list, []) for skin in skins]
    which = max(range(len(skins)), key=lambda i: len(listed[i]))
    extras = skins[which].get("extras")
    if isinstance(extras, dict) and notes.KEY in extras:
        return None
    for node in (node for joints in listed for node in joints):
        gltf.item("nodes", node)
    # Exporters often give each mesh of a character a skin of its own.
    worn = [i for i in range(len(skins)) if i == which or set(listed[i]) & set(listed[which])]
    tree = Tree.of(gltf)
    bound = _Bindings(gltf, skins, listed, sorted(worn, key=lambda i: i != which))
    parts = [
        bound.placed(part, skin)
        for node in tree.nodes
        if "mesh" in node and (skin := node.get("skin")) in bound.places
        for primitive in gltf.get(gltf.item("meshes", node["mesh"]), "primitives", list, [])
        if isinstance(primitive, dict) and primitive.get("mode", _TRIANGLES) == _TRIANGLES
        if (part := _primitive(gltf, primitive)) is not None
    ]
    if not parts:
        return None
    nodes, matrices = bound.nodes, np.array(bound.matrices)
    places, turns = tree.globals({}, np.zeros(1))
    scales = _scales(tree)[nodes]
    starts = np.cumsum([0, *(len(part[0]) for part in parts[:-1])])
    vertices, normals, joints, weights, colours, uvs = (
        np.concatenate([part[i] for part in parts]) for i in range(6)
    )
    triangles = np.concatenate([part[6] + start for part, start in zip(parts, starts, strict=True)])
    total = weights.sum(axis=1, keepdims=True)
    at, turned = places[0, nodes], rotations.to_matrix(turns[0, nodes])
    linear = turned @ (matrices[:, :3, :3] * scales[:, None, None])
    shift = np.einsum("nij,nj->ni", turned, matrices[:, :3, 3] * scales[:, None]) + at
    moved = np.einsum("vkij,vj->vki", linear[joints], vertices) + shift[joints]
    facing = np.einsum("vkij,vj->vki", linear[joints], normals)
    each = list(dict.fromkeys(nodes))
    names = dict(zip(each, unique_names(tree.name(node) for node in each), strict=True))
    return SkinnedMesh(
        tuple(names[node] for node in nodes),
        at,
        joints,
        weights / np.where(total > 0.0, total, 1.0),
        moved,
        unit(facing),
        triangles,
        colours,
        vertices,
        normals,
        np.concatenate([linear, shift[:, :, None]], axis=2),
        uvs,
        tuple(part[7] for part in parts),
        np.repeat(np.arange(len(parts)), [len(part[6]) for part in parts]),
        tuple(_image(gltf, number) for number in range(len(gltf.items("images")))),
    )


class _Bindings:
    """How several skins bind meshes to joints: each joint once for every way in which it is bound.

    Parameters
    ----------
    gltf, skins, listed
        The file, its skins, and the nodes that are their joints.
    worn
        Which skins, in this order.
    """

    def __init__(
        self, gltf: Gltf, skins: list[dict[str, Any]], listed: list[list[int]], worn: list[int]
    ) -> None:
        self.gltf = gltf
        self.nodes: list[int] = []
        self.matrices: list[Array] = []
        # For each skin, where its joints are among these.
        self.places: dict[Any, NDArray[np.intp]] = {}
        known: dict[tuple[int, bytes], int] = {}
        for skin in worn:
            matrices = _bind_matrices(gltf, skins[skin], len(listed[skin]))
            places = []
            for node, matrix in zip(listed[skin], matrices, strict=True):
                key = (node, matrix.tobytes())
                if key not in known:
                    known[key] = len(self.nodes)
                    self.nodes.append(node)
                    self.matrices.append(matrix)
                places.append(known[key])
            self.places[skin] = np.array(places, dtype=np.intp)

    def placed(self, part: tuple[Any, ...], skin: Any) -> tuple[Any, ...]:
        """A primitive with its joints counted as those of all skins."""
        places, joints = self.places[skin], part[2].astype(np.intp)
        if joints.size and (joints.min() < 0 or joints.max() >= len(places)):
            raise self.gltf.fail("the mesh uses joints that the skin does not have")
        return (*part[:2], places[joints], *part[3:])


def _bind_matrices(gltf: Gltf, skin: dict[str, Any], joints: int) -> Array:
    if "inverseBindMatrices" not in skin:
        return np.tile(np.eye(4), (joints, 1, 1))
    columns = gltf.accessor(skin["inverseBindMatrices"], "MAT4")
    if len(columns) < joints:
        raise gltf.fail(f"{joints} joints, but {len(columns)} bind matrices")
    return np.swapaxes(columns[:joints].reshape(-1, 4, 4), 1, 2)


def _scales(tree: Tree) -> Array:
    """The overall scale of each node, including everything above it, ``(N,)``."""
    scales = np.ones(len(tree.nodes))
    for node in tree.order:
        above = scales[tree.parents[node]] if tree.parents[node] >= 0 else 1.0
        scales[node] = above * np.abs(tree.local(node)[2]).prod() ** (1.0 / 3.0)
    return scales


def _primitive(gltf: Gltf, entry: dict[str, Any]) -> tuple[Any, ...] | None:
    """Vertices, normals, joints, weights, colours, places in pictures, triangles and surface;
    None if it has no joints."""
    attributes = gltf.get(entry, "attributes", dict, {})
    if not {"POSITION", "JOINTS_0", "WEIGHTS_0"} <= attributes.keys():
        return None
    vertices = gltf.accessor(attributes["POSITION"], "VEC3")
    if "indices" in entry:
        triangles = gltf.accessor(entry["indices"], "SCALAR")[:, 0].astype(np.intp)
    else:
        triangles = np.arange(len(vertices))
    triangles = triangles[: len(triangles) // 3 * 3].reshape(-1, 3)
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise gltf.fail("a mesh has triangles with vertices that it does not have")
    if "NORMAL" in attributes:
        normals = gltf.accessor(attributes["NORMAL"], "VEC3")
    else:
        normals = _smooth_normals(vertices, triangles)
    joints = gltf.accessor(attributes["JOINTS_0"], "VEC4")
    weights = gltf.accessor(attributes["WEIGHTS_0"], "VEC4")
    if "TEXCOORD_0" in attributes:
        places = gltf.accessor(attributes["TEXCOORD_0"], "VEC2")
    else:
        places = np.zeros((len(vertices), 2))
    if len({len(rows) for rows in (vertices, normals, joints, weights, places)}) > 1:
        raise gltf.fail("the attributes of a mesh differ in length")
    colours = np.tile(_base_colour(gltf, entry), (len(vertices), 1))
    surface = _surface(gltf, entry)
    return vertices, normals, joints, weights, colours, places, triangles, surface


def _surface(gltf: Gltf, entry: dict[str, Any]) -> Surface:
    if "material" not in entry:
        return Surface()
    material = gltf.item("materials", entry["material"])
    paint = gltf.get(material, "pbrMetallicRoughness", dict, {})
    red, green, blue, _ = gltf.numbers(paint, "baseColorFactor", [1.0, 1.0, 1.0, 1.0])
    image = None
    if "baseColorTexture" in paint:
        reference = gltf.get(paint, "baseColorTexture", dict, {})
        image = gltf.item("textures", reference.get("index")).get("source")
    if image is not None:
        gltf.item("images", image)
    return Surface(
        (float(red), float(green), float(blue)),
        image,
        material.get("doubleSided") is True,
        material.get("alphaMode") in ("MASK", "BLEND"),
    )


def _image(gltf: Gltf, number: int) -> tuple[str, bytes]:
    """Kind and content of a picture; empty for one that is not in the file."""
    entry = gltf.item("images", number)
    kind, content = entry.get("mimeType"), b""
    if "bufferView" in entry:
        content = gltf.view_bytes(entry["bufferView"])
    elif str(entry.get("uri", "")).startswith("data:"):
        head, _, text = str(entry["uri"]).partition(",")
        kind, content = head[5:].partition(";")[0], gltf.decoded(text, f"image {number}")
    return (kind, content) if kind in _IMAGES else ("", b"")


def _base_colour(gltf: Gltf, entry: dict[str, Any]) -> Array:
    if "material" not in entry:
        return np.array(_GREY)
    material = gltf.item("materials", entry["material"])
    surface = gltf.get(material, "pbrMetallicRoughness", dict, {})
    factor = gltf.numbers(surface, "baseColorFactor", [1.0, 1.0, 1.0, 1.0])[:3]
    # Without their pictures, surfaces that have some are grey, tinted by the factor.
    plain = "baseColorTexture" not in surface and factor.min() < 0.95
    return factor if plain else factor * np.array(_GREY)


def _smooth_normals(vertices: Array, triangles: NDArray[np.intp]) -> Array:
    """Mean normals ``(V, 3)`` of the triangles about each vertex, weighted by their area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    return unit(normals)
