"""Sequence: clips one after another, each running over into the next at the best place."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui

from motionweave.studio.document.document import Document
from motionweave.studio.screens.parts import PARTS
from motionweave.studio.screens.screen import RESULT, Screen
from motionweave.studio.screens.sequence.code import as_code
from motionweave.studio.screens.sequence.drawing import DrawnTrack, drawn
from motionweave.studio.screens.sequence.joining import Joined, joined
from motionweave.studio.screens.sequence.model import (
    LEAST,
    MOST_BLOCKS,
    Block,
    Over,
    SequenceSettings,
)
from motionweave.studio.screens.sequence.seams import SeamPanel
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.ui import widgets
from motionweave.studio.ui.dragging import CARRIED, CLIP
from motionweave.studio.ui.editors import SequenceTrack
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look


class SequenceScreen(Screen):
    """The sequence screen."""

    name = "sequence"
    title = "Sequence"
    icon = "view_timeline"
    hint = "Click clips on the shelf in the order in which they should play."
    Settings = SequenceSettings
    most = MOST_BLOCKS
    first = 3

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        return "" if document.usable(document.settings["sequence"].clips) else SequenceScreen.hint

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        done = joined(document, clean=document.settings["common"].clean and not live)
        parts, made = done.parts, done.made
        motion = made.motion
        if len(parts) > 2:
            motion = replace(motion, name=f"{parts[0].clip.name} to {parts[-1].clip.name}")
        look = Look("result", motion, RESULT, ground=parts[0].clip.motion)
        inputs = tuple(part.motion for part in parts)
        return Result(motion, (look,), inputs, done)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document, clean=document.settings["common"].clean)

    @staticmethod
    def with_clips(settings: SequenceSettings, clips: tuple[str, ...]) -> SequenceSettings:
        blocks = tuple(Block(f"b{n}", clip) for n, clip in enumerate(clips, start=1))
        return replace(settings, blocks=blocks, seams=())

    def toggle(self, clip_id: str) -> None:
        """Put a clip at the end; it may be there already."""
        self.page.placing.to_sequence(CLIP, clip_id)

    # Widgets

    def build_panel(self) -> None:
        self.chosen = ""
        # The blocks as they were shown last.
        self._known: tuple[Block, ...] = ()
        # The first and last frame of a block when a drag of its outer edge began.
        self._base: tuple[float, float] | None = None
        with widgets.section("Block"):
            self._told = ui.label("")
            with ui.element("div").classes("mw-row"):
                self._earlier = widgets.button(
                    "", lambda: self._shift(-1), icon="arrow_back", title="Earlier (Alt+←)"
                )
                self._later = widgets.button(
                    "", lambda: self._shift(1), icon="arrow_forward", title="Later (Alt+→)"
                )
                self._twice = widgets.button(
                    "", self._duplicate, icon="content_copy", title="The same block once more"
                )
                self._remove = widgets.button(
                    "", self._remove_chosen, icon="delete", title="Remove the block (Delete)"
                )
            self._first = widgets.Slider("From frame", 0, 1, 1, self._set_first)
            self._last = widgets.Slider("To frame", 0, 1, 1, self._set_last)
            self._speed = widgets.Slider(
                "Speed", 0.25, 3.0, 0.05, self._set_speed, unit=" ×", digits=2
            )
            self._mirror = widgets.Switch(
                "Mirror", "Exchange left and right in this block", self._set_mirrored
            )
            self._over = widgets.Picker("Layer", self._set_over)
            widgets.entitle(
                self._over.element, "Another clip that part of the body plays over this block"
            )
            self._part = widgets.Choice(
                PARTS, lambda part: self._change_over("part of the body", part=part)
            )
            self._over_start = widgets.Slider(
                "Layer starts", 0.0, 1.0, 0.01, self._set_over_start, unit=" s", digits=2
            )
            self._over_weight = widgets.Slider(
                "Layer weight", 0.0, 1.0, 0.01, self._set_over_weight, digits=2
            )
        self._seam = SeamPanel(self)
        with widgets.section("Whole sequence"):
            self._keep = widgets.Choice(
                {
                    "most": ("Best places", "Join clips where they are most similar"),
                    "all": ("Whole clips", "Play every clip to its end, whatever comes next"),
                },
                lambda keep: self.change("what is kept", keep=keep),
            )
            with ui.element("div").classes("mw-row"):
                self._clear = widgets.button(
                    "Remove all", self._remove_all, icon="clear", title="Remove all blocks"
                )

    def build_dock(self) -> None:
        self._track = SequenceTrack(
            on_pick=self._choose,
            on_move=self._move,
            on_trim=self._trimmed,
            on_widen=lambda *dragged: self._seam.widened(*dragged),
            on_remove=self._drop,
            on_drop=self.page.placing.to_sequence,
            accepts=CARRIED,
            outer=True,
            hint="Drag it to move it, its edges to trim it",
            empty="Click clips on the shelf, or drag them here, in the order of playing.",
        )

    def refresh(self, settings: SequenceSettings) -> None:
        added = tuple(block for block in settings.blocks if block not in self._known)
        others = tuple(block for block in settings.blocks if block in self._known)
        if len(added) == 1 and others == self._known:
            # Whoever adds a block goes on with it.
            self.chosen = added[0].id
        self._known = settings.blocks
        block = settings.block(self.chosen)
        if block is None and settings.blocks:
            block = settings.blocks[0]
        self.chosen = "" if block is None else block.id
        self._keep.set(settings.keep)
        widgets.enable(self._clear, bool(settings.blocks))
        index = -1 if block is None else settings.blocks.index(block)
        widgets.enable(self._earlier, index > 0)
        widgets.enable(self._later, 0 <= index < len(settings.blocks) - 1)
        for button in (self._twice, self._remove):
            widgets.enable(button, block is not None)
        self._show_block(block)
        self._track.choose(self.chosen)
        if self.missing(self.page.session.document):
            self._track.set([], [], 0.0)
        self._seam.show()

    def present(self, result: Result) -> None:
        done: Joined = result.details
        pictures: DrawnTrack = drawn(done.parts, done.made, self.settings)
        self._track.set(pictures.blocks, pictures.seams, pictures.length)
        self._seam.show()

    def key_pressed(self, key: str) -> bool:
        if key == "Delete":
            self._remove_chosen()
        return key == "Delete"

    # Showing

    def _show_block(self, block: Block | None) -> None:
        clip = None if block is None else self.page.session.document.clip(block.clip)
        there = block is not None and clip is not None and clip.usable
        for slider in (self._first, self._last, self._speed):
            slider.enable(there)
        widgets.enable(self._mirror.element, there)
        widgets.mark(self._over.element, "dim", not there)
        if not there:
            for part in (self._part, self._over_start, self._over_weight):
                part.element.set_visibility(False)
            self._told.set_text("" if block is None else "This clip is no longer on the shelf.")
            return
        assert block is not None
        assert clip is not None
        number = self.settings.blocks.index(block) + 1
        self._told.set_text(f"{number} of {len(self.settings.blocks)}: {clip.name}")
        final = len(clip.motion) - 1
        first, last = block.trim or (0, final)
        self._first.set(min(first, final), 0, final)
        self._last.set(min(last, final), 0, final)
        self._speed.set(block.speed)
        self._mirror.set(block.mirrored)
        self._show_over(block, (last - first) / clip.motion.fps / block.speed)

    def _show_over(self, block: Block, seconds: float) -> None:
        clips = self.page.session.document.clips
        options = {"": "Nothing", **{clip.id: clip.name for clip in clips if clip.usable}}
        over = block.over
        if over is not None and over.clip not in options:
            options[over.clip] = "No longer on the shelf"
        self._over.set(options, "" if over is None else over.clip)
        for part in (self._part, self._over_start, self._over_weight):
            part.element.set_visibility(over is not None)
        if over is not None:
            self._part.set(over.part)
            self._over_start.set(min(over.start, seconds), 0.0, round(seconds, 2))
            self._over_weight.set(over.weight)

    def made(self) -> Joined | None:
        """How what is on screen was joined."""
        result = self.page.result
        details = None if result is None else result.details
        return details if isinstance(details, Joined) else None

    # Blocks

    def settle_on(
        self, settings: SequenceSettings, label: str, merge: str | None = None, final: bool = True
    ) -> None:
        """Go on with other blocks or seams."""
        fields = {"blocks": settings.blocks, "seams": settings.seams}
        self.change(label, merge=merge, final=final, **fields)

    def _choose(self, block_id: str) -> None:
        self.chosen = block_id
        self.refresh(self.settings)

    def _move(self, block_id: str, index: int) -> None:
        self.chosen = block_id
        settings = self.settings.moved(block_id, index)
        if settings != self.settings:
            self.settle_on(settings, "order of blocks")
        else:
            self.refresh(settings)

    def _shift(self, way: int) -> None:
        ids = [block.id for block in self.settings.blocks]
        if self.chosen in ids:
            self._move(self.chosen, ids.index(self.chosen) + way)

    def _duplicate(self) -> None:
        block = self.settings.block(self.chosen)
        if block is not None and len(self.settings.blocks) < self.most:
            copy = replace(block, id=self.settings.new_id())
            index = self.settings.blocks.index(block) + 1
            self.chosen = copy.id
            self.settle_on(self.settings.inserted(copy, index), "a block once more")

    def _remove_chosen(self) -> None:
        if self.chosen:
            self._drop(self.chosen)

    def _drop(self, block_id: str) -> None:
        ids = [block.id for block in self.settings.blocks]
        if block_id in ids:
            near = ids[ids.index(block_id) + 1 :][:1] or ids[: ids.index(block_id)][-1:]
            self.chosen = near[0] if near else ""
            self.settle_on(self.settings.without(block_id), "removing a block")

    def _remove_all(self) -> None:
        self.chosen = ""
        self.change("removing all blocks", blocks=(), seams=())

    def _change_block(
        self, label: str, merge: str | None = None, final: bool = True, **fields: object
    ) -> None:
        block = self.settings.block(self.chosen)
        if block is not None:
            changed = replace(block, **fields)  # type: ignore[arg-type]
            self.settle_on(self.settings.with_block(changed), label, merge, final)

    def _frames(self) -> tuple[int, int, int]:
        """First and last frame of the chosen block, and the last one of its clip."""
        block = self.settings.block(self.chosen)
        clip = None if block is None else self.page.session.document.clip(block.clip)
        if block is None or clip is None or not clip.usable:
            return 0, 0, 0
        final = len(clip.motion) - 1
        first, last = block.trim or (0, final)
        return first, min(last, final), final

    def _set_trim(self, first: int, last: int, label: str, final: bool) -> None:
        whole = (first, last) == (0, self._frames()[2])
        self._change_block(label, "trim", final, trim=None if whole else (first, last))

    def _set_first(self, frame: float, final: bool) -> None:
        _, last, _ = self._frames()
        self._set_trim(max(0, min(round(frame), last - LEAST + 1)), last, "first frame", final)

    def _set_last(self, frame: float, final: bool) -> None:
        first, _, end = self._frames()
        self._set_trim(first, min(max(round(frame), first + LEAST - 1), end), "last frame", final)

    def _set_speed(self, speed: float, final: bool) -> None:
        self._change_block("speed", "speed", final, speed=round(speed, 2))

    def _set_mirrored(self, on: bool) -> None:
        self._change_block("mirroring", mirrored=on)

    def _set_over(self, clip_id: str) -> None:
        if not clip_id:
            self._change_block("layer of a block", over=None)
        else:
            self._change_over("layer of a block", clip=clip_id)

    def _set_over_start(self, seconds: float, final: bool) -> None:
        self._change_over("start of a layer", "over start", final, start=round(seconds, 2))

    def _set_over_weight(self, weight: float, final: bool) -> None:
        self._change_over("weight of a layer", "over weight", final, weight=round(weight, 2))

    def _change_over(
        self, label: str, merge: str | None = None, final: bool = True, **fields: object
    ) -> None:
        block = self.settings.block(self.chosen)
        if block is not None:
            over = replace(block.over or Over(""), **fields)  # type: ignore[arg-type]
            self._change_block(label, merge, final, over=over)

    def _trimmed(self, block_id: str, edge: str, by: float, final: bool) -> None:
        """An edge was dragged by a number of seconds: of the first and last it trims, else it
        moves the seam."""
        done = self.made()
        index = None if done is None else done.index(block_id)
        if done is None or index is None:
            return
        part = done.parts[index]
        frames = by * part.block.speed * part.clip.motion.fps
        left = edge == "left"
        outer = index == 0 if left else index == len(done.parts) - 1
        if not outer:
            self._seam.slid(done, index - left, int(left), frames, final)
            return
        self.chosen = block_id
        first, last, _ = self._frames()
        self._base = self._base or (first, last)
        if left:
            self._set_first(self._base[0] + frames, final)
        else:
            self._set_last(self._base[1] + frames, final)
        if final:
            self._base = None
