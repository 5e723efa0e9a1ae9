"""Where a browser to test with is; as a program, whether there is one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)


def find_browser() -> str | None:
    """An installed Chromium or Chrome; None to let Playwright use its own."""
    given = os.environ.get("MOTIONWEAVE_BROWSER")
    if given:
        return given
    found = next((path for name in _INSTALLED if (path := shutil.which(name))), None)
    return found or next((place for place in _PLACES if Path(place).exists()), None)


def downloaded() -> bool:
    """Whether Playwright has fetched a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        return Path(tool.chromium.executable_path).exists()


if __name__ == "__main__":
    sys.exit(0 if find_browser() or downloaded() else 1)
