"""The few kinds of error that motionweave raises on purpose.

Every one of them is caused by what the user gave (a file, weights, clips) and
carries one message that says what is wrong, where, and what to do about it.
Anything else that escapes the library is a bug.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Remedy:
    """A setting that would help, as data, so that each interface can phrase it in its own way.

    Parameters
    ----------
    option
        The parameter's name in the API, such as ``slope_limit``.
    value
        The value to set; None if the user has to choose it.
    """

    option: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.option}=..." if self.value is None else f"{self.option}={self.value!r}"

    def as_flag(self) -> str:
        """The same as an option of the command line."""
        flag = "--" + self.option.replace("_", "-")
        if self.value is None or self.value is False:
            return flag
        return flag if self.value is True else f"{flag} {self.value}"


class Kind(Enum):
    """What an error or a warning is about, as data: for interfaces that have something of their
    own to say about it or to offer, whatever the words of the message are."""

    #: Clips of which one is too long to match the other from end to end.
    ENDS_DIFFER = "ends differ"
    #: Clips without a stretch on which they match.
    NO_STRETCH = "no stretch"
    #: A clip that does not repeat itself.
    NO_CYCLE = "no cycle"
    #: A clip with too few frames.
    TOO_SHORT = "too short"
    #: A place where a transition has no room.
    NO_ROOM = "no room"
    #: Two seams of a sequence of which one begins before the other ends.
    SEAMS_MEET = "seams meet"
    #: A frame that is a T-pose, and no part of the motion.
    T_POSE = "T-pose"
    #: Bodies that do not correspond, such as those of a dog and a person.
    OTHER_BODY = "other body"
    #: A registration that doubts itself.
    DOUBTFUL_MATCH = "doubtful match"
    #: Feet that were not planted, because that would make the motion worse.
    FEET_LEFT_ALONE = "feet left alone"


class MotionweaveError(Exception):
    """Base of all errors that a user can act on.

    Parameters
    ----------
    reason
        What is wrong, and where.
    remedies
        Settings that would help; the message ends with them.
    kind
        What it is about, if interfaces treat that in a way of their own.
    """

    def __init__(self, reason: str = "", remedies: Sequence[Remedy] = (), kind: Kind | None = None):
        self.kind = kind
        self.reason = reason
        self.remedies = tuple(remedies)
        super().__init__(with_remedies(reason, [str(remedy) for remedy in self.remedies]))


def with_remedies(reason: str, remedies: Sequence[str]) -> str:
    """A message that ends with the remedies."""
    return f"{reason}; use {' or '.join(remedies)}" if remedies else reason


class FormatError(MotionweaveError):
    """A file could not be read, or a motion cannot be written in a format.

    Parameters
    ----------
    reason
        What was found and what was expected.
    path
        The file, if there is one.
    line
        1-based line number, if the format has lines.
    """

    def __init__(self, reason: str, path: str | Path | None = None, line: int | None = None):
        self.path = None if path is None else str(path)
        self.line = line
        place = ""
        if self.path is not None:
            place = self.path if line is None else f"{self.path}, line {line}"
        elif line is not None:
            place = f"line {line}"
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason


class MotionError(MotionweaveError):
    """Arrays, frames or names that do not make a motion or do not fit it."""


class RigError(MotionweaveError):
    """A skeleton lacks a joint role that a feature needs, or two skeletons differ."""


class RegistrationError(MotionweaveError):
    """Clips that cannot be matched."""


class BlendError(MotionweaveError):
    """Weights, parameters or a place on the curve that cannot be blended."""


class WarpError(MotionweaveError):
    """Keys or goals that cannot be applied to a motion."""


class LibraryError(MotionweaveError):
    """A library of clips that cannot be opened or written, or cannot do what was asked."""


class MissingDependencyError(MotionweaveError):
    """An optional package is needed; the message gives the install command."""

    def __init__(self, feature: str, extra: str):
        super().__init__(f"{feature} needs an optional package: pip install 'motionweave[{extra}]'")


class QualityWarning(UserWarning):
    """The result is usable, but something about the input or the result is doubtful.

    Parameters
    ----------
    reason
        What is doubtful, and where.
    finding
        The `Finding` of the self-check that caused it, if any.
    remedies
        Settings that would help; the message ends with them.
    kind
        What it is about, if interfaces treat that in a way of their own.
    """

    def __init__(
        self,
        reason: str = "",
        finding: object | None = None,
        remedies: Sequence[Remedy] = (),
        kind: Kind | None = None,
    ):
        self.kind = kind
        self.reason = reason
        self.finding = finding
        self.remedies = tuple(remedies)
        super().__init__(with_remedies(reason, [str(remedy) for remedy in self.remedies]))


class Notice(UserWarning):
    """Something was decided for the user that is worth knowing; nothing is wrong.

    Parameters
    ----------
    reason
        What was decided, and why.
    kind
        What it is about, if interfaces treat that in a way of their own.
    """

    def __init__(self, reason: str = "", kind: Kind | None = None):
        self.kind = kind
        super().__init__(reason)


class RetargetNotice(Notice):
    """Clips of different bodies were combined, so one was retargeted to the other's skeleton."""
