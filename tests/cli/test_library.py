"""``motionweave library``: every action once, and what it says when something is wrong."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.heading import facing
from motionweave.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clips")
    for name in ("walk", "walk_left", "jog"):
        mw.save(mw.sample(name, duration=6.0), made / f"{name}.npz", contacts=False)
    assert main(["library", "add", str(made)]) == 0
    return made


def test_info_and_find(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "info", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"] == 3
    example = ["library", "find", str(folder), "walk.npz", "--frames", "5:40"]
    assert main([*example, "--most", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main(["library", "find", str(folder), "--where", "turn=20:", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["clip"] == "walk_left.npz"
    assert main(["library", "find", str(folder), "--where", "turn=20:", "--words", "walk"]) == 0
    turn = mw.Library(folder).entry("walk_left.npz").measures["turn"]
    assert capsys.readouterr().out == f"walk_left.npz, 6.00 s, turn {turn:.3g}\n"
    pose = ["library", "find", str(folder), "walk.npz", "--frames", "12"]
    assert main([*pose, "--most", "1", "--json"]) == 0
    (nearest,) = json.loads(capsys.readouterr().out)
    assert nearest["frames"][0] == nearest["frames"][1]


def test_every_action_can_be_quiet_and_strict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["find", str(folder), "--words", "walk"]
    for words in (["library", *asked, "--quiet", "--strict"], ["library", "--quiet", *asked]):
        assert main(words) == 0
        assert capsys.readouterr().out == ""


def test_collect_takes_several_examples_and_their_mirror_images(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["library", "collect", str(folder), "walk.npz", "jog.npz", "--mirrored", "--json"]
    assert main([*asked, "--frames", "5:40", "--frames", "5:30"]) == 0
    found = json.loads(capsys.readouterr().out)["matches"]
    assert {match["example"] for match in found} == {0, 1}
    assert {match["mirrored"] for match in found} <= {True, False}
    assert main([*asked, "--frames", "5:40"]) == 2
    assert "of each of 2 examples" in capsys.readouterr().err


def test_collect_lists_what_it_collected_and_writes_a_blend(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["library", "collect", str(folder), "walk.npz", "--frames", "5:40"]
    assert main(asked) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.endswith("of this kind:")
    assert second.startswith("  walk.npz ")
    out = tmp_path / "blend.bvh"
    for half in (["-o", str(out)], ["--measure", "speed", "--at", "1.2"]):
        assert main([*asked, *half]) == 2
        assert "to write a blend, say which" in capsys.readouterr().err
    assert main([*asked, "--measure", "speed", "--at", "9", "-o", str(out)]) == 2
    assert "use --nearest" in capsys.readouterr().err
    assert main([*asked, "--measure", "speed", "--at", "9", "--nearest", "-o", str(out)]) == 0
    assert len(mw.load(out)) > 20


def test_an_empty_library_says_how_it_is_filled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["library", "info", str(tmp_path)]) == 0
    assert f"run `motionweave library add {tmp_path}`" in capsys.readouterr().out
    for action in (["find", "--words", "walk"], ["graph", "--words", "walk"]):
        assert main(["library", action[0], str(tmp_path), *action[1:]]) == 2
        assert "the library is empty" in capsys.readouterr().err


def test_graph_walk_and_fill(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = ["--tolerance", "3"]
    assert main(["library", "graph", str(folder), *wide, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["junctions"] > 0
    out = tmp_path / "out.bvh"
    assert main(["library", "walk", str(folder), *wide, "--seconds", "4", "-o", str(out)]) == 0
    assert len(mw.load(out)) > 60
    live = ["library", "walk", str(folder), *wide, "--live", "-o", str(out)]
    monkeypatch.setattr("sys.stdin", io.StringIO("0\n30 1.2\n30\n"))
    assert main(live) == 0
    assert len(mw.load(out)) > 40
    monkeypatch.setattr("sys.stdin", io.StringIO("0\nnorth\n"))
    assert main(live) == 2
    assert "line 2: 'north'" in capsys.readouterr().err
    assert main([*live, "--no-clean"]) == 2
    assert "always planted" in capsys.readouterr().err
    walk = mw.sample("walk")
    for name, part in (("a", walk[:30]), ("b", walk[50:])):
        mw.save(part, tmp_path / f"{name}.npz")
    ends = [str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]
    place = ["--to", "0.4", "1.5", "--heading", "20"]
    fill = ["library", "fill", str(folder), *ends, "--seconds", "0.7", *place, "-o", str(out)]
    assert main(fill) == 0
    after = mw.load(out)[50:]
    np.testing.assert_allclose(after.root[0, [0, 2]], [0.4, 1.5], atol=1e-5)
    assert np.degrees(facing(after)[0]) == pytest.approx(20, abs=0.01)
    same = np.sum(after.rotations[:, 1:] * walk.rotations[50:, 1:], axis=-1)
    np.testing.assert_allclose(np.abs(same), 1.0, atol=1e-6)


def test_remove_and_errors_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["library", "remove", str(folder), str(folder / "jog.npz")]) == 0
    assert "1 clip forgotten" in capsys.readouterr().out
    assert main(["library", "remove", str(folder), "nothing.npz"]) == 2
    assert "no such clip" in capsys.readouterr().err
    assert main(["library", "info", str(folder / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
    monkeypatch.setattr("motionweave.library.engine._ANSWERS_WITHIN", "0.2s")
    assert main(["library", "add", str(folder), "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "Dask" in capsys.readouterr().err


def test_a_cluster_that_loses_a_worker_gives_what_this_machine_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed")
    from motionweave.library.index.store import StoreWriter

    clips = tmp_path / "clips"
    clips.mkdir()
    for number in range(6):
        mw.save(mw.sample("walk", speed=1.0 + 0.1 * number)[:60], clips / f"{number}.npz")
    command = ["library", "add", str(clips), "--store"]
    assert main([*command, str(tmp_path / "here")]) == 0
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
        write = StoreWriter.add

        def write_and_kill(self: StoreWriter, *clip: Any) -> None:
            write(self, *clip)
            if workers:
                os.kill(workers.pop(), signal.SIGKILL)
                workers.clear()

        with monkeypatch.context() as patched:
            patched.setattr(StoreWriter, "add", write_and_kill)
            there = [str(tmp_path / "there"), "--cluster", cluster.scheduler_address]
            assert main([*command, *there]) == 0
    assert not workers
    assert capsys.readouterr().out.count("6 added") == 2
    for name in ("points-0.f32", "features-1.f32"):
        files = [tmp_path / which / name for which in ("here", "there")]
        assert files[0].read_bytes() == files[1].read_bytes()
