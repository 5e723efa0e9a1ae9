"""Feet of a blend as high above the floor as those of what it was blended from.

Joint angles that are averaged bend a knee less than any of the legs that they come from did, and
a foot that swings then drags its toe over the floor. Heights that are averaged do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.clean.cleaner import Lead
from motionweave.contacts.clean.footskate import lead_feet
from motionweave.core.arrays import Array
from motionweave.core.curves import smoothstep
from motionweave.core.motion import Motion

# Heel and toe count by how low they are: e times less per this many leg lengths.
_LOW = 0.05
# Seconds from where the blend is right as it is to where it is as high as its parts.
_EASE = 0.25


def as_high(
    blend: Motion, parts: Sequence[Motion], weights: Array, floors: Array, floor: Floor
) -> Motion:
    """The blend with its feet as high as the weighted mean of its parts has them.

    In its second and last but one frame the blend is right as it is.

    Parameters
    ----------
    blend
        Four frames or more.
    parts
        What was blended, each of as many frames, on the same body.
    weights
        ``(k,)`` of the parts.
    floors
        ``(k,)`` how high the floor is that the parts stand on.
    floor
        What the blend stands on.
    """
    size = leg_length(blend.skeleton)
    own = contact_points(blend)
    theirs = [contact_points(part) for part in parts]
    into = np.arange(len(blend)) - 1.0
    ease = _EASE * blend.fps
    fades = [1.0 - smoothstep(np.clip(at / ease, 0.0, 1.0)) for at in (into, into[::-1])]
    leads = {}
    for side in SIDES:
        kinds = [f"{side}_{point}" for point in ("heel", "toe")]
        points = np.stack([own[kind] for kind in kinds])
        now = floor.above(points)
        heights = np.array([[part[kind][:, 1] for kind in kinds] for part in theirs])
        mean = np.einsum("k,kpt->pt", weights, heights - floors[:, None, None])
        lowness = np.exp(-(mean - mean.min(axis=0)) / (_LOW * size))
        missing = np.average(mean - now, axis=0, weights=lowness)
        missing = missing - fades[0] * missing[1] - fades[1] * missing[-2]
        shift = np.zeros((len(blend), 3))
        shift[2:-2, 1] = missing[2:-2]
        leads[side] = Lead(shift, points + shift)
    # Feet that are in the floor are there at the ends, too: nothing is pushed out of it.
    return lead_feet(blend.with_constraints(()), leads, replace(floor, height=floor.height - size))
