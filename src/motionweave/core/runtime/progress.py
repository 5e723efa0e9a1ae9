"""How work that takes long says how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Called with how much is done, and how much there is to do.
Progress: TypeAlias = Callable[[int, int], None]
