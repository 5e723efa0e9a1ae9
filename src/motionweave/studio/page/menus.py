"""Menus that more than one part of the page has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from motionweave.studio.files.export import Choices, choices
from motionweave.studio.ui.widgets import Options


def export_options(choose: Callable[[str], None]) -> Options:
    """All that can be exported, as a menu shows it; ``choose`` gets the suffix."""

    def options(offered: Choices) -> Options:
        return {
            label: partial(choose, what) if isinstance(what, str) else options(what)
            for label, what in offered.items()
        }

    return options(choices())
