"""Files that hold several animations, or none."""

from __future__ import annotations

from collections.abc import Sequence

_LISTED = 8


def unasked(names: Sequence[str], taken: int) -> list[str]:
    """Warnings about a file that was read without anyone saying which animation is wanted.

    Parameters
    ----------
    names
        Of all animations in the file.
    taken
        The number of the one that was read.
    """
    if not names:
        return ["there is no animation; this is the rest pose"]
    if len(names) == 1:
        return []
    which = "the first" if taken == 0 else repr(names[taken])
    return [
        f"{which} of {len(names)} animations ({', '.join(names[:_LISTED])}); choose with "
        "animation= (--option animation=NAME)"
    ]
