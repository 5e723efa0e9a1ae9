"""Making feet and hands stay where they are planted."""
