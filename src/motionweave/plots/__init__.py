"""Figures of motions and of the methods' results, drawn with matplotlib."""
