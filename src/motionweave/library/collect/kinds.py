"""Which of the stretches that are similar to an example are of its kind.

How far apart two examples of one kind may be differs from kind to kind: two runs in different
styles are further apart than a straight walk is from a walk around a corner. Kinds are separated by
sparse regions. Stretches that are registered with one example are registered with each other, so
all of them can be compared at once; each is linked to its nearest neighbours, and a random walk
along the links that returns to the example now and then is seldom outside its kind. What it reaches
over a link or two, but which has few of the others around it, is an outlier.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array

# Links of each stretch: a share of all, within these bounds.
_SHARE, _FEWEST, _LINKS = 0.25, 3, 120
# The neighbour whose distance defines what is near, and what is near in any case (leg lengths).
_SCALE, _NEAR = 7, 0.05
# How often the random walk returns to the example.
_RETURN = 0.02
# A stretch is of the kind if it is visited, per link, at least this share as often as the most
# visited.
_VISITED = 0.2
# How many times as far as for most of the kind that neighbour may be, among those of the kind.
_LOOSE = 1.6
# How much a constant posture counts: it is style rather than kind.
_POSTURE = 0.1
# How much dynamics count: the same motion may be done slowly or fast.
_DYNAMICS = 0.3
# How many times as large or small a movement may be before its size counts.
_LARGER = 2.5
# Moments at either end, and how much these count once more where the first is at rest: what is
# then in the middle of something longer is something else.
_AT_ENDS, _ENDS = 3, 2.0
# Shares of its highest speed below which the first is at rest, and above which it is not.
_AT_REST, _MOVING = 0.4, 0.6
# How much a radian of difference in the total turn counts.
_TURN = 0.4
# Distance beyond which two stretches are never linked, in leg lengths.
_FARTHEST = 0.4
_STEPS, _SETTLED = 2000, 1e-9
# A movement that is none.
_STILL = 1e-9


def members(distances: Array) -> NDArray[np.bool_]:
    """Which stretches ``(m,)`` are of the kind of the first.

    Parameters
    ----------
    distances
        ``(m, m)`` of all of them from each other.
    """
    count = len(distances)
    chosen = np.zeros(count, dtype=bool)
    chosen[0] = True
    if count < 2:
        return chosen
    links = _links(distances)
    weight = np.asarray(links.sum(axis=1)).ravel()
    if weight[0] <= 0.0:
        return chosen
    visits = _visits(links, weight) / np.maximum(weight, np.finfo(float).tiny)
    visits[weight <= 0.0] = 0.0
    return np.asarray(chosen | (visits >= _VISITED * visits[1:].max()))


def outlying(distances: Array, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which stretches ``(m,)`` of those that are of the kind of the first are farther from the
    others than these are from each other; the first is none of them.

    Parameters
    ----------
    distances
        ``(m, m)`` of all of them from each other.
    chosen
        ``(m,)`` which are of the kind.
    """
    outliers = np.zeros(len(distances), dtype=bool)
    each = np.flatnonzero(chosen)
    among = np.sort(distances[np.ix_(each, each)], axis=1)
    near = among[:, min(_SCALE, len(each) - 1)]
    outliers[each] = near > _LOOSE * np.median(near)
    outliers[0] = False
    return outliers


def _links(distances: Array):  # type: ignore[no-untyped-def]
    """How strongly stretches are linked, a sparse and symmetric ``(m, m)`` matrix.

    What is near is measured by how near the neighbours are on either side (self-tuning
    affinities, Zelnik-Manor & Perona 2004).
    """
    from scipy.sparse import csr_matrix

    count = len(distances)
    few = int(np.clip(round(_SHARE * count), _FEWEST, _LINKS))
    few = min(few, count - 1)
    nearest = np.argsort(distances, axis=1, kind="stable")
    # A stretch is its own nearest neighbour, or a copy of it is.
    scale = np.take_along_axis(distances, nearest[:, [min(_SCALE, few)]], axis=1)[:, 0]
    scale = np.maximum(scale, _NEAR)
    row = np.repeat(np.arange(count), few + 1)
    column = nearest[:, : few + 1].ravel()
    apart = distances[row, column]
    linked = (row != column) & (apart <= _FARTHEST)
    row, column, apart = row[linked], column[linked], apart[linked]
    strength = np.exp(-(apart**2) / (scale[row] * scale[column]))
    one_way = csr_matrix((strength, (row, column)), shape=(count, count))
    return one_way.maximum(one_way.T)


def _visits(links, weight: Array) -> Array:  # type: ignore[no-untyped-def]
    """How often ``(m,)`` each is visited on a random walk that returns to the first."""
    onwards = links.multiply(1.0 / np.maximum(weight, np.finfo(float).tiny)[:, None]).T.tocsr()
    start = np.zeros(len(weight))
    start[0] = 1.0
    visits = start
    for _ in range(_STEPS):
        following = _RETURN * start + (1.0 - _RETURN) * (onwards @ visits)
        settled = np.abs(following - visits).sum() < _SETTLED
        visits = following
        if settled:
            break
    return np.asarray(visits)


def registered_distances(
    features: Array, courses: Array, turns: Array, poses: int | None = None
) -> Array:
    """Distances ``(m, m)`` in leg lengths between stretches registered with one example.

    Movements are compared as if they were as large as that of the first, within bounds: how large
    and how fast one is done is style rather than kind. How one begins and ends is not. What is done
    between the moments that correspond is not seen here; see
    `motionweave.library.collect.activity`.

    Parameters
    ----------
    features
        ``(m, n, d)`` pose and dynamics at corresponding moments.
    courses
        ``(m, n, 12)``, zero where the example's is not known.
    turns
        ``(m,)`` radians from beginning to end.
    poses
        How many of the features describe the pose; None for all.
    """
    count, moments = features.shape[:2]
    features = np.array(features, dtype=np.float64)
    if poses is not None:
        features[..., poses:] *= _DYNAMICS
    posture = features.mean(axis=1)
    movement = features - posture[:, None]
    size = np.sqrt(np.sum(movement**2, axis=(1, 2), keepdims=True))
    movement *= np.clip(size[:1] / np.maximum(size, _STILL), 1.0 / _LARGER, _LARGER)
    ends = _at_rest(features[0, :, :poses], movement)
    parts = [
        movement.reshape(count, -1) / np.sqrt(moments),
        np.sqrt(_ENDS) * ends.reshape(count, -1),
        np.sqrt(_POSTURE) * posture,
        courses.reshape(count, -1) / np.sqrt(moments),
        _TURN * turns[:, None],
    ]
    table = np.concatenate(parts, axis=1)
    squares = np.einsum("ij,ij->i", table, table)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * table @ table.T, 0.0))
    np.fill_diagonal(apart, 0.0)
    return np.asarray(apart)


def _at_rest(first: Array, movement: Array) -> Array:
    """Movements ``(m, k, d)`` at those ends at which the first, with poses ``(n, a)``, is at rest;
    the sum of their squares is the mean over the moments."""
    count = min(_AT_ENDS, len(first))
    speeds = np.linalg.norm(np.diff(first, axis=0), axis=1)
    fastest = float(speeds.max(initial=_STILL))
    parts = []
    for end, step in ((slice(0, count), 0), (slice(len(first) - count, None), -1)):
        speed = float(speeds[step]) / fastest if len(speeds) else 1.0
        rests = float(np.clip((_MOVING - speed) / (_MOVING - _AT_REST), 0.0, 1.0))
        parts.append(np.sqrt(rests / (2 * count)) * movement[:, end])
    return np.concatenate(parts, axis=1)
