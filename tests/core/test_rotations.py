"""Rotations against SciPy, and the properties no oracle can give."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from motionweave import BlendError, MotionError
from motionweave.core import rotations as rot
from motionweave.core.averaging import mean_rotations
from tests.strategies import random_quaternions

ORDERS = ["".join(p) for p in itertools.product("XYZ", repeat=3) if p[0] != p[1] != p[2]]
seeds = st.integers(0, 2**32 - 1)


def same_rotation(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> None:
    """Equal up to the sign of the quaternion."""
    assert a.shape == b.shape
    assert np.all(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)) < tolerance)


@given(seeds)
def test_products_inverses_vectors_and_matrices_agree_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_quaternions(rng, 7), random_quaternions(rng, 7)
    v = rng.normal(size=(7, 3))
    oracle_a, oracle_b = Rotation.from_quat(a), Rotation.from_quat(b)
    same_rotation(rot.multiply(a, b), (oracle_a * oracle_b).as_quat())
    same_rotation(rot.inverse(a), oracle_a.inv().as_quat())
    np.testing.assert_allclose(rot.rotate(a, v), oracle_a.apply(v), atol=1e-12)
    np.testing.assert_allclose(rot.to_matrix(a), oracle_a.as_matrix(), atol=1e-12)
    same_rotation(rot.from_matrix(oracle_a.as_matrix()), a)
    np.testing.assert_allclose(rot.log(a), oracle_a.as_rotvec(), atol=1e-9)
    same_rotation(rot.exp(rot.log(a)), a)
    np.testing.assert_allclose(
        rot.angle_between(a, b), (oracle_a.inv() * oracle_b).magnitude(), atol=1e-9
    )


@pytest.mark.parametrize(
    ("turns", "others"),
    [
        ((), ()),
        ((5,), ()),
        ((), (5,)),
        ((4, 3), (3,)),
        ((4, 3), (1, 3)),
        ((1, 1), (2, 3)),
        ((4, 1), (1, 3)),
        ((2, 1, 3), (4, 1)),
        ((0,), (0,)),
    ],
)
def test_turns_are_repeated_as_numpy_repeats_them(
    turns: tuple[int, ...], others: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(*turns, 4)), rng.normal(size=(*others, 4))
    v = rng.normal(size=(*others, 3))
    for found, oracle in ((rot.multiply(a, b), _product(a, b)), (rot.rotate(a, v), _turned(a, v))):
        assert np.array_equal(found, oracle)
        assert found.shape == oracle.shape
    with pytest.raises(ValueError, match="expected"):
        rot.rotate(a, b)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (ax, ay, az, aw), (bx, by, bz, bw) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    parts = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def _turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    (x, y, z, w), (vx, vy, vz) = np.moveaxis(q, -1, 0), np.moveaxis(v, -1, 0)
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    parts = (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


@given(seeds, st.floats(0.0, 1.0))
def test_slerp_agrees_with_scipy_and_ignores_signs(seed: int, share: float) -> None:
    a, b = random_quaternions(np.random.default_rng(seed), 2)
    oracle = Slerp([0.0, 1.0], Rotation.from_quat([a, b]))(share).as_quat()
    same_rotation(rot.slerp(a, b, share), oracle, 1e-9)
    same_rotation(rot.slerp(a, -b, share), oracle, 1e-9)
    same_rotation(rot.slerp(a, b, 0.0), a, 1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_of_every_order_both_ways(order: str) -> None:
    rng = np.random.default_rng(ORDERS.index(order))
    angles = rng.uniform(-np.pi, np.pi, (50, 3))
    q = rot.from_euler(angles, order)
    same_rotation(q, Rotation.from_euler(order, angles).as_quat(), 1e-9)
    same_rotation(rot.from_euler(rot.to_euler(q, order), order), q, 1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_in_and_near_gimbal_lock(order: str) -> None:
    lock = 0.0 if order[0] == order[2] else np.pi / 2
    for middle in (lock, lock + 1e-9, lock - 1e-6, lock + np.pi):
        angles = np.array([[0.3, middle, 0.4], [0.5, middle, -1.2], [0.1, middle + 0.2, 2.0]])
        q = rot.from_euler(angles, order)
        same_rotation(rot.from_euler(rot.to_euler(q, order), order), q, 1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_continuous_through_many_turns(order: str) -> None:
    """A spinning joint gives steadily growing angles: no jump by a half or full turn."""
    time = np.linspace(0.0, 1.0, 400)
    angles = np.stack([9.0 * time, 0.9 + 0.3 * np.sin(20 * time), -14.0 * time], axis=-1)
    recovered = rot.to_euler(rot.from_euler(angles, order), order)
    steps = np.abs(np.diff(recovered, axis=0))
    assert steps.max() < 1.5 * np.abs(np.diff(angles, axis=0)).max()


def test_euler_angles_stay_put_while_in_gimbal_lock() -> None:
    angles = np.array([[0.2, 1.2, 0.7], [0.2, np.pi / 2, 0.7], [0.2, np.pi / 2, 0.7]])
    recovered = rot.to_euler(rot.from_euler(angles, "ZYX"), "ZYX")
    np.testing.assert_allclose(recovered, angles, atol=1e-7)


@given(seeds)
def test_unroll_changes_signs_only_and_leaves_no_flip(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = random_quaternions(rng, 20, 3)
    smooth = rot.unroll(q)
    same_rotation(smooth, q, 1e-15)
    assert np.all(np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0.0)


@given(seeds)
def test_between_vectors_takes_one_to_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(5, 3))
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    b = np.concatenate([a[:1], -a[1:2], rng.normal(size=(3, 3))])
    b /= np.linalg.norm(b, axis=-1, keepdims=True)
    np.testing.assert_allclose(rot.rotate(rot.between_vectors(a, b), a), b, atol=1e-9)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5))
def test_vertical_angle_is_the_turn_that_was_put_in(turn: float, tilt: float) -> None:
    q = rot.multiply(rot.about_vertical(turn), rot.about_axis("X", tilt))
    assert rot.vertical_angle(q) == pytest.approx(turn, abs=1e-9)
    assert rot.vertical_angle(-q) == pytest.approx(turn, abs=1e-9)


def test_bad_input_says_what_is_wrong() -> None:
    with pytest.raises(MotionError, match="length zero"):
        rot.normalize(np.zeros(4))
    with pytest.raises(MotionError, match="'XXY'"):
        rot.to_euler(rot.IDENTITY, "XXY")
    with pytest.raises(MotionError, match="'XQZ'"):
        rot.from_euler(np.zeros(3), "XQZ")
    with pytest.raises(BlendError, match="weights"):
        mean_rotations(np.zeros((2, 3, 1, 4)), np.zeros((2, 3)))


# Weighted mean


def karcher_residual(q: np.ndarray, weights: np.ndarray, mean: np.ndarray) -> float:
    """How far the mean is from being one: the weighted sum of logs must vanish."""
    logs = rot.log(rot.multiply(rot.inverse(mean)[None], q))
    return float(np.abs(np.einsum("tk,ktjc->tjc", weights, logs)).max())


@given(seeds, st.integers(2, 9))
def test_mean_is_the_karcher_mean(seed: int, inputs: int) -> None:
    rng = np.random.default_rng(seed)
    centre = random_quaternions(rng, 1, 4, 3)
    q = rot.multiply(centre, rot.exp(rng.normal(scale=0.4, size=(inputs, 4, 3, 3))))
    weights = rng.dirichlet(np.ones(inputs), size=4)
    mean = mean_rotations(q, weights)
    assert karcher_residual(q, weights, mean) < 1e-10
    flipped = q * rng.choice([-1.0, 1.0], size=(*q.shape[:3], 1))
    same_rotation(mean_rotations(flipped, weights), mean, 1e-9)


def test_the_mean_of_rotations_far_apart_is_the_nearest_to_all() -> None:
    rng = np.random.default_rng(4)
    frames, inputs = 400, 4
    q = rot.exp(rng.normal(scale=0.8, size=(inputs, frames, 1, 3)))
    weights = rng.dirichlet(np.ones(inputs), size=frames)

    def energy(mean: np.ndarray) -> np.ndarray:
        angles = np.linalg.norm(rot.log(rot.multiply(rot.inverse(mean)[None], q)), axis=-1)
        return np.asarray(np.einsum("tk,ktj->t", weights, angles**2))

    mean = mean_rotations(q, weights)
    assert karcher_residual(q, weights, mean) < 1e-9
    # Gradient descent from many places finds nothing lower, but for a handful.
    best = np.full(frames, np.inf)
    for start in [*q, *rot.exp(rng.normal(scale=1.5, size=(8, 1, 1, 3)))]:
        found = np.broadcast_to(start, mean.shape)
        for _ in range(60):
            logs = rot.log(rot.multiply(rot.inverse(found)[None], q))
            found = rot.multiply(found, rot.exp(np.einsum("tk,ktjc->tjc", weights, logs)))
        best = np.minimum(best, energy(found))
    higher = energy(mean) > best + 1e-6
    assert higher.mean() <= 0.01


@given(seeds, st.integers(1, 40))
def test_means_that_are_found_together_are_those_found_alone(seed: int, joints: int) -> None:
    """Near ones among far ones (which may have several), with negative weights and without."""
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.0, 0.1, 0.4, 1.2], size=(1, 2, joints, 1))
    q = rot.exp(spread * rng.normal(size=(4, 2, joints, 3)))
    weights = np.stack([[1.3, 0.2, -0.5, 0.0], rng.dirichlet(np.ones(4))])
    together = mean_rotations(q, weights)
    for t, j in np.ndindex(2, joints):
        alone = mean_rotations(q[:, t : t + 1, j : j + 1], weights[t : t + 1])[0, 0]
        if spread[0, t, j, 0] < 1.0:
            same_rotation(together[t, j], alone, 1e-9)


@given(seeds, st.floats(-0.4, 1.4))
def test_mean_of_two_is_slerp_also_outside(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    a = random_quaternions(rng, 1, 1)
    b = rot.multiply(a, rot.exp(rng.normal(scale=0.3, size=(1, 1, 3))))
    mean = mean_rotations(np.stack([a, b]), np.array([[1.0 - share, share]]))
    same_rotation(mean, rot.slerp(a, b, np.full((1, 1), share)), 1e-9)


@given(seeds, st.integers(0, 4))
def test_a_single_weight_returns_that_input_bit_for_bit(seed: int, chosen: int) -> None:
    q = random_quaternions(np.random.default_rng(seed), 5, 3, 2)
    weights = np.zeros((3, 5))
    weights[:, chosen] = 1.0
    assert np.array_equal(mean_rotations(q, weights), q[chosen])


@given(seeds)
def test_mean_turns_with_its_inputs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = rot.exp(rng.normal(scale=0.5, size=(3, 2, 2, 3)))
    turn = random_quaternions(rng)
    weights = rng.dirichlet(np.ones(3), size=2)
    expected = rot.multiply(turn, mean_rotations(q, weights))
    same_rotation(mean_rotations(rot.multiply(turn, q), weights), expected, 1e-9)


def test_signed_means_stay_on_their_side_past_half_a_turn() -> None:
    """Two rotations drift apart to more than half a turn and come back."""
    half = np.radians(np.concatenate([np.linspace(75, 100, 60), np.linspace(100, 75, 60)]))
    pair = np.stack([rot.about_axis("X", -half), rot.about_axis("X", half)])[:, :, None]
    weights = np.tile([0.4, 0.6], (len(half), 1))
    signs = np.ones(pair.shape[:3], dtype=np.int8)
    # Which of its two quaternions a rotation is given by makes no difference.
    flips = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), signs.shape)
    mean = mean_rotations(pair * flips[..., None], weights, lambda: signs * flips)
    expected = rot.about_axis("X", 0.2 * half)
    assert rot.angle_between(mean[:, 0], expected).max() < 1e-9
    nearest = mean_rotations(pair, weights)[:, 0]
    assert rot.angle_between(nearest[1:], nearest[:-1]).max() > 1.0


def test_the_mean_of_two_past_half_a_turn_goes_from_one_to_the_other_without_a_jump() -> None:
    """The longer arc as they are signed, whichever quaternions the rotations are given by."""
    half = np.radians(100.0)
    share = np.linspace(0.0, 1.0, 101)
    ends = np.stack([rot.about_axis("X", 0.0), rot.about_axis("X", 2.0 * half)])
    pair = np.repeat(ends[:, None, None], len(share), axis=1)
    weights = np.stack([1.0 - share, share], axis=1)
    for flip in (1, -1):
        signs = np.ones(pair.shape[:3], dtype=np.int8)
        signs[1] = flip
        mean = mean_rotations(pair * signs[..., None], weights, lambda signs=signs: signs)
        expected = rot.about_axis("X", 2.0 * half * share)
        assert rot.angle_between(mean[:, 0], expected).max() < 1e-9
        assert np.array_equal(mean[-1, 0], pair[1, -1, 0] * flip)
