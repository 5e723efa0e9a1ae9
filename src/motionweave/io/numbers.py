"""Text full of numbers into an array and back, fast and exact to the last bit."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.runtime.kernels import kernel

# Powers of ten that a float64 holds exactly: a mantissa below 2**53 times or divided
# by one of them is rounded once, and so is the nearest float to the decimal number.
_POWERS = 10.0 ** np.arange(23)
# Odd tokens are checked this many at a time: in a broken file the first one ends it all.
_BATCH = 1024
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity|1\.#\w+)(\(\w*\))?", re.IGNORECASE)


@kernel(bare=True)
def _scan(text, powers, values, counts, odd):  # type: ignore[no-untyped-def]
    """Fill values, tokens per line, and (index, start, end) of tokens left to the caller.

    Returns how many of each there are.
    """
    size = len(text)
    tokens, lines, strange, on_line = 0, 0, 0, 0
    at = 0
    while at < size:
        c = text[at]
        if c == 10 or (c == 13 and not (at + 1 < size and text[at + 1] == 10)):
            counts[lines] = on_line
            lines += 1
            on_line = 0
            at += 1
            continue
        if c == 32 or (9 <= c <= 13):
            at += 1
            continue
        start = at
        negative = c == 45
        if c == 45 or c == 43:
            at += 1
        mantissa = np.int64(0)
        digits = 0
        exponent = 0
        plain = True
        while at < size and 48 <= text[at] <= 57:
            if mantissa < 100000000000000000:
                mantissa = mantissa * 10 + (text[at] - 48)
            else:
                plain = False
            digits += 1
            at += 1
        if at < size and text[at] == 46:
            at += 1
            while at < size and 48 <= text[at] <= 57:
                if mantissa < 100000000000000000:
                    mantissa = mantissa * 10 + (text[at] - 48)
                    exponent -= 1
                else:
                    plain = False
                digits += 1
                at += 1
        if digits > 0 and at < size and (text[at] == 101 or text[at] == 69):
            at += 1
            down = False
            if at < size and (text[at] == 45 or text[at] == 43):
                down = text[at] == 45
                at += 1
            power = 0
            places = 0
            while at < size and 48 <= text[at] <= 57:
                if power < 100000:
                    power = power * 10 + (text[at] - 48)
                places += 1
                at += 1
            if places == 0:
                plain = False
            exponent += -power if down else power
        if digits == 0 or (at < size and not (text[at] == 32 or 9 <= text[at] <= 13)):
            plain = False
            while at < size and not (text[at] == 32 or 9 <= text[at] <= 13):
                at += 1
        if plain and mantissa <= 9007199254740992 and -22 <= exponent <= 22:
            value = float(mantissa)
            value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
            values[tokens] = -value if negative else value
        else:
            odd[strange, 0] = tokens
            odd[strange, 1] = start
            odd[strange, 2] = at
            strange += 1
        tokens += 1
        on_line += 1
    if on_line > 0:
        counts[lines] = on_line
        lines += 1
    return tokens, lines, strange


class NotANumberError(ValueError):
    """A token that is not a finite number: its place in the row of numbers, and its text."""

    def __init__(self, index: int, token: bytes, *, not_finite: bool):
        super().__init__(index, token)
        self.index = index
        self.token = token.decode("utf-8", "replace")
        self.not_finite = not_finite


def parse_numbers(text: bytes) -> tuple[Array, NDArray[np.int64]]:
    """Numbers in a text, and how many there are on each line (0 for a blank one).

    Each number is the float64 nearest to what the text says. Lines end with LF, CR
    or CRLF. Anything that is not a finite number raises `NotANumberError`, whose ``index``
    counts numbers from 0.
    """
    data = np.frombuffer(text, dtype=np.uint8)
    # Room for the worst case; pages that stay untouched cost nothing.
    most = len(data) // 2 + 1
    values = np.empty(most)
    counts = np.empty(len(data) + 1, dtype=np.int64)
    odd = np.empty((most, 3), dtype=np.int64)
    tokens, lines, strange = _scan(data, _POWERS, values, counts, odd)
    for first in range(0, strange, _BATCH):
        for index, start, end in odd[first : min(first + _BATCH, strange)].tolist():
            values[index] = _one_number(text[start:end], index)
    return values[:tokens].copy(), counts[:lines].copy()


def _one_number(token: bytes, index: int) -> float:
    if _NUMBER.fullmatch(token):
        value = float(token)
        if np.isfinite(value):
            return value
        raise NotANumberError(index, token, not_finite=True)
    raise NotANumberError(index, token, not_finite=_NOT_FINITE.fullmatch(token) is not None)


def decimals(numbers: Iterable[float]) -> str:
    """The shortest decimals that give the same numbers again, without exponents."""
    text = " ".join(map(repr, numbers))
    if "e" not in text:
        return text
    return " ".join(np.format_float_positional(float(one), trim="0") for one in text.split())
