"""In-between motion for gaps."""
