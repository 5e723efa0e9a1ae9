"""Joint names in Japanese, Chinese and Korean, put into the English words that `names` reads."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Words of joints; longer ones are looked for first, because they contain shorter ones (a wrist is
# the neck of a hand).
_ENGLISH = {
    "left": "左 왼쪽 왼",
    "right": "右 오른쪽 오른",
    "pelvis": "骨盤 骨盆 골반",
    "hips": "尻 臀部 臀 ヒップ 엉덩이",
    "spine": "脊椎 脊柱 背骨 척추",
    "neck": "首 頸 颈 颈部 脖子 목",
    "head": "頭 頭部 头 头部 머리",
    "clavicle": "鎖骨 锁骨 쇄골",
    "shoulder": "肩 肩膀 肩部 어깨",
    "upperarm": "上腕 上臂 大臂 위팔 상완",
    "arm": "腕 手臂 臂 팔",
    "elbow": "ひじ ヒジ 肘 肘部 手肘 팔꿈치",
    "forearm": "前腕 前臂 小臂 下臂 아래팔 전완",
    "wrist": "手首 手腕 손목",
    "hand": "手 手掌 손",
    "thigh": "太もも 太腿 もも 腿 大腿 허벅지",
    "knee": "ひざ ヒザ 膝 膝盖 膝蓋 무릎",
    "calf": "すね 脛 小腿 종아리 정강이",
    "ankle": "足首 足踝 脚踝 腳踝 踝 발목",
    "foot": "脚掌 腳掌 발",
    "toe": "つま先 爪先 足先 足指 脚趾 脚尖 腳趾 腳尖 발가락",
    "leg": "다리",
    # The foot for some, the leg for others: other joints tell which.
    "footorleg": "足 脚 腳",
    "thumb": "親指 拇指 大拇指 엄지",
    "index": "人指 人差指 人差し指 食指 검지",
    "middle": "中指 중지",
    "ring": "薬指 无名指 無名指 약지",
    "little": "小指 小拇指 새끼",
    "twist": "捩り 捩れ 捩",
    "tip": "先",
}
_WORDS = {word: english for english, words in _ENGLISH.items() for word in words.split()}
_KNOWN = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))


@lru_cache(maxsize=4096)
def in_english(name: str) -> str:
    """A joint name with its Japanese, Chinese and Korean words replaced by English ones.

    Words are set apart by underscores; wide letters and digits become plain ones. Other names stay
    as they are.
    """
    if name.isascii():
        return name
    plain = unicodedata.normalize("NFKC", name)
    return _KNOWN.sub(lambda word: f"_{_WORDS[word[0]]}_", plain).strip("_") or name
