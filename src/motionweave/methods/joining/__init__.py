"""Joining clips: where one can turn into another, and how the seam is made."""
