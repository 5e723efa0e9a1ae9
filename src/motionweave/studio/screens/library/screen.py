"""Library: find motions in a folder by an example or by words, fill a gap, follow a path."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from motionweave.studio.document.document import Document
from motionweave.studio.screens.library import model
from motionweave.studio.screens.library.code import as_code
from motionweave.studio.screens.library.model import Found, LibrarySettings, Row, Walked
from motionweave.studio.screens.screen import RESULT, Screen, series
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import Thumbnail
from motionweave.studio.ui.dragging import FOUND, carrying
from motionweave.studio.view.result import NewClip, Result
from motionweave.studio.view.viewport import Look, Spot
from motionweave.studio.work.jobs import in_thread

_BESIDE = 1.1
# Where the slider stands while the kinds of motion decide.
_USUALLY_ALIKE = 0.55
# Keys in the list of what was found: to the next and the one before, and to the row above or below.
_KEYS = """(event) => {
  const card = event.target.closest('.mw-found-row');
  const cards = [...event.currentTarget.querySelectorAll('.mw-found-row')], at = cards.indexOf(card);
  const middle = (one) => one.offsetLeft + one.offsetWidth / 2;
  const nearest = (list, top) => list.filter((one) => one.offsetTop === top)
    .sort((a, b) => Math.abs(middle(a) - middle(card)) - Math.abs(middle(b) - middle(card)))[0];
  const below = cards.find((one) => one.offsetTop > card?.offsetTop);
  const above = cards.findLast((one) => one.offsetTop < card?.offsetTop);
  const next = {
    ArrowRight: () => cards[at + 1], ArrowLeft: () => cards[at - 1],
    ArrowDown: () => nearest(cards, below?.offsetTop), ArrowUp: () => nearest(cards, above?.offsetTop),
    Home: () => cards[0], End: () => cards.at(-1),
  }[event.key];
  if (!card || !next) return;
  event.preventDefault();
  event.stopPropagation();
  next()?.focus();
  next()?.click();
}"""  # noqa: E501


class LibraryScreen(Screen):
    """The library screen."""

    name = "library"
    title = "Library"
    icon = "manage_search"
    hint = "Name a folder of clips on the right, then click a clip on the shelf as an example."
    Settings = LibrarySettings
    most = 1
    # Nothing is looked for until a folder is named.
    first = 0

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        settings: LibrarySettings = document.settings["library"]
        if not settings.folder:
            return LibraryScreen.hint
        if model.place_of(settings.folder) is None:
            return f"There is no folder {settings.folder} on the machine that the studio runs on."
        if settings.mode == "walk":
            return "" if len(settings.path) > 1 else "Draw a path on the floor."
        if document.usable(settings.clips):
            return ""
        if settings.mode == "fill":
            return "Click the clip on the shelf that has a gap to be filled."
        return "" if settings.words else "Click a clip on the shelf as an example, or type words."

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        settings: LibrarySettings = document.settings["library"]
        clean = document.settings["common"].clean and not live
        if settings.mode == "fill":
            (clip,) = document.usable(settings.clips)[:1]
            motion, about = model.filled(document, clean=clean)
            ghost = Look("original", clip.motion, series(0), ghost=True, ground=clip.motion)
            original = replace(ghost, before=clip.name)
            looks = (Look("result", motion, RESULT, ground=clip.motion), original)
            return Result(motion, looks, (clip.motion,), about)
        if settings.mode == "walk":
            walked = model.walked(document, clean=clean)
            return Result(walked.motion, (Look("result", walked.motion, RESULT),), (), walked)
        made = model.found(document)
        main = Look("result", made.motion, RESULT)
        if made.example is None:
            return Result(made.motion, (main,), (), made)
        ghost = Look(
            "example",
            made.example.motion,
            series(0),
            ghost=True,
            clock=made.clock,
            beside=_BESIDE,
            label=made.example.name,
        )
        return Result(made.motion, (main, ghost), (made.example.motion,), made)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document, clean=document.settings["common"].clean)

    @staticmethod
    def with_clips(settings: LibrarySettings, clips: tuple[str, ...]) -> LibrarySettings:
        return replace(settings, clips=clips, chosen=0, gap=None)

    def key(self, document: Document) -> Hashable:
        return super().key(document), tuple(clip.id for clip in model.rigs_on_shelf(document))

    # Widgets

    def build_panel(self) -> None:
        self._rows: tuple[Row, ...] = ()
        self._buttons: list[ui.element] = []
        with widgets.section("Folder"):
            self._build_folder()
        with widgets.section("Task"):
            self._mode = widgets.Choice(
                {
                    "find": ("Find", "Motions like the example, or with these words"),
                    "fill": ("Fill a gap", "Replace frames of a clip with motion from the folder"),
                    "walk": ("Follow a path", "Join clips of the folder along a drawn path"),
                },
                self._set_mode,
            )
            self._words = widgets.TextField(
                "Words", "such as walk left", lambda text: self._look(words=text)
            )
            with ui.element("div").classes("mw-parameters") as self._finding:
                self._build_finding()
            with ui.element("div").classes("mw-parameters") as self._filling:
                self._first = widgets.Slider("From frame", 0, 1, 1, partial(self._set_gap, 0))
                self._last = widgets.Slider("To frame", 0, 1, 1, partial(self._set_gap, 1))
            with ui.element("div").classes("mw-parameters") as self._walking:
                ui.label("Drag on the floor: the motion goes there.").classes("mw-curves-note")
                with ui.element("div").classes("mw-row"):
                    widgets.button(
                        "Draw a path",
                        self.page.viewport.draw_path,
                        icon="gesture",
                        title="Draw where the motion is to go, on the floor",
                    )
        self.page.viewport.on_path(self._drawn)

    def _build_folder(self) -> None:
        self._folder = widgets.TextField(
            "Folder of clips", "/home/me/clips", lambda text: self._look(folder=text)
        )
        self._about = ui.label("")
        with ui.element("div").classes("mw-row"):
            self._again = widgets.button(
                "Look for new clips",
                self._read_again,
                icon="refresh",
                title="Take in what is new or changed in the folder",
            )

    def _build_finding(self) -> None:
        """Settings of a search."""
        self._part = widgets.Choice(
            {
                "": ("Body", "Compare the whole body"),
                "upper body": ("Upper", "Compare the upper body"),
                "arms": ("Arms", "Compare the arms"),
                "legs": ("Legs", "Compare the legs"),
            },
            lambda part: self._look(part=part),
        )
        self._through = widgets.Switch(
            "Matches of matches",
            "Collect all clips of a kind: every match is an example in turn",
            lambda on: self._look(through=on),
        )
        with ui.element("div").classes("mw-parameters") as self._kind:
            self._alike = widgets.Slider(
                "Alike at least", 0.0, 1.0, 0.05, self._set_alike, digits=2
            )
            with ui.element("div").classes("mw-row"):
                self._by_kind = widgets.button(
                    "Automatic",
                    lambda: self._look(alike=None),
                    icon="auto_awesome",
                    title="Decide by the kinds of motion in the folder",
                )
        self._compatible = widgets.Switch(
            "Only rigs on the shelf",
            "Only clips with the same joints as a clip on the shelf",
            lambda on: self._look(compatible=on),
        )
        self._most = widgets.Slider("List at most", 5, 100, 5, self._set_most)
        with ui.element("div").classes("mw-row"):
            self._all = widgets.button(
                "All to the shelf",
                self._take_all,
                icon="playlist_add",
                title="Put everything that was found on the shelf",
            )

    def build_dock(self) -> None:
        with ui.element("div").classes("mw-dock-head"):
            self._count = ui.label("").classes("mw-curves-note")
        self._list = ui.element("div").classes("mw-found")
        self._list.props.update({"role": "group", "aria-label": "what was found"})
        self._list.on("keydown", js_handler=_KEYS)

    def refresh(self, settings: LibrarySettings) -> None:
        self._folder.set(settings.folder)
        self._words.set(settings.words)
        self._mode.set(settings.mode)
        self._part.set(settings.part)
        self._through.set(settings.through)
        self._kind.set_visibility(settings.through and not settings.part)
        self._alike.set(_USUALLY_ALIKE if settings.alike is None else settings.alike)
        widgets.mark(self._by_kind, "on", settings.alike is None)
        self._compatible.set(settings.compatible)
        self._most.set(settings.most)
        self._finding.set_visibility(settings.mode == "find")
        self._filling.set_visibility(settings.mode == "fill")
        self._walking.set_visibility(settings.mode == "walk")
        self._words.element.set_visibility(settings.mode != "fill")
        self.page.viewport.show_path(settings.path if settings.mode == "walk" else ())
        widgets.enable(self._again, bool(settings.folder))
        clip = next(iter(self.page.session.document.usable(settings.clips)), None)
        if clip is not None:
            last = len(clip.motion) - 1
            gap = model.gap_of(settings, len(clip.motion))
            self._first.set(gap[0], 0, last)
            self._last.set(gap[1], 0, last)
        if self.missing(self.page.session.document):
            self._about.set_text("")
            self._show((), 0, "")

    def present(self, result: Result) -> None:
        if isinstance(result.details, Found):
            made = result.details
            self._about.set_text(made.about)
            number = f"{len(made.rows)} found" + (", the nearest first" if made.example else "")
            self._show(made.rows, made.chosen, number)
        elif isinstance(result.details, Walked):
            walked = result.details
            self._about.set_text(walked.about)
            parts = "1 stretch" if len(walked.rows) == 1 else f"{len(walked.rows)} stretches"
            self._show(walked.rows, -1, f"{parts}, on average {walked.error:.2f} m off the path")
        else:
            self._about.set_text(str(result.details))
            self._show((), 0, "The clip with its gap filled; the clip as it was is a ghost.")

    def _show(self, rows: tuple[Row, ...], chosen: int, count: str) -> None:
        self._count.set_text(count)
        widgets.enable(self._all, bool(rows))
        if rows != self._rows:
            self._rows = rows
            self._list.clear()
            with self._list:
                self._buttons = [self._row(i, row) for i, row in enumerate(rows)]
        for i, button in enumerate(self._buttons if rows else ()):
            widgets.mark(button, "on", i == chosen)
            button.props["aria-pressed"] = "true" if i == chosen else "false"

    def _row(self, number: int, row: Row) -> ui.element:
        with ui.element("button").classes("mw-found-row") as button:
            Thumbnail(f"/strip/found?{urlencode(self._where(row))}")
            with ui.element("span").classes("mw-found-words"):
                # Long names break after their words.
                ui.html(escape(row.name).replace("_", "_<wbr>"), sanitize=False, tag="span")
                ui.label(f"frames {row.first}–{row.last} · {row.seconds:.2f} s").classes("mw-value")
                if row.distance is not None:
                    ui.label(f"{row.distance:.0%} of a leg apart").classes("mw-value")
        through = f", through {', '.join(row.via)}" if row.via else ""
        button.props["title"] = f"{row.clip}{through} (drag it to the shelf or into the sequence)"
        button.props["draggable"] = "true"
        button.props["data-moving"] = ""
        button.on("dragstart", js_handler=carrying(FOUND, f"{self.name}:{number}"))
        button.on("click", lambda _: self._choose(number))
        return button

    def _where(self, row: Row) -> dict[str, object]:
        """Where a stretch is; another folder is another address."""
        place = {"clip": row.clip, "first": row.first, "last": row.last}
        return {**place, "of": self.settings.folder}

    # Handlers

    def _set_mode(self, mode: str) -> None:
        self.change("what the library is for", mode=mode)
        if mode == "walk" and not self.settings.path:
            self.page.viewport.draw_path()

    def _drawn(self, path: tuple[Spot, ...]) -> None:
        rounded = tuple((round(x, 3), round(z, 3)) for x, z in path)
        self.change("path", path=rounded)

    def _choose(self, number: int) -> None:
        if self.settings.mode == "find":
            self.change("choice of a match", chosen=number)
        elif self.page.result is not None:
            # Stretches of a walk follow each other: go where this one begins.
            seconds = sum(row.seconds for row in self._rows[:number])
            self.page.viewport.seek(seconds)

    def _look(self, **fields: Any) -> None:
        self.change("search", chosen=0, **fields)

    def _set_most(self, most: float, final: bool) -> None:
        if final:
            self._look(most=round(most))

    def _set_alike(self, share: float, final: bool) -> None:
        if final:
            self._look(alike=round(share, 2))

    def _set_gap(self, side: int, frame: float, final: bool) -> None:
        clip = next(iter(self.page.session.document.usable(self.settings.clips)), None)
        if clip is None:
            return
        gap = list(model.gap_of(self.settings, len(clip.motion)))
        gap[side] = round(frame)
        self.change("the gap", merge="gap", final=final, gap=(gap[0], max(gap)))

    def _read_again(self) -> None:
        folder = self.settings.folder

        def work() -> None:
            with model.opened(folder) as library:
                model.read(library)

        async def task() -> None:
            outcome = await in_thread(work)
            with self.page.viewport:
                ui.notify(outcome.error or "The folder is up to date.", classes="mw-toast")
                self.page.make_again()

        background_tasks.create(task())

    def pieces(self, found: str) -> Callable[[], Sequence[NewClip]] | None:
        if not found.isdecimal() or int(found) >= len(self._rows):
            return None
        return self._loading((self._rows[int(found)],))

    def _loading(self, rows: tuple[Row, ...]) -> Callable[[], Sequence[NewClip]]:
        document = self.page.session.document

        def load() -> Sequence[NewClip]:
            return [
                NewClip(row.name, motion, f"frames {row.first} to {row.last} of {row.clip}")
                for row, motion in model.stretches(document, rows)
            ]

        return load

    def _take_all(self) -> None:
        self.page.placing.gather(self._loading(self._rows))
