"""Work in the background, what is remembered of it, and what is said about it."""
