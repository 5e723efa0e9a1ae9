"""Weights, distances and contacts of the blend screen as its widgets draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionweave.core.constraints import kinds as kinds_of
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.verdict import Verdict
from motionweave.studio.screens.blend.keys import WeightKey, weights_at
from motionweave.studio.screens.blend.model import BlendDetails
from motionweave.studio.screens.screen import series
from motionweave.studio.ui.components import HeatMap

# Points that a curve of weights is drawn with, and that the path through a heat map is.
_DRAWN = 160
_PATH = 200


def weight_lines(
    keys: Sequence[WeightKey], weights: Sequence[float], duration: float
) -> list[dict[str, Any]]:
    """A line per clip; without keys the weights stay what they are."""
    if not weights:
        return []
    at = np.linspace(0.0, duration, _DRAWN)
    function = weights_at(keys or ((0.0, tuple(weights)),), len(weights))
    rows = np.array([function(t) for t in at])
    rows = rows / rows.sum(axis=1, keepdims=True)
    return [
        {"color": series(j), "points": np.stack([at, rows[:, j]], axis=1).round(4).tolist()}
        for j in range(len(weights))
    ]


def weight_handles(keys: Sequence[WeightKey]) -> list[dict[str, Any]]:
    """A handle a key and clip."""
    return [
        {"id": f"{i}:{j}", "x": t, "y": row[j], "color": series(j)}
        for i, (t, row) in enumerate(keys)
        for j in range(len(row))
    ]


def in_words(verdict: Verdict | None) -> str:
    """What a registration took, and why."""
    if verdict is None:
        return ""
    taken = {"fixed": "Whole clips", "free": "Best stretch", "cyclic": "One cycle of each"}
    said = taken.get(verdict.ends, "Through the given frames")
    agree = f"poses differ by {verdict.agreement.poses:.0%} of the height"
    return f"{said}{f': {verdict.why}' if verdict.why else ''}; {agree}."


def draw_distances(heat: HeatMap, details: BlendDetails, chosen: int) -> None:
    """The distances from the reference to a clip, and the path through them."""
    curve = details.registered.curve
    u = np.linspace(curve.timewarp.start, curve.timewarp.end * (1.0 - 1e-12), _PATH)
    names = [clip.name for clip in details.clips]
    reference = curve.reference
    heat.set(
        details.registered.grids[chosen],
        rows=(names[reference], len(curve.motions[reference]) - 1),
        columns=(names[chosen], len(curve.motions[chosen]) - 1),
        path=curve.timewarp.frames(u)[:, [reference, chosen]],
    )


def contact_lanes(
    curve: RegistrationCurve,
) -> tuple[list[dict[str, Any]], list[list[tuple[int, float, float]]]]:
    """A lane a kind of contact and clip, and the matches that link their bars."""
    kinds = sorted({kind for m in curve.motions for kind in kinds_of(m.constraints)})
    lanes = [
        {
            "group": kind.replace("_", " "),
            "color": series(j),
            "bars": np.round(curve.contacts(j, kind), 4).tolist(),
        }
        for kind in kinds
        for j in range(len(curve))
    ]
    links = [
        [
            (kinds.index(match.kind) * len(curve) + j, float(start), float(end))
            for j, (start, end) in enumerate(match.intervals)
        ]
        for match in curve.matches
    ]
    return lanes, links
