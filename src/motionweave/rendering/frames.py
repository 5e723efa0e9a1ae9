"""The frames of a moving picture, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from motionweave.body.figure.torso import torso_triangles
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.planar import Planar
from motionweave.rendering import raster
from motionweave.rendering.camera import Camera
from motionweave.rendering.figure import Figure
from motionweave.rendering.look import Scene, tones
from motionweave.rendering.textures import NO_TEXTURES, Textures

# Samples along each side of a pixel, for the body's edges.
_SAMPLES = 3
# To the lamp, from a camera that looks along -z: it stands behind its left shoulder. Then how
# the edge of its shadow widens with height, and the same for the sky.
_LAMP = (-0.45, 1.0, 0.42)
_LAMP_EDGE, _LAMP_SPREAD, _LAMP_DARK = 0.012, 0.05, 0.5
_SKY_EDGE, _SKY_SPREAD, _SKY_DARK = 0.03, 0.25, 0.5
# The map of the shadow: cells along a side, and how wide it is, in body heights.
_CELLS, _WIDE = 160, 2.0
# In body heights: a square of the floor, how far one sees it, a contact's mark, a trail.
GRID, _REACH, _MARK, TRAIL = 0.3, 4.5, 0.028, 0.0075
# Seconds: a trail's length, how long a contact's mark takes to fade, and between two ghosts.
TRAIL_LASTS, _FADES, _GHOST_STEP = 1.2, 1.5, 0.3
_GHOST = 0.28


@dataclass(frozen=True, eq=False)
class Film:
    """One camera's picture of figures on a floor.

    Parameters
    ----------
    figures
        The figures in it; the floor is that of the first.
    camera
        The camera for each frame.
    scene
        Colours around.
    fps
        Frames per second.
    width, height
        In pixels.
    ghosts
        How many earlier poses are shown faintly.
    """

    figures: Sequence[Figure]
    camera: Camera
    scene: Scene
    fps: float
    width: int
    height: int
    ghosts: int = 0

    def __len__(self) -> int:
        return len(self.camera.eyes)

    @cached_property
    def _tones(self) -> NDArray[np.uint8]:
        return tones()

    @cached_property
    def size(self) -> float:
        """Height of the largest body."""
        return max(body_height(figure.motion.skeleton) for figure in self.figures) or 1.0

    @cached_property
    def lamp(self) -> Array:
        """Unit vector to the lamp, which stays where it is when the camera goes round."""
        return lamp(self.camera)

    @cached_property
    def floor(self) -> float:
        """Height of the floor."""
        return min(figure.floor for figure in self.figures)

    def draw(self, frame: int) -> NDArray[np.uint8]:
        """One frame as bytes ``(height, width, 3)``, or with alpha ``(height, width, 4)``."""
        axes = self.camera.axes(frame)
        eye = self.camera.eyes[frame]
        focal = self.camera.focal * self.height
        lens = np.array([focal, 0.5 * self.width, 0.5 * self.height])
        picture = np.empty((self.height, self.width, 4), dtype=np.float32)
        dark, corner, cell = self._shadow(frame)
        middle = self.camera.targets[frame]
        raster.draw_floor(
            eye,
            *axes,
            lens,
            self.floor,
            GRID * self.size,
            dark,
            corner,
            cell,
            self.scene.floor,
            self.scene.line,
            self.scene.haze,
            middle[[0, 2]],
            _REACH * self.size,
            self.scene.opaque,
            picture,
        )
        self._draw_marks(frame, eye, axes, lens, picture)
        turn = np.stack(axes)
        for back in range(self.ghosts, 0, -1):
            then = frame - round(back * _GHOST_STEP * self.fps)
            if then >= 0:
                fading = _GHOST * (1.0 - (back - 1) / (self.ghosts + 1))
                self._draw_bodies(then, eye, turn, lens, fading, picture, trails=False)
        self._draw_bodies(frame, eye, turn, lens, 1.0, picture, trails=True)
        result = np.empty((self.height, self.width, 3 if self.scene.opaque else 4), dtype=np.uint8)
        raster.to_bytes(picture, self._tones, result)
        return result

    def _shadow(self, frame: int) -> tuple[Array, Array, float]:
        """How dark the floor is ``(n, n)``, where that map begins, and how wide a cell is."""
        rows = [figure.capsules(frame) for figure in self.figures]
        a, b = (np.concatenate([row[i] for row in rows]) for i in (0, 1))
        a, b = (np.ascontiguousarray(one - [0.0, self.floor, 0.0]) for one in (a, b))
        radii = np.concatenate([figure.radii for figure in self.figures])
        low, high = a[:, [0, 2]].min(axis=0), a[:, [0, 2]].max(axis=0)
        wide = max(_WIDE * self.size, float((high - low).max()) + 1.2 * self.size)
        corner = 0.5 * (low + high) - 0.5 * wide
        # The lamp casts shadows away from itself: the map moves with them.
        corner = corner - 0.35 * self.size * self.lamp[[0, 2]] / self.lamp[1]
        cell = wide / _CELLS
        dark = np.zeros((_CELLS, _CELLS))
        soft = np.zeros((_CELLS, _CELLS))
        size = self.size
        lit, edge = self.lamp, _LAMP_EDGE * size
        raster.cast_shadow(a, b, radii, lit, edge, _LAMP_SPREAD, corner, cell, dark)
        straight = np.array([0.0, 1.0, 0.0])
        raster.cast_shadow(a, b, radii, straight, _SKY_EDGE * size, _SKY_SPREAD, corner, cell, soft)
        return 1.0 - (1.0 - _LAMP_DARK * dark) * (1.0 - _SKY_DARK * soft), corner, cell

    def _draw_marks(
        self, frame: int, eye: Array, axes: tuple[Array, ...], lens: Array, picture: NDArray
    ) -> None:
        fades = _FADES * self.fps
        for figure in self.figures:
            for mark in figure.marks:
                after = frame - mark.end
                if frame < mark.start or after > fades:
                    continue
                held = after <= 0.0
                alpha = 0.85 if held else 0.45 * (1.0 - after / fades)
                place = np.array(mark.place)
                place[1] = self.floor
                radius = _MARK * self.size
                raster.draw_disc(
                    eye, *axes, lens, place, radius, 0.0 if held else 0.7, self.scene.mark, alpha,
                    picture,
                )  # fmt: skip

    def _draw_bodies(
        self,
        frame: int,
        eye: Array,
        turn: Array,
        lens: Array,
        alpha: float,
        picture: NDArray,
        *,
        trails: bool,
    ) -> None:
        """Draw all bodies of a frame as one layer, in the box of the picture that they fill."""
        solids = [self._solids(figure, frame, trails) for figure in self.figures]
        a, b, radii, colours = (np.concatenate(group) for group in zip(*solids, strict=True))
        a, b = ((one - eye) @ turn.T for one in (a, b))
        order = np.argsort(np.minimum(a[:, 2], b[:, 2]) - radii.max(axis=1))
        a, b, radii, colours = a[order], b[order], radii[order], colours[order]
        meshes = [mesh for figure in self.figures for mesh in _meshes(figure, frame, eye, turn)]
        points = np.concatenate([a, b, *(mesh.vertices for mesh in meshes)])
        wide = float(radii.max(initial=0.0))
        box = _box(points, wide, lens, raster.NEAR * self.size, self.width, self.height)
        if box is None:
            return
        top, left, rows, columns = box
        layer = np.empty((rows * _SAMPLES, columns * _SAMPLES, 3), dtype=np.float32)
        depth = np.full(layer.shape[:2], 1e30, dtype=np.float32)
        inside = _SAMPLES * np.array([lens[0], lens[1] - left, lens[2] - top])
        above = float(eye[1] - self.floor)
        light, up = turn @ self.lamp, np.ascontiguousarray(turn[:, 1])
        raster.draw_capsules(
            a, b, radii, colours, light, up, above, self.size, inside, layer, depth
        )
        for mesh in meshes:
            raster.draw_triangles(
                mesh.vertices, mesh.normals, mesh.triangles, mesh.colours, mesh.places, mesh.sheet,
                mesh.holes, mesh.textures.sheets, mesh.textures.texels, light, up, above, self.size,
                inside, layer, depth,
            )  # fmt: skip
        raster.lay_over(layer, depth, _SAMPLES, top, left, alpha, picture)

    def _solids(self, figure: Figure, frame: int, trails: bool) -> tuple[Array, ...]:
        """Both ends, radii and colours of a figure's capsules, and of its trails."""
        a, b = figure.capsules(frame)
        shown = np.ones(len(a), dtype=bool) if figure.torso is None else figure.limbs
        if figure.skin is not None:
            shown = np.zeros(len(a), dtype=bool)
        rows = [(a[shown], b[shown], figure.radii[shown], figure.colours[shown])]
        if trails and figure.trailed:
            last = min(frame, len(figure) - 1)
            first = max(0, last - round(TRAIL_LASTS * self.fps))
            for point in figure.trailed:
                way = figure.points[first : last + 1, point]
                if len(way) > 1:
                    thick = np.linspace(0.15, 1.0, len(way)) * TRAIL * self.size
                    radii = np.stack([thick[:-1], thick[1:]], axis=-1)
                    colour = np.tile(self.scene.mark, (len(way) - 1, 1))
                    rows.append((way[:-1], way[1:], radii, colour))
        return tuple(np.concatenate(group) for group in zip(*rows, strict=True))


def lamp(camera: Camera) -> Array:
    """Unit vector to the lamp of a scene, relative to the camera."""
    back = camera.eyes[0] - camera.targets[0]
    turned = Planar(float(np.arctan2(back[0], back[2]))).apply(_LAMP)
    return np.asarray(turned / np.linalg.norm(turned))


@dataclass(frozen=True, eq=False)
class _Mesh:
    """Triangles whose vertices are in the camera's coordinates; fields as of `Skin`."""

    vertices: Array
    normals: Array
    triangles: NDArray[np.intp]
    colours: Array
    places: Array
    sheet: NDArray[np.intp]
    holes: NDArray[np.bool_]
    textures: Textures


def _meshes(figure: Figure, frame: int, eye: Array, turn: Array) -> list[_Mesh]:
    """What is drawn of a figure beside capsules: its skin, or else its torso."""
    now = min(frame, len(figure) - 1)
    skin, torso = figure.skin, figure.torso
    if skin is not None:
        positions, orientations = figure.motion[now].forward()
        vertices, normals = skin.at(positions[0], orientations[0])
        painted = skin.triangles, skin.colours, skin.places, skin.sheet, skin.holes, skin.textures
    elif torso is not None:
        vertices, normals = torso.at(figure.points[now])
        triangles = torso_triangles()
        painted = (
            triangles,
            np.tile(figure.middle, (len(vertices), 1)),
            np.zeros((len(vertices), 2)),
            np.full(len(triangles), -1, dtype=np.intp),
            np.zeros(len(triangles), dtype=bool),
            NO_TEXTURES,
        )
    else:
        return []
    return [_Mesh((vertices - eye) @ turn.T, normals @ turn.T, *painted)]


def _box(
    points: Array, wide: float, lens: Array, near: float, width: int, height: int
) -> tuple[int, int, int, int] | None:
    """Top, left, rows and columns of the pixels that balls of a radius about points may fill.

    What is nearer to the eye than ``near`` is not drawn.
    """
    depth = points[:, 2] - wide
    seen = depth > near
    if not seen.any():
        return None
    x = lens[1] + lens[0] * points[seen, 0] / points[seen, 2]
    y = lens[2] - lens[0] * points[seen, 1] / points[seen, 2]
    reach = 1.05 * lens[0] * wide / depth[seen] + 1.0
    left = max(0, int(np.floor((x - reach).min())))
    right = min(width, int(np.ceil((x + reach).max())) + 1)
    top = max(0, int(np.floor((y - reach).min())))
    bottom = min(height, int(np.ceil((y + reach).max())) + 1)
    if right <= left or bottom <= top:
        return None
    return top, left, bottom - top, right - left
