"""Which skeleton (ASF) belongs to which take (AMC), by names and folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from motionweave.errors import FormatError

Found = TypeVar("Found")


def find_asf(path: Path) -> Path:
    """The skeleton of a take among those beside it, see `skeleton_for`."""
    found = _candidates(path)
    chosen = skeleton_for(path.stem, {one.stem: one for one in reversed(found)})
    if chosen is not None:
        return chosen
    if not found:
        raise FormatError(
            "there is no ASF skeleton beside it: put one there, or name one with --option asf=FILE "
            "(asf= in Python)",
            path,
        )
    names = ", ".join(one.name for one in found[:8])
    raise FormatError(
        f"several ASF skeletons are beside it ({names}): name one with --option asf=FILE "
        "(asf= in Python)",
        path,
    )


def skeleton_for(take: str, skeletons: Mapping[str, Found]) -> Found | None:
    """The skeleton of a take: of the same name, of the name's beginning, or the only one.

    Folders of many takes have one skeleton per actor: ``16.asf`` for ``16_15.amc``.

    Parameters
    ----------
    take
        The take's name without its suffix.
    skeletons
        The candidates, by such names.
    """
    if len(skeletons) == 1:
        return next(iter(skeletons.values()))
    known = {name.lower(): one for name, one in skeletons.items()}
    stem = take.lower()
    for end in range(len(stem), 0, -1):
        # Cut where a word ends: "160_1" does not belong to "16".
        if (end == len(stem) or not stem[end].isalnum()) and stem[:end] in known:
            return known[stem[:end]]
    return None


def _candidates(path: Path) -> list[Path]:
    return sorted(one for one in path.parent.iterdir() if one.suffix.lower() == ".asf")


def sibling(path: Path, suffix: str) -> Path | None:
    """The file of the same name with another suffix, if there is one."""
    for one in path.parent.iterdir():
        if one.stem == path.stem and one.suffix.lower() == suffix:
            return one
    return None


def place_for(text: str, path: Path) -> Path | None:
    """Where to write the skeleton of a take; None if it already exists."""
    try:
        there = find_asf(path)
        if there.read_bytes() == text.encode():
            return None
    except FormatError:
        pass
    return path.with_suffix(".asf")
