"""Motion states: the labelled instants of a clip, and tables of them.

Labels are Ashraf & Wong's (Table 2), ``{side}.{joint}_{event}``: ``L.S_flex`` is the
largest flexion of the left shoulder, ``R_mt`` the mid-transfer of the right foot.

========  ===================================================================
event     meaning
========  ===================================================================
flex      local maximum of joint flexion
ext       local minimum of joint flexion
msw       mid-swing, half way between flexion and extension
mt        mid-transfer: the foot in the air passes the body
et        end of transfer: the foot comes down (the heel of a walker)
gnd       an end effector touches the ground after being in the air
========  ===================================================================

Joints are S shoulder, E elbow, W wrist, HI hip, K knee, H heel. Any other word is a
label too: users may name instants that no detector knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from motionweave.core import checks
from motionweave.core.arguments import check_arguments
from motionweave.errors import MotionError

LOWER_JOINTS = ("HI", "K", "H")
UPPER_JOINTS = ("S", "E", "W")
LOWER, UPPER = "lower", "upper"

_LABEL = re.compile(r"^(?P<side>[LR])(?:\.(?P<joint>[A-Z]+))?_(?P<event>[a-z]+)$")
_PARTS = {
    None: "foot", "S": "shoulder", "E": "elbow", "W": "wrist", "HI": "hip", "K": "knee",
    "H": "heel",
}  # fmt: skip
_EVENTS = {
    "flex": "most bent", "ext": "most stretched", "msw": "in mid-swing",
    "mt": "passing the body", "et": "coming down", "gnd": "touching the ground",
}  # fmt: skip
# What separates labels from each other, or columns of a table, cannot be inside one.
_WORD = re.compile(r"^[^\s,;{}\"']+$")


@lru_cache(maxsize=1024)
def canonical_label(label: str) -> str:
    """The canonical name of an event, whichever of its names was given.

    The end of a foot's transfer is also the heel's touching the ground
    (``L.H_gnd``), and the paper's tables write it ``L_ext`` as well.
    """
    label = label.strip()
    if not _WORD.match(label):
        raise MotionError(
            f"event label {label!r}: expected one word such as L.HI_flex, without commas or braces"
        )
    parts = _LABEL.match(label)
    if parts and (
        (parts["joint"] in (None, "H", "HI") and parts["event"] == "gnd")
        or (parts["joint"] is None and parts["event"] == "ext")
    ):
        return f"{parts['side']}_et"
    return label


def label_in_words(label: str) -> str:
    """What a label means, such as "left knee most bent"; a user's own label is returned
    unchanged."""
    parts = _LABEL.match(label)
    if parts is None or parts["event"] not in _EVENTS or parts["joint"] not in _PARTS:
        return label.replace("_", " ")
    side = "left" if parts["side"] == "L" else "right"
    return f"{side} {_PARTS[parts['joint']]} {_EVENTS[parts['event']]}"


@lru_cache(maxsize=1024)
def body_half(label: str) -> str | None:
    """``lower`` or ``upper``, or None for a label that does not say."""
    parts = _LABEL.match(label)
    if parts is None:
        return None
    if parts["joint"] is None:
        return LOWER if parts["event"] in ("mt", "et") else None
    if parts["joint"] in LOWER_JOINTS:
        return LOWER
    return UPPER if parts["joint"] in UPPER_JOINTS else None


@dataclass(frozen=True)
class State:
    """One instant and everything that happens at it.

    Parameters
    ----------
    time
        When: a frame of a clip, or a share of its cycle.
    labels
        The events, at least one.
    half
        Which half of the body the labels are about: ``lower`` or ``upper``.
    """

    time: float
    labels: frozenset[str]
    half: str = LOWER

    def __post_init__(self) -> None:
        time = checks.number(self.time, "time of a state")
        given = [self.labels] if isinstance(self.labels, str) else self.labels
        labels = frozenset(map(canonical_label, checks.words(given, f"labels at {time:g}")))
        if not labels:
            raise MotionError(f"state at {time:g}: expected at least one label")
        if not isinstance(self.half, str) or self.half not in (LOWER, UPPER):
            raise MotionError(
                f"state at {time:g}: half {checks.shown(self.half)} is not lower or upper"
            )
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "labels", labels)

    def __str__(self) -> str:
        return f"{{{', '.join(sorted(self.labels))}}} {self.time:.4g}"


@dataclass(frozen=True)
class EventTable:
    """The states of one clip, in order of time.

    Parameters
    ----------
    states
        States of both halves of the body; they are sorted.
    name
        The clip's name, for messages.
    """

    states: tuple[State, ...]
    name: str = ""

    def __post_init__(self) -> None:
        check_arguments(EventTable.__init__, {"states": self.states, "name": self.name})
        order = sorted(self.states, key=lambda s: (s.time, s.half, sorted(s.labels)))
        object.__setattr__(self, "states", tuple(order))

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        called = f" of {self.name!r}" if self.name else ""
        return f"<EventTable{called}: {len(self.lower)} lower and {len(self.upper)} upper states>"

    @property
    def lower(self) -> tuple[State, ...]:
        """States of the lower body."""
        return tuple(s for s in self.states if s.half == LOWER)

    @property
    def upper(self) -> tuple[State, ...]:
        """States of the upper body."""
        return tuple(s for s in self.states if s.half == UPPER)

    def times(self, label: str) -> np.ndarray:
        """The fractional frames ``(n,)`` at which the event ``label`` happens."""
        label = canonical_label(label)
        return np.array([s.time for s in self.states if label in s.labels])

    def rescaled(self, first: float, last: float) -> EventTable:
        """Times as shares of the stretch from ``first`` to ``last``; states outside it are left
        out.

        The end belongs to the next cycle: a state at ``last`` is the same as one at ``first``.
        """
        if not last > first:
            raise MotionError(f"frames {first:g} to {last:g} are not a stretch of a clip")
        scale = last - first
        kept = (replace(s, time=(s.time - first) / scale) for s in self.states)
        return replace(self, states=tuple(s for s in kept if -1e-9 <= s.time < 1.0 - 1e-9))

    def placed(self, first: float, last: float) -> EventTable:
        """The inverse of `rescaled`: shares of a cycle as frames from ``first`` to ``last``."""
        scale = last - first
        return replace(
            self, states=tuple(replace(s, time=first + s.time * scale) for s in self.states)
        )


def grouped(
    events: Iterable[tuple[float, str]],
    half: str,
    within: float,
    period: float | None = None,
) -> tuple[State, ...]:
    """Events ``(time, label)`` grouped into states: nearly simultaneous events form one state.

    Parameters
    ----------
    within
        How far apart a state's first and last event may be. An event joins the state before it if
        it fits; the state's time is its events' mean.
    period
        Length of the cycle for cyclic clips: the last and the first state may be one.
    """
    groups: list[list[tuple[float, str]]] = []
    for time, label in sorted(events):
        group = groups[-1] if groups else None
        if (
            group is not None
            and time - group[0][0] <= within
            and label not in {other for _, other in group}
        ):
            group.append((time, label))
        else:
            groups.append([(time, label)])
    if period is not None and len(groups) > 1:
        first, last = groups[0], groups[-1]
        shared = {label for _, label in first} & {label for _, label in last}
        if first[-1][0] + period - last[0][0] <= within and not shared:
            groups[0] = [(time - period, label) for time, label in last] + first
            groups.pop()
    states = []
    for group in groups:
        time = sum(time for time, _ in group) / len(group)
        if period is not None:
            time %= period
        states.append(State(time, frozenset(label for _, label in group), half))
    return tuple(sorted(states, key=lambda s: s.time))
