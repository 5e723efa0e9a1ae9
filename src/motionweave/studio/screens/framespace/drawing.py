"""Events, clocks and axes of the framespace screen as its widgets draw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from motionweave.contacts.states import label_in_words
from motionweave.core.arrays import Array
from motionweave.methods.framespace.correspondence import MatchedStates
from motionweave.studio.screens.framespace import model
from motionweave.studio.screens.framespace.model import Made
from motionweave.studio.screens.screen import series

# Points of the interpolant and of the clocks that go to the browser.
DRAWN = 160
# Colours of y and z, by the names that the theme has for them.
COORDINATES = ("accent", "second")


def in_words(labels: Iterable[str]) -> str:
    """What labels mean."""
    return ", ".join(label_in_words(label) for label in sorted(labels))


def event_lanes(
    made: Made,
) -> tuple[list[dict[str, Any]], list[list[tuple[int, float]]], list[list[float]]]:
    """Lanes, links and phases as `EventLanes` shows them."""
    matched = made.matched
    halves: tuple[tuple[str | None, MatchedStates, Array], ...] = (
        (None, matched.lower, made.track.lower),
    )
    if matched.upper is not matched.lower:
        halves = (
            ("lower", matched.lower, made.track.lower),
            ("upper", matched.upper, made.track.upper),
        )
    lanes: list[dict[str, Any]] = []
    links: list[list[tuple[int, float]]] = []
    heads = []
    picked = np.linspace(0, len(made.track.x) - 1, min(DRAWN, len(made.track.x))).round()
    for half, match, phases in halves:
        begin = len(lanes)
        for i, basis in enumerate(matched.bases):
            times = match.times[:, i] % 1.0
            names = model.state_ids(i, basis.events.states)
            states = [
                {
                    "id": name,
                    "at": float(s.time),
                    "text": " ".join(sorted(s.labels)),
                    "words": in_words(s.labels),
                    "matched": bool(np.any(np.abs(times - s.time % 1.0) < 1e-6)),
                }
                for name, s in zip(names, basis.events.states, strict=True)
                if half in (None, s.half)
            ]
            title = made.clips[i].name if half is None else f"{made.clips[i].name} {half}"
            lanes.append({"name": title, "color": series(i), "states": states})
        links += [
            [(begin + i, float(t)) for i, t in enumerate(row)] for row in match.times.round(5)
        ]
        heads.append(phases[picked.astype(int)])
    rows: list[list[float]] = np.concatenate(heads, axis=1).round(4).tolist()
    return lanes, links, rows


def clock(made: Made, step: float) -> list[list[float]]:
    """Pairs (seconds, cycles) along the result."""
    x = made.x
    frames = np.linspace(0, len(x) - 1, min(DRAWN, len(x))).round().astype(int)
    pairs: list[list[float]] = np.stack([frames * step, x[frames]], axis=1).round(4).tolist()
    return pairs


def axis_names(names: Sequence[str], span: float) -> list[dict[str, Any]]:
    """What the bottom and the top of the interpolant's axes mean."""
    if len(names) == 2:
        return [
            {"x": span, "y": float(i), "text": f"only {name}", "color": series(i)}
            for i, name in enumerate(names)
        ]
    a, b, c, d = names
    return [
        {"x": 0.0, "y": 0.0, "text": f"{a}, {c}", "color": COORDINATES[0]},
        {"x": 0.0, "y": 1.0, "text": f"{b}, {d}", "color": COORDINATES[0]},
        {"x": span, "y": 0.0, "text": f"{a}, {b}", "color": COORDINATES[1]},
        {"x": span, "y": 1.0, "text": f"{c}, {d}", "color": COORDINATES[1]},
    ]
