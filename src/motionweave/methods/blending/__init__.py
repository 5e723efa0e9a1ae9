"""Blending along a registration curve: interpolation, continuous control, transitions."""
