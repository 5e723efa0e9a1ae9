"""The index of a library: clips in a common form, how they get there, and where they are kept."""
