"""The viewport element: tells the browser which motions to show."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# The scene element is not used, but it brings three.js into the page's import map.
import nicegui.elements.scene  # noqa: F401
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from motionweave.core.motion import Motion
from motionweave.studio.document.character import Character
from motionweave.studio.view.payload import PayloadStore
from motionweave.studio.web import WEB

Place = tuple[float, float, float]
Spot = tuple[float, float]

# A new motion of up to this many bytes goes along with the message: to fetch it would take
# another round trip, which is felt while dragging.
_ALONG = 1 << 17


@dataclass(frozen=True, eq=False)
class Look:
    """A motion on screen: the main one in full colour, ghosts translucent beside it.

    Parameters
    ----------
    id
        Tells it from the others on screen; a new motion under the same id replaces the old.
    motion
        What moves.
    color
        Of the body, as ``#rrggbb``.
    ghost
        Translucent, and played in step with the main one.
    clock
        For a ghost: the frame of its own to show at each frame of the main one. Without,
        it keeps in step by share of its length.
    beside
        Metres to the left of where it is, as seen along the main one's way.
    label
        Shown above the head.
    grips
        Joints that can be picked and dragged: a name, the joint, whether it is a main one.
    ground
        The clip on whose floor it is, where it was made of one; to look for the floor of
        every result would take too long in a drag.
    character
        The mesh to draw it with, if it is not the usual body.
    before
        What the main one is compared with in the view of before and after, in a few words;
        empty if it is not.
    hidden
        Whether it is seen in that view only.
    """

    id: str
    motion: Motion
    color: str
    ghost: bool = False
    clock: tuple[float, ...] = ()
    beside: float = 0.0
    label: str = ""
    grips: tuple[tuple[str, int, bool], ...] = ()
    ground: Motion | None = None
    character: Character | None = None
    before: str = ""
    hidden: bool = False


def key_of(store: PayloadStore, look: Look) -> str:
    """The key under which the motion of a look is fetched."""
    return store.key_of(look.motion, look.ground, turns=look.character is not None)


class Viewport(Element, component=WEB / "viewport.js", esm={"motionweave": str(WEB / "lib")}):
    """A stage on which motions are played in the browser.

    Events: ``time`` with the seconds when the user scrubs or pauses.
    """

    def __init__(self, store: PayloadStore, *, theme: str, empty: str = "") -> None:
        super().__init__()
        self._store = store
        self._sent: set[str] = set()
        self._path: tuple[Spot, ...] = ()
        self._props["theme"] = theme
        self._props["empty"] = empty

    def show(self, looks: Sequence[Look], *, of: str) -> None:
        """Show these motions instead of those on screen.

        ``of`` says what they are of, such as a screen: for something else than before, time
        and camera begin anew.
        """
        keys = [key_of(self._store, look) for look in looks]
        told = [self._told(look, key) for look, key in zip(looks, keys, strict=True)]
        self._sent = set(keys)
        self.run_method("show", told, of)

    def _told(self, look: Look, key: str) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": look.id,
            "url": f"/motion/{key}",
            "color": look.color,
            "ghost": look.ghost,
            "beside": look.beside,
            "label": look.label,
            "before": look.before,
            "hidden": look.hidden,
            "grips": [list(grip) for grip in look.grips],
            "clock": [round(frame, 2) for frame in look.clock],
        }
        if look.character is not None:
            told["skin"] = f"/skin/{self._store.skin_of(look.character, look.motion)}"
        packed = None if key in self._sent else self._store.get(key)
        if packed is not None and len(packed) <= _ALONG:
            told["data"] = base64.b64encode(packed).decode()
        return told

    def tell_empty(self, text: str) -> None:
        """Say what to do while there is nothing to see."""
        if self._props["empty"] != text:
            self._props["empty"] = text
            self.update()

    def point_at(self, seconds: float, joint: str) -> None:
        """Stop at a time and show where a joint, or a part of the sole, is."""
        self.run_method("pointAt", seconds, joint)

    def on_grip(
        self, handler: Callable[[str, Place | None, float, bool, int | None], None]
    ) -> None:
        """Report joints that are picked and dragged.

        ``handler`` is called with the grip's name, where it was dragged to (in the clip's
        unit; None for a pick), the seconds at which that happens, whether the drag is over, and
        the axis along which it was dragged (left, up, forwards), or None if along any.
        """

        def told(event: GenericEventArguments) -> None:
            place = event.args["place"]
            x, y, z = place or (0.0, 0.0, 0.0)
            at = (float(x), float(y), float(z)) if place else None
            time, final = float(event.args["time"]), bool(event.args["final"])
            axis = event.args["axis"]
            only = None if axis is None else int(axis)
            handler(str(event.args["grip"]), at, time, final, only)

        self.on("grip", told)

    def on_turn(self, handler: Callable[[str, int, float | None, float, bool], None]) -> None:
        """Report rings that are turned.

        ``handler`` is called with the grip's name, the axis (left, up, forwards), the degrees
        since the ring was grabbed (None when it is), the seconds at which that happens, and
        whether the drag is over.
        """

        def told(event: GenericEventArguments) -> None:
            by = event.args["by"]
            degrees = None if by is None else float(by)
            time, final = float(event.args["time"]), bool(event.args["final"])
            handler(str(event.args["grip"]), int(event.args["axis"]), degrees, time, final)

        self.on("turn", told)

    def choose_grip(self, name: str, *, movable: bool, turnable: bool) -> None:
        """Show which joint is chosen: with arrows if it is ``movable``, rings if ``turnable``."""
        self.run_method("chooseGrip", name, movable, turnable)

    def on_split(self, handler: Callable[[bool], None]) -> None:
        """Report whether before and after are to be seen side by side."""
        self.on("split", lambda e: handler(bool(e.args)))

    def seek(self, seconds: float) -> None:
        """Stop at a time."""
        self.run_method("stop", seconds)

    def on_path(self, handler: Callable[[tuple[Spot, ...]], None]) -> None:
        """Report paths that are drawn on the floor: points (x, z) in metres."""
        self.on("path", lambda e: handler(tuple((float(x), float(z)) for x, z in e.args)))

    def draw_path(self, *, on: bool = True) -> None:
        """Let the next drag draw a path on the floor, or turn the view as usual."""
        self.run_method("drawPath", on)

    def show_path(self, path: Sequence[Spot]) -> None:
        """Show a path on the floor; none if it is empty."""
        if tuple(path) != self._path:
            self._path = tuple(path)
            self.run_method("showPath", [list(spot) for spot in path])
