"""Readers that are third-party compiled code, run in a separate process."""
