"""The transition screen."""
