"""Threads, processes and caches: the same results, wherever and however often they are made."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw

_SOURCE = Path(mw.__file__).parents[1]
# A program that registers and blends, and prints what came out.
_PROGRAM = """
import numpy as np, motionweave as mw
a, b = mw.sample("walk")[:30], mw.sample("jog")[:24]
blended = mw.blend(mw.register(a, b), [0.5, 0.5])
print(repr(float(blended.root.sum())), repr(float(np.abs(blended.rotations).sum())))
"""


def _clips() -> tuple[mw.Motion, mw.Motion]:
    return mw.sample("walk")[:30], mw.sample("jog")[:24]


def _blend(share: float) -> np.ndarray:
    blended = mw.blend(mw.register(*_clips()), [share, 1.0 - share])
    return np.concatenate([blended.root.ravel(), blended.rotations.ravel()])


def _blend_of(curve: mw.RegistrationCurve) -> mw.Motion:
    result = mw.blend(curve, [0.3, 0.7])
    assert isinstance(result, mw.Motion)
    return result


def test_threads_give_what_one_thread_gives() -> None:
    shares = [0.1, 0.4, 0.6, 0.9] * 2
    alone = [_blend(share) for share in shares]
    with ThreadPoolExecutor(4) as pool:
        for one, other in zip(alone, pool.map(_blend, shares), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_curves_and_motions_go_to_other_processes(how: str) -> None:
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {how} here")
    curve = mw.register(*_clips())
    here = _blend_of(curve)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(how)) as pool:
        there = pool.submit(_blend_of, curve).result(timeout=120)
    np.testing.assert_array_equal(here.root, there.root)
    np.testing.assert_array_equal(here.rotations, there.rotations)
    assert here.constraints == there.constraints


def test_a_pickled_motion_is_the_same(tmp_path: Path) -> None:
    mw.save(mw.sample("walk"), tmp_path / "walk.bvh")
    mw.save(mw.sample("walk"), tmp_path / "walk.amc")
    for motion in (
        mw.sample("walk"),
        mw.load(tmp_path / "walk.bvh"),
        mw.load(tmp_path / "walk.amc"),
        _blend_of(mw.register(*_clips())),
    ):
        again = pickle.loads(pickle.dumps(motion))
        assert again.fingerprint == motion.fingerprint
        assert again.skeleton == motion.skeleton
        assert again.constraints == motion.constraints
        for name in ("root", "rotations"):
            np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))


def test_a_skeleton_from_another_process_is_found_among_those_made_here() -> None:
    program = (
        "import pickle, sys, motionweave as mw; skeleton = mw.sample('walk').skeleton; "
        "hash(skeleton); sys.stdout.buffer.write(pickle.dumps(skeleton))"
    )
    # Another seed: names have other hashes there.
    known = {**os.environ, "PYTHONPATH": str(_SOURCE), "PYTHONHASHSEED": "7"}
    sent = subprocess.run([sys.executable, "-c", program], env=known, capture_output=True)
    assert pickle.loads(sent.stdout) in {mw.sample("walk").skeleton}


# One that compiles little.
_SMALL = """
import motionweave as mw
print(repr(float(mw.sample("walk")[:4].positions().sum())), 0.0)
"""


def _run(program: str = _PROGRAM, **environment: str) -> subprocess.Popen[str]:
    known = {**os.environ, "PYTHONPATH": str(_SOURCE), "OMP_NUM_THREADS": "1", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=known,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _said(program: subprocess.Popen[str]) -> list[float]:
    out, err = program.communicate(timeout=300)
    assert program.returncode == 0, err[-2000:]
    return [float(word) for word in out.split()]


@pytest.fixture(scope="module")
def expected() -> list[float]:
    return _said(_run())


def test_a_cache_folder_that_cannot_be_used(tmp_path: Path, expected: list[float]) -> None:
    (tmp_path / "file").write_text("not a folder")
    # In it nothing can be made, whoever one is.
    there = str(tmp_path / "file" / "cache")
    assert _said(_run(NUMBA_CACHE_DIR=there)) == expected


def test_two_first_runs_at_once(tmp_path: Path) -> None:
    both = [_run(_SMALL, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    positions = float(mw.sample("walk")[:4].positions().sum())
    assert [_said(one) for one in both] == [[positions, 0.0]] * 2


def test_without_compilation(expected: list[float]) -> None:
    np.testing.assert_allclose(_said(_run(NUMBA_DISABLE_JIT="1")), expected, rtol=1e-9)
