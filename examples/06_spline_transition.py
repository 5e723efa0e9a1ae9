"""From a landing into a jump: plain, and with weight."""

import motionweave as mw

landing, jump = mw.sample("landing"), mw.sample("jump")
space = mw.subspace(landing, jump)
print(f"the subspace keeps {space.explained:.0%} of the variation in the clips")

plain = space.transition(leave=24, enter=20, degree=2)
heavy = space.transition(leave=24, enter=20, degree=4, length=1.8, bias=0.5)
for name, made in (("plain", plain), ("heavy", heavy)):
    print(f"{name}: {made.duration:.2f} s from landing to jump")
    mw.save(made.motion, f"{name}.bvh")
