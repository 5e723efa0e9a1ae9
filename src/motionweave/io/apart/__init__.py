"""Readers that are foreign compiled code, run in a process of their own."""
