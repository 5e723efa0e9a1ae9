"""Foreign readers in processes of their own: they stay for many files, and may die of any."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.io.apart import process
from motionweave.io.apart.process import read_apart

# What a file says is what happens.
_SCRIPT = """
import os, time
import numpy as np

def prepare():
    global home
    home = os.getpid()

def read(path, options):
    said = open(path).read()
    if said == "crash":
        os.abort()
    if said == "loop":
        while True:
            pass
    if said == "sleep":
        time.sleep(600)
    if said == "greedy":
        np.ones(1 << 28)
    if said == "refuse":
        raise SystemExit("one reason")
    print("noise")
    return {"home": np.array(home), "own": np.array(os.getpid()), "said": np.array(said)}
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "script.py"
    path.write_text(_SCRIPT)
    yield path
    for worker in [one for one in process._idle if one.script == path]:
        process._idle.remove(worker)
        worker.end()


def _read(script: Path, text: str) -> dict[str, np.ndarray]:
    file = script.with_name(f"{text}.txt")
    file.write_text(text)
    return read_apart(script, file, "a good file")


def test_one_process_reads_many_files(script: Path) -> None:
    found = [_read(script, text) for text in ("a", "b", "c")]
    assert [str(one["said"]) for one in found] == ["a", "b", "c"]
    assert len({int(one["home"]) for one in found}) == 1
    assert len({int(one["own"]) for one in found}) == 3


def test_bad_files_take_only_their_own_copy_down(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_SECONDS", 1)
    home = int(_read(script, "fine")["home"])
    for text in ("crash", "loop", "greedy"):
        with pytest.raises(mw.FormatError, match=rf"{text}\.txt: .*a good file"):
            _read(script, text)
    with pytest.raises(mw.FormatError, match="one reason"):
        _read(script, "refuse")
    assert int(_read(script, "fine")["home"]) == home


def test_a_reader_that_waits_is_ended(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_PATIENCE", 0.5)
    with pytest.raises(mw.FormatError, match="too long"):
        _read(script, "sleep")
    monkeypatch.undo()
    assert str(_read(script, "fine")["said"]) == "fine"


def test_a_dead_worker_is_replaced(script: Path) -> None:
    home = int(_read(script, "fine")["home"])
    os.kill(home, 9)
    assert int(_read(script, "fine")["home"]) != home


def test_threads_do_not_mix_their_answers(script: Path) -> None:
    texts = [f"text{k}" for k in range(12)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda text: str(_read(script, text)["said"]), texts))
    assert found == texts


def _in_child(script: Path, said: multiprocessing.SimpleQueue[int]) -> None:
    said.put(int(_read(script, "child")["home"]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_a_worker_of_its_own(script: Path) -> None:
    home = int(_read(script, "fine")["home"])
    context = multiprocessing.get_context("fork")
    said = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(script, said))
    child.start()
    child.join(60)
    assert said.get() != home
    assert int(_read(script, "fine")["home"]) == home
