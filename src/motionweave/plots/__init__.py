"""Figures of motions and of what the methods find in them, drawn with matplotlib."""
