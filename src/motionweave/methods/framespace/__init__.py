"""Framespace interpolation: clips blended and joined by their motion events."""
