"""Figures about motions: how good they are, where they jump, and measures for parametric
control."""

# The package hands this module out as `motionweave.measures`.
from motionweave.measure import measures as measures
