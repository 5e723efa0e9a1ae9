"""How hard a join is on the body, and how far what carries it slides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.core.planar import Planar
from motionweave.methods.joining.splice import Spliced
from motionweave.methods.joining.strain import Strain, calmest


def shown(motion: mw.Motion) -> Spliced:
    """A motion from its first frame to its last as the seam between two clips."""
    return Spliced(motion, motion, 0, len(motion) - 1, motion, Planar(0.0, 0.0, 0.0))


def test_clips_neither_strain_nor_slide_by_their_own_measure() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    strain = Strain((walk, jog))
    for clip in (walk, jog):
        assert strain(clip) <= 1.0
        assert strain.slide(shown(clip)) == 0.0


@pytest.mark.parametrize("speed", [0.5, 1.0])
def test_a_body_that_glides_slides_as_far_as_it_glides(speed: float) -> None:
    """Leg lengths per second, over the half second that is looked at."""
    idle = mw.sample("walk")
    still = replace(
        idle,
        root=np.repeat(idle.root[:1], 60, axis=0),
        rotations=np.repeat(idle.rotations[:1], 60, axis=0),
        constraints=(),
    )
    along = np.arange(60)[:, None] / idle.fps * speed * leg_length(idle.skeleton)
    gliding = replace(still, root=still.root + along * np.array([1.0, 0.0, 0.0]))
    assert Strain((still, still)).slide(shown(gliding)) == pytest.approx(0.5 * speed, rel=0.05)


class Rated:
    """Joins named by what they cost."""

    def __init__(self, **costs: float) -> None:
        self.costs = costs

    def cost(self, joined: str) -> float:
        return self.costs[joined]


def choose(places: dict[str, float], strains: dict[str, float], faults: dict[str, float]) -> str:
    looked: list[str] = []

    def look(place: str, joined: object) -> float:
        looked.append(place)
        return faults[place]

    costs = ((cost, place) for place, cost in places.items())
    taken, _ = calmest(costs, lambda place: place, Rated(**strains), look)  # type: ignore[arg-type]
    return f"{taken} after {len(looked)}"


def test_the_cheapest_place_includes_strain_and_faults() -> None:
    places = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.9}
    calm = dict.fromkeys(places, 0.0)
    assert choose(places, calm, calm) == "a after 1"
    assert choose(places, calm | {"a": 0.15}, calm) == "b after 1"
    assert choose(places, calm, calm | {"a": 0.15}) == "b after 2"
    assert choose(places, calm, calm | {"a": 0.5, "b": 0.5}) == "c after 3"
    # A visible jerk is worth a look at a place that is hardly dearer.
    assert choose({"a": 0.1, "b": 0.101}, {"a": 0.028, "b": 0.0}, calm) == "b after 1"
    # What costs more from the outset is not looked at.
    assert choose(places, calm, calm | {"a": 0.7, "b": 0.7, "c": 0.5}) == "a after 3"


def test_an_error_says_why_no_place_works() -> None:
    def refuse(place: str) -> Spliced:
        raise mw.BlendError(f"no room at {place}")

    walk = mw.sample("walk")
    with pytest.raises(mw.BlendError, match="no room at b"):
        calmest([(0.1, "a"), (0.2, "b")], refuse, Strain((walk, walk)))
