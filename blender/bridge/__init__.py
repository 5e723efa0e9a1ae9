"""Actions as takes and back: all that knows how Blender keeps animation."""
