"""FBX files, through an installed Blender."""
