"""Tabs: each shows the one document, and one that is closed leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the studio is not installed")

from nicegui import core, ui
from nicegui.client import Client

from motionweave.clips import save
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import FormatError
from motionweave.samples.clips import sample
from motionweave.studio.files import export
from motionweave.studio.page.page import Page
from motionweave.studio.server.app import build
from motionweave.studio.ui.dragging import CLIP, FOUND, MADE
from motionweave.studio.workspace import Workspace


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    one = Workspace.open()
    build(one)
    return one


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


def opened(workspace: Workspace) -> tuple[Client, Page]:
    client = Client(ui.page("/tested"), request=None)
    with client:
        page = Page(workspace, "dark")
        page.build()
    return client, page


def run(main: Callable[[], Any]) -> None:
    async def started() -> None:
        core.loop = asyncio.get_running_loop()
        await main()

    asyncio.run(started())


def test_a_tab_closed_in_mid_work_ends_the_work_and_is_forgotten(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[object] = []

    async def main() -> None:
        gone, ended = await left_in_mid_work()
        await until(ended.is_set)
        await until(lambda: gc.collect() is not None and not any(one() for one in gone))
        assert workspace.session._listeners == []

    async def left_in_mid_work() -> tuple[list[weakref.ref[Any]], threading.Event]:
        client, page = opened(workspace)
        await until(lambda: page.result)
        begun, ended = threading.Event(), threading.Event()

        def work() -> None:
            try:
                while True:
                    begun.set()
                    checkpoint()
            finally:
                ended.set()

        page.showing._latest.submit(work, done.append)
        await until(begun.is_set)
        client.delete()
        return [weakref.ref(one) for one in (client, page, page.viewport)], ended

    with caplog.at_level(logging.WARNING):
        run(main)
    assert done == []
    assert caplog.records == []


def test_two_tabs_may_look_at_two_screens_of_one_document(workspace: Workspace) -> None:
    async def main() -> None:
        (first, one), (second, other) = opened(workspace), opened(workspace)
        with second:
            other.open("warp")
        await until(lambda: one.result and other.result)
        made = one.result
        with first:
            one.screens["blend"].change("weights", weights=(1.0, 0.0, 0.0))
        await until(lambda: one.result is not made)
        assert one.active.name == "blend"
        assert other.active.name == "warp"
        assert other.screens["blend"].settings.weights == (1.0, 0.0, 0.0)
        assert workspace.session.undo()
        assert one.screens["blend"].settings == other.screens["blend"].settings
        for client in (first, second):
            client.delete()

    run(main)


def test_an_export_that_fails_says_why_until_another_one_succeeds(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> tuple[bytes, str]:
        raise FormatError("there is no Blender", "/tmp/somewhere/walk.fbx")

    async def main() -> None:
        client, page = opened(workspace)
        with client:
            await page.showing.rest()
            with monkeypatch.context() as patched:
                patched.setattr(export, "to_file", fails)
                page.export(".fbx")
                await until(lambda: "could not" in page._message.text)
            said = page._message.text
            assert said.endswith(".fbx could not be written: there is no Blender")
            assert "somewhere" not in said
            page.export(".bvh")
            await until(lambda: page._message.text == "")
        client.delete()

    run(main)


def test_what_was_made_before_is_shown_again_at_once(workspace: Workspace) -> None:
    async def main() -> None:
        client, page = opened(workspace)
        with client:
            await page.showing.rest()
            made = page.result
            page.screens["blend"].change("weights", weights=(0.0, 1.0, 0.0))
            await page.showing.rest()
            assert made is not None
            assert page.result is not made
            assert workspace.session.undo()
            assert page.result is made
            page.open("transition")
            await page.showing.rest()
            page.open("blend")
            assert page.result is made
            await page.showing.rest()
        client.delete()

    run(main)


def test_a_result_is_put_in_the_sequence_as_one_step_also_from_another_screen(
    workspace: Workspace,
) -> None:
    session = workspace.session

    def blocks() -> list[str]:
        names = {clip.id: clip.name for clip in session.document.clips}
        return [names[clip] for clip in session.settings("sequence").clips]

    async def main() -> None:
        client, page = opened(workspace)
        with client:
            await page.showing.rest()
            before, made = session.document, page.result
            assert made is not None
            page._key("a")
            name = session.document.clips[-1].name
            assert blocks() == ["walk", "jog", "sneak", name]
            assert session.document.clips[-1].original is made.motion
            # It is known by now, and dropped from another screen it is still what it was.
            page.open("sequence")
            page.placing.to_sequence(MADE, "blend", 0)
            assert blocks() == [name, "walk", "jog", "sneak", name]
            assert len(session.document.clips) == len(before.clips) + 1
            # Of a screen that has made nothing yet nothing is taken.
            page.placing.to_sequence(MADE, "framespace")
            page.placing.to_sequence(FOUND, "library:3")
            page.placing.to_sequence(CLIP, "c1000")
            assert len(blocks()) == 5
            assert session.undo()
            assert session.undo()
            assert session.document is before
            await page.showing.rest()
        client.delete()

    run(main)


def test_a_page_opens_on_a_screen_that_has_something_to_show(tmp_path: Path) -> None:
    save(sample("walk"), tmp_path / "walk.bvh")

    async def main() -> None:
        for paths, name in (((), "blend"), ((tmp_path / "walk.bvh",), "warp")):
            client, page = opened(Workspace.open(paths))
            assert page.active.name == name
            client.delete()
        # Without any clip there is nothing to show anywhere.
        client, page = opened(Workspace())
        assert page.active.name == "blend"
        client.delete()

    run(main)
