"""Take the pictures of the studio tour: ``python docs/screenshots.py [SCREEN ...]``.

Starts the studio with the built-in clips, opens its screens in a browser without a window, and
takes a picture of each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from pictures import IMAGES, small

SIZE = {"width": 1360, "height": 850}
PATIENCE = 120_000
# WebGL without a graphics card.
FLAGS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--ignore-gpu-blocklist",
]


def main(chosen: list[str]) -> None:
    """Take the pictures of these screens, or of all."""
    from motionweave.studio.screens import SCREENS

    browser = os.environ.get("MOTIONWEAVE_BROWSER") or next(
        filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None
    )
    studio = subprocess.Popen(
        [sys.executable, "-m", "motionweave", "studio", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert studio.stdout is not None
        address = studio.stdout.readline().split()[-1]
        with sync_playwright() as tool:
            opened = tool.chromium.launch(executable_path=browser, args=FLAGS)
            page = opened.new_page(viewport=SIZE)
            page.set_default_timeout(PATIENCE)
            page.goto(f"{address}?fine")
            _settle(page)
            for number, screen in enumerate(SCREENS, start=1):
                if chosen and screen.name not in chosen:
                    continue
                page.keyboard.press(str(number))
                page.wait_for_timeout(3000)
                _settle(page)
                page.evaluate("{const v = motionweave.viewport; v.playing = false; v.seek(1.0)}")
                page.wait_for_timeout(1500)
                path = IMAGES / "studio" / f"{screen.name}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=path)
                small(path, colours=256)
                print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
            opened.close()
    finally:
        studio.terminate()
        studio.communicate(timeout=20)


def _settle(page: Page) -> None:
    """Wait until there is something to see and nothing more is being made."""
    page.wait_for_function("window.motionweave?.viewport?.state().count > 0", timeout=PATIENCE)
    page.wait_for_timeout(2000)


if __name__ == "__main__":
    main(sys.argv[1:])
