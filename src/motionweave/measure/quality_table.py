"""The figures of a motion's quality as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motionweave.measure.quality import Quality

_COMPARED = {
    "skate, mean": "skate_mean",
    "skate, largest": "skate_max",
    "depth, mean": "penetration_mean",
    "depth, largest": "penetration_max",
    "floating, mean": "floating_mean",
    "floating, largest": "floating_max",
    "undeclared skate": "undeclared_skate",
}


def table(q: Quality) -> list[tuple[str, str, str]]:
    """Rows of a table of all figures: what, value, note."""
    fastest, hardest = q.fastest, q.hardest
    unit = "leg lengths" if q.has_feet else "body heights"
    return [
        ("clip", f"{(q.frames - 1) / q.fps:.2f} s", f"{q.frames} frames at {q.fps:g} fps"),
        *(_foot_rows(q) if q.has_feet else [("feet", "none", "that are known")]),
        ("seams", str(len(q.seams)), "; ".join(str(seam) for seam in q.seams[:4])),
        (
            "fastest joint",
            f"{fastest.speed:.0f} °/s",
            f"{fastest.joint} at frame {fastest.speed_frame}{_against(fastest.speed_ratio)}",
        ),
        (
            "largest acceleration",
            f"{hardest.acceleration:.0f} °/s²",
            f"{hardest.joint} at frame {hardest.acceleration_frame}"
            f"{_against(hardest.acceleration_ratio)}",
        ),
        (
            "root acceleration",
            f"{q.root_acceleration:.1f}",
            f"{unit}/s² at frame {q.root_acceleration_frame}{_against(q.root_acceleration_ratio)}",
        ),
        *_lowered_rows(q),
        ("root path", f"{q.path_length:.4g}", f"units, {q.path_legs:.2f} {unit}"),
        ("heading", f"{round(q.heading_change):+d}°", "from first to last frame"),
        (
            "wrong bends",
            str(len(q.wrong_bends)),
            "; ".join(
                f"{bend.joint} {bend.worst:.0f}° at frame {bend.worst_frame}"
                for bend in q.wrong_bends
            ),
        ),
    ]


def _foot_rows(q: Quality) -> list[tuple[str, str, str]]:
    contacts = f"{len(q.plants)} contacts" + (", detected" if q.detected else "")
    return [
        ("skate, mean", _percent(q.skate_mean), f"of leg length per frame; {contacts}"),
        ("skate, largest", _percent(q.skate_max), f"{q.skate_speed_max:.4g} units per second"),
        ("depth, mean", _percent(q.penetration_mean), "of leg length"),
        ("depth, largest", _percent(q.penetration_max), "of leg length"),
        ("floating, mean", _percent(q.floating_mean), "of leg length, contacts above the floor"),
        ("floating, largest", _percent(q.floating_max), "of leg length"),
        (
            "undeclared skate",
            _percent(q.undeclared_skate),
            f"of leg length per frame, in {q.undeclared_frames} frames without a contact",
        ),
    ]


def _lowered_rows(q: Quality) -> list[tuple[str, str, str]]:
    if q.hips_lowered_mean is None or q.hips_lowered_max is None:
        return []
    size = "leg length" if q.has_feet else "body height"
    note = f"of {size} on average, {_percent(q.hips_lowered_max)} at most"
    return [("hips lowered", _percent(q.hips_lowered_mean), note)]


def _percent(share: float) -> str:
    return f"{100.0 * share:.3f} %"


def _against(ratio: float | None) -> str:
    return "" if ratio is None else f", {ratio:.2f} times that of the inputs"


def compared(before: Quality, after: Quality) -> str:
    """A table of the numbers that clean-up improves, before and after."""
    lines = [f"  {'% of leg length':<18}  {'before':>7}  {'after':>7}"]
    for what, field in _COMPARED.items():
        values = (100.0 * getattr(one, field) for one in (before, after))
        lines.append(f"  {what:<18}  " + "  ".join(f"{value:7.3f}" for value in values))
    lines.append(f"  {'seams':<18}  {len(before.seams):7d}  {len(after.seams):7d}")
    return "\n".join(lines)
