"""Transition: one clip runs over into another, at the best place or at the one that is clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from nicegui import ui

from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.blending.seam import HALF_WIDTH
from motionweave.methods.blending.transition import (
    Transition,
    best_junction,
    junctions,
    make_transition,
)
from motionweave.methods.junctions import UNLIKE, Junction
from motionweave.registration.distance import distance_grid
from motionweave.studio import snippets, widgets
from motionweave.studio.components import HeatMap
from motionweave.studio.document import Document
from motionweave.studio.dragging import CLIP
from motionweave.studio.editors import SequenceTrack
from motionweave.studio.host import Result
from motionweave.studio.jobs import stage
from motionweave.studio.memo import Memo
from motionweave.studio.screens.screen import RESULT, Screen, series
from motionweave.studio.screens.sequence_drawing import LONGEST, SHORTEST, half_seconds
from motionweave.studio.snippets import Snippet
from motionweave.studio.viewport import Look

# Places marked in the map.
_MARKED = 8
# A place is marked if its frames are among this share of the most alike ones.
_ALIKE = 0.4
# Frames apart up to which two places are the same: they may have been found at another rate.
_SAME = 2.0
# Rows of the list.
_LISTED = 5
_GHOST_GAP = 0.95


@dataclass(frozen=True)
class TransitionSettings:
    """What the transition screen makes.

    Parameters
    ----------
    clips
        Ids of the clip that is left and of the one that is entered.
    at
        The frame of each at the middle of the transition; None for the best place.
    half_width
        Seconds from the middle to the ends; None for half a second, or less in short clips.
    """

    clips: tuple[str, ...] = ()
    at: tuple[float, float] | None = None
    half_width: float | None = None


@dataclass(frozen=True, eq=False)
class TransitionDetails:
    """What the widgets show."""

    names: tuple[str, str]
    lasts: tuple[float, float]
    grid: Array
    #: The best place first, then others that would do; empty while there is no time to look.
    places: tuple[Junction, ...]
    chosen: tuple[float, float]
    unit: float
    made: Transition
    #: Frames a second of both clips.
    rates: tuple[float, float]


_grids: Memo[Array] = Memo()
_places: Memo[tuple[Junction, ...]] = Memo()
_bests: Memo[Junction] = Memo()


class TransitionScreen(Screen):
    """The transition screen."""

    name = "transition"
    title = "Transition"
    icon = "double_arrow"
    hint = "Click two clips on the shelf: the first runs over into the second."
    Settings = TransitionSettings
    most = 2

    @staticmethod
    def missing(document: Document) -> str:
        count = len(document.usable(document.settings["transition"].clips))
        return (
            ("", "Click the clip to continue with.")[count == 1]
            if count
            else (TransitionScreen.hint)
        )

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        settings: TransitionSettings = document.settings["transition"]
        clips = document.usable(settings.clips)
        first, second = (clip.motion for clip in clips)
        half = _frames(settings, first)
        stage("Comparing all frames", 0.0)
        grid = _grids.get(
            (first, second), None, lambda: np.sqrt(np.maximum(distance_grid(first, second), 0.0))
        )
        stage("Looking for places to join", 0.3)
        places: tuple[Junction, ...] = ()
        if settings.at is None or not live:
            best = _bests.get(
                (first, second), half, lambda: best_junction(first, second, half_width=half)
            )
            others = _places.get(
                (first, second),
                half,
                lambda: junctions(first, second, half_width=half, most=_MARKED),
            )
            places = (best, *others_alike(best, others, grid))
        chosen = settings.at or places[0].frames
        clean = document.settings["common"].clean and not live
        stage("Joining", 0.6)
        made = make_transition([first, second], at=chosen, half_width=half, clean=clean)
        ghosts = [
            Look(
                f"ghost{i}",
                clip.motion,
                series(i),
                ghost=True,
                beside=_GHOST_GAP * (i + 1),
                label=clip.name,
            )
            for i, clip in enumerate(clips)
        ]
        looks = [Look("result", made.motion, RESULT, ground=first), *ghosts]
        height = body_height(first.skeleton) or 1.0
        details = TransitionDetails(
            (clips[0].name, clips[1].name),
            (len(first) - 1.0, len(second) - 1.0),
            grid,
            places,
            chosen,
            height,
            made,
            (first.fps, second.fps),
        )
        return Result(made.motion, tuple(looks), (first, second), details)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        settings: TransitionSettings = document.settings["transition"]
        clips = document.usable(settings.clips)
        names = snippets.named(clips)
        half = _frames(settings, clips[0].motion)
        clean = document.settings["common"].clean
        call = ", ".join(one.variable for one in names)
        words: list[object] = []
        if settings.at is not None:
            frames = [snippets.number(f) for f in settings.at]
            call += f", at=({', '.join(frames)})"
            words += ["--at", ",".join(frames)]
        if half is not None:
            call += f", half_width={half}"
            words += ["--half-width", half]
        return Snippet(
            snippets.script(
                names,
                f"motion = mw.transition({call}{'' if clean else ', clean=False'})",
                f"mw.save(motion, {snippets.OUTPUT!r})",
            ),
            snippets.commands(
                names,
                snippets.command(
                    "motionweave",
                    "transition",
                    *(one.file for one in names),
                    *words,
                    *([] if clean else ["--no-clean"]),
                    "-o",
                    snippets.OUTPUT,
                ),
            ),
        )

    @staticmethod
    def with_clips(settings: TransitionSettings, clips: tuple[str, ...]) -> TransitionSettings:
        return replace(settings, clips=clips, at=None, half_width=None)

    def build_panel(self) -> None:
        with widgets.section("Where"):
            self._heat = HeatMap(on_pick=self._picked)
            ui.label(
                "Dark means similar. Rings mark good places; click or drag to join elsewhere."
            ).classes("mw-curves-note")
            with ui.element("div").classes("mw-row"):
                self._best = widgets.button(
                    "Best place", lambda: self.change("place", at=None), icon="auto_awesome"
                )
                widgets.button("Swap", self._swap, icon="swap_vert", title="Swap the clips")
            self._why = ui.label("").classes("mw-curves-note")
            self._places = ui.element("div").classes("mw-list mw-places")
            self._known: tuple[Junction, ...] = ()
            self._listed: tuple[object, ...] = ()
        with widgets.section("How long"):
            self._width = widgets.Slider(
                "Half width", SHORTEST, LONGEST, 0.01, self._set_width, unit=" s", digits=2
            )

    def build_dock(self) -> None:
        # What a drag in the track began with.
        self._base: tuple[float, float] | None = None
        self._wide: float | None = None
        self._track = SequenceTrack(
            on_pick=lambda _: None,
            on_move=self._moved,
            on_trim=self._slid,
            on_widen=self._widened,
            on_remove=self._left_out,
            on_drop=lambda kind, clip, index: self.toggle(clip),
            accepts=(CLIP,),
            outer=False,
            hint="Drag its inner edge to leave it earlier or enter it later",
            empty="Click two clips on the shelf, or drag them here.",
        )

    def refresh(self, settings: TransitionSettings) -> None:
        if settings.half_width is not None:
            self._width.set(settings.half_width)
        widgets.mark(self._best, "on", settings.at is None)
        if self.missing(self.page.session.document):
            self._width.set(HALF_WIDTH)
            self._heat.clear()
            self._list((), None, 1.0)
            self._track.set([], [], 0.0)

    def present(self, result: Result) -> None:
        details: TransitionDetails = result.details
        if self.settings.half_width is None:
            self._width.set(round(half_seconds(details.made), 2))
        self._track.set(*_track(details, fixed=self.settings.at is not None))
        # While a place is dragged, the good ones stay as they are.
        self._known = details.places or self._known
        self._heat.set(
            details.grid,
            rows=(details.names[0], details.lasts[0]),
            columns=(details.names[1], details.lasts[1]),
            marks=[
                (*place.frames, f"distance {100 * place.distance / details.unit:.1f}% of height")
                for place in self._known
            ],
            chosen=details.chosen,
        )
        self._list(self._known, details.chosen, details.unit)

    def _list(
        self,
        places: Sequence[Junction],
        chosen: tuple[float, float] | None,
        unit: float,
    ) -> None:
        listed = (tuple(places), chosen)
        if listed == self._listed:
            return
        self._listed = listed
        self._why.set_text(why(places, unit) if places else "")
        self._places.clear()
        with self._places:
            if places:
                with ui.element("div").classes("mw-list-row head"):
                    for head in ("Frames", "Poses apart", "Kept"):
                        ui.label(head)
            for number, place in enumerate(places[:_LISTED]):
                with ui.element("button").classes("mw-list-row") as row:
                    ui.label(f"{place.frames[0]:.0f} → {place.frames[1]:.0f}")
                    ui.label(f"{place.distance / unit:.1%}").classes("mw-value")
                    ui.label(f"{min(place.kept):.0%}").classes("mw-value")
                kept = "{:.0%} of the first clip's action and {:.0%} of the second's are kept"
                said = "The automatic choice. " if number == 0 else ""
                row.props["title"] = said + kept.format(*place.kept)
                row.on("click", partial(self._take, place.frames))
                widgets.mark(row, "best", number == 0)
                widgets.mark(row, "on", place.frames == chosen)

    def _take(self, frames: tuple[float, float]) -> None:
        self.change("place", at=(float(frames[0]), float(frames[1])))

    def _picked(self, row: float, column: float, final: bool) -> None:
        frames = (float(round(row)), float(round(column)))
        self.change("place", merge="place", final=final, at=frames)

    # The track

    def _details(self) -> TransitionDetails | None:
        details = None if self.page.result is None else self.page.result.details
        return details if isinstance(details, TransitionDetails) else None

    def _moved(self, block: str, index: int) -> None:
        if index != int(block):
            self._swap()

    def _left_out(self, block: str) -> None:
        self.toggle(self.settings.clips[int(block)])

    def _slid(self, block: str, _edge: str, by: float, final: bool) -> None:
        """The inner edge of a clip was dragged by some seconds."""
        details, side = self._details(), int(block)
        if details is None:
            return
        self._base = self._base or details.chosen
        frames = [float(round(one)) for one in self._base]
        frames[side] = min(
            max(float(round(self._base[side] + by * details.rates[side])), 0.0), details.lasts[side]
        )
        self.change("place", merge="place", final=final, at=(frames[0], frames[1]))
        if final:
            self._base = None

    def _widened(self, _seam: str, by: float, final: bool) -> None:
        details = self._details()
        if details is None:
            return
        self._wide = self._wide or half_seconds(details.made)
        self._set_width(min(max(self._wide + by, SHORTEST), LONGEST), final)
        if final:
            self._wide = None

    def _swap(self) -> None:
        clips = self.settings.clips
        self.change("order of clips", clips=clips[::-1], at=None)

    def _set_width(self, seconds: float, final: bool) -> None:
        self.change("half width", merge="width", final=final, half_width=round(seconds, 3))


def _track(
    details: TransitionDetails, *, fixed: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], float]:
    """Both clips and what they have in common, as `SequenceTrack` shows them."""
    motion, (start, end) = details.made.motion, details.made.seams[0]
    length = motion.duration
    spans = ((0.0, end / motion.fps), (start / motion.fps, length))
    leave, enter = details.chosen
    blocks = [
        {
            "id": str(side),
            "name": name,
            "facts": f"{verb} at frame {frame:.0f}",
            "words": f"{name}, {first:.2f} to {last:.2f} s, {verb} at frame {frame:.0f}",
            "start": round(first, 4),
            "end": round(last, 4),
            "color": series(side),
        }
        for side, (name, (first, last), verb, frame) in enumerate(
            zip(details.names, spans, ("left", "entered"), (leave, enter), strict=True)
        )
    ]
    apart = details.made.junctions[0].distance / details.unit
    seam = {
        "id": "overlap",
        "block": "0",
        "words": f"overlap of {(end - start) / motion.fps:.2f} s, poses {apart:.1%} of the height "
        f"apart{', very different' if apart > UNLIKE else ''}{', set by hand' if fixed else ''}",
        "start": blocks[1]["start"],
        "end": blocks[0]["end"],
        "doubtful": apart > UNLIKE,
        "fixed": fixed,
    }
    return blocks, [seam], length


def others_alike(best: Junction, places: Sequence[Junction], grid: Array) -> tuple[Junction, ...]:
    """The places beside the best whose own frames are alike too, as the map shows them."""
    limit = float(np.quantile(grid, _ALIKE))
    last = np.array(grid.shape) - 1

    def distance(place: Junction) -> float:
        row, column = np.clip(np.rint(place.frames).astype(int), 0, last)
        return float(grid[row, column])

    def apart(place: Junction) -> float:
        return float(np.abs(np.subtract(place.frames, best.frames)).max())

    return tuple(p for p in places if distance(p) <= limit and apart(p) > _SAME)


def why(places: Sequence[Junction], unit: float) -> str:
    """Why the first of several places is the automatic choice.

    Places are compared by how far apart the poses are and how much is cut off, which is their
    cost; then the clips are joined at the cheapest ones, and the one that turns out best is taken.
    """
    best, *others = places

    def shown(place: Junction) -> float:
        return round(place.distance / unit, 3)

    nearer = [place for place in others if shown(place) < shown(best)]
    if not nearer:
        return "The first is the automatic choice: no poses are closer."
    reasons = []
    if any(place.cost > best.cost for place in nearer):
        reasons.append("cut off more of the clips")
    if any(place.cost <= best.cost for place in nearer):
        reasons.append("make a rougher seam, with joints that hurry or feet that slide or sink")
    return f"The first is the automatic choice: closer poses would {', or '.join(reasons)}."


def _frames(settings: TransitionSettings, first: Motion) -> int | None:
    """The half width in frames of the first clip, if one was chosen."""
    width = settings.half_width
    return None if width is None else max(1, round(width * first.fps))
