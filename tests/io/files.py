"""What the tests of all formats share: comparing motions, and damaging files."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import motionweave as mw


def sliding(motion: mw.Motion, seed: int = 0) -> mw.Motion:
    """The motion with bones that change their lengths."""
    moves = np.random.default_rng(seed).normal(size=(len(motion), len(motion.skeleton), 3))
    return mw.Motion(
        motion.skeleton,
        motion.fps,
        motion.root,
        motion.rotations,
        motion.skeleton.offsets + 0.2 * moves,
        name=motion.name,
    )


def apart(one: mw.Motion, other: mw.Motion) -> float:
    """Largest distance of joints and of end sites of the same name, as a share of the height."""
    height = one.skeleton.height or 1.0
    by_name = [other.skeleton.index(name) for name in one.skeleton.names]
    assert len(one) == len(other)
    joints = float(np.abs(other.positions()[:, by_name] - one.positions()).max())
    return max(joints, _ends_apart(one, other)) / height


def _ends_apart(one: mw.Motion, other: mw.Motion) -> float:
    assert len(one.skeleton.end_parents) == len(other.skeleton.end_parents)
    if not len(one.skeleton.end_parents):
        return 0.0
    mine, theirs = one.end_positions(), other.end_positions()
    names = np.array(other.skeleton.names)[other.skeleton.end_parents]
    worst = 0.0
    for end, joint in enumerate(one.skeleton.end_parents):
        same = theirs[:, names == one.skeleton.names[joint]]
        worst = max(worst, float(np.abs(same - mine[:, [end]]).max(axis=(0, 2)).min()))
    return worst


def assert_same_tree(one: mw.Skeleton, other: mw.Skeleton) -> None:
    """The same names with the same parents, in any order."""

    def tree(skeleton: mw.Skeleton) -> dict[str, str]:
        above = [skeleton.names[parent] for parent in skeleton.parents[1:]]
        return dict(zip(skeleton.names[1:], above, strict=True))

    assert one.names[0] == other.names[0]
    assert tree(one) == tree(other)


def only_format_errors(read: Callable[..., Any], path: Path, data: bytes, **options: Any) -> None:
    """Write damaged data to a file and read it: it is read, or refused with a `FormatError`."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        with contextlib.suppress(mw.FormatError):
            read(path, contacts=False, **options)


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Data with a stretch cut out, repeated, zeroed or filled with noise, or the end missing."""
    start, end = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    end = min(end, start + int(rng.integers(1, 64)))
    middle = data[start:end]
    way = int(rng.integers(0, 6))
    if way == 0:
        return data[:start]
    if way == 1:
        middle = b""
    elif way == 2:
        middle = middle * int(rng.integers(2, 5))
    elif way == 3:
        middle = bytes(len(middle))
    elif way == 4:
        middle = rng.bytes(len(middle))
    else:
        words = [b"nan", b"-1", b"1e300", b"99999999999", b" ", b"\n", b"{", b'"', b"inf", b"null"]
        middle = words[int(rng.integers(len(words)))]
    return data[:start] + middle + data[end:]
