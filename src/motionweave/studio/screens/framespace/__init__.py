"""The framespace screen."""
