"""A player for web pages and notebooks: one piece of HTML that needs nothing else.

The motion's points are in the page as small integers, and drawing is done by a few hundred
lines of plain JavaScript (``player.js``) on a canvas: no library, nothing to download.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.body.figure.torso import ring_corners
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.checks import check_choice
from motionweave.core.motion import Motion
from motionweave.errors import FormatError, MotionError
from motionweave.rendering import frames as drawing
from motionweave.rendering.camera import Camera, CameraPath, place_camera
from motionweave.rendering.figure import Figure, make_figure, motions_in
from motionweave.rendering.look import scene, tones

# Frames per second that a page keeps, and how many at most: long clips get fewer per second.
_RATE, _MOST = 30.0, 3000
_STEPS = 32000
# Of a trunk: how many corners a ring has in the page, and which rings.
_CORNERS, _EVERY_RING = 20, 2
_BARS = {True: ("#e3e7ed", "#f6f8fa", "#2c3440"), False: ("#14161a", "#2c313a", "#e8ebf0")}


@dataclass(frozen=True)
class Player:
    """A player that shows itself in notebooks.

    Parameters
    ----------
    page
        A whole HTML page.
    width, height
        In pixels.
    """

    page: str
    width: int
    height: int

    def save(self, path: str | Path) -> None:
        """Write the page into a file."""
        from motionweave.io.store.atomic import atomic_path

        path = Path(path)
        if not path.parent.is_dir():
            raise FormatError(f"the folder {path.parent} does not exist", path)
        with atomic_path(path) as temporary:
            temporary.write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In its own frame: notebooks may contain any number, and keep them when saved.
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="{self.width + 4}" '
            f'height="{self.height + 40}" style="border:0;max-width:100%" '
            'sandbox="allow-scripts" title="motionweave player"></iframe>'
        )


def player(
    motion: Motion | Sequence[Motion],
    *,
    camera: CameraPath = "follow",
    view: str | float = "three-quarter",
    zoom: float = 1.0,
    size: tuple[int, int] = (640, 360),
    speed: float = 1.0,
    background: str = "light",
    loop: bool = True,
    contacts: bool = True,
    trails: Sequence[str] = (),
    labels: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
    autoplay: bool = True,
) -> Player:
    """A player for one motion, or several in one scene, for notebooks and web pages.

    It plays, scrubs, orbits and zooms. Nothing is loaded from elsewhere.

    Parameters
    ----------
    motion
        What to show.
    camera, view, zoom
        As in `render`.
    size
        Width and height in pixels; smaller on a narrow page.
    speed
        Speed of playback.
    background
        ``"light"``, ``"dark"``, or a colour such as ``"#ffffff"``.
    loop
        Whether it begins again at its end.
    contacts
        Mark contacts.
    trails
        Joints that leave trails, as in `render`.
    labels, colours
        Texts and colours such as ``"#2f7fc1"``, one for each motion.
    autoplay
        Whether it plays at once.

    Returns
    -------
    Player
        Shows itself in a notebook; ``save(path)`` writes a page.

    Examples
    --------
    >>> import motionweave as mw
    >>> page = mw.player(mw.sample("walk"), size=(480, 270)).page
    >>> "http" in page
    False
    """
    check_arguments(player, locals())
    check_choice(camera, CameraPath, "camera")
    motions = motions_in(motion)
    for what, given in (("labels", labels), ("colours", colours)):
        if given is not None and len(given) != len(motions):
            raise MotionError(f"{len(given)} {what} for {len(motions)} motions")
    longest = max(one.duration for one in motions)
    fps = min(_RATE, _MOST / max(longest, 1e-9))
    figures = [
        make_figure(
            one,
            fps,
            1.0,
            number=i,
            count=len(motions),
            colour=None if colours is None else colours[i],
            contacts=contacts,
            trails=trails,
        )
        for i, one in enumerate(motions)
    ]
    floor = min(figure.floor for figure in figures)
    seen = place_camera(
        [figure.motion for figure in figures],
        [figure.outline for figure in figures],
        floor,
        max(map(len, figures)),
        fps,
        camera="fixed" if camera == "fixed" else "follow",
        view=view,
        zoom=zoom,
        aspect=size[0] / size[1],
    )
    names = [one.name for one in motions] if labels is None and len(motions) > 1 else labels
    data = {
        **_camera(seen, camera, size),
        **_surroundings(background, floor, seen.size),
        "title": ", ".join(one.name or "motion" for one in motions),
        "fps": round(fps, 4),
        "speed": speed,
        "loop": loop,
        "autoplay": autoplay,
        "ring": np.round(ring_corners(_CORNERS), 4).tolist(),
        "bodies": [
            _body(figure, "" if names is None else names[i]) for i, figure in enumerate(figures)
        ],
    }
    return Player(_page(data), *size)


def save_player(motions: Sequence[Motion], path: str | Path, **options: Any) -> None:
    """Write a page with a player; options as for `player`."""
    player(motions, **options).save(path)


def _body(figure: Figure, label: str) -> dict[str, Any]:
    """Points as 16-bit steps from the pelvis, which is kept as it is."""
    drawn = np.concatenate([figure.ends.ravel(), np.array(figure.trailed, dtype=np.intp)])
    used, places = np.unique(drawn, return_inverse=True)
    # The pelvis first: what the camera and tests look for.
    used, places = np.concatenate([[0], used]), places + 1
    ends, trailed = places[: figure.ends.size].reshape(-1, 2), places[figure.ends.size :]
    roots = figure.points[:, 0]
    points = figure.points[:, used]
    torso = None
    if figure.torso is not None:
        rings = figure.torso.rings(figure.points)[:, ::_EVERY_RING]
        torso = {"first": points.shape[1], "rings": rings.shape[1], "colour": _bytes(figure.middle)}
        points = np.concatenate([points, rings.reshape(len(points), -1, 3)], axis=1)
    local = points - roots[:, None]
    scale = float(np.abs(local).max()) / _STEPS or 1.0
    tints = tones()[np.round(np.clip(figure.colours, 0, 1) * (len(tones()) - 1)).astype(int)]
    return {
        "label": label,
        "frames": len(figure),
        "count": points.shape[1],
        "scale": scale,
        "roots": _packed(roots, "<f4"),
        "points": _packed(np.round(local / scale), "<i2"),
        "ends": ends.tolist(),
        "radii": np.round(figure.radii, 6).tolist(),
        "colours": tints.tolist(),
        "limbs": figure.limbs.tolist(),
        "torso": torso,
        "trailed": trailed.tolist(),
        "marks": [
            [round(float(v), 4) for v in (mark.place[0], mark.place[2], mark.start, mark.end)]
            for mark in figure.marks
        ],
    }


def _camera(seen: Camera, camera: str, size: tuple[int, int]) -> dict[str, Any]:
    back = seen.eyes[0] - seen.targets[0]
    distance = float(np.linalg.norm(back))
    return {
        "camera": camera,
        "lamp": drawing.lamp(seen).tolist(),
        "width": size[0],
        "height": size[1],
        "focal": seen.focal,
        "distance": distance,
        "around": float(np.arctan2(back[0], back[2])),
        "down": float(np.arcsin(back[1] / distance)),
        "centre": seen.targets[0].tolist(),
        "path": np.round(seen.targets, 5).tolist(),
    }


def _surroundings(background: str, floor: float, size: float) -> dict[str, Any]:
    look = scene("light" if background == "transparent" else background)
    bar, button, ink = _BARS[float(look.haze.mean()) > 0.2]
    return {
        "floor": floor,
        "size": size,
        "grid": drawing.GRID * size,
        "trail": {"radius": drawing.TRAIL * size, "lasts": drawing.TRAIL_LASTS},
        "look": {
            "haze": _css(look.haze),
            "floor": _css(look.floor),
            "line": _bytes(look.line),
            "mark": _bytes(look.mark),
            "shadow": [10, 14, 24],
            "bar": bar,
            "button": button,
            "ink": ink,
        },
    }


def _bytes(colour: Array) -> list[int]:
    curve = tones()
    return [int(curve[round(float(value) * (len(curve) - 1))]) for value in colour]


def _css(colour: Array) -> str:
    return "#" + "".join(f"{value:02x}" for value in _bytes(colour))


def _packed(values: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def _page(data: dict[str, Any]) -> str:
    # A title could contain text that ends a script.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    title = html.escape(str(data["title"]))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title></head>\n"
        '<body style="margin:0"><div id="player"></div>\n'
        f"<script>\n{_script()}\n"
        f'motionweavePlayer(document.getElementById("player"), {text});\n</script></body></html>\n'
    )


@cache
def _script() -> str:
    return files("motionweave.rendering").joinpath("player.js").read_text(encoding="utf-8")
