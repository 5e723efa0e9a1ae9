"""Clean-up: feet and hands stay where they are planted."""
