"""The compiled loops against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave.rendering import raster
from motionweave.rendering.textures import NO_TEXTURES

LENS = np.array([90.0, 32.0, 24.0])
LIGHT = np.array([-0.4, 0.8, -0.45])
UP = np.array([0.0, 1.0, 0.0])


def drawn(a: np.ndarray, b: np.ndarray, radii: np.ndarray) -> np.ndarray:
    picture = np.zeros((48, 64, 3), dtype=np.float32)
    depth = np.full((48, 64), 1e30, dtype=np.float32)
    colours = np.full((len(a), 3), 0.5)
    raster.draw_capsules(a, b, radii, colours, LIGHT, UP, 1.0, 1.0, LENS, picture, depth)
    return depth


def marched(a: np.ndarray, b: np.ndarray, radii: np.ndarray, i: int, j: int) -> float:
    """Depth by going along the ray in steps of the distance to the hull of two balls."""
    way = np.array([(j + 0.5 - LENS[1]) / LENS[0], -(i + 0.5 - LENS[2]) / LENS[0], 1.0])
    way /= np.linalg.norm(way)
    shares = np.linspace(0.0, 1.0, 4001)[:, None]
    t = 0.0
    for _ in range(400):
        balls = (1.0 - shares) * a + shares * b
        sizes = (1.0 - shares[:, 0]) * radii[0] + shares[:, 0] * radii[1]
        apart = float((np.linalg.norm(t * way - balls, axis=1) - sizes).min())
        t += apart
        if apart < 1e-6:
            return t * way[2]
        if t > 20.0:
            break
    return np.inf


@pytest.mark.parametrize("seed", range(6))
def test_capsule_is_the_hull_of_two_balls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.uniform([-0.8, -0.6, 3.0], [0.8, 0.6, 5.0])
    b = a + rng.uniform(-0.9, 0.9, 3)
    radii = rng.uniform(0.05, 0.4, 2)
    depth = drawn(a[None], b[None], radii[None])
    assert (depth < 1e29).any()
    for i in range(2, 48, 9):
        for j in range(1, 64, 9):
            truth = marched(a, b, radii, i, j)
            seen = depth[i, j] if depth[i, j] < 1e29 else np.inf
            # A ray that just grazes the edge may be told either way.
            near = depth[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2] < 1e29
            if near.all() or not near.any():
                assert seen == pytest.approx(truth, abs=2e-3)


def test_one_ball_inside_the_other() -> None:
    a, b = np.array([[0.0, 0.0, 4.0]]), np.array([[0.1, 0.0, 4.0]])
    big = drawn(a, b, np.array([[0.6, 0.1]]))
    alone = drawn(a, a, np.array([[0.6, 0.6]]))
    np.testing.assert_allclose(big, alone, rtol=1e-5)


def test_nearer_hides_farther_in_any_order() -> None:
    a = np.array([[0.0, 0.0, 5.0], [0.1, 0.0, 3.0]])
    b = a + np.array([[0.3, 0.2, 0.0], [0.0, 0.4, 0.0]])
    radii = np.full((2, 2), 0.3)
    one = drawn(a, b, radii)
    other = drawn(a[::-1].copy(), b[::-1].copy(), radii)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(
        one, np.minimum(drawn(a[:1], b[:1], radii[:1]), drawn(a[1:], b[1:], radii[1:]))
    )


def test_triangle_has_the_depth_of_its_plane() -> None:
    points = np.array([[-1.0, -0.8, 4.0], [1.0, -0.7, 5.0], [0.0, 0.9, 3.0]])
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    normal /= np.linalg.norm(normal)
    picture = np.zeros((48, 64, 3), dtype=np.float32)
    depth = np.full((48, 64), 1e30, dtype=np.float32)
    triangle, grey = np.array([[0, 1, 2]]), np.full((3, 3), 0.5)
    normals = np.tile(normal, (3, 1))
    bare = (
        np.zeros((3, 2)),
        np.array([-1]),
        np.array([False]),
        NO_TEXTURES.sheets,
        NO_TEXTURES.texels,
    )
    raster.draw_triangles(
        points, normals, triangle, grey, *bare, LIGHT, UP, 1.0, 1.0, LENS, picture, depth
    )
    rows, columns = np.nonzero(depth < 1e29)
    assert len(rows) > 100
    way = np.stack(
        [(columns + 0.5 - LENS[1]) / LENS[0], -(rows + 0.5 - LENS[2]) / LENS[0], np.ones(len(rows))]
    )
    truth = (points[0] @ normal) / (normal @ way)
    np.testing.assert_allclose(depth[rows, columns], truth, rtol=1e-4)


@pytest.mark.parametrize("holes", [False, True])
def test_a_texture_is_where_its_corners_are(holes: bool) -> None:
    """A square in perspective: red on its left, blue and transparent on its right half."""
    points = np.array([[-1.0, -1.0, 4.0], [1.0, -1.0, 6.0], [1.0, 1.0, 6.0], [-1.0, 1.0, 4.0]])
    square = np.array([[0, 1, 2], [0, 2, 3]])
    places = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    texels = np.zeros((1 + 64 * 64, 4), dtype=np.float32)
    sheet = texels[1:].reshape(64, 64, 4)
    sheet[:, :32], sheet[:, 32:] = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0)
    picture = np.zeros((48, 64, 3), dtype=np.float32)
    depth = np.full((48, 64), 1e30, dtype=np.float32)
    normals, white = np.tile([0.0, 0.0, -1.0], (4, 1)), np.ones((4, 3))
    textures = (np.array([0, 0]), np.array([holes, holes]), np.array([[1, 64, 64]]), texels)
    raster.draw_triangles(
        points, normals, square, white, places, *textures, LIGHT, UP, 1.0, 1.0, LENS, picture, depth
    )
    rows, columns = np.nonzero(depth < 1e29)
    # In the world, left of the middle is x < 0: x = z (column - centre) / focal.
    across = depth[rows, columns] * (columns + 0.5 - LENS[1]) / LENS[0]
    red = picture[rows, columns, 0] > picture[rows, columns, 2]
    # At its edges the texture begins anew.
    clear = np.abs(np.abs(across) - 0.5) < 0.45
    assert np.array_equal(red[clear], across[clear] < 0.0)
    assert (across > 0.1).any() != holes


def test_shadow_is_darkest_below_what_throws_it() -> None:
    a = np.array([[0.0, 0.5, 0.0]])
    dark = np.zeros((41, 41))
    corner = np.array([-1.0, -1.0])
    raster.cast_shadow(a, a, np.array([[0.2, 0.2]]), UP, 0.02, 0.1, corner, 0.05, dark)
    assert np.unravel_index(dark.argmax(), dark.shape) == (20, 20) or dark[20, 20] == dark.max()
    assert dark[0, 0] == 0.0
