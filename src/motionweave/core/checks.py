"""One gate for values: numbers, counts, rates, names and arrays, from files and from callers.

Values that pass here can be written by every writer and used by every method. The limits are far
beyond any character, but low enough that no file can exhaust the machine.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.errors import FormatError, MotionError, MotionweaveError

# A character has some hundred joints; crowds of props a few thousand.
MOST_JOINTS = 20_000
# Joints from the root to a tip. Formats that name a joint by its whole path grow with it.
DEEPEST = 1_000
# Four and a half hours at 120 fps.
MOST_FRAMES = 2_000_000
# Frames times joints that any file may contain; beyond that, one per byte.
MOST_SAMPLES = 2_000_000
LONGEST_NAME = 1_000
# Lengths and angles beyond this are damage: float64 keeps a micrometre at a million kilometres.
LARGEST = 1e9
# What other units and 32 bits may have added to the largest value there is, as a share of it.
_ROUNDED = 1e-6
SLOWEST, FASTEST = 0.1, 10_000.0

# Control characters (but tabs) end lines or texts in some format, and lone surrogates cannot
# be written.
_UNWRITABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = 60
_brief.maxlist = _brief.maxtuple = _brief.maxdict = _brief.maxset = 4
_brief.maxlevel = 3


def shown(value: Any) -> str:
    """A value for a message: short, whatever it is."""
    return _brief.repr(value)[:200]


def counted(number: int, what: str) -> str:
    """A number of things for a message, such as ``"1 frame"`` or ``"2 frames"``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown ``name``: known names that are spelt alike, if any."""
    import difflib  # Only errors need it.

    near = difflib.get_close_matches(name, known[:1000], n=3, cutoff=0.4)
    return f"; did you mean {', '.join(near)}?" if near else ""


def number(value: Any, what: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    """A finite number from ``low`` to ``high``; `MotionError` says what was expected.

    Parameters
    ----------
    value
        What was given: an int, a float, or an array that holds one.
    what
        Its name, for the message.
    low, high
        The range.
    """
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0:
        value = value.item()
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    # Also false for NaN; and integers of any size can be compared.
    if not plain or not low <= value <= high:
        raise MotionError(f"{what} {shown(value)}: expected a number from {low:g} to {high:g}")
    return float(value)


def whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``; see `number`."""
    exact = number(value, what, low, high)
    if exact != int(exact):
        raise MotionError(f"{what} {shown(value)}: expected a whole number")
    return int(exact)


def rate(value: Any, what: str = "frame rate") -> float:
    """Frames per second; see `number`."""
    return number(value, what, SLOWEST, FASTEST)


def array(value: Any, what: str, shape: tuple[int | None, ...], largest: float = LARGEST) -> Array:
    """Finite numbers in an array of a shape, as float64; `MotionError` says what is wrong.

    Parameters
    ----------
    value
        Anything that NumPy can convert to numbers.
    what
        Its name, for the message.
    shape
        The length of each axis, None for any.
    largest
        The largest magnitude.
    """
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "fiu" and numbers.size:
            raise TypeError
        # NaN of some kinds are noticed here; all of them are refused below.
        with np.errstate(invalid="ignore"):
            numbers = numbers.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"{what}: expected numbers, got {shown(value)}") from None
    if numbers.size == 0 and 0 in shape:
        # An empty list has no second axis.
        numbers = numbers.reshape([0 if n is None else n for n in shape])
    fits = numbers.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, numbers.shape, strict=True)
    )
    if not fits:
        expected = ", ".join("n" if n is None else str(n) for n in shape)
        raise MotionError(f"{what}: expected shape ({expected}), got {numbers.shape}")
    if numbers.size:
        low, high = float(numbers.min()), float(numbers.max())
        # Comparisons are false for NaN, which min and max pass on.
        most = largest * (1.0 + _ROUNDED)
        if not -most <= low <= high <= most:
            finite = bool(np.all(np.isfinite(numbers)))
            reason = f"no larger than {largest:g}" if finite else "finite"
            raise MotionError(f"{what}: every value must be {reason}")
        if not -largest <= low <= high <= largest:
            numbers = np.clip(numbers, -largest, largest)
    return numbers


def indices(value: Any, what: str, shape: tuple[int | None, ...], low: int, high: int) -> Any:
    """Whole numbers from ``low`` to ``high`` in an array of a shape; see `array`."""
    numbers = array(value, what, shape)
    found: NDArray[np.intp] = numbers.astype(np.intp)
    if numbers.size and not (
        np.all(found == numbers) and low <= found.min() <= found.max() <= high
    ):
        raise MotionError(f"{what}: expected whole numbers from {low} to {high}")
    return found


def name(value: Any, what: str) -> str:
    """A name that every format can store; see `clean_name` for one from a file."""
    if not isinstance(value, str) or not value.strip():
        raise MotionError(f"{what}: expected a name, got {shown(value)}")
    if len(value) > LONGEST_NAME:
        raise MotionError(f"{what}: a name of {len(value)} characters; at most {LONGEST_NAME}")
    if _UNWRITABLE.search(value):
        raise MotionError(f"{what} {shown(value)}: a name must not contain control characters")
    return value


def clean_name(value: str, otherwise: str) -> str:
    """A name as a file has it, without what no line of text can hold; ``otherwise`` if nothing
    is left of it."""
    return _UNWRITABLE.sub("_", value).strip() or otherwise


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


def path_of(value: Any) -> Path:
    """A valid path; `FormatError` otherwise."""
    if not isinstance(value, str | os.PathLike):
        raise FormatError(f"expected the name of a file, got {shown(value)}")
    path = Path(value)
    if "\0" in str(path):
        raise FormatError(f"no file can be named {shown(str(path))}")
    try:
        path.exists()
    except OSError as error:
        raise FormatError(f"no file can have this name: {error.strerror or error}", path) from None
    return path


def words(values: Any, what: str) -> tuple[str, ...]:
    """Names, each of them checked."""
    try:
        given = None if isinstance(values, str) else tuple(values)
    except TypeError:
        given = None
    if given is None:
        raise MotionError(f"{what}: expected a list of names, got {shown(values)}")
    return tuple(name(one, what) for one in given)


def size(frames: int, joints: int, stored: int) -> None:
    """Refuse a motion that is larger than a file of ``stored`` bytes can contain."""
    if joints > MOST_JOINTS:
        raise MotionError(f"{joints} joints; at most {MOST_JOINTS} can be read")
    if frames > MOST_FRAMES:
        raise MotionError(f"{frames} frames; at most {MOST_FRAMES} can be read")
    if frames * joints > MOST_SAMPLES + stored:
        raise MotionError(
            f"{frames} frames of {joints} joints are more than a file of this size can contain"
        )


def depth(parents: Sequence[int]) -> int:
    """The number of joints from the root to the deepest tip."""
    levels = [1] * len(parents)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            levels[joint] = levels[parent] + 1
    return max(levels, default=0)
