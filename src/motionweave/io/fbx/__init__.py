"""FBX files, by way of an installed Blender."""
