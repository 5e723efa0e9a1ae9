"""What a skeleton means: which joint is which, the facing direction, what it stands on."""
