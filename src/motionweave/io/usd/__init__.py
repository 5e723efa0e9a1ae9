"""USD files."""
