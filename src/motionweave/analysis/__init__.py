"""What a motion shows: which joint is which, where it faces, what touches the floor."""
