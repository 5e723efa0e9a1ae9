"""C3D files: recorded markers."""
