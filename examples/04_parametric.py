"""Ask for a turn, and get the walk that makes it."""

import motionweave as mw
from motionweave.plots.path import path_plot

curve = mw.register(mw.sample("walk_left"), mw.sample("walk"), mw.sample("walk_right"))
space = mw.parametric(curve, "turn")
low, high = space.ranges["turn"]
print(f"these clips turn by {low:.0f}° to {high:.0f}°")

walks = [space.at(turn=turn) for turn in (-40.0, 0.0, 25.0)]
for walk in walks:
    print(f"asked {walk.asked['turn']:.1f}°, got {walk.values['turn']:.2f}°")
path_plot([walk.motion for walk in walks], "turns.png", labels=["-40°", "0°", "25°"])
mw.save(walks[2].motion, "turn25.bvh")
