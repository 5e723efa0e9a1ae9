"""Whether clips repeat themselves, for tests of more than one package."""

from __future__ import annotations

from motionweave import Motion
from motionweave.registration.cycles import repetition


def surely_repeats(motion: Motion) -> bool:
    """Whether a clip surely contains more than one cycle of a repeating motion, or is one."""
    found = repetition(motion)
    return found is not None and found.sure
