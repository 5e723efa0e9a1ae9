"""Load a clip, look at what is in it, draw it."""

import motionweave as mw
from motionweave.plots.contacts import contact_plot
from motionweave.plots.filmstrip import film_strip

mw.save(mw.sample("walk"), "walk.bvh")  # or a file of your own
walk = mw.load("walk.bvh")

print(f"{walk.name}: {len(walk)} frames at {walk.fps:g} fps, {len(walk.skeleton)} joints")
for contact in walk.constraints:
    print(f"{contact.kind:<11} frames {contact.start:6.1f} to {contact.end:6.1f}")

film_strip(walk, "walk.png", travel=True)
contact_plot(walk, "walk_contacts.png")
