"""Clips from a fighting stance: a jab, a strong punch, three kicks.

The left foot and the left hand are in front.
"""

from __future__ import annotations

import numpy as np

from motionweave.errors import MotionError
from motionweave.samples.feet import Footprint, Swing, Via
from motionweave.samples.stage import Grip, stage, standing
from motionweave.samples.take import Take

_LATE = 1e3
_FRONT, _BACK = (0.12, 0.20), (-0.13, -0.22)
_FRONT_HEADING, _BACK_HEADING = -8.0, -48.0
_TURNED = -34.0
_CROUCH = -0.075
# Hands up: flex, out, turn, elbow, roll, wrist.
_LEAD = (58.0, 6.0, 22.0, 104.0, 30.0, 0.0)
_REAR = (42.0, 4.0, 26.0, 128.0, 30.0, 0.0)


def jab(
    fps: float,
    target: tuple[float, float, float] = (0.02, 1.46, 0.92),
    duration: float = 1.5,
) -> Take:
    """A quick straight punch with the left hand, with a short step into it.

    Parameters
    ----------
    target
        Where the fist goes, metres; the character stands at the origin and faces +z.
    duration
        Seconds.
    """
    s = duration / 1.5
    hit, back = 0.70 * s, 1.08 * s
    step, front = 0.10, float(np.radians(_FRONT_HEADING))
    left = [
        Footprint(_FRONT, front, heel=(-1.0, 0.40 * s), toe=(-1.0, 0.46 * s),
                  push=-0.22),
        Footprint((_FRONT[0], _FRONT[1] + step), front, heel=(0.66 * s, _LATE),
                  toe=(0.70 * s, _LATE), strike=0.12),
    ]  # fmt: skip
    return stage(
        fps,
        duration,
        {"Left": left, "Right": [standing(*_BACK, _BACK_HEADING)]},
        swings={"Left": [Swing(lift=0.03, brake=(6.0, 2.0))], "Right": []},
        pelvis=[(0.0, (0.0, _CROUCH, -0.01)), (0.38 * s, (-0.01, _CROUCH - 0.012, -0.04)),
                (hit, (0.01, _CROUCH - 0.02, 0.10)), (1.2 * s, (0.0, _CROUCH, 0.05)),
                (1.45 * s, (0.0, _CROUCH, 0.045))],
        hips=[(0.0, (_TURNED, 5.0, 0.0)), (0.40 * s, (_TURNED + 6.0, 6.0, 0.0)),
              (hit, (_TURNED - 14.0, 7.0, 0.0)), (back, (_TURNED, 5.0, 0.0))],
        spine=[(0.0, (10.0, 4.0, 0.0)), (0.42 * s, (11.0, 12.0, 0.0)),
               (hit, (11.0, -16.0, 2.0)), (back, (10.0, 4.0, 0.0))],
        gaze=[(0.0, (0.0, 4.0))],
        arms={
            "Left": [(0.0, _LEAD), (0.44 * s, (54.0, 6.0, 22.0, 112.0, 30.0, 0.0)),
                     (hit, (88.0, 4.0, 10.0, 10.0, 85.0, 0.0)), (back, _LEAD)],
            "Right": [(0.0, _REAR), (hit, (48.0, 4.0, 28.0, 132.0, 30.0, 0.0)), (back, _REAR)],
        },
        grips={"Left": Grip(target, [(0.48 * s, 0.0), (hit, 1.0), (0.73 * s, 1.0),
                                     (1.0 * s, 0.0)])},
    )  # fmt: skip


def punch(
    fps: float,
    target: tuple[float, float, float] = (-0.02, 1.42, 0.92),
    duration: float = 2.0,
) -> Take:
    """A strong straight punch with the right hand, driven by the hips and the back foot.

    Parameters
    ----------
    target
        Where the fist goes, metres; the character stands at the origin and faces +z.
    duration
        Seconds.
    """
    s = duration / 2.0
    wind, hit, back = 0.62 * s, 0.92 * s, 1.55 * s
    lift, spin = float(np.radians(-34.0)), float(np.radians(40.0))
    heading = float(np.radians(_BACK_HEADING))
    right = [
        Footprint(_BACK, heading, heel=(-1.0, 0.66 * s), toe=(-1.0, 1.0 * s), push=lift,
                  push_rate=0.0, twist=spin),
        Footprint(_BACK, heading, heel=(1.5 * s, _LATE), toe=(1.0 * s, _LATE), strike=lift,
                  strike_rate=0.0, untwist=spin),
    ]  # fmt: skip
    return stage(
        fps,
        duration,
        {"Left": [standing(*_FRONT, _FRONT_HEADING)], "Right": right},
        pelvis=[(0.0, (0.0, _CROUCH, -0.01)), (wind, (-0.02, _CROUCH - 0.035, -0.075)),
                (hit, (0.03, _CROUCH - 0.03, 0.10)), (1.05 * s, (0.03, _CROUCH - 0.03, 0.105)),
                (1.7 * s, (0.0, _CROUCH, -0.01))],
        hips=[(0.0, (_TURNED, 5.0, 0.0)), (wind, (_TURNED - 18.0, 6.0, 0.0)),
              (hit, (22.0, 10.0, 0.0)), (1.05 * s, (24.0, 10.0, 0.0)),
              (1.7 * s, (_TURNED, 5.0, 0.0))],
        spine=[(0.0, (10.0, 4.0, 0.0)), (wind, (9.0, -16.0, 3.0)), (hit, (15.0, 26.0, -3.0)),
               (1.05 * s, (16.0, 28.0, -3.0)), (1.7 * s, (10.0, 4.0, 0.0))],
        gaze=[(0.0, (0.0, 4.0))],
        arms={
            "Left": [(0.0, _LEAD), (wind, (66.0, 4.0, 18.0, 84.0, 30.0, 0.0)),
                     (hit, (36.0, 10.0, 30.0, 128.0, 30.0, 0.0)), (1.7 * s, _LEAD)],
            "Right": [(0.0, _REAR), (wind, (6.0, 20.0, 18.0, 122.0, 30.0, 0.0)),
                      (hit, (88.0, 6.0, 10.0, 10.0, 85.0, 0.0)),
                      (1.02 * s, (88.0, 6.0, 10.0, 12.0, 85.0, 0.0)), (back, _REAR)],
        },
        grips={"Right": Grip(target, [(0.68 * s, 0.0), (hit, 1.0), (1.0 * s, 1.0),
                                      (1.4 * s, 0.0)])},
    )  # fmt: skip


# Height of the target -> how far the foot gets, its pitch, and how the body leans back.
_KICKS = {"low": (0.42, 0.90, 22.0, 4.0), "middle": (0.95, 1.0, 58.0, 14.0),
          "high": (1.46, 0.77, 92.0, 30.0)}  # fmt: skip


def kick(fps: float, target: str = "middle", duration: float = 2.0) -> Take:
    """A front kick with the right foot: the knee comes up, the leg snaps out and back.

    Parameters
    ----------
    target
        ``"low"`` (knee), ``"middle"`` (belly) or ``"high"`` (head).
    duration
        Seconds.
    """
    if target not in _KICKS:
        raise MotionError(f"target {target!r}: expected one of {', '.join(_KICKS)}")
    height, reach, pitch, lean = _KICKS[target]
    s = duration / 2.0
    raised, hit, folded, down = 0.66 * s, 0.88 * s, 1.12 * s, 1.54 * s
    heading = float(np.radians(_BACK_HEADING))
    ahead = float(np.radians(-6.0))
    knee = min(0.42 + 0.2 * height, 0.60)
    right = [
        Footprint(_BACK, heading, heel=(-1.0, 0.30 * s), toe=(-1.0, 0.42 * s), push=-0.6),
        Footprint(_BACK, heading, heel=(down + 0.08 * s, _LATE), toe=(down, _LATE), strike=-0.4),
    ]
    # Out and back the foot passes in front of the hip, not through it.
    between = (-0.06, 0.5 * (knee + height) - 0.05, 0.5 * (0.16 + reach) + 0.12)
    rolled = np.radians(0.5 * (pitch - 16.0))
    way = Swing(
        lift=0.0,
        via=(
            Via(raised, (-0.09, knee, 0.20), float(np.radians(-18.0)), ahead),
            Via(0.5 * (raised + hit), between, float(rolled), ahead),
            Via(hit, (-0.03, height, reach), float(np.radians(pitch)), ahead),
            Via(0.5 * (hit + folded), between, float(rolled), ahead),
            Via(folded, (-0.08, knee + 0.02, 0.24), float(np.radians(-14.0)), ahead),
        ),
    )
    back = 0.5 * lean
    return stage(
        fps,
        duration,
        {"Left": [standing(*_FRONT, _FRONT_HEADING)], "Right": right},
        swings={"Left": [], "Right": [way]},
        pelvis=[(0.0, (0.0, _CROUCH, -0.01)), (0.34 * s, (0.03, _CROUCH - 0.02, 0.03)),
                (raised, (0.095, -0.035, 0.15)), (hit, (0.10, -0.03, 0.20 - 0.002 * lean)),
                (folded, (0.095, -0.04, 0.14)), (1.42 * s, (0.04, _CROUCH, 0.03)),
                (1.9 * s, (0.0, _CROUCH, -0.01))],
        hips=[(0.0, (_TURNED, 5.0, 0.0)), (raised, (-8.0, -4.0 - 0.4 * back, 4.0)),
              (hit, (8.0, -6.0 - back, 6.0)), (folded, (-6.0, -3.0 - 0.3 * back, 4.0)),
              (1.75 * s, (_TURNED, 5.0, 0.0))],
        spine=[(0.0, (10.0, 4.0, 0.0)), (raised, (12.0, -4.0, -3.0)),
               (hit, (4.0 - back, -10.0, -4.0)), (folded, (10.0, -4.0, -3.0)),
               (1.8 * s, (10.0, 4.0, 0.0))],
        gaze=[(0.0, (0.0, 4.0)), (hit, (0.0, 14.0 - 0.4 * lean)), (1.8 * s, (0.0, 4.0))],
        arms={
            "Left": [(0.0, _LEAD), (hit, (50.0, 16.0, 18.0, 100.0, 30.0, 0.0)), (1.8 * s, _LEAD)],
            "Right": [(0.0, _REAR), (raised, (30.0, 16.0, 22.0, 112.0, 30.0, 0.0)),
                      (hit, (-22.0, 30.0, 10.0, 44.0, 20.0, 0.0)),
                      (folded, (10.0, 22.0, 18.0, 90.0, 30.0, 0.0)), (1.8 * s, _REAR)],
        },
    )  # fmt: skip
