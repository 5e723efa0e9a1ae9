"""Sequence: clips one after another, each running over into the next at the best place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nicegui import ui

from motionweave.body.size import body_height
from motionweave.methods.blending.transition import HALF_WIDTH, Transition
from motionweave.methods.junctions import UNLIKE
from motionweave.studio import widgets
from motionweave.studio.document import Document
from motionweave.studio.editors import SequenceTrack
from motionweave.studio.host import Result
from motionweave.studio.screens.library_model import place_of
from motionweave.studio.screens.screen import RESULT, Screen
from motionweave.studio.screens.sequence_code import as_code
from motionweave.studio.screens.sequence_drawing import (
    GAPS,
    LONGEST,
    SHORTEST,
    Drawn,
    drawn,
    half_seconds,
)
from motionweave.studio.screens.sequence_joining import joined
from motionweave.studio.screens.sequence_model import (
    LEAST,
    Block,
    ChosenSeam,
    Over,
    PlayedBlock,
    SequenceSettings,
)
from motionweave.studio.snippets import Snippet
from motionweave.studio.viewport import Look

_FILL = "Leave a gap, and fill it with motion from the folder of the Library screen"


@dataclass(frozen=True, eq=False)
class SequenceDetails:
    """What the widgets show."""

    parts: tuple[PlayedBlock, ...]
    made: Transition

    def index(self, block_id: str) -> int | None:
        """Which part a block is."""
        ids = [part.block.id for part in self.parts]
        return ids.index(block_id) if block_id in ids else None


class SequenceScreen(Screen):
    """The sequence screen."""

    name = "sequence"
    title = "Sequence"
    icon = "view_timeline"
    hint = "Click clips on the shelf in the order in which they should play."
    Settings = SequenceSettings
    most = 200
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
        return Result(motion, (look,), inputs, SequenceDetails(parts, made))

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document, clean=document.settings["common"].clean)

    @staticmethod
    def with_clips(settings: SequenceSettings, clips: tuple[str, ...]) -> SequenceSettings:
        blocks = tuple(Block(f"b{n}", clip) for n, clip in enumerate(clips, start=1))
        return replace(settings, blocks=blocks, seams=())

    def toggle(self, clip_id: str) -> None:
        """Put a clip at the end; it may be there already."""
        self._insert(clip_id, len(self.settings.blocks))

    # Widgets

    def build_panel(self) -> None:
        self._chosen = ""
        # What a drag of an edge began with.
        self._base: tuple[float, float] | None = None
        self._wide: float | None = None
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
                {
                    "upper": ("Upper body", "All above the hips"),
                    "left_arm": ("Left arm", "The left arm alone"),
                    "right_arm": ("Right arm", "The right arm alone"),
                },
                lambda part: self._change_over("part of the body", part=part),
            )
            self._over_start = widgets.Slider(
                "Layer starts", 0.0, 1.0, 0.01, self._set_over_start, unit=" s", digits=2
            )
            self._over_weight = widgets.Slider(
                "Layer weight", 0.0, 1.0, 0.01, self._set_over_weight, digits=2
            )
        with widgets.section("Into the next") as self._seam_section:
            self._kind = widgets.Choice(
                {
                    "transition": ("Transition", "Blend where the clips are most similar"),
                    "spline": ("Spline", "Swing over along a curve through the poses of both"),
                    "fill": ("Fill", _FILL),
                },
                self._set_kind,
            )
            self._seam_told = ui.label("")
            with ui.element("div").classes("mw-row"):
                self._best = widgets.button("Best place", self._take_best, icon="auto_awesome")
            self._leave = widgets.Slider("Leave at", 0, 1, 1, lambda v, f: self._set_place(0, v, f))
            self._enter = widgets.Slider("Enter at", 0, 1, 1, lambda v, f: self._set_place(1, v, f))
            self._width = widgets.Slider(
                "Half width", SHORTEST, LONGEST, 0.01, self._set_width, unit=" s", digits=2
            )
            self._gap = widgets.Slider("Gap", *GAPS, 0.05, self._set_gap, unit=" s", digits=2)
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
            on_widen=self._widened,
            on_remove=self._drop,
            on_insert=self._insert,
            outer=True,
            hint="Drag it to move it, its edges to trim it",
            empty="Click clips on the shelf, or drag them here, in the order of playing.",
        )

    def refresh(self, settings: SequenceSettings) -> None:
        block = settings.block(self._chosen)
        if block is None and settings.blocks:
            block = settings.blocks[0]
        self._chosen = "" if block is None else block.id
        self._keep.set(settings.keep)
        widgets.enable(self._clear, bool(settings.blocks))
        index = -1 if block is None else settings.blocks.index(block)
        widgets.enable(self._earlier, index > 0)
        widgets.enable(self._later, 0 <= index < len(settings.blocks) - 1)
        for button in (self._twice, self._remove):
            widgets.enable(button, block is not None)
        self._show_block(block)
        self._track.choose(self._chosen)
        if self.missing(self.page.session.document):
            self._track.set([], [], 0.0)
        self._show_seam()

    def present(self, result: Result) -> None:
        details: SequenceDetails = result.details
        pictures: Drawn = drawn(details.parts, details.made, self.settings)
        self._track.set(pictures.blocks, pictures.seams, pictures.length)
        self._show_seam()

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

    def _details(self) -> SequenceDetails | None:
        result = self.page.result
        details = None if result is None else result.details
        return details if isinstance(details, SequenceDetails) else None

    def _neighbours(self) -> tuple[str, str] | None:
        """The chosen block and the one that is played after it."""
        document = self.page.session.document
        ids = [block.id for block in self.settings.blocks if document.usable((block.clip,))]
        pair = ids[ids.index(self._chosen) :][:2] if self._chosen in ids else []
        return (pair[0], pair[1]) if len(pair) == 2 else None

    def _pair(self) -> tuple[SequenceDetails, int] | None:
        """The result, and the number of the seam after the chosen block, if it has one."""
        details = self._details()
        index = None if details is None else details.index(self._chosen)
        if details is None or index is None:
            return None
        # The result may be of an earlier row of blocks.
        shown = tuple(part.block.id for part in details.parts[index : index + 2])
        return (details, index) if shown == self._neighbours() else None

    def _show_seam(self) -> None:
        pair = self._neighbours()
        widgets.mark(self._seam_section, "dim", pair is None)
        if pair is None:
            self._seam_told.set_text("This is the last block." if self._chosen else "")
            return
        chosen = self.settings.seam(*pair)
        self._kind.set(chosen.kind)
        folder = self.page.session.document.settings["library"].folder
        there = place_of(folder) is not None if folder else False
        closed = "Open a folder on the Library screen to fill gaps from it"
        self._kind.enable("fill", there or chosen.kind == "fill", _FILL if there else closed)
        self._width.element.set_visibility(chosen.kind == "transition")
        self._gap.element.set_visibility(chosen.kind == "fill")
        self._gap.set(chosen.gap)
        found = self._pair()
        # Without a result it can still be joined in another way.
        for slider in (self._leave, self._enter, self._width):
            slider.enable(found is not None)
        if found is None:
            self._seam_told.set_text("")
            return
        details, index = found
        left, right = details.parts[index : index + 2]
        junction = details.made.junctions[index]
        height = body_height(left.clip.motion.skeleton) or 1.0
        apart = junction.distance / height
        said = f"{left.clip.name} into {right.clip.name}: poses {apart:.1%} of the height apart"
        unlike = apart > UNLIKE and chosen.kind != "fill"
        self._seam_told.set_text(said + (", very different" if unlike else ""))
        widgets.mark(self._best, "on", chosen.at is None)
        frames = left.own_frame(junction.frames[0]), right.own_frame(junction.frames[1])
        self._leave.set(round(frames[0]), *left.trim)
        self._enter.set(round(frames[1]), *right.trim)
        shown = min(half_seconds(details.made, index), 4 * HALF_WIDTH)
        self._width.set(chosen.half_width or round(shown, 2))

    # Blocks

    def _settle_on(
        self, settings: SequenceSettings, label: str, merge: str | None = None, final: bool = True
    ) -> None:
        fields = {"blocks": settings.blocks, "seams": settings.seams}
        self.change(label, merge=merge, final=final, **fields)

    def _choose(self, block_id: str) -> None:
        self._chosen = block_id
        self.refresh(self.settings)

    def _insert(self, clip_id: str, index: int) -> None:
        clip = self.page.session.document.clip(clip_id)
        if clip is None or not clip.usable or len(self.settings.blocks) >= self.most:
            return
        block = Block(self.settings.new_id(), clip_id)
        self._chosen = block.id
        self._settle_on(self.settings.inserted(block, index), f"adding {clip.name}")

    def _move(self, block_id: str, index: int) -> None:
        self._chosen = block_id
        settings = self.settings.moved(block_id, index)
        if settings != self.settings:
            self._settle_on(settings, "order of blocks")
        else:
            self.refresh(settings)

    def _shift(self, way: int) -> None:
        ids = [block.id for block in self.settings.blocks]
        if self._chosen in ids:
            self._move(self._chosen, ids.index(self._chosen) + way)

    def _duplicate(self) -> None:
        block = self.settings.block(self._chosen)
        if block is not None and len(self.settings.blocks) < self.most:
            copy = replace(block, id=self.settings.new_id())
            index = self.settings.blocks.index(block) + 1
            self._chosen = copy.id
            self._settle_on(self.settings.inserted(copy, index), "a block once more")

    def _remove_chosen(self) -> None:
        if self._chosen:
            self._drop(self._chosen)

    def _drop(self, block_id: str) -> None:
        ids = [block.id for block in self.settings.blocks]
        if block_id in ids:
            near = ids[ids.index(block_id) + 1 :][:1] or ids[: ids.index(block_id)][-1:]
            self._chosen = near[0] if near else ""
            self._settle_on(self.settings.without(block_id), "removing a block")

    def _remove_all(self) -> None:
        self._chosen = ""
        self.change("removing all blocks", blocks=(), seams=())

    def _change_block(
        self, label: str, merge: str | None = None, final: bool = True, **fields: object
    ) -> None:
        block = self.settings.block(self._chosen)
        if block is not None:
            changed = replace(block, **fields)  # type: ignore[arg-type]
            self._settle_on(self.settings.with_block(changed), label, merge, final)

    def _frames(self) -> tuple[int, int, int]:
        """First and last frame of the chosen block, and the last one of its clip."""
        block = self.settings.block(self._chosen)
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
        block = self.settings.block(self._chosen)
        if block is not None:
            over = replace(block.over or Over(""), **fields)  # type: ignore[arg-type]
            self._change_block(label, merge, final, over=over)

    # Seams

    def _change_seam(
        self, label: str, merge: str | None = None, final: bool = True, **fields: object
    ) -> None:
        pair = self._neighbours()
        if pair is not None:
            seam: ChosenSeam = replace(self.settings.seam(*pair), **fields)  # type: ignore[arg-type]
            self._settle_on(self.settings.with_seam(seam), label, merge, final)

    def _set_kind(self, kind: str) -> None:
        # A place is the middle of a transition, but the ends of a spline or a fill.
        self._change_seam("kind of a seam", kind=kind, at=None)

    def _set_gap(self, seconds: float, final: bool) -> None:
        self._change_seam("length of a gap", "gap", final, gap=round(seconds, 2))

    def _take_best(self) -> None:
        self._change_seam("place of a seam", at=None, half_width=None)

    def _place_now(self, details: SequenceDetails, index: int) -> tuple[float, float]:
        """Where the clips are joined, in their own frames."""
        left, right = details.parts[index : index + 2]
        frames = details.made.junctions[index].frames
        return left.own_frame(frames[0]), right.own_frame(frames[1])

    def _set_place(self, side: int, frame: float, final: bool) -> None:
        found = self._pair()
        if found is not None:
            at = list(self._place_now(*found))
            at[side] = float(round(frame))
            place = (float(round(at[0])), float(round(at[1])))
            self._change_seam("place of a seam", "place", final, at=place)

    def _set_width(self, seconds: float, final: bool) -> None:
        self._change_seam("length of a seam", "width", final, half_width=round(seconds, 3))

    def _trimmed(self, block_id: str, edge: str, by: float, final: bool) -> None:
        """An edge was dragged by a number of seconds: of the first and last it trims, else it
        moves the seam."""
        details = self._details()
        index = None if details is None else details.index(block_id)
        if details is None or index is None:
            return
        part = details.parts[index]
        frames = by * part.block.speed * part.clip.motion.fps
        left = edge == "left"
        outer = index == 0 if left else index == len(details.parts) - 1
        if outer:
            self._chosen = block_id
            first, last, _ = self._frames()
            self._base = self._base or (first, last)
            if left:
                self._set_first(self._base[0] + frames, final)
            else:
                self._set_last(self._base[1] + frames, final)
        else:
            seam = index - left
            self._chosen = details.parts[seam].block.id
            self._base = self._base or self._place_now(details, seam)
            side = 1 if left else 0
            at = [round(one) for one in self._base]
            first, last = part.trim
            at[side] = min(max(round(self._base[side] + frames), first), last)
            self._change_seam("place of a seam", "place", final, at=(float(at[0]), float(at[1])))
        if final:
            self._base = None

    def _widened(self, seam_id: str, by: float, final: bool) -> None:
        """An end of a seam was dragged by a number of seconds."""
        details = self._details()
        left = seam_id.partition(">")[0]
        index = None if details is None else details.index(left)
        if details is None or index is None or index >= len(details.made.seams):
            return
        self._chosen = left
        self._wide = self._wide or half_seconds(details.made, index)
        half, pair = self._wide + by, self._neighbours()
        if pair is not None and self.settings.seam(*pair).kind == "fill":
            self._set_gap(min(max(2 * half, GAPS[0]), GAPS[1]), final)
        else:
            self._set_width(min(max(half, SHORTEST), LONGEST), final)
        if final:
            self._wide = None
