"""Make the pictures of the documentation: ``python docs/pictures.py [NAME ...]``.

Every picture is drawn by `motionweave.plots` or `motionweave.render` from built-in clips. They are
committed, so that reading needs no building; ``make pictures`` regenerates them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.core import rotations
from motionweave.plots import figure as look
from motionweave.plots.contacts import contact_plot
from motionweave.plots.figure import CONTACT
from motionweave.plots.filmstrip import film_strip
from motionweave.plots.framespace import plot_framespace
from motionweave.plots.path import path_plot
from motionweave.plots.quality import quality_plot
from motionweave.plots.registration import registration_plot

IMAGES = Path(__file__).parent / "images"
# Enough for a page's width on a dense screen, little enough for a repository.
_WIDTHS = (1280, 1100, 960, 840)
_LARGEST = 145_000


def hero(path: Path) -> None:
    """A walk, half a walk, a jog."""
    walk, jog = mw.sample("walk"), mw.sample("jog")
    half = mw.blend(mw.register(walk, jog), [0.5, 0.5], clean=True)
    labels = ["walk", "half and half", "jog"]
    film_strip([walk, half, jog], path, frames=8, labels=labels, travel=True)


def strip(path: Path) -> None:
    """Film strips."""
    film_strip([mw.sample("walk"), mw.sample("jog")], path, frames=10)


def registration(path: Path) -> None:
    """A registration curve."""
    registration_plot(mw.register(*(mw.sample(n) for n in ("walk", "jog", "sneak"))), path)


def collapse(path: Path) -> None:
    """What becomes of the way when a left and a right turn are averaged."""
    left, right = mw.sample("walk_left"), mw.sample("walk_right")
    curve = mw.register(left, right)
    half = [0.5, 0.5]
    motions = [left, right, mw.blend(curve, half, method="linear"), mw.blend(curve, half)]
    path_plot(motions, path, labels=["left", "right", "linear blend", "registered blend"])


def transition(path: Path) -> None:
    """A walk that becomes a jog."""
    joined = mw.transition(mw.sample("walk"), mw.sample("jog"), clean=True)
    film_strip(joined, path, frames=14, travel=True, labels=["walk to jog"])


def parametric(path: Path) -> None:
    """Walks of given turns."""
    from motionweave.measure.measures import turn_angle

    curve = mw.register(mw.sample("walk_left"), mw.sample("walk_right"))
    space = mw.parametric(curve, {"turn": turn_angle})
    low, high = space.ranges["turn"]
    turns = np.round(np.linspace(0.95 * low, 0.95 * high, 5), -1) + 0.0
    motions = [space.at(turn=turn).motion for turn in turns]
    # All from one place and in one direction, to compare.
    path_plot([_at_start(m) for m in motions], path, labels=[f"turn {t:.0f}°" for t in turns])


def framespace(path: Path) -> None:
    """Events, correspondence and interpolant."""
    plot_framespace(mw.Framespace([mw.sample("jog"), mw.sample("walk")]), "concatenate", 6, path)


def _operations(shape: str, path: Path) -> None:
    jog, walk, a, b = (mw.sample(name) for name in ("jog", "walk", "dance_a", "dance_b"))
    sets = {"run, walk": (jog, walk), "dances": (a, b), "run, dance": (jog, b)}
    sets["all four"] = (jog, walk, a, b)
    motions = [mw.framespace(list(clips), shape, cycles=6, clean=True) for clips in sets.values()]
    film_strip(motions, path, frames=11, labels=[f"{shape}: {label}" for label in sets])


def concatenations(path: Path) -> None:
    """Four of the framespace paper's eight operations."""
    _operations("concatenate", path)


def mixtures(path: Path) -> None:
    """The other four of the framespace paper's eight operations."""
    _operations("blend", path)


def _gallery(names: tuple[str, ...], path: Path) -> None:
    recipes = Path(__file__).parents[1] / "examples" / "warps"
    walk = mw.sample("walk")
    warped = [mw.load_warp(recipes / f"{name}.yaml").apply(walk) for name in names]
    labels = [name.replace("_", " ") for name in names]
    film_strip(warped, path, frames=8, labels=labels)


def obstacles(path: Path) -> None:
    """One walk, taken past obstacles by the recipes in ``examples/warps``."""
    _gallery(("low_doorway", "step_over", "block", "around_post", "stairs"), path)


def manners(path: Path) -> None:
    """One walk in other manners, by the recipes in ``examples/warps``."""
    _gallery(("limp", "stoop", "tiptoe"), path)


def moods(path: Path) -> None:
    """One walk with a load, with a swagger and in secret, by the same recipes."""
    _gallery(("heavy_weight", "trucking", "sneaky"), path)


def spline(path: Path) -> None:
    """Two clips in their subspace, and splines between them."""
    from motionweave.plots.subspace import subspace_plot

    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    leave, enter = 11, 24
    made = [
        space.transition(leave, enter, degree=2, length=1.0),
        space.transition(leave, enter, degree=4, length=1.6),
    ]
    # As long as the spline, or as what there is of the second clip.
    frames = min(made[0].end - made[0].start, enter)
    plain = _crossfade(space.a[leave:], space.b[: enter + 1], frames)
    subspace_plot(space, made, path, others=[("plain blend", plain, 0, len(plain) - 1)])


def dip(path: Path) -> None:
    """How deep the body dips between a landing and a jump, for longer and longer splines."""
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    lengths = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    with look.styled():
        figure = look.new_figure(9.6, 3.6)
        heights, depths = figure.subplots(1, 2)
        for length, colour in zip((1.0, 1.5, 2.0, 3.0, 8.0), look.SERIES, strict=False):
            made = space.transition(11, 24, degree=4, length=length)
            after = np.arange(made.start, made.end + 1) - made.start
            height = made.motion.root[made.start : made.end + 1, 1]
            heights.plot(after / made.motion.fps, height, color=colour, label=f"{length:g}")
        heights.set(xlabel="seconds after the landing is left", ylabel="height of the pelvis, m")
        heights.legend(title="length")
        for degree, colour in zip((2, 3, 4, 6), look.SERIES, strict=False):
            below = [_dip(space.transition(11, 24, degree=degree, length=n)) for n in lengths]
            depths.plot(lengths, below, ".-", color=colour, label=f"{degree}")
        depths.set(xlabel="length of the spline", ylabel="depth of the dip, m", ylim=(0.0, None))
        depths.legend(title="degree")
        look.finish(figure, path)


def _dip(made: mw.SplineTransition) -> float:
    """How far the pelvis goes below both ends of a transition."""
    height = made.motion.root[made.start : made.end + 1, 1]
    return float(min(height[0], height[-1]) - height.min())


def _crossfade(a: mw.Motion, b: mw.Motion, frames: int) -> mw.Motion:
    """The beginning of one clip fading into the end of another, both facing the same way."""
    share = np.linspace(0.0, 1.0, frames + 1)[:, None]
    share = share * share * (3.0 - 2.0 * share)
    first, last = a[: frames + 1], _at_start(b)[-(frames + 1) :]
    return mw.Motion(
        a.skeleton,
        a.fps,
        (1.0 - share) * _at_start(first).root + share * last.root,
        rotations.slerp(_at_start(first).rotations, last.rotations, share),
    )


def warp(path: Path) -> None:
    """A walk that limps."""
    from motionweave.plots.warp import warp_plot

    recipe = mw.load_warp(Path(__file__).parents[1] / "examples" / "warps" / "limp.yaml")
    walk = mw.sample("walk")
    warp_plot(walk, recipe.apply(walk), recipe, path)


def contacts(path: Path) -> None:
    """When what is planted."""
    contact_plot(mw.sample("walk"), path)


def quality(path: Path) -> None:
    """Feet before and after clean-up."""
    blend = mw.blend(mw.register(mw.sample("walk"), mw.sample("jog")), [0.5, 0.5])
    quality_plot([blend, mw.clean_feet(blend)], path, labels=["before", "after"])


def gaits(path: Path) -> None:
    """A walk, half a walk, a jog, side by side."""
    walk, jog = mw.sample("walk"), mw.sample("jog")
    curve = mw.register(walk, jog, ends="cyclic")
    motions = [mw.blend(curve, [1.0 - w, w], duration=2.0) for w in (0.0, 0.5, 1.0)]
    labels = ["walk", "half and half", "jog"]
    mw.render(motions, path, labels=labels, size=(540, 220), fps=14, background="#ffffff")


def moving_transition(path: Path) -> None:
    """A walk that becomes a jog, with the trails of the feet."""
    joined = mw.transition(mw.sample("walk"), mw.sample("jog"), clean=True)
    mw.render(joined, path, trails=["feet"], view="side", size=(520, 220), fps=20)


def moving_turns(path: Path) -> None:
    """Walks of given turns in one scene."""
    from motionweave.measure.measures import turn_angle

    curve = mw.register(mw.sample("walk_left"), mw.sample("walk_right"))
    space = mw.parametric(curve, {"turn": turn_angle})
    low, high = space.ranges["turn"]
    motions = [_at_start(space.at(turn=t).motion) for t in np.linspace(0.95 * low, 0.95 * high, 3)]
    mw.render(motions, path, layout="overlay", camera="fixed", size=(480, 240), fps=20)


def moving_dance(path: Path) -> None:
    """A jog that mixes with a dance in step with its events."""
    motion = mw.framespace([mw.sample("jog"), mw.sample("dance_b")], "blend", cycles=3, clean=True)
    mw.render(motion, path, size=(320, 200), fps=15)


def moving_spline(path: Path) -> None:
    """A landing that runs on into a jump."""
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    made = space.transition(11, 24, degree=4, length=1.6)
    mw.render(made.motion, path, trails=["hands"], size=(400, 225), fps=20)


def moving_manners(path: Path) -> None:
    """One walk that limps, tiptoes and sneaks."""
    recipes = Path(__file__).parents[1] / "examples" / "warps"
    names = ("limp", "tiptoe", "sneaky")
    walk = mw.sample("walk")
    motions = [mw.load_warp(recipes / f"{name}.yaml").apply(walk) for name in names]
    mw.render(motions, path, labels=names, size=(480, 200), fps=15)


def moving_feet(path: Path) -> None:
    """A blend before and after its feet are planted."""
    curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    motions = [mw.blend(curve, [0.5, 0.5], clean=clean) for clean in (False, True)]
    labels = ["as averaged", "feet planted"]
    mw.render(motions, path, labels=labels, trails=["feet"], view="side", size=(560, 220), fps=20)


def moving_target(path: Path) -> None:
    """A jab as recorded, and on a target."""
    jab = mw.sample("jab")
    hand = jab["left_hand"]
    frame = int(np.argmax(np.linalg.norm(hand.positions - jab.root, axis=1)))
    target = hand.positions[frame] + [0.0, 0.15, 0.05]
    hit = mw.warp(jab, [mw.Key(frame, "left_hand", goal=target)])
    labels = ["recorded", "on target"]
    mw.render(
        [jab, hit], path, labels=labels, trails=["left_hand"], view="side", size=(400, 200), fps=15
    )


def moving_giant(path: Path) -> None:
    """A walk, and the same walk of a giant."""
    walk = mw.sample("walk")
    giant = mw.retarget(walk, mw.sample("jog").scaled(1.8))
    mw.render([walk, giant], path, layout="overlay", view="side", size=(400, 220), fps=15)


def moving_library(path: Path) -> None:
    """A walk through a library of clips."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("walk", "walk_left", "walk_right"):
            mw.save(mw.sample(name), Path(folder) / f"{name}.bvh")
        library = mw.Library(folder)
        library.add()
        made = library.walk(seconds=5.0, seed=1, graph=library.graph(tolerance=3.0))
        mw.render(made.motion, path, trails=["feet"], camera="fixed", size=(400, 200), fps=15)
        library.close()


# Moving pictures: what makes them, and in which format.
MOVING: dict[str, tuple[Callable[[Path], None], str]] = {
    "gaits": (gaits, ".gif"),
    "moving_transition": (moving_transition, ".webp"),
    "moving_turns": (moving_turns, ".webp"),
    "moving_dance": (moving_dance, ".webp"),
    "moving_spline": (moving_spline, ".webp"),
    "moving_manners": (moving_manners, ".webp"),
    "moving_feet": (moving_feet, ".webp"),
    "moving_target": (moving_target, ".webp"),
    "moving_giant": (moving_giant, ".webp"),
    "moving_library": (moving_library, ".webp"),
}

PICTURES: dict[str, Callable[[Path], None]] = {
    f.__name__: f
    for f in (
        hero,
        strip,
        registration,
        collapse,
        transition,
        parametric,
        framespace,
        concatenations,
        mixtures,
        spline,
        dip,
        warp,
        obstacles,
        manners,
        moods,
        contacts,
        quality,
    )
}


def _at_start(motion: mw.Motion) -> mw.Motion:
    from motionweave.body.pose.heading import facing

    turn = mw.Planar(-float(facing(motion)[0]))
    start = turn.apply(motion.root[0])
    return motion.moved(mw.Planar(float(turn.angle), -float(start[0]), -float(start[2])))


def small(path: Path, colours: int = 48) -> None:
    """Few colours, and as wide as the size allows: drawings need no more."""
    from PIL import Image

    with Image.open(path) as picture:
        drawn = picture.convert("RGB")
    for width in _WIDTHS:
        if width < drawn.width:
            size = (width, round(drawn.height * width / drawn.width))
            flat = drawn.resize(size, Image.Resampling.LANCZOS)
        else:
            flat = drawn
        # The marks on the floor have too few pixels to get a colour of their own: give them more.
        known = flat.copy()
        known.paste(CONTACT, (0, 0, flat.width, max(8, flat.height // 60)))
        palette = known.quantize(colours, kmeans=2)
        few = flat.quantize(palette=palette, dither=Image.Dither.NONE)
        # What was nearly white is white, as the paper is.
        few.putpalette([255 if tone > 249 else tone for tone in few.getpalette() or []])
        few.save(path, optimize=True)
        if path.stat().st_size < _LARGEST:
            return


def main(names: list[str]) -> None:
    """Make the pictures of these names, or all."""
    IMAGES.mkdir(exist_ok=True)
    for name in names or (*PICTURES, *MOVING):
        if name in MOVING:
            make, suffix = MOVING[name]
            path = IMAGES / f"{name}{suffix}"
            make(path)
        else:
            path = IMAGES / f"{name}.png"
            PICTURES[name](path)
            small(path)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
