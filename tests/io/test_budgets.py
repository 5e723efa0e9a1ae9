"""What a bad or huge file may cost: time and memory in proportion to its size."""

from __future__ import annotations

import contextlib
import json
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import motionweave as mw

_JOINTS = 10_000


def _star(joints: int) -> str:
    """A root with thousands of joints on it, in chains of five."""
    parts = ["HIERARCHY\nROOT root {OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition"]
    for start in range(1, joints, 5):
        names = range(start, min(start + 5, joints))
        parts += [f"JOINT j{n} {{OFFSET 0.{n % 7} 1 0" for n in names]
        parts.append("}" * len(names))
    return "\n".join([*parts, "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n"])


def _glb_chain(nodes: int) -> str:
    chain = [{"name": f"n{n}", "children": [n + 1]} for n in range(nodes - 1)] + [{"name": "end"}]
    skin = {"joints": list(range(nodes))}
    return json.dumps({"asset": {"version": "2.0"}, "nodes": chain, "skins": [skin]})


def _gltf_fan(nodes: int) -> str:
    fan = [{"children": list(range(1, nodes))}, *({"name": "n"} for _ in range(nodes - 1))]
    skin = {"joints": list(range(nodes))}
    return json.dumps({"asset": {"version": "2.0"}, "nodes": fan, "skins": [skin]})


def _asf_chain(bones: int) -> str:
    rows = [":root\norder TX TY TZ RX RY RZ\nposition 0 0 0\n:bonedata"]
    for n in range(bones):
        rows.append(f"begin\nid {n}\nname b{n}\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend")
    rows.append(":hierarchy\nbegin\nroot b0")
    rows += [f"b{n} b{n + 1}" for n in range(bones - 1)]
    return "\n".join([*rows, "end", ""])


@pytest.mark.parametrize(
    ("name", "text", "seconds"),
    [
        ("star.bvh", lambda: _star(_JOINTS), 5.0),
        ("fan.gltf", lambda: _gltf_fan(_JOINTS), 5.0),
        ("chain.gltf", lambda: _glb_chain(_JOINTS), 2.0),
        ("chain.asf", lambda: _asf_chain(_JOINTS), 2.0),
        ("nested.contacts.json", lambda: "[" * 1_000_000, 1.0),
    ],
)
def test_reading_is_bounded(
    tmp_path: Path, name: str, text: Callable[[], str], seconds: float
) -> None:
    path = tmp_path / name
    path.write_text(text())
    before = time.process_time()
    with contextlib.suppress(mw.FormatError):
        mw.load(path, contacts=False)
    assert time.process_time() - before < seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1.5e6


def test_contacts_on_ten_thousand_joints(tmp_path: Path) -> None:
    """Loading with contacts looks for legs; what is not a body must be seen soon."""
    import signal

    (tmp_path / "star.bvh").write_text(_star(_JOINTS))

    def late(*_: object) -> None:
        raise TimeoutError("over ten seconds of computing")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, 10.0)
    try:
        mw.load(tmp_path / "star.bvh")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
