"""The warp screen."""
