"""What is fuzzed: for each reader a function on bytes, its mutator, and its folder of seeds.

A target reads the bytes as a file. Our own errors are what a bad file deserves; anything else
escapes. Where a file is accepted, its motion must survive every writer and every basic use.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.body.retarget.correspondence import match
from motionweave.body.rig.override import read_override
from motionweave.cli.blend import read_weights
from motionweave.contacts.event_files import load_events
from motionweave.core.checks import LARGEST
from motionweave.io.store.sidecar import load_contacts
from motionweave.library.index.reading import catalogue_words
from motionweave.methods.warping.files import load_warp
from tests.fuzz import mutators
from tests.fuzz.mutators import Mutator

HERE = Path(__file__).parent


@cache
def _folder() -> Path:
    """A folder of this process, in memory where there is such a thing."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    holder = tempfile.TemporaryDirectory(prefix="motionweave-fuzz-", dir=where)
    _kept.append(holder)
    return Path(holder.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []


@contextlib.contextmanager
def _as_file(data: bytes, name: str) -> Iterator[Path]:
    path = _folder() / name
    path.write_bytes(data)
    with warnings.catch_warnings(), contextlib.suppress(mw.MotionweaveError):
        # NumPy's warnings are numbers out of hand that nobody checked.
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mw.QualityWarning)
        warnings.simplefilter("ignore", mw.Notice)
        yield path


def _clip(data: bytes, name: str) -> None:
    with _as_file(data, name) as path:
        _must_survive(mw.load(path, contacts=False), data)


def _must_survive(motion: mw.Motion, data: bytes) -> None:
    """Whatever a reader accepts, every writer can write and every method can use."""
    assert 0.1 <= motion.fps <= 10_000.0
    assert np.abs(motion.root).max() <= LARGEST
    assert np.abs(np.linalg.norm(motion.rotations, axis=-1) - 1.0).max() < 1e-6
    assert np.all(np.isfinite(motion.positions()))
    if len(motion) * len(motion.skeleton) > 5000:
        return
    # Writing takes longer than reading: each input is written in one format.
    suffix = (".bvh", ".npz", ".glb", ".amc", ".bvh", ".npz")[zlib.crc32(data) % 6]
    path = _folder() / f"again{suffix}"
    try:
        mw.save(motion, path, contacts=False)
        again = mw.load(path, contacts=False)
    except mw.MotionweaveError as error:
        raise AssertionError(f"what was accepted fails as {suffix}: {error}") from error
    assert len(again) == len(motion), f"{suffix}: {len(motion)} frames became {len(again)}"
    assert len(again.skeleton) == len(motion.skeleton)
    if suffix in (".npz", ".amc"):
        assert set(again.skeleton.names) == set(motion.skeleton.names)


def fuzz_bvh(data: bytes) -> None:
    """BVH."""
    _clip(data, "clip.bvh")


def fuzz_asf(data: bytes) -> None:
    """An ASF skeleton, with a take."""
    with contextlib.suppress(FileNotFoundError):
        (_folder() / "take.amc").write_bytes((HERE / "corpus" / "amc" / "take.amc").read_bytes())
    _clip(data, "take.asf")


def fuzz_amc(data: bytes) -> None:
    """An AMC take, with its skeleton."""
    (_folder() / "motion.asf").write_bytes((HERE / "corpus" / "asf" / "take.asf").read_bytes())
    _clip(data, "motion.amc")


def fuzz_glb(data: bytes) -> None:
    """glTF in one file."""
    _clip(data, "clip.glb")


def fuzz_gltf(data: bytes) -> None:
    """glTF as JSON."""
    _clip(data, "clip.gltf")


def fuzz_mesh(data: bytes) -> None:
    """Meshes of characters, and their textures; drawn on their motion."""
    with _as_file(data, "character.glb") as path:
        motion = mw.load(path, contacts=False)
        if len(motion) * len(motion.skeleton) <= 5000:
            mw.render(motion, _folder() / "character.png", size=(32, 18))


def fuzz_npz(data: bytes) -> None:
    """NumPy archives."""
    _clip(data, "clip.npz")


def fuzz_npy(data: bytes) -> None:
    """Joint positions as one array."""
    _clip(data, "clip.npy")


def fuzz_amass(data: bytes) -> None:
    """AMASS poses, with a skeleton."""
    with _as_file(data, "poses.npz") as path:
        skeleton = HERE / "corpus" / "amass_body" / "body.bvh"
        _must_survive(mw.load(path, contacts=False, skeleton=skeleton), data)


def fuzz_vrma(data: bytes) -> None:
    """VRM animation."""
    _clip(data, "clip.vrma")


def fuzz_usd(data: bytes) -> None:
    """USD, text, binary or packed."""
    kinds = {b"PXR-": "usdc", b"PK\3\4": "usdz"}
    _clip(data, f"clip.{kinds.get(data[:4], 'usda')}")


def fuzz_c3d(data: bytes) -> None:
    """C3D markers."""
    with _as_file(data, "clip.c3d") as path:
        mw.load_markers(path).filled()


def fuzz_mwreg(data: bytes) -> None:
    """Registrations; what loads must blend."""
    with _as_file(data, "curve.mwreg") as path:
        curve = mw.load_registration(path)
        weights = np.full(len(curve), 1.0 / len(curve))
        blended = mw.blend(curve, weights)
        assert np.all(np.isfinite(blended.root))


def fuzz_mwproj(data: bytes) -> None:
    """Projects of the studio."""
    from motionweave.studio.files.project import load_project

    with _as_file(data, "session.mwproj") as path:
        for clip in load_project(path, screens()).clips:
            if clip.usable and clip.origin != "sample":
                _must_survive(clip.motion, data)


@cache
def screens() -> dict[str, type]:
    from motionweave.studio.document.document import Common
    from motionweave.studio.screens import SCREENS

    return {"common": Common, **{one.name: one.Settings for one in SCREENS}}


def fuzz_contacts(data: bytes) -> None:
    """Contacts beside a clip."""
    with _as_file(data, "clip.contacts.json") as path:
        load_contacts(path, frames=60)


def fuzz_events_csv(data: bytes) -> None:
    """Tables of motion states, CSV."""
    with _as_file(data, "events.csv") as path:
        load_events(path)


def fuzz_events_json(data: bytes) -> None:
    """Tables of motion states, JSON."""
    with _as_file(data, "events.json") as path:
        load_events(path)


def fuzz_rig(data: bytes) -> None:
    """Joint roles of a user."""
    with _as_file(data, "rig.json") as path:
        read_override(path)


def fuzz_warp_yaml(data: bytes) -> None:
    """Warp files, YAML."""
    with _as_file(data, "keys.yaml") as path:
        load_warp(path)


def fuzz_warp_json(data: bytes) -> None:
    """Warp files, JSON."""
    with _as_file(data, "keys.json") as path:
        load_warp(path)


def fuzz_mapping(data: bytes) -> None:
    """Which joint follows which, for retargeting."""
    with _as_file(data, "mapping.json") as path:
        walk = mw.sample("walk").skeleton
        match(walk, walk, path)


def fuzz_interpolant_csv(data: bytes) -> None:
    """Control vertices, CSV."""
    with _as_file(data, "curve.csv") as path:
        mw.Interpolant.load(path).weights(np.linspace(0.0, 1.0, 5))


def fuzz_interpolant_json(data: bytes) -> None:
    """Control vertices, JSON."""
    with _as_file(data, "curve.json") as path:
        mw.Interpolant.load(path).weights(np.linspace(0.0, 1.0, 5))


def fuzz_weights(data: bytes) -> None:
    """Weights over time."""
    with _as_file(data, "weights.csv") as path:
        read_weights(path)


def fuzz_catalogue(data: bytes) -> None:
    """What is said about the clips of a folder."""
    with _as_file(data, "catalog.csv") as path:
        catalogue_words([path.parent])


@dataclass(frozen=True)
class Target:
    """One reader.

    Parameters
    ----------
    run
        Takes bytes; returns, or raises what must never be raised.
    mutate
        Makes a bad file of a whole one.
    share
        How many of a run's inputs it gets, relative to the others.
    modules
        What must be importable.
    """

    run: Callable[[bytes], None]
    mutate: Mutator
    share: float = 1.0
    modules: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.run.__name__.removeprefix("fuzz_")

    def seeds(self) -> list[Path]:
        """Whole files, made by our own writers."""
        return sorted((HERE / "corpus" / self.name).iterdir())

    def regressions(self) -> list[Path]:
        """Inputs that failed once."""
        folder = HERE / "regressions" / self.name
        return sorted(folder.iterdir()) if folder.is_dir() else []


_TEXT = mutators.either(mutators.text, mutators.numbers, mutators.numbers, mutators.blind)
_JSON = mutators.either(mutators.json_text, mutators.json_text, mutators.blind)
TARGETS = {
    one.name: one
    for one in (
        Target(fuzz_bvh, _TEXT, 8.0),
        Target(fuzz_asf, _TEXT, 3.0),
        Target(fuzz_amc, _TEXT, 2.0),
        Target(fuzz_glb, mutators.glb, 3.0),
        Target(fuzz_gltf, _JSON, 2.0),
        Target(fuzz_mesh, mutators.glb, 1.0, ("PIL",)),
        Target(fuzz_npz, mutators.archive, 2.0),
        Target(fuzz_npy, mutators.either(mutators.npy, mutators.some_numbers), 1.0),
        Target(fuzz_amass, mutators.archive, 1.0),
        Target(fuzz_vrma, mutators.glb, 1.0),
        Target(fuzz_mwreg, mutators.archive, 2.0),
        Target(fuzz_mwproj, mutators.archive, 0.3, ("nicegui",)),
        Target(fuzz_contacts, _JSON, 3.0),
        Target(fuzz_events_csv, _TEXT, 3.0),
        Target(fuzz_events_json, _JSON, 3.0),
        Target(fuzz_rig, _JSON, 3.0),
        Target(fuzz_mapping, _JSON, 0.5),
        Target(fuzz_interpolant_csv, _TEXT, 2.0),
        Target(fuzz_interpolant_json, _JSON, 2.0),
        Target(fuzz_weights, _TEXT, 2.0),
        Target(fuzz_catalogue, _TEXT, 2.0),
        Target(fuzz_warp_yaml, _TEXT, 3.0, ("yaml",)),
        Target(fuzz_warp_json, _JSON, 3.0),
        # A process for each input.
        Target(fuzz_usd, _TEXT, 0.05, ("pxr",)),
        Target(fuzz_c3d, mutators.blind, 0.1, ("ezc3d",)),
    )
}
