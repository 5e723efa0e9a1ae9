"""The command line: one module a verb, no algorithm of its own."""
