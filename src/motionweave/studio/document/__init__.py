"""What is worked on: clips on a shelf, the settings of every screen, and undo."""
