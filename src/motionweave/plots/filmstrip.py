"""A motion at a glance: a row of poses, as in chronophotography."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.figure.plan import body_plan, body_points
from motionweave.body.figure.stance import standing_at_rest
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.heading import direction, facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.checks import number
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import MotionError
from motionweave.plots import figurine
from motionweave.plots.figure import CONTACT, FAINT, GRID, INK, finish, new_figure, styled

VIEWS = ("side", "front", "three-quarter", "follow")
# A row is at most this many times as high as wide: a broken frame can throw a body far up.
_HIGHEST = 1.5
# A foot that is raised by less, in body heights, stands on the floor.
_STAIR = 0.04
_ROLES = {"heel": "ankle", "toe": "toe", "hand": "hand"}


def film_strip(
    motions: Motion | Sequence[Motion],
    path: str | Path | None = None,
    frames: int | Sequence[float] = 10,
    view: str = "side",
    travel: bool = False,
    labels: Sequence[str] | None = None,
    contacts: bool = True,
    width: float = 11.0,
) -> Any:
    """Poses of one motion, or of several, one row each.

    Parameters
    ----------
    motions
        One clip or several.
    path
        Where to write the picture (png, pdf, svg); None to get only the figure.
    frames
        How many poses, evenly spaced in time, or which frames.
    view
        ``"side"`` and ``"front"`` look at the direction in which the clip travels or
        faces, ``"three-quarter"`` from between them and above, ``"follow"`` turns with
        the character so that every pose is seen from its own side.
    travel
        Put poses where the character is, as in a long exposure, rather than side by side.
    labels
        A name for each motion; its own name if not given.
    contacts
        Mark the feet and hands that a constraint holds.
    width
        Of the figure, in inches.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed; the message says how to install it.

    Examples
    --------
    >>> import motionweave as mw
    >>> strip = mw.film_strip(mw.sample("walk"), "walk.png", frames=6)
    """
    check_arguments(film_strip, locals())
    number(width, "width", 1.0, 100.0)
    given = [motions] if isinstance(motions, Motion) else motions
    clips = [standing_at_rest(at_pelvis(motion)) for motion in given]
    if not clips:
        raise MotionError("there is no motion to draw")
    if view not in VIEWS:
        raise MotionError(f"view {view!r}: expected one of {', '.join(VIEWS)}")
    names = [clip.name for clip in clips] if labels is None else list(labels)
    if len(names) != len(clips):
        raise MotionError(f"{len(names)} labels for {len(clips)} motions")
    with styled():
        rows = [Strip(clip, frames, view, travel) for clip in clips]
        heights = [width * min(row.height / row.width, _HIGHEST) for row in rows]
        figure = new_figure(width, sum(heights) + 0.22 * len(rows) + 0.05)
        grid = figure.subplots(len(rows), 1, squeeze=False, height_ratios=heights)
        for row, name, axes in zip(rows, names, grid[:, 0], strict=True):
            row.draw(axes, name, contacts)
        return finish(figure, path)


class Strip:
    """One motion's poses, turned towards the viewer and set out along a row.

    ``width`` and ``height`` are its size in the motion's unit, for the layout of a figure.
    """

    def __init__(self, motion: Motion, frames: int | Sequence[float], view: str, travel: bool):
        if isinstance(frames, int):
            if frames < 1:
                raise MotionError(f"{frames} poses: expected at least one")
            at = np.linspace(0.0, len(motion) - 1.0, frames)
        else:
            at = np.asarray(frames, dtype=np.float64)
        self.at, self.fps, self.skeleton = at, motion.fps, motion.skeleton
        self.constraints = motion.constraints
        self.rig = find_rig(motion.skeleton)
        tall = body_height(motion.skeleton) or 1.0
        self.tall = tall
        points = body_points(motion.sample(at))
        self.floor = _floor(motion)
        body = points[:, 0, :]
        shown = _shown(motion.skeleton, points.shape[1])
        across, deep = _axes(motion, at, view)
        self.across = across
        # A picture plane for each pose: right, up, towards the viewer.
        flat = points[..., [0, 2]] - (body[:, None, [0, 2]] if not travel else 0.0)
        x = np.einsum("tpc,tc->tp", flat, across)
        z = np.einsum("tpc,tc->tp", flat, deep)
        y = points[..., 1] - self.floor
        # A T-pose in front of a clip may stand elsewhere.
        standing = body_points(motion[tpose_frames(motion) :])[..., 1].min(axis=0) - self.floor
        elevation = 0.22 if view == "three-quarter" else 0.0
        self.elevation = elevation
        # Height of each point when it is as low as it ever is.
        self.standing = np.cos(elevation) * standing
        picture_y = np.cos(elevation) * y - np.sin(elevation) * z
        self.depth = np.cos(elevation) * z + np.sin(elevation) * y
        if not travel:
            step = max(0.42 * tall, 0.86 * float(np.ptp(x[:, shown], axis=1).mean()))
            starts = np.arange(len(at)) * step
            x = x + starts[:, None]
        self.points = np.stack([x, picture_y], axis=-1)
        self.ground = np.stack(
            [x, -np.sin(elevation) * z], axis=-1
        )  # where each point's shadow falls
        margin = 0.09 * tall
        x, picture_y = x[:, shown], picture_y[:, shown]
        self.shadows = self.ground[:, shown]
        self.left, self.right = float(x.min()) - margin, float(x.max()) + margin
        low = min(0.0, float(picture_y.min()), float(self.shadows[..., 1].min()))
        self.bottom = low - 0.13 * tall
        self.top = max(float(picture_y.max()), 0.9 * tall) + 0.07 * tall
        self.width, self.height = self.right - self.left, self.top - self.bottom

    def draw(self, axes: Any, name: str, contacts: bool) -> None:
        """Draw the row, alone on its axes."""
        axes.set_xlim(self.left, self.right)
        axes.set_ylim(self.bottom, self.top)
        axes.set_aspect("equal")
        axes.axis("off")
        if name:
            axes.set_title(name, pad=2.0)
        if self.elevation == 0.0:
            axes.axhspan(self.bottom, 0.0, color=GRID, alpha=0.45, linewidth=0)
            axes.axhline(0.0, color=FAINT, linewidth=0.8, zorder=0.5)
        for index, frame in enumerate(self.at):
            self._shadow(axes, index)
            figurine.draw(
                axes, self.skeleton, self.points[index], self.depth[index], zorder=2.0 + index
            )
            if contacts:
                self._contacts(axes, index, frame)
            axes.text(
                self.points[index, 0, 0],
                self.bottom + 0.015 * self.tall,
                f"{frame / self.fps:.2f} s",
                ha="center",
                va="bottom",
                fontsize=6.5,
                color=FAINT,
            )

    def picture(self, points: Array) -> Array:
        """Where global points ``(n, 3)`` are in the picture of a side view that travels."""
        right = points[:, [0, 2]] @ self.across[0]
        return np.stack([right, points[:, 1] - self.floor], axis=-1)

    def _shadow(self, axes: Any, index: int) -> None:
        from matplotlib.patches import Ellipse

        shadow = self.shadows[index]
        middle = shadow.mean(axis=0)
        half = max(float(np.ptp(shadow[:, 0])) * 0.42, 0.09 * self.tall)
        axes.add_patch(
            Ellipse(
                (float(middle[0]), float(middle[1])),
                2.0 * half,
                0.05 * self.tall,
                facecolor=INK,
                alpha=0.10,
                linewidth=0,
                zorder=1.0,
            )
        )

    def _contacts(self, axes: Any, index: int, frame: float) -> None:
        for constraint in self.constraints:
            side, _, part = constraint.kind.partition("_")
            role = _ROLES.get(part, part)
            joint = self.rig.roles.get(f"{side}_{role}")
            if joint is None or not constraint.holds_at(frame):
                continue
            at = self.points[index, joint] if part == "hand" else self._sole(index, joint, role)
            axes.plot(
                [at[0]],
                [at[1]],
                marker="o",
                markersize=3.4,
                color=CONTACT,
                markeredgecolor="white",
                markeredgewidth=0.5,
                zorder=2.9 + index,
            )

    def _sole(self, index: int, joint: int, role: str) -> Array:
        """Where a planted foot stands: on the floor, or on what lies on it, such as a stair."""
        both = [j for name, j in self.rig.roles.items() if name.endswith(f"_{role}")]
        above = self.points[index, joint, 1] - self.ground[index, joint, 1]
        raised = above - self.standing[both].min()
        low = raised < _STAIR * self.tall
        return self.ground[index, joint] + [0.0, 0.0 if low else raised]


def _shown(skeleton: Skeleton, count: int) -> NDArray[np.bool_]:
    """Which of the first ``count`` `body_points` belong to the body: they need room in the row."""
    return ~np.isin(np.arange(count), list(body_plan(skeleton).strays))


def _axes(motion: Motion, at: Array, view: str) -> tuple[Array, Array]:
    """For each pose the floor directions (x, z) to the picture's right and to the viewer."""
    angle = facing(motion)
    if view == "follow":
        ahead = np.interp(at, np.arange(len(motion)), angle)
    else:
        way = motion.root[-1, [0, 2]] - motion.root[0, [0, 2]]
        travels = np.linalg.norm(way) > 0.6 * (body_height(motion.skeleton) or 1.0)
        steady = float(np.median(angle))
        if travels:
            # Who goes backwards is seen from the front all the same.
            backwards = float(np.mean(direction(angle) @ way)) < 0.0
            steady = float(np.arctan2(*(-way if backwards else way)))
        ahead = np.full(len(at), steady)
    # Seen from the character's right, which lies to the viewer's side of the picture.
    turn = {"side": 0.0, "follow": 0.0, "front": 0.5 * np.pi, "three-quarter": 0.3 * np.pi}[view]
    ahead = ahead + turn
    right = np.stack([np.sin(ahead), np.cos(ahead)], axis=-1)
    viewer = np.stack([-np.cos(ahead), np.sin(ahead)], axis=-1)
    return right, viewer


def _floor(motion: Motion) -> float:
    """Height of the floor line: the lowest level on which feet stand, such as the foot of stairs.

    Without contacts the level that the lowest points of the body keep to.
    """
    points = np.concatenate([motion.positions(), motion.end_positions()], axis=1)
    lowest = points[:, _shown(motion.skeleton, points.shape[1]), 1].min(axis=1)
    spans = [
        lowest[max(round(c.start), 0) : round(c.end) + 1]
        for c in motion.constraints
        if c.kind.endswith(("_heel", "_toe"))
    ]
    levels = np.array([np.median(span) for span in spans if len(span)])
    if not len(levels):
        return float(np.percentile(lowest, 10.0))
    tall = body_height(motion.skeleton) or 1.0
    return float(np.median(levels[levels <= levels.min() + _STAIR * tall]))
