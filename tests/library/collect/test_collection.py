"""Collections."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw


def test_collecting_registers_a_kind(library: mw.Library) -> None:
    found = library.collect("walks/walk.npz", frames=(0, 40), limit=0.25)
    assert len(found) >= 2
    assert len(found.motions) == len(found) + 1
    curve = found.registered(["speed"], most=3)
    assert len(curve.motions) >= 2


def test_several_examples_collect_what_is_of_the_kind_of_any(library: mw.Library) -> None:
    walk, jog = "walks/walk.npz", "jogs/jog.npz"
    frames = [(0, 40), (0, 30)]
    alone = [
        library.collect(one, frames=which) for one, which in zip((walk, jog), frames, strict=True)
    ]
    both = library.collect(walk, jog, frames=frames)
    clips = [{match.clip for match in found.matches + found.outliers} for found in (*alone, both)]
    assert clips[2] == (clips[0] | clips[1])
    assert {match.example for match in both.matches} == {0, 1}
    assert both.examples[1].name == both.motions[1].name
    assert len(both.motions) == len(both) + 2
    assert not set(both.others) & clips[2]


def test_each_of_several_examples_has_its_own_frames(library: mw.Library) -> None:
    with pytest.raises(mw.LibraryError, match="of each of 2 examples"):
        library.collect("walks/walk.npz", "jogs/jog.npz", frames=(0, 40))
    with pytest.raises(mw.LibraryError, match="give one or more examples"):
        library.collect()


def test_the_mirror_image_of_a_turn_is_collected_if_it_is_wanted(library: mw.Library) -> None:
    plain = library.collect("walks/walk_left.npz", frames=(0, 100), most=50)
    assert not any(match.mirrored for match in plain.matches)
    both = library.collect("walks/walk_left.npz", frames=(0, 100), most=50, mirrored=True)
    assert ("walks/walk_right.npz", True) in {(m.clip, m.mirrored) for m in both.matches}
    # All turn the way of the example once they are mirrored.
    turns = both.values(["turn"])["turn"]
    assert np.all(np.sign(turns) == np.sign(turns[0]))
