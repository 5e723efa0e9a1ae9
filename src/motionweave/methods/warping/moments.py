"""Moments: frames described in words, so that one set of keys fits many clips.

``41``, ``"50%"``, ``"1.2 s"``, ``"end"``, ``"middle of 2nd left swing"``,
``"25% of last right stance"``, ``"start of 1st right swing - 0.1 s"``,
``"middle of right stance after 2nd left stance"``, ``"fastest right_hand"``; and several at
once: ``"every left stance"``, ``"start of every right swing"``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import find_rig
from motionweave.core.motion import Motion
from motionweave.errors import WarpError

Span = tuple[float, float]

# Heel and toe leave the floor one after the other; a gap shorter than this (seconds)
# between two plants of one foot is not a swing.
_SHORTEST_SWING = 0.12

# What to do about a clip without contacts.
NO_CONTACTS = (
    "detect them first (load does); a clip that walks in place has none until it travels "
    "(mw.travel, or convert --travel)"
)

_FORMS = (
    "a frame number, '50%', '1.2 s', 'start', 'end', or words such as "
    "'middle of 2nd left swing' or 'fastest right_hand' (with '+ 0.1 s' or '- 3' after it)"
)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_PLAIN = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>%|s|seconds?|frames?)?$")
_LATER = re.compile(r"(?P<moment>.*\S)\s*(?P<sign>[+-])\s+(?P<number>\S+)\s*(?P<unit>s|frames?)?$")
_STEP = re.compile(
    r"(?:(?P<place>start|middle|end|[\d.]+%)\s+of\s+)?(?:the\s+)?"
    r"(?:(?P<which>\d+)(?:st|nd|rd|th)?\s+|(?P<word>first|last|every)\s+)?"
    r"(?P<side>left|right)\s+(?P<phase>swing|stance)"
    r"(?:\s+(?P<order>before|after)\s+(?P<other>.+))?$"
)
_PEAK = re.compile(r"(?P<what>fastest|highest|lowest)\s+(?P<joint>\S+)$")
_PLACES = {"start": 0.0, "middle": 0.5, "end": 1.0}


def frame_of(moment: float | str, motion: Motion, first: int = 0) -> float:
    """The frame of a clip that a moment means; a `WarpError` if there is none.

    Words mean whole frames, so that what they key can be seen in a frame; a number may
    lie between two. A T-pose in front of the clip is never meant by words. ``first`` is
    the number of the motion's first frame; smaller numbers mean that frame, too.
    """
    last = len(motion) - 1
    if isinstance(moment, str):
        skipped = tpose_frames(motion)
        frame = float(skipped + round(_frame(moment, motion[skipped:] if skipped else motion)))
    else:
        frame = float(moment) - first
    if not -first - 1e-6 <= frame <= last + 1e-6:
        raise WarpError(
            f"{moment!r} is frame {frame + first:g}: the clip has frames 0 to {last + first}"
        )
    return min(max(frame, 0.0), float(last))


def frames_of(moment: float | str, motion: Motion, first: int = 0) -> list[float]:
    """The frames of a clip that a moment means: one, or one for every stance or swing.

    A `WarpError` if there is none; ``first`` as in `frame_of`.
    """
    step = _step_of_every(moment)
    if step is None:
        return [frame_of(moment, motion, first)]
    spans = (swings if step["phase"] == "swing" else stances)(motion, step["side"])
    if not spans:
        hint = "use a longer walk, or another moment" if motion.constraints else NO_CONTACTS
        raise WarpError(f"{moment!r}: the clip has no {step['side']} {step['phase']}; {hint}")
    share = _share(step)
    last = len(motion) - 1.0
    frames = (round(start + share * (end - start)) for start, end in spans)
    return [min(max(float(frame), 0.0), last) for frame in frames]


def comes_back(moment: float | str) -> bool:
    """Whether a moment is one of every stance or swing."""
    return _step_of_every(moment) is not None


def place_in_step(moment: float | str) -> float | None:
    """From 0 to 1, where in a single stance or swing a moment in words is; None for any other."""
    step = _STEP.match(moment.strip().lower()) if isinstance(moment, str) else None
    return None if step is None or step["word"] == "every" else _share(step)


def _step_of_every(moment: float | str) -> re.Match[str] | None:
    step = _STEP.match(moment.strip().lower()) if isinstance(moment, str) else None
    return step if step is not None and step["word"] == "every" else None


def output_frame(moment: float | str, motion: Motion) -> float:
    """The frame of an output: a number, seconds, or a share of the clip's own length."""
    if not isinstance(moment, str):
        return float(moment)
    plain = _PLAIN.match(moment.strip().lower())
    if not plain:
        raise WarpError(f"the output time {moment!r} is not understood; write 60, '2 s' or '50%'")
    return _amount(plain["number"], plain["unit"], motion)


def stances(motion: Motion, side: str) -> list[Span]:
    """When a foot stands, heel and toe taken together, in order of time."""
    gap = _SHORTEST_SWING * motion.fps
    spans: list[Span] = []
    for c in motion.constraints:
        if c.kind not in (f"{side}_heel", f"{side}_toe"):
            continue
        if spans and c.start - spans[-1][1] < gap:
            spans[-1] = (spans[-1][0], max(spans[-1][1], c.end))
        else:
            spans.append((c.start, c.end))
    return spans


def swings(motion: Motion, side: str) -> list[Span]:
    """When a foot is in the air between two of its stances."""
    held = stances(motion, side)
    return [(a[1], b[0]) for a, b in pairwise(held)]


def _frame(moment: str, motion: Motion) -> float:
    text = moment.strip().lower()
    last = len(motion) - 1
    if text in ("start", "end"):
        return float(last if text == "end" else 0)
    plain = _PLAIN.match(text)
    if plain:
        return _amount(plain["number"], plain["unit"], motion)
    later = _LATER.match(text)
    if later and _PLAIN.match(later["number"]):
        shift = _amount(later["number"], later["unit"], motion)
        return _frame(later["moment"], motion) + (shift if later["sign"] == "+" else -shift)
    step = _STEP.match(text)
    if step:
        return _in_step(step, moment, motion)
    peak = _PEAK.match(moment.strip())
    if peak:
        return _peak(peak["what"], peak["joint"], motion)
    raise WarpError(f"the moment {moment!r} is not understood; write {_FORMS}")


def _amount(number: str, unit: str | None, motion: Motion) -> float:
    value = float(number)
    if unit == "%":
        return value / 100.0 * (len(motion) - 1)
    return value * motion.fps if unit and unit.startswith("s") else value


def _peak(what: str, name: str, motion: Motion) -> float:
    """The frame in which a joint is fastest, highest or lowest."""
    joint = joints_called(name, find_rig(motion.skeleton))[0]
    places = motion.positions()[:, joint]
    if what == "fastest":
        if len(places) < 2:
            return 0.0
        return float(np.argmax(np.linalg.norm(np.gradient(places, axis=0), axis=-1)))
    return float(np.argmax(places[:, 1]) if what == "highest" else np.argmin(places[:, 1]))


def _in_step(step: re.Match[str], moment: str, motion: Motion) -> float:
    start, end = _span(step, moment, motion)
    return start + _share(step) * (end - start)


def _share(step: re.Match[str]) -> float:
    place = step["place"] or "middle"
    return _PLACES[place] if place in _PLACES else float(place[:-1]) / 100.0


def _span(step: re.Match[str], moment: str, motion: Motion) -> Span:
    """The stance or swing that is meant, counted from the clip's start or from another one."""
    spans: Sequence[Span] = (swings if step["phase"] == "swing" else stances)(motion, step["side"])
    what = f"{step['side']} {step['phase']}"
    found = f"the clip has {len(spans)} whole {what}{'' if len(spans) == 1 else 's'}"
    if step["word"] == "every":
        raise WarpError(f"{moment!r} means several moments, which only the frame of a key may do")
    if step["order"]:
        other = _STEP.match(step["other"])
        if not other:
            raise WarpError(f"{moment!r}: {step['other']!r} is neither a swing nor a stance")
        mark = _span(other, moment, motion)[0]
        later = step["order"] == "after"
        spans = [span for span in spans if (span[0] > mark if later else span[0] < mark)]
        spans = spans if later else spans[::-1]
        found += f", {len(spans)} of them {step['order']} the {step['other']}"
    index = len(spans) - 1 if step["word"] == "last" else int(step["which"] or 1) - 1
    if not 0 <= index < len(spans):
        hint = "use a longer walk, or another moment" if motion.constraints else NO_CONTACTS
        raise WarpError(f"{moment!r}: {found}; {hint}")
    return spans[index]
