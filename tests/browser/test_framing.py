"""Bodies of any source stand on the floor at their true size, and all of them is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Studio, drag

# A view that is let go glides on for a while.
AT_REST = """async () => {
  const { camera } = motionweave.viewport.stage;
  const last = camera.position.clone();
  for (let still = 0; still < 5; still += 1) {
    await new Promise(requestAnimationFrame);
    if (camera.position.distanceTo(last) > 1e-6) still = 0;
    last.copy(camera.position);
  }
}"""


def framing(studio: Studio) -> list[dict[str, Any]]:
    return studio.page.evaluate("motionweave.viewport.framing()")


def assert_all_is_seen(studio: Studio, what: str = "") -> None:
    for body in framing(studio):
        assert 1.4 <= body["height"] <= 2.0, (what, body)
        for x, y in body["points"]:
            assert 0.0 < x < 1.0, (what, body)
            assert 0.0 < y < 1.0, (what, body)


@pytest.mark.wild
def test_every_rig_is_of_human_size_with_head_and_feet_on_screen(
    studio: Studio, wild: Path
) -> None:
    files = []
    for source in sorted(folder for folder in wild.iterdir() if folder.is_dir()):
        files.append(min(source.glob("*.bvh"), key=lambda path: path.stat().st_size))
    studio.page.set_input_files(".mw-shell input[type=file]", [str(path) for path in files])
    studio.settle()
    for path in files:
        card = studio.card(path.stem)
        card.hover()
        card.locator('[title^="Show only"]').click()
        shown = studio.settle()
        assert [look["label"] for look in shown["looks"]] == [path.stem]
        for share in (0.0, 0.5, 1.0):
            studio.pause(share * shown["duration"])
            assert_all_is_seen(studio, f"{path.name} at {share}")


# Names that cover one another, or are not all inside the picture.
COVERED = """() => {
  const stage = document.querySelector('.mw-stage').getBoundingClientRect();
  const tags = [...document.querySelectorAll('.mw-labels span')].filter((tag) => tag.getClientRects().length);
  const boxes = tags.map((tag) => [tag.textContent, tag.getBoundingClientRect()]);
  const out = boxes.filter(([, a]) => a.left < stage.left - 1 || a.right > stage.right + 1).map(([name]) => name);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const pairs = boxes.flatMap(([n, a], i) => boxes.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([m]) => n + ' and ' + m));
  return [tags.length, ...out, ...pairs];
}"""  # noqa: E501


def test_ghosts_are_seen_too_however_many(studio: Studio) -> None:
    assert_all_is_seen(studio)
    for name in ("walk_left", "walk_right"):
        studio.card(name).click()
    assert studio.settle()["count"] == 6
    studio.pause(0.0)
    assert_all_is_seen(studio)
    for side in ("side", "corner"):
        studio.click(".mw-views button", side)
        studio.settle()

        def none_covered(side: str = side) -> None:
            assert studio.page.evaluate(COVERED) == [5], side

        studio.eventually(none_covered)


def test_a_view_that_was_chosen_is_kept_when_the_screen_changes(studio: Studio) -> None:
    """Turned and moved by hand, also while the camera follows."""
    where = "(() => { const { camera, controls } = motionweave.viewport.stage;"
    offset = f"{where} return camera.position.clone().sub(controls.target).toArray(); }})()"
    lead = "motionweave.viewport.lead.toArray()"
    box = studio.page.locator(".mw-stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    drag(studio.page, (x, y), (x + 120, y + 10))
    studio.page.evaluate(AT_REST)
    before = studio.page.evaluate(lead)
    studio.page.mouse.move(x, y)
    studio.page.mouse.down(button="right")
    studio.page.mouse.move(x + 90, y, steps=6)
    studio.page.mouse.up(button="right")
    studio.page.evaluate(AT_REST)
    after = studio.page.evaluate(lead)
    assert sum((a - b) ** 2 for a, b in zip(after, before, strict=True)) > 0.1**2
    turned = studio.page.evaluate(offset)
    assert studio.screen("Spline")["count"] == 3
    kept = studio.page.evaluate(offset)
    assert sum((a - b) ** 2 for a, b in zip(kept, turned, strict=True)) < 0.05**2
    studio.click(".mw-views button", "corner")
