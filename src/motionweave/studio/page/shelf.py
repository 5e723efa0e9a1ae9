"""The shelf: all clips, what is known about them, and what can be done to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from motionweave.samples import clips as samples
from motionweave.studio.document.document import ShelfClip, unique_name
from motionweave.studio.document.selection import Selection, mirrored
from motionweave.studio.files.upload import display_name, sample_clip
from motionweave.studio.page.card import Card, CardActions
from motionweave.studio.page.clip_facts import rig_of, rig_title, rigs_of
from motionweave.studio.page.menus import export_options
from motionweave.studio.screens.host import Host
from motionweave.studio.screens.screen import series
from motionweave.studio.ui import widgets
from motionweave.studio.ui.dragging import CLIP, FOUND, MADE, receive

# Keys in the list: up and down from clip to clip (with Shift selecting them), right and left among
# the buttons of one, Delete and Escape for what is selected.
_KEYS = """(event) => {
  const card = event.target.closest('.mw-card');
  if (!card || event.target.matches('textarea, input')) return;
  const list = event.currentTarget;
  if (['Delete', 'Escape'].includes(event.key) && list.querySelector('.mw-card.selected')) {
    event.preventDefault();
    event.stopPropagation();
    emit({ key: event.key });
    return;
  }
  const uses = [...list.querySelectorAll('.mw-card:not(.hidden) .mw-use')];
  const at = uses.indexOf(card.querySelector('.mw-use'));
  const inside = [...card.querySelectorAll('button')];
  const here = inside.indexOf(document.activeElement);
  const next = {
    ArrowDown: uses[at + 1], ArrowUp: uses[at - 1], Home: uses[0], End: uses[uses.length - 1],
    ArrowRight: inside[here + 1], ArrowLeft: inside[here - 1], F2: card.querySelector('.mw-name'),
  }[event.key];
  if (!(event.key.startsWith('Arrow') || ['Home', 'End', 'F2'].includes(event.key))) return;
  event.preventDefault();
  event.stopPropagation();
  next?.focus();
  if (event.shiftKey && ['ArrowDown', 'ArrowUp'].includes(event.key) && next) {
    emit({ from: card.dataset.id, to: next.closest('.mw-card').dataset.id });
  }
}"""
# Clips from which on there is something to search.
_MANY = 8


class Shelf:
    """The list of clips at the left."""

    def __init__(self, page: Host) -> None:
        self.page = page
        self._trimming: str | None = None
        self._selection = Selection()
        self._wanted = ""
        self._cards: dict[str, Card] = {}
        self._doing = CardActions(
            click=self._clicked,
            rename=self._rename,
            trim=self._trimmed,
            remove=lambda clip_id: self._remove({clip_id}),
            show_alone=page.show_alone,
            options=self._options,
        )
        self._groups: dict[tuple[str, ...], tuple[Element, ui.label]] = {}
        self._known: tuple[ShelfClip, ...] = ()
        self._build_head()
        self._list = ui.element("div").classes("mw-cards")
        self._list.props.update({"role": "region", "aria-label": "clips"})
        self._list.on("keydown", self._keyed, js_handler=_KEYS)
        receive(self._list, (FOUND, MADE), self.page.placing.to_shelf)
        with self._list, ui.element("div").classes("mw-shelf-empty") as self._empty:
            widgets.symbol("inbox")
            ui.label("Drop motion files here, or add built-in clips with the button above.")
        # Below the list, so that no card moves from under the pointer when it appears.
        with ui.element("div").classes("mw-selected") as self._selected:
            self._selected_count = ui.label("")
            self._selected_count.props["role"] = "status"
            widgets.icon_button("flip", "Mirror the selected clips", self._mirror_selected)
            widgets.icon_button("delete", "Remove the selected clips", self._remove_selected)
            widgets.icon_button("close", "Select nothing", lambda: self._select(Selection()))
        self._selected.set_visibility(False)

    def _build_head(self) -> None:
        with ui.element("div").classes("mw-shelf-head"):
            ui.label("Shelf")
            self._count = ui.label("").classes("mw-count")
            with widgets.icon_button("playlist_add", "Add a built-in clip", lambda: None):
                widgets.menu(
                    {
                        f"{name.replace('_', ' ')} — {samples.describe(name)}": partial(
                            self._add_sample, name
                        )
                        for name in samples.names()
                    }
                )
            widgets.icon_button("note_add", "Add files (or drop them anywhere)", self.page.browse)
        self._search = ui.element("input").classes("mw-search")
        self._search.props.update(
            {"type": "search", "placeholder": "Search clips", "aria-label": "search clips"}
        )
        self._search.on(
            "input", self._searched, js_handler="(event) => emit(event.target.value)", throttle=0.04
        )

    def refresh(self) -> None:
        """Bring the list up to the document.

        Only what is different is made anew: a card that is replaced under the pointer would
        lose the click, and a hundred of them take seconds.
        """
        clips = self.page.session.document.clips
        if clips != self._known:
            self._arrange(clips)
            self._known = clips
        self._mark()

    def _arrange(self, clips: tuple[ShelfClip, ...]) -> None:
        """Cards for these clips, in groups of one rig each."""
        rigs = rigs_of(clips)
        for rig in [rig for rig in self._groups if rig not in rigs]:
            self._forget(rig)
        for clip_id in self._cards.keys() - {clip.id for clip in clips}:
            self._cards.pop(clip_id).element.delete()
        for number, rig in enumerate(rigs):
            members = [clip for clip in clips if rig_of(clip) == rig]
            group, title = self._group(rig, number)
            title.set_text(rig_title(members))
            title.set_visibility(len(rigs) > 1)
            for place, clip in enumerate(members):
                self._place(clip, group, place + 1)
        self._empty.set_visibility(not clips)
        self._search.set_visibility(len(clips) >= _MANY)
        self._count.set_text(str(len(clips)) if len(clips) >= _MANY else "")
        self._scroll_to_new(clips)

    def _group(self, rig: tuple[str, ...], number: int) -> tuple[Element, ui.label]:
        if rig not in self._groups:
            with self._list, ui.element("div").classes("mw-group") as group:
                title = ui.label("").classes("mw-group-title")
            self._groups[rig] = (group, title)
        group, title = self._groups[rig]
        # The first child of the list says that it is empty.
        _put(group, self._list, number + 1)
        return group, title

    def _forget(self, rig: tuple[str, ...]) -> None:
        group, _ = self._groups.pop(rig)
        inside = {child.id for child in group.default_slot.children}
        self._cards = {i: c for i, c in self._cards.items() if c.element.id not in inside}
        group.delete()

    def _place(self, clip: ShelfClip, group: Element, place: int) -> None:
        """The card of a clip where it belongs, as it should look."""
        card = self._cards.get(clip.id)
        if card is None:
            with group:
                card = self._cards[clip.id] = Card(clip.id, self._doing)
        _put(card.element, group, place)
        card.show(clip, self._trimming == clip.id)

    def _clicked(self, clip_id: str, event: GenericEventArguments) -> None:
        if event.args["range"]:
            self._select(self._selection.extended(clip_id, self._order()))
        elif event.args["adding"]:
            self._select(self._selection.toggled(clip_id))
        else:
            self._select(Selection(anchor=clip_id))
            clip = self.page.session.document.clip(clip_id)
            if clip is not None and clip.usable:
                self.page.chooser.toggle(clip_id)

    def _keyed(self, event: GenericEventArguments) -> None:
        if "to" in event.args:
            known = self._selection if self._selection.ids else Selection(anchor=event.args["from"])
            self._select(known.extended(event.args["to"], self._order()))
        elif event.args["key"] == "Delete":
            self._remove_selected()
        else:
            self._select(Selection())

    def _select(self, selection: Selection) -> None:
        self._selection = selection
        self._mark()

    def _order(self) -> list[str]:
        """Ids of the clips that are seen, as they are listed."""
        clips = self.page.session.document.clips
        seen = [clip for clip in clips if self._is_wanted(clip)]
        return [clip.id for rig in rigs_of(clips) for clip in seen if rig_of(clip) == rig]

    def _is_wanted(self, clip: ShelfClip) -> bool:
        return self._wanted in f"{clip.name} {clip.source}".lower()

    def _scroll_to_new(self, clips: tuple[ShelfClip, ...]) -> None:
        """Show the first of several clips that came at once."""
        known = {clip.id for clip in self._known}
        new = [clip.id for clip in clips if clip.id not in known]
        if self._known and new:
            card = self._cards[new[0]].element
            scroll = "scrollIntoView({ block: 'nearest' })"
            ui.run_javascript(f"setTimeout(() => getHtmlElement({card.id})?.{scroll}, 50)")

    def _mark(self) -> None:
        """Which clips are in use, which one is shown alone, which are searched for."""
        document = self.page.session.document
        used = [clip.id for clip in document.usable(self.page.chooser.settings.clips)]
        first = next(iter(used), document.clips[0].id if document.clips else "")
        self._selection = self._selection.among([clip.id for clip in document.clips])
        selected = self._selection.ids
        self._selected_count.set_text(f"{len(selected)} selected")
        self._selected.set_visibility(bool(selected))
        for clip in document.clips:
            self._cards[clip.id].mark(
                used=clip.id in used,
                colour=series(used.index(clip.id)) if clip.id in used else "",
                selected=clip.id in selected,
                alone=self.page.alone == clip.id,
                first=clip.id == first,
                seen=self._is_wanted(clip),
            )

    def _searched(self, event: GenericEventArguments) -> None:
        self._wanted = str(event.args).strip().lower()
        self._mark()

    def _options(self, clip_id: str) -> widgets.Options:
        """What the menu of a card offers."""
        clip = self._clip(clip_id)
        trimming = "Done trimming" if self._trimming == clip.id else "Trim…"
        ids = self._meant(clip.id)
        all_of_them = f" all {len(ids)} selected" if len(ids) > 1 else ""
        mirroring = f"Mirror{all_of_them}" if all_of_them else "Mirror left and right"
        return {
            trimming: partial(self._trim, clip.id),
            mirroring: partial(self._mirror, ids),
            "Add to the sequence": partial(self.page.placing.to_sequence, CLIP, clip.id),
            "Duplicate": partial(self._duplicate, clip.id),
            **self._performing(clip),
            "Export as": export_options(partial(self._export, clip.id)),
            f"Remove{all_of_them}": partial(self._remove, ids),
        }

    def _meant(self, clip_id: str) -> frozenset[str]:
        """A clip, or all that are selected if it is one of them."""
        return self._selection.ids if clip_id in self._selection.ids else frozenset({clip_id})

    def _performing(self, clip: ShelfClip) -> dict[str, Callable[[], None]]:
        """Let all results be performed by this clip's body, or by their own again."""
        worn = self.page.session.settings("common").worn == clip.id
        label = (
            "Show results on their own characters" if worn else "Show all results on this character"
        )
        return {label: partial(self._perform, "" if worn else clip.id)}

    def _perform(self, clip_id: str) -> None:
        session = self.page.session
        common = replace(session.settings("common"), worn=clip_id)
        session.set("common", common, "the character of the results")

    # Doing

    def _change(self, clip: ShelfClip, label: str) -> None:
        session = self.page.session
        session.change(session.document.with_clip(clip), label)

    def _clip(self, clip_id: str) -> ShelfClip:
        clip = self.page.session.document.clip(clip_id)
        assert clip is not None
        return clip

    def _add_sample(self, name: str) -> None:
        self._change(sample_clip(self.page.session.document, name), f"adding {name}")

    def _rename(self, clip_id: str, event: GenericEventArguments) -> None:
        clip = self._clip(clip_id)
        wanted = display_name(str(event.args))
        if wanted == clip.name:
            ui.run_javascript(f"getHtmlElement({event.sender.id}).value = {json.dumps(wanted)}")
            return
        others = self.page.session.document.without_clip(clip_id)
        self._change(replace(clip, name=unique_name(others, wanted)), "renaming")

    def _trim(self, clip_id: str) -> None:
        self._trimming = None if self._trimming == clip_id else clip_id
        self._known = ()
        self.refresh()

    def _trimmed(self, clip_id: str, event: GenericEventArguments) -> None:
        clip = self._clip(clip_id)
        assert clip.original is not None
        first, last = int(event.args["min"]), int(event.args["max"])
        last = max(last, min(first + 1, len(clip.original) - 1))
        whole = (first, last) == (0, len(clip.original) - 1)
        self._change(replace(clip, trim=None if whole else (first, last)), "trimming")

    def _mirror(self, ids: Collection[str]) -> None:
        session = self.page.session
        session.change(mirrored(session.document, ids), "mirroring")

    def _mirror_selected(self) -> None:
        self._mirror(self._selection.ids)

    def _remove_selected(self) -> None:
        self._remove(self._selection.ids)

    def _duplicate(self, clip_id: str) -> None:
        document = self.page.session.document
        clip = self._clip(clip_id)
        copy = replace(clip, id=document.new_id(), name=unique_name(document, clip.name))
        self._change(copy, "duplicating")

    def _export(self, clip_id: str, suffix: str) -> None:
        clip = self._clip(clip_id)
        self.page.export_motion(clip.motion, suffix, clip.character)

    def _remove(self, ids: Collection[str]) -> None:
        session = self.page.session
        label = "removing a clip" if len(ids) == 1 else f"removing {len(ids)} clips"
        session.change(session.document.without_clips(ids), label)


def _put(element: Element, parent: Element, place: int) -> None:
    """Bring an element to a place among its parent's children, if it is elsewhere."""
    children = parent.default_slot.children
    if not (place < len(children) and children[place] is element):
        element.move(parent, place)
