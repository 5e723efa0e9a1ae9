"""`render`: motions as video, as an animated or still image, or as a page with a player."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from motionweave.core.arguments import check_arguments
from motionweave.core.checks import check_choice
from motionweave.core.motion import Motion
from motionweave.core.runtime.progress import Progress
from motionweave.errors import MotionError, Notice
from motionweave.rendering.camera import CameraPath, place_camera
from motionweave.rendering.encode import Picture, check_length, target, write_frames
from motionweave.rendering.figure import Figure, make_figure, motions_in
from motionweave.rendering.frames import Film
from motionweave.rendering.look import scene
from motionweave.rendering.skin import Skin, bind

Layout: TypeAlias = Literal["beside", "overlay"]
_SMALLEST, _LARGEST = 16, 7680
# The most frames that are drawn beforehand, to choose the colours of a GIF.
_EXAMPLES = 10
# Options that change nothing in what is written.
_NOT_OF_PAGES = ("fps", "rounds", "ghosts", "frame", "mesh", "codec")
_NOT_OF_STILLS = ("rounds",)
_NOT_OF_FILMS = ("frame",)


def render(
    motion: Motion | Sequence[Motion],
    path: str | Path,
    *,
    layout: Layout = "beside",
    camera: CameraPath = "follow",
    view: str | float = "three-quarter",
    zoom: float = 1.0,
    size: tuple[int, int] = (640, 360),
    fps: float = 30.0,
    speed: float = 1.0,
    loop: bool = True,
    rounds: int = 1,
    background: str = "light",
    contacts: bool = True,
    trails: Sequence[str] = (),
    ghosts: int = 0,
    labels: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
    frame: float | None = None,
    mesh: str | Path | bool = True,
    codec: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Make a moving picture of one motion or of several.

    Works without a display and without a graphics card.

    Parameters
    ----------
    motion
        What to show; several are shown together.
    path
        The file to write: ``.mp4``, ``.webm``, ``.mov``, ``.mkv``, ``.gif``, ``.webp``, for one
        frame ``.png`` or ``.jpg``, and for a page with a player ``.html``, which shows several
        motions in one scene, and takes the options of `player` only.
    layout
        For several motions: ``"beside"``, each in its own picture, or ``"overlay"``, all in one
        scene where they are.
    camera
        ``"follow"`` follows the body, ``"fixed"`` stays where it sees everything, ``"orbit"``
        follows the body and circles it once.
    view
        Viewing direction: ``"three-quarter"``, ``"front"``, ``"side"``, ``"back"``, ``"top"``, or
        degrees from the front towards the body's left.
    zoom
        Above 1 the body is larger.
    size
        Width and height in pixels.
    fps
        Frames per second of the picture.
    speed
        Speed of playback: 0.5 is slow motion.
    loop
        Whether an animated image repeats.
    rounds
        How many times the motion is shown.
    background
        ``"light"``, ``"dark"``, ``"transparent"``, or a colour such as ``"#ffffff"``.
    contacts
        Mark planted feet and hands.
    trails
        Joints that leave trails: ``"hands"``, ``"feet"``, roles such as ``"head"``, or names.
    ghosts
        How many earlier poses are shown faintly.
    labels
        Texts to show above the motions, one for each.
    colours
        Colours such as ``"#2f7fc1"`` of the bodies, one for each.
    frame
        For a still image, which frame of the motion; its middle by default.
    mesh
        A glTF file whose skinned mesh is drawn instead of the simple body; True for the file
        that the motion came from, if it has one; False for the simple body.
    codec
        ``"h264"``, ``"h265"`` or ``"vp9"`` for video; None for the usual one of the file type.
    progress
        Called with the number of pictures drawn so far and the total.

    Raises
    ------
    FormatError
        If the picture cannot be written.
    MotionError
        If there is nothing to show, or an argument makes no sense.
    MissingDependencyError
        If ``motionweave[render]`` is not installed.

    Warns
    -----
    Notice
        Of options that do not apply to what is written, such as ``ghosts`` to a page.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.render(mw.sample("jab")[:10], "jab.mp4", size=(160, 90), trails=["hands"])
    >>> mw.render(mw.sample("jump"), "jump.png", ghosts=3, background="dark")
    """
    given = dict(locals())
    check_arguments(render, given)
    motions = motions_in(motion)
    _check(motions, layout, size, fps, speed, rounds, ghosts, labels, colours)
    if Path(path).suffix.lower() == ".html":
        _tell_of_unused("a page", _NOT_OF_PAGES, given)
        from motionweave.rendering.player import save_player

        save_player(
            motions, path, camera=camera, view=view, zoom=zoom, size=size, speed=speed, loop=loop,
            background=background, contacts=contacts, trails=trails, labels=labels, colours=colours,
        )  # fmt: skip
        return
    where = target(path, codec=codec, loop=loop, transparent=background == "transparent")
    hues: Sequence[str | None] = [None] * len(motions) if colours is None else colours
    alone = layout == "beside" and colours is None
    figures = [
        make_figure(
            one, fps, speed, number=i, count=1 if alone else len(motions), colour=hue,
            contacts=contacts, trails=trails, skin=_skin(one, mesh),
        )
        for i, (one, hue) in enumerate(zip(motions, hues, strict=True))
    ]  # fmt: skip
    films = _films(figures, layout, camera, view, zoom, size, fps, background, ghosts)
    total = max(map(len, films))
    if where.still:
        last = len(motions[0]) - 1
        if frame is not None and not 0 <= frame <= last:
            raise MotionError(f"frame {frame:g}: the clip has frames 0 to {last}")
        at = 0.5 * (total - 1) if frame is None else frame * fps / (motions[0].fps * speed)
        # A picture may be due a little after the last one that the film has.
        order = [min(round(at), total - 1)]
    else:
        order = list(range(total)) * rounds
    if where.still:
        _tell_of_unused("a still image", _NOT_OF_STILLS, given)
    else:
        _tell_of_unused("a moving picture", _NOT_OF_FILMS, given)
    check_length(where, len(order), fps)
    frames: Iterable[Picture] = _pictures(films, order, labels)
    if progress is not None:
        frames = _counted(frames, len(order), progress)
    spaced = np.unique(np.linspace(0, total - 1, _EXAMPLES).astype(int)).tolist()
    write_frames(where, frames, fps, examples=_pictures(films, spaced, labels))


def _check(
    motions: Sequence[Motion],
    layout: Layout,
    size: tuple[int, int],
    fps: float,
    speed: float,
    rounds: int,
    ghosts: int,
    labels: Sequence[str] | None,
    colours: Sequence[str] | None,
) -> None:
    check_choice(layout, Layout, "layout")
    if len(size) != 2 or not all(_SMALLEST <= int(side) <= _LARGEST for side in size):
        raise MotionError(f"size {size}: expected width and height, {_SMALLEST} to {_LARGEST}")
    for what, value in (("fps", fps), ("speed", speed)):
        if not (np.isfinite(value) and value > 0.0):
            raise MotionError(f"{what} {value}: expected a positive number")
    if rounds < 1 or ghosts < 0:
        raise MotionError(f"rounds {rounds}, ghosts {ghosts}: expected 1 or more, 0 or more")
    for what, given in (("labels", labels), ("colours", colours)):
        if given is not None and len(given) != len(motions):
            raise MotionError(f"{len(given)} {what} for {len(motions)} motions")


def _tell_of_unused(what: str, unused: Sequence[str], given: Mapping[str, Any]) -> None:
    """Warn of options that were given although they change nothing in what is written."""
    usual = inspect.signature(render).parameters
    # Without a mesh is how a page is drawn anyway.
    named = [n for n in unused if given[n] != usual[n].default and given[n] is not False]
    if named:
        message = f"{what} takes no {', '.join(named)}: left out"
        warnings.warn(Notice(message), stacklevel=3)


def _skin(motion: Motion, mesh: str | Path | bool) -> Skin | None:
    if mesh is False:
        return None
    if mesh is not True:
        found = bind(mesh, motion)
        if found is None:
            raise MotionError(f"{mesh}: this file contains no skinned mesh")
        return found
    origin = motion.source.get("path")
    if motion.source.get("format") != "glTF" or origin is None or not Path(origin).exists():
        return None
    return bind(origin, motion)


def _films(
    figures: Sequence[Figure],
    layout: Layout,
    camera: CameraPath,
    view: str | float,
    zoom: float,
    size: tuple[int, int],
    fps: float,
    background: str,
    ghosts: int,
) -> list[Film]:
    """One film, or one for each figure, which together are as wide as the picture."""
    # Video wants even sides.
    width, height = (int(side) // 2 * 2 for side in size)
    groups = [list(figures)] if layout == "overlay" else [[figure] for figure in figures]
    edges = np.linspace(0, width, len(groups) + 1).astype(int)
    colours = scene(background)
    frames = max(map(len, figures))
    seen = [
        place_camera(
            [one.motion for one in group],
            [one.outline for one in group],
            min(one.floor for one in group),
            frames,
            fps,
            camera=camera,
            view=view,
            zoom=zoom,
            aspect=wide / height,
        )
        for group, wide in zip(groups, np.diff(edges), strict=True)
    ]
    # Beside each other, bodies are equally large.
    far = max(one.distance for one in seen)
    return [
        Film(group, one.from_afar(far), colours, fps, int(wide), height, ghosts)
        for group, one, wide in zip(groups, seen, np.diff(edges), strict=True)
    ]


def _pictures(
    films: Sequence[Film], order: Iterable[int], labels: Sequence[str] | None
) -> Iterator[Picture]:
    """The films' frames side by side, with their labels."""
    for frame in order:
        picture = np.concatenate([film.draw(frame) for film in films], axis=1)
        yield picture if labels is None else _labelled(picture, films, labels)


def _counted(pictures: Iterable[Picture], total: int, progress: Progress) -> Iterator[Picture]:
    """The same pictures; tells how many have been drawn."""
    for done, picture in enumerate(pictures, start=1):
        progress(done, total)
        yield picture


def _labelled(picture: Picture, films: Sequence[Film], labels: Sequence[str]) -> Picture:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    points = max(11, picture.shape[0] // 22)
    font = ImageFont.load_default(points)
    bright = float(films[0].scene.haze.mean()) > 0.2 and films[0].scene.opaque
    ink = (52, 58, 68, 255) if bright else (232, 235, 240, 255)
    if len(films) == len(labels):
        lefts = np.cumsum([0, *(film.width for film in films[:-1])])
        for left, film, label in zip(lefts, films, labels, strict=True):
            pen.text((int(left) + film.width // 2, points // 2), label, ink, font, anchor="ma")
    else:
        for row, (label, figure) in enumerate(zip(labels, films[0].figures, strict=True)):
            top = points // 2 + int(1.4 * points * row)
            tone = tuple(int(255 * min(1.0, c) ** (1 / 2.2)) for c in figure.colours[0])
            pen.rectangle((points // 2, top + 2, points + points // 2, top + points), fill=tone)
            pen.text((2 * points, top), label, ink, font)
    return np.array(image)
