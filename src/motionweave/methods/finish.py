"""How every method ends: feet planted where that helps, and the result checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from motionweave.contacts.clean.footskate import clean_feet
from motionweave.core.motion import Motion
from motionweave.errors import QualityWarning
from motionweave.measure.check import Finding, check


def finished(
    result: Motion,
    clips: Sequence[Motion],
    *,
    clean: bool,
    plant: Callable[[Motion], Motion] | None = None,
    stacklevel: int = 3,
) -> Motion:
    """Plant the feet of a result, check it against its clips, and warn about what is found.

    Planting that makes something worse is not applied, and a warning says so.

    Parameters
    ----------
    result
        What the method made.
    clips
        The clips that it was made of, on the same skeleton.
    clean
        Whether to plant the feet.
    plant
        How to plant them: in the whole motion by default.
    stacklevel
        Whose line the warnings name, as in `warnings.warn`.

    Returns
    -------
    Motion
    """
    found = check(result, clips)
    if clean:
        # What is left of sliding and jerks is seen by the check below.
        planted = clean_feet(result, warn=False) if plant is None else plant(result)
        left = check(planted, clips)
        worse = _new_faults(found, left)
        if worse:
            message = f"feet are not planted, as that would do harm: {worse[0]}"
            warnings.warn(QualityWarning(message, worse[0]), stacklevel=stacklevel)
        else:
            result, found = planted, left
    else:
        # Whoever leaves the feet as they are knows that they may drift.
        found = tuple(finding for finding in found if finding.kind != "drift")
    for finding in found:
        warnings.warn(QualityWarning(str(finding), finding), stacklevel=stacklevel)
    return result


def _new_faults(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """Faults of a kind that was not there before, or is clearly worse than it was."""
    known = {finding.kind: finding.value for finding in before}
    return [
        finding
        for finding in after
        if finding.kind not in known or finding.value > 1.25 * known[finding.kind]
    ]
