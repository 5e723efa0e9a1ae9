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

    The text must end with white space. Returns how many of each there are.
    """
    tokens, lines, strange, on_line = 0, 0, 0, 0
    # Of a token: where it begins and where a sign may stand, and whether we are before its point
    # (0), behind it (1) or behind an e (2).
    start, sign_at, part = 0, 0, 0
    mantissa, digits, places, power, power_digits = 0, 0, 0, 0, 0
    plain, negative, down = True, False, False
    for at in range(len(text)):
        c = int(text[at])
        if 48 <= c <= 57:
            if part == 2:
                power_digits += 1
                if power_digits <= 9:
                    power = power * 10 + (c - 48)
            else:
                digits += 1
                places += part
                # More would overflow.
                if digits <= 18:
                    mantissa = mantissa * 10 + (c - 48)
        elif c == 32 or 9 <= c <= 13:
            if at > start:
                exponent = -power - places if down else power - places
                plain = plain and 0 < digits <= 18 and (0 if part < 2 else 1) <= power_digits <= 9
                if plain and mantissa <= 9007199254740992 and -22 <= exponent <= 22:
                    value = float(mantissa)
                    value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
                    values[tokens] = -value if negative else value
                else:
                    odd[strange, 0], odd[strange, 1], odd[strange, 2] = tokens, start, at
                    strange += 1
                tokens += 1
                on_line += 1
                part, mantissa, digits, places, power, power_digits = 0, 0, 0, 0, 0, 0
                plain, negative, down = True, False, False
            start = sign_at = at + 1
            if c == 10 or (c == 13 and text[at + 1] != 10):
                counts[lines] = on_line
                lines += 1
                on_line = 0
        elif c == 46 and part == 0:
            part = 1
        elif (c == 101 or c == 69) and part < 2 and digits > 0:
            part, sign_at = 2, at + 1
        elif (c == 45 or c == 43) and at == sign_at:
            if part < 2:
                negative = c == 45
            else:
                down = c == 45
        else:
            plain = False
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
    # A space ends the last number.
    data = np.frombuffer(text + b" ", dtype=np.uint8)
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
