"""The corpus: small whole files of every format, made by our own writers.

``python -m tests.fuzz.seeds`` writes them anew.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.contacts.event_files import save_events
from motionweave.contacts.states import EventTable, State
from motionweave.io.npz import MODELS
from motionweave.io.store.sidecar import save_contacts
from motionweave.methods.warping.files import Recipe, save_warp
from tests.characters import write_character
from tests.fuzz.targets import HERE, screens
from tests.io.files import sliding
from tests.strategies import random_motion


def make(folder: Path) -> None:
    """Write all seeds into a folder."""
    for name in (
        *("bvh", "asf", "amc", "glb", "gltf", "mesh", "npz", "usd", "c3d", "mwreg", "mwproj"),
        *("npy", "amass", "amass_body", "vrma", "mapping", "weights", "catalogue"),
        *("interpolant_csv", "interpolant_json"),
        *("contacts", "events_csv", "events_json", "rig", "warp_yaml", "warp_json"),
    ):
        (folder / name).mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    small = random_motion(rng, 4, 5)
    moving = sliding(random_motion(rng, 3, 3))
    for suffix in ("bvh", "glb", "gltf", "npz"):
        mw.save(small, folder / suffix / f"small.{suffix}")
        mw.save(moving, folder / suffix / f"sliding.{suffix}")
    write_character(folder / "mesh" / "character.glb", moving)
    mw.save(replace(small, source={}), folder / "bvh" / "z_up.bvh", up="z")
    mw.save(small, folder / "asf" / "take.amc")
    (folder / "asf" / "take.amc").replace(folder / "amc" / "take.amc")
    mw.save(random_motion(rng, 2, 3), folder / "usd" / "small.usda")
    mw.save(random_motion(rng, 2, 3), folder / "usd" / "small.usdc")
    mw.save(random_motion(np.random.default_rng(6), 2, 3), folder / "usd" / "small.usdz")
    _markers(folder / "c3d" / "small.c3d", rng)
    walk = mw.sample("walk")
    mw.save(walk[:6], folder / "npy" / "walk.npy", fps=30.0)
    mw.save(walk[:6], folder / "vrma" / "walk.vrma")
    _amass(folder, rng)
    mw.joint_mapping(walk, walk).save(folder / "mapping" / "walk.json")
    for suffix in ("csv", "json"):
        curve = mw.Interpolant.concatenate()
        curve.save(folder / f"interpolant_{suffix}" / f"curve.{suffix}")
    (folder / "weights" / "weights.csv").write_text("time,a,b\n0,1,0\n0.5,0.25,0.75\n1,0,1\n")
    (folder / "catalogue" / "catalog.csv").write_text(
        'file,what\nwalk.bvh,"slow walk, left"\nrun/jog.bvh,jog\n'
    )
    curve = mw.register(walk[:30], mw.sample("jog")[:24])
    curve.save(folder / "mwreg" / "gaits.mwreg")
    _project(folder / "mwproj" / "session.mwproj", small)
    save_contacts(walk[:60], folder / "contacts" / "walk.contacts.json")
    states = tuple(State(4.5 * n, frozenset({label})) for n, label in enumerate(("L_et", "R_et")))
    for suffix in ("csv", "json"):
        save_events(EventTable(states, "walk"), folder / f"events_{suffix}" / f"walk.{suffix}")
    roles = {"left_ankle": "FootL", "spine": ["Spine", "Chest"], "head": None}
    (folder / "rig" / "roles.json").write_text(json.dumps(roles))
    keys = (
        mw.Key("middle of 2nd left swing", "left_foot", offset=(0.0, 0.25, 0.0), unit="leg"),
        mw.Key(12.0, "spine", turn=(8.0, 0.0, 0.0), ease=0.3),
    )
    times = ((0.0, 0.0), (60.0, "end of 1st left swing"))
    recipe = Recipe(keys, times, {"left_arm": ((0.0, 0.0),)}, {"ease": 0.35}, "Step over")
    for suffix in ("yaml", "json"):
        save_warp(recipe, folder / f"warp_{suffix}" / f"keys.{suffix}")


def _markers(path: Path, rng: np.random.Generator) -> None:
    import ezc3d

    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [60.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = list("abc")
    points = np.ones((4, 3, 5))
    points[:3] = rng.normal(size=(3, 3, 5))
    file["data"]["points"] = points
    file.write(str(path))


def _amass(folder: Path, rng: np.random.Generator) -> None:
    parents = np.array((-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19))
    names = MODELS[len(parents)]
    body = mw.Skeleton(names, parents, rng.normal(scale=0.1, size=(len(parents), 3)))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(parents), 1))
    mw.save(mw.Motion(body, 30.0, np.zeros((1, 3)), still), folder / "amass_body" / "body.bvh")
    poses, trans = rng.normal(size=(4, 66)), rng.normal(size=(4, 3))
    np.savez(folder / "amass" / "poses.npz", poses=poses, trans=trans, mocap_framerate=60.0)


def _project(path: Path, motion: mw.Motion) -> None:
    from motionweave.studio.document.document import Document, ShelfClip
    from motionweave.studio.files.project import save_project

    clips = (
        ShelfClip("c1", "walk", mw.sample("walk"), "sample", "walk"),
        ShelfClip("c2", "small", motion, "file", "small.bvh", trim=(1, 2)),
    )
    save_project(Document(clips, {name: kind() for name, kind in screens().items()}), path)


if __name__ == "__main__":
    make(HERE / "corpus")
