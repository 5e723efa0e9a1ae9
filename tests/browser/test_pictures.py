"""Every screen in both themes: they draw something, and fit the window.

With MOTIONWEAVE_PICTURES the dark ones are kept, as the pictures of the studio tour, in the
folder that it names; `make pictures` does that.
"""

from __future__ import annotations

import io
import os
import runpy
from pathlib import Path

import numpy as np
import pytest

from motionweave.studio.screens import SCREENS
from tests.browser.conftest import Studio

DOCS = Path(__file__).parents[2] / "docs"

# Nothing of the page may need scrolling, and no two of its parts may overlap.
OVERFLOW = """() => {
  const root = document.documentElement;
  const parts = ['.mw-header', '.mw-shelf', '.mw-main', '.mw-panel'].map((s) => document.querySelector(s).getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  return root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight
    && parts.every((a, i) => parts.every((b, j) => i === j || apart(a, b)));
}"""  # noqa: E501


def keep(name: str, picture: bytes) -> None:
    folder = os.environ.get("MOTIONWEAVE_PICTURES")
    if folder:
        path = Path(folder, f"{name}.png")
        path.write_bytes(picture)
        runpy.run_path(str(DOCS / "pictures.py"))["small"](path, colours=256)


@pytest.mark.parametrize("screen", [screen.title for screen in SCREENS if screen.first])
def test_every_screen_fills_the_window(studio: Studio, screen: str) -> None:
    image = pytest.importorskip("PIL.Image")
    studio.screen(screen)
    studio.pause(1.0)
    assert "skating" in studio.page.locator(".mw-figures").inner_text()
    assert studio.page.evaluate(OVERFLOW)
    pictures = []
    for theme in ("dark", "light"):
        assert studio.page.evaluate(f"document.body.classList.contains('body--{theme}')")
        studio.pixels()
        picture = studio.page.screenshot()
        if theme == "dark":
            keep(screen.lower(), picture)
        pictures.append(np.asarray(image.open(io.BytesIO(picture)).convert("L"), dtype=float))
        studio.click('.mw-icon[title^="Dark or light"]')
        studio.settle()
    dark, light = pictures
    assert light.mean() > dark.mean() + 60
    # The character stands out against the floor.
    stage = dark[60:400, 240:970]
    assert stage.max() > 150
    assert stage.std() > 8


def test_it_is_readable_on_a_large_screen(studio: Studio) -> None:
    studio.page.set_viewport_size({"width": 2560, "height": 1440})
    studio.wait("parseFloat(getComputedStyle(document.documentElement).fontSize) > 16")
    assert studio.page.evaluate(OVERFLOW)
    studio.page.set_viewport_size({"width": 1280, "height": 720})
    studio.wait("parseFloat(getComputedStyle(document.documentElement).fontSize) < 14")
    assert studio.page.evaluate(OVERFLOW)
