"""A framespace drawn: the clips' states, which of them correspond, and the interpolant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionweave.contacts.states import LOWER, UPPER, EventTable, State
from motionweave.methods.framespace.blend import Framespace
from motionweave.methods.framespace.correspondence import MatchedStates
from motionweave.methods.framespace.interpolant import Interpolant, as_interpolant
from motionweave.methods.framespace.track import Matched
from motionweave.plots.figure import FAINT, GRID, INK, SERIES, finish, new_figure, styled

# Longest a column of the event table gets before it is cut.
_MOST_STATES = 26


class _Line(NamedTuple):
    """A line of the event table."""

    text: str
    colour: str
    bold: bool


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
        How many cycles it spans.
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
    halves: list[tuple[str, MatchedStates]] = [("lower body", matched.lower)]
    if matched.upper is not matched.lower:
        halves.append(("upper body", matched.upper))
    elif any(b.events.upper for b in matched.bases):
        halves = [("whole body", matched.lower)]
    columns = _event_columns(matched, names)
    table_height = 0.16 * _depth(columns) + 0.3
    with styled():
        figure = new_figure(12.0, table_height + 1.5 * len(halves) + 0.5 * len(names) + 3.2)
        grid = figure.add_gridspec(
            2 + len(halves),
            1,
            height_ratios=[table_height, *[0.9 + 0.5 * len(names)] * len(halves), 2.6],
        )
        _draw_events(figure.add_subplot(grid[0]), columns)
        for row, (title, match) in enumerate(halves, start=1):
            _draw_match(figure.add_subplot(grid[row]), title, match, matched, names)
        _draw_interpolant(figure.add_subplot(grid[len(halves) + 1]), space, matched, curve, cycles)
        return finish(figure, path)


def _draw_events(axes: Any, columns: Sequence[Sequence[_Line]]) -> None:
    """The paper's Table 1, a column for each clip, or for each half of each clip."""
    axes.axis("off")
    axes.set_title("events, at shares of each clip's cycle (in bold: matched)")
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(_depth(columns), -0.8)
    for place, column in enumerate(columns):
        for row, line in enumerate(column):
            axes.text(
                place / len(columns),
                row,
                line.text,
                fontsize=7,
                color=line.colour,
                fontweight="bold" if line.bold else "normal",
            )


def _event_columns(matched: Matched, names: Sequence[str]) -> list[list[_Line]]:
    columns: list[list[_Line]] = []
    for k, basis in enumerate(matched.bases):
        halves = []
        for half, match in ((LOWER, matched.lower), (UPPER, matched.upper)):
            states = basis.events.lower if half == LOWER else basis.events.upper
            lines = [_Line(f"{names[k]}, {half} body", SERIES[k], True)]
            for state in states[:_MOST_STATES]:
                hit = _is_matched(state, match, k)
                text = f"{state.time:.2f}  {', '.join(sorted(state.labels))}"
                lines.append(_Line(text, INK if hit else FAINT, hit))
            if len(states) > _MOST_STATES:
                lines.append(_Line(f"and {len(states) - _MOST_STATES} more", FAINT, False))
            halves.append(lines)
        if len(matched.bases) == 2:
            columns += halves
        else:
            columns.append([*halves[0], _Line("", INK, False), *halves[1]])
    return columns


def _depth(columns: Sequence[Sequence[_Line]]) -> float:
    return max(len(column) for column in columns) + 0.3


def _is_matched(state: State, match: MatchedStates, clip: int) -> bool:
    times = np.mod(match.times[:, clip], 1.0) if match.cyclic else match.times[:, clip]
    return any(
        abs(time - state.time) < 1e-9 and labels & state.labels
        for time, labels in zip(times, match.labels, strict=True)
    )


def _states_of(table: EventTable, title: str) -> tuple[State, ...]:
    """The states that a correspondence with this title is about."""
    return {"lower body": table.lower, "upper body": table.upper}.get(title, table.states)


def _draw_match(
    axes: Any, title: str, match: MatchedStates, matched: Matched, names: Sequence[str]
) -> None:
    """One line per clip, its states on it, and the matched ones joined."""
    count = match.clips
    axes.set_title(f"correspondence, {title}")
    matched_times = match.times
    if match.cyclic:
        # Whole cycles do not matter: clips are drawn as close to each other as possible.
        ahead = np.mean(match.times - match.times[:, :1], axis=0)
        matched_times = match.times - np.round(ahead)
    low = min(0.0, float(matched_times.min()))
    high = max(1.0, float(matched_times.max()))
    for k in range(count):
        axes.axhline(k, color=GRID, linewidth=4.0, zorder=0)
        for state in _states_of(matched.bases[k].events, title):
            for turn in (-1, 0, 1, 2) if match.cyclic else (0,):
                if low <= state.time + turn <= high:
                    axes.plot([state.time + turn], [k], "|", color=FAINT, markersize=7, zorder=1)
    for n, (labels, times) in enumerate(zip(match.labels, matched_times, strict=True)):
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
        colour = INK if axis == 1 else FAINT
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
        x = np.linspace(0.0, 1.0, 400)
        shares = np.cumsum(curve.weights(x), axis=1)
        for k, name in enumerate(space.names):
            below = shares[:, k - 1] if k else np.zeros(len(x))
            axes.fill_between(
                x * length,
                below,
                shares[:, k],
                color=SERIES[k],
                alpha=0.18,
                linewidth=0,
                label=name,
            )
        axes.set_yticks([0.0, 1.0])
        axes.legend(loc="center right", title="shades: how much of each clip")
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
