"""New motion from clips that turn into each other: motion graphs, after Kovar et al. (2002)."""
