"""What the library warns about and refuses, as lines for people who type commands."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from motionweave.errors import MotionweaveError, Notice, QualityWarning, Remedy, with_remedies

# Placeholders for options whose value only the user can know.
_VALUES = {
    "anchors": "F1,F2",
    "at": "F1,F2",
    "ends": "ENDS",
    "enter": "FRAME",
    "events": "FILE",
    "frames": "A:B",
    "keep": "N=A:B",
    "leave": "FRAME",
    "overlap": "FRAMES",
}
# Remedies that are spelled differently on the command line.
_SPELLINGS = {("frames", "whole"): "--whole", ("outside", "nearest"): "--nearest"}


class Warned:
    """The library's warnings, each printed once on stderr and kept for the result."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        # The file that is being worked on, where there are several.
        self.about = ""
        self.messages: list[QualityWarning] = []
        self.notices: list[str] = []
        self._heard: set[tuple[str, str]] = set()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Collect the library's warnings within the context."""
        with warnings.catch_warnings():
            for kind in (QualityWarning, Notice):
                warnings.simplefilter("always", kind)
            others = warnings.showwarning

            def heard(message: Warning | str, category: type[Warning], *rest: Any) -> None:
                if isinstance(message, QualityWarning):
                    self._tell(message)
                elif isinstance(message, Notice):
                    self._note(str(message))
                else:
                    others(message, category, *rest)

            warnings.showwarning = heard  # type: ignore[assignment]
            yield

    def repeat(self, messages: Iterable[QualityWarning], notices: Iterable[str]) -> None:
        """Print the warnings of another process."""
        for message in messages:
            self._tell(message)
        for notice in notices:
            self._note(notice)

    def _tell(self, message: QualityWarning) -> None:
        if (self.about, str(message)) in self._heard:
            return
        self._heard.add((self.about, str(message)))
        self.messages.append(message)
        if not self.quiet:
            text = _named(self.about, in_words(message))
            print(f"motionweave: warning: {text}", file=sys.stderr)

    def _note(self, notice: str) -> None:
        """Print notices: things that the user may not expect, although nothing is wrong."""
        if notice not in self.notices:
            self.notices.append(notice)
            if not self.quiet:
                print(f"motionweave: {notice}", file=sys.stderr)

    def as_data(self) -> list[dict[str, Any]]:
        """The warnings as plain values, for JSON."""
        return [
            {
                "message": in_words(message),
                **{
                    name: getattr(message.finding, name)
                    for name in ("kind", "frame", "joint", "value", "limit")
                    if hasattr(message.finding, name)
                },
            }
            for message in self.messages
        ]


def told(error: MotionweaveError | OSError, about: str = "") -> str:
    """An error as a line for the user.

    Parameters
    ----------
    error
        What went wrong.
    about
        The file that it concerns, added unless the message names it.
    """
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return _named(about, f"{place}{error.strerror or error}")
    return _named(about, in_words(error))


def _named(about: str, message: str) -> str:
    """A message that names the file it is about."""
    return message if not about or about in message else f"{about}: {message}"


def in_words(said: MotionweaveError | QualityWarning) -> str:
    """A message whose remedies are options of the command line, not of the API."""
    if not said.remedies:
        return str(said)
    return with_remedies(said.reason, [_flag(remedy) for remedy in said.remedies])


def _flag(remedy: Remedy) -> str:
    """A remedy as it is typed on the command line."""
    if remedy.value is None and remedy.option in _VALUES:
        return f"{remedy.as_flag()} {_VALUES[remedy.option]}"
    return _SPELLINGS.get((remedy.option, str(remedy.value)), remedy.as_flag())
