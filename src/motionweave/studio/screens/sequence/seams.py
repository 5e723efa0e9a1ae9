"""The part of the sequence screen that says how a block runs over into the next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nicegui import ui

from motionweave.body.size import body_height
from motionweave.methods.blending.seam import HALF_WIDTH
from motionweave.methods.joining.junctions import UNLIKE
from motionweave.studio.screens.library.model import place_of
from motionweave.studio.screens.sequence.drawing import GAPS, LONGEST, SHORTEST, half_seconds
from motionweave.studio.screens.sequence.joining import Joined
from motionweave.studio.screens.sequence.model import ChosenSeam
from motionweave.studio.ui import widgets

if TYPE_CHECKING:
    from motionweave.studio.screens.sequence.screen import SequenceScreen

_FILL = "Leave a gap, and fill it with motion from the folder of the Library screen"


class SeamPanel:
    """The settings of the seam after the chosen block."""

    def __init__(self, screen: SequenceScreen) -> None:
        self.screen = screen
        # Where a seam was, and how long half of it was, when a drag of its edge began.
        self._base: tuple[float, float] | None = None
        self._wide: float | None = None
        with widgets.section("Into the next"):
            self._kind = widgets.Choice(
                {
                    "transition": ("Transition", "Blend where the clips are most similar"),
                    "spline": ("Spline", "Swing over along a curve through the poses of both"),
                    "fill": ("Fill", _FILL),
                },
                self._set_kind,
            )
            self._told = ui.label("")
            with ui.element("div").classes("mw-row") as self._row:
                self._best = widgets.button("Best place", self._take_best, icon="auto_awesome")
                self._natural = widgets.button(
                    "Natural length",
                    lambda: self._change("length of a spline", length=None),
                    icon="timelapse",
                    title="A spline that lasts as long as the body needs to stay calm",
                )
            self._leave = widgets.Slider("Leave at", 0, 1, 1, lambda v, f: self._set_place(0, v, f))
            self._enter = widgets.Slider("Enter at", 0, 1, 1, lambda v, f: self._set_place(1, v, f))
            self._width = widgets.Slider(
                "Half width", SHORTEST, LONGEST, 0.01, self._set_width, unit=" s", digits=2
            )
            self._gap = widgets.Slider("Gap", *GAPS, 0.05, self._set_gap, unit=" s", digits=2)
            self._shape = widgets.SplineSliders(self._set_shape)

    # Showing

    def neighbours(self) -> tuple[str, str] | None:
        """The chosen block and the one that is played after it."""
        ids, chosen = self._played(), self.screen.chosen
        pair = ids[ids.index(chosen) :][:2] if chosen in ids else []
        return (pair[0], pair[1]) if len(pair) == 2 else None

    def _played(self) -> list[str]:
        """Ids of the blocks whose clips are on the shelf."""
        document = self.screen.page.session.document
        blocks = self.screen.settings.blocks
        return [block.id for block in blocks if document.usable((block.clip,))]

    def _pair(self) -> tuple[Joined, int] | None:
        """The result, and the number of the seam after the chosen block, if it has one."""
        made = self.screen.made()
        index = None if made is None else made.index(self.screen.chosen)
        if made is None or index is None:
            return None
        # The result may be of an earlier row of blocks.
        shown = tuple(part.block.id for part in made.parts[index : index + 2])
        return (made, index) if shown == self.neighbours() else None

    def show(self) -> None:
        """Bring the widgets up to the chosen block and to what was made."""
        pair = self.neighbours()
        for part in (self._kind.element, self._row, self._leave.element, self._enter.element):
            part.set_visibility(pair is not None)
        if pair is None:
            for slider in (self._width, self._gap, *self._shape.sliders):
                slider.element.set_visibility(False)
            last = self.screen.chosen in self._played()
            self._told.set_text("This is the last block." if last else "")
            return
        chosen = self.screen.settings.seam(*pair)
        self._show_kind(chosen)
        found = self._pair()
        # Without a result it can still be joined in another way.
        for slider in (self._leave, self._enter, self._width, *self._shape.sliders):
            slider.enable(found is not None)
        if found is None:
            self._told.set_text("")
        else:
            self._show_made(chosen, *found)

    def _show_kind(self, chosen: ChosenSeam) -> None:
        self._kind.set(chosen.kind)
        folder = self.screen.page.session.document.settings["library"].folder
        there = place_of(folder) is not None if folder else False
        closed = "Open a folder on the Library screen to fill gaps from it"
        self._kind.enable("fill", there or chosen.kind == "fill", _FILL if there else closed)
        self._width.element.set_visibility(chosen.kind == "transition")
        self._gap.element.set_visibility(chosen.kind == "fill")
        self._gap.set(chosen.gap)
        for slider in self._shape.sliders:
            slider.element.set_visibility(chosen.kind == "spline")
        self._natural.set_visibility(chosen.kind == "spline")
        widgets.mark(self._natural, "on", chosen.length is None)

    def _show_made(self, chosen: ChosenSeam, made: Joined, index: int) -> None:
        left, right = made.parts[index : index + 2]
        junction = made.made.junctions[index]
        height = body_height(left.clip.motion.skeleton) or 1.0
        apart = junction.distance / height
        said = f"{left.clip.name} into {right.clip.name}: poses {apart:.1%} of the height apart"
        unlike = apart > UNLIKE and chosen.kind != "fill"
        self._told.set_text(said + (", very different" if unlike else ""))
        widgets.mark(self._best, "on", chosen.at is None)
        frames = left.own_frame(junction.frames[0]), right.own_frame(junction.frames[1])
        self._leave.set(round(frames[0]), *left.trim)
        self._enter.set(round(frames[1]), *right.trim)
        shown = min(half_seconds(made.made, index), 4 * HALF_WIDTH)
        self._width.set(chosen.half_width or round(shown, 2))
        bridge = made.bridge(index)
        length = chosen.length if bridge is None else chosen.length or bridge.spline_length
        self._shape.set(chosen.degree, length or 1.0, chosen.bias)

    # Handlers

    def _change(
        self, label: str, merge: str | None = None, final: bool = True, **fields: object
    ) -> None:
        pair, settings = self.neighbours(), self.screen.settings
        if pair is not None:
            seam: ChosenSeam = replace(settings.seam(*pair), **fields)  # type: ignore[arg-type]
            self.screen.settle_on(settings.with_seam(seam), label, merge, final)

    def _set_kind(self, kind: str) -> None:
        # A place is the middle of a transition, but the ends of a spline or a fill.
        self._change("kind of a seam", kind=kind, at=None)

    def _set_gap(self, seconds: float, final: bool) -> None:
        self._change("length of a gap", "gap", final, gap=round(seconds, 2))

    def _set_shape(self, name: str, value: float, final: bool) -> None:
        self._change(f"{name} of a spline", f"spline {name}", final, **{name: value})

    def _take_best(self) -> None:
        self._change("place of a seam", at=None, half_width=None)

    def _place_now(self, made: Joined, index: int) -> tuple[float, float]:
        """Where the clips are joined, in their own frames."""
        left, right = made.parts[index : index + 2]
        frames = made.made.junctions[index].frames
        return left.own_frame(frames[0]), right.own_frame(frames[1])

    def _set_place(self, side: int, frame: float, final: bool) -> None:
        found = self._pair()
        if found is not None:
            at = list(self._place_now(*found))
            at[side] = float(round(frame))
            place = (float(round(at[0])), float(round(at[1])))
            self._change("place of a seam", "place", final, at=place)

    def _set_width(self, seconds: float, final: bool) -> None:
        self._change("length of a seam", "width", final, half_width=round(seconds, 3))

    def slid(self, made: Joined, index: int, side: int, by: float, final: bool) -> None:
        """An inner edge of a block was dragged by a number of its clip's frames.

        ``side`` is 0 for the end of the block before the seam, 1 for the start of the one after.
        """
        self.screen.chosen = made.parts[index].block.id
        self._base = self._base or self._place_now(made, index)
        at = [round(one) for one in self._base]
        first, last = made.parts[index + side].trim
        at[side] = min(max(round(self._base[side] + by), first), last)
        self._change("place of a seam", "place", final, at=(float(at[0]), float(at[1])))
        if final:
            self._base = None

    def widened(self, seam_id: str, by: float, final: bool) -> None:
        """An end of a seam was dragged by a number of seconds."""
        made = self.screen.made()
        left = seam_id.partition(">")[0]
        index = None if made is None else made.index(left)
        if made is None or index is None or index >= len(made.made.seams):
            return
        self.screen.chosen = left
        self._wide = self._wide or half_seconds(made.made, index)
        half, pair = self._wide + by, self.neighbours()
        if pair is not None and self.screen.settings.seam(*pair).kind == "fill":
            self._set_gap(min(max(2 * half, GAPS[0]), GAPS[1]), final)
        else:
            self._set_width(min(max(half, SHORTEST), LONGEST), final)
        if final:
            self._wide = None
