"""Clips of the library on another body."""

from __future__ import annotations

import warnings

from motionweave.body.retarget.correspondence import one_convention
from motionweave.body.retarget.transfer import on_skeleton
from motionweave.core.motion import Motion
from motionweave.errors import RetargetNotice
from motionweave.retargeting import retarget


def on_body(motion: Motion, body: Motion, *, feet: bool = True) -> Motion:
    """A motion on the body of another.

    Bodies of one convention share their joints' rotations; others are retargeted by role.

    Parameters
    ----------
    motion
        What to perform.
    body
        A motion of the target body.
    feet
        Whether feet are planted again if it is retargeted.

    Raises
    ------
    RigError
        If the bodies have too little in common.
    """
    if one_convention(motion.skeleton, body.skeleton):
        return on_skeleton(motion, body.skeleton)
    with warnings.catch_warnings():
        # A library contains many bodies: no need to report that they differ.
        warnings.simplefilter("ignore", RetargetNotice)
        return retarget(motion, body, feet=feet)
