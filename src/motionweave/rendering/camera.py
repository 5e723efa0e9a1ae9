"""Cameras that follow the body, stay fixed, or orbit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.checks import check_choice
from motionweave.core.motion import Motion
from motionweave.errors import MotionError

CameraPath: TypeAlias = Literal["follow", "fixed", "orbit"]
# View to degrees from the front of the body, towards its left.
VIEWS = {"three-quarter": 38.0, "front": 0.0, "side": 90.0, "back": 180.0, "top": 0.0}
# Vertical angle of view, and how far the camera looks down.
_FIELD = np.radians(26.0)
_DOWN, _STEEP = np.radians(14.0), np.radians(80.0)
# Share of the picture's height and width that the body, or its path, may fill.
_FILL = 0.88
# Seconds over which a camera that follows averages where the body is.
_CALM = 0.9


@dataclass(frozen=True, eq=False)
class Camera:
    """One camera for each frame; vectors are in the world.

    Parameters
    ----------
    eyes, targets
        ``(T, 3)`` where it is, and what it looks at.
    focal
        Focal length in heights of the picture.
    size
        Height of the largest body.
    """

    eyes: Array
    targets: Array
    focal: float
    size: float

    @property
    def distance(self) -> float:
        """From the eye to what it looks at, in sizes."""
        return float(np.linalg.norm(self.eyes[0] - self.targets[0])) / self.size

    def from_afar(self, distance: float) -> Camera:
        """The same camera at another distance, in sizes."""
        scale = distance / self.distance
        return replace(self, eyes=self.targets + scale * (self.eyes - self.targets))

    def axes(self, frame: int) -> tuple[Array, Array, Array]:
        """Unit vectors right, up and ahead of a frame."""
        ahead = self.targets[frame] - self.eyes[frame]
        ahead = ahead / np.linalg.norm(ahead)
        right = np.array([-ahead[2], 0.0, ahead[0]])
        right = right / np.linalg.norm(right)
        return right, np.cross(right, ahead), ahead


def place_camera(
    motions: Sequence[Motion],
    points: Sequence[Array],
    floor: float,
    frames: int,
    fps: float,
    *,
    camera: CameraPath = "follow",
    view: str | float = "three-quarter",
    zoom: float = 1.0,
    aspect: float = 16.0 / 9.0,
) -> Camera:
    """A camera that shows motions.

    Parameters
    ----------
    motions, points
        What is shown, and the points ``(T, P, 3)`` of their bodies in the frames of the
        picture; a motion that ends early stays in its last frame.
    floor
        Height of the floor.
    frames, fps
        How many frames there are, and how many per second.
    camera
        How it moves, see `CameraPath`.
    view
        One of `VIEWS`, or degrees from the front, towards the left.
    zoom
        Above 1 the body is larger.
    aspect
        Width of the picture over its height.
    """
    check_choice(camera, CameraPath, "camera")
    if not (np.isfinite(zoom) and zoom > 0.0):
        raise MotionError(f"zoom {zoom}: expected a positive number")
    height = max(body_height(motion.skeleton) for motion in motions) or 1.0
    middles = _middles(motions, frames, floor)
    down = _STEEP if view == "top" else _DOWN
    around = np.full(frames, _front(motions[0]) + np.radians(_degrees(view)))
    if camera == "orbit":
        around = around + np.linspace(0.0, 2.0 * np.pi, frames + 1)[:-1]
    if camera == "fixed":
        targets = np.tile(_centre(points), (frames, 1))
    else:
        targets = _calm(middles, _CALM * fps)
    back = np.stack(
        [
            np.sin(around) * np.cos(down),
            np.full(frames, np.sin(down)),
            np.cos(around) * np.cos(down),
        ],
        axis=-1,
    )
    focal = 0.5 / np.tan(0.5 * _FIELD)
    distance = _distance(points, targets, back, focal, aspect, height) / zoom
    eyes = targets + distance * back
    # Never under the floor.
    eyes[:, 1] = np.maximum(eyes[:, 1], floor + 0.05 * height)
    return Camera(eyes, targets, focal, height)


def _degrees(view: str | float) -> float:
    if isinstance(view, str):
        if view not in VIEWS:
            raise MotionError(f"view {view!r}: expected {', '.join(VIEWS)}, or degrees")
        return VIEWS[view]
    if not np.isfinite(view):
        raise MotionError(f"view {view}: expected degrees")
    return float(view)


def _front(motion: Motion) -> float:
    """The average facing direction of a body."""
    angle = facing(motion)
    return float(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()))


def _middles(motions: Sequence[Motion], frames: int, floor: float) -> Array:
    """The middle ``(T, 3)`` between the bodies' hips, at half of what stands there."""
    rows = np.arange(frames)
    places = [motion.root[np.minimum(rows, len(motion) - 1)] for motion in motions]
    spots = np.stack(places)
    middle = 0.5 * (spots.min(axis=0) + spots.max(axis=0))
    standing = floor + 0.5 * max(body_height(motion.skeleton) for motion in motions)
    # The camera does not bob with a walk, but follows a body that lies down or jumps.
    middle[:, 1] = standing + 0.5 * (middle[:, 1] - np.median(middle[:, 1]))
    return np.asarray(middle)


def _centre(points: Sequence[Array]) -> Array:
    low = np.min([body.min(axis=(0, 1)) for body in points], axis=0)
    high = np.max([body.max(axis=(0, 1)) for body in points], axis=0)
    return np.asarray(0.5 * (low + high))


def _calm(path: Array, frames: float) -> Array:
    """A path ``(T, 3)`` without fast movements, smoothed without lead or lag."""
    from scipy.ndimage import gaussian_filter1d

    if len(path) < 3:
        return path
    # Reflected about its ends, the path continues at the same speed.
    pad = min(len(path) - 1, int(3.0 * frames) + 1)
    before = 2.0 * path[0] - path[pad:0:-1]
    after = 2.0 * path[-1] - path[-2 : -pad - 2 : -1]
    longer = np.concatenate([before, path, after])
    smooth = gaussian_filter1d(longer, 0.5 * frames, axis=0)
    return np.asarray(smooth[pad : pad + len(path)])


def _distance(
    points: Sequence[Array], targets: Array, back: Array, focal: float, aspect: float, height: float
) -> float:
    """How far the eye must be for all points to be in the picture, in all frames."""
    needed = 1.2 * height
    right = np.stack([back[:, 2], 0.0 * back[:, 1], -back[:, 0]], axis=-1)
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    up = np.cross(back, right)
    frames = np.arange(len(targets))
    for body in points:
        shown = body[np.minimum(frames, len(body) - 1)] - targets[:, None]
        nearer = np.einsum("tpc,tc->tp", shown, back)
        for axis, room in ((right, 0.5 * aspect), (up, 0.5)):
            off = np.abs(np.einsum("tpc,tc->tp", shown, axis)) + 0.07 * height
            needed = max(needed, float((focal * off / (_FILL * room) + nearer).max()))
    return needed
