"""Which parts of clips match: whole clips, the best stretch, or one cycle of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import MotionweaveError
from motionweave.registration.curve import RegistrationCurve, constraint_matches
from motionweave.registration.cycles import Repetition
from motionweave.registration.dragging import Drag, drags
from motionweave.registration.points import PairEnds, PointRegistration, Range
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.verdict import Verdict

# How much it counts that all of the clips is kept, beside how sure a registration is, and that
# less than this much is; how much better something else has to be to be preferred to whole
# clips; what is not worth improving.
_KEEPING = 0.3
_LOSING, _MUCH = 0.8, 0.6
_PREFERENCE = 0.02
_AT_ONCE = 0.9 + _KEEPING + _PREFERENCE
# If a clip misses this much of a turn (radians), none of it counts as kept.
LOST_TURN = 0.5 * np.pi
# The ends of clips differ if a blend would drag a foot this far (leg lengths) within
# this share of the curve from its end. To leave that out must mend this share of it, and keep
# this share of the clips.
_DRAGGED, _OUTER = 0.08, 0.2
_MENDED, _KEPT = 0.5, 0.7


# One clip is a piece of the other if it lasts less than this share of it, at least this share of
# what there is room for corresponds, and poses are less than this share as far apart as those of
# whole clips. Loops begin at different places if the same is true of their poses.
_SHORTER, _PIECE, _CLOSER = 0.77, 0.8, 0.5


@dataclass(frozen=True, eq=False)
class CurveDraft:
    """A registration that may be chosen: complete but for what nobody judges it by.

    Parameters
    ----------
    motions, timewarp, ranges, fingerprints, verdict, cyclic
        Those of its curve.
    found
        The registration of the clips' points.
    literal
        Whether contacts are matched by Appendix B to the letter.
    """

    motions: tuple[Motion, ...]
    timewarp: TimewarpCurve
    ranges: Array
    fingerprints: tuple[str, ...]
    verdict: Verdict
    found: PointRegistration
    cyclic: bool = False
    literal: bool = False

    def curve(self) -> RegistrationCurve:
        """The whole of it: with its alignment and matching contacts."""
        return RegistrationCurve(
            motions=self.motions,
            timewarp=self.timewarp,
            alignment=self.found.alignment,
            matches=constraint_matches(
                self.motions, self.timewarp, cyclic=self.cyclic, literal=self.literal
            ),
            ranges=self.ranges,
            reference=self.found.reference,
            distances=self.found.distances,
            fingerprints=self.fingerprints,
            cyclic=self.cyclic,
            verdict=self.verdict,
        )


class Making(Protocol):
    """Clips to be registered, and how to register them with different ends."""

    @property
    def motions(self) -> Sequence[Motion]:
        """The clips, on one skeleton."""

    @property
    def lead(self) -> Sequence[int]:
        """How many frames at the beginning of each are not part of the motion."""

    @property
    def keep(self) -> Sequence[Sequence[Range]]:
        """Ranges of frames of each that have to be used."""

    def ready_made(self) -> bool:
        """Whether each clip is a ready-made loop."""

    def repetitions(self) -> Sequence[Repetition | None]:
        """How each clip repeats itself."""

    def draft(
        self, ends: PairEnds | Literal["cyclic"], why: str = "", *, auto: bool = False
    ) -> CurveDraft:
        """The registration with given ends."""


def best_ends(making: Making) -> CurveDraft:
    """The registration with the ends that fit the clips best.

    Whole clips are chosen at once if they have about the same duration and match well from end to
    end, unless they are loops, which may begin anywhere. Otherwise we also try one cycle of each,
    if all clips repeat, and the best stretch, and choose the one that is surest and keeps most.
    Clips that are not surely cycles are matched as such only if their poses are then much closer
    than those of whole clips.
    """
    made: list[CurveDraft] = []
    failed: list[MotionweaveError] = []

    def attempt(ends: PairEnds | Literal["cyclic"], why: str) -> None:
        try:
            made.append(making.draft(ends, why, auto=True))
        except MotionweaveError as error:
            failed.append(error)

    attempt(("fixed", "fixed"), "they match from end to end")
    seconds = [motion.duration for motion in making.motions]
    apart = min(seconds) < _SHORTER * max(seconds)
    if made and _worth(made[0]) >= _AT_ONCE and not apart and not making.ready_made():
        return _trimmed(making, made[0])
    repeating = [found for found in making.repetitions() if found is not None]
    if len(repeating) == len(making.motions):
        surely = all(found.sure for found in repeating)
        why = "all of them repeat" if surely else "they begin at different places in a loop"
        attempt("cyclic", why)
        if not surely and len(made) == 2 and _poses(made[1]) > _CLOSER * _poses(made[0]):
            made.pop()
    attempt(("free", "free"), "their ends do not match")
    if not made:
        raise failed[0]
    best = max(made, key=_worth)
    if apart and best.verdict.ends == "fixed":
        pieces = [one for one in made if _is_piece(one, best, seconds)]
        best = pieces[0] if pieces else best
    if not best.cyclic and best.verdict.doubtful:
        why = "nothing matches better"
        best = replace(best, verdict=replace(best.verdict, why=why))
    return _trimmed(making, best)


def _is_piece(one: CurveDraft, whole: CurveDraft, seconds: Sequence[float]) -> bool:
    """Whether a stretch shows that a short clip is a piece of a longer one: matched with all of it,
    it would play in slow motion."""
    room = min(seconds) / np.asarray(seconds)
    kept = np.asarray(one.verdict.agreement.kept) / np.minimum(1.0, room)
    return one.verdict.ends == "free" and bool(
        kept.min() >= _PIECE and _poses(one) < _CLOSER * _poses(whole)
    )


def _poses(one: CurveDraft) -> float:
    """How far apart the poses are that a registration matches."""
    return one.verdict.agreement.poses


def _trimmed(making: Making, whole: CurveDraft) -> CurveDraft:
    """A registration of whole clips, without the ends at which a blend would drag a foot.

    Takes begin and end anywhere in a step, and often one of them has a step more.
    """
    verdict = whole.verdict
    if verdict.ends != "fixed" or any(making.keep):
        return whole
    before = drags(whole.motions, whole.timewarp, whole.found.reference)
    far = [drag.place for drag in before if drag.way > _DRAGGED]
    begin, end = any(at < _OUTER for at in far), any(at > 1.0 - _OUTER for at in far)
    inner = [drag for drag in before if _OUTER <= drag.place <= 1.0 - _OUTER]
    # Feet that are dragged throughout are not fixed by trimming the ends.
    if not (begin or end) or _farthest(inner) > _MENDED * _farthest(before):
        return whole
    where = "begin or end" if begin and end else "begin" if begin else "end"
    ends: PairEnds = ("free" if begin else "fixed", "free" if end else "fixed")
    try:
        cut = making.draft(ends, f"they do not {where} in the same way", auto=True)
    except MotionweaveError:
        return whole
    after = drags(cut.motions, cut.timewarp, cut.found.reference)
    mended = _farthest(after) <= _MENDED * _farthest(before)
    as_sure = cut.verdict.sure >= verdict.sure - _PREFERENCE
    return cut if mended and as_sure and min(_shown(making, cut)) >= _KEPT else whole


def _farthest(found: Sequence[Drag]) -> float:
    return max((drag.way for drag in found), default=0.0)


def _shown(making: Making, cut: CurveDraft) -> list[float]:
    """The share of each clip that an open curve keeps, turns of the body included."""
    shares = []
    for motion, lead, kept, used in zip(
        making.motions, making.lead, cut.verdict.agreement.kept, cut.ranges, strict=True
    ):
        angle = facing(motion[lead:])
        inside = np.interp(used - lead, np.arange(len(angle)), angle)
        lost = abs(float(angle[-1] - angle[0]) - float(inside[1] - inside[0]))
        shares.append(kept * max(0.0, 1.0 - lost / LOST_TURN))
    return shares


def _worth(one: CurveDraft) -> float:
    """How sure a registration is, and how much of the clips it keeps, in one number."""
    kept = min(one.verdict.agreement.kept)
    whole = _PREFERENCE if one.verdict.ends == "fixed" else 0.0
    lost = _LOSING * max(0.0, _MUCH - kept)
    return one.verdict.sure + _KEEPING * kept - lost + whole
