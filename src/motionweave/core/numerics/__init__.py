"""Numerical building blocks: splines, eases, quantiles, banded systems."""
