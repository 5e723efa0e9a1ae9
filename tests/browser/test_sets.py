"""An exported set in a real engine: three.js mixes two of its animations."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import motionweave as mw
from motionweave.core import kinematics, rotations
from motionweave.core.motion import local_translations
from motionweave.io.gltf.format import read

_ADDRESS = "http://set.test"
_PROGRAM = """
async ([names, weights, times]) => {
  const { THREE, GLTFLoader } = await import("/three.js");
  const gltf = await new GLTFLoader().loadAsync("/set.glb");
  const mixer = new THREE.AnimationMixer(gltf.scene);
  names.forEach((name, i) => {
    const action = mixer.clipAction(THREE.AnimationClip.findByName(gltf.animations, name));
    action.setEffectiveWeight(weights[i]).play();
  });
  const joints = [];
  gltf.scene.traverse((one) => { if (one.isBone) joints.push(one); });
  const frames = times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const place = new THREE.Vector3();
    return joints.map((one) => place.setFromMatrixPosition(one.matrixWorld).toArray());
  });
  return { joints: joints.map((one) => one.name), frames,
           lengths: gltf.animations.map((one) => one.duration) };
}
"""


def test_three_mixes_what_we_expect(browser: Any, tmp_path: Path) -> None:
    curve = mw.register(mw.sample("walk"), mw.sample("jog"), ends="cyclic")
    told = mw.export_set(curve, tmp_path, root="in place")
    three = files("nicegui").joinpath("elements/scene/dist/index.js").read_bytes()
    answers = {
        "/": (b"<html></html>", "text/html"),
        "/three.js": (three, "text/javascript"),
        "/set.glb": ((tmp_path / "set.glb").read_bytes(), "model/gltf-binary"),
    }
    page = browser.new_page()

    def answer(route: Any) -> None:
        body, kind = answers[route.request.url.removeprefix(_ADDRESS)]
        route.fulfill(body=body, content_type=kind)

    page.route(f"{_ADDRESS}/**", answer)
    page.goto(f"{_ADDRESS}/")
    frames = np.arange(0, told["frames"] - 1, 4)
    share = 0.3
    asked = [["walk", "jog"], [1.0 - share, share], (frames / told["fps"]).tolist()]
    seen = page.evaluate(_PROGRAM, asked)
    page.close()
    assert np.ptp(seen["lengths"]) < 1e-6
    # The same by hand: every joint's turn goes along the arc, every place along the line.
    a, b = (read(tmp_path / "set.glb", animation=name) for name in ("walk", "jog"))
    turns = rotations.slerp(a.rotations, b.rotations, np.full(a.rotations.shape[:2], share))
    moves = (1.0 - share) * local_translations(a) + share * local_translations(b)
    root = (1.0 - share) * a.root + share * b.root
    places, _ = kinematics.forward(a.skeleton.parents, a.skeleton.offsets, root, turns, moves)
    order = [a.skeleton.index(name) for name in seen["joints"]]
    np.testing.assert_allclose(seen["frames"], places[frames][:, order], atol=1e-4)
