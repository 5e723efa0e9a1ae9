"""Figures about motions: how good they are, where they jump, what they can be steered by."""
