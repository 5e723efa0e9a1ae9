"""Widgets of one screen each: the subspace, event lanes, the track of keys, the sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element

from motionweave.studio.ui.components import ToldElement, update_props
from motionweave.studio.web import WEB


class SpaceView(ToldElement, component=WEB / "space.js"):
    """Clips as curves in a subspace, a spline between them, and a handle on each curve."""

    def __init__(self, on_frame: Callable[[int, int, bool], None]) -> None:
        super().__init__(curves=[], spline=None, axes=2)
        self.on(
            "frame",
            lambda e: on_frame(int(e.args["curve"]), int(e.args["frame"]), bool(e.args["final"])),
        )

    def set(
        self,
        curves: Sequence[dict[str, Any]],
        spline: dict[str, Any] | None,
        axes: int,
    ) -> None:
        """Show curves and the spline between two of their frames.

        Parameters
        ----------
        curves
            ``{name, color, points: [(x, y, z)]}``, a point per frame.
        spline
            ``{points, frames: (leave, enter), path: [(x, y, z)]}``: the curve, the frames
            that it joins, and a point for every frame of the
            whole result.
        axes
            2 or 3.
        """
        self.tell(curves=list(curves), spline=spline, axes=axes)


class KeyTrack(ToldElement, component=WEB / "keytrack.js"):
    """Keys along time: a row per joint, and one for markers of time (its id is ``"time"``)."""

    def __init__(
        self,
        *,
        on_pick: Callable[[str], None],
        on_move: Callable[[str, float, bool], None],
        on_add: Callable[[str, float], None],
        on_remove: Callable[[str], None],
        on_row: Callable[[str], None],
    ) -> None:
        super().__init__(rows=[], span=[0.0, 1.0], chosen="", row="")
        self.on("pick", lambda e: on_pick(str(e.args["id"])))
        self.on(
            "move",
            lambda e: on_move(str(e.args["id"]), float(e.args["at"]), bool(e.args["final"])),
        )
        self.on("add", lambda e: on_add(str(e.args["row"]), float(e.args["at"])))
        self.on("remove", lambda e: on_remove(str(e.args["id"])))
        self.on("row", lambda e: on_row(str(e.args["row"])))

    def set(
        self,
        rows: Sequence[dict[str, Any]],
        span: tuple[float, float],
        *,
        chosen: str,
        row: str,
    ) -> None:
        """Show keys.

        Parameters
        ----------
        rows
            ``{id, name, marks: [{id, at, text}]}`` with times in seconds.
        span
            First and last time.
        chosen, row
            Ids of the mark and of the row that are chosen.
        """
        self.tell(rows=list(rows), span=list(span), chosen=chosen, row=row)


class EventLanes(ToldElement, component=WEB / "events.js"):
    """States of clips along their cycles, and which of them correspond."""

    def __init__(
        self,
        *,
        on_move: Callable[[str, float, bool], None],
        on_remove: Callable[[str], None],
        on_join: Callable[[str, str], None],
        on_add: Callable[[int, float], None],
    ) -> None:
        super().__init__(lanes=[], links=[], phases=[])
        self.on(
            "move",
            lambda e: on_move(str(e.args["id"]), float(e.args["at"]), bool(e.args["final"])),
        )
        self.on("remove", lambda e: on_remove(str(e.args["id"])))
        self.on("add", lambda e: on_add(int(e.args["lane"]), float(e.args["at"])))
        self.on("join", lambda e: on_join(*(str(one) for one in e.args["ids"])))

    def set(
        self,
        lanes: Sequence[dict[str, Any]],
        links: Sequence[Sequence[tuple[int, float]]],
        phases: Sequence[Sequence[float]],
    ) -> None:
        """Show states.

        Parameters
        ----------
        lanes
            ``{name, color, states: [{id, at, text, words, matched}]}``, times as shares of
            a cycle.
        links
            Rows of (lane, time): states that are the same instant.
        phases
            Where each lane's clip is at evenly spaced times of the result.
        """
        self.tell(
            lanes=list(lanes),
            links=[list(map(list, link)) for link in links],
            phases=[list(row) for row in phases],
        )


class SequenceTrack(Element, component=WEB / "sequence.js"):
    """Blocks along time that are moved, trimmed at their edges, and joined at seams.

    Parameters
    ----------
    on_pick
        Called with the block that was clicked.
    on_move
        Called with a block and where among the others it was dropped.
    on_trim
        Called with a block, its edge (``"left"`` or ``"right"``), the seconds that the edge was
        dragged by, and whether the drag has ended.
    on_widen
        Called with a seam, the seconds that half of it is longer than when the drag began, and
        whether the drag has ended.
    on_remove
        Called with a block.
    on_drop
        Called with the kind of what was dropped, what it is, and where among the blocks.
    accepts
        Kinds of things that may be dropped, see `dragging`.
    outer
        Whether the outer edges of the first and the last block can be dragged too.
    hint
        What can be done with a block.
    empty
        What to do while there are no blocks.
    """

    def __init__(
        self,
        *,
        on_pick: Callable[[str], None],
        on_move: Callable[[str, int], None],
        on_trim: Callable[[str, str, float, bool], None],
        on_widen: Callable[[str, float, bool], None],
        on_remove: Callable[[str], None],
        on_drop: Callable[[str, str, int], None],
        accepts: Sequence[str],
        outer: bool,
        hint: str,
        empty: str,
    ) -> None:
        super().__init__()
        self._props.update({"outer": outer, "hint": hint, "empty": empty})
        self._props["accepts"] = list(accepts)
        self._props["blocks"] = []
        self._props["seams"] = []
        self._props["length"] = 0.0
        self._props["chosen"] = ""
        self.on("pick", lambda e: on_pick(str(e.args["id"])))
        self.on("move", lambda e: on_move(str(e.args["id"]), int(e.args["index"])))
        self.on(
            "trim",
            lambda e: on_trim(
                str(e.args["id"]),
                str(e.args["edge"]),
                float(e.args["by"]),
                bool(e.args["final"]),
            ),
        )
        self.on(
            "widen",
            lambda e: on_widen(str(e.args["id"]), float(e.args["by"]), bool(e.args["final"])),
        )
        self.on("remove", lambda e: on_remove(str(e.args["id"])))
        self.on(
            "insert",
            lambda e: on_drop(str(e.args["kind"]), str(e.args["what"]), int(e.args["index"])),
        )

    def set(
        self,
        blocks: Sequence[dict[str, Any]],
        seams: Sequence[dict[str, Any]],
        length: float,
    ) -> None:
        """Show blocks and seams.

        Parameters
        ----------
        blocks
            ``{id, name, facts, words, start, end, color}`` with times in seconds; ``words``
            is what it is to whoever cannot see it.
        seams
            ``{id, block, words, start, end, doubtful, fixed, icon, ends}``: the block before it,
            whether the poses are unlike, whether its place was chosen by hand, its symbol, and,
            if its ends are where these are left and entered, the blocks on both sides.
        length
            Seconds of the whole.
        """
        update_props(self, blocks=list(blocks), seams=list(seams), length=length)

    def choose(self, block: str) -> None:
        """Show which block is chosen."""
        update_props(self, chosen=block)
