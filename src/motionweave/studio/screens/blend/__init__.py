"""The blend screen."""
