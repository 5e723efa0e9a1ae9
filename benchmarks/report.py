"""The tables, as Markdown and JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measure import Result
from benchmarks.quality import FIGURES

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_NOTES = {
    "limit": "lower bound",
    "numpy": "straightforward",
    "paper": "published",
}


def setting() -> dict[str, str]:
    """What was measured on."""
    names = ("numpy", "scipy", "numba")
    return {
        "cores": str(os.cpu_count()),
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{name: version(name) for name in names},
    }


def to_json(
    speed: list[tuple[str, list[Result]]],
    memory: list[dict[str, Any]],
    drags: list[dict[str, Any]],
    quality: list[dict[str, Any]],
    peers: dict[str, str],
) -> dict[str, Any]:
    """Everything as one JSON value."""
    return {
        "setting": setting(),
        "peers": peers,
        "speed": [
            {"work": work, "results": [result.to_dict() for result in results]}
            for work, results in speed
        ],
        "memory": memory,
        "drags": drags,
        "quality": quality,
    }


def write(data: dict[str, Any], folder: Path) -> None:
    """``results.json`` and ``results.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    (folder / "results.json").write_text(text, encoding="utf-8")
    (folder / "results.md").write_text(markdown(data), encoding="utf-8")


def markdown(data: dict[str, Any]) -> str:
    """The tables for people."""
    setting = ", ".join(f"{k} {v}" for k, v in data["setting"].items())
    parts = [
        f"Measured in one run, in turns, as processor time on one thread ({setting}).",
        "## Speed",
        "Fastest, median and slowest repeat, and how many times as long as motionweave it takes, "
        "fastest against fastest. " + _unrest(data["speed"]),
        _speed(data["speed"]),
    ]
    if data["memory"]:
        parts += [
            "## Memory",
            "Peak of a process that registers, blends and cleans two clips; above what the "
            "same with two seconds needs.",
            _memory(data["memory"]),
        ]
    if data["drags"]:
        parts += [
            "## From a drag to the screen",
            "Wall time from the pointer's move to the new motion on screen: weights of a blend, "
            "a point of a framespace curve, the frame where a spline leaves, a hand that is "
            "warped. Chromium without a graphics card, 1280 × 720, on the same "
            "cores as the server.",
            _drags(data["drags"]),
        ]
    if data["quality"]:
        parts += [
            "## Quality of blends",
            "Medians of all cases; every method gets the same clips and the same places. "
            + " ".join(f"*{name}*: {what}." for name, what in FIGURES.items()),
            _quality(data["quality"]),
        ]
    return "\n\n".join(parts) + "\n"


def _unrest(rows: list[dict[str, Any]]) -> str:
    """How busy the machine was: what a median repeat took compared with the fastest."""
    measured = [r for row in rows for r in row["results"] if r["kind"] != "paper"]
    timed = [r for r in measured if r.get("repeats", 0) > 1]
    if not timed:
        return ""
    unrest = statistics.median(r["median_s"] / r["least_s"] for r in timed)
    return (
        f"A median repeat took {unrest:.2f} times as long as the fastest one (median of all rows): "
        "the nearer to 1, the quieter the machine was."
    )


def _speed(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| work | who | fastest | median | slowest | ratio | |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        ours = next((r for r in row["results"] if r["kind"] == "ours"), {})
        base = ours.get("least_s", math.nan)
        work = row["work"]
        for result in row["results"]:
            if "missing" in result:
                lines.append(f"| {work} | {result['name']} | missing | | | | {result['missing']} |")
            else:
                once = result["kind"] == "paper" or result["repeats"] == 1
                rest = " | " if once else f"{_time(result['median_s'])} | {_time(result['most_s'])}"
                notes = (result["note"], _NOTES.get(result["kind"], ""))
                note = "; ".join(text for text in notes if text)
                ratio = "1" if result is ours else _ratio(result["least_s"] / base)
                lines.append(
                    f"| {work} | {result['name']} | {_time(result['least_s'])} | {rest} "
                    f"| {ratio} | {note} |"
                )
            work = ""
    return "\n".join(lines)


def _memory(rows: list[dict[str, Any]]) -> str:
    lines = ["| frames per clip | peak | growth | per frame |", "| ---: | ---: | ---: | ---: |"]
    for row in rows:
        grown = row["peak"] - row["base"]
        lines.append(
            f"| {row['frames']} | {row['peak'] / 1e6:.0f} MB | {grown / 1e6:.0f} MB "
            f"| {grown / row['frames'] / 1e3:.1f} kB |"
        )
    return "\n".join(lines)


def _drags(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| screen | clips | playback | median | spread | server | drags |",
        "| --- | --- | --- | ---: | --- | ---: | ---: |",
    ]
    for row in rows:
        what = f"{row['screen']} | {row.get('clips', '–')} | {row['playback']}"
        if "missing" in row:
            lines.append(f"| {what} | missing | {row['missing']} | | |")
        else:
            lines.append(
                f"| {what} | {_time(row['median_s'])} "
                f"| {_time(row['least_s'])} – {_time(row['most_s'])} "
                f"| {_time(row['server_s']) if 'server_s' in row else '–'} | {row['repeats']} |"
            )
    return "\n".join(lines)


def _quality(rows: list[dict[str, Any]]) -> str:
    heads = " | ".join(FIGURES)
    lines = [
        f"| work | clips | method | {heads} |",
        "| --- | --- | --- |" + " ---: |" * len(FIGURES),
    ]
    before = None
    for row in rows:
        group = (row["work"], row["clips"])
        first = f"{row['work']} | {row['clips']} ({row['cases']})" if group != before else " | "
        before = group
        cells = " | ".join(_number(row[name]) for name in FIGURES)
        lines.append(f"| {first} | {row['method']} | {cells} |")
    return "\n".join(lines)


def _time(seconds: float) -> str:
    size, unit = next((u for u in _UNITS if seconds >= u[0]), _UNITS[-1])
    return f"{_number(seconds / size)} {unit}"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    if abs(value) < 0.005:
        return "0"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
