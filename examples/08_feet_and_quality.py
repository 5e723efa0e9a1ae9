"""Measure a blend, plant its feet, measure again."""

import motionweave as mw
from motionweave.plots.quality import quality_plot

walk, sneak = mw.sample("walk"), mw.sample("sneak")
blend = mw.blend(mw.register(walk, sneak), [0.5, 0.5])
clean = mw.clean_feet(blend)

for name, motion in (("before", blend), ("after", clean)):
    found = mw.quality(motion, [walk, sneak])
    print(f"{name}: feet slide by {100 * found.skate_mean:.3f} % of leg length per frame,")
    print(f"  sink by up to {100 * found.penetration_max:.2f} %, {len(found.seams)} seams")
quality_plot([blend, clean], "feet.png", labels=["before", "after"])
mw.save(clean, "clean.bvh")
