"""A framespace drawn: the clips' states, which of them correspond, and the interpolant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.analysis.flexion import flexions
from motionweave.analysis.states import LOWER, UPPER, State
from motionweave.framespace.blend import Framespace, Matched
from motionweave.framespace.correspondence import Correspondence
from motionweave.framespace.interpolant import Interpolant, as_interpolant
from motionweave.plots.figure import FAINT, GRID, INK, SERIES, finish, new_figure, styled

# Widest the event table gets, in columns of states, before it is cut.
_MOST_STATES = 26


def plot_framespace(
    space: Framespace,
    interpolant: Interpolant | str | Any,
    cycles: int = 6,
    path: str | Path | None = None,
) -> Any:
    """Event table, correspondences and interpolant of a framespace.

    Parameters
    ----------
    space
        The matched clips.
    interpolant
        The curve, as `Framespace.interpolate` takes it.
    cycles
        How many cycles it is drawn over.
    path
        Where to write the picture (png, pdf, svg); None to get only the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    curve = as_interpolant(interpolant, len(space.bases))
    matched = space.matched(cycles)
    names = [
        f"{name}  {basis.period:.2f} s"
        for name, basis in zip(space.names, matched.bases, strict=True)
    ]
    halves: list[tuple[str, Correspondence]] = [("lower body", matched.lower)]
    if matched.upper is not matched.lower:
        halves.append(("upper body", matched.upper))
    elif any(b.events.upper for b in matched.bases):
        halves = [("whole body", matched.lower)]
    rows = max(len(b.events) for b in matched.bases)
    table_height = 0.17 * min(rows, _MOST_STATES) + 0.7
    with styled():
        figure = new_figure(12.0, table_height + 1.5 * len(halves) + 0.5 * len(names) + 3.2)
        grid = figure.add_gridspec(
            2 + len(halves),
            1,
            height_ratios=[table_height, *[0.9 + 0.5 * len(names)] * len(halves), 2.6],
        )
        _draw_events(figure.add_subplot(grid[0]), matched, names)
        for row, (title, match) in enumerate(halves, start=1):
            _draw_match(figure.add_subplot(grid[row]), title, match, matched, names)
        _draw_interpolant(figure.add_subplot(grid[len(halves) + 1]), space, matched, curve, cycles)
        return finish(figure, path)


def plot_decoupling(
    together: Framespace,
    apart: Framespace,
    interpolant: Interpolant | str | Any,
    cycles: int = 6,
    joint: str = "L.S",
    path: str | Path | None = None,
) -> Any:
    """What decoupling the halves of the body changes: phases and a joint's flexion.

    Parameters
    ----------
    together, apart
        The same clips, not decoupled and decoupled.
    interpolant, cycles
        As in `Framespace.interpolate`.
    joint
        Whose flexion is shown, as in event labels: ``L.S`` is the left shoulder.
    path
        Where to write the picture; None to get only the figure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    curve = as_interpolant(interpolant, len(together.bases))
    fps = together.bases[0].motion.fps
    track = apart.matched(cycles).track(curve, cycles, fps)
    time = np.arange(len(track.x)) / fps
    with styled():
        figure = new_figure(11.0, 6.0)
        phase_axes, flexion_axes = figure.subplots(2, 1, sharex=True)
        for i, name in enumerate(apart.names):
            ahead = track.upper[:, i] - track.lower[:, i]
            # Faint where the clip has no say.
            for weight in np.linspace(0.0, 0.9, 10):
                seen = np.where(track.weights[:, i] >= weight, ahead, np.nan)
                phase_axes.plot(time, seen, color=SERIES[i], alpha=0.12, linewidth=2.5)
            phase_axes.plot([], [], color=SERIES[i], label=name)
        phase_axes.axhline(0.0, color=FAINT, linewidth=0.8)
        phase_axes.set_title("decoupled: each clip's upper body ahead of its lower body")
        phase_axes.set_ylabel("cycles")
        phase_axes.legend(loc="upper left")
        for space, colour, label in (
            (together, SERIES[2], "coupled"),
            (apart, SERIES[3], "decoupled"),
        ):
            angle = flexions(space.interpolate(curve, cycles))[joint]
            flexion_axes.plot(time, np.degrees(angle), color=colour, label=label)
        flexion_axes.set_title(f"flexion of {joint}")
        flexion_axes.set_ylabel("degrees")
        flexion_axes.set_xlabel("seconds")
        flexion_axes.legend(loc="upper left")
        return finish(figure, path)


def _draw_events(axes: Any, matched: Matched, names: Sequence[str]) -> None:
    """A column of states for each clip and half of the body: the paper's Table 1."""
    axes.axis("off")
    axes.set_title("events, at shares of each clip's cycle (in bold: matched)")
    columns = [
        (basis.events, half, k) for k, basis in enumerate(matched.bases) for half in (LOWER, UPPER)
    ]
    width = 1.0 / len(columns)
    deepest = max(min(len(t.lower if h == LOWER else t.upper), _MOST_STATES) for t, h, _ in columns)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(deepest + 1.2, -0.8)
    for place, (table, half, k) in enumerate(columns):
        left = place * width
        axes.text(left, -0.1, f"{names[k]}, {half}", color=SERIES[k], fontweight="bold", fontsize=8)
        states = table.lower if half == LOWER else table.upper
        match = matched.lower if half == LOWER else matched.upper
        shown = states[:_MOST_STATES]
        for row, state in enumerate(shown, start=1):
            hit = _is_matched(state, match, k)
            axes.text(
                left,
                row,
                f"{state.time:.2f}  {', '.join(sorted(state.labels))}",
                fontsize=7,
                color=INK if hit else FAINT,
                fontweight="bold" if hit else "normal",
            )
        if len(states) > len(shown):
            axes.text(left, deepest + 1, f"and {len(states) - len(shown)} more", fontsize=7)


def _is_matched(state: State, match: Correspondence, clip: int) -> bool:
    times = np.mod(match.times[:, clip], 1.0) if match.cyclic else match.times[:, clip]
    return any(
        abs(time - state.time) < 1e-9 and labels & state.labels
        for time, labels in zip(times, match.labels, strict=True)
    )


def _draw_match(
    axes: Any, title: str, match: Correspondence, matched: Matched, names: Sequence[str]
) -> None:
    """One line a clip, its states on it, and the matched ones joined."""
    count = match.clips
    axes.set_title(f"correspondence, {title}")
    low = min(0.0, float(match.times.min()))
    high = float(match.times.max()) + (0.02 if not match.cyclic else 0.0)
    high = max(high, 1.0)
    for k in range(count):
        axes.axhline(k, color=GRID, linewidth=4.0, zorder=0)
        for state in matched.bases[k].events.states:
            for turn in (-1, 0, 1, 2) if match.cyclic else (0,):
                if low <= state.time + turn <= high:
                    axes.plot([state.time + turn], [k], "|", color=FAINT, markersize=7, zorder=1)
    for n, (labels, times) in enumerate(zip(match.labels, match.times, strict=True)):
        colour = SERIES[n % len(SERIES)]
        axes.plot(times, np.arange(count), color=colour, marker="o", markersize=4, zorder=3)
        axes.annotate(
            "\n".join(sorted(labels)),
            (times[0], 0.0),
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=6.5,
            color=colour,
        )
    axes.set_yticks(range(count), names)
    axes.set_ylim(count - 0.6, -1.0)
    axes.set_xlim(low - 0.02, high + 0.02)
    axes.set_xlabel("cycles of each clip")


def _draw_interpolant(
    axes: Any, space: Framespace, matched: Matched, curve: Interpolant, cycles: int
) -> None:
    """The curve, its vertices, and the states' event lines as the weights move them."""
    length = cycles if matched.cyclic else 1
    points = curve.points(400)
    axes.set_title("interpolant")
    for axis, name in enumerate("yz"[: points.shape[1] - 1], start=1):
        colour = INK if axis == 1 else SERIES[3]
        axes.plot(points[:, 0] * length, points[:, axis], color=colour, linewidth=2.0, label=name)
        axes.plot(
            curve.vertices[:, 0] * length,
            curve.vertices[:, axis],
            "s--",
            color=colour,
            alpha=0.45,
            markersize=4,
            linewidth=0.7,
        )
    if curve.clips == 2:
        _draw_event_lines(axes, matched, length)
        axes.set_yticks([0.0, 0.5, 1.0], [space.names[0], "", space.names[1]])
    else:
        axes.set_yticks([0.0, 1.0])
        axes.legend(loc="center right")
    axes.set_ylim(-0.05, 1.05)
    axes.set_xlim(0.0, length)
    axes.set_xlabel("cycles" if matched.cyclic else "the clips, played once")


def _draw_event_lines(axes: Any, matched: Matched, length: int) -> None:
    """Where each matched state lies at every y (Eq. 7): straight between the two clips."""
    warp = matched.lower_warp
    warp = warp.starting_at(warp.starts_with(0))
    whole = matched.lower
    shift = np.round(np.mean(warp.phases[0] - whole.times[0])) if matched.cyclic else 0.0
    for n, times in enumerate(whole.times):
        own = times - warp.starts + shift
        for turn in range(-2, length + 2) if matched.cyclic else (0,):
            ends = np.array([own[0] + turn, own[1] + turn])
            ends[1] += np.round(ends[0] - ends[1])
            axes.plot(ends, [0.0, 1.0], color=SERIES[n % len(SERIES)], linewidth=0.6, alpha=0.6)
