"""The motions of a curve as one array, so that all are sampled at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.averaging import consistent_signs, mean_rotations
from motionweave.core.motion import Motion, local_translations
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class ClipStack:
    """k motions of one skeleton as single arrays.

    Parameters
    ----------
    skeleton
        The common skeleton, J joints.
    first
        ``(k,)`` where each motion begins in the arrays.
    last
        ``(k,)`` last frame number of each motion.
    root, rotations
        ``(F, 3)`` and ``(F, J, 4)`` of all motions one after the other.
    translations
        ``(F, J, 3)``, or None if no motion's bones slide.
    signs
        ``(F, J)``, 1 or -1: which quaternion of each rotation continues from the frame before,
        and has the same sign in all motions.
    """

    skeleton: Skeleton
    first: Array
    last: Array
    root: Array
    rotations: Array
    translations: Array | None
    signs: NDArray[np.int8]

    @classmethod
    def of(cls, motions: tuple[Motion, ...]) -> ClipStack:
        """Stack motions that share their joints."""
        lengths = np.array([len(m) for m in motions])
        sliding = any(m.translations is not None for m in motions)
        return cls(
            motions[0].skeleton,
            np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.float64),
            lengths - 1.0,
            np.concatenate([m.root for m in motions]),
            np.concatenate([m.rotations for m in motions]),
            np.concatenate([local_translations(m) for m in motions]) if sliding else None,
            np.concatenate(consistent_signs([m.rotations for m in motions])),
        )

    def roots(self, frames: Array) -> Array:
        """Root positions ``(T, k, 3)`` at fractional frames ``(T, k)`` of each motion."""
        return kinematics.sample_vectors(self.root, self.places(frames)).reshape(*frames.shape, 3)

    def average(self, frames: Array, weights: Array, moves: Planar) -> tuple[Array, ...]:
        """Weighted means of the motions' frames, each first moved on the floor.

        Parameters
        ----------
        frames, weights
            ``(T, k)`` which frame of each motion, and how much of it.
        moves
            ``(T, k)`` where to put each motion's frame.

        Returns
        -------
        root ``(T, 3)``, rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` or ``(0,)``.
        """
        places = self.places(frames)
        joints = len(self.skeleton)
        # Motion by motion, as the mean takes them.
        in_turn = places.reshape(frames.shape).T
        turned = kinematics.sample_rotations(self.rotations, in_turn.ravel())
        turned = turned.reshape(*in_turn.shape, joints, 4)
        turned[:, :, 0] = moves.turn(turned[:, :, 0].swapaxes(0, 1)).swapaxes(0, 1)
        root = np.einsum("tk,tkc->tc", weights, moves.apply(self.roots(frames)))
        slides = np.zeros(0)
        if self.translations is not None:
            local = kinematics.sample_vectors(self.translations, places)
            slides = np.einsum("tk,tkjc->tjc", weights, local.reshape(*frames.shape, joints, 3))
        signed = partial(self.signs_at, places, turned[:, :, 0])
        return root, mean_rotations(turned, weights, signed), slides

    def signs_at(self, places: Array, roots: Array) -> NDArray[np.int8]:
        """Signs ``(k, T, J)`` of what is sampled at ``places`` ``(T k,)``.

        Those of the roots ``(k, T, 4)``, which were turned by any number of full turns, are
        such that they are near to each other.
        """
        clips, frames = roots.shape[:2]
        signs = self.signs[places.astype(np.intp)].reshape(frames, clips, -1).swapaxes(0, 1)
        signs[:, :, 0] = 1 - 2 * ((roots * roots[0]).sum(axis=-1) < 0.0)
        return signs

    def places(self, frames: Array) -> Array:
        """The indices of fractional frames ``(..., k)`` in the arrays, flattened."""
        # Clipped to each motion's own range, so that rounding never reaches into the next one.
        return np.asarray(self.first + np.clip(frames, 0.0, self.last)).ravel()
