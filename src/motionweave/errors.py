"""The few kinds of error that motionweave raises on purpose.

Every one of them is caused by what the user gave (a file, weights, clips) and
carries one message that says what is wrong, where, and what to do about it.
Anything else that escapes the library is a bug.
"""

from __future__ import annotations

from pathlib import Path


class MotionweaveError(Exception):
    """Base of all errors that a user can act on."""


class FormatError(MotionweaveError):
    """A file could not be understood, or a motion cannot be put into a format.

    Parameters
    ----------
    reason
        What was found and what was expected.
    path
        The file, if there is one.
    line
        1-based line number, where the format has lines.
    """

    def __init__(self, reason: str, path: str | Path | None = None, line: int | None = None):
        self.reason = reason
        self.path = None if path is None else str(path)
        self.line = line
        place = ""
        if self.path is not None:
            place = self.path if line is None else f"{self.path}, line {line}"
        elif line is not None:
            place = f"line {line}"
        super().__init__(f"{place}: {reason}" if place else reason)


class MotionError(MotionweaveError):
    """Arrays, frames or names that do not make a motion or do not fit it."""


class RigError(MotionweaveError):
    """A skeleton lacks a joint role that a feature needs, or two skeletons differ."""


class RegistrationError(MotionweaveError):
    """Clips that cannot be brought into correspondence."""


class BlendError(MotionweaveError):
    """Weights, parameters or a place on the curve that cannot be blended."""


class WarpError(MotionweaveError):
    """Keys or goals that cannot be applied to a motion."""


class LibraryError(MotionweaveError):
    """A library of clips that cannot be opened, written, or answer what is asked."""


class MissingDependencyError(MotionweaveError):
    """An optional package is needed; the message holds the install command."""

    def __init__(self, feature: str, extra: str):
        super().__init__(f"{feature} needs an optional package: pip install 'motionweave[{extra}]'")


class QualityWarning(UserWarning):
    """The result is usable, but something about the input or the result is doubtful.

    Parameters
    ----------
    message
        What, where, and what would help.
    finding
        The `Finding` of the self-check that it is about, if it comes from there.
    """

    def __init__(self, message: str, finding: object | None = None):
        super().__init__(message)
        self.finding = finding


class RetargetNotice(UserWarning):
    """Clips of different bodies were combined, so one was put on the other's skeleton."""
