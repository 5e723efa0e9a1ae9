"""Clips on the spot: stand, reach, sit, turn, step from stone to stone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionweave.errors import MotionError
from motionweave.samples.curves import keyed
from motionweave.samples.feet import Footprint, Swing
from motionweave.samples.stage import HANGING, STANDING, Grip, both_standing, stage
from motionweave.samples.take import Take, frame_times

_LATE = 1e3  # a time after the end of every clip


def stand(fps: float, duration: float = 3.0) -> Take:
    """Standing at ease: breathing, with the weight shifting from one foot to the other."""
    half = 0.5 * duration
    return stage(
        fps,
        duration,
        both_standing(),
        pelvis=[(0.0, (0.015, 0.01, 0.03)), (half, (-0.02, 0.01, 0.034)),
                (duration, (0.01, 0.01, 0.03))],
        hips=[(0.0, (1.0, 2.0, 1.2)), (half, (-1.5, 2.0, -1.6)), (duration, (0.5, 2.0, 0.8))],
        spine=[(0.0, (2.0, -1.0, -1.0)), (half, (2.5, 1.5, 1.4)), (duration, (2.0, 0.0, -0.6))],
        gaze=[(0.0, (0.0, 2.0)), (0.4 * duration, (7.0, 1.0)), (duration, (-3.0, 2.0))],
        arms={
            "Left": [(0.0, HANGING), (half, (6.0, 8.0, 12.0, 17.0)), (duration, HANGING)],
            "Right": [(0.0, HANGING), (half, (2.0, 8.0, 10.0, 13.0)), (duration, HANGING)],
        },
    )  # fmt: skip


def reach_high(
    fps: float, target: tuple[float, float, float] = (-0.18, 2.0, 0.32), duration: float = 2.6
) -> Take:
    """Up on the toes to take something from a high shelf with the right hand.

    Parameters
    ----------
    target
        Where the wrist goes, metres; the character stands at the origin and faces +z.
    duration
        Seconds.
    """
    s = duration / 2.6
    lift = float(np.radians(-26.0))
    plants = {}
    for side, x in (("Left", 0.1), ("Right", -0.1)):
        heading = float(np.radians(8.0 if x > 0 else -8.0))
        up = Footprint((x, 0.0), heading, heel=(-1.0, 0.55 * s), toe=(-1.0, 1.2 * s), push=lift,
                       push_rate=0.0)  # fmt: skip
        down = Footprint((x, 0.0), heading, heel=(1.95 * s, _LATE), toe=(1.2 * s, _LATE),
                         strike=lift, strike_rate=0.0)  # fmt: skip
        plants[side] = [up, down]
    return stage(
        fps,
        duration,
        plants,
        pelvis=[(0.0, (0.0, -0.005, 0.0)), (0.45 * s, (0.0, -0.03, -0.01)),
                (1.2 * s, (-0.015, 0.055, 0.07)), (2.0 * s, (0.0, -0.012, 0.005)),
                (2.5 * s, (0.0, -0.005, 0.0))],
        hips=[(0.0, (0.0, 2.0, 0.0)), (0.45 * s, (-3.0, 5.0, 0.0)), (1.2 * s, (10.0, 0.0, -5.0)),
              (2.2 * s, (0.0, 2.0, 0.0))],
        spine=[(0.0, (2.0, 0.0, 0.0)), (0.45 * s, (7.0, -5.0, 0.0)), (1.2 * s, (-7.0, 14.0, -10.0)),
               (2.2 * s, (2.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 2.0)), (0.4 * s, (-4.0, -14.0)), (1.2 * s, (-5.0, -34.0)),
              (1.6 * s, (-4.0, -24.0)), (2.4 * s, (0.0, 2.0))],
        arms={
            "Left": [(0.0, HANGING), (1.2 * s, (-12.0, 18.0, 10.0, 22.0)), (2.4 * s, HANGING)],
            "Right": [(0.0, HANGING), (0.45 * s, (22.0, 12.0, 14.0, 55.0)),
                      (0.8 * s, (90.0, 10.0, 10.0, 70.0)),
                      (1.2 * s, (160.0, 4.0, 0.0, 20.0, 0.0, -10.0)),
                      (1.65 * s, (95.0, 10.0, 12.0, 80.0)), (2.4 * s, HANGING)],
        },
        grips={"Right": Grip(target, [(0.55 * s, 0.0), (1.2 * s, 1.0), (1.25 * s, 1.0),
                                      (1.8 * s, 0.0)])},
    )  # fmt: skip


def reach_low(
    fps: float, target: tuple[float, float, float] = (-0.12, 0.24, 0.42), duration: float = 2.8
) -> Take:
    """Down on bent knees to pick something up with the right hand.

    Parameters
    ----------
    target
        Where the wrist goes, metres; the character stands at the origin and faces +z.
    duration
        Seconds.
    """
    s = duration / 2.8
    low, still = 1.2 * s, 1.4 * s
    return stage(
        fps,
        duration,
        both_standing(apart=0.26, out=12.0),
        splay=8.0,
        pelvis=[(0.0, (0.0, -0.012, 0.0)), (low, (-0.01, -0.47, -0.17)),
                (still, (-0.01, -0.47, -0.17)), (2.6 * s, (0.0, -0.012, 0.0))],
        hips=[(0.0, (0.0, 2.0, 0.0)), (low, (8.0, 44.0, -2.0)), (still, (8.0, 44.0, -2.0)),
              (2.55 * s, (0.0, 2.0, 0.0))],
        spine=[(0.0, (2.0, 0.0, 0.0)), (low, (38.0, 14.0, 4.0)), (still, (38.0, 14.0, 4.0)),
               (2.6 * s, (2.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 2.0)), (0.5 * s, (-5.0, 38.0)), (still, (-6.0, 48.0)),
              (2.5 * s, (0.0, 2.0))],
        arms={
            "Left": [(0.0, HANGING), (low, (52.0, 10.0, 25.0, 48.0)),
                     (still, (52.0, 10.0, 25.0, 48.0)), (2.6 * s, HANGING)],
            "Right": [(0.0, HANGING), (low, (78.0, 8.0, 5.0, 20.0)),
                      (still, (78.0, 8.0, 5.0, 20.0)), (2.0 * s, (40.0, 10.0, 20.0, 80.0)),
                      (2.6 * s, HANGING)],
        },
        grips={"Right": Grip(target, [(0.45 * s, 0.0), (low, 1.0), (still, 1.0), (2.0 * s, 0.0)])},
    )  # fmt: skip


def sit(fps: float, seat: float = 0.45, duration: float = 2.4) -> Take:
    """Sitting down on a chair that stands behind.

    Parameters
    ----------
    seat
        Height of the seat, metres.
    duration
        Seconds.
    """
    if not 0.3 <= seat <= 0.65:
        raise MotionError(f"seat {seat}: expected a height of 0.3 to 0.65 metres")
    s = duration / 2.4
    # The pelvis joint of someone who sits is a hand's breadth above the seat.
    down = seat + 0.095 - STANDING
    return stage(
        fps,
        duration,
        both_standing(apart=0.24, out=10.0),
        splay=3.0,
        pelvis=[(0.0, (0.0, -0.01, 0.0)), (0.35 * s, (0.0, -0.03, -0.02)),
                (0.9 * s, (0.0, 0.55 * down, -0.27)), (1.5 * s, (0.0, down, -0.40)),
                (2.1 * s, (0.0, down, -0.41))],
        hips=[(0.0, (0.0, 2.0, 0.0)), (0.95 * s, (0.0, 34.0, 0.0)), (1.5 * s, (0.0, 14.0, 0.0)),
              (2.15 * s, (0.0, -8.0, 0.0))],
        spine=[(0.0, (2.0, 0.0, 0.0)), (0.9 * s, (20.0, 0.0, 0.0)), (1.5 * s, (16.0, 0.0, 0.0)),
               (2.2 * s, (8.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 2.0)), (0.7 * s, (8.0, 24.0)), (1.4 * s, (2.0, 14.0)),
              (2.2 * s, (0.0, 2.0))],
        arms={
            side: [(0.0, HANGING), (0.9 * s, (46.0, 14.0, 16.0, 34.0)),
                   (1.5 * s, (42.0, 12.0, 16.0, 30.0)), (2.2 * s, (27.0, 7.0, 14.0, 33.0))]
            for side in ("Left", "Right")
        },
    )  # fmt: skip


def turn_in_place(fps: float, angle: float = 90.0, step: float = 45.0, pace: float = 0.46) -> Take:
    """Turning on the spot with small steps.

    Parameters
    ----------
    angle
        By how much, degrees; positive to the left.
    step
        At most how far each foot turns in one step, degrees.
    pace
        Seconds a step.
    """
    if not (np.isfinite(angle) and step > 0.0 and pace > 0.0):
        raise MotionError("turn_in_place: expected an angle, and a positive step and pace")
    turns = max(1, int(np.ceil(abs(angle) / step - 1e-9)))
    # The foot on the inside of the turn moves first, the other follows.
    order = ("Left", "Right") if angle >= 0.0 else ("Right", "Left")
    start, air = 0.35, 0.68 * pace
    ends = {side: [-1.0] for side in order}
    steps: dict[str, list[tuple[float, float]]] = {side: [] for side in order}
    for index in range(2 * turns):
        side = order[index % 2]
        steps[side].append((start + index * pace, angle * (index // 2 + 1) / turns))
        ends[side].append(start + index * pace)
    plants: dict[str, list[Footprint]] = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        row, down, facing = [], -1.0, 0.0
        for lift, after in [*steps[side], (_LATE, 0.0)]:
            out = np.radians(facing + 8.0 * sign)
            place = sign * 0.1 * np.array([np.cos(np.radians(facing)), -np.sin(np.radians(facing))])
            last = lift == _LATE
            row.append(
                Footprint(
                    (float(place[0]), float(place[1])),
                    float(out),
                    heel=(down, lift - (0.0 if last else 0.10)),
                    toe=(down + (0.05 if down > 0.0 else 0.0), lift),
                    strike=0.10 if down > 0.0 else 0.0,
                    push=0.0 if last else -0.45,
                )
            )
            down, facing = lift + air, after
        plants[side] = row
    done = start + 2 * turns * pace
    duration = done + 0.45
    # Head first, then shoulders, then hips.
    hips = [(0.1, (0.0, 2.0, 0.0)), (done, (angle, 2.0, 0.0))]
    t = frame_times(duration, fps)
    weight = np.zeros((len(t), 3))
    weight[:, 1] = STANDING - 0.016
    sway = [(0.0, 0.0)]
    for index in range(2 * turns):
        away = -1.0 if order[index % 2] == "Left" else 1.0
        sway.append((start + index * pace + 0.5 * air, 0.035 * away))
    sway.append((done + 0.25, 0.0))
    across = keyed(t, sway)
    facing_now = np.radians(keyed(t, [(time, value[0]) for time, value in hips]))
    weight[:, 0] = across * np.cos(facing_now)
    weight[:, 2] = -across * np.sin(facing_now)
    ahead = float(np.sign(angle)) * min(18.0, 0.3 * abs(angle))
    return stage(
        fps,
        duration,
        plants,
        swings={side: [Swing(lift=0.035)] * (len(row) - 1) for side, row in plants.items()},
        pelvis=weight,
        hips=hips,
        spine=[(0.0, (2.0, 0.0, 0.0)), (start + 0.3 * (done - start), (3.0, 0.6 * ahead, 0.0)),
               (done, (2.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 2.0)), (start, (ahead, 3.0)), (0.85 * done, (angle, 2.0))],
        arms={
            side: [(0.0, HANGING), (0.5 * done, (4.0 + sign * 0.4 * ahead, 11.0, 12.0, 22.0)),
                   (done + 0.2, HANGING)]
            for side, sign in (("Left", -1.0), ("Right", 1.0))
        },
    )  # fmt: skip


# A straight line of even steps, to be warped onto other stones.
STONES = ((0.1, 0.5), (-0.1, 1.0), (0.1, 1.5), (-0.1, 2.0))


def stepping(fps: float, stones: Sequence[tuple[float, float]] = STONES, pace: float = 0.9) -> Take:
    """From stone to stone, left foot first: one key per step, the rest interpolated.

    Parameters
    ----------
    stones
        Floor points (x, z) for left, right, left ... foot, metres.
    pace
        Seconds a step.
    """
    if len(stones) < 2 or pace <= 0.0:
        raise MotionError("stepping: expected at least two stones and a positive pace")
    start, air = 0.4, 0.55 * pace
    feet: dict[str, list[Footprint]] = {}
    last_lift = start + len(stones) * pace
    for index, side in enumerate(("Left", "Right")):
        sign = 1.0 - 2.0 * index
        places = [(0.1 * sign, 0.0), *stones[index::2]]
        lifts = [start + (index + 2 * k) * pace for k in range(len(places) - 1)]
        if (len(stones) - 1) % 2 != index:
            # The other foot closes up beside the last stone.
            places.append((stones[-1][0] + 0.2 * sign, stones[-1][1]))
            lifts.append(last_lift)
        row, down = [], -1.0
        for k, place in enumerate(places):
            lift = lifts[k] if k < len(lifts) else _LATE
            row.append(
                Footprint(
                    (float(place[0]), float(place[1])),
                    0.12 * sign,
                    heel=(down, lift - (0.16 if lift < _LATE else 0.0)),
                    toe=(down + (0.09 if down > 0.0 else 0.0), lift),
                    strike=0.12 if down > 0.0 else 0.0,
                    push=-0.65 if lift < _LATE else 0.0,
                )
            )
            down = lift + air
        feet[side] = row
    # One key per step: the pelvis over the foot that stands while the other is in the air.
    stand_at = [(-0.1, 0.0), *stones, (stones[-1][0], stones[-1][1])]
    body = [(0.0, (0.0, -0.012, 0.0)), (0.2, (-0.03, -0.02, 0.0))]
    for k in range(len(stones) + 1):
        x, z = stand_at[k]
        middle = start + k * pace + 0.35 * air
        if middle > last_lift + air:
            break
        body.append((middle, (0.62 * x, -0.035, z + 0.02)))
    end_x = stones[-1][0] + (0.1 if len(stones) % 2 == 0 else -0.1)
    done = last_lift + pace
    body.append((done, (end_x, -0.012, stones[-1][1])))
    beats = [start + k * pace + 0.5 * air for k in range(len(stones) + 1)]
    swing = [(b, 1.0 if k % 2 == 0 else -1.0) for k, b in enumerate(beats)]
    return stage(
        fps,
        done + 0.3,
        feet,
        swings={
            side: [Swing(lift=0.12, brake=(4.0, 3.0))] * (len(row) - 1)
            for side, row in feet.items()
        },
        pelvis=body,
        hips=[(0.0, (0.0, 3.0, 0.0)), *((b, (4.0 * w, 5.0, -3.0 * w)) for b, w in swing),
              (done, (0.0, 3.0, 0.0))],
        spine=[(0.0, (3.0, 0.0, 0.0)), *((b, (8.0, -8.0 * w, 3.0 * w)) for b, w in swing),
               (done, (3.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 22.0)), (done - 0.4, (0.0, 22.0)), (done + 0.2, (0.0, 4.0))],
        arms={
            side: [(0.0, HANGING),
                   *((b, (8.0 - sign * 14.0 * w, 26.0, 6.0, 30.0)) for b, w in swing),
                   (done, HANGING)]
            for side, sign in (("Left", 1.0), ("Right", -1.0))
        },
    )  # fmt: skip
