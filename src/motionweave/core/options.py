"""Options that are one of a few words."""

from __future__ import annotations

from typing import Any, get_args

from motionweave.errors import MotionError, MotionweaveError


def check_choice(
    value: object, choices: Any, option: str, error: type[MotionweaveError] = MotionError
) -> None:
    """Raise ``error`` unless ``value`` is one of the words of the ``Literal`` type ``choices``.

    Parameters
    ----------
    value
        What was given.
    choices
        ``Literal["a", "b"]``; the message lists its words.
    option
        The name of the option, for the message.
    error
        Which error to raise.

    Examples
    --------
    >>> from typing import Literal
    >>> check_choice("left", Literal["left", "right"], "side")
    """
    words = get_args(choices)
    # Arrays would compare each of their values.
    if not isinstance(value, str | bool | int) or value not in words:
        listed = ", ".join(repr(word) for word in words[:-1])
        raise error(f"{option}={value!r}: expected {listed} or {words[-1]!r}")
