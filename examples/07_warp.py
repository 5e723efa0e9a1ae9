"""Change one clip: a higher jab, a stoop, different timing."""

import motionweave as mw

jab, walk = mw.sample("jab"), mw.sample("walk")

hit = mw.Key(20, "left_hand", offset=(0.0, 0.2, 0.0))  # 20 cm higher at frame 20
mw.save(mw.warp(jab, [hit]), "jab_higher.bvh")

stoop = [mw.Key(0, "spine", turn=(25, 0, 0)), mw.Key(0, "head", turn=(-20, 0, 0))]
mw.save(mw.warp(walk, stoop, hold=True), "stoop.bvh")

last = len(walk) - 1
hesitating = mw.warp(walk, [], time_keys=[(0, 0), (40, 40), (70, 48), (last + 22, last)])
mw.save(hesitating, "hesitating.bvh")
