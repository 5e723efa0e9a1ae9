"""Compile everything in advance, for images, classrooms and presentations."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionweave.clips import load, save
from motionweave.contacts.clean.footskate import clean_feet
from motionweave.core.runtime.kernels import compiling
from motionweave.errors import MissingDependencyError
from motionweave.library.collect.activity import Activity
from motionweave.library.index.features import track
from motionweave.library.search.subsequence import paths
from motionweave.methods.blending.blend import blend
from motionweave.methods.blending.stepper import Stepper
from motionweave.methods.blending.transition import transition
from motionweave.methods.framespace.blend import framespace
from motionweave.methods.subspace.fitting import subspace
from motionweave.methods.warping.keys import Key
from motionweave.methods.warping.warp import warp
from motionweave.registration.register import register
from motionweave.registration.timewarp import project
from motionweave.rendering.render import render
from motionweave.samples.clips import sample


@dataclass(frozen=True)
class WarmUp:
    """What `warm_up` did.

    Parameters
    ----------
    compiled
        Names of the kernels that were compiled; empty if all were compiled already.
    seconds
        How long compiling took.
    """

    compiled: tuple[str, ...]
    seconds: float


def warm_up() -> WarmUp:
    """Compile every kernel in advance, so that no later process has to.

    Compiled code is kept in Numba's cache: in the folder named by the environment variable
    ``NUMBA_CACHE_DIR``, otherwise beside the installed modules, or, if that is read-only, in the
    user's own cache folder. To prepare an image or a classroom, set ``NUMBA_CACHE_DIR`` to a folder
    that all users can write to, for this call and for theirs: Numba ignores read-only folders.

    Returns
    -------
    WarmUp
        The kernels that were compiled, and how many seconds that took.

    Examples
    --------
    >>> import motionweave as mw
    >>> done = mw.warm_up()
    >>> mw.warm_up().compiled
    ()
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        compiling() as heard,
    ):
        warnings.simplefilter("ignore")
        for work in _works(Path(folder)):
            work()
    return WarmUp(tuple(heard.kernels), heard.seconds)


def _works(folder: Path) -> list[Callable[[], object]]:
    """One small piece of each kind of work: together they call every kernel."""
    walk, jog = sample("walk"), sample("jog")
    landing, jump = sample("landing"), sample("jump")
    blended = register(walk, jog)
    cyclic = register(walk, jog, ends="cyclic")

    def files() -> None:
        save(walk, folder / "walk.bvh")
        load(folder / "walk.bvh")

    def pictures() -> None:
        # Without what writes them there are none, and none of their kernels are called.
        with suppress(MissingDependencyError):
            render(walk[:2], folder / "walk.png", size=(64, 36), frame=0.0)

    return [
        files,
        pictures,
        lambda: blend(blended, [0.5, 0.5]),
        # Means of more than two.
        lambda: blend(register(walk, jog, sample("sneak")), [0.4, 0.3, 0.3]),
        lambda: clean_feet(walk),
        # Time warping with large slope limits.
        lambda: register(walk, jog, ends="free", slope_limit=8),
        lambda: project(np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 3.1], [3.0, 4.0]]), 0, 0.3),
        lambda: Stepper(cyclic).step([0.5, 0.5], 1.0 / 30.0),
        lambda: transition(walk, jog),
        lambda: framespace([walk, jog], "concatenate"),
        lambda: subspace(landing, jump).transition(),
        lambda: warp(walk, [Key(20, "left_hand", offset=(0.0, 0.1, 0.0))]),
        lambda: paths(np.ones((4, 8))),
        lambda: Activity.of([track(walk)]),
    ]
