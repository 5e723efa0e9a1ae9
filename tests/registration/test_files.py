"""``.mwreg`` files: what is saved comes back, and what is none is refused."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import FormatError, Planar, RegistrationCurve, RegistrationError


@pytest.fixture(scope="module")
def curve() -> RegistrationCurve:
    return mw.register(mw.sample("walk"), mw.sample("jog"))


@pytest.mark.parametrize("cyclic", [False, True])
def test_round_trip(tmp_path: Path, cyclic: bool) -> None:
    curve = mw.register(
        mw.sample("walk"), mw.sample("jog_left"), ends="cyclic" if cyclic else "auto"
    )
    path = tmp_path / "gaits.mwreg"
    curve.save(path)
    again = mw.load_registration(path)
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 77)
    np.testing.assert_array_equal(again.timewarp.frames(u), curve.timewarp.frames(u))
    for name in ("angle", "x", "z"):
        np.testing.assert_array_equal(
            getattr(again.alignment.at(u), name), getattr(curve.alignment.at(u), name)
        )
    assert [m.kind for m in again.matches] == [m.kind for m in curve.matches]
    for old, new in zip(curve.matches, again.matches, strict=True):
        np.testing.assert_array_equal(new.intervals, old.intervals)
    np.testing.assert_array_equal(again.ranges, curve.ranges)
    np.testing.assert_array_equal(again.distances, curve.distances)
    assert (again.reference, again.base, again.cyclic) == (
        curve.reference,
        curve.base,
        curve.cyclic,
    )
    for old, new in zip(curve.motions, again.motions, strict=True):
        assert new.skeleton == old.skeleton
        assert (new.name, new.fps, new.constraints) == (old.name, old.fps, old.constraints)
        np.testing.assert_array_equal(new.root, old.root)
        np.testing.assert_array_equal(new.rotations, old.rotations)


def test_equal_curves_make_equal_files(tmp_path: Path, curve: RegistrationCurve) -> None:
    curve.save(tmp_path / "a.mwreg")
    again = mw.load_registration(tmp_path / "a.mwreg")
    assert again == curve
    assert again != replace(curve, reference=1 - curve.reference)
    again.save(tmp_path / "b.mwreg")
    assert (tmp_path / "a.mwreg").read_bytes() == (tmp_path / "b.mwreg").read_bytes()


def test_a_newer_version_is_refused(tmp_path: Path, curve: RegistrationCurve) -> None:
    path = tmp_path / "new.mwreg"
    curve.save(path)
    _rewrite(path, version=99)
    with pytest.raises(FormatError, match=r"version 99.*update motionweave"):
        mw.load_registration(path)
    _rewrite(path, version="old")
    with pytest.raises(FormatError, match="unknown version"):
        mw.load_registration(path)


def test_other_clips_are_refused(tmp_path: Path, curve: RegistrationCurve) -> None:
    path = tmp_path / "gaits.mwreg"
    curve.save(path)
    walk, jog = mw.sample("walk"), mw.sample("jog")
    assert len(mw.load_registration(path, [walk, jog])) == 2
    with pytest.raises(RegistrationError, match="not the same clip"):
        mw.load_registration(path, [walk, jog.moved(Planar(0.1))])
    with pytest.raises(RegistrationError, match="registers 2 clips, but 1"):
        mw.load_registration(path, [walk])


def test_files_that_are_none(tmp_path: Path, curve: RegistrationCurve) -> None:
    path = tmp_path / "gaits.mwreg"
    path.write_bytes(b"HIERARCHY\nROOT Hips\n")
    with pytest.raises(FormatError, match="not a registration file"):
        mw.load_registration(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.txt", "hello")
    with pytest.raises(FormatError, match=r"no registration\.json"):
        mw.load_registration(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("registration.json", '{"format": "something else"}')
    with pytest.raises(FormatError, match="not a registration file"):
        mw.load_registration(path)
    curve.save(path)
    whole = path.read_bytes()
    for cut in (10, len(whole) // 3, len(whole) - 30):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            mw.load_registration(path)
    with pytest.raises(FormatError, match="No such file"):
        mw.load_registration(tmp_path / "missing.mwreg")


@pytest.mark.parametrize("change", [{"clips": []}, {"timewarp": {}}, {"ranges": "none"}])
def test_damaged_headers(tmp_path: Path, curve: RegistrationCurve, change: dict) -> None:
    path = tmp_path / "gaits.mwreg"
    curve.save(path)
    _rewrite(path, **change)
    with pytest.raises(FormatError, match="damaged"):
        mw.load_registration(path)


def _rewrite(path: Path, **change: object) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = {**json.loads(members["registration.json"]), **change}
    members["registration.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
