"""What a page shows: what is made of the open screen, or a clip alone, and how far that is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from motionweave.core.runtime.kernels import MESSAGE
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.page.overlay import Overlay
from motionweave.studio.screens.screen import RESULT, Screen
from motionweave.studio.ui import widgets
from motionweave.studio.ui.dragging import CLIP, MADE
from motionweave.studio.view.comparison import compared
from motionweave.studio.view.performer import performer_of, with_performer
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look, Viewport, key_of
from motionweave.studio.work.jobs import Latest, Outcome, stage, told
from motionweave.studio.work.problems import RemedyButton, problem_of
from motionweave.studio.work.remarks import Remark

if TYPE_CHECKING:
    from motionweave.studio.page.page import Page

_NO_CLIPS = "Drop motion files here, or add built-in clips to the shelf."


class Showing:
    """The viewport with the result of the open screen, a clip alone, or why there is nothing.

    Parameters
    ----------
    page
        The page that it is on; its open screen says what is made.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.session
        self._outcomes = page.workspace.outcomes
        self.result: Result | None = None
        # Id of the clip that is shown alone.
        self.alone: str | None = None
        # What the result was made from, and whether that is what is wanted now.
        self._computed: object = None
        self._fresh = False
        # What the screen was to make when a clip was shown alone.
        self._beside: object = None
        # Whether the result is seen beside what there was before.
        self._split = False
        # What each screen made last, and what from: it may be dragged to another screen.
        self._results: dict[str, tuple[Hashable, Result]] = {}
        self._latest = Latest(self._busy, on_stage=self._staged, compiles=self._compiles)
        self.viewport = Viewport(page.workspace.store, theme=page.theme, empty=page.active.hint)
        self.viewport.on_split(self._compare)
        self._overlay = Overlay(
            on_remedy=self._remedy,
            on_remark=self._go_to,
            on_cancel=self._give_up,
            on_retry=page.make_again,
        )

    @property
    def fresh(self) -> Result | None:
        """The result that is seen, if it is up to date."""
        return self.result if self._fresh else None

    @property
    def clip_alone(self) -> ShelfClip | None:
        """The clip that is shown alone, if one is."""
        clip = None if self.alone is None else self.session.document.clip(self.alone)
        return clip if clip is not None and clip.usable else None

    def result_of(self, name: str) -> Result | None:
        """The result of a screen as it is now, if it is known; None for a clip shown alone."""
        if name == self.page.active.name:
            return self.result if self._fresh and self.clip_alone is None else None
        key, result = self._results.get(name, (None, None))
        return result if key == self.page.screens[name].key(self.session.document) else None

    # Showing

    def clear(self) -> None:
        """Forget what is seen: another screen is open."""
        self.alone = None
        self._computed = self.result = None
        self._overlay.remarks(())
        self.viewport.show_path(())
        self.viewport.draw_path(on=False)

    def toggle_alone(self, clip_id: str) -> None:
        """Show one clip alone from the next `update` on, or go back to the result."""
        self.alone = None if self.alone == clip_id else clip_id
        self._computed = self.result = None

    def go_on(self) -> None:
        """Go back to the result if it would change: whoever goes on working wants to see it."""
        if self.alone is not None and self.page.active.key(self.session.document) != self._beside:
            self.alone = None

    def make_again(self) -> None:
        """Make the result anew at the next `update`, although nothing was changed."""
        self._computed = None
        self._overlay.stale("")

    def update(self) -> None:
        """Make what is wanted now, unless it is known, and show it."""
        document, screen = self.session.document, self.page.active
        alone = self.clip_alone
        self.page.set_aside(alone is not None)
        if alone is not None:
            self._show_alone(alone)
            return
        missing = screen.missing(document)
        if missing and not any(clip.usable for clip in document.clips):
            missing = _NO_CLIPS
        if missing:
            self.result = self._computed = None
            self._latest.cancel()
            self.page.say("")
            self._show_nothing(missing)
            return
        self._make(screen, document)

    def _make(self, screen: Screen, document: Document) -> None:
        """Show what a screen makes of a document, as soon as it is made."""
        live = self.session.live
        common, body = document.settings["common"], performer_of(document)
        performer = None if body is None else id(body.original)
        meshes = tuple(id(clip.character) for clip in document.clips if clip.character is not None)
        split = self._split
        whole = (screen.name, screen.key(document), live and common.clean, performer, meshes)
        key = (*whole, split)
        if key == self._computed:
            return
        self._computed = key
        known = self._outcomes.get(key)
        if known is not None:
            self._latest.cancel()
            self._made(screen, document, known[1], live)
            return

        def done(outcome: Outcome[Result]) -> None:
            if outcome.value is not None and not live:
                self._outcomes.put(key, (document, outcome))
            self._made(screen, document, outcome, live)

        def make(document: Document, live: bool) -> Result:
            return with_performer(screen.make(document, live), document, live)

        def work() -> Result:
            if not split:
                return self._packed(make(document, live))
            unsplit = self._outcomes.get((*whole, False))
            result = make(document, live) if unsplit is None else told(unsplit[1])
            return self._packed(compared(result, make, document, live))

        self._latest.submit(work, done)

    def _packed(self, result: Result) -> Result:
        """Packing belongs to the work: it must not hold up the event loop."""
        stage("Sending the pictures", 0.9)
        for look in result.looks:
            key_of(self.page.workspace.store, look)
            if look.character is not None:
                self.page.workspace.store.skin_of(look.character, look.motion)
        return result

    def _made(
        self, screen: Screen, document: Document, outcome: Outcome[Result], live: bool
    ) -> None:
        if screen is not self.page.active or self.alone is not None:
            return
        with self.viewport:
            if outcome.value is None:
                problem = outcome.problem or RuntimeError("nothing was made")
                self._failed(screen, document, problem)
                return
            result = self.result = outcome.value
            self.page.say("")
            self._settled(fresh=True)
            if self._latest.behind:
                # What comes next is being made already.
                self._busy(True)
            self.viewport.show(result.looks, of=screen.name)
            screen.present(result)
            if not live:
                self._overlay.remarks(tuple(dict.fromkeys([*result.remarks, *outcome.remarks])))
                self.page.figures.show(result, kind=MADE, what=screen.name)
                self._results[screen.name] = (screen.key(document), result)

    def _failed(self, screen: Screen, document: Document, problem: Exception) -> None:
        """Say why there is no result; an earlier one of the same screen stays, dimmed."""
        if self.result is None:
            self._show_nothing("")
        self._settled(fresh=False)
        self._overlay.remarks(())
        self._overlay.problem(problem_of(problem, screen.name, document))
        if self.result is not None:
            self._overlay.stale("Earlier result")
        self.page.figures.show(None)

    def _show_nothing(self, why: str) -> None:
        self._settled(fresh=False)
        self._overlay.remarks(())
        self.viewport.tell_empty(why)
        self.viewport.show([], of="nothing")
        self.page.figures.show(None)

    def _settled(self, *, fresh: bool) -> None:
        """Nothing is being done now; what is seen is up to date, or is not."""
        self._fresh = fresh
        self._overlay.problem(None)
        self._overlay.stale("")
        widgets.mark(self.viewport, "stale", not fresh and self.result is not None)
        self.page.allow_export(fresh)

    def _show_alone(self, clip: ShelfClip) -> None:
        self._latest.cancel()
        self._computed = None
        self._beside = self.page.active.key(self.session.document)
        look = Look("alone", clip.motion, RESULT, label=clip.name)
        own = Result(clip.motion, (look,), (clip.motion,))
        self.result = with_performer(own, self.session.document, False, alone=True)
        self._settled(fresh=True)
        self._overlay.remarks(())
        self.page.say(
            f"Only {clip.name} is shown, measured and exported. Click its eye again to go back."
        )
        self.viewport.show(self.result.looks, of=clip.id)
        self.page.figures.show(self.result, kind=CLIP, what=clip.id)

    def _compare(self, on: bool) -> None:
        """Show the result beside what there was before it, or by itself."""
        self._split = on
        self.update()

    # Long work

    def _busy(self, busy: bool) -> None:
        if self.viewport.is_deleted:
            return
        with self.viewport:
            self._overlay.working(busy)
            if busy:
                self._overlay.problem(None)
                self._overlay.stale("Earlier result" if self.result is not None else "")
                widgets.mark(self.viewport, "stale", self.result is not None)
                if self.result is None:
                    self.viewport.tell_empty("")

    def close(self) -> None:
        """Give up what is being made: nobody sees it."""
        self._latest.cancel()

    async def rest(self) -> None:
        """Return when all that was asked for has been made, shown and measured."""
        await self._latest.rest()
        await self.page.figures.rest()

    def _staged(self, name: str, share: float) -> None:
        if not self.viewport.is_deleted:
            with self.viewport:
                self._overlay.stage(name, share)

    def _compiles(self) -> None:
        if not self.viewport.is_deleted:
            with self.viewport:
                self.page.say(f"{MESSAGE[0].upper()}{MESSAGE[1:]}")

    def _give_up(self) -> None:
        self._latest.cancel()
        self._settled(fresh=False)
        self._overlay.stale("Stopped", retry=True)

    def _remedy(self, remedy: RemedyButton) -> None:
        label = remedy.label[:1].lower() + remedy.label[1:]
        self.session.change(remedy.apply(self.session.document), label)

    def _go_to(self, remark: Remark) -> None:
        if self.result is not None and remark.frame is not None:
            self.viewport.point_at(remark.frame / self.result.motion.fps, remark.joint or "")
