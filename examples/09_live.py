"""Steer a character frame by frame, as a game does."""

import math
from pathlib import Path

import motionweave as mw

curve = mw.register(*(mw.sample(name) for name in ("walk", "jog", "sneak")), ends="cyclic")
stepper = curve.stepper()

lines = []
for frame in range(300):
    lively = 0.5 - 0.5 * math.cos(frame / 60)  # in a game, this comes from a joystick
    pose = stepper.step([1.0 - lively, lively, 0.0], dt=1 / 60)
    x, _, z = pose.root
    lines.append(f"{frame},{x:.4f},{z:.4f},{' '.join(sorted(pose.held))}")
Path("steps.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
print(f"moved {math.hypot(x, z):.1f} m in {300 / 60:.0f} s")
