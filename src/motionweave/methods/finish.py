"""How every method ends: feet planted where that helps, and the result checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from motionweave.body.floor import Floor
from motionweave.body.soles import has_feet
from motionweave.contacts.clean.footskate import clean_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.errors import Kind, Notice, QualityWarning, Remedy
from motionweave.measure.check import check
from motionweave.measure.finding import Finding, FindingKind

# Faults that are visible at once, and how many times as bad counts as clearly worse.
_JERKS = ("acceleration", "twist")
_CLEARLY = 1.25

# Faults that come from contacts, not from the options of a method.
_OF_CONTACTS: tuple[FindingKind, ...] = ("drift", "contacts")
# Where planting makes things worse, contacts are left alone within this many seconds; if there are
# none, the nearest one at most this far away. What is left of one counts if it is this long.
_AROUND, _FARTHEST, _REST = 0.25, 1.0, 0.5
# How many such places there may be before no foot is planted at all: these, or one in this many
# seconds.
_PLACES, _EVERY = 3, 2.0
# The cost of a finding of severity 1, in body heights of distance, and the worst that counts.
_FINDING, _WORST = 0.1, 3.0


@dataclass(frozen=True, eq=False)
class Finished:
    """A result with its feet planted, and what the check found in it.

    Parameters
    ----------
    motion
        The result.
    found
        Its faults.
    told
        Warnings about feet that were not planted.
    """

    motion: Motion
    found: tuple[Finding, ...]
    told: tuple[Warning, ...] = ()

    @property
    def cost(self) -> float:
        """What its faults cost, in body heights of distance; see `methods.joining.strain`."""
        return _FINDING * sum(min(finding.severity, _WORST) for finding in self.found)

    def reported(
        self, remedies: Sequence[Remedy] = (), advice: str = "", stacklevel: int = 2
    ) -> Motion:
        """The result, after a warning about each fault and about feet that were not planted.

        Parameters
        ----------
        remedies, advice
            What helps against faults of the method: its settings, or words if that is not a
            setting.
        stacklevel
            The stack level of the warnings, as in `warnings.warn`, counted from the caller.
        """
        told = list(self.told)
        for finding in self.found:
            if finding.kind in _OF_CONTACTS:
                told.append(QualityWarning(finding.message, finding))
            else:
                reason = f"{finding}; {advice}" if advice else finding.message
                told.append(QualityWarning(reason, finding, remedies))
        for warning in told:
            warnings.warn(warning, stacklevel=stacklevel + 1)
        return self.motion


def _planted(motion: Motion, floor: Floor | None = None) -> Motion:
    # The check sees any remaining sliding and jerks.
    return clean_feet(motion, floor=floor, warn=False)


def finish(
    result: Motion,
    clips: Sequence[Motion],
    *,
    clean: bool,
    plant: Callable[[Motion], Motion] = _planted,
    whole: bool = False,
    meant: Collection[FindingKind] = (),
    lively: float = 1.0,
    seams: Sequence[tuple[int, int]] = (),
    joints: Sequence[int] | None = None,
) -> Finished:
    """Plant the feet of a result and check it against its clips.

    Where planting makes something worse, the feet are not planted around that place; if that does
    not help, nowhere. `Finished.reported` warns about that and about what the check found.

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
    joints
        The only joints that the method changes; see `check`.
    """
    look = partial(check, clips=clips, whole=whole, seams=seams, joints=joints)
    told: list[Warning] = []
    if clean and has_feet(result.skeleton):
        made = _planted_where_it_helps(result, plant, look)
        sunk = made[0] is not result and any(finding.kind == "floor" for finding in made[1])
        if sunk and plant is _planted:
            # A result whose feet hang too low and do not stand cannot tell where its floor is.
            floor = _level_floor(clips)
            if floor is not None:
                made = _planted_where_it_helps(result, partial(_planted, floor=floor), look)
        result, found, told = made
    else:
        # A caller who does not plant feet knows that they may drift.
        found = tuple(finding for finding in look(result) if finding.kind != "drift")
    found = tuple(
        finding
        for finding in found
        if finding.kind not in meant
        and not (finding.kind == "acceleration" and finding.severity <= lively)
    )
    return Finished(result, found, tuple(told))


def _level_floor(clips: Sequence[Motion]) -> Floor | None:
    """The lowest floor of the clips; None if one of them slopes."""
    floors = [estimate_floor(clip) for clip in clips if len(clip) > 1]
    if not floors or any(floor.tilt > 0.0 for floor in floors):
        return None
    return Floor(min(floor.height for floor in floors))


def _planted_where_it_helps(
    result: Motion,
    plant: Callable[[Motion], Motion],
    look: Callable[[Motion], tuple[Finding, ...]],
) -> tuple[Motion, tuple[Finding, ...], list[Warning]]:
    """The planted motion, what is found in it, and where the feet were left alone."""
    held = result.constraints
    planted = plant(result)
    left = look(planted)
    if not left:
        return planted, left, []
    found = look(result)
    harm: list[Finding] = []
    most = max(_PLACES, round(result.duration / _EVERY))
    while places := _harm(found, left):
        worse = places[0]
        harm.append(worse)
        spared = _without(held, worse, result.fps)
        # All places of a long take at once: planting its feet again for each would take too long.
        for place in places[1:] if spared != held else ():
            fewer = _without(spared, place, result.fps)
            harm += [place] if fewer != spared else []
            spared = fewer
        if len(harm) > most or not spared or spared == held:
            message = f"the feet were not planted, because that would make things worse: {worse}"
            # Feet without faults need not be planted.
            kind = Kind.FEET_LEFT_ALONE
            left_alone = (
                QualityWarning(message, worse, kind=kind) if found else Notice(message, kind)
            )
            return result, found, [left_alone]
        held = spared
        planted = plant(result.with_constraints(held))
        left = look(planted)
    told: list[Warning] = [
        Notice(
            f"the feet were not planted around frame {one.frame}, because that would make "
            "things worse",
            Kind.FEET_LEFT_ALONE,
        )
        for one in sorted(harm, key=lambda one: one.frame or 0)
    ]
    return planted.with_constraints(result.constraints) if harm else planted, left, told


def _without(held: tuple[Constraint, ...], finding: Finding, fps: float) -> tuple[Constraint, ...]:
    """Contacts without the place of a finding: long ones are cut, others left out.

    All of them as they are, if there is none anywhere near it.
    """
    if finding.frame is None:
        return held
    away = [max(c.start - finding.frame, finding.frame - c.end, 0.0) / fps for c in held]
    around = fps * max(_AROUND, min(min(away, default=0.0), _FARTHEST))
    first, last = finding.frame - around, finding.frame + around
    kept: list[Constraint] = []
    for c in held:
        if c.end < first or c.start > last:
            kept.append(c)
            continue
        rests = (c.start, first), (last, c.end)
        kept += [Constraint(a, b, c.kind) for a, b in rests if b - a >= _REST * fps]
    return tuple(kept)


def _harm(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """What planting the feet has made worse, the worst place first; none if it has done more good
    than harm.

    A planted foot is never worth a jerk. Other faults may be traded: a foot that no longer drifts
    may have further to go between two plants.
    """
    known = {finding.kind: finding.severity for finding in before}
    for finding in after:
        most = _CLEARLY * known.get(finding.kind, 0.8)
        if finding.kind in _JERKS and finding.severity > most:
            return [place for place in (finding, *finding.elsewhere) if place.severity > most]
    worse = [finding for finding in after if finding.severity > known.get(finding.kind, 0.0)]
    if sum(finding.severity for finding in after) > _CLEARLY * sum(known.values()) and worse:
        return [max(worse, key=lambda finding: finding.severity)]
    return []
