"""Spline transitions in linear subspaces (Mukai): clips joined with anticipation and follow-through."""
