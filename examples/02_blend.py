"""Blend three gaits, with constant weights and with weights that change over time."""

import motionweave as mw

gaits = [mw.sample(name) for name in ("walk", "jog", "sneak")]
curve = mw.register(*gaits, ends="cyclic")

mix = mw.blend(curve, [0.2, 0.5, 0.3], duration=4.0, clean=True)
mw.save(mix, "mix.bvh")


def faster(t: float) -> list[float]:
    """Sneaking at first, then walking, then jogging."""
    late = min(t / 8.0, 1.0)
    return [1.0 - abs(2.0 * late - 1.0), max(2.0 * late - 1.0, 0.0), max(1.0 - 2.0 * late, 0.0)]


mw.save(mw.blend(curve, faster, duration=8.0, clean=True), "faster.bvh")
curve.save("gaits.mwreg")  # keeps the registration for later
