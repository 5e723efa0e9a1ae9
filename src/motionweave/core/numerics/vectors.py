"""Directions of vectors."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array


def unit(vectors: Array) -> Array:
    """Vectors ``(..., n)`` scaled to unit length; those of length zero stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))
