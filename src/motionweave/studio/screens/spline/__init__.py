"""The spline screen."""
