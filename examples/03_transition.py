"""Join clips where they fit best."""

import motionweave as mw
from motionweave.plots.filmstrip import film_strip

sneak, walk, jog = (mw.sample(name) for name in ("sneak", "walk", "jog"))

for place in mw.junctions(walk, jog)[:3]:
    print(f"walk {place.frames[0]:.0f} to jog {place.frames[1]:.0f}: {place.distance:.3f} apart")

joined = mw.transition(sneak, walk, jog, clean=True)
mw.save(joined, "joined.bvh")
film_strip(joined, "joined.png", frames=16, travel=True)
