"""The command line: one module per verb, and no algorithms."""
