"""Which of many places to join clips is taken, and how long a join lasts."""

from __future__ import annotations

import pytest

import motionweave as mw
from motionweave.core.planar import Planar
from motionweave.methods.joining.search import Steps, cheapest, relaxed
from motionweave.methods.joining.splice import Spliced
from motionweave.methods.joining.strain import CALM


def choose(places: dict[str, float], strains: dict[str, float], faults: dict[str, float]) -> str:
    """The place that is taken, and how many were looked at for faults."""
    looked: list[str] = []

    def attempt(place: str) -> Steps[str]:
        yield strains[place], None
        looked.append(place)
        yield strains[place] + faults[place], place

    taken = cheapest(((cost, place) for place, cost in places.items()), attempt)
    return f"{taken} after {len(looked)}"


def test_the_cheapest_place_includes_strain_and_faults() -> None:
    places = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.9}
    calm = dict.fromkeys(places, 0.0)
    assert choose(places, calm, calm) == "a after 1"
    assert choose(places, calm | {"a": 0.25}, calm) == "b after 1"
    assert choose(places, calm, calm | {"a": 0.15}) == "b after 2"
    assert choose(places, calm, calm | {"a": 0.5, "b": 0.5}) == "c after 3"
    # A visible jerk is worth a look at a place that is hardly dearer.
    assert choose({"a": 0.1, "b": 0.101}, {"a": 0.035, "b": 0.0}, calm) == "b after 1"
    # What costs more from the outset is not looked at.
    assert choose(places, calm, calm | {"a": 0.7, "b": 0.7, "c": 0.5}) == "a after 3"


def test_where_every_place_strains_the_body_few_are_tried() -> None:
    """What was tried tells what to expect of the others."""
    tried: list[int] = []

    def attempt(place: int) -> Steps[int]:
        tried.append(place)
        yield 0.2, None
        yield 0.2, place

    assert cheapest(((0.1 + 0.01 * place, place) for place in range(12)), attempt) == 0
    assert len(tried) < 12


def test_an_error_says_why_no_place_works() -> None:
    def refuse(place: str) -> Steps[str]:
        raise mw.BlendError(f"no room at {place}")
        yield

    with pytest.raises(mw.BlendError, match="no room at b"):
        cheapest([(0.1, "a"), (0.2, "b")], refuse)


class Measured:
    """The strain and the cost of joins that last some number of frames."""

    def __init__(self, strains: dict[int, float], slides: dict[int, float]) -> None:
        self.strains, self.slides = strains, slides

    def __call__(self, joined: Spliced) -> float:
        return self.strains[len(joined.middle)]

    def cost(self, joined: Spliced) -> float:
        return max(self(joined) - CALM, 0.0) + self.slides.get(len(joined.middle), 0.0)


@pytest.mark.parametrize(
    ("slides", "frames"),
    [({}, 22), ({15: 0.2, 22: 0.2}, 10), ({22: 0.6}, 15)],
    ids=["until it is calm", "not if a foot slides then", "not beyond that"],
)
def test_a_join_that_strains_the_body_is_made_longer(slides: dict[int, float], frames: int) -> None:
    walk = mw.sample("walk")

    def make(times: float) -> Spliced:
        middle = walk[: round(10 * times)]
        return Spliced(walk, walk, 0, len(walk) - 1, middle, Planar(0.0, 0.0, 0.0))

    strain = Measured({10: 1.6, 15: 1.55, 22: 1.0}, slides)
    times, joined = relaxed(make, strain)  # type: ignore[arg-type]
    assert len(joined.middle) == frames
    assert len(make(times).middle) == len(joined.middle)
