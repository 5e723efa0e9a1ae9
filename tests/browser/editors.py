"""What tests of single screens do: slide, and ask an editor where its handles are."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Studio


def slide(studio: Studio, label: str, value: float) -> None:
    """Set a slider of the screen that is open, as a drag to that value would."""
    field = studio.page.locator(f'input[aria-label="{label}"] >> visible=true')
    field.evaluate(
        "(field, value) => { field.value = value;"
        " for (const name of ['input', 'change']) field.dispatchEvent(new Event(name)); }",
        value,
    )


def ask(studio: Studio, css: str, call: str) -> Any:
    """What a call to one of the studio's own editors gives, such as ``handleAt('1:2')``."""
    return studio.page.locator(f"{css} >> visible=true").first.evaluate(
        f"(element) => element.editor.{call}"
    )
