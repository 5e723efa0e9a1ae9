"""What is asked of a search beside its examples: in which clips, how near, how many."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core import checks
from motionweave.errors import LibraryError
from motionweave.library.index.features import TRACKED
from motionweave.library.index.reading import words
from motionweave.library.index.snapshot import Index

# The least and largest value of a measure; None for any.
Range = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Query:
    """What is asked of a search beside its examples.

    Parameters
    ----------
    most
        The largest number of matches.
    limit
        The largest distance, in leg lengths; None for any, or to decide by kind.
    alike
        How much of what sets an example apart a match of its kind must share, 0 to 1; None to
        decide by kind.
    roles
        Which part of the body is compared.
    among
        ``(clips,)`` which clips to search; None for all.
    """

    most: int
    limit: float | None = None
    alike: float | None = None
    roles: Sequence[str] = TRACKED
    among: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.alike is not None:
            checks.number(self.alike, "alike", 0.0, 1.0)


def chosen(
    index: Index,
    text: str,
    measures: Mapping[str, Range] | None,
    rigs: Collection[str] = (),
) -> NDArray[np.bool_] | None:
    """Which clips ``(clips,)`` have the requested words, measures and rigs; None if none are
    requested."""
    index.check()
    if not text and not measures and not rigs:
        return None
    wanted = words(text)
    fitting = np.ones(len(index), dtype=bool)
    for number, entry in enumerate(index.entries):
        said = index.words.get(entry.id, set())
        fits = all(any(one.startswith(word) for one in said) for word in wanted)
        fits = fits and (not rigs or entry.rig in rigs)
        for name, (low, high) in (measures or {}).items():
            if name not in entry.measures:
                known = ", ".join(entry.measures)
                raise LibraryError(f"there is no measure {name!r}; there are: {known}")
            value = entry.measures[name]
            fits = fits and (low is None or value >= low) and (high is None or value <= high)
        fitting[number] = fits
    return fitting


def kind_of(index: Index, text: str) -> NDArray[np.bool_]:
    """Which clips ``(clips,)`` are meant by a path or by words."""
    number = index.number(text)
    if number is not None:
        return np.asarray(np.arange(len(index)) == number)
    among = chosen(index, text, None)
    if among is None or not among.any():
        raise LibraryError(f"{text!r}: no clip of the library has that path or these words")
    return among
