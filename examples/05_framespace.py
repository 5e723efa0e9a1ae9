"""Go from a jog to a walk to a dance along a curve that you draw."""

import motionweave as mw
from motionweave.plots.framespace import plot_framespace

jog, walk, dance = (mw.sample(name) for name in ("jog", "walk", "dance_a"))

space = mw.Framespace([jog, walk])
drawn = mw.Interpolant([[0.0, 0.0], [0.3, 0.0], [0.5, 1.0], [0.7, 1.0], [1.0, 0.2]])
mw.save(space.interpolate(drawn, cycles=8, clean=True), "jog_walk.bvh")
plot_framespace(space, drawn, 8, "jog_walk.png")

mw.save(mw.framespace([walk, dance], "concatenate", cycles=6), "walk_dance.bvh")
