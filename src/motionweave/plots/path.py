"""The path of a character seen from above: the line of its root and its footprints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.body.pose.heading import direction, facing
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.constraints import of_kind
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.plots import figure as look

# A dart that shows where the body faces, this often.
_SECONDS = 0.5
# Width of a footprint as a share of its length.
_NARROW = 0.36


def path_plot(
    motions: Motion | Sequence[Motion],
    path: str | Path | None = None,
    labels: Sequence[str] | None = None,
) -> Any:
    """Paths of one or several motions on the floor.

    Forward of a character that faces +z is up, its left is to the left.

    Parameters
    ----------
    motions
        One clip or several, drawn into one picture.
    path
        Where to save it; None to get only the figure.
    labels
        A name for each motion; its own name if not given.

    Returns
    -------
    The matplotlib figure.
    """
    clips = [motions] if isinstance(motions, Motion) else list(motions)
    if not clips:
        raise MotionError("there is no motion whose path to draw")
    names = [clip.name for clip in clips] if labels is None else list(labels)
    if len(names) != len(clips):
        raise MotionError(f"{len(names)} labels for {len(clips)} motions")
    with look.styled():
        spans = np.concatenate([_on_paper(clip.root[:, [0, 2]]) for clip in clips])
        wide, high = np.ptp(spans, axis=0) + 0.6 * max(
            body_height(c.skeleton) or 1.0 for c in clips
        )
        scale = min(9.0 / wide, 7.0 / high)
        figure = look.new_figure(max(3.2, wide * scale + 0.8), max(2.4, high * scale + 0.6))
        axes = figure.add_subplot()
        for index, (clip, name) in enumerate(zip(clips, names, strict=True)):
            colour = look.INK if len(clips) == 1 else look.SERIES[index % len(look.SERIES)]
            _draw_path(axes, clip, name, colour)
            _draw_footprints(axes, clip)
        axes.set_aspect("equal", adjustable="datalim")
        axes.grid(True)
        axes.set_axisbelow(True)
        axes.set_xlabel("x")
        axes.set_ylabel("z")
        # The paper's right is the character's right, which is -x.
        axes.xaxis.set_major_formatter(lambda value, _: f"{0.0 - value:g}")
        if any(names):
            axes.legend(loc="best")
        return look.finish(figure, path)


def _on_paper(floor: Array) -> Array:
    """Points (x, z) seen from above with +z up: x runs to the left."""
    return floor * np.array([-1.0, 1.0])


def _draw_path(axes: Any, motion: Motion, name: str, colour: str) -> None:
    way = _on_paper(motion.root[:, [0, 2]])
    axes.plot(way[:, 0], way[:, 1], color=colour, label=name or None, zorder=3.0)
    axes.plot(*way[0], "o", color=colour, markersize=5.0, zorder=3.5)
    step = max(1, round(_SECONDS * motion.fps))
    darts = 0.09 * (body_height(motion.skeleton) or 1.0) * _on_paper(direction(facing(motion)))
    for frame in range(0, len(motion), step):
        axes.annotate(
            "",
            xy=way[frame] + darts[frame],
            xytext=way[frame],
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 0.8, "shrinkA": 0.0},
            zorder=3.2,
        )


def _draw_footprints(axes: Any, motion: Motion) -> None:
    """A sole wherever ankle or ball is held, pointing from the one to the other."""
    from matplotlib.patches import Ellipse

    roles = find_rig(motion.skeleton).roles
    positions = motion.positions()
    for side, colour in (("left", look.LEFT), ("right", look.RIGHT)):
        ankle, toe = roles.get(f"{side}_ankle"), roles.get(f"{side}_toe")
        if ankle is None or toe is None:
            continue
        for plant in of_kind(motion.constraints, f"{side}_toe"):
            # Early in the plant, when the heel has not come off yet.
            frame = min(round(0.65 * plant.start + 0.35 * plant.end), len(motion) - 1)
            heel, ball = (_on_paper(positions[frame, j][[0, 2]]) for j in (ankle, toe))
            along = ball - heel
            length = 1.9 * float(np.linalg.norm(along))
            middle = heel + 0.62 * along
            axes.add_patch(
                Ellipse(
                    (float(middle[0]), float(middle[1])),
                    length,
                    _NARROW * length,
                    angle=float(np.degrees(np.arctan2(along[1], along[0]))),
                    facecolor=look.mix(colour, "#ffffff", 0.55),
                    edgecolor=colour,
                    linewidth=0.8,
                    zorder=2.0,
                )
            )
