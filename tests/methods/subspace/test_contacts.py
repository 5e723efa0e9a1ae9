"""Contacts across a transition: feet that stay are held, feet that move over are not."""

from __future__ import annotations

import numpy as np

from motionweave import Constraint
from motionweave.core.constraints import joined
from motionweave.methods.subspace.contacts import steady


def way(*stretches: tuple[int, float]) -> np.ndarray:
    """Places that go evenly in x, for so many frames, to each value."""
    x = [0.0]
    for frames, value in stretches:
        x += list(np.linspace(x[-1], value, frames + 1)[1:])
    points = np.zeros((len(x), 3))
    points[:, 0] = x
    return points


def test_touching_contacts_of_a_kind_become_one() -> None:
    parts = [
        Constraint(5, 9, "left_toe"),
        Constraint(0, 4, "left_toe"),
        Constraint(3, 6, "right_toe"),
    ]
    assert joined(parts, gap=1.0) == (Constraint(0, 9, "left_toe"), Constraint(3, 6, "right_toe"))
    apart = [Constraint(0, 4, "left_toe"), Constraint(6, 9, "left_toe")]
    assert joined(apart, gap=1.0) == tuple(apart)


def test_a_foot_that_stays_is_held_throughout() -> None:
    contact = Constraint(2, 50, "left_heel")
    assert steady(contact, way((60, 0.04)), 10, 40, near=0.06, gap=3) == [contact]


def test_contacts_outside_the_transition_are_left_alone() -> None:
    contact = Constraint(2, 8, "left_heel")
    assert steady(contact, way((60, 9.0)), 10, 40, near=0.06, gap=3) == [contact]


def test_a_foot_that_moves_over_is_let_go_in_between() -> None:
    contact = Constraint(2, 50, "left_heel")
    points = way((20, 0.0), (10, 1.0), (30, 1.0))
    first, second = steady(contact, points, 10, 40, near=0.06, gap=3)
    assert first == Constraint(2, 20, "left_heel")
    assert second == Constraint(30, 50, "left_heel")


def test_moving_over_takes_a_while() -> None:
    contact = Constraint(2, 50, "left_heel")
    points = way((24, 0.0), (1, 1.0), (35, 1.0))
    first, second = steady(contact, points, 10, 40, near=0.06, gap=8)
    assert second.start - first.end > 8


def test_a_contact_that_begins_on_the_way_waits_until_the_foot_is_there() -> None:
    contact = Constraint(15, 50, "left_heel")
    points = way((20, 0.0), (10, 1.0), (30, 1.0))
    assert steady(contact, points, 10, 40, near=0.06, gap=3) == [Constraint(30, 50, "left_heel")]
    assert steady(Constraint(15, 38, "left_heel"), points, 10, 40, near=0.06, gap=3) == []
