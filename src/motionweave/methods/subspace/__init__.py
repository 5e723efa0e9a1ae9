"""Spline transitions in linear subspaces (Mukai): anticipation and follow-through."""
