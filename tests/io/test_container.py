"""Files of our own: what is written comes back, and traps are refused before they are unpacked."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.errors import FormatError
from motionweave.io.store.container import Container, array_from, check_size
from tests.io.files import damaged

BOX = Container("box", version=2)
GRID = np.arange(12.0).reshape(3, 4)


def content(header: dict[str, Any], fetch: Callable[[str], np.ndarray]) -> tuple[str, np.ndarray]:
    return header["name"], fetch(header["grid"])


def written() -> bytes:
    buffer = io.BytesIO()
    BOX.write(buffer, lambda keep: {"name": "größe", "grid": keep("a/grid", GRID)})
    return buffer.getvalue()


def npy(array: np.ndarray, *, objects: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=objects)
    return buffer.getvalue()


def test_what_is_written_comes_back_and_is_always_the_same() -> None:
    name, grid = BOX.read(io.BytesIO(written()), content)
    assert name == "größe"
    np.testing.assert_array_equal(grid, GRID)
    assert written() == written()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"format": "motionweave box", "version": 3}, "update motionweave"),
        ({"format": "motionweave box", "version": 0}, "unknown version"),
        ({"format": "motionweave bag", "version": 1}, "not a box file"),
        (["format"], "not a box file"),
        ({"format": "motionweave box", "version": 2}, "damaged"),
    ],
)
def test_other_headers_are_refused(header: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.box"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("box.json", json.dumps(header))
    with pytest.raises(FormatError, match=said) as caught:
        BOX.read(path, content)
    assert "mine.box" in str(caught.value)


def test_a_header_nested_without_end_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("box.json", "[" * 200_000)
    with pytest.raises(FormatError):
        BOX.read(buffer, content)


@given(seed=st.integers(0, 2**32 - 1))
def test_damaged_files_are_read_or_refused(seed: int) -> None:
    data = damaged(written(), np.random.default_rng(seed))
    with suppress(FormatError):
        BOX.read(io.BytesIO(data), content)


def test_arrays_that_ask_for_more_memory_than_they_fill_are_refused() -> None:
    whole = npy(GRID)
    np.testing.assert_array_equal(array_from(whole), GRID)
    with pytest.raises(ValueError, match="cut short"):
        array_from(whole[:-8])
    # Eight terabytes, said in as many letters.
    wild = whole.replace(b"(3, 4), }" + b" " * 11, b"(1000000, 999999), }")
    assert len(wild) == len(whole)
    with pytest.raises(ValueError, match="cut short"):
        array_from(wild)
    with pytest.raises(ValueError, match="broken"):
        array_from(whole.replace(b"(3, 4), }", b"(3, 4,   "))


def test_objects_are_never_unpickled() -> None:
    assert array_from(npy(np.array([{}], dtype=object), objects=True)) is None


def test_archives_that_blow_up_are_refused_unread() -> None:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("zeros.npy", "w") as member,
    ):
        for _ in range(300):
            member.write(bytes(1 << 20))
    assert len(buffer.getvalue()) < 2_000_000
    with zipfile.ZipFile(buffer) as archive, pytest.raises(FormatError, match="315 MB"):
        check_size(archive, None)


def test_large_archives_of_real_numbers_are_not_traps() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as archive:
        info = archive.infolist()[0]
        info.file_size, info.compress_size = 1 << 30, 1 << 29
        check_size(archive, None)
        info.file_size = 1 << 32
        with pytest.raises(FormatError, match="4295 MB"):
            check_size(archive, None)
