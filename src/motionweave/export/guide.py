"""The README that goes with an exported set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_TEXT = """# {title}

{count} clips, all {length:.3f} s long at {fps:g} frames per second, all in the same phase: frame
for frame they show the same moment of the motion. An engine that blends them frame by frame, as
every engine does, blends strides with strides and contacts with contacts.

| clip | recorded duration (s) | speed (m/s) | turn ({turn_unit}) |
| --- | --- | --- | --- |
{rows}

- `{set_file}` contains all clips as animations of one character; `{first}` and the others contain
  one each.
- `set.json` contains the numbers above, contacts and sync markers; the animations in the glTF files
  have them too, in `extras.motionweave`.
- Metres, +Y up, facing +Z. {root_text}
- {loop_text}

## How fast to play

All clips have the same length here, but not as recorded. With weights w that sum to one, play at
the speed

    {length:.3f} / (w1 * {first_duration:.3f} + w2 * {second_duration:.3f} + ...)

with each clip's own duration from the table. Then each clip alone keeps its own pace, and mixes
have one in between.

## Godot 4

Import `{set_file}` (Advanced Import Settings: {godot_loop}). In an AnimationTree use
BlendSpace1D with `speed` as the position of each clip (BlendSpace2D with `turn` as the other
axis), and turn **Sync** on. Add a TimeScale node after it and set it as above.{godot_root}

## Unity

Import with glTFast or UnityGLTF. Make a 1D Blend Tree with the speeds as thresholds (2D Freeform
Cartesian with turn). {unity_loop}Equal lengths need no "Adjust Time Scale"; set the state's speed
multiplier as above. Markers in `set.json` can become animation events.{unity_root}

## Unreal Engine 5

Import `{set_file}` with Interchange. Make a Blend Space whose axes are speed and turn, and place
the animations at their values. Put them into one Sync Group; the markers of `set.json` are the
sync markers `left_down`, `right_down`. Set the play rate as above.{unreal_root}
"""


def readme(title: str, told: dict[str, Any], set_file: str) -> str:
    """The text for a set whose numbers are ``told``, as in ``set.json``."""
    clips: Sequence[dict[str, Any]] = told["clips"]
    moving, loop = told["root"] == "motion", told["loop"]
    bone = told["root_joint"]
    rows = "\n".join(
        f"| {one['name']} | {one['duration']:.3f} | {one['parameters']['speed']:.3f} "
        f"| {one['parameters']['turn']:.1f} |"
        for one in clips
    )
    return _TEXT.format(
        title=title,
        count=len(clips),
        length=told["length"],
        fps=told["fps"],
        turn_unit="degrees per second" if loop else "degrees",
        rows=rows,
        set_file=set_file,
        first=clips[0]["file"],
        first_duration=clips[0]["duration"],
        second_duration=clips[-1]["duration"],
        root_text=f"The bone `{bone}` on the floor carries the travel."
        if moving
        else f"The clips stay in place; the bone `{bone}` on the floor does not move.",
        loop_text="The clips are loops: the last frame is the first one again, moved on."
        if loop
        else 'The clips are not loops; of gaits, a registration with `ends="cyclic"` makes some.',
        godot_loop="Loop Mode: Linear for each animation" if loop else "no loop",
        godot_root=f" Set the root motion track to `{bone}`." if moving else "",
        unity_loop="Turn **Loop Time** on. " if loop else "",
        unity_root=f" Set `{bone}` as the root motion node and apply root motion."
        if moving
        else "",
        unreal_root=" Enable root motion in each animation." if moving else "",
    )
