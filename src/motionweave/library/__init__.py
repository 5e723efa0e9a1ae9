"""A library of clips: find, collect, connect and fill in."""
