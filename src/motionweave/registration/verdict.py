"""A registration's judgement of itself: what agrees, what does not, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.intervals import covered
from motionweave.core.motion import Motion
from motionweave.errors import Remedy
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import along
from motionweave.registration.signals import limb_of
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.windows import CentredClip

# Samples per second along the curve.
_RATE = 30.0
# Below this certainty the angle between two poses is meaningless: they are out of step.
_IN_STEP = 0.5
# The value for contacts if clips have none: that of clips that match.
_USUAL_CONTACTS = 0.9
# A registration less sure than this is doubtful, and so is one that keeps less of a clip.
DOUBTFUL = 0.5
_LEAST_KEPT = 0.35
# Beyond these, a disagreement is reported: poses in body heights, phase, contacts.
_APART = 0.15
_OUT_OF_STEP = 0.8
_OTHER_CONTACTS = 0.75
# A clip that lasts fewer seconds is a pose: nothing of another one can be in step with it.
_POSE = 0.1


@dataclass(frozen=True)
class Agreement:
    """How well clips match along a curve; for more than two, the worst of them.

    Parameters
    ----------
    poses
        Root mean square distance of corresponding poses, as a share of the body's height.
    farthest
        The same where it is largest: the mean of the worst tenth of the curve.
    place
        The parameter u in the middle of that tenth.
    phase
        The share of the curve on which the poses are in step.
    contacts
        The share of the time for which a foot that is down in one clip is down in the other, and
        one that is up is up; None if a clip has no contacts.
    pace
        How much faster or slower clips are played than each other, on average: 0 for equal timing,
        1 for twice the speed.
    kept
        The share of each clip's action that is used.
    """

    poses: float
    farthest: float
    place: float
    phase: float
    contacts: float | None
    pace: float
    kept: tuple[float, ...]

    @property
    def sure(self) -> float:
        """From 0 to 1: how likely it is that a blend of the clips is good.

        Fitted on pairs of clips of many sources: fifty-fifty blends that sink into the floor, jerk
        or lose their path, against those that do not.
        """
        contacts = _USUAL_CONTACTS if self.contacts is None else self.contacts
        value = 3.35 - 6.5 * self.farthest - 5.2 * (1.0 - self.phase) - 3.8 * (1.0 - contacts)
        return float(1.0 / (1.0 + np.exp(-value)))


@dataclass(frozen=True)
class Verdict:
    """A registration's judgement of itself.

    Parameters
    ----------
    ends
        What was chosen: ``"fixed"`` for whole clips, ``"free"`` for the best stretch, ``"cyclic"``
        for one cycle of each, ``"anchored"`` for a curve through given frames.
    why
        Why that was chosen, in a few words.
    agreement
        How well poses, phase and contacts agree, and how much of each clip is kept.
    doubts
        What does not agree, where and by how much, in a few words each.
    sure
        From 0 to 1: how sure it is that blends of the clips will be good.
    remedies
        Settings that may help, most promising first.
    """

    ends: str
    why: str
    agreement: Agreement
    doubts: tuple[str, ...] = ()
    sure: float = 1.0
    remedies: tuple[Remedy, ...] = field(default=())

    @property
    def doubtful(self) -> bool:
        """Whether you should look at results before you use them."""
        return self.sure < DOUBTFUL

    @property
    def taken(self) -> str:
        """Which part of the clips the curve covers, in words."""
        return {
            "fixed": "whole clips",
            "free": "best stretch",
            "cyclic": "one cycle of each clip",
            "anchored": "through the given frames",
        }[self.ends]

    def __str__(self) -> str:
        said = [f"{self.taken} ({self.why})" if self.why else self.taken]
        said.append(f"poses differ by {100 * self.agreement.poses:.1f}% of the height")
        if self.agreement.contacts is not None:
            said.append(f"contacts agree for {100 * self.agreement.contacts:.0f}% of the time")
        kept = min(self.agreement.kept)
        if kept < 0.995:
            said.append(f"{100 * kept:.0f}% kept")
        text = ", ".join(said)
        if self.doubts:
            how = "; doubtful: " if self.doubtful else ", although "
            text += how + ", ".join(self.doubts)
        return text

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values."""
        a = self.agreement
        return {
            "ends": self.ends,
            "why": self.why,
            "poses": a.poses,
            "farthest": a.farthest,
            "place": a.place,
            "phase": a.phase,
            "contacts": a.contacts,
            "pace": a.pace,
            "kept": list(a.kept),
            "doubts": list(self.doubts),
            "sure": self.sure,
            "remedies": [[r.option, r.value] for r in self.remedies],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Verdict:
        """The verdict from ``plain`` values, those of `to_dict`."""
        names = ("poses", "farthest", "place", "phase", "contacts", "pace")
        return cls(
            plain["ends"],
            plain["why"],
            Agreement(**{name: plain[name] for name in names}, kept=tuple(plain["kept"])),
            tuple(plain["doubts"]),
            float(plain["sure"]),
            tuple(Remedy(option, value) for option, value in plain["remedies"]),
        )


def agreement(
    motions: Sequence[Motion],
    points: Sequence[PointClip],
    timewarp: TimewarpCurve,
    reference: int,
    kept: Sequence[float],
) -> Agreement:
    """How well clips match along their timewarp curve."""
    start, end = timewarp.start, timewarp.end
    steps = max(2, round((end - start) * _RATE))
    u = np.linspace(start, end, steps + 1)
    # The end of a closed curve is its beginning again.
    frames = timewarp.frames(np.minimum(u, end - 1e-9 * (end - start)))
    played = [
        CentredClip.of(clip).sample(np.clip(frames[:, j], 0.0, len(clip) - 1.0))
        for j, clip in enumerate(points)
    ]
    height = float(np.mean([clip.height for clip in points])) or 1.0
    speeds = timewarp.derivative(u[:-1]) / timewarp.fps
    worst = {"poses": 0.0, "farthest": 0.0, "place": start, "phase": 1.0, "pace": 0.0}
    for j in range(len(points)):
        if j == reference:
            continue
        found = along(played[reference], played[j])
        poses = float(np.sqrt(found.distance.mean())) / height
        tenth = np.argsort(found.distance)[-max(1, len(u) // 10) :]
        farthest = float(np.sqrt(found.distance[tenth].mean())) / height
        if farthest > worst["farthest"]:
            worst["farthest"], worst["place"] = farthest, float(np.median(u[tenth]))
        worst["poses"] = max(worst["poses"], poses)
        worst["phase"] = min(worst["phase"], float(np.mean(found.certainty >= _IN_STEP)))
        ratio = np.abs(np.log2(speeds[:, j] / speeds[:, reference]))
        worst["pace"] = max(worst["pace"], float(ratio.mean()))
    return Agreement(
        poses=worst["poses"],
        farthest=worst["farthest"],
        place=worst["place"],
        phase=worst["phase"],
        contacts=_contacts(motions, frames, reference),
        pace=worst["pace"],
        kept=tuple(float(share) for share in kept),
    )


def _contacts(motions: Sequence[Motion], frames: Array, reference: int) -> float | None:
    """The least share of limbs and places ``frames`` ``(n, k)`` at which contacts agree."""
    if not all(motion.constraints for motion in motions):
        return None
    limbs = sorted({limb_of(c.kind) for motion in motions for c in motion.constraints})
    down = np.zeros((len(motions), len(limbs), len(frames)), dtype=bool)
    for j, motion in enumerate(motions):
        for number, limb in enumerate(limbs):
            held = ((c.start, c.end) for c in motion.constraints if limb_of(c.kind) == limb)
            down[j, number] = covered(held, frames[:, j])
    same = (down == down[reference]).mean(axis=(1, 2))
    return float(same.min())


def judged(
    ends: str,
    why: str,
    found: Agreement,
    clips: Sequence[Motion],
    auto: bool,
) -> Verdict:
    """The verdict on how well clips match.

    ``auto`` is whether the ends were chosen automatically.
    """
    names = [clip.name or f"clip {number}" for number, clip in enumerate(clips, start=1)]
    seconds = [max(clip.duration, 1.0 / clip.fps) for clip in clips]
    doubts = []
    if found.phase < _OUT_OF_STEP:
        doubts.append(f"the clips are out of step for {100 * (1 - found.phase):.0f}% of the time")
    if found.farthest > _APART:
        doubts.append(
            f"poses are {100 * found.farthest:.0f}% of the height apart at u = {found.place:.2f} s"
        )
    if found.contacts is not None and found.contacts < _OTHER_CONTACTS:
        doubts.append(f"contacts differ for {100 * (1 - found.contacts):.0f}% of the time")
    sure = found.sure
    # Of a longer clip, no more can be kept than fits the shorter one.
    room = np.minimum(1.0, min(seconds) / np.asarray(seconds))
    least = int(np.argmin(np.asarray(found.kept) / room))
    if found.kept[least] < _LEAST_KEPT * room[least]:
        share = f"{100 * found.kept[least]:.0f}%"
        doubts.append(f"only {share} of the action in {names[least]} is used")
        # If the user chose the ends, a short cut is what they asked for.
        sure = min(sure, 0.9 * DOUBTFUL) if auto else sure
    briefest = int(np.argmin(seconds))
    if seconds[briefest] < _POSE < max(seconds):
        doubts.append(f"{names[briefest]} lasts {seconds[briefest]:.2f} s, hardly more than a pose")
        sure = min(sure, 0.9 * DOUBTFUL) if auto else sure
    remedies: tuple[Remedy, ...] = ()
    if sure < DOUBTFUL:
        remedies = (Remedy("anchors"),)
        if not auto and ends != "anchored":
            remedies = (Remedy("ends", "auto"), *remedies)
        elif ends == "free":
            remedies = (*remedies, Remedy("keep"))
    return Verdict(ends, why, found, tuple(doubts), sure, remedies)
