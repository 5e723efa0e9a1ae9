"""What a skeleton means: which joint is which, where the body faces, what it stands on."""
