"""Small things that were wrong once: what is shown alone, axes, maps, keys, narrow windows."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionweave.studio.screens import SCREENS
from tests.browser.conftest import Studio, drag
from tests.browser.editors import ask


def figure(studio: Studio, name: str) -> str:
    return studio.page.locator(".mw-figures > div", has_text=name).locator(".mw-value").inner_text()


def test_a_clip_that_is_shown_alone_is_what_is_measured_and_exported(studio: Studio) -> None:
    page = studio.page
    count = page.locator(".mw-card").count()
    studio.card("jump").hover()
    studio.card("jump").locator('[title^="Show only"]').click()
    assert studio.settle()["count"] == 1
    assert figure(studio, "length") == "2.67 s"
    studio.click(".mw-button", "Export")
    with page.expect_download() as download:
        page.locator(".q-item", has_text="BVH (.bvh)").click()
    assert download.value.suggested_filename == "jump.bvh"
    # It is on the shelf already.
    studio.key("k")
    studio.settle()
    assert page.locator(".mw-card").count() == count
    # Whoever goes on working sees the result again.
    studio.card("sneak").click()
    assert studio.settle()["count"] == 3


def test_weights_over_time_are_drawn_over_the_result_and_a_double_click_is_one_key(
    studio: Studio,
) -> None:
    studio.click(".mw-dock .mw-choice button", "Weights over time")
    before = studio.settle()
    assert ask(studio, ".mw-curves", "x[1]") == pytest.approx(before["duration"])
    canvas = studio.page.locator(".mw-blend .mw-curves canvas >> visible=true")
    canvas.dblclick(position={"x": 300, "y": 60})
    after = studio.after(before)
    # A handle for each of three clips.
    assert ask(studio, ".mw-curves", "handles.length") == 3
    assert ask(studio, ".mw-curves", "x[1]") == pytest.approx(after["duration"])


def test_the_place_of_a_transition_is_dragged_in_the_map(studio: Studio) -> None:
    before = studio.screen("Transition")
    # The first place of the list is the one that was taken, and is said to be.
    rows = studio.page.locator(".mw-transition button.mw-list-row")
    assert rows.count() > 2
    first, *others = [row.get_attribute("class").split() for row in rows.all()]
    assert {"best", "on"} <= set(first)
    assert not any({"best", "on"} & set(one) for one in others)
    leave, enter = ask(studio, ".mw-transition .mw-heat", "map.chosen")
    assert rows.first.inner_text().startswith(f"{leave:.0f} → {enter:.0f}")
    said = studio.page.locator(".mw-transition", has_text="The first is the automatic choice")
    assert said.count() > 0
    canvas = studio.page.locator(".mw-transition .mw-heat canvas >> visible=true")
    box = canvas.bounding_box()
    x, y = box["x"] + 0.55 * box["width"], box["y"] + 0.5 * box["height"]
    drag(studio.page, (x, y), (x + 40, y - 10))
    studio.after(before)
    chosen = ask(studio, ".mw-transition .mw-heat", "map.chosen")
    studio.key("z")
    studio.settle()
    assert ask(studio, ".mw-transition .mw-heat", "map.chosen") != chosen
    # All of the drag was one step.
    assert studio.page.locator(".mw-transition .mw-button.on", has_text="Best place").count() == 1


def test_what_kind_a_key_shall_be_is_said_before_there_is_one(studio: Studio) -> None:
    assert studio.screen("Warp")["count"] == 1
    studio.pause(0.5)
    studio.page.locator('.mw-grip[data-grip="head"]').dispatch_event(
        "pointerdown", {"pointerId": 1, "button": 0}
    )
    studio.page.locator('.mw-grip[data-grip="head"]').dispatch_event("pointerup", {"pointerId": 1})
    studio.settle()
    assert studio.page.locator(".mw-warp", has_text="head: drag it").count() > 0
    studio.click(".mw-choice button", "Look at")
    studio.settle()
    assert studio.page.locator(".mw-choice button.on", has_text="Look at").count() == 1
    studio.click(".mw-button", "Key here")
    studio.page.locator(".mw-warp", has_text="head, frame 15").first.wait_for()
    studio.settle()
    assert studio.page.locator(".mw-choice button.on", has_text="Look at").count() == 1
    # Lengths have a unit, and the curve has room.
    fields = studio.page.locator(".mw-warp-values .mw-value >> visible=true").all()
    assert [field.input_value().endswith(" m") for field in fields] == [True, True, True]
    assert studio.page.locator(".mw-warp .mw-curves canvas").bounding_box()["height"] > 100


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (820, 700), (1280, 720), (3840, 2160)])
def test_everything_is_in_reach_in_windows_of_any_size(
    studio: Studio, width: int, height: int
) -> None:
    page = studio.page
    try:
        page.set_viewport_size({"width": width, "height": height})
        for title in ("Blend", "Transition", "Framespace", "Spline", "Warp", "Sequence"):
            page.locator(f'.mw-nav button[title^="{title}"]').click()
            assert studio.settle()["of"] == title.lower()
            for selector in ('[aria-label^="Export"]', ".mw-scrub", ".mw-result .mw-button"):
                for one in page.locator(selector).locator("visible=true").all():
                    box = one.bounding_box()
                    assert box["x"] >= 0, (title, selector)
                    assert box["x"] + box["width"] <= width + 0.5, (title, selector)
            assert page.locator(".mw-scrub").bounding_box()["width"] > 200
        page.locator('.mw-nav button[title^="Transition"]').click()
        assert studio.settle()["of"] == "transition"
        heat = page.locator(".mw-heat canvas >> visible=true").bounding_box()
        assert heat["height"] > 0.15 * height
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_panel_and_dock_are_resized_by_their_edges(studio: Studio) -> None:
    page = studio.page
    panel, dock = page.locator(".mw-panel"), page.locator(".mw-dock.mw-blend")
    wide, high = panel.bounding_box(), dock.bounding_box()
    drag(page, (wide["x"] + 2, 400), (wide["x"] - 118, 400))
    drag(page, (high["x"] + 200, high["y"]), (high["x"] + 200, high["y"] - 80))
    assert panel.bounding_box()["width"] == pytest.approx(wide["width"] + 120, abs=4)
    assert dock.bounding_box()["height"] == pytest.approx(high["height"] + 80, abs=4)
    for part in ("panel", "dock"):
        page.locator(f'[aria-label="size of the {part}"] >> visible=true').dblclick()
    assert panel.bounding_box()["width"] == pytest.approx(wide["width"], abs=1)


# What has a role that people act on, and what it is called.
UNNAMED = """() => {
  const seen = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden';
  const said = (e) => e.getAttribute('aria-label') || e.textContent.trim() || e.title;
  const acted = 'button, input, select, textarea, canvas, svg[role]';
  return [...document.querySelectorAll(`.mw-app :is(${acted})`)]
    .filter((e) => seen(e) && !e.closest('[aria-hidden=true]') && !said(e) && !e.labels?.length)
    .map((e) => e.outerHTML.slice(0, 120));
}"""

# Texts that are too faint on what is behind them (WCAG 2.1, 1.4.3), with their contrast.
FAINT = """() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (a, b) => [0, 1, 2].map((i) => a[3] * a[i] + (1 - a[3]) * b[i]).concat(1);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { const own = rgba(getComputedStyle(e).backgroundColor); return own[3] === 1 || !e.parentElement ? own : over(own, behind(e.parentElement)); };
  const found = [];
  const walk = document.createTreeWalker(document.querySelector('.mw-app'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !e.getClientRects().length || e.closest('[disabled], .dim, .off, .hidden, .mw-stage, svg, option')) continue;
    const ground = behind(e), ink = over(rgba(getComputedStyle(e).color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${text.slice(0, 30)}: ${contrast.toFixed(2)}`);
  }
  return found;
}"""  # noqa: E501


def test_everything_has_a_name_and_can_be_read_in_both_themes(studio: Studio) -> None:
    page = studio.page
    for _ in range(2):
        for title in ("Blend", "Framespace", "Warp", "Sequence"):
            assert studio.screen(title)["count"] > 0
            assert page.evaluate(UNNAMED) == []
            assert page.evaluate(FAINT) == [], title
        studio.click('.mw-icon[title="Dark or light theme"]')
        studio.settle()
        # Colours go over into each other.
        studio.wait("!document.getAnimations().some((one) => one instanceof CSSTransition)")


AXE = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`)"""


def test_axe_finds_nothing_serious_on_any_screen_or_sheet(studio: Studio) -> None:
    tool = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    studio.page.evaluate(Path(tool.__path__[0], "axe.min.js").read_text(encoding="utf-8"))
    for screen in SCREENS:
        studio.click(".mw-nav button", screen.title)
        studio.settle()
        assert studio.page.evaluate(AXE) == [], screen.title
    studio.screen("Blend")
    studio.key("b")
    studio.wait("motionweave.viewport.state().before")
    studio.settle()
    assert studio.page.evaluate(AXE) == [], "before and after"
    studio.key("b")
    for key in ("Shift+?", "c"):
        studio.key(key)
        studio.page.locator(".mw-sheet").wait_for()
        assert studio.page.evaluate(AXE) == [], key
        studio.page.keyboard.press("Escape")
        studio.page.locator(".mw-sheet").wait_for(state="detached")


def test_names_side_by_side_are_shortened_to_what_tells_them_apart(studio: Studio) -> None:
    cases = [
        (["set-1_walk_normal_001", "set-1_run_proud_001", "set-1_dash_001"],
         ["walk_normal", "run_proud", "dash"]),
        # Two of three are alike.
        (["subject16_trial15_walk", "subject16_trial35_jog", "spline"],
         ["trial15_walk", "trial35_jog", "spline"]),
        (["walk1_subject1_filtered", "walk1_subject1_filtered 2"], ["filtered", "filtered 2"]),
        (["_____________________", "the same, the same", "the same, the same"],
         ["______…_____", "the sa… same", "the sa… same"]),
        (["a", "b"], ["a", "b"]),
    ]  # fmt: skip
    for names, expected in cases:
        found = studio.page.evaluate(
            "async (names) => (await import('motionweave')).distinct(names, 12)", names
        )
        assert found == expected
    shortened = "(async () => (await import('motionweave')).shortened('set-1_walk_001', 9))()"
    assert studio.page.evaluate(shortened) == "set-…_001"


def test_limbs_have_not_the_colours_of_clips(studio: Studio) -> None:
    colours = studio.page.evaluate(
        """async () => { const m = await import('motionweave');
        return [m.LEFT, m.RIGHT].map((c) => '#' + c.toString(16).padStart(6, '0')); }"""
    )
    used = [look["color"] for look in studio.state()["looks"]]
    for limb in colours:
        for clip in used:
            pairs = zip(bytes.fromhex(limb[1:]), bytes.fromhex(clip[1:]), strict=True)
            assert max(abs(a - b) for a, b in pairs) > 40, (limb, clip)
