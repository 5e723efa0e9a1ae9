"""What the browser runs: scripts, styles, the icon."""

from __future__ import annotations

from pathlib import Path

#: The folder of them.
WEB = Path(__file__).parent
