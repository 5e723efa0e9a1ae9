"""Fuzzing of every reader; ``python -m tests.fuzz --help`` says how."""
