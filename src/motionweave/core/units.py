"""Units of length by name. Nothing here needs NumPy, so that ``--help`` stays fast."""

from __future__ import annotations

# Metres in one of each. The CMU archive counts in 1/0.45 inches.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "cmu": 0.0254 / 0.45}
