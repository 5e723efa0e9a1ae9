"""The sequence screen."""
