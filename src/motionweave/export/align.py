"""The clips of a registration curve brought to one length and one phase."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionweave.core.constraints import Constraint, joined
from motionweave.core.cycles import displacement
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.io.scene.units import metres_a_unit
from motionweave.measure.measures import speed, turn_angle
from motionweave.registration.curve import RegistrationCurve


@dataclass(frozen=True, eq=False)
class AlignedClip:
    """A clip of a set.

    Parameters
    ----------
    motion
        As long as all others of the set, each frame in the same phase as theirs.
    duration
        Recorded duration in seconds.
    speed
        Metres per second, as recorded.
    turn
        Degrees per second that it turns left; of a clip that is not a cycle, degrees in all.
    """

    motion: Motion
    duration: float
    speed: float
    turn: float

    def markers(self) -> list[tuple[str, float]]:
        """Moments at which a foot is set down or lifted, by name, in frames, in order.

        A foot that is down at both ends of a cycle is neither set down nor lifted there.
        """
        last = len(self.motion) - 1.0
        found = []
        for side in ("left", "right"):
            own = [
                replace(c, kind=side)
                for c in self.motion.constraints
                if c.kind in (f"{side}_heel", f"{side}_toe")
            ]
            for plant in joined(own):
                if plant.start > 0.0:
                    found.append((f"{side}_down", plant.start))
                if plant.end < last:
                    found.append((f"{side}_up", plant.end))
        return sorted(found, key=lambda one: one[1])


def aligned_clips(curve: RegistrationCurve, fps: float | None = None) -> list[AlignedClip]:
    """All clips of a curve, sampled at the same places of it.

    Parameters
    ----------
    curve
        The registration. A cyclic one gives closed cycles.
    fps
        Frames per second of the result; the highest of the clips, at least 30, if None.
    """
    rate = max(30.0, *(motion.fps for motion in curve.motions)) if fps is None else float(fps)
    if not (np.isfinite(rate) and rate > 0.0):
        raise MotionError(f"frame rate {fps}: expected a positive number")
    warp = curve.timewarp
    steps = max(1, round((warp.end - warp.start) * rate))
    # u counts seconds at the clips' mean speed, so that even steps of it suit all of them.
    u = np.linspace(warp.start, warp.end, steps + 1)
    frames = warp.frames(u)
    clips = []
    for i, motion in enumerate(curve.motions):
        at = np.clip(frames[:, i], 0.0, len(motion) - 1.0)
        sampled = replace(motion.sample(at), fps=rate)
        duration = float(at[-1] - at[0]) / motion.fps
        clips.append(_measured(sampled, duration, curve.cyclic))
    return clips


def _measured(motion: Motion, duration: float, cyclic: bool) -> AlignedClip:
    natural = replace(motion, fps=(len(motion) - 1) / duration)
    metres = metres_a_unit(motion, None)
    if cyclic:
        step = displacement(motion)
        way = float(np.hypot(*(motion.root[-1, [0, 2]] - motion.root[0, [0, 2]])))
        # On a circle the path is longer than the straight line between its ends.
        half = 0.5 * abs(step.angle)
        way *= half / np.sin(half) if half > 1e-6 else 1.0
        turn = float(np.degrees(step.angle)) / duration
        return AlignedClip(motion, duration, way * metres / duration, turn)
    return AlignedClip(motion, duration, speed(natural) * metres, turn_angle(natural))


def contact_rows(contacts: tuple[Constraint, ...], fps: float) -> list[dict[str, object]]:
    """Contacts as plain values, in seconds."""
    return [
        {"kind": c.kind, "start": round(c.start / fps, 5), "end": round(c.end / fps, 5)}
        for c in contacts
    ]
