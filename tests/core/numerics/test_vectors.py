"""Products, lengths and directions of vectors."""

from __future__ import annotations

import numpy as np

from motionweave.core.numerics.vectors import dots, lengths, unit


def test_products_and_lengths_are_those_of_each_vector() -> None:
    a, b = np.random.default_rng(4).normal(size=(2, 6, 5, 4))
    np.testing.assert_allclose(dots(a, b), np.einsum("tjc,tjc->tj", a, b), atol=1e-14)
    np.testing.assert_allclose(lengths(a), np.linalg.norm(a, axis=-1), rtol=1e-14)
    assert dots(a[:0], b[:0]).shape == (0, 5)


def test_vectors_get_length_one_and_keep_their_direction() -> None:
    vectors = np.random.default_rng(3).normal(size=(4, 5, 3))
    found = unit(vectors)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.cross(found, vectors), 0.0, atol=1e-14)
    assert np.all(np.sum(found * vectors, axis=-1) > 0.0)


def test_a_vector_of_length_zero_has_no_direction() -> None:
    assert unit(np.array([[0.0, 0.0], [0.0, 2.0]])).tolist() == [[0.0, 0.0], [0.0, 1.0]]
