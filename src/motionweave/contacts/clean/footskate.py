"""Feet that stay where they are planted.

After Kovar, Schreiner & Gleicher, "Footskate Cleanup for Motion Capture Editing" (2002): planted
points are held still, the body gives way where a leg would be too short, and the legs are solved in
closed form. Their method has five steps, each of which may spoil what the one before has made
smooth; here foot, body and knee are three small least-squares problems over time (`footing`,
`solve`), smooth by construction at any frame rate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.soles import contact_points
from motionweave.contacts.clean.cleaner import Cleaner, Lead, heels_and_toes
from motionweave.contacts.clean.remarks import Remarks
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.contacts.floors import ground_under
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint
from motionweave.core.motion import Motion, checked
from motionweave.errors import MotionError, QualityWarning

# Seconds over which a correction fades in before a plant and out after it.
_EASE = 0.2


def clean_feet(
    motion: Motion,
    constraints: Iterable[Constraint] | None = None,
    *,
    stretch: float = 0.0,
    hands: bool = False,
    ease: float = _EASE,
    floor: Floor | Ground | None = None,
    warn: bool = True,
) -> Motion:
    """The motion with planted feet that neither slide nor sink, without pops.

    Parameters
    ----------
    motion
        Its rig needs thighs, shins and ankles on both sides.
    constraints
        When heels and toes (and hands) are planted. By default the motion's own contacts, or
        detected ones if it has none. The result carries them.
    stretch
        The share by which legs may lengthen where they cannot reach, such as 0.01.
    hands
        Whether to hold planted hands, too.
    ease
        Seconds over which a correction fades in before a plant and out after it.
    floor
        What the feet stand on, such as ``Ground.slope(8)``; estimated from the motion by
        default.
    warn
        Whether to warn about what is not as it should be. Methods that check their own results turn
        this off.

    Returns
    -------
    Motion
        The cleaned motion. Frames further than ``ease`` from any contact, and from any foot below
        the floor, are unchanged, bit for bit. Where holding a foot would make its ankle jerk, it is
        turned a little less. A `QualityWarning` says where a knee or an ankle jerks all the same or
        a foot stays away from its plant; if planted feet still slide, or if hips had to be lowered,
        by more than a centimetre per second or a centimetre on average, on a body 1.7 m tall; and
        if feet are visibly deeper in the floor than they were, by more than two millimetres.

    Raises
    ------
    MotionError
        ``stretch`` or ``ease`` is out of range.
    RigError
        The rig has no legs.

    Examples
    --------
    >>> import motionweave as mw
    >>> jog = mw.sample("jog")
    >>> cleaned = mw.clean_feet(jog)
    >>> mw.quality(cleaned).skate_max < 0.002
    True
    """
    check_arguments(clean_feet, locals())
    motion = checked(motion)
    if not 0.0 <= stretch <= 0.2:
        raise MotionError(f"stretch {stretch:g}: expected a share of leg length from 0 to 0.2")
    if not (np.isfinite(ease) and ease >= 0.0):
        raise MotionError(f"ease {ease:g}: expected seconds, 0 or more")
    motion = at_pelvis(motion)
    kinds = FOOT_KINDS + (HAND_KINDS if hands else ())
    used = _used(motion, constraints, kinds, hands)
    motion = motion.with_constraints(used)
    # Of a clip that never stands, only a floor that is given tells whether its feet are too low.
    if floor is None and not any(c.kind in kinds for c in used):
        return motion
    # A T-pose is not part of the motion, so no correction fades into it.
    first = tpose_frames(motion)
    rest = motion[first:] if first else motion
    under = estimate_floor(rest) if floor is None else floor
    if isinstance(under, Ground):
        under = ground_under(under, rest)
    solver = Cleaner(rest, under, stretch, ease, hands=hands)
    cleaned = solver.cleaned(rest.constraints)
    if warn:
        points = heels_and_toes(contact_points(cleaned.motion, like=rest))
        remarks = Remarks(rest, solver.size, first)
        for remark in remarks.about(cleaned, points, under, floor_is_given=floor is not None):
            warnings.warn(remark, QualityWarning, stacklevel=2)
    if rest is motion:
        return cleaned.motion
    return concatenate([motion[:first], cleaned.motion]).with_constraints(used)


def lead_feet(motion: Motion, leads: Mapping[str, Lead], floor: Floor | Ground) -> Motion:
    """The motion with feet on other trajectories, planted during its contacts.

    Parameters
    ----------
    motion
        A body with legs, and its contacts.
    leads
        For each side, ``left`` and ``right``, the trajectory of its foot.
    floor
        What the feet stand on.
    """
    return Cleaner(motion, floor, 0.0, _EASE, leads).cleaned(motion.constraints).motion


def plant_between(
    motion: Motion,
    first: int,
    last: int,
    floor: Floor | None = None,
    clearance: Array | float = 0.0,
) -> Motion:
    """The motion with its contacts planted between two frames; these and all outside stay.

    A foot that stands across one of the two frames is held where it stands outside.

    Parameters
    ----------
    motion
        A body with legs, and its contacts.
    first, last
        The last frame before, and the first behind what may change.
    floor
        What the feet stand on; estimated from the motion by default.
    clearance
        ``(2, 2, T)`` how high heels and toes of the left and the right foot have to be where they
        are not planted; see
        `motionweave.contacts.clean.plants.clearance_between_stances`.
    """
    motion = at_pelvis(motion)
    frames = np.arange(len(motion))
    only = (frames > first) & (frames < last)
    floor = estimate_floor(motion) if floor is None else floor
    solver = Cleaner(motion, floor, 0.0, _EASE, only=only, clearance=clearance)
    return solver.cleaned(motion.constraints).motion


def _used(
    motion: Motion,
    constraints: Iterable[Constraint] | None,
    kinds: Sequence[str],
    hands: bool,
) -> tuple[Constraint, ...]:
    if constraints is not None:
        return tuple(sorted(constraints))
    if any(c.kind in kinds for c in motion.constraints):
        return motion.constraints
    return tuple(sorted((*motion.constraints, *detect_contacts(motion, hands))))
