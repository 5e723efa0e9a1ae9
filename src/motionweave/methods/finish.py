"""How every method ends: feet planted where that helps, and the result checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from functools import partial

from motionweave.body.soles import has_feet
from motionweave.contacts.clean.footskate import clean_feet
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.errors import Notice, QualityWarning, Remedy
from motionweave.measure.check import Finding, FindingKind, check

# Faults that are visible at once, and how many times as bad counts as clearly worse.
_JERKS = ("acceleration", "twist")
_CLEARLY = 1.25


def _planted(motion: Motion) -> Motion:
    # The check sees any remaining sliding and jerks.
    return clean_feet(motion, warn=False)


# Faults that come from contacts, not from the options of a method.
_OF_CONTACTS: tuple[FindingKind, ...] = ("drift", "contacts")


# Where planting makes things worse, contacts within this many seconds are left alone.
_AROUND = 0.25
# How many such places there may be before no foot is planted at all.
_PLACES = 3


def finished(
    result: Motion,
    clips: Sequence[Motion],
    *,
    clean: bool,
    plant: Callable[[Motion], Motion] = _planted,
    whole: bool = False,
    meant: Collection[FindingKind] = (),
    lively: float = 1.0,
    seams: Sequence[tuple[int, int]] = (),
    remedies: Sequence[Remedy] = (),
    advice: str = "",
    stacklevel: int = 3,
) -> Motion:
    """Plant the feet of a result, check it against its clips, and warn about what is found.

    Where planting makes something worse, the feet are not planted around that place; if that does
    not help, nowhere. A warning says so.

    Parameters
    ----------
    result
        What the method made.
    clips
        The clips that it was made from, on the same skeleton.
    clean
        Whether to plant the feet.
    plant
        How to plant them, given a motion with the contacts to plant: in the whole motion by
        default.
    whole
        Whether the result does what each of the clips does; see `check`.
    meant
        Kinds of findings that are intended, such as feet on stairs that lead down.
    lively
        Factor on the acceleration that the check allows, if more of it is intended.
    seams
        Where clips are joined; see `check`.
    remedies, advice
        What helps against faults of this method: its settings, or words if that is not
        a setting.
    stacklevel
        The stack level of the warnings, as in `warnings.warn`.

    Returns
    -------
    Motion
    """
    look = partial(check, clips=clips, whole=whole, seams=seams)
    found = look(result)
    told: list[Warning] = []
    if clean and has_feet(result.skeleton):
        result, found, told = _planted_where_it_helps(result, plant, found, look)
    else:
        # A caller who does not plant feet knows that they may drift.
        found = tuple(finding for finding in found if finding.kind != "drift")
    found = tuple(
        finding
        for finding in found
        if finding.kind not in meant
        and not (finding.kind == "acceleration" and finding.severity <= lively)
    )
    for finding in found:
        if finding.kind in _OF_CONTACTS:
            told.append(QualityWarning(finding.message, finding))
        else:
            reason = f"{finding}; {advice}" if advice else finding.message
            told.append(QualityWarning(reason, finding, remedies))
    for warning in told:
        warnings.warn(warning, stacklevel=stacklevel)
    return result


def _planted_where_it_helps(
    result: Motion,
    plant: Callable[[Motion], Motion],
    found: tuple[Finding, ...],
    look: Callable[[Motion], tuple[Finding, ...]],
) -> tuple[Motion, tuple[Finding, ...], list[Warning]]:
    """The planted motion, what is found in it, and where the feet were left alone."""
    held = result.constraints
    harm: list[Finding] = []
    while True:
        planted = plant(result.with_constraints(held))
        left = look(planted)
        worse = _harm(found, left)
        if worse is None:
            break
        harm.append(worse)
        spared = _without(held, worse, _AROUND * result.fps)
        if len(harm) > _PLACES or not spared or len(spared) == len(held):
            message = f"the feet were not planted, because that would make things worse: {worse}"
            # Feet without faults need not be planted.
            left_alone = QualityWarning(message, worse) if found else Notice(message)
            return result, found, [left_alone]
        held = spared
    told: list[Warning] = [
        Notice(
            f"the feet were not planted around frame {one.frame}, because that would make "
            "things worse"
        )
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


def _harm(before: Sequence[Finding], after: Sequence[Finding]) -> Finding | None:
    """What planting the feet has made worse, or None if it has done more good than harm.

    A planted foot is never worth a jerk. Other faults may be traded: a foot that no longer drifts
    may have further to go between two plants.
    """
    known = {finding.kind: finding.severity for finding in before}
    jerks = [
        finding
        for finding in after
        if finding.kind in _JERKS and finding.severity > _CLEARLY * known.get(finding.kind, 0.8)
    ]
    if jerks:
        return jerks[0]
    worse = [finding for finding in after if finding.severity > known.get(finding.kind, 0.0)]
    if sum(finding.severity for finding in after) > _CLEARLY * sum(known.values()) and worse:
        return max(worse, key=lambda finding: finding.severity)
    return None
