"""Figures about motions: how good they are, where they jump, and measures for parametric
control."""
