"""From one or more examples to all clips of their kind, registered, and to a parametric space.

Kovar & Gleicher (2004): the matches of an example, and of its matches, are the examples of a
motion; outliers are left out; a few that span the range of the measures are registered and blended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import LibraryError, MotionweaveError
from motionweave.library.bodies import on_body
from motionweave.library.search.matches import Match
from motionweave.measure.measures import Measures, by_name
from motionweave.methods.blending.parametric import ParametricSpace
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.register import register

# The most motions that are blended: more cost time and add little.
BLENDED = 8


@dataclass(frozen=True, eq=False)
class Collection:
    """All clips of one kind in a library.

    Parameters
    ----------
    examples
        The request; the body of the first is that of all motions.
    matches
        The examples of the kind, the nearest first.
    outliers
        Stretches that are similar to one of the matches, but farther from the others than these are
        from each other; they were left out.
    others
        Clips without a match in which something similar is done that is of another kind, and what
        is different: clip to reason.
    unreached
        Matches that cannot be used with the others, and why: clip to reason.
    motions
        The stretches of the matches as motions on one body; the examples first.
    """

    examples: tuple[Motion, ...]
    matches: tuple[Match, ...]
    outliers: tuple[Match, ...]
    others: dict[str, str]
    unreached: dict[str, str]
    motions: tuple[Motion, ...]

    def __len__(self) -> int:
        return len(self.matches)

    def values(self, parameters: Measures) -> dict[str, Array]:
        """What the motions measure: name to ``(n,)`` values. Their spread is the coverage."""
        wanted = by_name(parameters)
        return {
            name: np.array([measure(motion) for motion in self.motions])
            for name, measure in wanted.items()
        }

    def registered(self, parameters: Measures = (), *, most: int = BLENDED) -> RegistrationCurve:
        """A registration of the first example and of those motions that span the parameters best.

        Parameters
        ----------
        parameters
            Names of measures, or measures by name; without any, the nearest motions are used.
        most
            How many motions.

        Raises
        ------
        LibraryError
            If fewer than two motions can be registered.
        """
        chosen = self._spanning(parameters, most)
        kept: list[Motion] = []
        for motion in chosen:
            if not kept:
                kept.append(motion)
                continue
            try:
                register(kept[0], motion)
            except MotionweaveError as error:
                self.unreached.setdefault(motion.name, str(error))
                continue
            kept.append(motion)
        if len(kept) < 2:
            raise LibraryError(
                "nothing to blend: the library has no other motion like the example on a body "
                "with the same joints"
            )
        return register(*kept, reference=0)

    def parametric(self, parameters: Measures, *, most: int = BLENDED) -> ParametricSpace:
        """A space of blends, steered by what they measure; see `motionweave.parametric`."""
        return ParametricSpace(self.registered(parameters, most=most), parameters)

    def _spanning(self, parameters: Measures, most: int) -> list[Motion]:
        """The example, then always the motion farthest from all chosen before, by its values."""
        values = self.values(parameters)
        if not values:
            return list(self.motions[:most])
        table = np.column_stack(list(values.values()))
        spread = np.ptp(table, axis=0)
        table = table / np.where(spread > 0, spread, 1.0)
        chosen = [0]
        while len(chosen) < min(most, len(table)):
            apart = np.linalg.norm(table[:, None] - table[chosen], axis=2).min(axis=1)
            if apart.max() <= 0.0:
                break
            chosen.append(int(np.argmax(apart)))
        return [self.motions[number] for number in chosen]


def collect(
    examples: Sequence[Motion],
    matches: Sequence[Match],
    outliers: Sequence[Match],
    others: dict[str, str],
) -> Collection:
    """Put what is of the kind of examples on one body, as far as that is possible."""
    body = examples[0]
    motions = [body]
    unreached: dict[str, str] = {}
    for example in examples[1:]:
        try:
            motions.append(on_body(example, body))
        except MotionweaveError as error:
            unreached[example.name] = str(error)
    usable = []
    for match in matches:
        try:
            motions.append(on_body(match.load(), body))
        except MotionweaveError as error:
            unreached[match.clip] = str(error)
            continue
        usable.append(match)
    return Collection(
        tuple(examples), tuple(usable), tuple(outliers), others, unreached, tuple(motions)
    )
