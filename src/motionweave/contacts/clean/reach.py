"""The smallest smooth shift of the body that suits legs whose feet are held.

A leg of length ``l`` from a hip at ``h`` reaches an ankle at ``g`` when the shift
``c`` of the body satisfies ``|h + c - g| <= l``: the shift has to lie in a ball, in
the overlap of two balls when both feet are held. Kovar, Schreiner & Gleicher move
the root of each frame to the nearest such point and smooth afterwards, which loses
what was gained. Here both are one problem: over the frames that may change, minimise

    sum |c|^2 + 2 width^2 |c'|^2 + width^4 |c''|^2 + stiffness * max(0, |h + c - g| - l)^2

(these weights are critical damping: a shift fades without swinging to the other side)
by Newton's method on the legs that do not reach; each step is one banded solve.

A leg that is all but straight cannot change its length without the knee snapping
back or forth. There the body follows the foot: ``stiffness * lock * (|h + c - g| - d)^2``
with the leg's own distance ``d``, and a lock that fades in towards full extension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionweave.core.arrays import Array, BoolArray
from motionweave.core.intervals import runs

# Moving the body up or down is cheap, moving it over the floor dear: of the ways to bring
# hip and ankle together, lowering upsets the balance of a pose least.
_COST = np.array([1e3, 1.0, 1e3])
# What a unit of unreached distance costs against a unit of shift, squared.
# Raised step by step: against a stiff wall Newton's active set creeps frame by frame.
_STIFFNESS = 10.0 ** np.arange(6.0)
_MOST_STEPS = 8
_SETTLED = 1e-7


class Pull(NamedTuple):
    """A leg that wants the body near.

    Parameters
    ----------
    leg
        ``(T, 3)`` from the ankle's goal to the hip, before any shift.
    own
        ``(T,)`` how far the two are apart in the clip.
    most
        ``(T,)`` how far they may be apart.
    lock
        ``(T,)`` 0 to 1: how much the leg is to keep its own extension.
    give
        ``(T,)`` by how much it may pass that, as a leg does that stretches.
    grip
        ``(T,)`` 1 where the ankle stays when the body is shifted, 0 where it goes along.
    """

    leg: Array
    own: Array
    most: Array
    lock: Array
    give: Array
    grip: Array


def smooth_shift(pulls: Sequence[Pull], free: BoolArray, width: float) -> Array:
    """Shifts ``(T, 3)`` of the body: zero where no leg needs one or frames are not free.

    Parameters
    ----------
    pulls
        The legs.
    free
        ``(T,)`` frames that may change. Where they border on others, the shift starts
        from zero with no speed.
    width
        Frames over which a shift is spread before and after it is needed.
    """
    shift = np.zeros((len(free), 3))
    for first, last in runs(free):
        part = slice(first, last + 1)
        local = [Pull(*(field[part] for field in pull)) for pull in pulls]
        if any(np.any(_distance(pull, np.zeros(3))[0] != pull.own) for pull in local):
            ends = (first == 0, last == len(free) - 1)
            shift[part] = _solve(local, last - first + 1, ends, width)
    return shift


def _solve(pulls: Sequence[Pull], count: int, open_ends: tuple[bool, bool], width: float) -> Array:
    plain = _smoothness(count, open_ends, width)
    shift = np.zeros((count, 3))
    settled = _SETTLED * max(float(pull.most.max()) for pull in pulls)
    for stiffness in _STIFFNESS:
        for _ in range(_MOST_STEPS):
            new = _newton_step(pulls, plain, shift, stiffness)
            moved = float(np.abs(new - shift).max())
            shift = new
            if moved < settled:
                break
    return shift


def _newton_step(pulls: Sequence[Pull], plain: Array, shift: Array, stiffness: float) -> Array:
    from scipy.linalg import solveh_banded

    banded = plain.copy()
    force = np.zeros_like(shift)
    for pull in pulls:
        distance, direction = _distance(pull, shift)
        over = (pull.grip > 0.0) & (distance > pull.most)
        weight = stiffness * (over + pull.lock)
        # Linear in the shift: distance + direction . (new - shift) shall be the wanted one.
        kept = np.clip(distance, pull.own, pull.own + pull.give)
        wanted = pull.lock * kept + np.where(over, pull.most, 0.0)
        aim = weight * (np.sum(direction * shift, axis=-1) - distance) + stiffness * wanted
        force += aim[:, None] * direction
        for i in range(3):
            for j in range(i, 3):
                banded[6 - (j - i), j::3] += weight * direction[:, i] * direction[:, j]
    new = solveh_banded(
        banded, force.ravel(), overwrite_ab=True, overwrite_b=True, check_finite=False
    )
    return np.asarray(new).reshape(shift.shape)


def _distance(pull: Pull, shift: Array) -> tuple[Array, Array]:
    """How far each hip is from its ankle, and how that changes with the shift."""
    leg = pull.leg + pull.grip[:, None] * shift
    distance = np.linalg.norm(leg, axis=-1)
    return distance, leg * (pull.grip / np.maximum(distance, 1e-300))[:, None]


def _smoothness(count: int, open_ends: tuple[bool, bool], width: float) -> Array:
    """Upper banded form ``(7, 3 * count)`` of the quadratic cost of size, speed and bending.

    Outside a closed end the shift is zero, and a change against it counts; an open end
    is the end of the clip, and nothing lies beyond.
    """
    first = 0 if open_ends[0] else -2
    last = count - 1 if open_ends[1] else count + 1
    diagonals = np.zeros((3, count))
    diagonals[0] += 1.0
    for stencil, weight in (([-1.0, 1.0], 2.0 * width**2), ([1.0, -2.0, 1.0], width**4)):
        size = len(stencil)
        # Rows of the difference over frames start ... start + size - 1.
        starts = np.arange(first, last - size + 2)
        for a in range(size):
            for b in range(a, size):
                inside = (starts + a >= 0) & (starts + b < count)
                # Frames outside are zero: their columns are left out.
                diagonals[b - a, starts[inside] + b] += weight * stencil[a] * stencil[b]
    banded = np.zeros((7, 3 * count))
    for offset in range(3):
        banded[6 - 3 * offset] = np.ravel(diagonals[offset][:, None] * _COST)
    return banded
