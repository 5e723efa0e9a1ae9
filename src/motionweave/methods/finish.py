"""How every method ends: feet planted where that helps, and the result checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence

from motionweave.contacts.clean.footskate import clean_feet
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.errors import Notice, QualityWarning
from motionweave.measure.check import Finding, FindingKind, check


def _planted(motion: Motion) -> Motion:
    # What is left of sliding and jerks is seen by the check.
    return clean_feet(motion, warn=False)


# Around a frame at which planting does harm, contacts within this many seconds are left alone.
_AROUND = 0.25
# How many such places there may be before the feet are left as they are.
_PLACES = 3


def finished(
    result: Motion,
    clips: Sequence[Motion],
    *,
    clean: bool,
    plant: Callable[[Motion], Motion] = _planted,
    whole: bool = False,
    meant: Collection[FindingKind] = (),
    stacklevel: int = 3,
) -> Motion:
    """Plant the feet of a result, check it against its clips, and warn about what is found.

    Where planting makes something worse, the feet are left as they are around that place; if
    that does not help, everywhere. A warning says so.

    Parameters
    ----------
    result
        What the method made.
    clips
        The clips that it was made of, on the same skeleton.
    clean
        Whether to plant the feet.
    plant
        How to plant them, given a motion with the contacts to plant: in the whole motion by
        default.
    whole
        Whether the result does what each of the clips does; see `check`.
    meant
        Kinds of findings that are what was asked for, such as feet on stairs that lead
        down.
    stacklevel
        Whose line the warnings name, as in `warnings.warn`.

    Returns
    -------
    Motion
    """
    found = check(result, clips, whole=whole)
    told: list[Warning] = []
    if clean:
        result, found, told = _planted_where_it_helps(result, clips, plant, found, whole)
    else:
        # Whoever leaves the feet as they are knows that they may drift.
        found = tuple(finding for finding in found if finding.kind != "drift")
    found = tuple(finding for finding in found if finding.kind not in meant)
    for warning in (*told, *(QualityWarning(str(finding), finding) for finding in found)):
        warnings.warn(warning, stacklevel=stacklevel)
    return result


def _planted_where_it_helps(
    result: Motion,
    clips: Sequence[Motion],
    plant: Callable[[Motion], Motion],
    found: tuple[Finding, ...],
    whole: bool,
) -> tuple[Motion, tuple[Finding, ...], list[Warning]]:
    """The planted motion, what is found in it, and where the feet were left alone."""
    held = result.constraints
    harm: list[Finding] = []
    while True:
        planted = plant(result.with_constraints(held))
        left = check(planted, clips, whole=whole)
        worse = _new_faults(found, left)
        if not worse:
            break
        harm.append(worse[0])
        spared = _without(held, worse[0], _AROUND * result.fps)
        if len(harm) > _PLACES or not spared or len(spared) == len(held):
            message = f"feet are not planted, as that would do harm: {worse[0]}"
            return result, found, [QualityWarning(message, worse[0])]
        held = spared
    told: list[Warning] = [
        Notice(f"feet are not planted around frame {one.frame}, as that would do harm")
        for one in harm
    ]
    return planted.with_constraints(result.constraints) if harm else planted, left, told


def _without(
    held: tuple[Constraint, ...], finding: Finding, around: float
) -> tuple[Constraint, ...]:
    """Contacts that do not touch the place of a finding."""
    if finding.frame is None:
        return held
    return tuple(
        c for c in held if c.end < finding.frame - around or c.start > finding.frame + around
    )


def _new_faults(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """Faults of a kind that was not there before, or is clearly worse than it was."""
    known = {finding.kind: finding.value for finding in before}
    return [
        finding
        for finding in after
        if finding.kind not in known or finding.value > 1.25 * known[finding.kind]
    ]
