"""Stretches of clips that are similar to an example."""
