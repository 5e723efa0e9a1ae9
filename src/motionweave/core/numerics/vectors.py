"""Products, lengths and directions of vectors."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array


def dots(a: Array, b: Array) -> Array:
    """Products ``(...)`` of vectors ``(..., n)``: of a few numbers each, quickest as one product
    of a matrix with ones."""
    products = a * b
    size = products.shape[-1]
    return np.asarray((products.reshape(-1, size) @ np.ones(size)).reshape(products.shape[:-1]))


def lengths(vectors: Array) -> Array:
    """Lengths ``(...)`` of vectors ``(..., n)``: as np.linalg.norm, which is slow for many."""
    return np.sqrt(dots(vectors, vectors))


def unit(vectors: Array) -> Array:
    """Vectors ``(..., n)`` scaled to unit length; those of length zero stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))
