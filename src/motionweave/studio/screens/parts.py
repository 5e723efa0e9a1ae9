"""Parts of the body that can play another clip than the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Part = Literal["upper", "arms", "left_arm", "right_arm"]

#: Each with its label and what it means.
PARTS: Mapping[str, tuple[str, str]] = {
    "upper": ("Upper body", "All above the hips"),
    "arms": ("Both arms", "Both arms, without the trunk"),
    "left_arm": ("Left arm", "The left arm alone"),
    "right_arm": ("Right arm", "The right arm alone"),
}
