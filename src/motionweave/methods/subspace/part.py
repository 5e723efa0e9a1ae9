"""A part of the body that changes to another clip, above legs that go on as they are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig
from motionweave.core.motion import Motion
from motionweave.errors import QualityWarning
from motionweave.methods.layering import layer, layered_joints

# A clip that is hardly longer than the next, or shorter, is left in its first third: a later
# place would show little of the next clip.
_SHARE = 1.0 / 3.0
# Seconds of the base that a spline is expected to take.
_BRIDGE = 1.0
# Seconds of the next clip that may be cut off at its end without a warning.
_CUT = 0.25


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the body, and the clip that goes on below it.

    Parameters
    ----------
    base
        The clip whose legs and path are kept.
    name
        The part, as in `layer`.
    """

    base: Motion
    name: str

    def alone(self, clip: Motion) -> Motion:
        """A clip in which only the part moves, and the rest keeps one pose of the base.

        Subspaces, distances and durations are then those of the part: what does not move makes
        no difference. The trunk turns with the hips, so they move with it.
        """
        rig = find_rig(self.base.skeleton)
        joints = layered_joints(self.name, rig)
        still = set(range(len(clip.skeleton))) - set(joints)
        if set(rig.spine) & set(joints):
            still -= {0}
        others = sorted(still)
        pose = self.base[tpose_frames(self.base)]
        rotations = np.array(clip.rotations)
        rotations[:, others] = pose.rotations[:, others]
        translations = clip.translations
        if translations is not None and pose.translations is not None:
            translations = np.array(translations)
            translations[:, others] = pose.translations[:, others]
        return replace(
            clip,
            root=np.broadcast_to(pose.root, clip.root.shape),
            rotations=rotations,
            translations=translations,
            constraints=(),
        )

    def latest(self, other: Motion) -> int:
        """The last frame of the base at which to leave it, so that the other clip fits in."""
        room = len(self.base) - len(other) - round(_BRIDGE * self.base.fps)
        return max(room, round(_SHARE * (len(self.base) - 1)))

    def over_base(self, joined: Motion) -> Motion:
        """The part of a joined motion that begins as the base does, over the base.

        Warns
        -----
        QualityWarning
            If the base ends before the joined motion does, or if the result is clearly worse than
            its clips.
        """
        base = self.base
        lost = (len(joined) - len(base)) / base.fps
        if lost > _CUT:
            called = f" {base.name!r}" if base.name else ""
            warnings.warn(
                f"the last {lost:.1f} s are cut off, because the clip{called} that goes on below "
                "ends there: make it longer, or leave it earlier",
                QualityWarning,
                stacklevel=4,
            )
        # A T-pose in front stays as it is.
        posed = tpose_frames(base)
        return layer(base, joined[posed:], self.name, start=posed)
