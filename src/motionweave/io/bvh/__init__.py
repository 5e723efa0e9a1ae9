"""BVH files."""
