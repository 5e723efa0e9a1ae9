"""Rigs whose joints have Japanese, Chinese or Korean names."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave import Skeleton, find_rig
from motionweave.body.rig.fingers import fingers_of
from motionweave.body.rig.languages import in_english
from motionweave.body.rig.names import is_control, normalised, side_key

_ROLES = ("thigh", "shin", "ankle", "toe", "shoulder", "upper_arm", "forearm", "hand")
# Left, right, neck, head, then the limbs from thigh to toe and from shoulder to hand.
LANGUAGES = {
    "MMD": ("左 右 首 頭", "足 ひざ 足首 つま先 肩 腕 ひじ 手首"),
    "Japanese": ("左 右 首 頭部", "太もも 膝 足 足指 鎖骨 上腕 前腕 手"),
    "Chinese": ("左 右 颈部 头", "大腿 小腿 脚 脚趾 锁骨 上臂 前臂 手"),
    "traditional": ("左 右 頸 頭", "大腿 小腿 足踝 腳趾 鎖骨 大臂 小臂 手腕"),
    "Korean": ("왼쪽 오른쪽 목 머리", "허벅지 종아리 발목 발가락 쇄골 위팔 아래팔 손목"),
}


def _named(language: str) -> tuple[Skeleton, dict[str, str]]:
    """A skeleton whose zero pose says nothing, every bone along one axis, and its roles."""
    words, limbs = (part.split() for part in LANGUAGES[language])
    left, right, neck, head = words
    names, parents = ["センター", "spine", neck, head], [-1, 0, 1, 2]
    roles = {"neck": neck, "head": head}
    for side, word in (("left", left), ("right", right)):
        for number, (role, limb) in enumerate(zip(_ROLES, limbs, strict=True)):
            parents.append({0: 0, 4: 1}.get(number, len(names) - 1))
            names.append(word + limb)
            roles[f"{side}_{role}"] = word + limb
    return Skeleton(tuple(names), parents, np.tile([0.0, 0.2, 0.0], (len(names), 1))), roles


@pytest.mark.parametrize("language", LANGUAGES)
def test_roles_are_found_by_name(language: str) -> None:
    skeleton, roles = _named(language)
    assert find_rig(skeleton).names().items() >= roles.items()


def test_controls_and_twists_have_no_role() -> None:
    assert is_control("左足ＩＫ")
    assert find_rig(_named("MMD")[0]).has("left_thigh")
    assert in_english("左腕捩") == "left__arm__twist"


def test_sides_are_told_apart_and_spellings_are_one() -> None:
    assert side_key("左ひざ")[0] == "left"
    assert side_key("左ひざ")[1] == side_key("右ひざ")[1]
    assert normalised("左ひざ") == normalised("LeftKnee")


def test_fingers_are_told() -> None:
    digits = ("親指", "人指", "中指", "薬指", "小指")
    names = ["左手首", *(f"左{digit}{bone}" for digit in digits for bone in "１２３")]
    parents = [-1, *(0 if bone == 0 else 3 * f + bone for f in range(5) for bone in range(3))]
    hand = Skeleton(tuple(names), parents, np.tile([0.0, 0.1, 0.0], (len(names), 1)))
    assert fingers_of(hand, 0) == {
        finger: (3 * f + 1, 3 * f + 2, 3 * f + 3)
        for f, finger in enumerate(("thumb", "index", "middle", "ring", "little"))
    }


def test_other_names_stay_as_they_are() -> None:
    for name in ("LeftUpLeg", "Rückenwirbel", "кость", "mixamorig:Hips"):
        assert in_english(name) == name
